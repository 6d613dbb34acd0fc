"""Takes files of the seeds back in: history and the conversations of [S3] without loss, context as messages.

Owns which file of a `.project-memory` folder is which, and their order. A conversation that is here already (same app, session, start) is left as it is, so that twice is once.
Source: S1 conversation-history.jsonl, S2 conversation-context.jsonl, QUALITY E9.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from app.capture.streams import Streams
from app.errors import InvalidError
from app.interop.prompts import str_of
from app.interop.seed3_files import Row, SeedConversation, read_array, read_chunks, read_conversation
from app.interop.seed_files import read_context, read_history
from app.settings import Settings
from app.store.journal import Record, Write
from app.store.store import Store
from app.store.table_queries import ids_with
from app.store.tables.core import ConversationRow, EntityRow, MentionRow, MessageRow, ReferenceRow, ToolUseRow
from app.store.tables.memory import ChunkRow
from app.store.tables.types import to_microseconds
from app.transfer.memory_files import Names, Taken, import_rows
from app.transfer.row_validation import own_number
from app.understanding.conversations.queue import Queue, new_conversation
from app.understanding.message_rows import factors_to_json, intents_to_json, mention_record, reference_record
from app.values import (
    CaptureRequest,
    CaptureResult,
    Chunk,
    Conversation,
    ConversationDetail,
    ConversationState,
    EventKind,
    ImportReport,
    Message,
    Origin,
)


@dataclass(frozen=True, slots=True)
class Cleaner:
    """How texts and sessions may be kept. Our own exports pass unchanged: their secrets were taken out before."""

    text: Callable[[str], str]
    session: Callable[[str], str]

    def clean(self, detail: ConversationDetail) -> ConversationDetail:
        one = detail.conversation
        conversation = replace(
            one,
            title=self.text(one.title),
            session=self.session(one.session),
            project_path=self.text(one.project_path),
            files=tuple(self.text(file) for file in one.files),
        )
        messages = tuple(self._clean_message(message) for message in detail.messages)
        return replace(detail, conversation=conversation, messages=messages)

    def _clean_message(self, message: Message) -> Message:
        """Where a text has to change, what was found in it is at places that are none any more."""
        texts = [message.text, message.expanded_text, *(one.antecedent or "" for _, one in message.references)]
        if [self.text(text) for text in texts] == texts:
            return message
        text = self.text(message.text)
        return replace(message, text=text, expanded_text=text, entities=(), references=())


def import_history(
    store: Store, streams: Streams, path: Path, settings: Settings, queue: Queue, *, cleaner: Cleaner
) -> ImportReport:
    """All conversations of the file in one transaction, one undoable act."""
    started_s = time.monotonic()
    taken, known, messages = 0, 0, 0
    with path.open("rb") as lines, store.write(origin=Origin.IMPORT, kind="import", label="") as write:
        for detail in read_history(lines):
            added = _take(write, streams, cleaner.clean(detail))
            known += added is None
            taken += added is not None
            messages += len(added.numbers) if added is not None else 0
        queue.make_room(write, settings, newest_id=0)
        write.label = f"Imported {taken} conversations from {path.name}"
    streams.forget()
    return ImportReport(
        source="seed-history",
        path=path,
        message_count=messages,
        duplicate_count=known,
        skipped_count=0,
        failed_count=0,
        conversation_count=taken,
        is_cancelled=False,
        took_s=time.monotonic() - started_s,
        operation_id=write.operation_id,
    )


def import_context(capture: Callable[..., Sequence[CaptureResult]], path: Path) -> ImportReport:
    """The messages of a context file are captured as if typed then; each once."""
    started_s = time.monotonic()
    with path.open("rb") as lines:
        requests = [
            CaptureRequest(
                app="api",
                kind=EventKind.PROMPT,
                key=f"context:{entry.session}:{entry.message.at.isoformat()}:{number}",
                session=entry.session,
                text=entry.message.text,
                at=entry.message.at,
                is_imported=True,
            )
            for number, entry in enumerate(read_context(lines))
        ]
    results = capture(requests, wait_s=30.0) if requests else ()
    duplicates = sum(result.is_duplicate for result in results)
    return ImportReport(
        source="seed-context",
        path=path,
        message_count=len(results) - duplicates,
        duplicate_count=duplicates,
        skipped_count=0,
        failed_count=0,
        conversation_count=len({result.conversation_id for result in results if result.conversation_id}),
        is_cancelled=False,
        took_s=time.monotonic() - started_s,
        operation_id=None,
    )


@dataclass(frozen=True, slots=True)
class Added:
    """A conversation that was taken in, and its messages' numbers by those of the file."""

    conversation_id: int
    numbers: Mapping[int, int]


@dataclass(slots=True)
class TakenConversations:
    """What became of a file's conversations; `by_key`: what their ids stand for here."""

    by_key: dict[str, int] = field(default_factory=dict)
    count: int = 0
    message_count: int = 0
    known_count: int = 0


def take_conversations(
    write: Write, found: Iterable[SeedConversation], streams: Streams, cleaner: Cleaner
) -> TakenConversations:
    """Adds conversations of [S3]'s files with the chunks that sum them up; one that is here already is left as it is."""
    taken = TakenConversations()
    for one in found:
        detail = cleaner.clean(one.detail)
        if not detail.conversation.session:  # by what the file calls it: twice is once
            detail = replace(detail, conversation=replace(detail.conversation, session=cleaner.session(one.key)))
        added = _take(write, streams, detail)
        if added is None:
            taken.known_count += 1
            continue
        taken.count += 1
        taken.message_count += len(added.numbers)
        taken.by_key[one.key] = added.conversation_id
        for chunk in one.chunks:
            write.insert(ChunkRow, _chunk_columns(write.connection, chunk, added, cleaner))
    return taken


def _chunk_columns(connection: Connection, chunk: Chunk, added: Added, cleaner: Cleaner) -> Record:
    return {
        **own_number(connection, ChunkRow, chunk.id),
        "conversation_id": added.conversation_id,
        "number": chunk.number,
        "first_message_id": added.numbers.get(chunk.first_message_id, 0),
        "last_message_id": added.numbers.get(chunk.last_message_id, 0),
        "message_count": chunk.message_count,
        "summary": cleaner.text(chunk.summary),
        "topics": [cleaner.text(topic) for topic in chunk.topics],
        "token_count": chunk.token_count,
        "created_at": chunk.created_at,
        "is_merged": chunk.is_merged,
    }


def _take(write: Write, streams: Streams, detail: ConversationDetail) -> Added | None:
    """Adds one conversation; None when it is here already."""
    one = detail.conversation
    app_id = streams.ensure_app(write, one.app or "api")
    ids = streams.ensure_in(
        write, app_id=app_id, path=one.project_path, session=one.session or f"import-{one.id}", at=one.started_at
    )
    if _is_known(write.connection, ids.stream_id, one):
        return None
    conversation_id = write.insert(ConversationRow, _conversation_columns(write.connection, ids.stream_id, one))
    numbers: dict[int, int] = {}
    for message in detail.messages:
        numbers[message.id] = _add_message(write, message, conversation_id, ids.stream_id, numbers)
    for file in one.files:
        write.insert(ToolUseRow, _tool_use(conversation_id, file, one.last_message_at))
    write.touched_conversations.add(conversation_id)
    return Added(conversation_id, numbers)


def _is_known(connection: Connection, stream_id: int, one: Conversation) -> bool:
    """Whether this stream has one that began at the same instant."""
    began = {"stream_id": stream_id, "started_at": one.started_at}
    return bool(ids_with(connection, ConversationRow, **began, merged_into_id=None))


def _conversation_columns(connection: Connection, stream_id: int, one: Conversation) -> Record:
    values = new_conversation(stream_id, one.started_at, to_microseconds(one.started_at))
    is_active = one.state is ConversationState.ACTIVE
    is_taken = is_active and bool(ids_with(connection, ConversationRow, stream_id=stream_id, state="active"))
    state = ConversationState.PAUSED if is_taken else one.state  # a stream has one active conversation
    return {
        **values,
        **own_number(connection, ConversationRow, one.id),
        "title": one.title if one.is_title_edited else "",
        "auto_title": one.title,
        "is_title_edited": one.is_title_edited,
        "state": state.value,
        "outcome": one.outcome.value if one.outcome and one.is_outcome_edited else None,
        "is_outcome_edited": one.is_outcome_edited,
        "ended_at": one.ended_at,
    }


def _add_message(write: Write, message: Message, conversation_id: int, stream_id: int, numbers: dict[int, int]) -> int:
    columns = _message_columns(message) | {"conversation_id": conversation_id, "stream_id": stream_id}
    message_id = write.insert(MessageRow, own_number(write.connection, MessageRow, message.id) | columns)
    mentions = []
    for found in message.entities:
        known = ids_with(write.connection, EntityRow, canonical=found.canonical)
        named = {"canonical": found.canonical, "kind": found.kind.value, "name": found.text}
        entity_id = known[0] if known else write.insert(EntityRow, named)
        mentions.append(mention_record(message_id, entity_id, found))
    write.insert_many(MentionRow, mentions)
    write.insert_many(ReferenceRow, [_renumbered(message_id, one, numbers) for _, one in message.references])
    return message_id


def _message_columns(message: Message) -> Record:
    boundary = message.boundary
    return {
        "event_id": None,
        "at": message.at,
        "speaker": message.speaker.value,
        "text": message.text,
        "expanded_text": message.expanded_text if message.expanded_text != message.text else None,
        "intents": intents_to_json(message.intents),
        "is_intent_corrected": message.is_intent_corrected,
        "is_start": boundary.is_start,
        "boundary_state": "decided" if boundary.state == "asked" else boundary.state,
        "boundary_confidence": boundary.confidence,
        "boundary_reason": boundary.reason,
        "boundary_factors": factors_to_json(boundary.factors),
        "continue_conversation_id": None,
        "redaction_count": message.redaction_count,
        "is_imported": message.is_imported,
        "is_out_of_window": False,
    }


def _renumbered(message_id: int, reference: Any, numbers: dict[int, int]) -> dict[str, Any]:
    record = reference_record(message_id, reference)
    old = record["antecedent_message_id"]
    return record | {"antecedent_message_id": numbers.get(old, old)}


def _tool_use(conversation_id: int, file: str, at: Any) -> dict[str, Any]:
    return {
        "conversation_id": conversation_id, "at": at, "tool": "imported", "file": file, "command": "",
        "exit_status": None, "is_error": False,
    }  # fmt: skip


LONG_TERM, EPISODIC, CONVERSATIONS, CHUNKS = FOUR_FILES = (
    "long-term-memory.json", "episodic-memory.json", "conversations.json", "conversation-chunks.json",
)  # fmt: skip


@dataclass(slots=True)
class TakenMemory:
    talks: TakenConversations = field(default_factory=TakenConversations)
    memories: Taken = field(default_factory=Taken)
    skipped_count: int = 0


def project_memory_files(path: Path) -> Mapping[str, Path]:
    """Those of the four that are there, by name: in a folder, or the one that `path` is."""
    if path.is_file():
        return {path.name: path} if path.name in FOUR_FILES else {}
    return {name: path / name for name in FOUR_FILES if (path / name).is_file()}


def take_project_memory(
    write: Write,
    files: Mapping[str, Path],
    streams: Streams,
    cleaner: Cleaner,
    clean: Callable[[str], str],
    *,
    keeps_trust: bool,
    promote_at: float,
) -> TakenMemory:
    """Adds what the files hold and is not here. Chunks are in their conversations; alone they are conversations of their own."""
    taken, names, known = TakenMemory(), Names(), set[str]()
    for name, read in ((CONVERSATIONS, _whole_conversations), (CHUNKS, _conversations_of_chunks)):
        if name not in files:
            continue
        found = [one for one in read(files[name], taken) if one.key not in known]
        known |= {one.key for one in found}
        added = take_conversations(write, found, streams, cleaner)
        names.conversations |= added.by_key
        conversations = taken.talks
        conversations.count, conversations.message_count = (
            conversations.count + added.count,
            conversations.message_count + added.message_count,
        )
        conversations.known_count += added.known_count
    for name in (LONG_TERM, EPISODIC):
        if name in files:
            with files[name].open("rb") as stream:
                rows = read_array(stream)
                some = import_rows(
                    write, rows, streams, clean, keeps_trust=keeps_trust, promote_at=promote_at, names=names
                )
            memories = taken.memories
            memories.added += some.added
            memories.rule_count += some.rule_count
            memories.known_count += some.known_count
            memories.skipped_count += some.skipped_count
    return taken


def _whole_conversations(path: Path, taken: TakenMemory) -> Iterator[SeedConversation]:
    for number, row in enumerate(_rows(path, taken), start=1):
        yield from _readable(partial(read_conversation, row, number), taken)


def _conversations_of_chunks(path: Path, taken: TakenMemory) -> Iterator[SeedConversation]:
    grouped: dict[str, list[Row]] = defaultdict(list)
    for row in _rows(path, taken):
        grouped[str_of(row, "conversationId")].append(row)
    for number, rows in enumerate(grouped.values(), start=1):
        yield from _readable(partial(read_chunks, rows, number), taken)


def _readable(read: Callable[[], SeedConversation], taken: TakenMemory) -> Iterator[SeedConversation]:
    """What was read, if it is a conversation and says anything."""
    try:
        found = read()
    except InvalidError:
        taken.skipped_count += 1
        return
    if found.detail.messages or found.chunks:
        yield found
    else:
        taken.skipped_count += 1


def _rows(path: Path, taken: TakenMemory) -> Iterator[Row]:
    with path.open("rb") as stream:
        for row in read_array(stream):
            if row is None:
                taken.skipped_count += 1
            else:
                yield row
