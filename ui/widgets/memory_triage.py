"""What stands above a memory that waits for the person: why it waits, and the four answers. Source: UX 4.4, S7."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.values import Memory, MemoryStatus
from ui.widgets.buttons import ActionButton
from ui.widgets.card import Card
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel
from ui.widgets.memory_wording import TRUST_WORDS
from ui.widgets.wording import sure

PROPOSED_TEXT = "Keep this?"
ACCEPT, REJECT = 0, 1  # of the four answers
HELD_TEXT = "Held back: it reads like an order to an assistant"


class TriageCard(Card):
    """Buttons are rows of the action table: accept, reject, always, never."""

    def __init__(self, actions: tuple[QAction, ...], parent: QWidget | None = None) -> None:
        super().__init__("", kind="accent", parent=parent)
        self.setObjectName("memory.triage")
        self.question = PlainLabel("", "heading", wraps=True)
        self.reason = PlainLabel("", "meta", wraps=True)
        self.body.addWidget(self.question)
        self.body.addWidget(self.reason)
        row = FlowLayout()
        self._buttons = [ActionButton(action, kind="plain" if n else "primary") for n, action in enumerate(actions)]
        for button in self._buttons:
            row.addWidget(button)
        self.body.addLayout(row)
        accept, reject = (action.shortcut().toString() for action in actions[:2])
        self.keys = PlainLabel(f"Keys: {accept} accepts, {reject} rejects, E changes it first", "meta", wraps=True)
        self.body.addWidget(self.keys)
        self.hide()

    @property
    def has_focus(self) -> bool:
        """Whether one of its buttons was pressed or stands under the keyboard."""
        return any(button.hasFocus() for button in self._buttons)

    def take_focus(self) -> None:
        """The keyboard goes to "Accept"."""
        self._buttons[0].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def set_memory(self, memory: Memory) -> None:
        """Shown only for memories that wait."""
        is_held = memory.status is MemoryStatus.QUARANTINED
        self.setVisible(is_held or memory.status is MemoryStatus.PROPOSED)
        self.set_kind("warn" if is_held else "accent")
        wise = REJECT if is_held else ACCEPT  # what is held back is not to be accepted by the brightest button
        for n, button in enumerate(self._buttons):
            button.set_kind("primary" if n == wise else "plain")
        self.question.setText(HELD_TEXT if is_held else PROPOSED_TEXT)
        self.setAccessibleName(self.question.text())
        words = [memory.reason, TRUST_WORDS[memory.trust], sure(memory.confidence)]
        if is_held:
            words.append("no assistant is told this until you accept it")
        self.reason.setText(" · ".join(filter(None, words)))
