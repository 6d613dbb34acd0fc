"""The right pane of Memories: one memory with all that is known about it, changed in place.

Shows one reading at a time; the person's acts go through MemoryCommands. What needs another read (tokens of a text) it
asks the bridge. Source: UX 4.4.
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.values import ArtifactKind, Memory, MemoryEdit, MemoryKind, RecallHit
from ui.icons import pixmap
from ui.navigation import Place
from ui.screens.base import PanelContext
from ui.screens.memories.commands import MemoryCommands
from ui.screens.memories.inspector.details import DetailsSection
from ui.screens.memories.inspector.history import HistorySection
from ui.screens.memories.inspector.levels import LevelEditor
from ui.screens.memories.inspector.links import LinkSection
from ui.screens.memories.inspector.waiting import WaitingNote
from ui.screens.memories.inspector.worded import WordedNote, is_worded, quote_of
from ui.screens.memories.reading import OneReading
from ui.theme import tokens
from ui.widgets.action_icon import ActionIcon
from ui.widgets.buttons import ActionButton, Button, IconButton
from ui.widgets.labels import Hairline, PlainLabel
from ui.widgets.memories.fields import MemoryFields
from ui.widgets.memories.story import SourceSection, WhySection
from ui.widgets.popups.notice_place import READ
from ui.widgets.scroll import ScrollColumn
from ui.wording.memories import KIND_WORDS, STATUS_WORDS, TRUST_WORDS, TYPE_WORDS, icon_of, token_of
from ui.wording.values import ago

NOTHING_TEXT = "Select a memory to read and change it."
PART_TEXT = "A part of a long conversation, summed up. Enter opens the conversation."
HEAD_ACTIONS = ("memory.pin", "memory.archive", "memory.erase")


class MemoryInspector(QFrame):
    """`message_wanted` and `memory_wanted` carry where to go; `closed` when it lies over the list and is put away."""

    message_wanted = Signal(int)
    quote_wanted = Signal(int, str)  # message, what was said in it
    memory_wanted = Signal(int)
    conversation_wanted = Signal(int)
    link_asked = Signal()
    closed = Signal()
    left = Signal()

    def __init__(self, context: PanelContext, commands: MemoryCommands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setObjectName("memories.inspector")
        self.setProperty(READ, True)
        self.setAccessibleName("The selected memory")
        self._context = context
        self._commands = commands
        self._reading: OneReading | None = None
        self.sign = PlainLabel()
        self.what = PlainLabel("", "heading", wraps=True)
        self.meta = PlainLabel("", "meta", wraps=True)
        self.close_button = IconButton("close", "memories.inspector.close", "Put this away (Esc)")
        self.close_button.hide()
        self.waiting = WaitingNote()
        self.levels = LevelEditor()
        self.worded = WordedNote(ActionButton(context.actions.action("memory.useWords"), only_able=True, parent=self))
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
        story = (self.waiting, self.levels, self.worded, Hairline(), self.sources, Hairline(), self.why, Hairline())
        for part in (*story, self.episode, self.fields, self.details, Hairline(), self.links, Hairline(), self.history):
            self.scrolled.add(part)
        self.scrolled.add_stretch()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self.meta)
        column.addWidget(Hairline())
        column.addWidget(self.scrolled, 1)
        self.nothing = PlainLabel(NOTHING_TEXT, "sub", wraps=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.pages.addWidget(self.nothing)
        self.pages.addWidget(page)

    def _connect(self) -> None:
        self.close_button.clicked.connect(self.closed)
        self.waiting.reviewed.connect(self._on_review)
        self.levels.saved.connect(self._on_text)
        self.levels.measure_wanted.connect(self._on_measure)
        self.levels.left.connect(self.left)
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
        self.why.told_again.connect(self._on_told_again)
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
        """What had the focus may have been built anew: the same thing has it again, else the list."""
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
        self._tell_head(memory, reading)
        self.waiting.set_memory(memory)
        self.episode.setVisible(memory.kind is MemoryKind.EPISODE)
        self.levels.set_memory(memory)
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

    def _on_review(self) -> None:
        """The review begins with the memory that is shown here."""
        if self.memory is not None:
            self._context.navigate(Place("review", "memory", self.memory.id))

    def _on_episode(self) -> None:
        if self.memory is not None:
            self._context.navigate(Place("episodes", "episode", self.memory.id))

    def _on_receipt(self, receipt_id: int) -> None:
        self._context.navigate(Place("context", "receipt", receipt_id))

    def _on_told_again(self) -> None:
        if self.memory is not None:
            self._commands.tell_again((self.memory.id,))

    def clear(self, *, is_part: bool = False) -> None:
        """Nothing is selected, or what is no memory: a part of a conversation."""
        self._reading = None
        self.nothing.setText(PART_TEXT if is_part else NOTHING_TEXT)
        self.pages.setCurrentIndex(0)

    def _tell_head(self, memory: Memory, reading: OneReading) -> None:
        name = icon_of(memory.kind, memory.type)
        token = token_of(memory.kind, memory.type)
        self.sign.setPixmap(pixmap(name, getattr(tokens(), token), 20, self.devicePixelRatioF()))
        word = TYPE_WORDS[memory.type] if memory.type is not None else KIND_WORDS[memory.kind]
        self.what.setText(word.capitalize())
        words = [STATUS_WORDS[memory.status], "pinned" if memory.is_pinned else "", TRUST_WORDS[memory.trust]]
        if memory.valid_to is not None and memory.valid_to <= reading.now:
            words.append("no longer true")
        if reading.placement is not None and reading.placement.is_withheld:
            words.append("never given")
        words += [memory.project, f"changed {ago(memory.updated_at, reading.now)}"]
        self.meta.setText(" · ".join(filter(None, words)))

    def set_over(self, *, is_over: bool) -> None:
        """Whether it lies over the list: then it can be put away."""
        self.close_button.setVisible(is_over)

    def show_waiting(self) -> None:
        """Puts before the person that it waits, with the keyboard on the way to the review."""
        self.scrolled.verticalScrollBar().setValue(0)
        self.waiting.take_focus()

    def edit_text(self) -> None:
        self.levels.edit()

    def first_focus(self) -> QWidget:
        return self.levels.editor

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
