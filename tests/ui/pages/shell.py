"""The frame of the window as a person uses it: rail, palette, notices, keys."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from ui.screens.base import Panel
from ui.shell.main_window import MainWindow
from ui.widgets.buttons import Button


class Shell:
    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window = window
        self._qtbot = qtbot

    @property
    def screen(self) -> str:
        panel = self.window.current_panel
        return panel.screen_id if panel is not None else ""

    def go(self, screen_id: str) -> Panel:
        """Presses the screen's button in the rail."""
        button = self.window.rail.button(screen_id)
        assert button is not None
        self._qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        panel = self.window.current_panel
        assert panel is not None
        return panel

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Presses a key where the focus is."""
        target = QApplication.focusWidget() or self.window
        self._qtbot.keyClick(target, key, modifier)

    def ctrl(self, key: Qt.Key) -> None:
        self.key(key, Qt.KeyboardModifier.ControlModifier)

    def type(self, text: str) -> None:
        focus = QApplication.focusWidget()
        assert focus is not None, "nothing has the focus"
        self._qtbot.keyClicks(focus, text)

    def press(self, object_name: str, inside: QWidget | None = None) -> None:
        """Presses the visible button of that name."""
        self._qtbot.mouseClick(self.find(object_name, inside), Qt.MouseButton.LeftButton)

    def find(self, object_name: str, inside: QWidget | None = None) -> QWidget:
        """The visible widget of that name."""
        found = (inside or self.window).findChildren(QWidget, object_name)
        visible = [widget for widget in found if widget.isVisible()]
        assert visible, f"nothing visible is called {object_name}"
        return visible[0]

    def has(self, object_name: str) -> bool:
        return any(widget.isVisible() for widget in self.window.findChildren(QWidget, object_name))

    def button(self, object_name: str) -> Button:
        found = self.find(object_name)
        assert isinstance(found, Button)
        return found

    @property
    def notices(self) -> list[str]:
        return [notice.text for notice in self.window.notices.notices]

    @property
    def palette_lines(self) -> list[str]:
        model = self.window.sheets.palette.model
        return [str(model.index(row).data()) for row in range(model.rowCount())]

    def texts(self, inside: QWidget | None = None) -> str:
        """All text that labels show now, a line each."""
        labels = (inside or self.window).findChildren(QLabel)
        return "\n".join(label.text() for label in labels if label.isVisible())
