"""The queue as a list model: slots, the free ones, and what is left of conversations that went.

Owns the order of rows and how a new reading becomes the fewest row changes, so that selection and scroll stay by id.
Knows no engine and no painting. Source: UX 4.2, S1 (the queue of 20).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from PySide6.QtCore import QAbstractListModel, QMimeData, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from app.values import Conversation, ConversationState
from ui.wording.figures import describe_bytes
from ui.wording.values import INTENT_WORDS, OUTCOME_WORDS, STATE_WORDS, ago, app_title, counted, joined

CONVERSATION_MIME = "application/x-remanence-conversation"
MESSAGE_MIME = "application/x-remanence-message"
ROW_ROLE = Qt.ItemDataRole.UserRole + 1
_RESET_ABOVE = 64  # more row changes than this are cheaper as one reset

Index = QModelIndex | QPersistentModelIndex


class RowKind(StrEnum):
    SLOT = "slot"
    FREE = "free"
    HEADING = "heading"
    EARLIER = "earlier"


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One line of the list. `key` stays the same for the same thing across readings."""

    key: tuple[str, int]
    kind: RowKind
    conversation: Conversation | None = None
    text: str = ""


def queue_rows(
    conversations: Sequence[Conversation],
    queue_size: int,
    *,
    with_free: bool,
    with_earlier: bool,
    is_archive_on: bool = False,
    queue_count: int | None = None,
) -> tuple[QueueRow, ...]:
    """Rows from top to bottom: newest first, then free slots, then what was evicted.

    `queue_count` is how many the whole queue holds, where only some of them are shown.
    """
    kept = [c for c in conversations if c.state is not ConversationState.EVICTED]
    gone = [c for c in conversations if c.state is ConversationState.EVICTED]
    titles = {c.id: c.title for c in conversations}
    rows = [QueueRow(("conversation", c.id), RowKind.SLOT, c, related_text(c, titles)) for c in kept]
    if with_free and kept:
        free_count = max(0, queue_size - max(len(kept), queue_count or 0))
        rows += [QueueRow(("free", n), RowKind.FREE, text="Free place") for n in range(free_count)]
    if with_earlier and gone:
        text = "Earlier prompts" if is_archive_on else "Earlier – only what was learned"
        rows.append(QueueRow(("heading", 0), RowKind.HEADING, text=text))
        rows += [QueueRow(("earlier", c.id), RowKind.EARLIER, c) for c in gone]
    return tuple(rows)


def related_text(conversation: Conversation, titles: Mapping[int, str]) -> str:
    """The conversation that it refers to first: "↪ FAB button"."""
    title = next((titles[one] for one in conversation.related_ids if titles.get(one)), "")
    return f"↪ {title}" if title else ""


def slot_line(
    conversations: Iterable[Conversation], queue_size: int, byte_count: int = 0, queue_count: int | None = None
) -> str:
    """The line above the queue: "20 of 20 · 84 kB · next out: Rename CSV columns"; "7 here · 15 of 20 in the queue" of a part of it."""
    kept = [c for c in conversations if c.state is not ConversationState.EVICTED]
    if queue_count is not None and queue_count > len(kept):
        here = f"{len(kept)} here" + (f" · {describe_bytes(byte_count)}" if byte_count else "")
        return f"{here} · {queue_count} of {queue_size} in the queue"
    line = f"{len(kept)} of {queue_size}" + (f" · {describe_bytes(byte_count)}" if byte_count else "")
    if len(kept) < queue_size:
        return f"{line} · {queue_size - len(kept)} free"
    going = next((c for c in kept if c.is_next_out), None)
    return f"{line} · next out: {going.title}" if going else line


def farewell_text(conversation: Conversation) -> str:
    """What stays and what goes: "kept: 6 facts, 1 workflow · lost: 34 messages"; of one that is out only what stayed."""
    stays = conversation.farewell
    if stays is None:
        return ""
    parts = [
        counted(count, word)
        for count, word in (
            (stays.fact_count, "fact"),
            (stays.workflow_count, "workflow"),
            (stays.episode_count, "episode"),
            (stays.rule_count, "rule"),
        )
        if count
    ]
    kept = f"kept: {', '.join(parts) or 'nothing'}"
    if stays.is_archived:
        return f"{kept} · its prompts stay in the archive"
    if conversation.state is ConversationState.EVICTED:
        return kept
    return f"{kept} · lost: {counted(stays.message_count, 'message')}"


def leaving_text(leaving: Sequence[Conversation]) -> str:
    """What a split would push out of the full queue, before it is done."""
    named = "; ".join(f"“{one.title}” ({farewell_text(one)})" for one in leaving)
    return f"The queue is full: a split pushes out {named}. Undo or Join brings it back."


def spoken(conversation: Conversation, now: datetime) -> str:
    """One slot as a sentence for a screen reader."""
    parts = [conversation.title, STATE_WORDS[conversation.state], app_title(conversation.app)]
    if conversation.position is not None:
        parts.insert(0, f"Place {conversation.position}")
    parts += [counted(conversation.message_count, "message"), ago(conversation.last_message_at, now)]
    if conversation.topics:
        parts.append("about " + joined(conversation.topics[:3]))
    if conversation.files:
        parts.append(counted(len(conversation.files), "file"))
    if conversation.intents:
        parts.append(joined([INTENT_WORDS[i] for i in conversation.intents[:3]]))
    if conversation.outcome:
        parts.append(OUTCOME_WORDS[conversation.outcome])
    if conversation.has_clarification:
        parts.append("needs your answer")
    if conversation.is_next_out:
        parts.append("next to leave the queue")
    if conversation.farewell is not None:
        parts.append(farewell_text(conversation))
    return ", ".join(parts)


class QueueModel(QAbstractListModel):
    """Rows of the queue. `arrived` names conversations that are new or grew since the last reading."""

    arrived = Signal(object)  # frozenset[int]
    refreshed = Signal()
    dropped_on_conversation = Signal(str, int, int)  # mime, what, target conversation
    dropped_on_free = Signal(str, int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[QueueRow] = []
        self._now: datetime | None = None
        self._is_filled = False
        self._is_applying = False

    # -- reading -------------------------------------------------------------------------------
    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or not 0 <= index.row() < len(self._rows):
            return None
        row = self._rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.conversation.title if row.conversation else row.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken_row(row)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.row_at(index.row()) if index.isValid() else None
        if row is None:
            return Qt.ItemFlag.NoItemFlags
        if row.kind is RowKind.HEADING:
            return Qt.ItemFlag.ItemIsEnabled
        if row.kind is RowKind.FREE:
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsDropEnabled
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        if row.kind is RowKind.SLOT:
            flags |= Qt.ItemFlag.ItemIsDragEnabled | Qt.ItemFlag.ItemIsDropEnabled
        return flags

    def row_at(self, row: int) -> QueueRow | None:
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def row_of(self, conversation_id: int) -> int | None:
        """The row that shows this conversation, in the queue or among the earlier ones."""
        for n, row in enumerate(self._rows):
            if row.conversation is not None and row.conversation.id == conversation_id:
                return n
        return None

    def conversation(self, conversation_id: int) -> Conversation | None:
        row = self.row_of(conversation_id)
        return None if row is None else self._rows[row].conversation

    def conversations(self) -> tuple[Conversation, ...]:
        return tuple(row.conversation for row in self._rows if row.conversation is not None)

    @property
    def is_applying(self) -> bool:
        """True while a reading is taken over: a cursor that moves now was not moved by the person."""
        return self._is_applying

    # -- writing -------------------------------------------------------------------------------
    def set_now(self, now: datetime) -> None:
        """Lets ages move on without a new reading."""
        self._now = now
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    @property
    def now(self) -> datetime | None:
        return self._now

    def expect_others(self) -> None:
        """The next reading is of another scope: what it brings is not new."""
        self._is_filled = False

    def set_rows(self, rows: Sequence[QueueRow], now: datetime) -> None:
        """Takes a new reading over with the fewest row changes."""
        before = {c.id: c.message_count for c in self.conversations()}
        self._now = now
        new = list(rows)
        self._is_applying = True
        self._apply(new)
        self._is_applying = False
        if self._is_filled:
            kept = [row.conversation for row in new if row.kind is RowKind.SLOT and row.conversation]
            grown = frozenset(c.id for c in kept if before.get(c.id, -1) < c.message_count)
            if grown:
                self.arrived.emit(grown)
        self._is_filled = True
        self.refreshed.emit()

    def _apply(self, new: list[QueueRow]) -> None:
        new_keys = [row.key for row in new]
        wanted, present = set(new_keys), {row.key for row in self._rows}
        if len(wanted ^ present) > _RESET_ABOVE:
            self.beginResetModel()
            self._rows = new
            self.endResetModel()
            return
        for n in range(len(self._rows) - 1, -1, -1):
            if self._rows[n].key not in wanted:
                self.beginRemoveRows(QModelIndex(), n, n)
                del self._rows[n]
                self.endRemoveRows()
        for n, row in enumerate(new):
            if row.key not in present:
                at = min(n, len(self._rows))
                self.beginInsertRows(QModelIndex(), at, at)
                self._rows.insert(at, row)
                self.endInsertRows()
        if [row.key for row in self._rows] != new_keys:
            self._reorder(new)
        self._replace_changed(new)

    def _reorder(self, new: list[QueueRow]) -> None:
        self.layoutAboutToBeChanged.emit()
        place = {row.key: n for n, row in enumerate(new)}
        old = self.persistentIndexList()
        moved = [self.index(place[self._rows[index.row()].key]) for index in old]
        by_key = {row.key: row for row in self._rows}
        self._rows = [by_key[row.key] for row in new]
        self.changePersistentIndexList(old, moved)
        self.layoutChanged.emit()

    def _replace_changed(self, new: list[QueueRow]) -> None:
        for n, row in enumerate(new):
            if self._rows[n] != row:
                self._rows[n] = row
                self.dataChanged.emit(self.index(n), self.index(n))

    # -- drag and drop -------------------------------------------------------------------------
    def mimeTypes(self) -> list[str]:
        return [CONVERSATION_MIME, MESSAGE_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        row = self.row_at(indexes[0].row()) if indexes else None
        if row is not None and row.conversation is not None:
            data.setData(CONVERSATION_MIME, str(row.conversation.id).encode())
        return data

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction | Qt.DropAction.CopyAction

    def canDropMimeData(self, data: QMimeData, _action: Qt.DropAction, row: int, _column: int, parent: Index) -> bool:
        target = self.row_at(parent.row()) if parent.isValid() and row == -1 else None
        dragged = dragged_thing(data)
        if target is None or dragged is None:
            return False
        mime, thing_id = dragged
        if target.kind is RowKind.FREE:
            return mime == MESSAGE_MIME
        if target.kind is not RowKind.SLOT or target.conversation is None:
            return False
        return mime == MESSAGE_MIME or thing_id != target.conversation.id

    def dropMimeData(self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index) -> bool:
        if not self.canDropMimeData(data, action, row, column, parent):
            return False
        target, dragged = self.row_at(parent.row()), dragged_thing(data)
        if target is None or dragged is None:
            return False
        if target.conversation is None:
            self.dropped_on_free.emit(*dragged)
        else:
            self.dropped_on_conversation.emit(*dragged, target.conversation.id)
        return False  # the engine moves things, not the view: nothing is to be removed here

    def _spoken_row(self, row: QueueRow) -> str:
        if row.conversation is None or self._now is None:
            return row.text
        return spoken(row.conversation, self._now)


def dragged_thing(data: QMimeData) -> tuple[str, int] | None:
    """What is being dragged: its mime type and id; None for anything foreign."""
    for mime in (CONVERSATION_MIME, MESSAGE_MIME):
        if data.hasFormat(mime):
            raw = bytes(data.data(mime).data()).decode("ascii", "replace")
            return (mime, int(raw)) if raw.isdigit() else None
    return None
