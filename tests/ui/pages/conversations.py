"""The Conversations screen as a person uses it: the list, the transcript, its sheets and its find bar."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from ui.screens.conversations.panel import ConversationsPanel
from ui.screens.conversations.transcript_layout import Target, TargetKind
from ui.screens.conversations.transcript_model import RowKind, TranscriptRow
from ui.shell.main_window import MainWindow
from ui.widgets.popups.popover import Popover


class ConversationsPage:
    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        window.go("conversations")
        panel = window.panel("conversations")
        assert isinstance(panel, ConversationsPanel)
        self.window = window
        self.panel = panel
        self._qtbot = qtbot

    # -- what is shown
    @property
    def title(self) -> str:
        reading = self.panel.view.reading
        return reading.detail.conversation.title if reading is not None else ""

    @property
    def titles(self) -> list[str]:
        return [conversation.title for conversation in self.panel.model.conversations()]

    def rows(self) -> list[TranscriptRow]:
        model = self.panel.view.model
        return [row for n in range(model.rowCount()) if (row := model.row_at(n)) is not None]

    @property
    def messages(self) -> list[str]:
        """Texts of the messages in order."""
        return [row.message.text for row in self.rows() if row.kind is RowKind.TEXT and row.message]

    @property
    def markers(self) -> list[str]:
        return [row.text for row in self.rows() if row.kind is RowKind.MARKER]

    @property
    def current(self) -> str:
        """The message under the cursor."""
        message = self.panel.view.model.message(self.panel.view.transcript.current_message_id() or 0)
        return message.text if message is not None else ""

    def reference(self, text: str, n: int = 0) -> tuple[int, str, str | None]:
        """Id, state and antecedent of the nth reference in the message with this text."""
        message = next(row.message for row in self.rows() if row.message and row.message.text == text)
        number, reference = message.references[n]
        return number, reference.state.value, reference.antecedent

    def intents(self, text: str) -> list[str]:
        message = next(row.message for row in self.rows() if row.message and row.message.text == text)
        return [score.intent.value for score in message.intents]

    # -- doing
    def open(self, title: str) -> None:
        """Clicks on a conversation and waits for its transcript."""
        wanted = next(one.id for one in self.panel.model.conversations() if one.title == title)
        row = self.panel.model.row_of(wanted)
        assert row is not None
        self.panel.queue.scrollTo(self.panel.model.index(row))
        where = self.panel.queue.visualRect(self.panel.model.index(row)).center()
        self._qtbot.mouseClick(self.panel.queue.viewport(), Qt.MouseButton.LeftButton, pos=where)
        self._qtbot.waitUntil(lambda: self.title == title)

    def put_cursor(self, text: str) -> None:
        """Clicks on a message, beside its words."""
        row = next(n for n, row in enumerate(self.rows()) if row.message and row.message.text == text and row.is_first)
        view = self.panel.view.transcript
        view.setFocus()
        view.scrollTo(self.panel.view.model.index(row))
        rect = view.visualRect(self.panel.view.model.index(row))
        self._qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=rect.topLeft() + QPoint(6, 12))

    def click(self, text: str, kind: TargetKind) -> None:
        """Clicks on the first thing of this kind in a message."""
        view = self.panel.view.transcript
        for n, row in enumerate(self.rows()):
            if row.message is None or row.message.text != text:
                continue
            layout = view.layouter.layout(row, view.column_px())
            target = next((one for one in layout.targets if one.kind is kind), None)
            if target is not None:
                view.scrollTo(self.panel.view.model.index(n))
                self._click_target(n, target)
                return
        raise AssertionError(f"no {kind} in {text!r}")

    def _click_target(self, n: int, target: Target) -> None:
        view = self.panel.view.transcript
        where = view.visualRect(self.panel.view.model.index(n)).topLeft() + target.rects[0].center().toPoint()
        self._qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=where)

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Presses a key where the focus is."""
        self._qtbot.keyClick(QApplication.focusWidget() or self.window, key, modifier)

    def type(self, text: str) -> None:
        focus = QApplication.focusWidget()
        assert isinstance(focus, QLineEdit)
        self._qtbot.keyClicks(focus, text)

    @property
    def sheet(self) -> Popover | None:
        """The sheet that is open."""
        return next((sheet for sheet in self.window.findChildren(Popover) if sheet.isVisible()), None)

    def press(self, name: str) -> None:
        """Presses the visible button whose accessible name or text begins so, in the sheet if one is open."""
        for button in (self.sheet or self.panel).findChildren(QAbstractButton):
            if button.isVisible() and (button.accessibleName() or button.text()).startswith(name):
                self._qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
                return
        raise AssertionError(f"no button {name!r}")
