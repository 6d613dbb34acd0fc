"""What is known about the shown conversation: about, its references as a list, the timeline of entities.

The list of references is the twin of what is painted into the transcript: everything there can be reached here
without a picture. Says what is wanted by signals.

The entities of a conversation and where they were spoken of: a list whose rows carry a small track.
The working window of a conversation: its recent messages, and the chunks that sum up what was said before them.

Source: UX 4.3, 6; UX 4.3, S1 (entity timeline); S3 (working memory), UX 4.3.
"""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.values import (
    Chunk,
    Conversation,
    ConversationDetail,
    ConversationRecord,
    CrossReference,
    EntityKind,
    FileChange,
    MemoryCard,
    MemoryStatus,
    Message,
    ReferenceState,
    ReferenceWay,
    TimelineEntry,
)
from ui.theme import META_FONT_PX, color, font
from ui.widgets.buttons import Button, FitButton
from ui.widgets.card import Card, clear_layout
from ui.widgets.conversations.needs_you import short
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.paint import draw_elided, draw_focus_ring
from ui.widgets.scroll import ScrollColumn
from ui.wording.memories import learned_words
from ui.wording.values import (
    ENTITY_WORDS,
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
            text = f"Of a conversation longer than {RECENT_COUNT} messages, the oldest ones are summed up here."
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
        tip = "“It” and “that” in your next message no longer refer to anything before this point; no message is deleted (Shift+C)"
        clear = Button("Clear what it may point to", "window.referable.clear", kind="link", tip=tip)
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
            merged = " · merged from several" if chunk.is_merged else ""
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


MAX_ENTRIES = 300
_ENTRY_ROLE = Qt.ItemDataRole.UserRole + 1
_TRACK_ROLE = Qt.ItemDataRole.UserRole + 2

Index = QModelIndex | QPersistentModelIndex


def kind_words(kind: str) -> str:
    """An entity kind for people; an unknown one as it is."""
    return ENTITY_WORDS[EntityKind(kind)] if kind in EntityKind.__members__.values() else kind


class _TrackDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        base, meta = QFontMetricsF(font()).height(), QFontMetricsF(font(META_FONT_PX)).height()
        return QSize(option.rect.width(), round(base + meta + 20))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry, track = index.data(_ENTRY_ROLE), index.data(_TRACK_ROLE)
        if not isinstance(entry, TimelineEntry):
            super().paint(painter, option, index)  # the line that says that there is nothing
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(option.rect)
        painter.setPen(Qt.PenStyle.NoPen)
        if option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.setBrush(color("accent_soft" if option.state & QStyle.StateFlag.State_Selected else "raised"))
            painter.drawRoundedRect(rect, 6, 6)
        if option.state & QStyle.StateFlag.State_HasFocus:
            draw_focus_ring(painter, rect, 6)
        inner = rect.adjusted(8, 5, -8, -5)
        base = QFontMetricsF(font()).height()
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        head = QRectF(inner.left(), inner.top(), inner.width(), base)
        width = draw_elided(painter, head, f"{entry.mention_count}×", is_right=True)
        painter.setFont(font())
        painter.setPen(color("text"))
        draw_elided(painter, head.adjusted(0, 0, -width - 8, 0), entry.entity)
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        meta = QFontMetricsF(painter.font()).height()
        draw_elided(painter, QRectF(inner.left(), head.bottom(), inner.width(), meta), kind_words(entry.kind))
        self._paint_track(painter, QRectF(inner.left(), inner.bottom() - 3, inner.width(), 3), track)
        painter.restore()

    def _paint_track(self, painter: QPainter, rect: QRectF, track: tuple[float, float]) -> None:
        first, last = track
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color("line"))
        painter.drawRoundedRect(rect, 1.5, 1.5)
        painter.setBrush(color("accent"))
        left = rect.left() + first * (rect.width() - 5)
        right = rect.left() + last * (rect.width() - 5) + 5
        painter.drawRoundedRect(QRectF(left, rect.top(), right - left, rect.height()), 1.5, 1.5)


class TimelineList(QListWidget):
    """`message_wanted` carries the message to jump to."""

    message_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("conversations.timeline")
        self.setAccessibleName("Timeline of topics")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setItemDelegate(_TrackDelegate(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._entries: tuple[TimelineEntry, ...] = ()
        self._last_jump: tuple[str, int] = ("", 0)
        self.itemClicked.connect(self._on_wanted)
        self.itemActivated.connect(self._on_wanted)

    def set_entries(self, entries: Sequence[TimelineEntry], message_ids: Sequence[int]) -> None:
        """Other entries; the track shows where between the first and the last message they lie."""
        if tuple(entries) == self._entries and self.count():
            return
        self._entries = tuple(entries)
        places = {message_id: n for n, message_id in enumerate(message_ids)}
        steps = max(1, len(places) - 1)
        row = self.currentRow()
        self.clear()
        for entry in self._entries[:MAX_ENTRIES]:
            item = QListWidgetItem(entry.entity)
            item.setData(_ENTRY_ROLE, entry)
            item.setData(
                _TRACK_ROLE,
                (places.get(entry.first_message_id, 0) / steps, places.get(entry.last_message_id, 0) / steps),
            )
            said = f"{entry.entity}, {kind_words(entry.kind)}, {counted(entry.mention_count, 'mention')}"
            item.setData(Qt.ItemDataRole.AccessibleTextRole, said)
            self.addItem(item)
        if not self._entries:
            nothing = QListWidgetItem("Nothing was named yet")
            nothing.setFlags(Qt.ItemFlag.ItemIsEnabled)
            self.addItem(nothing)
        self.setCurrentRow(min(row, self.count() - 1))

    def _on_wanted(self, item: QListWidgetItem) -> None:
        entry = item.data(_ENTRY_ROLE)
        if not isinstance(entry, TimelineEntry):
            return
        is_again = self._last_jump == (entry.entity, entry.first_message_id)
        message_id = entry.last_message_id if is_again else entry.first_message_id
        self._last_jump = (entry.entity, message_id)
        self.message_wanted.emit(message_id)


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
                ("Recent", "window", self.recent),
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
            in_order = sorted(cards, key=lambda card: card.status is MemoryStatus.ARCHIVED)
            was_in_use = True
            for card in in_order[:MAX_FILES]:
                if was_in_use and card.status is MemoryStatus.ARCHIVED:
                    was_in_use = False
                    self._learned_box.addWidget(_in_line(PlainLabel("Archived", "meta")))
                button = FitButton(card.title, f"details.memory.{card.id}", kind="link")
                button.setAccessibleName(f"Learned: {card.title}")
                button.setProperty("memory", card.id)
                button.clicked.connect(self._on_memory)
                self._learned_box.addWidget(button)
            more = len(cards) - MAX_FILES
            self._learned_box.insertWidget(0, _in_line(PlainLabel(learned_words(cards), "meta")))
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
        place = f" · number {conversation.position} in the queue" if conversation.position is not None else ""
        self._fact("State", f"{STATE_WORDS[conversation.state]}{place}")
        self._fact("When", span_of_time(conversation.started_at, conversation.last_message_at, now))
        self._fact("Where", " · ".join(filter(None, (app_title(conversation.app), conversation.project))))
        self._fact("Messages", f"{conversation.message_count:,}")
        self._outcome(conversation)
        self._fact("Topics", ", ".join(conversation.topics))
        self._fact("Kinds of message", ", ".join(INTENT_WORDS[intent] for intent in conversation.intents))
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
        """Other conversations that this one continues or mentions, and those that do so with this one."""
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
            is_open = reference.state is ReferenceState.UNRESOLVED
            how_sure = "click to say what it means" if is_open else sure(reference.confidence)
            item = QListWidgetItem(f"{text}\n{clock_time(message.at)} · {how_sure}")
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
