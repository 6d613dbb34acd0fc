"""What a person does to conversations and judgements: one function per act, each inside one journalled write.

Answers and corrections are kept as rules, so that later judgements follow them. Messages that are moved to another conversation take along
what hangs on them: tool uses, sources of memories, references; provenance names the conversation that holds the message. Knows no
transaction of its own: the caller hands in the `Write`. Source: UX 4.3, S1 "User Clarification Flow", DESIGN section 5.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from app.deciders.conversation.references.expansion import expand_text
from app.errors import InvalidError, NotFoundError, StaleError
from app.settings import Settings
from app.store.journal import Write
from app.store.revert import revert, revert_notes
from app.store.rows.conversation import active_of_stream, next_queue_key
from app.store.rows.message import ids_shown, load_references_of
from app.store.table_queries import ids_with, rows_with
from app.store.tables.core import (
    ChangeRow,
    ConversationRow,
    MessageRow,
    OperationRow,
    ReferenceRow,
    RuleRow,
    ToolUseRow,
)
from app.store.tables.memory import MemorySourceRow
from app.understanding.conversations.derived import derive_conversation, name_sources
from app.understanding.conversations.queue import Queue, new_conversation
from app.understanding.episodes.writing import retell_episodes
from app.understanding.message_rows import factors_from_json, find_holder, intents_to_json, reference_of
from app.understanding.pipeline import MessagePipeline
from app.values import BoundaryFactor, Intent, IntentScore, Outcome, ReferenceState

_TITLE_CHARS = 120
BOUNDARY_RULE, INTENT_RULE = "boundary", "intent"


class Curator:
    def __init__(self, queue: Queue, understanding: MessagePipeline) -> None:
        self._queue = queue
        self._understanding = understanding

    # conversations -----------------------------------------------------------------------------------

    def rename(self, write: Write, conversation_id: int, title: str) -> None:
        clean = " ".join(title.split())
        if not clean or len(clean) > _TITLE_CHARS:
            raise InvalidError(f"A title needs 1 to {_TITLE_CHARS} characters.", hint="Write one line.")
        _living(write, conversation_id)
        write.update(ConversationRow, conversation_id, {"title": clean, "is_title_edited": True})
        write.label, write.conversation_id = f"Renamed to “{clean}”", conversation_id

    def end(self, write: Write, conversation_id: int, outcome: Outcome | None) -> None:
        row = _living(write, conversation_id)
        self._queue.end(write, conversation_id, at=write.at, outcome=outcome)
        write.label, write.conversation_id = f"Ended “{_title(row)}”", conversation_id

    def reopen(self, write: Write, conversation_id: int) -> None:
        """Makes a conversation its stream's active one again; the one that was active pauses."""
        row = _living(write, conversation_id)
        for other in active_of_stream(write.connection, row.stream_id, but_id=conversation_id):
            self._queue.pause(write, other)
        key = next_queue_key(write.connection)
        write.update(ConversationRow, conversation_id, {"state": "active", "ended_at": None, "queue_key": key})
        write.label, write.conversation_id = f"Reopened “{_title(row)}”", conversation_id

    def set_outcome(self, write: Write, conversation_id: int, outcome: Outcome) -> None:
        row = _living(write, conversation_id)
        write.update(ConversationRow, conversation_id, {"outcome": outcome.value, "is_outcome_edited": True})
        write.label, write.conversation_id = f"“{_title(row)}” is {outcome.value}", conversation_id

    def leaving_at_split(self, connection: Connection, message_id: int, settings: Settings) -> tuple[int, ...]:
        """The conversations that a split here would push out of the queue; none where there is nothing to split."""
        found = rows_with(connection, MessageRow, "conversation_id", id=message_id)
        if not found or not _has_earlier(connection, found[0].conversation_id, message_id):
            return ()
        return self._queue.leaving_at_split(connection, found[0].conversation_id, settings)

    def split(self, write: Write, message_id: int, settings: Settings) -> int:
        """This message and those after it become a conversation of their own; returns its id."""
        message = write.get(MessageRow, message_id)
        row = _living(write, message.conversation_id)
        moving = message_ids(write, row.id, since_id=message_id)
        if not _has_earlier(write.connection, row.id, message_id):
            raise InvalidError(
                "This is the first message already: nothing comes before it to split from.", hint="Take a later one."
            )
        leaving = self._queue.leaving_at_split(write.connection, row.id, settings)
        out = "".join(f"; “{_title(write.get(ConversationRow, one))}” left the queue" for one in leaving)
        key = next_queue_key(write.connection)
        newer_key = row.queue_key + 1 if row.state != "active" else key
        values = new_conversation(message.stream_id, message.at, newer_key) | {
            "state": row.state,
            "ended_at": row.ended_at,
        }
        new_id = write.insert(ConversationRow, values)
        if row.state == "active":
            self._queue.end(write, row.id, at=message.at)
        self._learn_boundary(write, message, is_new=True)
        write.update(
            MessageRow,
            message_id,
            {
                "is_start": True, "boundary_state": "corrected", "boundary_confidence": 1.0,
                "boundary_reason": "you split here", "continue_conversation_id": None,
            },
        )  # fmt: skip
        move_messages(write, moving, row.id, new_id, since=message.at)
        self._queue.make_room(write, settings, newest_id=new_id, spared_id=row.id)
        write.touched_conversations |= {row.id, new_id}
        write.label, write.conversation_id, write.message_id = f"Split “{_title(row)}”{out}", new_id, message_id
        return new_id

    def merge(self, write: Write, source_id: int, target_id: int, *, is_restoring: bool = False) -> None:
        """All messages of `source` join `target`; `source` leaves the queue.

        `is_restoring`: joining what a split took apart takes the split back. Raises StaleError when that cannot be.
        """
        if source_id == target_id:
            raise InvalidError("A conversation cannot be joined with itself.", hint="Name another one.")
        source, target = _living(write, source_id), _living(write, target_id)
        if is_restoring and self._take_split_back(write, source_id, target_id):
            write.label, write.conversation_id = f"Joined “{_title(source)}” with “{_title(target)}”", target_id
            return
        moving = message_ids(write, source_id)
        if moving:
            self._join_here(write, write.get(MessageRow, moving[0]))
        move_messages(write, moving, source_id, target_id, since=None)
        is_active = "active" in {source.state, target.state}
        write.update(
            ConversationRow,
            target_id,
            {
                "state": "active" if is_active else target.state,
                "ended_at": None if is_active else max(filter(None, (source.ended_at, target.ended_at)), default=None),
                "stream_id": source.stream_id if source.state == "active" else target.stream_id,
                "queue_key": max(source.queue_key, target.queue_key),
                "started_at": min(source.started_at, target.started_at),
            },
        )
        write.update(
            ConversationRow,
            source_id,
            {
                "state": "evicted", "title": _title(source), "outcome": Outcome.MERGED.value,
                "merged_into_id": target_id, "queue_key": min(source.queue_key, target.queue_key),
            },
        )  # fmt: skip
        write.touched_conversations |= {target_id}
        write.label, write.conversation_id = f"Joined “{_title(source)}” with “{_title(target)}”", target_id

    def _take_split_back(self, write: Write, source_id: int, target_id: int) -> bool:
        """Whether joining was taking back the split that made `source`: what that pushed out of the queue is there again.

        What was said in `source` since comes along. Raises StaleError where anything else was changed since.
        """
        kept = {"kind": "split", "conversation_id": source_id, "undone_by_id": None}
        split = next(iter(rows_with(write.connection, OperationRow, **kept)), None)
        if split is None or not split.is_undoable:
            return False
        moved = {"operation_id": split.id, "table_name": "message", "action": "update"}
        origin = {
            row.row_id: row.before["conversation_id"]
            for row in rows_with(write.connection, ChangeRow, "row_id", "before", **moved)
            if row.before.get("conversation_id") is not None
        }
        if set(origin.values()) != {target_id}:
            return False
        late = [one for one in message_ids(write, source_id) if one not in origin]
        if late:
            since = write.get(MessageRow, late[0]).at
            move_messages(write, late, source_id, target_id, since=since)
        revert(write, split.id)
        revert_notes(write, split.id)
        return True

    def move(self, write: Write, message_id: int, target_id: int) -> None:
        """This message and those after it join `target`; all of a conversation is a merge."""
        message = write.get(MessageRow, message_id)
        row, target = _living(write, message.conversation_id), _living(write, target_id)
        if row.id == target_id:
            raise InvalidError("The message is in this conversation already.", hint="Name another one.")
        if not _has_earlier(write.connection, row.id, message_id):
            self.merge(write, row.id, target_id)
            return
        self._join_here(write, message)
        move_messages(write, message_ids(write, row.id, since_id=message_id), row.id, target_id, since=message.at)
        if row.state == "active":  # what the person types next follows the message
            self._queue.end(write, row.id, at=message.at)
            self._make_active(write, target, row.stream_id, next_queue_key(write.connection))
        write.touched_conversations |= {row.id, target_id}
        write.label, write.conversation_id, write.message_id = f"Moved to “{_title(target)}”", target_id, message_id

    def _make_active(self, write: Write, target: Any, stream_id: int, queue_key: int) -> None:
        for other in active_of_stream(write.connection, stream_id, but_id=target.id):
            self._queue.pause(write, other)
        values = {"state": "active", "ended_at": None, "stream_id": stream_id, "queue_key": queue_key}
        write.update(ConversationRow, target.id, values)

    def _join_here(self, write: Write, first: Any) -> None:
        """The first of the messages that join a conversation starts none."""
        self._learn_boundary(write, first, is_new=False)
        write.update(
            MessageRow,
            first.id,
            {
                "is_start": False, "boundary_state": "corrected", "boundary_confidence": 1.0,
                "boundary_reason": "you joined it here", "continue_conversation_id": None,
            },
        )  # fmt: skip

    def clarify(self, write: Write, message_id: int, settings: Settings, *, is_new: bool) -> None:
        """The person's answer to 'Continue … / Start new'; the message moves when it was kept elsewhere."""
        message = write.get(MessageRow, message_id)
        if message.boundary_state != "asked":
            raise StaleError(
                "There is no open question about this message: it was answered, or never asked.",
                hint="Split or join the conversation to move it.",
            )
        other = message.continue_conversation_id
        if is_new and not message.is_start:
            self.split(write, message_id, settings)
        elif not is_new and message.is_start and other is not None:
            self.merge(write, message.conversation_id, other)
        else:
            self._learn_boundary(write, message, is_new=is_new)
        write.update(
            MessageRow,
            message_id,
            {
                "boundary_state": "answered", "boundary_confidence": 1.0, "is_start": is_new,
                "boundary_reason": "you said: start new" if is_new else "you said: continue",
                "continue_conversation_id": None,
            },
        )  # fmt: skip
        self._understanding.read_again(write, message_id, settings)
        write.label = "Answered: start new" if is_new else "Answered: continue"
        write.message_id = message_id

    # judgements --------------------------------------------------------------------------------------

    def correct_intents(self, write: Write, message_id: int, intents: tuple[Intent, ...]) -> None:
        if not intents:
            raise InvalidError(
                "A message needs at least one intent.", hint="INFORM is for a message that only states something."
            )
        row = write.get(MessageRow, message_id)
        chosen = dict.fromkeys(intents)
        scores = tuple(IntentScore(intent, 1.0, "you said so") for intent in chosen)
        write.update(MessageRow, message_id, {"intents": intents_to_json(scores), "is_intent_corrected": True})
        write.insert(
            RuleRow,
            {
                "kind": INTENT_RULE, "pattern": row.text[:2_000], "data": {"intents": [one.value for one in chosen]},
                "confidence": 1.0, "learned_from": 1, "created_at": write.at,
            },
        )  # fmt: skip
        write.touched_conversations.add(row.conversation_id)
        write.label = f"Intent corrected to {', '.join(one.value for one in chosen)}"
        write.conversation_id, write.message_id = row.conversation_id, message_id

    def correct_reference(
        self, write: Write, reference_id: int, antecedent: str, antecedent_message_id: int | None
    ) -> None:
        clean = " ".join(antecedent.split())
        if not clean or len(clean) > 300:
            raise InvalidError(
                "Say in 1 to 300 characters what it stands for.", hint="For nothing at all: dismiss the reference."
            )
        row = write.get(ReferenceRow, reference_id)
        conversation_id = None
        if antecedent_message_id is not None:
            conversation_id = write.get(MessageRow, antecedent_message_id).conversation_id
        write.update(
            ReferenceRow,
            reference_id,
            {
                "state": ReferenceState.CORRECTED.value, "antecedent": clean, "confidence": 1.0, "reason": "you said so",
                "antecedent_message_id": antecedent_message_id, "antecedent_conversation_id": conversation_id,
            },
        )  # fmt: skip
        self._expand_again(write, row.message_id)
        write.label = f"“{row.mention or 'left out'}” means “{clean}”"

    def dismiss_reference(self, write: Write, reference_id: int) -> None:
        row = write.get(ReferenceRow, reference_id)
        write.update(
            ReferenceRow,
            reference_id,
            {
                "state": ReferenceState.DISMISSED.value, "antecedent": None, "confidence": 1.0,
                "reason": "you said: it refers to nothing", "antecedent_message_id": None,
                "antecedent_conversation_id": None,
            },
        )  # fmt: skip
        self._expand_again(write, row.message_id)
        write.label = f"“{row.mention or 'left out'}” refers to nothing"

    def _expand_again(self, write: Write, message_id: int) -> None:
        message = write.get(MessageRow, message_id)
        rows = load_references_of(write.connection, [message_id])
        expanded = expand_text(message.text, [reference_of(row) for row in rows])
        write.update(MessageRow, message_id, {"expanded_text": expanded if expanded != message.text else None})
        self._understanding.learn_again(write, message_id)
        write.touched_conversations.add(message.conversation_id)
        write.conversation_id, write.message_id = message.conversation_id, message_id

    def _learn_boundary(self, write: Write, message: Any, *, is_new: bool) -> None:
        factors: tuple[BoundaryFactor, ...] = factors_from_json(message.boundary_factors)
        if not factors:
            return
        write.insert(
            RuleRow,
            {
                "kind": BOUNDARY_RULE, "pattern": message.text[:200],
                "data": {"factors": message.boundary_factors, "is_new": is_new}, "confidence": 1.0, "learned_from": 1,
                "created_at": write.at,
            },
        )  # fmt: skip


def clear_window(write: Write, *, app: str | None = None, conversation_id: int | None = None) -> int:
    """Hides messages from the reference window, all or those of an app or a conversation; none is deleted. Returns how many."""
    if conversation_id is not None:
        _living(write, conversation_id)
        write.conversation_id = conversation_id
    ids = ids_shown(write.connection, app=app, conversation_id=conversation_id)
    for message_id in ids:
        write.update(MessageRow, message_id, {"is_out_of_window": True})
    write.label = f"Reference window cleared ({len(ids)} messages)"
    return len(ids)


def _living(write: Write, conversation_id: int) -> Any:
    row = write.get(ConversationRow, conversation_id)
    holder = find_holder(write.connection, row)
    if holder is not None:
        raise NotFoundError(
            f"“{_title(row)}” was joined with “{_title(holder)}”: its messages are in conversation {holder.id}.",
            hint=f"Use number {holder.id} instead; undo in Activity takes them apart.",
        )
    if row.state == "evicted":
        raise NotFoundError(
            f"“{_title(row)}” has left the queue: its text is gone.", hint="Undo in Activity brings it back."
        )
    return row


def _title(row: Any) -> str:
    return str(row.title or row.auto_title or f"conversation {row.id}")


def _has_earlier(connection: Connection, conversation_id: int, message_id: int) -> bool:
    return any(one < message_id for one in ids_with(connection, MessageRow, conversation_id=conversation_id))


def message_ids(write: Write, conversation_id: int, *, since_id: int = 0) -> list[int]:
    """The messages of a conversation from `since_id` on, oldest first."""
    ids = ids_with(write.connection, MessageRow, conversation_id=conversation_id)
    return [one for one in ids if one >= since_id]


def move_messages(write: Write, ids: Sequence[int], source_id: int, target_id: int, *, since: datetime | None) -> None:
    """Moves these messages and what belongs to them. `since` None: they are all that `source` had.

    A tool was used for the message before it, so that its uses at or after `since` go along.
    """
    for moved in ids:
        write.update(MessageRow, moved, {"conversation_id": target_id})
    connection = write.connection
    uses = rows_with(connection, ToolUseRow, "id", "at", conversation_id=source_id)
    _repoint(
        write, ToolUseRow, [one.id for one in uses if since is None or one.at >= since], "conversation_id", target_id
    )
    if since is None:
        told = ids_with(connection, MemorySourceRow, conversation_id=source_id)
        _repoint(write, MemorySourceRow, told, "conversation_id", target_id)
        there = ids_with(connection, ReferenceRow, antecedent_conversation_id=source_id)
        _repoint(write, ReferenceRow, there, "antecedent_conversation_id", target_id)
        _settle_questions(write, source_id, target_id)
    told = ids_with(connection, MemorySourceRow, message_id=list(ids), conversation_id=source_id)
    _repoint(write, MemorySourceRow, told, "conversation_id", target_id)
    there = ids_with(connection, ReferenceRow, antecedent_message_id=list(ids), antecedent_conversation_id=source_id)
    _repoint(write, ReferenceRow, there, "antecedent_conversation_id", target_id)
    _name_sources(write, target_id)
    retell_episodes(write, (source_id, target_id))


def _repoint(write: Write, row: type[Any], ids: Sequence[int], column: str, target_id: int) -> None:
    for row_id in ids:
        write.update(row, row_id, {column: target_id})


def _settle_questions(write: Write, source_id: int, target_id: int) -> None:
    """Open questions that offer to continue `source`: inside `target` they are answered, elsewhere they offer it."""
    for row in rows_with(write.connection, MessageRow, "id", "conversation_id", continue_conversation_id=source_id):
        values: dict[str, Any] = {"continue_conversation_id": target_id}
        if row.conversation_id == target_id:
            values = {
                "is_start": False, "boundary_state": "corrected", "boundary_confidence": 1.0,
                "boundary_reason": "you joined it here", "continue_conversation_id": None,
            }  # fmt: skip
        write.update(MessageRow, row.id, values)


def _name_sources(write: Write, conversation_id: int) -> None:
    """Memories that were said here name the conversation as it is called now."""
    derive_conversation(write, conversation_id)  # one that was just made gets its title
    row = write.get(ConversationRow, conversation_id)
    name_sources(write, conversation_id, row.title or row.auto_title)
