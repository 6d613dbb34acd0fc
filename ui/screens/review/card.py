"""One card of the review: the person's words at the left, the memory that was made of them at the right.

Shows values and says by signals what is wanted; texts of people are plain and bounded. Source: UX 4.4, issue 16 point 10.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLayout, QVBoxLayout, QWidget

from app.values import (
    FactType,
    Level,
    Memory,
    MemoryDetail,
    MemoryKind,
    MemorySource,
    Message,
    ReviewCard,
    Trust,
    Visibility,
)
from ui.theme import font_px
from ui.unsaved import UnsavedTexts
from ui.widgets.buttons import Button
from ui.widgets.card import Card, clear_layout
from ui.widgets.labels import PlainLabel
from ui.widgets.memories.provenance import gloss_line, sessions_line
from ui.widgets.scroll import ScrollColumn
from ui.widgets.text_area import TextArea
from ui.wording.figures import shortened
from ui.wording.memories import KIND_WORDS, TRUST_WORDS, TYPE_WORDS
from ui.wording.values import app_title, counted, curled, moment, sure

QUOTE_CHARS, TEXT_CHARS, ALIKE_CHARS, TITLE_CHARS = 1_200, 1_200, 160, 60
AROUND_CHARS, AROUND_QUOTED_CHARS = 240, 900
MAX_QUOTES, MAX_ALIKE = 3, 6
_FULL = Level.FULL.value
EDITOR_EM = 9.0
LEAST_STORY_EM = 7.5  # most memories need no more, so the answers stand where they stood
UNSAVED_TEXT = "You have an unsaved edit of this text. Press E to continue."
ALLOW_QUESTION = "Let your assistants see this instruction?"
ALLOW_TEXT = "It tells an assistant what to do, and someone else may have written it. If you allow it, your assistants will take it as coming from you."
HELD_TEXT = "Blocked: it reads like an order to an assistant"
_AT_START = frozenset({FactType.CONSTRAINT, FactType.PREFERENCE, FactType.DECISION, FactType.PROCEDURE})


@dataclass(frozen=True, slots=True)
class CardReading:
    """One card with all that it shows. `details`: the shown memory, then those that say nearly the same."""

    card: ReviewCard
    details: tuple[MemoryDetail, ...]
    around: tuple[Message, ...] = ()  # the message that was quoted, between its neighbours; empty where it left

    @property
    def memory(self) -> Memory:
        return self.details[0].memory

    @property
    def sources(self) -> tuple[MemorySource, ...]:
        """Where any of them was said, those of the shown one first."""
        return tuple(source for detail in self.details for source in detail.sources)

    @property
    def session_count(self) -> int:
        """In how many sessions the shown one was said."""
        return self.details[0].session_count

    @property
    def message_id(self) -> int | None:
        """The message to open; None where only the quote is kept."""
        return next((one.message_id for one in self.sources if one.is_message_kept and one.message_id), None)


class QuoteCard(Card):
    """What the person typed, when and where. A click opens the conversation."""

    opened = Signal(int)  # message id

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("You typed", parent=parent)
        self.setObjectName("review.quote")
        self.setAccessibleName("What you typed")
        self._message_id = 0
        self.scrolled = ScrollColumn("review.quotes")
        self._lines = QVBoxLayout()
        self._lines.setSpacing(8)
        holder = QWidget()
        holder.setLayout(self._lines)
        self._lines.setContentsMargins(0, 0, 0, 0)
        self.scrolled.add(holder)
        self.scrolled.add_stretch()
        self.body.addWidget(self.scrolled, 1)
        self.open = Button("Open the conversation", "review.open", kind="link", tip="Show the message there (C)")
        self.open.clicked.connect(self._on_open)
        foot = QHBoxLayout()
        foot.addWidget(self.open)
        foot.addStretch(1)
        self.body.addLayout(foot)

    def set_reading(self, reading: CardReading, now: datetime) -> None:
        clear_layout(self._lines)
        memory, sources = reading.memory, reading.sources
        self._message_id = reading.message_id or 0
        self.open.setVisible(bool(self._message_id))
        self.setCursor(Qt.CursorShape.PointingHandCursor if self._message_id else Qt.CursorShape.ArrowCursor)
        is_own = memory.trust is not Trust.AGENT
        self.set_title("You typed" if sources and is_own else "Where it comes from")
        if not sources:
            self._lines.addWidget(PlainLabel(_comes_from(memory, now), "body", wraps=True))
            self._lines.addWidget(PlainLabel("It was not made from words of yours.", "sub", wraps=True))
        if reading.session_count > 1:
            self._lines.addWidget(PlainLabel(sessions_line(reading.session_count), "meta"))
        for source in sources[:MAX_QUOTES]:
            self._lines.addWidget(PlainLabel(f"“{source.quote[:QUOTE_CHARS]}”", "heading", wraps=True))
            if source.glosses:
                self._lines.addWidget(PlainLabel(gloss_line(source), "body", wraps=True))
            self._lines.addWidget(PlainLabel(_place(source, memory, now), "meta", wraps=True))
        if len(sources) > MAX_QUOTES:
            more = counted(len(sources) - MAX_QUOTES, "more time")
            self._lines.addWidget(PlainLabel(f"and {more}", "meta"))
        self._show_around(reading)
        self.scrolled.verticalScrollBar().setValue(0)

    def _show_around(self, reading: CardReading) -> None:
        """What was around the quote, so that nobody has to leave to know what was meant."""
        if len(reading.around) < 2 and not _says_more(reading):
            return
        self._lines.addSpacing(10)
        self._lines.addWidget(PlainLabel("In the conversation", "meta"))
        for message in reading.around:
            is_quoted = message.id == reading.message_id
            line = PlainLabel(
                shortened(message.text, AROUND_QUOTED_CHARS if is_quoted else AROUND_CHARS),
                "body" if is_quoted else "sub",
                wraps=True,
            )
            line.setObjectName("review.quoted" if is_quoted else "review.around")
            self._lines.addWidget(line)

    def _on_open(self) -> None:
        if self._message_id:
            self.opened.emit(self._message_id)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self._on_open()
        super().mouseReleaseEvent(event)


class ReviewedCard(Card):
    """The memory, why it was kept, what it would be given for. `saved` carries the new text of one that was edited."""

    saved = Signal(str)
    edit_ended = Signal()

    def __init__(self, unsaved: UnsavedTexts, parent: QWidget | None = None) -> None:
        super().__init__("Remember this?", kind="accent", parent=parent)
        self._unsaved = unsaved
        self._memory: Memory | None = None
        self.setObjectName("review.memory")
        self.scrolled = ScrollColumn("review.story")
        self.text = PlainLabel("", "title", wraps=True)
        self.text.setObjectName("review.text")
        self.editor = TextArea("review.editor", takes_escape=True)
        self.editor.setAccessibleName("What will be remembered")
        self.editor.kept.connect(self._on_save)
        self.editor.escaped.connect(self.end_edit)
        self.editor.textChanged.connect(self._on_typed)
        self.unsaved_line = PlainLabel(UNSAVED_TEXT, "warn", wraps=True)
        self.unsaved_line.setObjectName("review.unsaved")
        self.save = Button("Save and accept (Ctrl+Enter)", "review.save", kind="primary")
        self.save.clicked.connect(self._on_save)
        self.revert = Button("Discard (Esc)", "review.revert", kind="quiet")
        self.revert.clicked.connect(self.end_edit)
        self.why, self.given = PlainLabel("", "sub", wraps=True), PlainLabel("", "sub", wraps=True)
        self.what = PlainLabel("", "meta", wraps=True)
        self.alike = PlainLabel("", "sub", wraps=True)
        self.alike.setObjectName("review.alike")
        edit_row = QHBoxLayout()
        edit_row.addWidget(self.save)
        edit_row.addWidget(self.revert)
        edit_row.addStretch(1)
        self._edit_row = QWidget()
        edit_row.setContentsMargins(0, 0, 0, 0)
        self._edit_row.setLayout(edit_row)
        for part in (
            self.text,
            self.unsaved_line,
            self.editor,
            self._edit_row,
            self.what,
            self.why,
            self.given,
            self.alike,
        ):
            self.scrolled.add(part)
        self.scrolled.add_stretch()
        self.body.addWidget(self.scrolled, 1)
        self._show_editor(is_editing=False)

    @property
    def is_editing(self) -> bool:
        return self.editor.isVisibleTo(self)

    def set_reading(self, reading: CardReading) -> None:
        memory, card = reading.memory, reading.card
        self._memory = None  # what is put into the field is not typed
        waiting = self._unsaved.of(memory)
        typed = waiting.texts.get(_FULL) if waiting is not None else None
        self.editor.setPlainText(typed or memory.levels.full.text)
        self._memory = memory
        self._show_editor(is_editing=False)
        self.set_kind("warn" if card.is_held else "accent")
        self.set_title(HELD_TEXT if card.is_held else "Remember this?")
        self.text.setText(memory.levels.full.text[:TEXT_CHARS])
        self.setAccessibleName(
            f"{HELD_TEXT if card.is_held else 'Remember this?'} {memory.levels.full.text[:TEXT_CHARS]}"
        )
        word = TYPE_WORDS[memory.type] if memory.type is not None else KIND_WORDS[memory.kind]
        said = (
            f"said {counted(card.times_said, 'time')}"
            if card.times_said > 1 and memory.trust is not Trust.AGENT
            else ""
        )
        words = (word.capitalize(), TRUST_WORDS[memory.trust], sure(memory.confidence), said)
        self.what.setText(" · ".join(filter(None, words)))
        is_said_beside = not reading.sources  # then the other card says it
        self.why.setText("" if is_said_beside else f"Why: {curled(memory.reason)}")
        self.why.setVisible(bool(memory.reason) and not is_said_beside)
        self.given.setText(given_line(memory))
        self.alike.setText(_alike_text([one.memory.levels.full.text for one in reading.details[1:]], card))
        self.alike.setVisible(bool(card.alike_ids))
        self.scrolled.verticalScrollBar().setValue(0)

    def edit(self) -> None:
        """The text becomes a field, in place, with the keyboard in it."""
        self._show_editor(is_editing=True)
        self.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.editor.selectAll()

    def end_edit(self) -> None:
        """Back to the text as it was."""
        if self.is_editing and self._memory is not None:
            self.editor.setPlainText(self._memory.levels.full.text)
            self._show_editor(is_editing=False)
            self.edit_ended.emit()

    def _show_editor(self, *, is_editing: bool) -> None:
        waiting = self._unsaved.of(self._memory) if self._memory is not None else None
        self.unsaved_line.setVisible(not is_editing and waiting is not None and _FULL in waiting.texts)
        self.text.setVisible(not is_editing)
        self.editor.setVisible(is_editing)
        self._edit_row.setVisible(is_editing)

    def _on_typed(self) -> None:
        """Keeps an unsaved text with the memory until it is saved or discarded, as Memories does."""
        memory, text = self._memory, self.editor.toPlainText()
        if memory is None:
            return
        waiting = self._unsaved.of(memory)
        others = {name: one for name, one in waiting.texts.items() if name != _FULL} if waiting else {}
        typed = {_FULL: text} if text.strip() != memory.levels.full.text else {}
        self._unsaved.keep(memory, others | typed, memory.revision)

    def _on_save(self) -> None:
        text = self.editor.toPlainText().strip()
        if text:
            self._show_editor(is_editing=False)
            self.saved.emit(text)


class AllowQuestion(Card):
    """The question before a blocked memory is accepted. The focus is on the answer that changes nothing."""

    allowed = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(ALLOW_QUESTION, kind="warn", parent=parent)
        self.setObjectName("review.question")
        self.setAccessibleName(ALLOW_QUESTION)
        self.body.addWidget(PlainLabel(ALLOW_TEXT, "body", wraps=True))
        self.leave = Button("Leave it blocked", "review.leaveBlocked", kind="primary", tip="Nothing changes (Esc)")
        self.allow = Button(
            "Allow it", "review.allow", kind="danger", tip="Accept it: assistants are given it from now on"
        )
        self.leave.clicked.connect(self._on_leave)
        self.allow.clicked.connect(self._on_allow)
        line = QHBoxLayout()
        for button in (self.leave, self.allow):
            line.addWidget(button)
        line.addStretch(1)
        self.body.addLayout(line)
        self.hide()

    def ask(self) -> None:
        self.show()
        self.leave.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_leave(self) -> None:
        self.hide()
        self.left.emit()

    def _on_allow(self) -> None:
        self.hide()
        self.allowed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._on_leave()
            return
        super().keyPressEvent(event)


class ReviewPair(QWidget):
    """The memory with its answers, below it the words that it was made of."""

    def __init__(self, answers: QLayout, unsaved: UnsavedTexts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.quote, self.memory = QuoteCard(), ReviewedCard(unsaved)
        self.question = AllowQuestion()
        self.memory.body.addLayout(answers)
        self.memory.body.addWidget(self.question)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(self.memory)
        column.addWidget(self.quote, 100)
        column.addStretch(1)
        for part in (self.memory, self.quote):
            part.scrolled.content.installEventFilter(self)
        self._fit_soon = QTimer(self)  # never while Qt lays out: a height set there changes what is measured
        self._fit_soon.setSingleShot(True)
        self._fit_soon.setInterval(0)
        self._fit_soon.timeout.connect(self._fit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_soon.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self._fit_soon.start()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        """As tall as what it says: at least so much that the answers stay in one place, at most half of the page."""
        self.memory.editor.setMaximumHeight(round(EDITOR_EM * font_px()))
        content = self.memory.scrolled.content
        wanted = content.heightForWidth(content.width())
        least = round(LEAST_STORY_EM * font_px())
        self.memory.scrolled.setFixedHeight(min(max(wanted, least), max(least, self.height() // 2)))
        quoted = self.quote.scrolled
        around = self.quote.minimumSizeHint().height() - quoted.minimumSizeHint().height()
        self.quote.setMaximumHeight(around + quoted.content.heightForWidth(quoted.content.width()))


def given_line(memory: Memory) -> str:
    """What an accepted memory would be given for, in one sentence."""
    is_everywhere = memory.visibility is Visibility.PROJECT_SHARED or not memory.project
    where = "in every project" if is_everywhere else f"in {memory.project[:TITLE_CHARS]}"
    if memory.type in _AT_START or memory.kind in (MemoryKind.PATTERN, MemoryKind.WORKFLOW):
        return f"It would be given {where}: when a session starts, and when a prompt is about it."
    return f"It would be given {where} when a prompt is about it."


def _says_more(reading: CardReading) -> bool:
    """The quoted message holds other words than the quote."""
    quotes = {" ".join(source.quote.split()) for source in reading.sources}
    return any(" ".join(message.text.split()) not in quotes for message in reading.around)


def _comes_from(memory: Memory, now: datetime) -> str:
    """Who brought it and when, where no words of the person's are behind it."""
    reason = (memory.reason or "it was imported").replace("an assistant", app_title(memory.app) or "an assistant", 1)
    return f"{reason[:1].upper()}{reason[1:]}, {moment(memory.recorded_at, now)}."


def _place(source: MemorySource, memory: Memory, now: datetime) -> str:
    words = [
        app_title(source.app),
        source.conversation_title[:TITLE_CHARS].strip(),
        memory.project,
        moment(source.at, now),
    ]
    if not source.is_message_kept:
        words.append("only the quote is kept")
    return " · ".join(filter(None, words))


def _alike_text(texts: Sequence[str], card: ReviewCard) -> str:
    if not card.alike_ids:
        return ""
    lines = [f"and {len(card.alike_ids)} like it; your answer counts for all of them, and they become one:"]
    lines += [f"· {' '.join(text.split())[:ALIKE_CHARS]}" for text in texts[:MAX_ALIKE]]
    if len(texts) > MAX_ALIKE:
        lines.append(f"… and {len(texts) - MAX_ALIKE} more")
    return "\n".join(lines)
