"""The parts of the merge tool: a side with what differs marked in its sentence, and the result with its answers.

They show values and say by signals what is wanted; texts of people are plain and bounded. Source: UX 4.7.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto

from PySide6.QtCore import QEvent, QObject, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QResizeEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLineEdit, QSizePolicy, QTextEdit, QVBoxLayout, QWidget

from app.values import Contradiction, ContradictionDetail, MemoryDetail, Resolution
from ui.actions.table import ActionRegistry
from ui.screens.contradictions.wording import (
    QUOTE_CHARS,
    SUGGESTED_WORDS,
    Span,
    alike_words,
    both_texts,
    difference_in_words,
    difference_of,
    differing_spans,
    judged_words,
    proposed_words,
    result_text,
    says_more,
    side_lines,
    source_line,
)
from ui.theme import color, font_px
from ui.widgets.buttons import ActionButton, Button
from ui.widgets.card import Card, clear_layout
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel
from ui.widgets.plain_viewer import PlainViewer, bound_text
from ui.widgets.scroll import ScrollColumn
from ui.widgets.text_area import TextArea
from ui.wording.values import counted, moment

STACKED_BELOW_EM = 38.0
SIDE_EM = 19.0  # the answers stay near what is read
STORY_EM = 3  # of where a side comes from, so much is always in sight
TEXT_LINES_MOST, TEXT_PAD_PX = 7, 26
RESULT_EM = 4.2
MAX_QUOTES = 2
FOR_SEVERAL = frozenset({Resolution.A_WINS, Resolution.B_WINS, Resolution.DISMISSED})  # given to alike ones too
_HINT = "what your assistant will read"
_OTHERS = "3, 4 and 5 ask first. 0 keeps both and never asks again. J and K: next and previous."


class MarkedText(PlainViewer):
    """A text as plain text with stretches marked by ground and weight. As high as it needs, up to some lines."""

    def __init__(self, object_name: str, accessible_name: str, front: str, ground: str) -> None:
        super().__init__(object_name, accessible_name)
        self._front, self._ground = front, ground
        self._spans: Sequence[Span] = ()
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().documentLayout().documentSizeChanged.connect(self._on_size)  # another width, another text size

    def _on_size(self, _size: QSizeF) -> None:
        self._fit()

    def show_marked(self, text: str, spans: Sequence[Span]) -> None:
        self._spans = spans if bound_text(text) == text else ()  # a folded text has other places
        self.show_text(text)
        self._mark()
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_spans"):
            self._mark()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _mark(self) -> None:
        marks = []
        for start, end in self._spans:
            mark = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            cursor.setPosition(start)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            look = QTextCharFormat()
            look.setBackground(color(self._ground))
            look.setForeground(color(self._front))
            look.setFontWeight(QFont.Weight.DemiBold)
            look.setFontUnderline(True)  # never colour alone
            mark.cursor, mark.format = cursor, look
            marks.append(mark)
        self.setExtraSelections(marks)

    def _fit(self) -> None:
        lines, block = 0, self.document().firstBlock()
        while block.isValid():
            self.document().documentLayout().blockBoundingRect(block)  # lays it out at the present width
            lines += max(1, block.layout().lineCount())
            block = block.next()
        shown = min(max(lines, 1), TEXT_LINES_MOST)
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if lines > shown else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(policy)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * shown + TEXT_PAD_PX)


class _Origins(ScrollColumn):
    """Where a side comes from. Asks for a few lines and takes what is left: a hint that Qt ignores would let the text above cover it."""

    def __init__(self, object_name: str) -> None:
        super().__init__(object_name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), round(STORY_EM * font_px()))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())


class SideCard(Card):
    """One side whole. `opened` carries the message to show, `memory_opened` the memory."""

    opened = Signal(int)
    memory_opened = Signal(int)

    def __init__(self, name: str, age: str, front: str, ground: str, keep: ActionButton) -> None:
        super().__init__()
        self._name, self._age = name, age
        self.setObjectName(f"contradiction.{name.lower()}")
        self._memory_id = self._message_id = 0
        self.text = MarkedText(f"contradiction.text{name}", f"{name}, {age}", front, ground)
        self.scrolled = _Origins(f"contradiction.story{name}")
        self.scrolled.column.setContentsMargins(0, 0, 0, 0)
        self._lines = QVBoxLayout()
        self._lines.setSpacing(4)
        self._lines.setContentsMargins(0, 0, 0, 0)
        holder = QWidget()
        holder.setProperty("role", "content")
        holder.setLayout(self._lines)
        self.scrolled.add(holder)
        self.scrolled.add_stretch()
        self.source = Button("Source", f"contradiction.open{name}", kind="link", tip="Where it was said")
        self.source.clicked.connect(self._on_source)
        self.memory = Button("History", f"contradiction.memory{name}", kind="link", tip="Open the memory")
        self.memory.clicked.connect(self._on_memory)
        foot = FlowLayout()
        for button in (keep, self.source, self.memory):
            foot.addWidget(button)
        self.body.addWidget(self.text)
        self.body.addWidget(self.scrolled, 1)
        self.body.addLayout(foot)

    def set_side(self, detail: MemoryDetail, spans: Sequence[Span], now: datetime, difference: str) -> None:
        memory = detail.memory
        text = memory.levels.full.text
        self.set_title(f"{self._name}  {self._age} · {moment(memory.valid_from, now)}")
        self.setAccessibleName(f"{self._name}, {self._age}, {moment(memory.valid_from, now)}: {text[:QUOTE_CHARS]}")
        self.text.show_marked(text, spans)
        self.text.setAccessibleDescription(difference)
        self._memory_id = memory.id
        kept = next((one.message_id for one in detail.sources if one.is_message_kept and one.message_id), None)
        self._message_id = kept or 0
        self.source.setVisible(bool(kept))
        clear_layout(self._lines)
        for source in detail.sources[:MAX_QUOTES]:
            if says_more(source.quote, text):
                self._lines.addWidget(PlainLabel(f"“{source.quote[:QUOTE_CHARS]}”", "body", wraps=True))
            known = memory.valid_from if source is detail.sources[0] else None
            self._lines.addWidget(PlainLabel(source_line(source, now, known), "sub", wraps=True))
        if len(detail.sources) > MAX_QUOTES:
            more = counted(len(detail.sources) - MAX_QUOTES, "more time")
            self._lines.addWidget(PlainLabel(f"and {more}", "meta"))
        if not detail.sources:
            self._lines.addWidget(PlainLabel(memory.reason.capitalize() or "No source is kept.", "sub", wraps=True))
        for line in side_lines(detail, now):
            self._lines.addWidget(PlainLabel(line, "sub", wraps=True))

    @property
    def message_id(self) -> int:
        """The message where it was said; 0 where only the quote is kept."""
        return self._message_id

    def _on_source(self) -> None:
        if self._message_id:
            self.opened.emit(self._message_id)

    def _on_memory(self) -> None:
        self.memory_opened.emit(self._memory_id)


class Mode(Enum):
    """What the Result card asks for: one of the answers, or what an answer needs first."""

    CHOOSE = auto()
    BOTH = auto()
    SINCE = auto()
    MERGE = auto()


@dataclass(frozen=True, slots=True)
class Ask:
    """How a mode is said: whose effect it has, its task, the button that does it, and its fields (hint, name)."""

    answer: Resolution
    task: str
    go: str
    fields: tuple[tuple[str, str], ...] = ()


_ASKS = {
    Mode.BOTH: Ask(
        Resolution.BOTH_VALID,
        "Both stay. Say where each one holds, such as tests or production; one field is enough.",
        "Keep both (Enter)",
        (("where A holds", "Where A holds"), ("where B holds", "Where B holds")),
    ),
    Mode.SINCE: Ask(
        Resolution.B_WINS,
        "B holds from the day that you choose, A until then.",
        "Keep B from this day (Enter)",
        (("2026-11-02", "The day from which B holds"),),
    ),
    Mode.MERGE: Ask(Resolution.MERGED, "The text says what both say: cut it down to what holds.", "Merge (Ctrl+Enter)"),
}


class ResultCard(Card):
    """What assistants will read, the answers, and what each would do. `merged` carries the text, `both` the scopes, `since` a day.

    One mode at a time: text, task, effect and the filled button are always those of the mode.
    """

    merged = Signal(str)
    both = Signal(str, str)
    since = Signal(str)
    asking_changed = Signal()

    def __init__(self, actions: ActionRegistry) -> None:
        super().__init__("Result")
        self.setObjectName("contradiction.result")
        self._detail: ContradictionDetail | None = None
        self._alike_count = 0
        self.mode = Mode.CHOOSE
        self.hint = PlainLabel(_HINT, "meta")
        self.head.insertWidget(1, self.hint)
        self.why = PlainLabel("", "sub", wraps=True)
        self.why.setObjectName("contradiction.why")
        self.alike = PlainLabel("", "sub", wraps=True)
        self.alike.setObjectName("contradiction.alike")
        self.alike.hide()
        self.text = TextArea("contradiction.resultText", takes_escape=True)
        self.text.setAccessibleName("Result: what your assistant will read")
        self.text.kept.connect(self._on_go)
        self.text.escaped.connect(self.end_asking)
        self.effect = PlainLabel("", "body", wraps=True)
        self.effect.setObjectName("contradiction.effect")
        self.others = PlainLabel(_OTHERS, "meta", wraps=True)
        self._build_answers(actions)
        self._build_asking()
        for part in (self.why, self.alike, self.text, self.asking, self.choosing, self.effect, self.others):
            self.body.addWidget(part)

    def _build_answers(self, actions: ActionRegistry) -> None:
        self.accept = ActionButton(actions.action("contradiction.accept"), "check", kind="primary")
        words = (
            (Resolution.BOTH_VALID, "both", "split", "Both… (3)"),
            (Resolution.B_WINS, "since", "clock", "B replaces A since… (4)"),
            (Resolution.MERGED, "merge", "merge", "Merge… (5)"),
            (Resolution.DISMISSED, "dismiss", "close", "No contradiction (0)"),
        )
        self.answers = [
            (answer, ActionButton(actions.action(f"contradiction.{verb}"), icon, text=text))
            for answer, verb, icon, text in words
        ]
        self.later = ActionButton(actions.action("contradiction.later"), "forward", kind="quiet", text="Later (S)")
        self.apart = ActionButton(actions.action("contradiction.apart"), "split", kind="quiet", text="One by one (O)")
        self.apart.hide()
        self.head.addWidget(self.later)
        self.choosing = QWidget()
        buttons = FlowLayout(self.choosing)
        for button in (self.accept, *(one for _, one in self.answers), self.apart):
            buttons.addWidget(button)
        for answer, button in self.answers:
            self.watch(answer, button)

    def watch(self, answer: Resolution, button: QWidget) -> None:
        """While the pointer or the keyboard is over `button`, what `answer` would do is shown."""
        button.setProperty("answer", answer.value)
        button.installEventFilter(self)

    def _build_asking(self) -> None:
        """The row that asks for what an answer needs: scopes, a day, or only whether the text is right."""
        self.first = QLineEdit()
        self.first.setObjectName("contradiction.first")
        self.second = QLineEdit()
        self.second.setObjectName("contradiction.second")
        self.go = Button("", "contradiction.go", kind="primary")
        self.stop = Button("Back (Esc)", "contradiction.back", kind="quiet")
        self.go.clicked.connect(self._on_go)
        self.stop.clicked.connect(self.end_asking)
        for field in (self.first, self.second):
            field.returnPressed.connect(self._on_go)
            field.textChanged.connect(self._say_both)
        self.asking = QWidget()
        line = QHBoxLayout(self.asking)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addWidget(self.first, 1)
        line.addWidget(self.second, 1)
        line.addWidget(self.go)
        line.addWidget(self.stop)
        line.addStretch()

    @property
    def is_asking(self) -> bool:
        """Whether a field waits for words: single letters are the text's then."""
        return self.mode is not Mode.CHOOSE

    def set_detail(self, detail: ContradictionDetail, alike: Sequence[Contradiction] = ()) -> None:
        self._detail, self._alike_count = detail, len(alike)
        self.alike.setText(alike_words(alike))
        self.apart.setVisible(bool(alike))
        self.alike.setVisible(bool(alike))
        self.accept.set_text(f"{SUGGESTED_WORDS[detail.suggested]} (Enter)")
        self._set_mode(Mode.CHOOSE)

    def show_effect(self, answer: Resolution) -> None:
        """What an answer would do, before it is given: what assistants would read, and the rest in words."""
        if self._detail is None:
            return
        if self.mode is Mode.CHOOSE:
            self.text.setPlainText(result_text(self._detail, answer))
        lines = " ".join(self._detail.effects[answer])
        more = f" The same for {self._alike_count} like it." if self._alike_count and answer in FOR_SEVERAL else ""
        self.effect.setText(f"{SUGGESTED_WORDS[answer]}: {lines}{more} Ctrl+Z undoes it.")

    def ask_scopes(self) -> None:
        self._set_mode(Mode.BOTH)

    def ask_day(self, day: str) -> None:
        self._set_mode(Mode.SINCE)
        self.first.setText(day)
        self.first.selectAll()

    def edit(self) -> None:
        """The result becomes a text to edit."""
        self._set_mode(Mode.MERGE)

    def end_asking(self) -> None:
        if self.is_asking:
            self._set_mode(Mode.CHOOSE)
            self.accept.setFocus(Qt.FocusReason.OtherFocusReason)

    def _set_mode(self, mode: Mode) -> None:
        was, self.mode = self.mode, mode
        ask = _ASKS.get(mode)
        self.choosing.setVisible(ask is None)
        self.asking.setVisible(ask is not None)
        self.others.setVisible(ask is None)
        self.text.setReadOnly(mode is not Mode.MERGE)
        self._say_hint()
        if ask is None:
            self._say_suggestion()
        else:
            self._say_task(ask)
        if was is not mode:
            self.asking_changed.emit()

    def _say_suggestion(self) -> None:
        detail = self._detail
        if detail is not None:
            reason = f"Suggested: {SUGGESTED_WORDS[detail.suggested]}, because {detail.suggested_because}."
            self.why.setText(f"{reason}{judged_words(detail.contradiction)}")
            self.show_effect(detail.suggested)

    def _say_task(self, ask: Ask) -> None:
        detail = self._detail
        if detail is None:
            return
        for field, (hint, name) in zip((self.first, self.second), (*ask.fields, ("", ""), ("", "")), strict=False):
            field.clear()
            field.setPlaceholderText(hint)
            field.setAccessibleName(name or "Not needed")
            field.setVisible(bool(hint))
        self.why.setText(f"{ask.task} {difference_of(detail)}" if self.mode is Mode.MERGE else ask.task)
        self.go.set_text(ask.go)
        self.text.setPlainText(result_text(detail, ask.answer))
        self._say_both()
        self.show_effect(ask.answer)
        if self.mode is Mode.MERGE:
            self.text.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.text.moveCursor(QTextCursor.MoveOperation.End)
        else:
            self.first.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _say_both(self) -> None:
        """Both sides as they will stand, with the places typed so far."""
        if self.mode is Mode.BOTH and self._detail is not None:
            self.text.setPlainText(both_texts(self._detail, self.first.text(), self.second.text()))

    def _say_hint(self) -> None:
        """What the text is: what will be read, or one that a model proposed."""
        detail = self._detail
        is_proposed = detail is not None and bool(detail.proposed_text) and (
            self.mode is Mode.MERGE or (self.mode is Mode.CHOOSE and detail.suggested is Resolution.MERGED)
        )  # fmt: skip
        words = f"{_HINT}, {proposed_words(detail.contradiction)}" if detail is not None and is_proposed else _HINT
        self.hint.setText(words)

    def _on_go(self) -> None:
        match self.mode:
            case Mode.SINCE:
                self.since.emit(self.first.text().strip())
            case Mode.BOTH:
                self.both.emit(self.first.text().strip(), self.second.text().strip())
            case Mode.MERGE if self.text.toPlainText().strip():
                self.merged.emit(self.text.toPlainText().strip())
            case _:
                return

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.is_asking:
            self.end_asking()
            return
        super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The pointer or the keyboard over an answer shows what it would do."""
        if self._detail is not None and not self.is_asking:
            if event.type() in (QEvent.Type.Enter, QEvent.Type.FocusIn):
                self.show_effect(Resolution(watched.property("answer")))
            elif event.type() in (QEvent.Type.Leave, QEvent.Type.FocusOut):
                self.show_effect(self._detail.suggested)
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.text.setFixedHeight(round(RESULT_EM * font_px()))


class Pair(QWidget):
    """Both sides beside each other, or A above B where there is no room."""

    def __init__(self, a: SideCard, b: SideCard) -> None:
        super().__init__()
        self.a, self.b = a, b
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.setSpacing(12)
        self._line.addWidget(a, 1)
        self._line.addWidget(b, 1)

    def set_detail(self, detail: ContradictionDetail, now: datetime) -> None:
        texts = [side.memory.levels.full.text for side in (detail.a, detail.b)]
        left, right = differing_spans(*texts)
        difference = difference_in_words(*texts)
        self.a.set_side(detail.a, left, now, difference)
        self.b.set_side(detail.b, right, now, difference)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_stacked = self.width() < STACKED_BELOW_EM * font_px()
        self.setMaximumHeight(16_777_215 if is_stacked else round(SIDE_EM * font_px()))
        self._line.setDirection(QBoxLayout.Direction.TopToBottom if is_stacked else QBoxLayout.Direction.LeftToRight)
