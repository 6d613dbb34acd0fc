"""The timeline: filter chips, the list by day and hour, and what one entry changed, with Undo.

Paints one operation of the journal: hour, icon, label, where it came from, its minute, Undo; a heading where a day
begins.

Operations of the journal as rows, newest first, with the day and hour each begins. Ids keep the selection. What happened
many times in a row is one row that opens: a burst of links or of changed files would push out all else.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QButtonGroup,
    QHBoxLayout,
    QListView,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from app.values.admin import ChangeDetail
from app.values.changes import Operation, Origin
from ui.icons import icon_px, pixmap
from ui.navigation import Place
from ui.screens.base import PanelContext
from ui.theme import META_FONT_PX, color, font, font_px, tokens
from ui.widgets.buttons import Button, ChipButton
from ui.widgets.card import Card, row
from ui.widgets.empty_state import EmptyState
from ui.widgets.labels import PlainLabel, plain_tooltip
from ui.widgets.plain_viewer import PlainViewer
from ui.wording.figures import describe_day, describe_moment
from ui.wording.values import app_title, counted

if TYPE_CHECKING:
    from app.api import Engine

_Index = QModelIndex | QPersistentModelIndex
OPERATION_ROLE = Qt.ItemDataRole.UserRole
DAY_ROLE = Qt.ItemDataRole.UserRole + 1
TIME_ROLE = Qt.ItemDataRole.UserRole + 2
MAX_ROWS = 5_000
ORIGIN_WORDS = {
    Origin.PERSON: "you",
    Origin.CAPTURE: "captured",
    Origin.IMPORT: "imported",
    Origin.ENGINE: "automatic",
    Origin.API: "an app",
}
BURST_FROM = 4
BURST_GAP = timedelta(minutes=10)


def who_did(operation: Operation) -> str:
    """The person, the app by its name, or what else it came from."""
    return (
        app_title(operation.app) if operation.origin is Origin.API and operation.app else ORIGIN_WORDS[operation.origin]
    )


@dataclass(frozen=True, slots=True)
class Burst:
    """Operations of one kind in a row, newest first; shown as one row, and below it each by itself while `is_open`."""

    operations: tuple[Operation, ...]
    is_open: bool = False

    @property
    def at(self) -> datetime:
        return self.operations[0].at

    @property
    def label(self) -> str:
        return f"{self.operations[0].label} and {len(self.operations) - 1:,} more"


Row = Operation | Burst


def _sort_of(operation: Operation) -> tuple[str, ...]:
    """What makes two operations one of a kind: who did what, without the names in it."""
    words = operation.label.partition("“")[0]
    if words == operation.label:
        words = operation.label.rpartition(" ")[0]  # "Claude Code changed filter.py"
    return operation.origin.value, operation.kind, operation.app, words, str(operation.is_undone)


def rows_of(operations: Sequence[Operation], opened: frozenset[int]) -> Iterator[Row]:
    """The rows: bursts of `BURST_FROM` and more folded, unless one of theirs is among `opened`."""
    at = 0
    while at < len(operations):
        end = at + 1
        while end < len(operations) and _is_next(operations[end - 1], operations[end]):
            end += 1
        run = tuple(operations[at:end])
        at = end
        if len(run) < BURST_FROM:
            yield from run
            continue
        is_open = not opened.isdisjoint(one.id for one in run)
        yield Burst(run, is_open)
        yield from run if is_open else ()


def _is_next(newer: Operation, older: Operation) -> bool:
    is_same_day = newer.at.astimezone().date() == older.at.astimezone().date()
    return is_same_day and newer.at - older.at <= BURST_GAP and _sort_of(newer) == _sort_of(older)


class ActivityModel(QAbstractListModel):
    """Rows of operations and bursts. DAY_ROLE and TIME_ROLE (the minute) are "" where a row continues the one above."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._operations: tuple[Operation, ...] = ()
        self._rows: tuple[Row, ...] = ()
        self._opened: frozenset[int] = frozenset()  # operations whose bursts are open
        self._now: datetime | None = None

    @property
    def oldest_id(self) -> int | None:
        return self._operations[-1].id if self._operations else None

    def set_operations(self, operations: Sequence[Operation], now: datetime) -> None:
        """Replaces all rows."""
        self.beginResetModel()
        self._operations = tuple(operations)
        self._now = now
        self._fold()
        self.endResetModel()

    def append(self, operations: Sequence[Operation]) -> None:
        """Adds an older page."""
        known = {operation.id for operation in self._operations}
        fresh = tuple(operation for operation in operations if operation.id not in known)
        if not fresh:
            return
        self._operations += fresh
        rows = tuple(rows_of(self._operations, self._opened))
        kept = len(self._rows)
        if len(rows) <= kept or rows[: kept - 1] != self._rows[: kept - 1]:  # a burst continues in this page
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
            return
        self.beginInsertRows(QModelIndex(), kept, len(rows) - 1)
        self._rows = rows
        self.endInsertRows()
        self.dataChanged.emit(self.index(kept - 1), self.index(kept - 1))

    def toggle(self, row: int) -> None:
        """Opens or folds the burst of a row."""
        burst = self.burst(row)
        if burst is None:
            return
        ids = frozenset(one.id for one in burst.operations)
        self._opened = self._opened - ids if burst.is_open else self._opened | ids
        self.beginResetModel()
        self._fold()
        self.endResetModel()

    def open_around(self, operation_id: int) -> None:
        """What is to be shown is in no folded burst."""
        if self.row_of(operation_id) < 0 and any(one.id == operation_id for one in self._operations):
            self._opened |= {operation_id}
            self.beginResetModel()
            self._fold()
            self.endResetModel()

    def _fold(self) -> None:
        self._rows = tuple(rows_of(self._operations, self._opened))

    def operation(self, row: int) -> Operation | None:
        """The operation of a row; None for a burst, and where there is no such row."""
        found = self._rows[row] if 0 <= row < len(self._rows) else None
        return found if isinstance(found, Operation) else None

    def burst(self, row: int) -> Burst | None:
        found = self._rows[row] if 0 <= row < len(self._rows) else None
        return found if isinstance(found, Burst) else None

    def row_of(self, operation_id: int) -> int:
        """The row of an operation, -1 when it is not here."""
        return next(
            (n for n, one in enumerate(self._rows) if isinstance(one, Operation) and one.id == operation_id), -1
        )

    def row_of_burst(self, operation_id: int) -> int:
        """The row of the burst that has this operation, -1 where none has."""
        return next(
            (
                n
                for n, one in enumerate(self._rows)
                if isinstance(one, Burst) and any(each.id == operation_id for each in one.operations)
            ),
            -1,
        )

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not 0 <= index.row() < len(self._rows):
            return None
        found = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return found.label
            case Qt.ItemDataRole.AccessibleTextRole:
                return _spoken(found)
            case int(value) if value == OPERATION_ROLE:
                return found
            case int(value) if value == DAY_ROLE:
                return self._day(index.row())
            case int(value) if value == TIME_ROLE:
                return self._time(index.row())
        return None

    def _day(self, row: int) -> str:
        if self._now is None:
            return ""
        at = self._rows[row].at
        if row and self._rows[row - 1].at.astimezone().date() == at.astimezone().date():
            return ""
        return describe_day(at, self._now)

    def _time(self, row: int) -> str:
        """The minute, at the first of those that happened in it."""
        minutes = [f"{one.at.astimezone():%d %H:%M}" for one in self._rows[max(0, row - 1) : row + 1]]
        return "" if minutes[1:] == minutes[:1] else minutes[-1].partition(" ")[2]


def _spoken(row: Row) -> str:
    """A row for a screen reader."""
    if isinstance(row, Burst):
        return f"{row.at.astimezone():%H:%M}, {row.label}, {'open' if row.is_open else 'folded'}"
    undone = ", undone" if row.is_undone else ""
    return f"{row.at.astimezone():%H:%M}, {row.label}, {who_did(row)}{undone}"


ORIGIN_ICONS = {
    Origin.PERSON: ("user", "accent"),
    Origin.CAPTURE: ("message", "sub"),
    Origin.IMPORT: ("import", "sub"),
    Origin.ENGINE: ("settings", "sub"),
    Origin.API: ("apps", "sub"),
}
HOUR_PX, UNDO, REDO = 54, "Undo", "Redo"


def undo_word(operation: Operation) -> str:
    """What the button of an entry does: an undo that is undone is a redo."""
    return REDO if operation.kind == "undo" else UNDO


def undo_tip(operation: Operation) -> str:
    """What Undo of this entry would do, or why there is none."""
    return f"{undo_word(operation)} this change (U)" if operation.is_undoable else operation.why_not


class ActivityDelegate(QStyledItemDelegate):
    """`undo_wanted` carries the number of the operation whose Undo was pressed, `toggled` the row of a burst."""

    undo_wanted = Signal(int)
    toggled = Signal(int)

    def sizeHint(self, _option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(120, self._row_px() + (self._day_px() if index.data(DAY_ROLE) else 0))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        shown = index.data(OPERATION_ROLE)
        if not isinstance(shown, Operation | Burst):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRect(option.rect)
        day = str(index.data(DAY_ROLE) or "")
        if day:
            painter.setFont(font(13, QFont.Weight.DemiBold))
            painter.setPen(color("text"))
            head = QRect(area.left() + 6, area.top(), area.width(), self._day_px() - 4)
            painter.drawText(head, int(Qt.AlignmentFlag.AlignBottom), day)
            area.setTop(area.top() + self._day_px())
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        is_hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if is_selected or is_hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color("accent_soft" if is_selected else "raised"))
            painter.drawRoundedRect(area.adjusted(HOUR_PX - 4, 1, -4, -1), 7, 7)
        if is_selected and option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(color("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(area.adjusted(HOUR_PX - 4, 1, -4, -1), 7, 7)
        if isinstance(shown, Burst):
            self._paint_burst(painter, area, shown, str(index.data(TIME_ROLE) or ""))
        else:
            self._paint_line(painter, area, shown, str(index.data(TIME_ROLE) or ""))
        painter.restore()

    def _paint_hour(self, painter: QPainter, area: QRect, hour: str, icon: tuple[str, str]) -> int:
        """The minute and the icon; returns where the words begin."""
        middle = int(Qt.AlignmentFlag.AlignVCenter)
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        painter.drawText(QRect(area.left() + 6, area.top(), HOUR_PX, area.height()), middle, hour)
        left, size = area.left() + HOUR_PX + 6, icon_px(16)
        picture = pixmap(icon[0], getattr(tokens(), icon[1]), size, painter.device().devicePixelRatio())
        painter.drawPixmap(left, area.center().y() - size // 2 + 1, picture)
        return left + size + 10

    def _paint_burst(self, painter: QPainter, area: QRect, burst: Burst, hour: str) -> None:
        name, role = ORIGIN_ICONS[burst.operations[0].origin]
        left = self._paint_hour(painter, area, hour, (name, role))
        more = f" and {len(burst.operations) - 1:,} more"
        size = icon_px(14)
        painter.setFont(font())
        painter.setPen(color("text"))
        metrics = painter.fontMetrics()
        space = QRect(left, area.top(), area.right() - left - size - 24, area.height())
        label = " ".join(burst.operations[0].label.split())
        cut = metrics.elidedText(label, Qt.TextElideMode.ElideRight, space.width() - metrics.horizontalAdvance(more))
        painter.drawText(space, int(Qt.AlignmentFlag.AlignVCenter), f"{cut}{more}")
        chevron = "chevron-down" if burst.is_open else "chevron-right"
        picture = pixmap(chevron, tokens().sub, size, painter.device().devicePixelRatio())
        at = min(left + metrics.horizontalAdvance(f"{cut}{more}") + 8, area.right() - size - 8)
        painter.drawPixmap(at, area.center().y() - size // 2 + 1, picture)

    def _paint_line(self, painter: QPainter, area: QRect, operation: Operation, hour: str) -> None:
        middle = int(Qt.AlignmentFlag.AlignVCenter)
        left = self._paint_hour(painter, area, hour, ORIGIN_ICONS[operation.origin])
        painter.setFont(font(META_FONT_PX))
        undo = self._undo_rect(area)
        painter.setPen(color("accent" if operation.is_undoable else "faint"))
        painter.drawText(undo, middle | int(Qt.AlignmentFlag.AlignHCenter), undo_word(operation))
        painter.setPen(color("sub"))
        area = area.adjusted(0, 0, -undo.width(), 0)
        meta = who_did(operation)
        if operation.is_undone:
            meta = f"undone · {meta}"
        width = painter.fontMetrics().horizontalAdvance(meta) + 4
        painter.drawText(QRect(area.right() - width - 12, area.top(), width, area.height()), middle, meta)
        line = font()
        line.setStrikeOut(operation.is_undone)
        painter.setFont(line)
        painter.setPen(color("sub" if operation.is_undone else "text"))
        space = QRect(left, area.top(), area.right() - width - left - 24, area.height())
        label = " ".join(operation.label.split())
        shown = painter.fontMetrics().elidedText(label, Qt.TextElideMode.ElideRight, space.width())
        painter.drawText(space, middle, shown)

    @staticmethod
    def _undo_rect(area: QRect) -> QRect:
        """Where Undo is in the line of an entry."""
        width = QFontMetrics(font(META_FONT_PX)).horizontalAdvance(UNDO) + 20
        return QRect(area.right() - width - 4, area.top(), width, area.height())

    def undo_rect(self, rect: QRect, index: _Index) -> QRect:
        """The same, in the whole row with the heading of its day."""
        return self._undo_rect(rect.adjusted(0, self._day_px() if index.data(DAY_ROLE) else 0, 0, 0))

    def editorEvent(
        self, event: QEvent, _model: QAbstractItemModel, option: QStyleOptionViewItem, index: _Index
    ) -> bool:
        operation = index.data(OPERATION_ROLE)
        # On the press: it would choose the entry, what it changed would open beside it, and Undo would not stay under the pointer.
        if not isinstance(event, QMouseEvent) or event.type() is not QEvent.Type.MouseButtonPress:
            return False
        if isinstance(operation, Burst):
            self.toggled.emit(index.row())
            return True
        if not isinstance(operation, Operation) or not operation.is_undoable:
            return False
        if not self.undo_rect(QRect(option.rect), index).contains(event.position().toPoint()):
            return False
        self.undo_wanted.emit(operation.id)
        return True

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: _Index
    ) -> bool:
        operation = index.data(OPERATION_ROLE)
        if isinstance(operation, Operation) and self.undo_rect(QRect(option.rect), index).contains(event.pos()):
            QToolTip.showText(event.globalPos(), plain_tooltip(undo_tip(operation)), view)
            return True
        return super().helpEvent(event, view, option, index)

    @staticmethod
    def _row_px() -> int:
        return font_px(13) + 21

    @staticmethod
    def _day_px() -> int:
        return font_px(13) + 23


PAGE_ROWS = 200
NARROW_EM = 68.0
_DETAIL_WIDTH_PX, _DETAIL_PX, _NO_LIMIT = 330, 260, 16_777_215
_BASE_PX = 13  # of the text, at 100 %
_CHIPS: tuple[tuple[str, Origin | None], ...] = (
    ("All", None),
    ("You", Origin.PERSON),
    ("Captured", Origin.CAPTURE),
    ("Imported", Origin.IMPORT),
    ("Automatic", Origin.ENGINE),
    ("Apps", Origin.API),
)


class TimelinePage(QWidget):
    current_changed = Signal()

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._origin: Origin | None = None
        self._query = ""
        self._wanted_id: int | None = None
        self._is_whole = False
        self._chips = QButtonGroup(self)
        self.model = ActivityModel(self)
        self.list = QListView()
        self.list.setObjectName("activity.list")
        self.list.setAccessibleName("What happened")
        self.list.setModel(self.model)
        delegate = ActivityDelegate(self.list)
        delegate.undo_wanted.connect(self.undo)
        delegate.toggled.connect(self.toggle)
        self.list.activated.connect(self._on_activated)
        self.list.setItemDelegate(delegate)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.setMouseTracking(True)
        self.list.selectionModel().currentChanged.connect(self._on_current)
        self.list.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self._detail = OperationCard(context)
        self._detail.undo_wanted.connect(self.undo)
        self._detail.hide()
        self._seen_soon = QTimer(self)
        self._seen_soon.setSingleShot(True)
        self._seen_soon.setInterval(0)
        self._seen_soon.timeout.connect(self._show_current)
        self._detail.fitted.connect(self._seen_soon.start)
        self._empty = EmptyState(
            "activity",
            "Nothing has happened yet",
            "Every captured message and every change appears here, with before, after and Undo.",
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(self.list)
        self._stack.addWidget(self._empty)
        self._lay_out()

    def _lay_out(self) -> None:
        chips = QHBoxLayout()
        chips.setSpacing(6)
        for index, (text, _origin) in enumerate(_CHIPS):
            chip = ChipButton(text, f"activity.chip.{text.lower().replace(' ', '')}", is_on=index == 0)
            self._chips.addButton(chip, index)
            chips.addWidget(chip)
        chips.addStretch(1)
        self._chips.idClicked.connect(self._on_chip)
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addLayout(chips)
        left.addWidget(self._stack, 1)
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.setSpacing(14)
        self._line.addLayout(left, 1)
        self._line.addWidget(self._detail)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What an entry changed is beside the list, in a narrow window below it: the entries keep their words."""
        super().resizeEvent(event)
        is_narrow = self.width() < NARROW_EM * font_px()
        wanted = QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        if self._line.direction() is not wanted:
            self._line.setDirection(wanted)
        self._line.setAlignment(self._detail, Qt.AlignmentFlag(0) if is_narrow else Qt.AlignmentFlag.AlignTop)
        self._detail.set_below(is_below=is_narrow)

    def refresh(self) -> None:
        """Reads as many rows as are shown, so that nothing jumps."""
        count = max(PAGE_ROWS, min(self.model.rowCount(), MAX_ROWS))
        origin, query = self._origin, self._query

        def read(engine: "Engine") -> tuple[tuple[Operation, ...], datetime]:
            return engine.journal.list(limit=count, origin=origin, query=query), engine.clock.now()

        self._context.bridge.ask("activity.timeline", read, self._on_rows)

    def search(self, text: str) -> None:
        self._query = text.strip()
        self.refresh()

    def undo(self, operation_id: int) -> None:
        self._context.bridge.do("activity.undo", lambda engine: engine.journal.undo(operation_id))

    def current(self) -> Operation | None:
        return self.model.operation(self.list.currentIndex().row())

    @property
    def is_on_burst(self) -> bool:
        return self.model.burst(self.list.currentIndex().row()) is not None

    def toggle(self, row: int) -> None:
        """Opens or folds a burst; the list stays where it is, and the burst has the keys."""
        burst = self.model.burst(row)
        if burst is None:
            return
        at = self.list.verticalScrollBar().value()
        self.model.toggle(row)
        self.list.setCurrentIndex(self.model.index(self.model.row_of_burst(burst.operations[0].id)))
        self.list.verticalScrollBar().setValue(at)

    def toggle_current(self) -> None:
        self.toggle(self.list.currentIndex().row())

    def _on_activated(self, index: QModelIndex) -> None:
        self.toggle(index.row())

    def step(self, rows: int) -> None:
        """To the entry below or above."""
        wanted = min(max(self.list.currentIndex().row() + rows, 0), self.model.rowCount() - 1)
        self.list.setCurrentIndex(self.model.index(wanted))

    def select(self, operation_id: int) -> None:
        """Selects an operation now, or as soon as the rows are there."""
        self._wanted_id = operation_id
        self._select_wanted()

    def _on_rows(self, found: tuple[tuple[Operation, ...], datetime]) -> None:
        operations, now = found
        row = self.list.currentIndex().row()
        burst = self.model.burst(row)
        if self._wanted_id is None:
            current = self.model.operation(row)
            self._wanted_id = current.id if current is not None else None
        at = self.list.verticalScrollBar().value()
        self._is_whole = len(operations) < PAGE_ROWS
        self.model.set_operations(operations, now)
        if burst is not None and self._wanted_id is None:
            self.list.setCurrentIndex(self.model.index(self.model.row_of_burst(burst.operations[0].id)))
        self._select_wanted()
        self.list.verticalScrollBar().setValue(at)
        if not operations:
            self._show_empty()
        self._stack.setCurrentWidget(self.list if operations else self._empty)

    def _show_empty(self) -> None:
        if self._query or self._origin is not None:
            words = f" says “{self._query}”" if self._query else " is of this kind"
            self._empty.set_texts(f"Nothing{words}", "Choose “All”, or search for something else.")
        else:
            self._empty.set_texts(
                "Nothing has happened yet",
                "Every captured message and every change appears here, with before, after and Undo.",
            )

    def _select_wanted(self) -> None:
        if self._wanted_id is None:
            return
        self.model.open_around(self._wanted_id)
        found = self.model.row_of(self._wanted_id)
        if found >= 0:
            self._wanted_id = None
            self.list.setCurrentIndex(self.model.index(found))

    def _on_current(self, current: QModelIndex, _before: QModelIndex) -> None:
        operation = self.model.operation(current.row())
        self._detail.setVisible(operation is not None)
        if operation is not None:
            self._detail.show_operation(operation)
            self._seen_soon.start()
        self.current_changed.emit()

    def _show_current(self) -> None:
        """What opens below the list does not cover the entry that it is about."""
        self.list.scrollTo(self.list.currentIndex(), QAbstractItemView.ScrollHint.EnsureVisible)

    def _on_chip(self, index: int) -> None:
        self._origin = _CHIPS[index][1]
        self.model.set_operations((), datetime.now().astimezone())
        self.refresh()

    def _on_scrolled(self, value: int) -> None:
        bar = self.list.verticalScrollBar()
        if self._is_whole or self.model.rowCount() >= MAX_ROWS or value < bar.maximum() - bar.pageStep():
            return
        oldest, origin, query = self.model.oldest_id, self._origin, self._query

        def read(engine: "Engine") -> tuple[Operation, ...]:
            return engine.journal.list(limit=PAGE_ROWS, before_id=oldest, origin=origin, query=query)

        self._context.bridge.ask("activity.older", read, self._on_older)

    def _on_older(self, operations: tuple[Operation, ...]) -> None:
        self._is_whole = len(operations) < PAGE_ROWS
        self.model.append(operations)


class OperationCard(Card):
    """One operation: when, by whom, what it changed; Undo, and the way to the message it is about.

    `undo_wanted` carries its number.
    """

    undo_wanted = Signal(int)
    fitted = Signal()  # it is as tall now as what it says

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__("", parent=parent)
        self.setObjectName("activity.detail")
        self._context = context
        self._operation: Operation | None = None
        self._label = PlainLabel("", "heading", wraps=True)
        self._meta = PlainLabel("", "meta", wraps=True)
        self._text = PlainViewer("activity.detail.text", "What changed")
        self._most_px = _DETAIL_PX
        self._fit_soon = QTimer(self)
        self._fit_soon.setSingleShot(True)
        self._fit_soon.setInterval(0)
        self._fit_soon.timeout.connect(self._fit)
        self._undo = Button("Undo", "activity.undo", icon_name="undo")
        self._undo.clicked.connect(self._on_undo)
        self._open = Button("Open", "activity.open", icon_name="conversations", tip="Open the conversation")
        self._open.clicked.connect(self._on_open)
        for widget in (self._label, self._meta, self._text):
            self.body.addWidget(widget)
        self.body.addLayout(row(self._undo, self._open, 1))

    def set_below(self, *, is_below: bool) -> None:
        """Below the list it is as wide as that and lower."""
        self._most_px = _DETAIL_PX // 2 if is_below else _DETAIL_PX
        self.setMinimumWidth(0 if is_below else _DETAIL_WIDTH_PX)
        self.setMaximumWidth(_NO_LIMIT if is_below else _DETAIL_WIDTH_PX)
        self._fit_soon.start()

    def _fit(self) -> None:
        """As tall as what it says, at most so much."""
        lines = self._text.document().size().height()  # of a plain text edit: lines as they wrap
        high = round(lines * self._text.fontMetrics().lineSpacing()) + 30
        self._text.setFixedHeight(min(high, round(self._most_px * font_px() / _BASE_PX)))
        self.fitted.emit()

    def show_operation(self, operation: Operation) -> None:
        self._operation = operation
        self._label.setText(operation.label)
        self._show_meta(operation)
        self._undo.set_text(undo_word(operation))
        self._undo.setEnabled(operation.is_undoable)
        self._undo.setToolTip(plain_tooltip(undo_tip(operation)))
        self._open.setVisible(operation.message_id is not None or operation.conversation_id is not None)
        operation_id = operation.id
        self._context.bridge.ask("activity.detail", lambda engine: engine.journal.detail(operation_id), self._on_detail)

    def _show_meta(self, operation: Operation) -> None:
        parts = [describe_moment(operation.at), who_did(operation)]
        if operation.is_undone:
            parts.append("undone")
        self._meta.setText(" · ".join(parts))

    def _on_detail(self, details: tuple[ChangeDetail, ...]) -> None:
        told = [detail.words for detail in details if detail.words]
        beside = len(details) - len(told)
        if told and beside:
            told.append(f"Besides this, {counted(beside, 'detail')} changed.")
        self._text.show_text("\n\n".join(told) or "Only details changed that are not shown on any screen.")
        self._fit_soon.start()

    def _on_undo(self) -> None:
        if self._operation is not None:
            self.undo_wanted.emit(self._operation.id)

    def _on_open(self) -> None:
        operation = self._operation
        if operation is None:
            return
        if operation.message_id is not None:
            self._context.navigate(Place("conversations", "message", operation.message_id))
        elif operation.conversation_id is not None:
            self._context.navigate(Place("conversations", "conversation", operation.conversation_id))
