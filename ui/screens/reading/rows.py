"""One reading as a card: whose conversations, what it cost, what came of it; opened, what was sent and what came back.

Shows values and says by signals what is wanted; texts of people are plain and bounded. Source: UX 4.8b.
"""

from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.values.judge import CameOfIt, JudgeReading, JudgeReadingDetail
from ui.screens.reading.wording import WHAT_WORDS, drop_lines, reading_meta, reading_outcome, reading_title
from ui.widgets.buttons import Button
from ui.widgets.card import Card, clear_layout
from ui.widgets.fit_button import FitButton
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import ElidedLabel, Hairline, PlainLabel
from ui.widgets.plain_viewer import PlainViewer
from ui.wording.figures import counted
from ui.wording.values import moment

TEXT_CHARS, SENT_CHARS = 400, 1_800


class ReadingCard(Card):
    """`toggled`, `undo_wanted`, `again_wanted` carry the reading's number; the others where to go."""

    toggled = Signal(int)
    undo_wanted = Signal(int)
    again_wanted = Signal(int)
    memory_wanted = Signal(int)
    message_wanted = Signal(int)

    def __init__(self, reading: JudgeReading, now: datetime, parent: QWidget | None = None) -> None:
        super().__init__(kind="" if reading.state == "done" else "warn", parent=parent)
        self.reading = reading
        self.setObjectName(f"reading.{reading.id}")
        title, outcome = reading_title(reading), reading_outcome(reading)
        self.setAccessibleName(f"{title}. {outcome}")
        self.opener = Button("Open", f"reading.open.{reading.id}", kind="quiet", icon_name="chevron-down")
        self.opener.clicked.connect(self._on_toggle)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(ElidedLabel(title, "heading"), 1)
        line.addWidget(self.opener)
        self.body.addLayout(line)
        self.body.addWidget(PlainLabel(outcome, "body" if reading.state == "done" else "warn", wraps=True))
        self.body.addWidget(PlainLabel(reading_meta(reading, now), "meta", wraps=True))
        self._detail = QWidget()
        self._lines = QVBoxLayout(self._detail)
        self._lines.setContentsMargins(0, 6, 0, 0)
        self._lines.setSpacing(8)
        self.body.addWidget(self._detail)
        self._detail.hide()
        self._tell_opener(is_open=False)

    @property
    def is_opened(self) -> bool:
        return not self._detail.isHidden()

    def show_detail(self, detail: JudgeReadingDetail, now: datetime) -> None:
        """Opens it with what was sent and what came of it."""
        clear_layout(self._lines)
        self._lines.addWidget(Hairline())
        self._lines.addWidget(PlainLabel("What came of it", "heading"))
        for one in detail.came_of_it:
            self._add_memory(one)
        if not detail.came_of_it:
            self._lines.addWidget(PlainLabel(_nothing_came(self.reading), "sub", wraps=True))
        if drops := drop_lines(self.reading):
            self._lines.addWidget(PlainLabel("Dropped", "heading"))
            self._lines.addWidget(PlainLabel("\n".join(drops), "sub", wraps=True))
        self._lines.addWidget(PlainLabel("What was sent", "heading"))
        self._add_sent(detail, now)
        self._add_buttons()
        self._detail.show()
        self._tell_opener(is_open=True)

    def close_detail(self) -> None:
        self._detail.hide()
        self._tell_opener(is_open=False)

    def _tell_opener(self, *, is_open: bool) -> None:
        self.opener.set_text("Close" if is_open else "Open")
        self.opener.set_icon_name("chevron-up" if is_open else "chevron-down")
        said = "Close" if is_open else "Open"
        self.opener.setAccessibleName(f"{said}: {self.accessibleName()}")

    def _add_memory(self, one: CameOfIt) -> None:
        word = WHAT_WORDS[one.what]
        line = QHBoxLayout()
        line.setSpacing(8)
        label = PlainLabel(word, "meta")
        label.setMinimumWidth(110)
        line.addWidget(label, 0, Qt.AlignmentFlag.AlignTop)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(PlainLabel(one.text[:TEXT_CHARS] if one.is_kept else "no longer kept", "body", wraps=True))
        if one.quote and one.quote != one.text:
            texts.addWidget(PlainLabel(f"You said: “{one.quote[:TEXT_CHARS]}”", "meta", wraps=True))
        line.addLayout(texts, 1)
        if one.is_kept:
            show = Button("Show", f"reading.memory.{one.memory_id}", kind="link", tip="Open it in Memories")
            show.setAccessibleName(f"Show the memory: {one.text[:80]}")
            show.setProperty("number", one.memory_id)
            show.clicked.connect(self._on_memory)
            line.addWidget(show, 0, Qt.AlignmentFlag.AlignTop)
        self._lines.addLayout(line)

    def _add_sent(self, detail: JudgeReadingDetail, now: datetime) -> None:
        if self.reading.state != "done":
            self._lines.addWidget(PlainLabel("Its prompts are unread again.", "sub", wraps=True))
            return
        if detail.messages:
            viewer = PlainViewer(f"reading.sent.{self.reading.id}", "What was sent")
            viewer.show_text(
                "\n\n".join(_sent_text(one.text, one.answer_end, moment(one.at, now)) for one in detail.messages)
            )
            lines = sum(
                1 + len(one.text) // 90 + one.text.count("\n") + bool(one.answer_end) * 2 for one in detail.messages
            )
            viewer.setFixedHeight(min(18 * (2 + 2 * lines), 260))
            self._lines.addWidget(viewer)
        if detail.gone_count:
            gone = f"{counted(detail.gone_count, 'prompt')} {'is' if detail.gone_count == 1 else 'are'} no longer kept."
            self._lines.addWidget(PlainLabel(gone, "sub", wraps=True))

    def _add_buttons(self) -> None:
        buttons = FlowLayout()
        if self.reading.is_undoable:
            undo = Button("Undo this reading", f"reading.undo.{self.reading.id}", icon_name="undo",
                          tip="Takes back all that came of it; its prompts stay read")  # fmt: skip
            undo.clicked.connect(self._on_undo)
            buttons.addWidget(undo)
        if self.reading.state == "done":
            again = Button("Read again", f"reading.again.{self.reading.id}", icon_name="refresh",
                           tip="Takes back what came of it and asks once more")  # fmt: skip
            again.clicked.connect(self._on_again)
            buttons.addWidget(again)
        for one in self.reading.conversations:
            if one.is_kept:
                show = FitButton(one.title, f"reading.conversation.{one.conversation_id}", kind="link", tip="Show it")
                show.setAccessibleName(f"Show the conversation {one.title}")
                show.setProperty("number", one.conversation_id)
                show.clicked.connect(self._on_message)
                buttons.addWidget(show)
        self._lines.addLayout(buttons)

    def _on_toggle(self) -> None:
        self.toggled.emit(self.reading.id)

    def _on_undo(self) -> None:
        self.undo_wanted.emit(self.reading.id)

    def _on_again(self) -> None:
        self.again_wanted.emit(self.reading.id)

    def _on_memory(self) -> None:
        self.memory_wanted.emit(int(self.sender().property("number")))

    def _on_message(self) -> None:
        self.message_wanted.emit(int(self.sender().property("number")))


def _sent_text(text: str, answer_end: str, when: str) -> str:
    """One prompt with the end of its answer.

    >>> _sent_text("use CSV", "Done.", "today")
    'today\\nuse CSV\\n  … Done.'
    """
    shown = text if len(text) <= SENT_CHARS else f"{text[: SENT_CHARS // 2]} … {text[-SENT_CHARS // 2 :]}"
    return f"{when}\n{shown}" + (f"\n  … {answer_end}" if answer_end else "")


def _nothing_came(reading: JudgeReading) -> str:
    if reading.state != "done":
        return "Nothing: no answer came, and nothing was changed."
    if reading.remembered_count or reading.closed_count:
        return "Which memories it was is not known: it was read by an older version."
    return "Nothing: there was nothing to remember in it."
