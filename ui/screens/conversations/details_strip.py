"""What is known about the shown conversation: about, its references as a list, the timeline of entities.

The list of references is the twin of what is painted into the transcript: everything there can be reached here without
a picture. Says what is wanted by signals. Source: UX 4.3, 6.
"""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.values import (
    Conversation,
    ConversationDetail,
    ConversationRecord,
    CrossReference,
    FileChange,
    MemoryCard,
    Message,
    ReferenceState,
    ReferenceWay,
)
from ui.screens.conversations.timeline_list import TimelineList
from ui.screens.conversations.window_strip import WindowStrip
from ui.widgets.buttons import Button
from ui.widgets.card import clear_layout
from ui.widgets.fit_button import FitButton
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.scroll import ScrollColumn
from ui.wording.values import (
    INTENT_WORDS,
    OUTCOME_WORDS,
    STATE_WORDS,
    app_title,
    clock_time,
    counted,
    reference_line,
    span_of_time,
    sure,
)

LINK_INSET_PX = 5  # border and padding of a link button
MAX_FILES = 12
MAX_REFERENCES = 500
_IDS_ROLE = Qt.ItemDataRole.UserRole + 1
_STATE_SIGNS = {
    ReferenceState.RESOLVED: "",
    ReferenceState.CORRECTED: "✓ ",
    ReferenceState.AMBIGUOUS: "? ",
    ReferenceState.UNRESOLVED: "– ",
    ReferenceState.DISMISSED: "× ",
}


_WAYS = {
    (True, ReferenceWay.CONTINUES): "Continues",
    (True, ReferenceWay.MENTIONS): "Mentions",
    (False, ReferenceWay.CONTINUES): "Continued by",
    (False, ReferenceWay.MENTIONS): "Mentioned by",
}


def change_words(change: FileChange) -> str:
    """How a file was changed, and whose words it is.

    >>> change_words(FileChange("a.py", "Round prices", is_commit=True, worded_by="codex"))
    'Round prices – commit by Codex'
    """
    source = (
        f"commit by {app_title(change.worded_by)}" if change.is_commit else f"in {app_title(change.worded_by)}'s words"
    )
    return f"{change.line} – {source}"


def reference_words(reference: CrossReference) -> str:
    """In which way another conversation hangs together with this one, and its title.

    >>> reference_words(CrossReference(14, "FAB button", ReferenceWay.CONTINUES, is_outgoing=True, is_kept=False))
    'Continues FAB button (left the queue)'
    """
    gone = "" if reference.is_kept else " (left the queue)"
    return f"{_WAYS[reference.is_outgoing, reference.way]} {reference.title}{gone}"


class DetailsStrip(QFrame):
    """Four tabs. Ids in signals are the engine's."""

    reference_wanted = Signal(int, int)  # message id, reference id
    message_wanted = Signal(int)
    conversation_wanted = Signal(int)
    outcome_wanted = Signal()
    memory_wanted = Signal(int)
    episode_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setObjectName("conversations.details")
        self.setAccessibleName("Details of the conversation")
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 4, 8)
        column.setSpacing(4)
        self.pages = QStackedWidget()
        self._tabs = QButtonGroup(self)
        self._tab_row = QHBoxLayout()
        self._tab_row.setSpacing(0)
        column.addLayout(self._tab_row)
        column.addSpacing(2)
        column.addWidget(self.pages, 1)
        self.about = ScrollColumn("details.about.page")
        self.references = QListWidget()
        self.references.setObjectName("details.references.list")
        self.references.setAccessibleName("References in this conversation")
        self.references.setWordWrap(True)
        self.references.setFrameShape(QFrame.Shape.NoFrame)
        self.references.setSpacing(1)
        self.references.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.references.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.references.itemActivated.connect(self._on_reference)
        self.references.itemClicked.connect(self._on_reference)
        self.timeline = TimelineList()
        self.timeline.message_wanted.connect(self.message_wanted)
        self.recent = WindowStrip()
        self.recent.message_wanted.connect(self.message_wanted)
        self._learned_box: QVBoxLayout | None = None
        self._shown_references: list[tuple[int, int, str]] = []
        for n, (text, name, page) in enumerate(
            (
                ("About", "about", self.about),
                ("References", "references", self.references),
                ("Timeline", "timeline", self.timeline),
                ("Window", "window", self.recent),
            )
        ):
            self._add_tab(n, text, name, page)

    def _add_tab(self, n: int, text: str, name: str, page: QWidget) -> None:
        tab = Button(text, f"details.{name}", kind="tab")
        tab.setProperty("size", "small")
        tab.setCheckable(True)
        tab.setChecked(n == 0)
        self._tabs.addButton(tab, n)
        self._tab_row.addWidget(tab, len(text) + 4)  # as wide as its word
        self.pages.addWidget(page)
        if n == 0:
            self._tabs.idClicked.connect(self.pages.setCurrentIndex)

    def show_tab(self, n: int) -> None:
        """Shows a tab: 0 about, 1 references, 2 timeline."""
        self._tabs.button(n).setChecked(True)
        self.pages.setCurrentIndex(n)

    def set_learned(self, cards: Sequence[MemoryCard]) -> None:
        """What was learned here, at the head of About."""
        if self._learned_box is not None:
            clear_layout(self._learned_box)
            for card in cards[:MAX_FILES]:
                button = FitButton(card.title, f"details.memory.{card.id}", kind="link")
                button.setAccessibleName(f"Learned: {card.title}")
                button.setProperty("memory", card.id)
                button.clicked.connect(self._on_memory)
                self._learned_box.addWidget(button)
            more = len(cards) - MAX_FILES
            heading = f"{counted(len(cards), 'memory', 'memories')} learned" if cards else "Nothing was learned yet"
            self._learned_box.insertWidget(0, _in_line(PlainLabel(heading, "meta")))
            if more > 0:
                self._learned_box.addWidget(PlainLabel(f"and {more:,} more", "meta"))

    def _on_memory(self) -> None:
        self.memory_wanted.emit(int(self.sender().property("memory")))

    def set_detail(self, detail: ConversationDetail, record: ConversationRecord, now: datetime) -> None:
        """Another reading of what is shown."""
        self._fill_about(detail.conversation, record, now)
        self._fill_references(detail.messages)
        self.timeline.set_entries(detail.timeline, [message.id for message in detail.messages])
        count = len(self._shown_references)
        self._tabs.button(1).setAccessibleName(f"References, {count}")
        self._tabs.button(1).setToolTip(counted(count, "reference"))

    # -- about
    def _fill_about(self, conversation: Conversation, record: ConversationRecord, now: datetime) -> None:
        column = self.about.column
        clear_layout(column)
        column.setSpacing(10)
        position = f"Slot {conversation.position} · " if conversation.position is not None else ""
        self._fact("State", f"{position}{STATE_WORDS[conversation.state]}")
        self._fact("When", span_of_time(conversation.started_at, conversation.last_message_at, now))
        self._fact("Where", " · ".join(filter(None, (app_title(conversation.app), conversation.project))))
        self._fact("Messages", f"{conversation.message_count:,}")
        self._outcome(conversation)
        self._fact("Topics", ", ".join(conversation.topics))
        self._fact("Wants", ", ".join(INTENT_WORDS[intent] for intent in conversation.intents))
        self._learned_box = QVBoxLayout()
        self._learned_box.setSpacing(2)
        column.addLayout(self._learned_box)
        self._episodes(record.episode_ids)
        self._files(conversation, record.changes)
        self._related(record.references)
        column.addStretch(1)

    def _fact(self, name: str, text: str) -> None:
        if text:
            self.about.column.addLayout(_pair(name, PlainLabel(text, wraps=True)))

    def _outcome(self, conversation: Conversation) -> None:
        words = OUTCOME_WORDS[conversation.outcome] if conversation.outcome else "not known yet"
        by = " (set by you)" if conversation.is_outcome_edited else ""
        button = Button(f"{words}{by}", "details.outcome", kind="link", tip="Say what came of it (O)")
        button.setAccessibleName(f"Outcome: {words}{by}")
        button.clicked.connect(self.outcome_wanted)
        self.about.column.addLayout(_pair("Outcome", button))

    def _episodes(self, episode_ids: Sequence[int]) -> None:
        for episode_id in episode_ids[:1]:
            button = Button("Show how it went", f"details.episode.{episode_id}", kind="link", tip="Its episode")
            button.setProperty("episode", episode_id)
            button.clicked.connect(self._on_episode)
            self.about.column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)

    def _files(self, conversation: Conversation, changes: Sequence[FileChange]) -> None:
        """Each file, and in one line how it was changed, with whose words that is."""
        said = {one.file: one for one in changes}
        names = [relative_name(name, conversation.project_path) for name in conversation.files] or list(said)
        if not names:
            return
        box = QVBoxLayout()
        box.setSpacing(2)
        box.addWidget(_in_line(PlainLabel(counted(len(names), "file") + " modified", "meta")))
        for name in names[:MAX_FILES]:
            box.addWidget(_in_line(ElidedLabel(name)))
            change = said.get(name)
            if change is not None and change.line:
                box.addWidget(_in_line(PlainLabel(change_words(change), "meta", wraps=True)))
        if len(names) > MAX_FILES:
            box.addWidget(_in_line(PlainLabel(f"and {len(names) - MAX_FILES} more", "meta")))
        self.about.column.addLayout(box)

    def _related(self, references: Sequence[CrossReference]) -> None:
        """Other conversations that this one goes on with or mentions, and those that do so with this one."""
        for (is_outgoing, way), heading in _WAYS.items():
            found = [one for one in references if (one.is_outgoing, one.way) == (is_outgoing, way)]
            if not found:
                continue
            box = QVBoxLayout()
            box.setSpacing(2)
            box.addWidget(_in_line(PlainLabel(heading, "meta")))
            for one in found[:MAX_FILES]:
                words = reference_words(one)
                button = FitButton(
                    words.removeprefix(f"{heading} "), f"details.related.{one.conversation_id}", kind="link"
                )
                button.setAccessibleName(words)
                button.setProperty("conversation", one.conversation_id)
                button.clicked.connect(self._on_related)
                box.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
            self.about.column.addLayout(box)

    def _on_related(self) -> None:
        self.conversation_wanted.emit(int(self.sender().property("conversation")))

    def _on_episode(self) -> None:
        self.episode_wanted.emit(int(self.sender().property("episode")))

    # -- references
    def _fill_references(self, messages: Sequence[Message]) -> None:
        rows = [
            (message.id, number, f"{_STATE_SIGNS[reference.state]}{reference_line(reference)}", message, reference)
            for message in messages
            for number, reference in message.references
        ][:MAX_REFERENCES]
        shown = [(message_id, number, text) for message_id, number, text, _message, _reference in rows]
        if shown == self._shown_references and self.references.count():
            return
        self._shown_references = shown
        current = self.references.currentRow()
        self.references.clear()
        for message_id, number, text, message, reference in rows:
            item = QListWidgetItem(f"{text}\n{clock_time(message.at)} · {sure(reference.confidence)}")
            item.setData(_IDS_ROLE, f"{message_id}:{number}")
            item.setToolTip("")
            self.references.addItem(item)
        if not rows:
            self.references.addItem(_nothing("Nothing here refers to something else"))
        self.references.setCurrentRow(min(current, self.references.count() - 1))

    def _on_reference(self, item: QListWidgetItem) -> None:
        if item.data(_IDS_ROLE) is None:
            return
        message_id, number = str(item.data(_IDS_ROLE)).split(":")
        self.reference_wanted.emit(int(message_id), int(number))


def _nothing(text: str) -> QListWidgetItem:
    item = QListWidgetItem(text)
    item.setFlags(Qt.ItemFlag.ItemIsEnabled)
    return item


def relative_name(name: str, project_path: str) -> str:
    """A file as seen from its project.

    >>> relative_name("/src/ledger/app/pdf.py", "/src/ledger")
    'app/pdf.py'
    """
    prefix = project_path.rstrip("/") + "/"
    return name.removeprefix(prefix) if project_path else name


def _in_line(label: PlainLabel) -> PlainLabel:
    """A label that begins where the words of a link button do."""
    label.setContentsMargins(LINK_INSET_PX, 0, 0, 0)
    return label


def _pair(name: str, value: QWidget) -> QVBoxLayout:
    box = QVBoxLayout()
    box.setSpacing(1)
    box.addWidget(_in_line(PlainLabel(name, "meta")))
    if isinstance(value, PlainLabel):
        _in_line(value)
    box.addWidget(value, 0, Qt.AlignmentFlag.AlignLeft if isinstance(value, Button) else Qt.AlignmentFlag(0))
    return box
