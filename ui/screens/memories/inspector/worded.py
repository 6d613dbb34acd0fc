"""Whose words a memory's are: the note in the inspector where a model worded it from what the person said.

The quote stands beside, its message is one click away, and the person's own words can take the place. Source: UX 4.8b.
"""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.values import Memory, MemorySource
from ui.widgets.buttons import ActionButton, Button
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel
from ui.wording.values import app_title

QUOTE_CHARS = 600
WORTH_WORDS = {1: "Nice to know", 2: "Useful", 3: "Does harm if an assistant does not know it"}
_ADAPTERS = {"command": "your command", "endpoint": "your local model"}
_NOT_WORDED = frozenset(["rules", "person", "api", ""])


def is_worded(memory: Memory) -> bool:
    """Whether a model worded it from the person's words."""
    return memory.worded_by not in _NOT_WORDED


def worded_line(memory: Memory) -> str:
    """Who worded it.

    "worded by Claude Code from your words"
    """
    who = _ADAPTERS.get(memory.worded_by) or app_title(memory.worded_by)
    return f"Worded by {who} from your words"


class WordedNote(QWidget):
    """`quote_wanted` carries the message and the quote in it."""

    quote_wanted = Signal(int, str)

    def __init__(self, use_words: ActionButton, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("memory.worded")
        self._message_id, self._said = 0, ""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 2)
        column.setSpacing(5)
        self.who = PlainLabel("", "meta", wraps=True)
        self.quote = PlainLabel("", wraps=True)
        self.quote.setObjectName("memory.worded.quote")
        self.worth = PlainLabel("", "meta", wraps=True)
        self.worth.setObjectName("memory.worth")
        self.show_message = Button("Show it in its message", "memory.worded.show", kind="link")
        self.show_message.clicked.connect(self._on_show)
        self.use_words = use_words
        for label in (self.who, self.quote):
            column.addWidget(label)
        buttons = FlowLayout()
        buttons.addWidget(self.use_words)
        buttons.addWidget(self.show_message)
        self._buttons = QWidget()
        self._buttons.setLayout(buttons)
        column.addWidget(self._buttons)
        column.addWidget(self.worth)

    def set_memory(self, memory: Memory, sources: Sequence[MemorySource]) -> None:
        quote = quote_of(memory, sources)
        is_shown = is_worded(memory) and quote is not None
        for widget in (self.who, self.quote, self._buttons):
            widget.setVisible(is_shown)
        if quote is not None and is_shown:
            self.who.setText(f"{worded_line(memory)}:")
            self.quote.setText(f"“{quote.quote[:QUOTE_CHARS]}”")
            self._said = quote.quote.strip()
            self._message_id = (quote.message_id or 0) if quote.is_message_kept else 0
            self.show_message.setVisible(bool(self._message_id))
        self.worth.setText(f"Worth: {WORTH_WORDS[memory.worth].lower()}" if memory.worth in WORTH_WORDS else "")
        self.worth.setVisible(bool(self.worth.text()))
        self.setVisible(is_shown or bool(self.worth.text()))
        self.setAccessibleName(self.who.text() if is_shown else self.worth.text())

    def _on_show(self) -> None:
        if self._message_id:
            self.quote_wanted.emit(self._message_id, self._said)


def quote_of(memory: Memory, sources: Sequence[MemorySource]) -> MemorySource | None:
    """The words that it was made of: the first source with a quote that is not the text itself."""
    own = memory.levels.full.text
    return next((one for one in sources if one.quote.strip() and one.quote.strip() != own), None)
