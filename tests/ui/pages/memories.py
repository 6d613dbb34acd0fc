"""The Memories screen as a person uses it: list, filters, inspector, inbox and its sheets."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from ui.screens.memories.filter_pane import FacetRow
from ui.screens.memories.panel import MemoriesPanel
from ui.shell.main_window import MainWindow


class MemoriesPage:
    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        window.go("memories")
        panel = window.panel("memories")
        assert isinstance(panel, MemoriesPanel)
        self.window = window
        self.panel = panel
        self._qtbot = qtbot

    def settle(self) -> None:
        """Waits until every answer has come."""
        self._qtbot.waitUntil(lambda: not self.window.bridge.is_waiting)
        self._qtbot.wait(80)  # facets are asked for a moment after the list
        self._qtbot.waitUntil(lambda: not self.window.bridge.is_waiting)

    # -- what is shown
    @property
    def is_empty(self) -> bool:
        return self.panel.pages.currentWidget() is self.panel.empty

    @property
    def titles(self) -> list[str]:
        model = self.panel.model
        return [card.title for n in range(model.rowCount()) if (card := model.card_at(n)) is not None]

    @property
    def count(self) -> str:
        return self.panel.list.count.text()

    @property
    def current(self) -> str:
        """Title under the cursor."""
        card = self.panel.list.view.current_card()
        return card.title if card is not None else ""

    @property
    def shown_text(self) -> str:
        """The text in the inspector's editor."""
        return self.panel.inspector.levels.editor.toPlainText()

    @property
    def why(self) -> str:
        """What an empty list says."""
        assert self.panel.list.pages.currentWidget() is self.panel.list.why
        return self.panel.list.why_text.text()

    @property
    def chips(self) -> list[str]:
        chips = self.panel.list.chips.findChildren(QAbstractButton)
        return [chip.accessibleName() for chip in chips if chip.isVisible()]

    # -- doing
    def choose(self, title: str) -> None:
        """Clicks on a card and waits until the inspector shows it."""
        model, view = self.panel.model, self.panel.list.view
        rows = ((n, model.card_at(n)) for n in range(model.rowCount()))
        row = next(n for n, card in rows if card is not None and card.title == title)
        view.scrollTo(model.index(row))
        rect = view.visualRect(model.index(row))
        self._qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=rect.topLeft() + QPoint(120, 20))
        self._qtbot.waitUntil(lambda: self._shown_title() == title)

    def _shown_title(self) -> str:
        memory = self.panel.inspector.memory
        return memory.title if memory is not None else ""

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Presses a key where the focus is."""
        self._qtbot.keyClick(QApplication.focusWidget() or self.window, key, modifier)

    def type(self, text: str) -> None:
        focus = QApplication.focusWidget()
        assert focus is not None
        self._qtbot.keyClicks(focus, text)

    def search(self, text: str) -> None:
        assert self.panel.focus_search()
        self.type(text)
        self.settle()
        self._qtbot.waitUntil(self._is_explained)  # what could be done about an empty list comes after a pause
        self.settle()

    def _is_explained(self) -> bool:
        reading = self.panel.asking.reading
        return reading is not None and reading.is_explained

    def facet(self, facet: str, value: str) -> FacetRow:
        found = self.panel.filters.findChild(FacetRow, f"memories.facet.{facet}.{value}")
        assert found is not None, f"no facet {facet}:{value}"
        return found

    def press(self, object_name: str) -> None:
        """Presses the visible button of that name, in the window: sheets lie over the panel."""
        for widget in self.window.findChildren(QWidget, object_name):
            if widget.isVisible():
                self._qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)
                return
        raise AssertionError(f"nothing visible is called {object_name}")

    def take_focus(self) -> None:
        self.panel.list.take_focus()
