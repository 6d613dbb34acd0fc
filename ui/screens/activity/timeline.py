"""The timeline: filter chips, the list by day and hour, and what one entry changed, with Undo.

Paints one operation of the journal: hour, icon, label, where it came from, its minute, Undo; a heading where a day
begins.

Operations of the journal as rows, newest first, with the day and hour each begins. Ids keep the selection.
"""

from collections.abc import Sequence
from datetime import datetime
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
from ui.wording.values import counted

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


class ActivityModel(QAbstractListModel):
    """Rows of operations. DAY_ROLE and TIME_ROLE (the minute) are "" where a row continues the one above."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._operations: tuple[Operation, ...] = ()
        self._now: datetime | None = None

    @property
    def oldest_id(self) -> int | None:
        return self._operations[-1].id if self._operations else None

    def set_operations(self, operations: Sequence[Operation], now: datetime) -> None:
        """Replaces all rows."""
        self.beginResetModel()
        self._operations = tuple(operations)
        self._now = now
        self.endResetModel()

    def append(self, operations: Sequence[Operation]) -> None:
        """Adds an older page."""
        known = {operation.id for operation in self._operations}
        fresh = tuple(operation for operation in operations if operation.id not in known)
        if not fresh:
            return
        first = len(self._operations)
        self.beginInsertRows(QModelIndex(), first, first + len(fresh) - 1)
        self._operations += fresh
        self.endInsertRows()

    def operation(self, row: int) -> Operation | None:
        return self._operations[row] if 0 <= row < len(self._operations) else None

    def row_of(self, operation_id: int) -> int:
        """The row of an operation, -1 when it is not here."""
        return next((row for row, found in enumerate(self._operations) if found.id == operation_id), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else len(self._operations)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        operation = self.operation(index.row())
        if operation is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return operation.label
        if role == Qt.ItemDataRole.AccessibleTextRole:
            undone = ", undone" if operation.is_undone else ""
            return f"{operation.at.astimezone():%H:%M}, {operation.label}, {ORIGIN_WORDS[operation.origin]}{undone}"
        if role == OPERATION_ROLE:
            return operation
        if role == DAY_ROLE:
            return self._day(index.row())
        if role == TIME_ROLE:
            return self._time(index.row())
        return None

    def _day(self, row: int) -> str:
        if self._now is None:
            return ""
        at = self._operations[row].at
        if row and self._operations[row - 1].at.astimezone().date() == at.astimezone().date():
            return ""
        return describe_day(at, self._now)

    def _time(self, row: int) -> str:
        """The minute, at the first of those that happened in it."""
        minutes = [f"{one.at.astimezone():%d %H:%M}" for one in self._operations[max(0, row - 1) : row + 1]]
        return "" if minutes[1:] == minutes[:1] else minutes[-1].partition(" ")[2]


ORIGIN_ICONS = {
    Origin.PERSON: ("user", "accent"),
    Origin.CAPTURE: ("message", "sub"),
    Origin.IMPORT: ("import", "sub"),
    Origin.ENGINE: ("settings", "sub"),
    Origin.API: ("apps", "sub"),
}
HOUR_PX, UNDO = 54, "Undo"


def undo_tip(operation: Operation) -> str:
    """What Undo of this entry would do, or why there is none."""
    return "Undo this change (U)" if operation.is_undoable else operation.why_not


class ActivityDelegate(QStyledItemDelegate):
    """`undo_wanted` carries the number of the operation whose Undo was pressed."""

    undo_wanted = Signal(int)

    def sizeHint(self, _option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(120, self._row_px() + (self._day_px() if index.data(DAY_ROLE) else 0))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        operation = index.data(OPERATION_ROLE)
        if not isinstance(operation, Operation):
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
        self._paint_line(painter, area, operation, str(index.data(TIME_ROLE) or ""))
        painter.restore()

    def _paint_line(self, painter: QPainter, area: QRect, operation: Operation, hour: str) -> None:
        middle = int(Qt.AlignmentFlag.AlignVCenter)
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        painter.drawText(QRect(area.left() + 6, area.top(), HOUR_PX, area.height()), middle, hour)
        name, role = ORIGIN_ICONS[operation.origin]
        ratio = painter.device().devicePixelRatio()
        left = area.left() + HOUR_PX + 6
        size = icon_px(16)
        painter.drawPixmap(left, area.center().y() - size // 2 + 1, pixmap(name, getattr(tokens(), role), size, ratio))
        undo = self._undo_rect(area)
        painter.setPen(color("accent" if operation.is_undoable else "faint"))
        painter.drawText(undo, middle | int(Qt.AlignmentFlag.AlignHCenter), UNDO)
        painter.setPen(color("sub"))
        area = area.adjusted(0, 0, -undo.width(), 0)
        meta = ORIGIN_WORDS[operation.origin]
        if operation.is_undone:
            meta = f"undone · {meta}"
        width = painter.fontMetrics().horizontalAdvance(meta) + 4
        painter.drawText(QRect(area.right() - width - 12, area.top(), width, area.height()), middle, meta)
        line = font()
        line.setStrikeOut(operation.is_undone)
        painter.setFont(line)
        painter.setPen(color("sub" if operation.is_undone else "text"))
        space = QRect(left + size + 10, area.top(), area.right() - width - left - size - 34, area.height())
        label = " ".join(operation.label.split())
        shown = painter.fontMetrics().elidedText(label, Qt.TextElideMode.ElideRight, space.width())
        painter.drawText(space, middle, shown)

    @staticmethod
    def _undo_rect(area: QRect) -> QRect:
        """Where Undo stands in the line of an entry."""
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
    ("Everything", None),
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
        """What an entry changed stands beside the list, in a narrow window below it: the entries keep their words."""
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
        if self._wanted_id is None:
            current = self.model.operation(self.list.currentIndex().row())
            self._wanted_id = current.id if current is not None else None
        at = self.list.verticalScrollBar().value()
        self._is_whole = len(operations) < PAGE_ROWS
        self.model.set_operations(operations, now)
        self._select_wanted()
        self.list.verticalScrollBar().setValue(at)
        if not operations:
            self._tell_empty()
        self._stack.setCurrentWidget(self.list if operations else self._empty)

    def _tell_empty(self) -> None:
        if self._query or self._origin is not None:
            words = f" says “{self._query}”" if self._query else " is of this kind"
            self._empty.set_texts(f"Nothing{words}", "Choose “Everything”, or search for something else.")
        else:
            self._empty.set_texts(
                "Nothing has happened yet",
                "Every captured message and every change appears here, with before, after and Undo.",
            )

    def _select_wanted(self) -> None:
        if self._wanted_id is None:
            return
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
        self._tell_meta(operation)
        self._undo.setEnabled(operation.is_undoable)
        self._undo.setToolTip(plain_tooltip(undo_tip(operation)))
        self._open.setVisible(operation.message_id is not None or operation.conversation_id is not None)
        operation_id = operation.id
        self._context.bridge.ask("activity.detail", lambda engine: engine.journal.detail(operation_id), self._on_detail)

    def _tell_meta(self, operation: Operation) -> None:
        parts = [describe_moment(operation.at), ORIGIN_WORDS[operation.origin]]
        if operation.is_undone:
            parts.append("undone")
        self._meta.setText(" · ".join(parts))

    def _on_detail(self, details: tuple[ChangeDetail, ...]) -> None:
        told = [detail.words for detail in details if detail.words]
        beside = len(details) - len(told)
        if told and beside:
            told.append(f"With {counted(beside, 'detail')} of it.")
        self._text.show_text("\n\n".join(told) or "Only details changed that no screen shows.")
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
