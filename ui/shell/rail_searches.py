"""Saved searches in the rail, below the screens: one press away from everywhere. Gone where the rail is narrow.

Shows what it is given, the first few by name; the filter pane of Memories has all of them. Source: UX 3.1.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from ui.widgets.fit_button import FitButton
from ui.widgets.labels import PlainLabel

SHOWN_SEARCHES = 6


class RailSearches(QWidget):
    """`chosen` carries the number of a search."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("rail.searches")
        self.setAccessibleName("Saved searches")
        self._searches: tuple[tuple[int, str], ...] = ()
        self._is_narrow = False
        self._buttons: list[FitButton] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 10, 0, 0)
        self._column.setSpacing(0)
        heading = PlainLabel("Saved searches", "meta", parent=self)
        heading.setContentsMargins(11, 0, 0, 2)
        self._column.addWidget(heading)
        self.hide()

    def set_searches(self, searches: Sequence[tuple[int, str]]) -> None:
        """Number and name of each."""
        shown = tuple(searches[:SHOWN_SEARCHES])
        if shown == self._searches:
            return
        self._searches = shown
        for button in self._buttons:
            button.hide()
            button.deleteLater()
        self._buttons = [self._button(number, name) for number, name in shown]
        self._show()

    def set_narrow(self, is_narrow: bool) -> None:
        self._is_narrow = is_narrow
        self._show()

    def _button(self, number: int, name: str) -> FitButton:
        button = FitButton(name, f"rail.search.{number}", kind="entry", parent=self)
        button.setAccessibleName(f"Saved search {name}")
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.setProperty("search", number)
        button.clicked.connect(self._on_chosen)
        self._column.addWidget(button)
        return button

    def _show(self) -> None:
        self.setVisible(bool(self._searches) and not self._is_narrow)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows walk as in the rest of the rail."""
        step = {Qt.Key.Key_Down: True, Qt.Key.Key_Up: False}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.focusNextPrevChild(step)

    def _on_chosen(self) -> None:
        self.chosen.emit(int(self.sender().property("search")))
