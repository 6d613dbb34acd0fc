"""The transcript of one conversation as a list model: markers, slices of messages, questions, neighbours.

Owns which rows there are and how a newer reading becomes the fewest row changes; knows what is unfolded. A message of
10 MB is one slice until more is asked for. Knows no engine and no painting. Source: UX 4.3, STYLE (bounded slices).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from PySide6.QtCore import QAbstractListModel, QMimeData, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from app.values import Clarification, Conversation, ConversationDetail, Message, Speaker
from ui.screens.conversations.message_text import slice_end
from ui.widgets.conversations.queue_model import MESSAGE_MIME
from ui.wording.values import (
    ARCHIVED,
    INTENT_WORDS,
    boundary_line,
    clock_time,
    counted,
    gap,
    joined,
    reference_line,
)

ROW_ROLE = Qt.ItemDataRole.UserRole + 1
SLICES_PER_STEP = 8  # how much more one press of "Show more" shows
_UNSURE_BELOW = 0.7
_SPOKEN_CHARS = 600

Index = QModelIndex | QPersistentModelIndex


class RowKind(StrEnum):
    MARKER = "marker"  # why a message is here: at the start, after a gap, where it was a close call
    TEXT = "text"
    MORE = "more"
    ASK = "ask"  # an open question about a border
    NEIGHBOUR = "neighbour"  # the conversation before or after this one in its stream


@dataclass(frozen=True, slots=True)
class TranscriptRow:
    """One line of the list. `start`, `end`: the slice of the message's text, in code points."""

    key: tuple[str, int, int]
    kind: RowKind
    message: Message | None = None
    start: int = 0
    end: int = 0
    is_last: bool = True  # the slice that ends the message
    text: str = ""
    is_open: bool = False  # the marker shows its factors, the text shows what it was read as
    clarification: Clarification | None = None
    neighbour: Conversation | None = None

    @property
    def is_first(self) -> bool:
        return self.start == 0


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The conversations of the same stream before and after the shown one."""

    before: Conversation | None = None
    after: Conversation | None = None


def neighbours_of(conversation: Conversation, all_of_them: Sequence[Conversation]) -> Neighbours:
    """Those of the same app, project and session that started last before and first after it."""
    stream = (conversation.app, conversation.project_path, conversation.session)
    others = sorted(
        (c for c in all_of_them if (c.app, c.project_path, c.session) == stream and c.position is not None),
        key=lambda c: (c.started_at, c.id),
    )
    here = (conversation.started_at, conversation.id)
    before = [c for c in others if (c.started_at, c.id) < here]
    after = [c for c in others if (c.started_at, c.id) > here]
    return Neighbours(before[-1] if before else None, after[0] if after else None)


def has_marker(message: Message, previous: Message | None) -> bool:
    """True where a line above the message says why it is here."""
    judgement = message.boundary
    if previous is None or judgement.is_start or judgement.state in ("corrected", "answered"):
        return True
    is_late = message.at - previous.at >= timedelta(minutes=30)
    return is_late or (judgement.state == "decided" and judgement.confidence < _UNSURE_BELOW)


def marker_text(message: Message, previous: Message | None) -> str:
    """What the marker above a message says."""
    later = gap(previous.at, message.at) if previous is not None else ""
    return " · ".join(filter(None, (later, boundary_line(message.boundary))))


def spoken_message(message: Message, start: int = 0, end: int = _SPOKEN_CHARS) -> str:
    """A message as a sentence for a screen reader: when, wants what, text, references."""
    who = "You" if message.speaker is Speaker.USER else "Assistant"
    parts = [f"{who}, {clock_time(message.at)}"]
    if message.intents:
        parts.append(joined([INTENT_WORDS[score.intent] for score in message.intents]))
    text = message.text[start : min(end, start + _SPOKEN_CHARS)]
    said = [reference_line(reference) for _number, reference in message.references]
    return ". ".join([", ".join(parts), text, *said])


class TranscriptModel(QAbstractListModel):
    """Rows of one conversation. `grew` says how many messages came at the end since the last reading."""

    grew = Signal(int)
    refreshed = Signal(bool)  # True: another conversation than before
    rebuilt = Signal()  # rows of the same conversation changed

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._detail: ConversationDetail | None = None
        self._neighbours = Neighbours()
        self._questions: dict[int, Clarification] = {}
        self._rows: list[TranscriptRow] = []
        self._messages: dict[int, Message] = {}
        self._order: list[int] = []
        self._bounds: dict[int, list[tuple[int, int]]] = {}
        self._shown_slices: dict[int, int] = {}
        self._open_texts: set[int] = set()
        self._open_markers: set[int] = set()
        self._is_all_read = False
        self.learned: Mapping[int, str] = {}  # message id to what was learned from it, in words

    # -- reading ---------------------------------------------------------------------------------
    @property
    def detail(self) -> ConversationDetail | None:
        return self._detail

    @property
    def conversation_id(self) -> int | None:
        return self._detail.conversation.id if self._detail is not None else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.row_at(index.row()) if index.isValid() else None
        if row is None:
            return None
        if role == ROW_ROLE:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            if row.kind is RowKind.TEXT and row.message is not None:
                said = spoken_message(row.message, row.start, row.end)
                taught = self.learned.get(row.message.id, "") if row.is_first else ""
                return f"{said}, {taught.splitlines()[0]}" if taught else said
            return row.text
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.row_at(index.row()) if index.isValid() else None
        if row is None:
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        return flags | Qt.ItemFlag.ItemIsDragEnabled if row.kind is RowKind.TEXT else flags

    def mimeTypes(self) -> list[str]:
        return [MESSAGE_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        row = self.row_at(indexes[0].row()) if indexes else None
        if row is not None and row.message is not None:
            data.setData(MESSAGE_MIME, str(row.message.id).encode())
        return data

    def row_at(self, row: int) -> TranscriptRow | None:
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def message(self, message_id: int) -> Message | None:
        return self._messages.get(message_id)

    def message_ids(self) -> Sequence[int]:
        return self._order

    def message_rows(self, message_id: int) -> list[int]:
        """Rows that show the text of a message, in order."""
        return [
            n
            for n, row in enumerate(self._rows)
            if row.kind is RowKind.TEXT and row.message is not None and row.message.id == message_id
        ]

    def row_for(self, message_id: int, offset: int = 0) -> int | None:
        """The row that shows this offset of a message, unfolding what hides it."""
        message = self._messages.get(message_id)
        if message is None:
            return None
        wanted = self._slice_at(message, offset)
        if wanted >= self._shown_slices.get(message_id, 1):
            self._shown_slices[message_id] = wanted + 1
            self._rebuild()
        rows = self.message_rows(message_id)
        return rows[min(wanted, len(rows) - 1)] if rows else None

    # -- writing ---------------------------------------------------------------------------------
    def set_detail(
        self, detail: ConversationDetail | None, neighbours: Neighbours, questions: Sequence[Clarification] = ()
    ) -> None:
        """Takes a reading over; the same conversation changes in place, another one replaces all."""
        is_other = detail is None or detail.conversation.id != self.conversation_id
        last_known = self._order[-1] if self._order and not is_other else None
        self._detail, self._neighbours = detail, neighbours
        self._questions = {question.message_id: question for question in questions}
        messages = detail.messages if detail is not None else ()
        self._messages = {message.id: message for message in messages}
        self._order = [message.id for message in messages]
        if is_other:
            self._bounds, self._shown_slices = {}, {}
            self._open_texts, self._open_markers = set(), set()
            self.beginResetModel()
            self._rows = self._build_rows()
            self.endResetModel()
        else:
            self._rebuild()
        self.refreshed.emit(is_other)
        if last_known in self._messages:
            grown = len(self._order) - 1 - self._order.index(last_known)
            if grown:
                self.grew.emit(grown)

    def toggle_expanded(self, message_id: int) -> None:
        """Shows or hides what one message was read as."""
        self._open_texts ^= {message_id}
        self._rebuild()

    def set_all_expanded(self, *, is_on: bool) -> None:
        """Shows or hides for every message what it was read as."""
        self._is_all_read = is_on
        self._open_texts.clear()
        self._rebuild()

    @property
    def is_all_expanded(self) -> bool:
        return self._is_all_read

    def toggle_marker(self, message_id: int) -> None:
        """Shows or hides what a border was judged by."""
        self._open_markers ^= {message_id}
        self._rebuild()

    def show_more(self, message_id: int) -> None:
        """Unfolds the next part of a long message."""
        self._shown_slices[message_id] = self._shown_slices.get(message_id, 1) + SLICES_PER_STEP
        self._rebuild()

    # -- rows ------------------------------------------------------------------------------------
    def _slices(self, message: Message, count: int) -> list[tuple[int, int]]:
        """The first `count` slices, fewer when the text ends before; cut only as far as is shown."""
        bounds = self._bounds.setdefault(message.id, [])
        while len(bounds) < count and (not bounds or bounds[-1][1] < len(message.text)):
            start = bounds[-1][1] if bounds else 0
            bounds.append((start, slice_end(message.text, start)))
        return bounds[:count]

    def _slice_at(self, message: Message, offset: int) -> int:
        count = 1
        while True:
            bounds = self._slices(message, count)
            if offset < bounds[-1][1] or len(bounds) < count:
                return len(bounds) - 1
            count += 1

    def _build_rows(self) -> list[TranscriptRow]:
        rows: list[TranscriptRow] = []
        if self._neighbours.before is not None:
            rows.append(_neighbour_row("before", self._neighbours.before))
        previous: Message | None = None
        for message_id in self._order:
            message = self._messages[message_id]
            rows += self._rows_of(message, previous)
            previous = message
        if self._neighbours.after is not None:
            rows.append(_neighbour_row("after", self._neighbours.after))
        return rows

    def _rows_of(self, message: Message, previous: Message | None) -> list[TranscriptRow]:
        rows: list[TranscriptRow] = []
        number = message.id
        question = self._questions.get(number)
        if question is not None:
            text = f"New topic, or still “{question.continue_title}”?"
            rows.append(TranscriptRow(("ask", number, 0), RowKind.ASK, message, text=text, clarification=question))
        elif message.boundary.state != ARCHIVED and has_marker(message, previous):
            is_open = number in self._open_markers
            text = marker_text(message, previous)
            rows.append(TranscriptRow(("marker", number, 0), RowKind.MARKER, message, text=text, is_open=is_open))
        bounds = self._slices(message, self._shown_slices.get(number, 1))
        is_read = (number in self._open_texts) is not self._is_all_read and message.expanded_text != message.text
        for n, (start, end) in enumerate(bounds):
            is_last = n == len(bounds) - 1
            rows.append(
                TranscriptRow(
                    ("text", number, n), RowKind.TEXT, message, start, end, is_last=is_last, is_open=is_read and is_last
                )
            )
        hidden = len(message.text) - bounds[-1][1]
        if hidden:
            text = f"Show more ({counted(hidden, 'character')} hidden)"
            rows.append(TranscriptRow(("more", number, 0), RowKind.MORE, message, text=text))
        return rows

    def _rebuild(self) -> None:
        """Replaces only what is between the common start and the common end of old and new rows."""
        old, new = self._rows, self._build_rows()
        head = 0
        while head < min(len(old), len(new)) and old[head].key == new[head].key:
            head += 1
        tail = 0
        while tail < min(len(old), len(new)) - head and old[-1 - tail].key == new[-1 - tail].key:
            tail += 1
        if len(old) - tail > head:
            self.beginRemoveRows(QModelIndex(), head, len(old) - tail - 1)
            del old[head : len(old) - tail]
            self.endRemoveRows()
        if len(new) - tail > head:
            self.beginInsertRows(QModelIndex(), head, len(new) - tail - 1)
            old[head:head] = new[head : len(new) - tail]
            self.endInsertRows()
        for n, row in enumerate(new):
            if old[n] is not row and old[n] != row:
                old[n] = row
                self.dataChanged.emit(self.index(n), self.index(n))
        self.rebuilt.emit()


def _neighbour_row(side: str, conversation: Conversation) -> TranscriptRow:
    label = "Before this" if side == "before" else "After this"
    return TranscriptRow(
        (side, conversation.id, 0), RowKind.NEIGHBOUR, text=f"{label}: {conversation.title}", neighbour=conversation
    )
