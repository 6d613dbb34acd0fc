"""The working window of a conversation: its recent messages, and the chunks that sum up what was said before them.

Chunks open and close; each leads to its first message. Says by signals what is wanted. Source: S3 (working memory), UX 4.3.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from app.values import Chunk, ConversationDetail, Message
from ui.widgets.buttons import Button
from ui.widgets.card import Card, clear_layout
from ui.widgets.conversations.needs_you import short
from ui.widgets.labels import PlainLabel
from ui.widgets.scroll import ScrollColumn
from ui.wording.values import counted

RECENT_COUNT = 20  # of the newest messages that stay whole [S3]
MAX_CHUNKS = 60
REFERABLE_SHOWN = 5  # the last of them
LINE_CHARS = 32


class WindowStrip(ScrollColumn):
    """`message_wanted` carries a message of the shown conversation; `clear_wanted`: "it" shall point to none of them."""

    message_wanted = Signal(int)
    clear_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("details.window.page", parent=parent)
        self._open: set[int] = set()
        self._detail: ConversationDetail | None = None
        self._chunks: tuple[Chunk, ...] = ()
        self._referable: tuple[Message, ...] = ()
        self.column.setSpacing(6)

    def set_window(
        self, detail: ConversationDetail, chunks: Sequence[Chunk], referable: Sequence[Message] = ()
    ) -> None:
        """Another reading; chunks that are open stay so."""
        if self._detail is None or self._detail.conversation.id != detail.conversation.id:
            self._open.clear()
        self._detail, self._chunks, self._referable = detail, tuple(chunks), tuple(referable)
        self._fill()

    def _fill(self) -> None:
        assert self._detail is not None
        clear_layout(self.column)
        ids = [message.id for message in self._detail.messages]
        numbers = {number: n for n, number in enumerate(ids, start=1)}
        recent = ids[-RECENT_COUNT:]
        if ids:
            self.column.addWidget(self._referable_card())
        for chunk in self._chunks[:MAX_CHUNKS]:
            self.column.addWidget(self._chunk_card(chunk, numbers))
        if recent:
            self.column.addWidget(self._recent_card(recent, numbers))
        if not self._chunks:
            text = f"Beyond {RECENT_COUNT} messages the oldest ten are summed up here."
            self.column.addWidget(PlainLabel(text, "meta", wraps=True))
        self.column.addStretch(1)

    def _referable_card(self) -> Card:
        """The messages that "it", "that" or "the …" in the next one may stand for."""
        card = Card()
        card.setObjectName("window.referable")
        count = len(self._referable)
        said = f"“it” may point to: {counted(count, 'message')}" if count else "“it” points to nothing said here"
        card.setAccessibleName(said)
        card.body.addWidget(PlainLabel(said, "heading", wraps=True))
        for message in self._referable[-REFERABLE_SHOWN:]:
            line = " ".join(message.text.split())
            tip = "Show it in the conversation"
            entry = Button(short(line, LINE_CHARS), f"window.referable.{message.id}", kind="entry", tip=tip)
            entry.setProperty("message", message.id)
            entry.clicked.connect(self._on_show)
            card.body.addWidget(entry)
        if count > REFERABLE_SHOWN:
            card.body.addWidget(PlainLabel(f"and {count - REFERABLE_SHOWN} before them", "meta"))
        if not count:
            card.body.addWidget(
                PlainLabel("Cleared, or nothing was typed. Undo brings back what was cleared.", "meta", wraps=True)
            )
            return card
        tip = "References in the next message look no further back; no message is deleted (Shift+C)"
        clear = Button("Clear", "window.referable.clear", kind="link", tip=tip)
        clear.setAccessibleName("Clear what “it” may point to")
        clear.clicked.connect(self.clear_wanted)
        card.body.addWidget(clear, 0, Qt.AlignmentFlag.AlignLeft)
        return card

    def _recent_card(self, ids: Sequence[int], numbers: dict[int, int]) -> Card:
        card = Card(kind="accent")
        card.setObjectName("window.recent")
        said = f"Recent: {counted(len(ids), 'message')}"
        card.body.addWidget(PlainLabel(said, "heading", wraps=True))
        card.body.addWidget(PlainLabel(f"{numbers[ids[0]]}–{numbers[ids[-1]]}, kept word for word", "meta", wraps=True))
        card.body.addWidget(self._show_button(ids[0], "window.recent.show", "Show the first of them"))
        return card

    def _chunk_card(self, chunk: Chunk, numbers: dict[int, int]) -> Card:
        card = Card()
        card.setObjectName(f"window.chunk.{chunk.id}")
        is_open = chunk.id in self._open
        first, last = numbers.get(chunk.first_message_id, 0), numbers.get(chunk.last_message_id, 0)
        where = f"{first}–{last}" if first and last else counted(chunk.message_count, "message")
        head = Button(f"{'▾' if is_open else '▸'} Messages {where}", f"window.chunk.{chunk.id}.open", kind="entry")
        head.setCheckable(True)
        head.setChecked(is_open)
        head.setAccessibleName(f"Chunk {chunk.number}, messages {where}, {', '.join(chunk.topics[:4])}")
        head.setProperty("chunk", chunk.id)
        head.clicked.connect(self._on_toggle)
        card.body.addWidget(head)
        if chunk.topics:
            card.body.addWidget(PlainLabel(", ".join(chunk.topics[:6]), "meta", wraps=True))
        if is_open:
            card.body.addWidget(PlainLabel(chunk.summary, wraps=True))
            merged = " · several made one" if chunk.is_merged else ""
            said = f"{counted(chunk.message_count, 'message')} in {counted(chunk.token_count, 'token')}{merged}"
            card.body.addWidget(PlainLabel(said, "meta", wraps=True))
            if first:
                card.body.addWidget(
                    self._show_button(
                        chunk.first_message_id, f"window.chunk.{chunk.id}.show", "Show the first of them"
                    ),
                    0,
                    Qt.AlignmentFlag.AlignLeft,
                )
        return card

    def _show_button(self, message_id: int, name: str, tip: str) -> Button:
        button = Button("Show", name, kind="link", tip=tip)
        button.setAccessibleName(tip)
        button.setProperty("message", message_id)
        button.clicked.connect(self._on_show)
        return button

    def _on_toggle(self) -> None:
        chosen = int(self.sender().property("chunk"))
        self._open ^= {chosen}
        self._fill()
        again = self.findChild(Button, f"window.chunk.{chosen}.open")
        if again is not None:
            again.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_show(self) -> None:
        self.message_wanted.emit(int(self.sender().property("message")))
