"""The Now screen as a person uses it: slots, cards, buttons."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from ui.screens.now.panel import NowPanel
from ui.shell.main_window import MainWindow
from ui.widgets.card import Card
from ui.widgets.conversations.queue_model import RowKind


class NowPage:
    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        window.go("now")
        panel = window.panel("now")
        assert isinstance(panel, NowPanel)
        self.window = window
        self.panel = panel
        self._qtbot = qtbot

    @property
    def is_empty(self) -> bool:
        return self.panel.pages.currentWidget() is self.panel.empty

    @property
    def titles(self) -> list[str]:
        """Titles from top to bottom."""
        return [conversation.title for conversation in self.panel.model.conversations()]

    @property
    def free_count(self) -> int:
        rows = [self.panel.model.row_at(n) for n in range(self.panel.model.rowCount())]
        return sum(row is not None and row.kind is RowKind.FREE for row in rows)

    @property
    def slot_line(self) -> str:
        return self.panel.slot_line.text()

    @property
    def cards(self) -> list[str]:
        """Accessible names of the cards that need the person."""
        cards = self.panel.needs.findChildren(Card)
        return [card.accessibleName() for card in cards if card.isVisible()]

    @property
    def needs_title(self) -> str:
        return self.panel.needs_title.text()

    @property
    def badge(self) -> str:
        """What the rail says beside Now."""
        button = self.window.rail.button("now")
        assert button is not None
        return button.badge

    def press(self, name: str) -> None:
        """Presses the visible button whose accessible name or text begins so, once it is there: lines are made anew as they change."""
        self._qtbot.waitUntil(lambda: self._button(name) is not None)
        self._qtbot.mouseClick(self._button(name), Qt.MouseButton.LeftButton)

    def _button(self, name: str) -> QAbstractButton | None:
        buttons = [button for button in self.panel.findChildren(QAbstractButton) if button.isVisible()]
        return next((one for one in buttons if (one.accessibleName() or one.text()).startswith(name)), None)

    def key(self, key: Qt.Key) -> None:
        self._qtbot.keyClick(self.panel.queue, key)

    def key_in_focus(self, key: Qt.Key) -> None:
        self._qtbot.keyClick(QApplication.focusWidget(), key)

    def type(self, text: str) -> None:
        self._qtbot.keyClicks(QApplication.focusWidget(), text)

    def choose(self, title: str) -> None:
        """Clicks on a card."""
        row = self.titles.index(title)
        view = self.panel.queue
        view.scrollTo(self.panel.model.index(row))
        where = view.visualRect(self.panel.model.index(row)).center()
        self._qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=where)
