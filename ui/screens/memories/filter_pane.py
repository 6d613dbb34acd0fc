"""The filter pane of Memories: facets with counts, a click takes a value in or out.

Rows are kept and only told their new counts, so that typing in the search field costs no new widgets. Says by signals
what was clicked; asks nobody. Source: UX 4.4.
"""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QFont, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QVBoxLayout, QWidget

from app.values import Facets, FacetValue, FactType, MemoryKind, MemoryStatus, Tier, Trust
from ui.icons import pixmap
from ui.screens.memories.filter import FACET_ORDER, INBOX_STATUSES, OVER, FilterChoice, FilterState
from ui.screens.memories.listing.drop import TARGET, DropTarget
from ui.screens.memories.saved_searches import SavedList
from ui.theme import META_FONT_PX, color, font, tokens
from ui.widgets.buttons import Button
from ui.widgets.labels import PlainLabel, plain_tooltip
from ui.widgets.scroll import ScrollColumn
from ui.wording.figures import short_count
from ui.wording.memories import FACET_TITLES, KIND_WORDS, STATUS_WORDS, TIER_WORDS, TRUST_WORDS, TYPE_WORDS
from ui.wording.values import app_title

SHOWN_VALUES = 8
SHOWN_TYPES = 12  # all of them: seven types of statements, and what is no statement
LATE_MS = 250  # counts that come sooner just change


class FacetRow(QAbstractButton):
    """One value of a facet: a tick when it is chosen, its name, its count. `stepped` carries 1 or -1: to the row below or above."""

    focused = Signal()
    stepped = Signal(int)

    def __init__(self, facet: str, value: FacetValue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.facet = facet
        self._count = 0
        self._is_counting = False
        self._has_count = True
        self._title = ""
        self.setCheckable(True)
        self.setObjectName(f"memories.facet.{facet}.{value.value}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)  # painted again when the mouse comes and goes
        self.value = value.value
        self.drop = DropTarget(self)
        self.show_values(value, is_on=False)

    @property
    def title(self) -> str:
        return self._title

    @property
    def count_text(self) -> str:
        """The count as it is drawn; dots while it is that of another list."""
        if not self._has_count:
            return ""
        return "…" if self._is_counting else short_count(self._count)

    def show_values(self, value: FacetValue, *, is_on: bool) -> None:
        """Another count, chosen or not."""
        self._title = shown_title(self.facet, value)
        self._count, self._is_counting, self._has_count = value.count, False, True
        self.setChecked(is_on)
        self.setAccessibleName(f"{FACET_TITLES.get(self.facet, self.facet)}: {self._title}, {value.count:,}")
        self.setToolTip(plain_tooltip(f"{self._title}: {value.count:,}"))
        self.update()

    def show_counting(self) -> None:
        """Its count is of another list by now."""
        self._is_counting = True
        self.update()

    def hide_count(self) -> None:
        """There is nothing that it would count."""
        self._has_count = False
        self.setAccessibleName(f"{FACET_TITLES.get(self.facet, self.facet)}: {self._title}")
        self.setToolTip(plain_tooltip(self._title))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(120, max(26, font().pixelSize() + 12))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = self.rect().adjusted(1, 1, -1, -1)
        is_target = bool(self.property(TARGET))
        painter.setPen(color("accent") if self.hasFocus() or is_target else Qt.PenStyle.NoPen)
        name = "accent_soft" if self.isChecked() else "raised" if self.underMouse() else ""
        painter.setBrush(color(name) if name else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(ground, 6, 6)
        role = "accent" if self.isChecked() else "text"
        if self.isChecked():
            painter.drawPixmap(6, (self.height() - 13) // 2, pixmap("check", tokens().accent, 13, 2.0))
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("accent" if self.isChecked() else "sub"))
        count = self.count_text
        count_px = painter.fontMetrics().horizontalAdvance(count)
        painter.drawText(self.rect().adjusted(0, 0, -8, 0), int(_RIGHT), count)
        painter.setFont(font(weight=QFont.Weight.Medium if self.isChecked() else QFont.Weight.Normal))
        painter.setPen(color(role if self._count or self.isChecked() else "sub"))
        room = QRect(24, 0, self.width() - 24 - count_px - 14, self.height())
        text = painter.fontMetrics().elidedText(self._title, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, int(_LEFT), text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
        if step:
            self.stepped.emit(step)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit()


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class _Group(QWidget):
    """One facet: heading, its values, and the way to those that are many."""

    def __init__(self, facet: str, pane: "FilterPane") -> None:
        super().__init__()
        self.setProperty("role", "content")
        self.facet = facet
        self._pane = pane
        self._rows: dict[FilterChoice, FacetRow] = {}
        self._is_open = False
        self._values: Sequence[tuple[str, FacetValue]] = ()
        self._chosen: frozenset[FilterChoice] = frozenset()
        self._stop: FacetRow | None = None
        self._most = SHOWN_TYPES if facet == "type" else SHOWN_VALUES
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 6)
        self._column.setSpacing(0)
        heading = PlainLabel(FACET_TITLES[facet], "meta")
        heading.setContentsMargins(8, 2, 0, 2)
        self._column.addWidget(heading)
        self._more = Button("", f"memories.facet.{facet}.more", kind="link")
        self._more.clicked.connect(self._on_more)
        self._column.addWidget(self._more)

    def fill(self, values: Sequence[tuple[str, FacetValue]], chosen: frozenset[FilterChoice]) -> None:
        """Each value with the facet that it is chosen by."""
        values = [(facet, one) for facet, one in values if one.value and (one.count or (facet, one.value) in chosen)]
        self._values, self._chosen = values, chosen
        known = {(facet, one.value) for facet, one in values}
        gone = [(choice[0], FacetValue(choice[1], self._title_of(choice), 0)) for choice in sorted(chosen - known)]
        everything = [*values, *gone]
        shown = [
            (facet, one)
            for n, (facet, one) in enumerate(everything)
            if self._is_open or n < self._most or (facet, one.value) in chosen
        ]
        wanted = {(facet, one.value) for facet, one in shown}
        for choice, row in self._rows.items():
            row.setVisible(choice in wanted)
        for n, (facet, value) in enumerate(shown):
            row = self._row(facet, value)
            row.show_values(value, is_on=(facet, value.value) in chosen)
            if self._column.indexOf(row) != n + 1:
                self._column.insertWidget(n + 1, row)
            row.show()
        self._set_stop(next((self._rows[facet, one.value] for facet, one in shown), None))
        hidden = len(everything) - len(shown)
        self._more.setVisible(hidden > 0 or (self._is_open and len(everything) > self._most))
        self._more.set_text("Fewer" if self._is_open else f"{hidden} more")
        self._more.setAccessibleName(f"{FACET_TITLES[self.facet]}: {self._more.text()}")
        self.setVisible(bool(everything))

    def _set_stop(self, first: FacetRow | None) -> None:
        """Tab stops once in a group, where one was last, and continues to the next; the arrow keys walk its rows."""
        shown = [row for row in self._rows.values() if not row.isHidden()]
        stop = self._stop if self._stop in shown else first
        self._stop = stop
        for row in self._rows.values():
            row.setFocusPolicy(Qt.FocusPolicy.StrongFocus if row is stop else Qt.FocusPolicy.ClickFocus)

    def _on_focused(self) -> None:
        row = self.sender()
        if isinstance(row, FacetRow) and row is not self._stop:
            self._stop = row
            self._set_stop(row)

    def titles(self) -> dict[FilterChoice, str]:
        return {choice: row.title for choice, row in self._rows.items()}

    def _title_of(self, choice: FilterChoice) -> str:
        return self._rows[choice].title if choice in self._rows else choice[1]

    def show_counting(self) -> None:
        for row in self._rows.values():
            row.show_counting()

    def hide_counts(self) -> None:
        for row in self._rows.values():
            row.hide_count()

    def _row(self, facet: str, value: FacetValue) -> FacetRow:
        row = self._rows.get((facet, value.value))
        if row is None:
            row = FacetRow(facet, value, self)
            row.clicked.connect(self._on_row)
            row.focused.connect(self._on_focused)
            row.stepped.connect(self._on_stepped)
            row.drop.dropped.connect(self._on_dropped)
            self._rows[facet, value.value] = row
        return row

    def _on_stepped(self, step: int) -> None:
        row = self.sender()
        if isinstance(row, FacetRow):
            self._pane.step(row, step)

    def _on_row(self) -> None:
        row = self.sender()
        if isinstance(row, FacetRow):
            self._pane.toggled.emit(row.facet, row.value)

    def _on_dropped(self, ids: object) -> None:
        row = self.sender().parent()
        if isinstance(row, FacetRow):
            self._pane.dropped.emit(row.facet, row.value, ids)

    def _on_more(self) -> None:
        self._is_open = not self._is_open
        self.fill(self._values, self._chosen)


class FilterPane(ScrollColumn):
    """`toggled` carries facet and value; `dropped` numbers of memories as well, let go over that value."""

    toggled = Signal(str, str)
    dropped = Signal(str, str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("memories.filters", parent=parent)
        self.setAccessibleName("Filters")
        self.column.setSpacing(4)
        self.saved = SavedList(self.content)
        self.add(self.saved)
        self._counting = PlainLabel("Counting…", "meta")
        self._counting.setContentsMargins(8, 2, 0, 2)
        self._counting.hide()
        self.add(self._counting)
        self._groups = {facet: _Group(facet, self) for facet in FACET_ORDER}
        for group in self._groups.values():
            group.hide()
            self.add(group)
        self.add_stretch()
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.setInterval(LATE_MS)
        self._late.timeout.connect(self._on_late)

    def step(self, row: FacetRow, step: int) -> None:
        """The keys go to the row above or below, also of the next facet; at the ends they stay."""
        rows = [one for one in self.content.findChildren(FacetRow) if one.isVisible()]
        rows.sort(key=lambda one: one.mapTo(self.content, QPoint(0, 0)).y())
        at = rows.index(row) + step
        if 0 <= at < len(rows):
            rows[at].setFocus(Qt.FocusReason.TabFocusReason)
            self.ensureWidgetVisible(rows[at], 0, 24)

    def expect(self) -> None:
        """Other counts are to come; those that are late are no longer shown."""
        self._late.start()

    def _on_late(self) -> None:
        for group in self._groups.values():
            group.show_counting()

    def set_facets(self, facets: Facets, state: FilterState) -> None:
        """Values with their counts; what is chosen stays in sight even where nothing is left of it."""
        self._late.stop()
        for facet, group in self._groups.items():
            values = [(facet, one) for one in facets.get(facet, ())]
            if facet == "status" and state.is_inbox:
                values = [(facet, one) for _, one in values if one.value in INBOX_STATUSES]
            if facet == "type":  # what is no statement has no type: its kind is in the same list
                values += [("kind", one) for one in facets.get("kind", ()) if one.value != MemoryKind.FACT.value]
            own = {facet, "kind"} if facet == "type" else {facet}
            group.fill(values, frozenset(choice for choice in state.choices if choice[0] in own))

    def hide_counts(self) -> None:
        """A search found nothing: the values stay in sight, to look for something else."""
        for group in self._groups.values():
            group.hide_counts()

    def show_counting(self, *, is_on: bool) -> None:
        """Says that the counts of a large store are still to come."""
        self._counting.setVisible(is_on)

    def titles(self) -> dict[FilterChoice, str]:
        """How each known value is called, for the chips."""
        return {choice: title for group in self._groups.values() for choice, title in group.titles().items()}


_STATUS_TITLES = {  # the two that wait for a yes add up to what is to review
    OVER: "No longer true",
    MemoryStatus.PROPOSED.value: "To review: new",
    MemoryStatus.QUARANTINED.value: "To review: blocked",
}


def shown_title(facet: str, value: FacetValue) -> str:
    """The name of a value in the words of this window.

    >>> shown_title("status", FacetValue("quarantined", "Quarantined", 2)), shown_title("tag", FacetValue("a", "", 1))
    ('To review: blocked', 'a')
    """
    match facet:
        case "app":
            return app_title(value.value)
        case "status":
            return _STATUS_TITLES.get(value.value) or STATUS_WORDS[MemoryStatus(value.value)].capitalize()
        case "type":
            return TYPE_WORDS[FactType(value.value)].capitalize()
        case "tier":
            return TIER_WORDS[Tier(value.value)]
        case "kind":
            return KIND_WORDS[MemoryKind(value.value)].capitalize()
        case "trust":
            return TRUST_WORDS[Trust(int(value.value))].removeprefix("written ").capitalize()  # the column is narrow
        case _:
            return value.title or value.value
