"""The right pane of Memories: one memory with all that is known about it, changed in place.

Shows one reading at a time; the person's acts go through MemoryCommands. What needs another read (tokens of a text)
it asks the bridge.

What only episodes, patterns and workflows have: trigger, steps, outcome and the like, a field each.
Links of a memory to others, and what it belongs to outside: commits, pull requests, decision records, files.
What is above a memory that waits for the person: why it waits, and the way to answer it.
Whose words a memory's are: the note in the inspector where a model worded it from what the person said.

Source: UX 4.4; S3, S4, DESIGN section 4; UX 4.4, S4; UX 4.4, S7; UX 4.8b.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.values import (
    Artifact,
    ArtifactKind,
    Memory,
    MemoryEdit,
    MemoryKind,
    MemoryLink,
    MemoryReason,
    MemorySource,
    MemoryStatus,
    RecallHit,
)
from ui.bridge import Failure
from ui.icons import pixmap
from ui.navigation import Place
from ui.notices import Notice, NoticeKind
from ui.screens.base import PanelContext
from ui.screens.memories.commands import MemoryCommands
from ui.screens.memories.inspector.history import HistorySection
from ui.screens.memories.inspector.levels import LevelEditor
from ui.screens.memories.reading import OneReading
from ui.theme import tokens
from ui.widgets.buttons import ActionButton, ActionIcon, Button, FitButton, IconButton
from ui.widgets.card import Card, clear_layout
from ui.widgets.controls import Choice
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import ElidedLabel, Hairline, PlainLabel
from ui.widgets.memories.fields import LABEL_PX, MemoryFields, line_field
from ui.widgets.memories.provenance import Section, SourceSection, WhySection
from ui.widgets.scroll import ScrollColumn
from ui.wording.memories import (
    ARTIFACT_WORDS,
    KIND_WORDS,
    LINK_WORDS,
    STATUS_WORDS,
    TRUST_WORDS,
    TYPE_WORDS,
    icon_of,
    reason_line,
    token_of,
)
from ui.wording.values import ago, app_title, curled, sure

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


PROPOSED_TEXT = "Waits for your yes or no"
HELD_TEXT = "Blocked: it reads like an order to an assistant"


class WaitingNote(Card):
    """`answered` carries yes or no; `reviewed` leads to the review, where what is blocked is answered."""

    answered = Signal(bool)
    reviewed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", kind="accent", parent=parent)
        self.setObjectName("memory.waiting")
        self.question = PlainLabel("", "heading", wraps=True)
        self.reason = PlainLabel("", "meta", wraps=True)
        self.body.addWidget(self.question)
        self.body.addWidget(self.reason)
        self.accept = Button("Accept", "memory.waiting.accept", kind="primary", icon_name="check", tip="Keep it (A)")
        self.reject = Button("Reject", "memory.waiting.reject", icon_name="close", tip="Archive it (R)")
        self.review = Button("Review", "memory.waiting.review", kind="quiet", icon_name="inbox")
        self.accept.clicked.connect(self._on_accept)
        self.reject.clicked.connect(self._on_reject)
        self.review.clicked.connect(self.reviewed)
        row = FlowLayout()
        for button in (self.accept, self.reject, self.review):
            row.addWidget(button)
        self.body.addLayout(row)
        self.hide()

    def _on_accept(self) -> None:
        self.answered.emit(True)

    def _on_reject(self) -> None:
        self.answered.emit(False)

    def take_focus(self) -> None:
        """The keyboard goes to "Review"."""
        self.review.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def set_memory(self, memory: Memory) -> None:
        """Shown only for memories that wait."""
        is_held = memory.status is MemoryStatus.QUARANTINED
        self.setVisible(is_held or memory.status is MemoryStatus.PROPOSED)
        self.set_kind("warn" if is_held else "accent")
        self.accept.setVisible(not is_held)  # what is blocked is read whole first
        self.question.setText(HELD_TEXT if is_held else PROPOSED_TEXT)
        self.setAccessibleName(self.question.text())
        words = [curled(memory.reason), TRUST_WORDS[memory.trust]]
        if not is_held:  # how sure a blocked one is, is no question
            words.append(sure(memory.confidence))
        else:
            words.append("no assistant is given this until you accept it")
        self.reason.setText(" · ".join(filter(None, words)))


MAX_SHOWN = 30


def _link_label(words: str) -> PlainLabel:
    """As wide in every line, so that the names are below each other."""
    label = PlainLabel(words, "meta")
    label.setMinimumWidth(LABEL_PX)
    return label


class LinkSection(Section):
    """`memory_wanted` carries the memory at the other end, `conversation_wanted` a conversation."""

    memory_wanted = Signal(int)
    conversation_wanted = Signal(int)
    link_asked = Signal()
    unlink_wanted = Signal(int)
    attach_wanted = Signal(str, str)  # kind, reference
    detach_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Links", parent)
        self._add_link = Button(
            "Link to another memory…", "memory.link", kind="link", icon_name="link", tip="Find it by its words"
        )
        self._add_link.clicked.connect(self.link_asked)
        self.kind = Choice()
        self.kind.setObjectName("memory.artifact.kind")
        self.kind.setAccessibleName("What it belongs to")
        for kind, word in ARTIFACT_WORDS.items():
            self.kind.addItem(word, kind.value)
        self.kind.setCurrentIndex(self.kind.findData(ArtifactKind.FILE.value))
        self.reference = line_field("memory.artifact.reference", "Its name or number", "src/login.ts, #214, 9fce12…")
        self.reference.returnPressed.connect(self._on_attach)
        foot = QHBoxLayout()
        foot.setSpacing(6)
        foot.addWidget(self.kind)
        foot.addWidget(self.reference, 1)
        self._column.addWidget(self._add_link)
        self._column.addLayout(foot)

    def set_links(
        self, links: Sequence[MemoryLink], artifacts: Sequence[Artifact], contradicting: Sequence[int] = ()
    ) -> None:
        """`contradicting`: memories that cannot hold beside this one."""
        clear_layout(self.body)
        for n, other_id in enumerate(contradicting[:MAX_SHOWN], start=1):
            text = "Contradicts another memory: show it" if len(contradicting) == 1 else f"Contradicts: show number {n}"
            button = Button(text, f"memory.contradicts.{other_id}", kind="link", icon_name="warning")
            button.setProperty("kind_of", "memory")
            button.setProperty("other", other_id)
            button.clicked.connect(self._on_open)
            self.body.addWidget(button)
        for link in links[:MAX_SHOWN]:
            self._link(link)
        for artifact in artifacts[:MAX_SHOWN]:
            self._artifact(artifact)

    def _link(self, link: MemoryLink) -> None:
        words = LINK_WORDS[link.type][0 if link.is_outgoing else 1]
        line = QHBoxLayout()
        line.setSpacing(4)
        line.addWidget(_link_label(words))
        title = FitButton(link.other_title or link.other_kind, f"memory.link.{link.id}.open", kind="link")
        title.setAccessibleName(f"{words} {link.other_title[:80]}")
        title.setProperty("kind_of", link.other_kind)
        title.setProperty("other", link.other_id)
        title.setEnabled(link.other_kind in ("memory", "conversation"))
        title.clicked.connect(self._on_open)
        line.addWidget(title)
        line.addStretch(1)
        remove = IconButton("close", f"memory.link.{link.id}.remove", f"Remove the link to {link.other_title[:60]}")
        remove.setProperty("link", link.id)
        remove.clicked.connect(self._on_unlink)
        line.addWidget(remove)
        self.body.addLayout(line)

    def _artifact(self, artifact: Artifact) -> None:
        line = QHBoxLayout()
        line.setSpacing(4)
        line.addWidget(_link_label(ARTIFACT_WORDS[artifact.kind]))
        line.addWidget(ElidedLabel(artifact.reference), 1)
        name = f"memory.artifact.{artifact.id}.remove"
        remove = IconButton("close", name, f"Remove {artifact.reference[:60]}")
        remove.setProperty("artifact", artifact.id)
        remove.clicked.connect(self._on_detach)
        line.addWidget(remove)
        self.body.addLayout(line)

    def _on_open(self) -> None:
        sender = self.sender()
        wanted = self.memory_wanted if sender.property("kind_of") == "memory" else self.conversation_wanted
        wanted.emit(int(sender.property("other")))

    def _on_unlink(self) -> None:
        self.unlink_wanted.emit(int(self.sender().property("link")))

    def _on_attach(self) -> None:
        typed = self.reference.text().strip()
        if typed:
            self.reference.clear()
            self.attach_wanted.emit(str(self.kind.currentData()), typed)

    def _on_detach(self) -> None:
        self.detach_wanted.emit(int(self.sender().property("artifact")))


MAX_DETAIL_CHARS = 4_000
_EXPECTED = {
    MemoryKind.EPISODE: ("narrative", "context", "participants", "outcome"),
    MemoryKind.PATTERN: ("template", "trigger"),
    MemoryKind.WORKFLOW: ("trigger", "steps"),
}
_SHOWN_ELSEWHERE = frozenset(  # of an episode: its own screen draws them
    {"moments", "turn_range", "turn_ranges", "conversation_id", "done", "works"}
)
_LISTS = frozenset({"participants", "steps"})


def detail_text(value: Any) -> str:
    """A detail as one line.

    >>> detail_text(["format", "test"]), detail_text(0.4), detail_text(None)
    ('format; test', '0.4', '')
    """
    if isinstance(value, list | tuple):
        return "; ".join(str(part) for part in value)
    return "" if value is None else " ".join(str(value).split())


def parse_detail(name: str, text: str, before: Any) -> Any:
    """What was typed, as a list where it was one or has to be.

    >>> parse_detail("steps", "format; ; test", None), parse_detail("trigger", " a route ", "")
    (['format', 'test'], 'a route')
    """
    if name in _LISTS or isinstance(before, list | tuple):
        return [part.strip() for part in text.split(";") if part.strip()]
    return text.strip()


class DetailsSection(Section):
    """`edited` carries a MemoryEdit with all details."""

    edited = Signal(object)

    def __init__(self) -> None:
        super().__init__("Details")
        self._details: Mapping[str, Any] = {}
        self._memory_id = 0
        self._fields: dict[str, QLineEdit] = {}

    def set_memory(self, memory: Memory) -> None:
        """Shown for all kinds but plain statements; a field with the focus keeps what is typed."""
        names = [*_EXPECTED.get(memory.kind, ()), *memory.details]
        self.setVisible(memory.kind is not MemoryKind.FACT)
        self._details = memory.details
        wanted = [name for name in dict.fromkeys(names) if name not in _SHOWN_ELSEWHERE]
        if memory.id != self._memory_id or wanted != list(self._fields):
            self._memory_id = memory.id
            self._build(wanted)
        for name, field in self._fields.items():
            if not field.hasFocus():
                field.setText(detail_text(memory.details.get(name))[:MAX_DETAIL_CHARS])
                field.setCursorPosition(0)

    def _build(self, names: list[str]) -> None:
        clear_layout(self.body)
        self._fields = {}
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        for n, name in enumerate(names):
            title = name.replace("_", " ").capitalize()
            label = PlainLabel(title[:40], "meta")
            label.setMinimumWidth(LABEL_PX)
            value = self._details.get(name)
            field = line_field(f"memory.detail.{name}", title)
            field.setMaxLength(MAX_DETAIL_CHARS)
            field.setReadOnly(not isinstance(value, str | list | tuple | None))
            field.setProperty("detail", name)
            field.editingFinished.connect(self._on_edited)
            self._fields[name] = field
            grid.addWidget(label, n, 0)
            grid.addWidget(field, n, 1)
        self.body.addLayout(grid)

    def _on_edited(self) -> None:
        name = str(self.sender().property("detail"))
        typed = self._fields[name].text()
        before = self._details.get(name)
        if not self._fields[name].isReadOnly() and typed != detail_text(before)[:MAX_DETAIL_CHARS]:
            self.edited.emit(MemoryEdit(details={**self._details, name: parse_detail(name, typed, before)}))


NOTHING_TEXT = "Select a memory to read and change it."
PART_TEXT = "A part of a long conversation, summed up. Enter opens the conversation."
HEAD_ACTIONS = ("memory.pin", "memory.archive", "memory.erase")


class MemoryInspector(QFrame):
    """`message_wanted` and `memory_wanted` carry where to go; `closed` when it is over the list and is closed."""

    message_wanted = Signal(int)
    quote_wanted = Signal(int, str)  # message, what was said in it
    memory_wanted = Signal(int)
    conversation_wanted = Signal(int)
    link_asked = Signal()
    closed = Signal()
    left = Signal()
    kept = Signal()  # what was typed is saved

    def __init__(self, context: PanelContext, commands: MemoryCommands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setObjectName("memories.inspector")
        self.setAccessibleName("The selected memory")
        self._context = context
        self._commands = commands
        self._reading: OneReading | None = None
        self.sign = PlainLabel()
        self.what = PlainLabel("", "heading", wraps=True)
        self.meta = PlainLabel("", "meta", wraps=True)
        self.close_button = IconButton("close", "memories.inspector.close", "Close this (Esc)")
        self.close_button.hide()
        self.waiting = WaitingNote()
        self.levels = LevelEditor(context.unsaved)
        self.reasons = PlainLabel("", "body", wraps=True)
        self.reasons.setObjectName("memory.reasons")
        self.worded = WordedNote(ActionButton(context.actions.action("memory.useWords"), only_able=True, parent=self))
        self.unfold = Button("Details", "memories.inspector.details", kind="quiet", icon_name="chevron-right")
        self.unfold.setToolTip("Title, type, what it is about, how long it holds, tags")
        self.unfold.clicked.connect(self._on_unfold)
        self.form = QWidget(self)
        self.form.setProperty("role", "content")
        self.fields = MemoryFields()
        self.details = DetailsSection()
        self.episode = Button(
            "Show how it went", "memories.inspector.episode", icon_name="episode", tip="Open it in the time line"
        )
        self.episode.clicked.connect(self._on_episode)
        self.sources = SourceSection()
        self.why = WhySection()
        self.links = LinkSection()
        self.history = HistorySection()
        self._build()
        self._connect()

    def _build(self) -> None:
        outer = QVBoxLayout(self)
        outer.setContentsMargins(12, 8, 4, 8)
        self.pages = QStackedWidget(self)
        outer.addWidget(self.pages)
        page = QWidget(self.pages)
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(self.sign)
        head.addWidget(self.what, 1)
        for name in HEAD_ACTIONS:
            head.addWidget(ActionIcon(self._context.actions.action(name)))
        head.addWidget(self.close_button)
        self.scrolled = ScrollColumn("memories.inspector.scroll", parent=page)
        self.scrolled.column.setSpacing(8)
        story = (
            self.waiting,
            self.levels,
            self.reasons,
            self.worded,
            Hairline(),
            self.sources,
            Hairline(),
            self.why,
            Hairline(),
        )
        folded = QVBoxLayout(self.form)
        folded.setContentsMargins(0, 0, 0, 0)
        folded.addWidget(self.fields)
        folded.addWidget(self.details)
        self.form.hide()  # text, source and use come first; a form is for who wants to change something
        for part in (*story, self.episode):
            self.scrolled.add(part)
        self.scrolled.column.addWidget(self.unfold, 0, Qt.AlignmentFlag.AlignLeft)
        for below in (self.form, Hairline(), self.links, Hairline(), self.history):
            self.scrolled.add(below)
        self.scrolled.add_stretch()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        self.meta.setContentsMargins(0, 0, 10, 0)
        column.addWidget(self.meta)
        column.addWidget(Hairline())
        column.addWidget(self.scrolled, 1)
        self.nothing = PlainLabel(NOTHING_TEXT, "sub", wraps=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.pages.addWidget(self.nothing)
        self.pages.addWidget(page)

    def _connect(self) -> None:
        self.close_button.clicked.connect(self.closed)
        self.waiting.answered.connect(self._on_answered)
        self.waiting.reviewed.connect(self._on_review)
        self._context.bridge.failed.connect(self._on_failed)
        self.levels.saved.connect(self._on_text)
        self.levels.measure_wanted.connect(self._on_measure)
        self.levels.left.connect(self.left)
        self.levels.kept.connect(self.kept)
        self.levels.set_aside.connect(self._on_set_aside)
        self.fields.edited.connect(self._on_field)
        self.details.edited.connect(self._on_field)
        self.sources.message_wanted.connect(self.message_wanted)
        self.worded.quote_wanted.connect(self.quote_wanted)
        self.links.memory_wanted.connect(self.memory_wanted)
        self.links.conversation_wanted.connect(self.conversation_wanted)
        self.links.link_asked.connect(self.link_asked)
        self.links.unlink_wanted.connect(self._commands.unlink)
        self.links.detach_wanted.connect(self._commands.detach)
        self.links.attach_wanted.connect(self._on_attach)
        self.why.given_again.connect(self._on_given_again)
        self.why.receipt_wanted.connect(self._on_receipt)
        self.history.diff_wanted.connect(self._on_diff)
        self.history.restore_wanted.connect(self._on_restore)

    # -- showing
    @property
    def memory(self) -> Memory | None:
        """The memory that is shown."""
        return self._reading.detail.memory if self._reading is not None and self._reading.detail is not None else None

    def set_reading(self, reading: OneReading, hit: RecallHit | None) -> None:
        """Shows it; the same memory changes in place, what is being typed stays."""
        is_other = self.memory is None or reading.detail is None or self.memory.id != reading.detail.memory.id
        self._reading = reading
        focus = QApplication.focusWidget()
        had_focus = focus is not None and self.isAncestorOf(focus)
        name = focus.objectName() if focus is not None else ""
        self._fill(reading, hit)
        if had_focus:
            self._keep_focus(name)
        if is_other:
            self.scrolled.verticalScrollBar().setValue(0)

    def _keep_focus(self, name: str) -> None:
        """What had the focus may have been built again: the same thing has it again, else the list."""
        focus = QApplication.focusWidget()
        if focus is not None and self.isAncestorOf(focus) and focus.objectName() == name:
            return
        again = self.findChild(QWidget, name) if name else None
        if again is not None and again.isVisibleTo(self):
            again.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.left.emit()

    def _fill(self, reading: OneReading, hit: RecallHit | None) -> None:
        detail = reading.detail
        self.pages.setCurrentIndex(0 if detail is None else 1)
        if detail is None:
            return
        memory = detail.memory
        self._show_head(memory, reading)
        self.waiting.set_memory(memory)
        self.episode.setVisible(memory.kind is MemoryKind.EPISODE)
        self.levels.set_memory(memory)
        self._show_reasons(memory, reading.reasons)
        self.worded.set_memory(memory, detail.sources)
        self.fields.set_memory(memory)
        self.details.set_memory(memory)
        self.sources.set_sources(detail.sources, memory, reading.now, detail.session_count)
        self.why.set_state(memory.status)
        counts = (memory.retrieved_count, memory.cited_count, memory.ignored_count)
        self.why.set_usage(counts, detail.usage_days, memory.decay)
        self.why.set_citations(detail.citations, reading.now)
        self.why.set_placement(reading.placement)
        self.why.set_hit(hit)
        self.links.set_links(detail.links, detail.artifacts, detail.contradiction_ids)
        self.history.set_versions(detail.versions, reading.now)

    def _on_unfold(self) -> None:
        is_open = self.form.isHidden()
        self.form.setVisible(is_open)
        self.unfold.set_icon_name("chevron-down" if is_open else "chevron-right")
        self.unfold.setAccessibleDescription("open" if is_open else "folded")

    def _on_answered(self, is_kept: bool) -> None:
        if self.memory is not None:
            ids = (self.memory.id,)
            self._commands.accept(ids) if is_kept else self._commands.reject(ids)
            self.left.emit()  # the buttons go

    def _on_review(self) -> None:
        """The review begins with the memory that is shown here."""
        if self.memory is not None:
            self._context.navigate(Place("review", "memory", self.memory.id))

    def _on_episode(self) -> None:
        if self.memory is not None:
            self._context.navigate(Place("episodes", "episode", self.memory.id))

    def _on_receipt(self, receipt_id: int) -> None:
        self._context.navigate(Place("context", "receipt", receipt_id))

    def _on_given_again(self) -> None:
        if self.memory is not None:
            self._commands.allow_again((self.memory.id,))

    def clear(self, *, is_part: bool = False) -> None:
        """Nothing is selected, or what is no memory: a part of a conversation."""
        self._reading = None
        self.nothing.setText(PART_TEXT if is_part else NOTHING_TEXT)
        self.pages.setCurrentIndex(0)

    def _show_head(self, memory: Memory, reading: OneReading) -> None:
        name = icon_of(memory.kind, memory.type)
        token = token_of(memory.kind, memory.type)
        self.sign.setPixmap(pixmap(name, getattr(tokens(), token), 20, self.devicePixelRatioF()))
        word = TYPE_WORDS[memory.type] if memory.type is not None else KIND_WORDS[memory.kind]
        self.what.setText(word.capitalize())
        is_over = memory.valid_to is not None and memory.valid_to <= reading.now
        is_pinned = "pinned: always given" if memory.is_pinned else ""
        words = ["no longer true" if is_over else STATUS_WORDS[memory.status], is_pinned, TRUST_WORDS[memory.trust]]
        if reading.placement is not None and reading.placement.is_withheld:
            words.append("never given")
        words += [memory.project, f"changed {ago(memory.updated_at, reading.now)}"]
        self.meta.setText(" · ".join(filter(None, words)))

    def _show_reasons(self, memory: Memory, reasons: Sequence[MemoryReason]) -> None:
        """Leaves out a reason that the memory's text already says."""
        text = memory.levels.full.text.casefold()
        shown = [one for one in reasons if one.relation is not None or one.text.rstrip("…").casefold() not in text]
        self.reasons.setText("\n".join(reason_line(one) for one in shown))
        self.reasons.setVisible(bool(shown))

    def set_over(self, *, is_over: bool) -> None:
        """Whether it is over the list: then it can be closed."""
        self.close_button.setVisible(is_over)

    def show_waiting(self) -> None:
        """Puts before the person that it waits, with the keyboard on the way to the review."""
        self.scrolled.verticalScrollBar().setValue(0)
        self.waiting.take_focus()

    def edit_text(self) -> None:
        self.levels.edit()

    @property
    def has_own_words(self) -> bool:
        """Whether a model worded it, and the words it was made of are known."""
        return self._own_words() is not None

    def use_own_words(self) -> None:
        """The quote becomes the text; undo brings the wording back."""
        words = self._own_words()
        if words is not None:
            self._on_text(MemoryEdit(full=words))
            self.left.emit()  # the button goes: the field behind it must not have the keyboard by chance

    def _own_words(self) -> str | None:
        detail = self._reading.detail if self._reading is not None else None
        if detail is None or not is_worded(detail.memory):
            return None
        source = quote_of(detail.memory, detail.sources)
        return source.quote.strip() if source is not None else None

    @property
    def has_source(self) -> bool:
        """Whether a message it was said in can be opened."""
        return self._source_message() is not None

    def open_source(self) -> None:
        """Goes to the newest message that it was said in."""
        message_id = self._source_message()
        if message_id is not None:
            self.message_wanted.emit(message_id)

    def _source_message(self) -> int | None:
        detail = self._reading.detail if self._reading is not None else None
        sources = detail.sources if detail is not None else ()
        return next((one.message_id for one in sources if one.is_message_kept and one.message_id is not None), None)

    # -- doing
    def _on_text(self, edit: object) -> None:
        """A text that somebody else changed meanwhile is not written over."""
        assert isinstance(edit, MemoryEdit)
        if self.memory is not None:
            self._commands.edit(self.memory.id, edit, self.memory.revision)

    def _on_failed(self, failure: Failure) -> None:
        if failure.action_id == "memory.edit":
            self.levels.give_back()

    def _on_set_aside(self, memory: object) -> None:
        """Another memory is shown before the words were saved: they wait in that one."""
        assert isinstance(memory, Memory)
        text = f"What you typed into “{memory.title}” is not saved yet. It is kept there until you save or discard it."
        number = memory.id
        self._context.notify(
            Notice(text, NoticeKind.WARN, "Go back", lambda: self.memory_wanted.emit(number), about=f"draft {number}")
        )

    def _on_field(self, edit: object) -> None:
        """Fields stand each for itself: two changed shortly after each other both hold."""
        assert isinstance(edit, MemoryEdit)
        if self.memory is not None:
            self._commands.edit(self.memory.id, edit)

    def _on_attach(self, kind: str, reference: str) -> None:
        if self.memory is not None:
            self._commands.attach(self.memory.id, ArtifactKind(kind), reference)

    def _on_restore(self, version_id: int) -> None:
        if self.memory is not None:
            self._commands.restore_version(self.memory.id, version_id)

    def _on_diff(self, version_id: int) -> None:
        self._context.bridge.ask(
            "memories.diff", lambda engine: (version_id, engine.memories.version_diff(version_id)), self._on_diffed
        )

    def _on_diffed(self, told: tuple[int, str]) -> None:
        self.history.set_diff(*told)

    def _on_measure(self, text: str) -> None:
        self._context.bridge.ask(
            "memories.measure", lambda engine: (text, engine.memories.measure(text).full.token_count), self._on_measured
        )

    def _on_measured(self, measured: tuple[str, int]) -> None:
        self.levels.set_measured(*measured)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return
        super().keyPressEvent(event)
