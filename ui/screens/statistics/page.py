"""Statistics, a page of Activity: a year as a calendar and as a list, what was learned by kind and project,
conversations, what was given, and how often the person put a judgement right.

The calendar's twin: days that have anything as a table, for who reads or hears rather than sees.

Source: issue 18 "Timeline and statistics".
"""

from collections.abc import Sequence
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QButtonGroup,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QStackedWidget,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.values import MemoryCounts
from app.values.statistics import DayFigures, Statistics
from ui.navigation import Place
from ui.screens.base import PanelContext
from ui.screens.statistics.calendar import Legend, YearCalendar
from ui.screens.statistics.wording import (
    HONEST,
    JUDGEMENT_WORDS,
    MEASURES,
    conversations_line,
    day_line,
    day_title,
    given_line,
    kind_title,
    learned_line,
    months_of,
    search_in,
    share_line,
    totals_of,
    weeks_of,
)
from ui.widgets.buttons import Button, FitButton
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.charts import BarChart, ShareBar
from ui.widgets.empty_state import EmptyState, Skeleton
from ui.widgets.labels import PlainLabel
from ui.widgets.scroll import ScrollColumn
from ui.wording.memories import counts_line

if TYPE_CHECKING:
    from app.api import Engine


_HEADS = ("Day", "Learned", "Conversations", "Given", "Used", "Ignored")


class DayList(QTableWidget):
    day_opened = Signal(object)  # DayFigures

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(0, len(_HEADS), parent)
        self.setObjectName(object_name)
        self.setAccessibleName("Days with anything, newest first")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setHorizontalHeaderLabels(_HEADS)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        first = QTableWidgetItem(_HEADS[0])
        first.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.setHorizontalHeaderItem(0, first)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._days: tuple[DayFigures, ...] = ()
        self.cellDoubleClicked.connect(self._on_opened)

    def show_values(self, days: Sequence[DayFigures]) -> None:
        found = tuple(one for one in reversed(days) if any(_numbers(one)))
        if found == self._days:
            return
        self._days = found
        self.setRowCount(len(found))
        for index, one in enumerate(found):
            texts = (day_title(one.day), *(f"{count:,}" if count else "–" for count in _numbers(one)))
            for column, text in enumerate(texts):
                item = QTableWidgetItem(text)
                if column:
                    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                else:
                    item.setData(Qt.ItemDataRole.AccessibleTextRole, day_line(one))
                self.setItem(index, column, item)
        if found:
            self.setCurrentCell(0, 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._on_opened(self.currentRow(), 0)
        else:
            super().keyPressEvent(event)

    def _on_opened(self, row: int, _column: int) -> None:
        if 0 <= row < len(self._days):
            self.day_opened.emit(self._days[row])


def _numbers(day: DayFigures) -> tuple[int, ...]:
    return (day.learned_count, day.conversation_count, day.given_count, day.cited_count, day.ignored_count)


_YEARS_SHOWN, _BARS_SHOWN = 5, 10
_LIST_PX = 260


class StatisticsPage(QWidget):
    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._year: int | None = None
        self._found: Statistics | None = None
        self._measure = MEASURES[0]
        self._year_buttons: list[Button] = []
        self.pages = QStackedWidget(self)
        self.page = ScrollColumn("activity.statistics", width_px=1080)
        for card in (self._build_year(), self._build_learned(), self._build_uses(), self._build_judgements()):
            self.page.add(card)
        self.page.add_stretch()
        self.empty = EmptyState(
            "activity",
            "Nothing was learned yet",
            "Once your assistants' conversations are captured, each day of the year shows here what was learned on it.",
        )
        self.pages.addWidget(Skeleton())
        self.pages.addWidget(self.page)
        self.pages.addWidget(self.empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.pages)

    def refresh(self) -> None:
        year = self._year

        def read(engine: "Engine") -> tuple[Statistics, MemoryCounts]:
            return engine.stats.year(year), engine.memories.counts()

        self._context.bridge.ask("activity.statistics", read, self._on_read)

    # -- building
    def _build_year(self) -> Card:
        card = Card("A year at a glance")
        self.years = QHBoxLayout()
        self.years.setSpacing(4)
        card.head.addLayout(self.years)
        self.line = PlainLabel("", "body", wraps=True)
        self.line.setObjectName("statistics.line")
        card.body.addWidget(self.line)
        self.counts = PlainLabel("", "sub", wraps=True)
        self.counts.setObjectName("statistics.counts")
        card.body.addWidget(self.counts)
        self._measures = QButtonGroup(self)
        chips = QHBoxLayout()
        chips.setSpacing(4)
        for number, measure in enumerate(MEASURES):
            button = Button(measure.title, f"statistics.measure.{measure.id}", kind="chip", tip=f"Show {measure.noun}")
            button.setCheckable(True)
            button.setChecked(not number)
            self._measures.addButton(button, number)
            chips.addWidget(button)
        chips.addStretch(1)
        self.as_list = Button("As a list", "statistics.asList", kind="chip", tip="The same days as a table")
        self.as_list.setCheckable(True)
        chips.addWidget(self.as_list)
        card.body.addLayout(chips)
        self.views = QStackedWidget()
        self.calendar = YearCalendar("statistics.calendar")
        self.list = DayList("statistics.days")
        self.picture = QWidget()
        column = QVBoxLayout(self.picture)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.calendar)
        self.day = PlainLabel("", "sub", wraps=True)
        self.day.setObjectName("statistics.day")
        self.legend = Legend()
        column.addWidget(self.day)
        column.addLayout(row(1, self.legend))
        self.views.addWidget(self.picture)
        self.views.addWidget(self.list)
        card.body.addWidget(self.views)
        self._measures.idClicked.connect(self._on_measure)
        self.as_list.toggled.connect(self._on_as_list)
        self.calendar.day_chosen.connect(self._on_day)
        self.calendar.day_opened.connect(self._on_day_opened)
        self.list.day_opened.connect(self._on_day_opened)
        self._fit_views()
        return card

    def _build_learned(self) -> Card:
        card = Card("What was learned")
        self.months = BarChart("statistics.months", "memories a month")
        self.by_month = QWidget()
        self.by_month.setProperty("role", "content")
        column = QVBoxLayout(self.by_month)
        column.setContentsMargins(0, 0, 0, 6)
        column.addWidget(self.months)
        column.addWidget(PlainLabel("Memories learned in each month", "meta"))
        card.body.addWidget(self.by_month)
        self.kinds, self.projects = QGridLayout(), QGridLayout()
        sides = QHBoxLayout()
        sides.setSpacing(28)
        for heading, grid in (("By type", self.kinds), ("By project", self.projects)):
            grid.setHorizontalSpacing(10)
            grid.setVerticalSpacing(4)
            grid.setColumnStretch(1, 1)
            grid.setProperty("heading", heading)
            side = QVBoxLayout()
            side.addLayout(grid)
            side.addStretch(1)
            sides.addLayout(side, 1)
        card.body.addLayout(sides)
        return card

    def _build_uses(self) -> Card:
        card = Card("Conversations, and what assistants were given")
        self.conversations_text, self.given = PlainLabel("", "body", wraps=True), PlainLabel("", "body", wraps=True)
        self.conversation_weeks = BarChart("statistics.conversations", "conversations a week")
        self.given_weeks = BarChart("statistics.given", "memories given a week")
        grid = QGridLayout()
        grid.setHorizontalSpacing(28)
        for place, (label, chart, words) in enumerate(
            (
                (self.conversations_text, self.conversation_weeks, "Conversations that began in each week"),
                (self.given, self.given_weeks, "Memories given in each week"),
            )
        ):
            grid.addWidget(label, 0, place, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(chart, 1, place)
            grid.addWidget(PlainLabel(words, "meta"), 2, place)
            grid.setColumnStretch(place, 1)
        card.body.addLayout(grid)
        return card

    def _build_judgements(self) -> Card:
        card = Card("How often you corrected it")
        self.judgements = QGridLayout()
        self.judgements.setHorizontalSpacing(14)
        self.judgements.setVerticalSpacing(5)
        self.judgements.setColumnStretch(0, 2)
        self.judgements.setColumnStretch(1, 3)
        card.body.addLayout(self.judgements)
        self.honest = PlainLabel("", "meta", wraps=True)
        self.honest.setObjectName("statistics.honest")
        card.body.addWidget(self.honest)
        return card

    # -- telling
    def _on_read(self, read: tuple[Statistics, MemoryCounts]) -> None:
        found, counts = read
        self._found = found
        is_any = bool(found.learned) or any(one.conversation_count or one.given_count for one in found.days)
        has_years = len(found.years) > 1
        self.pages.setCurrentWidget(self.page if is_any or has_years else self.empty)
        self._show_years(found.years)
        self.line.setText(learned_line(found.days))
        self.counts.setText(f"Of all memories: {counts_line(counts)}. Those to review do not count as learned.")
        self._show_days()
        months = months_of(found.learned, found.days)
        self.months.show_values(months)
        self.by_month.setVisible(sum(count > 0 for _, count in months) > 1)  # one bar says nothing
        self._show_bars(
            self.kinds, "kind", [(kind_title(name), name, count) for name, count in totals_of(found.learned, "kind")]
        )
        self._show_bars(
            self.projects, "project",
            [(name or "Everywhere", name, count) for name, count in totals_of(found.learned, "project")],
        )  # fmt: skip
        self.conversations_text.setText(conversations_line(found.days))
        self.given.setText(given_line(found.days))
        self.conversation_weeks.show_values(weeks_of(found.days, MEASURES[1]))
        self.given_weeks.show_values(weeks_of(found.days, MEASURES[2]))
        self._show_judgements(found)

    def _show_years(self, years: Sequence[int]) -> None:
        wanted = (None, *years[:_YEARS_SHOWN]) if len(years) > 1 else ()
        if [one.property("year") for one in self._year_buttons] != [year or 0 for year in wanted]:
            clear_layout(self.years)
            self._year_buttons = [self._year_button(year) for year in wanted]
            for button in self._year_buttons:
                self.years.addWidget(button)
        for button in self._year_buttons:
            button.setChecked(button.property("year") == (self._year or 0))

    def _year_button(self, year: int | None) -> Button:
        button = Button(str(year or "Last 53 weeks"), f"statistics.year.{year or 'last'}", kind="chip")
        button.setCheckable(True)
        button.setProperty("year", year or 0)
        button.clicked.connect(self._on_year)
        return button

    def _show_days(self) -> None:
        if self._found is None:
            return
        days = self._found.days
        self.calendar.show_values(days, self._measure)
        self.legend.show_values(max((self._measure.of(one) for one in days), default=0), self._measure.noun)
        self.list.show_values(days)
        self.day.setText(day_line(self.calendar.current))
        self._fit_views()

    def _show_bars(self, grid: QGridLayout, name: str, rows: Sequence[tuple[str, str, int]]) -> None:
        """A name that opens what it counts, a bar, the number."""
        clear_layout(grid)
        grid.addWidget(PlainLabel(str(grid.property("heading")), "sub"), 0, 0, 1, 3)
        most = max((count for _, _, count in rows), default=1)
        for place, (title, key, count) in enumerate(rows[:_BARS_SHOWN], 1):
            button = FitButton(title, f"statistics.{name}.{key or 'none'}", kind="link")
            button.setAccessibleName(f"{title}: {count:,}")
            button.clicked.connect(partial(self._on_bar, name, key))
            bar = ShareBar(count / most)
            bar.setMinimumWidth(60)
            grid.addWidget(button, place, 0)
            grid.addWidget(bar, place, 1)
            grid.addWidget(PlainLabel(f"{count:,}", "sub"), place, 2, Qt.AlignmentFlag.AlignRight)
        if len(rows) > _BARS_SHOWN:
            rest = sum(count for _, _, count in rows[_BARS_SHOWN:])
            grid.addWidget(
                PlainLabel(f"and {len(rows) - _BARS_SHOWN} more: {rest:,}", "meta"), _BARS_SHOWN + 1, 0, 1, 3
            )
        if not rows:
            grid.addWidget(PlainLabel("Nothing in this time.", "meta"), 1, 0)

    def _show_judgements(self, found: Statistics) -> None:
        clear_layout(self.judgements)
        shown = [one for one in found.judgements if one.judged_count]
        for place, one in enumerate(shown):
            title = PlainLabel(JUDGEMENT_WORDS[one.judgement], wraps=True)
            title.setObjectName(f"statistics.judgement.{one.judgement.value}")
            self.judgements.addWidget(title, place, 0)
            bar = ShareBar(one.corrected_ratio)
            bar.setMinimumWidth(60)
            self.judgements.addWidget(bar, place, 1)
            self.judgements.addWidget(PlainLabel(share_line(one), "sub"), place, 2, Qt.AlignmentFlag.AlignRight)
        since = next((one.since for one in shown if one.since is not None), None)
        counted_since = f" Messages and memories count since {since.day} {since:%B}." if since is not None else ""
        self.honest.setText(f"{HONEST}{counted_since}" if shown else "Nothing to correct yet.")

    # -- acting
    def _on_measure(self, number: int) -> None:
        self._measure = MEASURES[number]
        self._show_days()

    def _on_as_list(self, is_list: bool) -> None:
        self.views.setCurrentIndex(int(is_list))
        self._fit_views()
        (self.list if is_list else self.calendar).setFocus()

    def _fit_views(self) -> None:
        """The list has a height of its own; behind it the calendar takes no room."""
        is_list = self.views.currentIndex() == 1
        high = max(self.picture.sizeHint().height(), self.picture.heightForWidth(self.views.width()))
        self.views.setFixedHeight(_LIST_PX if is_list else high)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_views()

    def _on_year(self) -> None:
        year = int(self.sender().property("year"))
        self._year = year or None
        self.refresh()

    def _on_day(self, day: DayFigures) -> None:
        self.day.setText(day_line(day))

    def _on_day_opened(self, day: DayFigures) -> None:
        """What was learned then; of a day without, what began on it."""
        if day.learned_count:
            self._search(day.day, day.day + timedelta(days=1))

    def _on_bar(self, name: str, key: str) -> None:
        if self._found is not None:
            more = f"type:{key}" if name == "kind" else f'project:"{key}"' if key else ""
            self._search(self._found.from_day, self._found.to_day + timedelta(days=1), more)

    def _search(self, since: date, until: date, more: str = "") -> None:
        self._context.navigate(Place("memories", query=search_in(since, until, more)))
