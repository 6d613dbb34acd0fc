"""What every list of painted cards has in common: one column, smooth scrolling, one cursor that the card itself shows.

Owns settings of Qt's views and what the pointer does over them; knows neither models nor cards. Source: STACK-UI section 3.
"""

from typing import Protocol

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QListView, QTableView, QToolTip

from ui.widgets.labels import plain_tooltip


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
