"""What every list of painted cards has in common: one column, smooth scrolling, one cursor that the card itself shows.

Owns settings of Qt's views only; knows neither models nor cards. Source: STACK-UI section 3.
"""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QListView, QTableView


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
