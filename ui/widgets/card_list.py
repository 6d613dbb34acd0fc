"""What every list of painted cards has in common: one column, smooth scrolling, one cursor that the card itself shows.

Owns settings of Qt's views, what keys and the pointer do over them, and a list with what is said of the chosen row beside it; knows
neither models nor cards. Source: STACK-UI section 3.
"""

from typing import Protocol

from PySide6.QtCore import QAbstractItemModel, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QListView,
    QSplitter,
    QStackedWidget,
    QTableView,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from ui.widgets.labels import PlainLabel, plain_tooltip


class _Hovering(Protocol):
    """A delegate that draws the row under the pointer otherwise."""

    hovered_row: int


class CardPointer(QObject):
    """What the pointer does over a list of cards: tells the delegate its row, and says the whole card as a tool tip."""

    def __init__(self, view: QAbstractItemView, delegate: _Hovering | None = None) -> None:
        super().__init__(view)
        self._view = view
        self._delegate = delegate
        view.viewport().installEventFilter(self)
        view.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._view:
            if isinstance(event, QFocusEvent) and event.reason() is Qt.FocusReason.PopupFocusReason:
                self._hover(-1)  # over a menu the pointer leaves without a word
            return super().eventFilter(watched, event)
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            said = self._view.indexAt(event.pos()).data(Qt.ItemDataRole.AccessibleTextRole)
            QToolTip.showText(event.globalPos(), plain_tooltip(str(said or "")), self._view)
            return True
        if event.type() is QEvent.Type.Leave:
            self._hover(-1)
        elif event.type() is QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            self._hover(self._view.indexAt(event.position().toPoint()).row())
        return super().eventFilter(watched, event)

    def _hover(self, row: int) -> None:
        if self._delegate is not None and row != self._delegate.hovered_row:
            self._delegate.hovered_row = row
            self._view.viewport().update()


def asks_for_menu(event: QKeyEvent) -> bool:
    """Whether a key opens the menu of what has the cursor: the Menu key, and Shift+F10 where a keyboard has none."""
    is_shift = event.modifiers() == Qt.KeyboardModifier.ShiftModifier
    return event.key() == Qt.Key.Key_Menu or (is_shift and event.key() == Qt.Key.Key_F10)


def prepare_list(view: QListView) -> None:
    """Makes a list view a list of cards."""
    _prepare(view)
    view.setResizeMode(QListView.ResizeMode.Adjust)


class CardList(QListView):
    """A list of cards. `opened` at Enter; single letters belong to the screen's actions, not to a search by typing."""

    opened = Signal()

    def __init__(
        self, model: QAbstractItemModel, delegate: QAbstractItemDelegate, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setModel(model)
        delegate.setParent(self)
        self.setItemDelegate(delegate)
        prepare_list(self)

    def step(self, rows: int) -> None:
        """Moves the cursor by that many rows."""
        self.choose_row(min(max(self.currentIndex().row() + rows, 0), self.model().rowCount() - 1))

    def choose_row(self, row: int) -> None:
        index = self.model().index(row, 0)
        self.setCurrentIndex(index)
        self.scrollTo(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit()
        elif event.text() and event.text().isprintable():
            event.ignore()
        else:
            super().keyPressEvent(event)


class ListBesideDetail(QSplitter):
    """A card with a list, or with a sentence where nothing fits; beside it what is said of the chosen row."""

    def __init__(
        self, view: QListView, detail: QWidget, *, sizes_px: tuple[int, int], stretch: tuple[int, int]
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(12)
        card = QFrame(self)
        card.setProperty("role", "card")
        column = QVBoxLayout(card)
        column.setContentsMargins(10, 10, 6, 8)
        column.setSpacing(8)
        self._view = view
        self.none = PlainLabel("", "sub", wraps=True)
        self.none.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.lists = QStackedWidget()
        self.lists.addWidget(view)
        self.lists.addWidget(self.none)
        column.addWidget(self.lists, 1)
        self.addWidget(card)
        self.addWidget(detail)
        self.setStretchFactor(0, stretch[0])
        self.setStretchFactor(1, stretch[1])
        self.setSizes(list(sizes_px))

    def show_found(self, *, is_any: bool, nothing: str) -> None:
        """The list, or the sentence `nothing`."""
        self.none.setText(nothing)
        self.lists.setCurrentWidget(self._view if is_any else self.none)


def prepare_table(view: QTableView, *, least_row_px: int = 8) -> None:
    """Makes a table view a list of cards: for lists of any length, whose rows keep the height that they are given."""
    _prepare(view)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTabKeyNavigation(False)
    view.setCornerButtonEnabled(False)
    view.horizontalHeader().hide()
    view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
    view.verticalHeader().hide()
    view.verticalHeader().setMinimumSectionSize(least_row_px)
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)


def _prepare(view: QAbstractItemView) -> None:
    kind = "QTableView" if isinstance(view, QTableView) else "QListView"
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setStyleSheet(f"{kind} {{ selection-background-color: transparent; }}")  # the card shows it, not the gap
    view.setMouseTracking(True)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
