"""What stands above a memory that waits for the person: why it waits, and the way to answer it. Source: UX 4.4, S7."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.values import Memory, MemoryStatus
from ui.widgets.buttons import Button
from ui.widgets.card import Card
from ui.widgets.labels import PlainLabel
from ui.wording.memories import TRUST_WORDS
from ui.wording.values import sure

PROPOSED_TEXT = "Waits for your yes or no"
HELD_TEXT = "Held back: it reads like an order to an assistant"


class WaitingNote(Card):
    """`reviewed` leads to the review, where it is answered."""

    reviewed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", kind="accent", parent=parent)
        self.setObjectName("memory.waiting")
        self.question = PlainLabel("", "heading", wraps=True)
        self.reason = PlainLabel("", "meta", wraps=True)
        self.body.addWidget(self.question)
        self.body.addWidget(self.reason)
        self.review = Button("Review", "memory.waiting.review", kind="primary", icon_name="inbox")
        self.review.clicked.connect(self.reviewed)
        row = QHBoxLayout()
        row.addWidget(self.review)
        row.addStretch(1)
        self.body.addLayout(row)
        self.hide()

    def take_focus(self) -> None:
        """The keyboard goes to "Review"."""
        self.review.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def set_memory(self, memory: Memory) -> None:
        """Shown only for memories that wait."""
        is_held = memory.status is MemoryStatus.QUARANTINED
        self.setVisible(is_held or memory.status is MemoryStatus.PROPOSED)
        self.set_kind("warn" if is_held else "accent")
        self.question.setText(HELD_TEXT if is_held else PROPOSED_TEXT)
        self.setAccessibleName(self.question.text())
        words = [memory.reason, TRUST_WORDS[memory.trust], sure(memory.confidence)]
        if is_held:
            words.append("no assistant is given this until you accept it")
        self.reason.setText(" · ".join(filter(None, words)))
