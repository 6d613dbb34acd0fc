"""The parts of the merge tool: a side with what differs marked in its sentence, and the result with its answers.

They show values and say by signals what is wanted; texts of people are plain and bounded. Source: UX 4.7.
"""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QEvent, Qt, Signal
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
    differing_spans,
    judged_words,
    proposed_words,
    result_text,
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
SIDE_EM = 24.0  # the answers stay near what is read
STORY_EM = 3  # of where a side comes from, so much is always in sight
TEXT_LINES_MOST, TEXT_PAD_PX = 7, 26
RESULT_EM = 5.2
MAX_QUOTES = 2
FOR_SEVERAL = frozenset({Resolution.A_WINS, Resolution.B_WINS, Resolution.DISMISSED})  # given to alike ones too
_MERGE = "Merge (5)"
_HINT = "what your assistant will read – edit it to merge"


class MarkedText(PlainViewer):
    """A text as plain text with stretches marked by ground and weight. As high as it needs, up to some lines."""

    def __init__(self, object_name: str, accessible_name: str, front: str, ground: str) -> None:
        super().__init__(object_name, accessible_name)
        self._front, self._ground = front, ground
        self._spans: Sequence[Span] = ()
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

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
            lines += max(1, block.layout().lineCount())
            block = block.next()
        shown = min(max(lines, 1), TEXT_LINES_MOST)
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if lines > shown else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(policy)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * shown + TEXT_PAD_PX)


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
        self.scrolled = ScrollColumn(f"contradiction.story{name}")
        self.scrolled.setMinimumHeight(round(STORY_EM * font_px()))
        self.scrolled.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)  # it takes what is left
        self._lines = QVBoxLayout()
        self._lines.setSpacing(4)
        self._lines.setContentsMargins(0, 0, 0, 0)
        holder = QWidget()
        holder.setProperty("role", "content")
        holder.setLayout(self._lines)
        self.scrolled.add(holder)
        self.scrolled.add_stretch()
        self.source = Button("Where it was said", f"contradiction.open{name}", kind="link")
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
            if source.quote.strip() and source.quote.strip() != text.strip():
                self._lines.addWidget(PlainLabel(f"“{source.quote[:QUOTE_CHARS]}”", "body", wraps=True))
            self._lines.addWidget(PlainLabel(source_line(source, now), "meta", wraps=True))
        if len(detail.sources) > MAX_QUOTES:
            more = counted(len(detail.sources) - MAX_QUOTES, "more time")
            self._lines.addWidget(PlainLabel(f"and {more}", "meta"))
        if not detail.sources:
            self._lines.addWidget(PlainLabel(memory.reason.capitalize() or "No source is kept.", "meta", wraps=True))
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


class ResultCard(Card):
    """What assistants will read, the answers, and what each would do. `merged` carries the text, `both` the scopes, `since` a day."""

    merged = Signal(str)
    both = Signal(str, str)
    since = Signal(str)
    asking_changed = Signal()

    def __init__(self, actions: ActionRegistry) -> None:
        super().__init__("Result")
        self.setObjectName("contradiction.result")
        self._detail: ContradictionDetail | None = None
        self._alike_count = 0
        self._is_editing = False
        self.hint = PlainLabel(_HINT, "meta")
        self.head.insertWidget(1, self.hint)
        self.why = PlainLabel("", "sub", wraps=True)
        self.why.setObjectName("contradiction.why")
        self.alike = PlainLabel("", "sub", wraps=True)
        self.alike.setObjectName("contradiction.alike")
        self.alike.hide()
        self.text = TextArea("contradiction.resultText", takes_escape=True)
        self.text.setAccessibleName("Result: what your assistant will read")
        self.text.kept.connect(self._on_merge)
        self.text.escaped.connect(self._on_escape)
        self.effect = PlainLabel("", "sub", wraps=True)
        self.effect.setObjectName("contradiction.effect")
        self.accept = ActionButton(actions.action("contradiction.accept"), "check", kind="primary")
        self.merge = ActionButton(actions.action("contradiction.merge"), "merge", text=_MERGE)
        self.answers = [
            (Resolution.BOTH_VALID, ActionButton(actions.action("contradiction.both"), "split", text="Both (3)")),
            (Resolution.B_WINS, ActionButton(actions.action("contradiction.since"), "clock", text="B since… (4)")),
            (Resolution.MERGED, self.merge),
            (
                Resolution.DISMISSED,
                ActionButton(actions.action("contradiction.dismiss"), "close", text="No contradiction (0)"),
            ),
        ]
        self.later = ActionButton(actions.action("contradiction.later"), "forward", kind="quiet", text="Later (S)")
        buttons = FlowLayout()
        for button in (self.accept, *(one for _, one in self.answers), self.later):
            buttons.addWidget(button)
        for _, button in self.answers:
            button.installEventFilter(self)
        self.apart = ActionButton(actions.action("contradiction.apart"), "split", kind="quiet", text="One by one (O)")
        self.apart.hide()
        buttons.addWidget(self.apart)
        self._build_asking()
        self.body.addWidget(self.why)
        self.body.addWidget(self.alike)
        self.body.addWidget(self.text)
        self.body.addWidget(self.asking)
        self.body.addLayout(buttons)
        self.body.addWidget(self.effect)

    def _build_asking(self) -> None:
        """The row that asks for what an answer needs: scopes, or a day."""
        self.first = QLineEdit()
        self.first.setObjectName("contradiction.first")
        self.second = QLineEdit()
        self.second.setObjectName("contradiction.second")
        self.go = Button("Do it", "contradiction.go", kind="primary", tip="Enter")
        self.stop = Button("Back", "contradiction.back", kind="quiet", tip="Esc")
        self.go.clicked.connect(self._on_go)
        self.stop.clicked.connect(self.end_asking)
        for field in (self.first, self.second):
            field.returnPressed.connect(self._on_go)
        line = QHBoxLayout()
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        for widget in (self.first, self.second, self.go, self.stop):
            line.addWidget(widget)
        self.asking = QWidget()
        self.asking.setLayout(line)
        self.asking.hide()
        self._asks_since = False

    @property
    def is_asking(self) -> bool:
        """Whether a field waits for words: single letters are the text's then."""
        return self.asking.isVisibleTo(self)

    def set_detail(self, detail: ContradictionDetail, alike: Sequence[Contradiction] = ()) -> None:
        self._detail, self._alike_count = detail, len(alike)
        self._set_editing(is_on=False)
        self.alike.setText(alike_words(alike))
        self.apart.setVisible(bool(alike))
        self.alike.setVisible(bool(alike))
        self.end_asking()
        suggested = detail.suggested
        self.why.setText(f"{judged_words(detail.contradiction)}. Suggested: {SUGGESTED_WORDS[suggested]}, because "
                         f"{detail.suggested_because}.")  # fmt: skip
        self.text.setPlainText(result_text(detail))
        self._say_hint()
        self.accept.set_text(f"{SUGGESTED_WORDS[suggested]} (Enter)")
        self.show_effect(suggested)

    def show_effect(self, answer: Resolution) -> None:
        """What an answer would do, before it is given."""
        if self._detail is not None:
            lines = " ".join(self._detail.effects[answer])
            more = f" The same for {self._alike_count} alike." if self._alike_count and answer in FOR_SEVERAL else ""
            self.effect.setText(f"{SUGGESTED_WORDS[answer]}: {lines}{more} Ctrl+Z undoes.")

    def ask_scopes(self) -> None:
        self._asks_since = False
        self._ask("A holds for… (tests, production, …)", "B holds for…", "Where A holds", "Where B holds")
        self.show_effect(Resolution.BOTH_VALID)

    def ask_day(self, day: str) -> None:
        self._asks_since = True
        self._ask("2026-11-02", "", "The day from which B holds", "")
        self.first.setText(day)
        self.first.selectAll()
        self.show_effect(Resolution.B_WINS)

    def _ask(self, first: str, second: str, first_name: str, second_name: str) -> None:
        for field, hint, name in ((self.first, first, first_name), (self.second, second, second_name)):
            field.clear()
            field.setPlaceholderText(hint)
            field.setAccessibleName(name or "Not needed")
            field.setVisible(bool(hint))
        self.asking.show()
        self.first.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.asking_changed.emit()

    def end_asking(self) -> None:
        if self.is_asking:
            self.asking.hide()
            self.accept.setFocus(Qt.FocusReason.OtherFocusReason)
            if self._detail is not None:
                self.show_effect(self._detail.suggested)
            self.asking_changed.emit()

    def _on_go(self) -> None:
        if self._asks_since:
            self.since.emit(self.first.text().strip())
        else:
            self.both.emit(self.first.text().strip(), self.second.text().strip())

    def edit(self) -> None:
        """The cursor into the text, the proposed one where there is one; Ctrl+Enter merges, or the button again."""
        if self._is_editing:
            self._on_merge()
            return
        self._set_editing(is_on=True)
        if self._detail is not None and self.text.toPlainText() == result_text(self._detail):
            self.text.setPlainText(self._detail.proposed_text or both_texts(self._detail))
        self.text.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.text.selectAll()
        self.show_effect(Resolution.MERGED)
        self.hint.setText(f"{self._proposed_by()}Ctrl+Enter merges with this text, Esc lets it be")

    def _set_editing(self, *, is_on: bool) -> None:
        self._is_editing = is_on
        self.merge.set_text("Merge now (Ctrl+Enter)" if is_on else _MERGE)

    def _proposed_by(self) -> str:
        if self._detail is None or not self._detail.proposed_text:
            return ""
        return f"{proposed_words(self._detail.contradiction)} – "

    def _say_hint(self) -> None:
        """What the text is: a side's own, or one that a model proposed."""
        is_proposed = self._detail is not None and self._detail.suggested is Resolution.MERGED
        self.hint.setText(f"{self._proposed_by()}edit it to merge" if is_proposed else _HINT)

    def _on_merge(self) -> None:
        if self.text.toPlainText().strip():
            self.merged.emit(self.text.toPlainText().strip())

    def _on_escape(self) -> None:
        self._set_editing(is_on=False)
        self._say_hint()
        if self._detail is not None:
            self.text.setPlainText(result_text(self._detail))
            self.show_effect(self._detail.suggested)
        self.accept.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.is_asking:
            self.end_asking()
            return
        super().keyPressEvent(event)

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """The pointer or the keyboard over an answer shows what it would do."""
        if event.type() in (QEvent.Type.Enter, QEvent.Type.FocusIn):
            for answer, button in self.answers:
                if button is watched:
                    self.show_effect(answer)
        elif event.type() is QEvent.Type.Leave and self._detail is not None and not self.is_asking:
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
