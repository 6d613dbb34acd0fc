"""Takes rows out for good: the rows, every image of them in the journal, and what the journal's labels said of them.

Nothing here is journalled: an erased memory leaves no before image. The file is rewritten afterwards (`Database.scrub`), because
pages keep what was moved. What a person said about the graph goes
with the last thing that it spoke of. Knows which tables hold parts of a memory or a message, no flow. Source: DESIGN section 2 "delete",
STYLE "Known traps", QUALITY S10.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

# ruff: noqa: S608 (our own words)
from sqlalchemy import ColumnElement, Connection, Table, and_, case, delete, func, or_, select, text, true, update

from app.deciders.memory.note import note_contents
from app.store.chunked_parameters import slices
from app.store.erased_words import (
    ERASED,
    NO_TITLE,
    blank_images,
    find_lonely,
    find_ties,
    find_worded,
    has_verdicts,
    read_again,
    sweep_lonely,
    sweep_verdicts,
)
from app.store.erased_words import leaves as _leaves
from app.store.journal import PLACEMENT_RULE, Write, table_of
from app.store.rows.consolidation import forget_action_texts, forget_actions
from app.store.rows.link import forget_in_merged
from app.store.rows.unread_prompts import find_events_of_archived, never_read
from app.store.tables.context import CitationRow, MessageBranchRow, ReceiptItemRow, ReceiptRow
from app.store.tables.core import (
    GRAPH_TABLES,
    JOURNALLED,
    ArchivedPromptRow,
    ChangeRow,
    ConversationRow,
    EntityAliasRow,
    EntityRow,
    EventRow,
    GraphPinRow,
    LearnedRuleRow,
    LinkVerdictRow,
    MentionRow,
    MessageRow,
    NoteLogRow,
    NoteRow,
    OperationRow,
    ReferenceRow,
    RuleRow,
    StreamRow,
    ToolUseRow,
)
from app.store.tables.judge import AnswerEndRow
from app.store.tables.memory import (
    ArtifactRow,
    ChunkRow,
    ContradictionRow,
    LinkRow,
    MemoryCutRow,
    MemoryRow,
    MemorySourceRow,
    MemoryTagRow,
    MemoryVersionRow,
    UsageEventRow,
)
from app.values import DataKind

_change, _link, _verdict, _alias, _pin = (
    table_of(row) for row in (ChangeRow, LinkRow, LinkVerdictRow, EntityAliasRow, GraphPinRow)
)
TABLES = {table_of(row).name: table_of(row) for row in (LinkRow, *GRAPH_TABLES)}
_ENDS = {_link.name: ("from", "to"), _verdict.name: ("a", "b"), _alias.name: (), _pin.name: ("",)}
_KEPT = {
    # what an undo could bring back is there still: erasing takes it out of the journal too
    **{
        kind: f"SELECT id FROM {name} UNION SELECT row_id FROM change WHERE table_name = '{name}'"
        for kind, name in (
            ("memory", "memory"),
            ("entity", "entity"),
            ("conversation", "conversation"),
            ("rule", "learned_rule"),
            ("app", "app"),
        )
    },
    "file": "SELECT f.value FROM conversation c, json_each(c.files) f UNION SELECT reference FROM artifact WHERE kind = 'file'",
}
End = tuple[str, int | str]


def find_orphans(connection: Connection) -> dict[str, set[int]]:
    """By table: numbers of rows, live or in the journal, of which an end is no more. Empty sets are left out."""
    rows = [
        *(
            (name, int(row.id), row._mapping)
            for name, table in TABLES.items()
            for row in connection.execute(
                select(table).where(table.c.origin == "person") if table is _link else select(table)
            )
        ),
        *_images(connection),
    ]
    ends = {(name, number, end) for name, number, row in rows for end in _ends_of(name, row)}
    missing = _missing(connection, {end for _, _, end in ends})
    found: dict[str, set[int]] = {}
    for name, number, end in ends:
        if end in missing:
            found.setdefault(name, set()).add(number)
    return found


def _images(connection: Connection) -> list[tuple[str, int, Mapping[Any, Any]]]:
    of_graph = _change.c.table_name.in_(sorted(TABLES)) & _change.c.before.is_not(None)
    rows = connection.execute(select(_change.c.table_name, _change.c.row_id, _change.c.before).where(of_graph))
    return [(row.table_name, int(row.row_id), row.before) for row in rows]


def _ends_of(table: str, row: Mapping[Any, Any]) -> Iterable[End]:
    """What a row speaks of; of an image of an update only what it holds."""
    if table == _alias.name and row.get("entity_id") is not None:
        yield "entity", int(row["entity_id"])
    for side in _ENDS[table]:
        kind, number, name = (
            f"{side}_{part}" if side else part for part in ("kind", "id" if side else "number", "name")
        )
        if row.get(kind) == "file":
            yield "file", str(row.get(name) or "")
        elif row.get(kind) in _KEPT:
            yield str(row[kind]), int(row[number])


def _missing(connection: Connection, ends: Iterable[End]) -> set[End]:
    by_kind: dict[str, set[int | str]] = {}
    for kind, value in ends:
        by_kind.setdefault(kind, set()).add(value)
    missing: set[End] = set()
    for kind, values in by_kind.items():
        kept = set(connection.execute(text(_KEPT[kind])).scalars())
        missing |= {(kind, value) for value in values - kept}
    return missing


def find_unsaid_aliases(connection: Connection, texts: Iterable[str]) -> dict[int, tuple[str, str]]:
    """Names that were merged into another and that one of these texts says: number, name, canonical. Also from the journal."""
    said = [one.casefold() for one in texts]
    rows: list[tuple[int, Mapping[Any, Any]]] = [
        (int(row.id), row._mapping) for row in connection.execute(select(_alias)).all()
    ]
    rows += [(number, row) for name, number, row in _images(connection) if name == _alias.name]
    return {
        number: (str(row["name"]), str(row["canonical"]))
        for number, row in rows
        if row.get("name") and any(str(row["name"]).casefold() in one for one in said)
    }


_LINE_CHARS = 8  # an error, a command, a file: what is shorter stands everywhere
_NAME_CHARS = 4
_WORKED_OUT = frozenset(
    {"reference", "mention", "entity", "link", "tool_use", "learned_rule"}
)  # whose words come from messages
_NEEDLE_CHARS = 12  # shorter texts are words that anything may hold
_change, _operation, _memory, _message, _archived = (
    table_of(row) for row in (ChangeRow, OperationRow, MemoryRow, MessageRow, ArchivedPromptRow)
)
_source, _version, _artifact, _link, _contradiction = (
    table_of(row) for row in (MemorySourceRow, MemoryVersionRow, ArtifactRow, LinkRow, ContradictionRow)
)
_mention, _reference, _entity, _chunk, _conversation, _rule = (
    table_of(row) for row in (MentionRow, ReferenceRow, EntityRow, ChunkRow, ConversationRow, RuleRow)
)
_learned = table_of(LearnedRuleRow)
_stream, _tool, _branch, _end = (table_of(row) for row in (StreamRow, ToolUseRow, MessageBranchRow, AnswerEndRow))
_note, _note_log = table_of(NoteRow), table_of(NoteLogRow)
_TEXT_COLUMNS = ("title", "full", "summary", "compressed", "value")
AsRendered = Callable[[str], str]  # how a text is in a context that was given


def erase_memories(write: Write, memory_ids: Sequence[int], as_rendered: AsRendered) -> tuple[str, ...]:
    """Removes memories with all that hangs on them; returns what they said, to look for it elsewhere."""
    texts: list[str] = []
    about = _lines_about(write.connection, memory_ids)
    operations: set[int] = set()
    for ids in slices(memory_ids):
        texts += _texts_of(write.connection, ids)
        copies = forget_in_merged(write.connection, ids)
        operations |= _forget(write.connection, _source.name, copies)
        _delete(write.connection, _source, copies)
        for table, own in _parts(ids):
            row_ids = write.connection.execute(select(table.c.id).where(own)).scalars().all()
            operations |= _forget(write.connection, table.name, row_ids, _gone_parts(table.name, ids))
            _delete(write.connection, table, row_ids)
        for row in (MemoryTagRow, MemoryCutRow, UsageEventRow, CitationRow):
            beside = table_of(row)
            write.connection.execute(delete(beside).where(beside.c.memory_id.in_(ids)))
        _erase_from_receipts(write.connection, ids)
        operations |= _forget(write.connection, "memory", ids)
        newer = update(_memory).where(_memory.c.supersedes_id.in_(ids)).values(supersedes_id=None)
        write.connection.execute(newer)
        forget_actions(write.connection, ids)
        _delete(write.connection, _memory, ids)
    operations |= _erase_orphans(write.connection)
    forget_action_texts(write.connection, [text for text in texts if len(text) >= _NEEDLE_CHARS])
    distilled_of, noted = erase_notes(write, texts=texts)
    operations |= distilled_of
    texts += noted
    operations |= _sweep_journal(write.connection, texts, ())
    if has_verdicts(write.connection):
        operations |= sweep_verdicts(write, find_lonely(write.connection, texts))
    _blank(write.connection, operations)
    _sweep_receipts(write.connection, [*texts, *map(as_rendered, texts)], {as_rendered(one) for one in about})
    write.touched_memories |= set(memory_ids)
    write.touched.setdefault(DataKind.MEMORIES, set()).update(memory_ids)
    write.touched.setdefault(DataKind.CONTRADICTIONS, set())
    return tuple(texts)


def erase_messages(
    write: Write,
    message_ids: Sequence[int],
    conversation_ids: Iterable[int],
    as_rendered: AsRendered,
    *,
    partial_ids: Iterable[int] = (),
    tool_use_ids: Sequence[int] = (),
    answered_ids: Sequence[int] = (),
    stream_ids: Iterable[int] = (),
) -> tuple[str, ...]:
    """Removes messages with what was understood of them, and what points at them elsewhere; returns what they said.

    Conversations that have no message then go too, also those of `conversation_ids` whose text had left before; of the others goes
    what was derived from them as a whole, also of `partial_ids`, which stay; so do the messages of `answered_ids`, without answer. What a model worded of these messages elsewhere goes as well, and is worded again if it can be.
    """
    texts: list[str] = []
    sessions = _streams_of(write.connection, message_ids, conversation_ids)
    streams = sessions | set(stream_ids)
    since = _first_at(write.connection, message_ids, conversation_ids)
    ties = find_ties(write.connection, message_ids, sessions, streams, since)
    operations: set[int] = set()
    conversations = set(conversation_ids)
    named: set[int] = set()
    connection = write.connection
    for ids in slices(message_ids):
        rows = [
            row
            for table in (_message, _archived)
            for row in connection.execute(select(table).where(table.c.id.in_(ids))).all()
        ]
        images = _images_of(connection, _message.name, _change.c.row_id.in_(ids))
        images += _images_of(connection, _archived.name, _change.c.row_id.in_(ids))
        said = [row._mapping for row in rows] + images
        texts += [text for one in said for text in (one.get("text"), one.get("expanded_text")) if text]
        conversations |= {int(one["conversation_id"]) for one in said if one.get("conversation_id")}
        for beside in (
            select(_branch.c.branch).where(_branch.c.message_id.in_(ids)),
            select(_end.c.text).where(_end.c.message_id.in_(ids)),
        ):
            texts += connection.execute(beside).scalars()
        named |= _entities_in(connection, ids)
        for table in (_mention, _reference, _source):
            row_ids = connection.execute(select(table.c.id).where(table.c.message_id.in_(ids))).scalars().all()
            operations |= _forget(connection, table.name, row_ids, _image_in(table.name, "message_id", ids))
            _delete(connection, table, row_ids)
        operations |= _forget_learned(connection, [str(one["text"]) for one in said if one.get("text")])
        operations |= _loosen_references(connection, ids)
        _empty_events(connection, ids)
        operations |= _forget(connection, table_of(EventRow).name, [], _image_in("event", "message_id", ids))
        operations |= _forget(connection, "message", ids) | _forget(connection, _archived.name, ids)
        operations |= set(connection.execute(select(_operation.c.id).where(_operation.c.message_id.in_(ids))).scalars())
        _delete(connection, _message, ids)
        _delete(connection, _archived, ids)
    operations |= _erase_chunks(connection, sorted(conversations))
    operations |= _forget_rules(connection, conversations)
    write.touched.setdefault(DataKind.RULES, set())
    names = _names_of(connection, named)
    operations |= _erase_lonely_entities(connection) | _forget_entities(connection, named)
    names -= _names_left(connection, names)
    texts += _erase_tool_uses(write, tool_use_ids)
    partial = set(partial_ids) - conversations
    derived = _texts_about(connection, conversations | partial)
    texts += _erase_answers(connection, answered_ids)
    for one in sorted(partial):
        operations |= _empty_conversation(write, one)
    distilled_of, noted = erase_notes(write, conversation_ids=conversations | partial)
    operations |= distilled_of
    texts += noted
    errors = _leave_conversations(write, conversations)
    lines = {*errors, *map(as_rendered, errors)}
    derived |= errors | _leave_branches(connection, streams)
    operations |= _sweep_journal(connection, texts, {*names, *errors})
    operations |= _sweep_references(connection, names)
    _blank(connection, operations)
    forget_action_texts(connection, [*(one for one in texts if len(one) >= _NEEDLE_CHARS), *names])
    _sweep_receipts(connection, [*texts, *map(as_rendered, texts)], {*lines, *names})
    write.touched.setdefault(DataKind.MESSAGES, set()).update(message_ids)
    texts += sorted(derived | names)
    _blank(connection, _erase_orphans(connection) | _erase_aliases(connection, texts))
    lonely = find_lonely(connection, texts)
    worded = find_worded(connection, lonely, ties)
    if worded:
        read_again(connection, worded)
        texts += erase_memories(write, worded, as_rendered)
    _blank(connection, sweep_lonely(write, lonely, ties))
    return tuple(texts)


def _streams_of(connection: Connection, message_ids: Sequence[int], conversation_ids: Iterable[int]) -> set[int]:
    """The sessions that these were said in, also of those that were taken back."""
    found: set[int] = set()
    for table, numbers in (
        (_message, message_ids),
        (_archived, message_ids),
        (_conversation, sorted(conversation_ids)),
    ):
        for ids in slices(numbers):
            found |= set(connection.execute(select(table.c.stream_id).where(table.c.id.in_(ids))).scalars())
            images = _images_of(connection, table.name, _change.c.row_id.in_(ids))
            found |= {int(one["stream_id"]) for one in images if one.get("stream_id")}
    return found


def _first_at(connection: Connection, message_ids: Sequence[int], conversation_ids: Iterable[int]) -> datetime | None:
    """When the first of these was said; None when a row of one is gone."""
    found: list[datetime] = []
    known = 0
    for ids in slices(message_ids):
        for table in (_message, _archived):
            rows = connection.execute(select(table.c.id, table.c.at).where(table.c.id.in_(ids))).all()
            found += [row.at for row in rows]
            known += len(rows)
    talks = sorted(conversation_ids)
    for ids in slices(talks):
        rows = connection.execute(select(_conversation.c.started_at).where(_conversation.c.id.in_(ids))).all()
        found += [row.started_at for row in rows]
        known += len(rows)
    return min(found) if known >= len(message_ids) + len(talks) and found else None


def _erase_tool_uses(write: Write, tool_use_ids: Sequence[int]) -> list[str]:
    """What tools did in a span of time, in conversations that stay; returns what they said."""
    said: list[str] = []
    connection = write.connection
    for ids in slices(tool_use_ids):
        rows = connection.execute(select(_tool).where(_tool.c.id.in_(ids))).all()
        write.touched_conversations |= {int(row.conversation_id) for row in rows}
        uses = [row._mapping for row in rows] + _images_of(connection, _tool.name, _change.c.row_id.in_(ids))
        said += [text for use in uses for name in ("error", "command", "file") if (text := use.get(name))]
        _blank(connection, _forget(connection, _tool.name, ids))
        _delete(connection, _tool, ids)
    return said


def _erase_answers(connection: Connection, message_ids: Sequence[int]) -> list[str]:
    """The ends of the answers to these messages; returns what they said."""
    said: list[str] = []
    for ids in slices(message_ids):
        said += connection.execute(select(_end.c.text).where(_end.c.message_id.in_(ids))).scalars()
        connection.execute(delete(_end).where(_end.c.message_id.in_(ids)))
    return said


def _texts_about(connection: Connection, conversation_ids: Iterable[int]) -> set[str]:
    """Titles, summaries and notes of these conversations, as they are and as the journal keeps them."""
    found: set[str] = set()
    columns = ("title", "auto_title", "summary", "distilled")
    for ids in slices(sorted(conversation_ids)):
        rows = connection.execute(select(_conversation).where(_conversation.c.id.in_(ids))).all()
        kept = [row._mapping for row in rows] + _images_of(connection, _conversation.name, _change.c.row_id.in_(ids))
        found |= {text for one in kept for name in columns for text in _leaves(one.get(name))}
    return found


def _leave_branches(connection: Connection, stream_ids: Iterable[int]) -> set[str]:
    """Sessions keep the branch that they began on only while a message says it; returns those that went."""
    gone: set[str] = set()
    for ids in slices(sorted(stream_ids)):
        said = select(_branch.c.branch).join(_message, _message.c.id == _branch.c.message_id)
        for row in connection.execute(select(_stream).where(_stream.c.id.in_(ids), _stream.c.git_branch != "")).all():
            if row.git_branch not in set(connection.execute(said.where(_message.c.stream_id == row.id)).scalars()):
                gone.add(row.git_branch)
                connection.execute(update(_stream).where(_stream.c.id == row.id).values(git_branch=""))
        gone |= {
            str(one["git_branch"])
            for one in _images_of(connection, _stream.name, _change.c.row_id.in_(ids))
            if one.get("git_branch")
        }
    return gone


def _empty_events(connection: Connection, message_ids: Sequence[int]) -> None:
    """The events that these messages came from keep their key and when it was, so that they are known when sent again.

    So do those that saw the same prompt once more (`app/values/repeated_prompts.py`): they have no message of their own.
    """
    event = table_of(EventRow)
    emptied = {"message_id": None, "text_hash": "-", "payload": None}
    found = connection.execute(select(event).where(event.c.message_id.in_(message_ids))).all()
    never_read(connection, {int(row.id) for row in found} | find_events_of_archived(connection, message_ids))
    for row in found:
        if row.text_hash:
            alike = (event.c.session == row.session, event.c.text_hash == row.text_hash, event.c.state == "ignored")
            seen = connection.execute(select(event.c.id, event.c.payload).where(*alike)).all()
            again = [one.id for one in seen if (one.payload or {}).get("same_as") == row.id]
            connection.execute(update(event).where(event.c.id.in_(again)).values(text_hash="-"))
    connection.execute(update(event).where(event.c.id.in_([row.id for row in found])).values(emptied))


def messages_of(connection: Connection, memory_ids: Sequence[int]) -> tuple[int, ...]:
    """The messages in which these memories were said, that are still kept."""
    found: set[int] = set()
    for ids in slices(memory_ids):
        said = select(_source.c.message_id).where(_source.c.memory_id.in_(ids))
        for table in (_message, _archived):
            found |= set(connection.execute(select(table.c.id).where(table.c.id.in_(said))).scalars())
    return tuple(sorted(found))


def learned_only_from(connection: Connection, message_ids: Sequence[int]) -> tuple[int, ...]:
    """Memories that were said in these messages and nowhere else, and the episodes of their conversations."""
    wanted = set(message_ids)
    found: set[int] = set()
    for ids in slices(message_ids):
        found |= set(connection.execute(select(_source.c.memory_id).where(_source.c.message_id.in_(ids))).scalars())
    kept: set[int] = set()
    for ids in slices(sorted(found)):
        rows = connection.execute(select(_source.c.memory_id, _source.c.message_id).where(_source.c.memory_id.in_(ids)))
        kept |= {row.memory_id for row in rows if row.message_id not in wanted}
    return tuple(sorted((found - kept) | episodes_of(connection, message_ids)))


def episodes_of(connection: Connection, message_ids: Sequence[int]) -> set[int]:
    """The episodes of the conversations that these messages are in: they are about all of them."""
    found: set[int] = set()
    for ids in slices(message_ids):
        for table in (_message, _archived):
            of_these = select(table.c.conversation_id).where(table.c.id.in_(ids))
            found |= set(connection.execute(of_these).scalars())
    return episodes_in(connection, found)


def episodes_in(connection: Connection, conversation_ids: Iterable[int]) -> set[int]:
    """The episodes of these conversations, also of some that an undo removed."""
    found: set[int] = set()
    is_episode = func.json_extract(_change.c.before, "$.kind") == "episode"
    for ids in slices(sorted(conversation_ids)):
        episode_ids = select(_source.c.memory_id).join(_memory, _memory.c.id == _source.c.memory_id)
        episode_ids = episode_ids.where(_memory.c.kind == "episode", _source.c.conversation_id.in_(ids))
        found |= set(connection.execute(episode_ids).scalars())
        images = _images_of(connection, _source.name, _image_in(_source.name, "conversation_id", ids))
        about = sorted({int(one["memory_id"]) for one in images if one.get("memory_id")})
        found |= taken_back(connection, _memory.name, is_episode, _change.c.row_id.in_(about))
    return found


def taken_back(connection: Connection, table: str, *where: ColumnElement[bool]) -> set[int]:
    """Rows of which the journal holds an image from before they went, and that are not there again."""
    live = select(_change_table(table).c.id)
    gone = select(_change.c.row_id).where(
        _change.c.table_name == table, _change.c.action == "delete", _change.c.row_id.not_in(live), *where
    )
    return set(connection.execute(gone).scalars())


def learned_and_taken_back(connection: Connection, message_ids: Sequence[int]) -> set[int]:
    """Memories that were said in these messages and went since, by an undo."""
    found: set[int] = set()
    for ids in slices(message_ids):
        images = _images_of(connection, _source.name, _image_in(_source.name, "message_id", ids))
        about = {int(one["memory_id"]) for one in images if one.get("memory_id")}
        found |= taken_back(connection, _memory.name, _change.c.row_id.in_(sorted(about)))
    return found


def erase_events(write: Write, event_ids: Sequence[int]) -> None:
    """What waits or failed is not read any more; its key stays, so that it is known when it is sent again."""
    event = table_of(EventRow)
    emptied = {"payload": None, "text_hash": "-", "error": "", "state": "ignored"}
    for ids in slices(event_ids):
        write.connection.execute(update(event).where(event.c.id.in_(ids)).values(emptied))
        _blank(write.connection, _forget(write.connection, event.name, ids))
    write.touched.setdefault(DataKind.EVENTS, set()).update(event_ids)


def _change_table(name: str) -> Table:
    return table_of(JOURNALLED[name])


# parts -------------------------------------------------------------------------------------------------


def _parts(ids: Sequence[int]) -> Iterator[tuple[Table, ColumnElement[bool]]]:
    for table in (_source, _version, _artifact):
        yield table, table.c.memory_id.in_(ids)
    yield _rule, and_(_rule.c.kind == PLACEMENT_RULE, func.json_extract(_rule.c.data, "$.memory_id").in_(ids))
    yield _contradiction, or_(_contradiction.c.memory_a_id.in_(ids), _contradiction.c.memory_b_id.in_(ids))
    yield (
        _link,
        or_(
            and_(_link.c.from_kind == "memory", _link.c.from_id.in_(ids)),
            and_(_link.c.to_kind == "memory", _link.c.to_id.in_(ids)),
        ),
    )


def _gone_parts(name: str, ids: Sequence[int]) -> ColumnElement[bool]:
    """Journal rows of parts that were removed before: their images say whose they were."""
    if name == "contradiction":
        return or_(_image_in(name, "memory_a_id", ids), _image_in(name, "memory_b_id", ids))
    if name == "link":
        return or_(*(and_(_image_in(name, f"{side}_id", ids), _is_memory(side)) for side in ("from", "to")))
    return _image_in(name, "data.memory_id" if name == "rule" else "memory_id", ids)


def _image_in(table: str, column: str, ids: Sequence[int]) -> ColumnElement[bool]:
    value = func.json_extract(_change.c.before, f"$.{column}")
    return and_(_change.c.table_name == table, _change.c.before.is_not(None), value.in_(ids))


def _is_memory(side: str) -> ColumnElement[bool]:
    return func.json_extract(_change.c.before, f"$.{side}_kind") == "memory"


def _texts_of(connection: Connection, ids: Sequence[int]) -> list[str]:
    rows = connection.execute(select(*(_memory.c[name] for name in _TEXT_COLUMNS)).where(_memory.c.id.in_(ids)))
    texts = [text for row in rows for text in row]
    for state in connection.execute(select(_version.c.state).where(_version.c.memory_id.in_(ids))).scalars():
        texts += [str(state.get(name, "")) for name in _TEXT_COLUMNS]
    texts += connection.execute(select(_source.c.quote).where(_source.c.memory_id.in_(ids))).scalars()
    about = or_(
        and_(_change.c.table_name == _memory.name, _change.c.row_id.in_(ids)), _image_in(_source.name, "memory_id", ids)
    )
    for row in connection.execute(select(_change.c.before, _change.c.after).where(about)).all():
        for image in (row.before or {}, row.after or {}):
            texts += [str(image.get(name) or "") for name in (*_TEXT_COLUMNS, "quote")]
    return [text for text in dict.fromkeys(texts) if len(text) >= _NEEDLE_CHARS]


# the journal -------------------------------------------------------------------------------------------


def _forget(
    connection: Connection, table: str, row_ids: Iterable[int], gone: ColumnElement[bool] | None = None
) -> set[int]:
    """Removes the journal's rows about these; returns the operations that they were part of.

    `gone` finds images of rows that were removed before: all that the journal says of such a row goes.
    """
    wanted = set(row_ids)
    if gone is not None:
        wanted |= set(connection.execute(select(_change.c.row_id).where(gone)).scalars())
    operations: set[int] = set()
    for ids in slices(sorted(wanted)):
        about = and_(_change.c.table_name == table, _change.c.row_id.in_(ids))
        operations |= set(connection.execute(select(_change.c.operation_id).where(about)).scalars())
        connection.execute(delete(_change).where(about))
    return operations


def _blank(connection: Connection, operations: Iterable[int]) -> None:
    """Labels say what was done, not to what; an operation of which nothing is left cannot be undone."""
    for ids in slices(sorted(operations)):
        left = set(connection.execute(select(_change.c.operation_id).where(_change.c.operation_id.in_(ids))).scalars())
        for row in connection.execute(select(_operation.c.id, _operation.c.kind).where(_operation.c.id.in_(ids))).all():
            label = f"{row.kind.replace('_', ' ').capitalize()} ({ERASED})"
            values = {"label": label} | ({} if row.id in left else {"is_undoable": False})
            connection.execute(update(_operation).where(_operation.c.id == row.id).values(values))


def _images_of(connection: Connection, table: str, where: ColumnElement[bool]) -> list[Mapping[str, Any]]:
    """What the journal kept of rows of this table: the images before and after."""
    rows = connection.execute(
        select(_change.c.before, _change.c.after).where(_change.c.table_name == table, where)
    ).all()
    return [image for row in rows for image in (row.before, row.after) if image]


def _sweep_journal(connection: Connection, texts: Iterable[str], names: Iterable[str]) -> set[int]:
    """Removes every image that says any of these texts, of whatever row; of what was only worked out, also those with the names.

    What it costs is the undo of those operations; a row that is there stays. Labels that say it are blanked.
    """
    whole = sorted({one.casefold() for one in texts if len(one) >= _NEEDLE_CHARS})
    any_of = sorted({*whole, *(one.casefold() for one in names)})
    operations: set[int] = set()
    if not any_of:
        return operations
    held: list[int] = []
    gone: dict[str, set[int]] = {}
    kept = or_(_change.c.before.is_not(None), _change.c.after.is_not(None))
    for row in connection.execute(select(_change).where(kept)):
        is_worked_out = row.table_name in _WORKED_OUT or (row.table_name == "message" and row.action == "update")
        wanted = any_of if is_worked_out else whole
        if _holds("\n".join(_leaves([row.before or {}, row.after or {}])), wanted):
            held.append(row.seq)
            operations.add(row.operation_id)
            if row.action == "delete":
                gone.setdefault(row.table_name, set()).add(row.row_id)
    for ids in slices(held):
        connection.execute(delete(_change).where(_change.c.seq.in_(ids)))
    for (
        table,
        row_ids,
    ) in gone.items():  # what came and went leaves as a whole: without its image nobody could find the rest
        live = set(connection.execute(select(_change_table(table).c.id)).scalars())
        operations |= _forget(connection, table, row_ids - live)
    labels = connection.execute(select(_operation.c.id, _operation.c.label)).all()
    return operations | {row.id for row in labels if whole and _holds(row.label, whole)}


# notes -------------------------------------------------------------------------------------------------


def erase_notes(
    write: Write, *, conversation_ids: Iterable[int] = (), texts: Iterable[str] = (), note_ids: Iterable[int] = ()
) -> tuple[set[int], list[str]]:
    """Removes notes of these conversations, whole, also of some that went before; those that say any of `texts`; and these.

    Returns the operations that they were part of, and what they said. Why notes were compacted may quote: that goes with them.
    """
    connection = write.connection
    talks, wanted = set(conversation_ids), set(note_ids)
    needles = [text.casefold() for text in texts if len(text) >= _NEEDLE_CHARS]

    def is_meant(note: Mapping[Any, Any]) -> bool:
        of = {note.get("conversation_id"), *(note.get("related_ids") or ())}
        return bool(talks & of) or (bool(needles) and _says_any(str(note.get("content") or ""), needles))

    rows = connection.execute(select(_note)).all()
    found = wanted | {int(row.id) for row in rows if is_meant(row._mapping)}  # also some that went before
    kept = select(_change.c.row_id, _change.c.before, _change.c.after).where(_change.c.table_name == _note.name)
    for row in connection.execute(kept).all():
        if any(is_meant(image) for image in (row.before, row.after) if image):
            found.add(int(row.row_id))
    if not found:
        return set(), []
    said = [row.content for row in rows if row.id in found]
    for ids in slices(sorted(found)):
        said += [
            str(one["content"])
            for one in _images_of(connection, _note.name, _change.c.row_id.in_(ids))
            if one.get("content")
        ]
    apps = {row.app_id for row in rows if row.id in found}
    said_why = (
        update(_note_log).where(or_(_note_log.c.note_id.in_(found), _note_log.c.app_id.in_(apps))).values(reason="")
    )
    connection.execute(said_why)
    forget_action_texts(connection, [one for one in said if len(one) >= _NEEDLE_CHARS])
    operations = _forget(connection, _note.name, found)
    _delete(connection, _note, sorted(found))
    write.touched.setdefault(DataKind.NOTES, set()).update(found)
    return operations, said


def _says_any(content: str, needles: Sequence[str]) -> bool:
    """Whether a note says any of these texts, or a sentence of it is a piece of one."""
    sentences = [one.casefold() for one in note_contents(content)]
    whole = content.casefold()
    return any(
        needle in whole or any(one in needle for one in sentences if len(one) >= _NEEDLE_CHARS) for needle in needles
    )


# receipts ----------------------------------------------------------------------------------------------


def _erase_from_receipts(connection: Connection, memory_ids: Sequence[int]) -> None:
    """A receipt of a context that held the memory keeps its figures, not its bytes."""
    receipt, item = table_of(ReceiptRow), table_of(ReceiptItemRow)
    held = select(item.c.receipt_id).where(item.c.memory_id.in_(memory_ids))
    connection.execute(update(receipt).where(receipt.c.id.in_(held)).values(text="", left_out=[]))
    emptied = {"title": "", "text": "", "reason": ERASED, "signals": []}
    connection.execute(update(item).where(item.c.memory_id.in_(memory_ids)).values(emptied))


def _lines_about(connection: Connection, memory_ids: Sequence[int]) -> set[str]:
    """What lines that are no memory's own say of these: a topic that none but they had, a contradiction."""
    found: set[str] = set()
    for ids in slices(memory_ids):
        columns = (_memory.c.key, _memory.c.category, _memory.c.summary)
        for row in connection.execute(select(*columns).where(_memory.c.id.in_(ids))).all():
            found |= {f"“{row.summary}”", *(f"{topic} (" for topic in (row.key, row.category) if topic)}
    others = select(_memory.c.key, _memory.c.category).where(_memory.c.id.not_in(memory_ids))
    for topic in {one for row in connection.execute(others) for one in row}:
        found.discard(f"{topic} (")
    return found


def _sweep_receipts(connection: Connection, texts: Sequence[str], lines: Iterable[str] = ()) -> None:
    """Signals, topic lines and what was left out may quote what is erased, as it was written or as it was given."""
    needles = {*lines, *(text for text in texts if len(text) >= _NEEDLE_CHARS)}
    citation = table_of(CitationRow)
    for row in connection.execute(select(citation.c.id, citation.c.detail).where(citation.c.detail != "")).all():
        if any(needle in row.detail for needle in needles):
            connection.execute(update(citation).where(citation.c.id == row.id).values(detail=""))
    for row_type in (ReceiptRow, ReceiptItemRow):
        table = table_of(row_type)
        blanks: dict[str, Any] = {"text": "", "signals": {} if row_type is ReceiptRow else []}
        more: dict[str, Any] = {"title": "", "reason": ERASED}
        blanks |= {"left_out": [], "warnings": []} if row_type is ReceiptRow else more
        for row in connection.execute(select(table)).all():
            said = "\n".join(one for name in blanks for one in _leaves(row._mapping[name]))
            if any(needle in said for needle in needles):
                connection.execute(update(table).where(table.c.id == row.id).values(blanks))


def erase_sources(write: Write, source_ids: Sequence[int]) -> tuple[str, ...]:
    """Where memories that stay were said, in a place or time of which nothing is to be left; returns the quotes."""
    quotes: list[str] = []
    for ids in slices(source_ids):
        rows = write.connection.execute(select(_source.c.quote, _source.c.memory_id).where(_source.c.id.in_(ids))).all()
        quotes += [row.quote for row in rows if row.quote]
        write.touched_memories |= {int(row.memory_id) for row in rows}
        _blank(write.connection, _forget(write.connection, _source.name, ids))
        _delete(write.connection, _source, ids)
    return tuple(quotes)


def erase_citations(connection: Connection, citation_ids: Sequence[int]) -> None:
    """What was done in a place or time of which nothing is to be left: that it was stays, not what."""
    citation = table_of(CitationRow)
    for ids in slices(citation_ids):
        connection.execute(update(citation).where(citation.c.id.in_(ids)).values(detail=""))


def erase_receipts(connection: Connection, receipt_ids: Sequence[int]) -> None:
    """Removes receipts whole: what was given in a place of which nothing is to be left."""
    receipt, item, citation = table_of(ReceiptRow), table_of(ReceiptItemRow), table_of(CitationRow)
    for ids in slices(receipt_ids):
        connection.execute(delete(citation).where(citation.c.receipt_id.in_(ids)))
        connection.execute(delete(item).where(item.c.receipt_id.in_(ids)))
        connection.execute(delete(receipt).where(receipt.c.id.in_(ids)))


# what hangs on messages --------------------------------------------------------------------------------


def _forget_learned(connection: Connection, texts: Sequence[str]) -> set[int]:
    """Rules that keep a message's words as an example of an answer."""
    patterns = {text[:length] for text in texts for length in (200, 2_000)}
    operations: set[int] = set()
    for some in slices(sorted(patterns)):
        learned = _rule.c.kind.in_(("boundary", "intent")) & _rule.c.pattern.in_(some)
        row_ids = connection.execute(select(_rule.c.id).where(learned)).scalars().all()
        operations |= _forget(connection, "rule", row_ids)
        _delete(connection, _rule, row_ids)
    return operations


def _forget_rules(connection: Connection, conversation_ids: Iterable[int]) -> set[int]:
    """What conversations that go were linked to, and the rules that nothing else taught."""
    gone = set(conversation_ids)
    operations: set[int] = set()
    for ids in slices(sorted(gone)):
        own = or_(
            (_link.c.from_kind == "conversation") & _link.c.from_id.in_(ids),
            (_link.c.to_kind == "conversation") & _link.c.to_id.in_(ids) & (_link.c.from_kind == "rule"),
        )
        links = connection.execute(select(_link.c.id).where(own)).scalars().all()
        operations |= _forget(connection, _link.name, links)
        _delete(connection, _link, links)
    for row in connection.execute(select(_learned.c.id, _learned.c.conversation_ids)).all():
        left = [one for one in row.conversation_ids if one not in gone]
        if len(left) == len(row.conversation_ids):
            continue
        operations |= _forget(connection, _learned.name, [row.id])
        if left:
            connection.execute(update(_learned).where(_learned.c.id == row.id).values(conversation_ids=left))
        else:
            _delete(connection, _learned, [row.id])
    return operations


def _loosen_references(connection: Connection, message_ids: Sequence[int]) -> set[int]:
    """References elsewhere that stand for something in these messages stand for nothing any more."""
    gone = set(message_ids)
    pointing = _reference.c.antecedent_message_id.in_(message_ids)
    operations = _drop_candidates(connection, gone)
    for row in connection.execute(select(_reference).where(pointing)).all():
        candidates = [one for one in row.candidates if one[2] not in gone]
        loose = {
            "antecedent": None, "state": "unresolved", "antecedent_message_id": None,
            "antecedent_conversation_id": None, "reason": "what it stood for was erased", "candidates": candidates,
        }  # fmt: skip
        operations |= _forget(connection, "reference", [row.id]) | _forget(connection, "message", [row.message_id])
        connection.execute(update(_reference).where(_reference.c.id == row.id).values(loose))
        unread = {"expanded_text": None}
        connection.execute(update(_message).where(_message.c.id == row.message_id).values(unread))
    return operations


def _drop_candidates(connection: Connection, gone: set[int]) -> set[int]:
    """Names of these messages that other messages' references only weighed, and did not choose."""
    candidate = func.json_each(_reference.c.candidates).table_valued("value", name="candidate")
    weighed = func.json_extract(candidate.c.value, "$[2]").in_(sorted(gone))
    holding = select(_reference.c.id).select_from(_reference.join(candidate, true())).where(weighed)
    operations: set[int] = set()
    for row in connection.execute(select(_reference).where(_reference.c.id.in_(holding))).all():
        left = [one for one in row.candidates if one[2] not in gone]
        operations |= _forget(connection, "reference", [row.id])
        connection.execute(update(_reference).where(_reference.c.id == row.id).values(candidates=left))
    return operations


def _sweep_references(connection: Connection, names: Iterable[str]) -> set[int]:
    """What was weighed or chosen elsewhere by a name that nothing bears any more, whatever message it is said to come from."""
    wanted = [name.casefold() for name in names]
    operations: set[int] = set()
    if not wanted:
        return operations
    for row in connection.execute(select(_reference)).all():
        left = [one for one in row.candidates if not _holds(str(one[0]), wanted)]
        values: dict[str, Any] = {} if len(left) == len(row.candidates) else {"candidates": left}
        if _holds(f"{row.antecedent or ''} {row.reason}", wanted):
            values |= {"antecedent": None, "state": "unresolved", "reason": ERASED, "antecedent_message_id": None}
        if values:
            operations |= _forget(connection, "reference", [row.id])
            connection.execute(update(_reference).where(_reference.c.id == row.id).values(values))
    why = select(_message.c.id, _message.c.boundary_reason, _message.c.boundary_factors, _message.c.expanded_text)
    for row in connection.execute(why).all():
        if blanks := _blanks(row._mapping, wanted):
            operations |= _forget(connection, "message", [row.id])
            connection.execute(update(_message).where(_message.c.id == row.id).values(blanks))
    images = select(_change.c.seq, _change.c.before).where(_change.c.table_name == _message.name)
    for row in connection.execute(images.where(_change.c.action == "delete", _change.c.before.is_not(None))).all():
        if blanks := _blanks(row.before, wanted):  # of a message that left the queue: its undo stays
            connection.execute(update(_change).where(_change.c.seq == row.seq).values(before={**row.before, **blanks}))
    return operations


def _blanks(message: Mapping[Any, Any], wanted: Sequence[str]) -> dict[str, Any]:
    """What was worked out of a message and names any of these, as it may stay."""
    blanks: dict[str, Any] = {}
    if _holds(message.get("boundary_reason") or "", wanted):
        blanks["boundary_reason"] = ERASED
    if _holds("\n".join(_leaves(message.get("boundary_factors") or [])), wanted):
        blanks["boundary_factors"] = []
    if _holds(message.get("expanded_text") or "", wanted):
        blanks["expanded_text"] = None
    return blanks


def _holds(text: str, wanted: Sequence[str]) -> bool:
    said = text.casefold()
    return any(one in said for one in wanted)


def _erase_orphans(connection: Connection) -> set[int]:
    """What a person said of links, names and places of things that are no more."""
    operations: set[int] = set()
    for name, row_ids in find_orphans(connection).items():
        operations |= _forget(connection, name, row_ids)
        _delete(connection, TABLES[name], sorted(row_ids))
    return operations


def _erase_aliases(connection: Connection, texts: Sequence[str]) -> set[int]:
    """Merged names that only the erased texts said, with what the journal kept of the things that they named."""
    names = find_unsaid_aliases(connection, texts)
    left = _names_left(connection, {name for name, _ in names.values()})
    gone = {number: canonical for number, (name, canonical) in names.items() if name not in left}
    operations = _forget(connection, "entity_alias", gone)
    named = func.json_extract(_change.c.before, "$.canonical").in_(sorted(gone.values()))
    operations |= _forget(connection, _entity.name, [], and_(_change.c.table_name == _entity.name, named))
    _delete(connection, table_of(EntityAliasRow), sorted(gone))
    return operations


def _erase_chunks(connection: Connection, conversation_ids: list[int]) -> set[int]:
    """Summaries of conversations that lost messages; they are made again from what is left."""
    row_ids = (
        connection.execute(select(_chunk.c.id).where(_chunk.c.conversation_id.in_(conversation_ids))).scalars().all()
    )
    operations = _forget(connection, "chunk", row_ids, _image_in("chunk", "conversation_id", conversation_ids))
    _delete(connection, _chunk, row_ids)
    return operations


def _erase_lonely_entities(connection: Connection) -> set[int]:
    """Things that nothing speaks of any more: their names came from what is gone."""
    named = select(_mention.c.entity_id)
    remembered = select(_link.c.to_id).where(_link.c.from_kind == "conversation", _link.c.to_kind == "entity")
    unsaid = _entity.c.id.not_in(named) & _entity.c.id.not_in(remembered)
    row_ids = connection.execute(select(_entity.c.id).where(unsaid)).scalars().all()
    operations = _forget(connection, "entity", row_ids)
    for ids in slices(list(row_ids)):
        linked = and_(_link.c.to_kind == "entity", _link.c.to_id.in_(ids))
        links = connection.execute(select(_link.c.id).where(linked)).scalars().all()
        operations |= _forget(connection, "link", links)
        _delete(connection, _link, links)
    _delete(connection, _entity, row_ids)
    return operations


def _entities_in(connection: Connection, message_ids: Sequence[int]) -> set[int]:
    """The things that these messages name, also in mentions that were taken back."""
    live = select(_mention.c.entity_id).where(_mention.c.message_id.in_(message_ids))
    images = _images_of(connection, _mention.name, _image_in(_mention.name, "message_id", message_ids))
    return set(connection.execute(live).scalars()) | {int(one["entity_id"]) for one in images if one.get("entity_id")}


def _names_of(connection: Connection, entity_ids: Iterable[int]) -> set[str]:
    names: set[str] = set()
    for ids in slices(sorted(entity_ids)):
        for row in connection.execute(select(_entity.c.canonical, _entity.c.name).where(_entity.c.id.in_(ids))).all():
            names |= {row.canonical, row.name}
        for image in _images_of(connection, _entity.name, _change.c.row_id.in_(ids)):
            names |= {str(image.get("canonical") or ""), str(image.get("name") or "")}
    return {name for name in names if len(name) >= _NAME_CHARS}


def _names_left(connection: Connection, names: set[str]) -> set[str]:
    """Those of these names that something says still: a message, a memory. They are no secret of what is erased."""
    left: set[str] = set()
    for name in names:
        said = or_(
            select(_message.c.id).where(_message.c.text.icontains(name, autoescape=True)).exists(),
            select(_memory.c.id).where(_memory.c.full.icontains(name, autoescape=True)).exists(),
        )
        if connection.execute(select(said)).scalar():
            left.add(name)
    return left


def _forget_entities(connection: Connection, entity_ids: Iterable[int]) -> set[int]:
    """What the journal kept of things that went when a capture was taken back, and that nothing names any more."""
    gone: list[int] = []
    for ids in slices(sorted(entity_ids)):
        live = set(connection.execute(select(_entity.c.id).where(_entity.c.id.in_(ids))).scalars())
        kept = _images_of(connection, _mention.name, _image_in(_mention.name, "entity_id", ids))
        gone += sorted(set(ids) - live - {int(one.get("entity_id") or 0) for one in kept})
    return _forget(connection, _entity.name, gone)


def _empty_conversation(write: Write, conversation_id: int) -> set[int]:
    """Takes out what was derived from all of it, but a title of the person's own; it is derived again from what is left."""
    emptied = {"auto_title": "", "summary": None, "summary_by": None, "distilled": None, "outcome_reason": ""}
    own = _conversation.c.id == conversation_id
    write.connection.execute(update(_conversation).where(own).values(emptied))
    no_title = case((_conversation.c.state == "evicted", NO_TITLE), else_="")
    unedited = update(_conversation).where(own, _conversation.c.is_title_edited.is_(False))
    write.connection.execute(unedited.values(title=no_title))
    write.touched_conversations.add(conversation_id)
    return blank_images(write.connection, _conversation.name, [conversation_id])


def _leave_conversations(write: Write, conversation_ids: set[int]) -> set[str]:
    """Conversations that lost all their messages go too; the others get their derived columns again.

    Returns what their tools said: lines of errors, commands, files.
    """
    said: set[str] = set()
    connection = write.connection
    tool = table_of(ToolUseRow)
    operations: set[int] = set()
    for one in sorted(conversation_ids):
        left = connection.execute(select(_message.c.id).where(_message.c.conversation_id == one).limit(1)).first()
        if left is not None:
            operations |= _empty_conversation(write, one)
            continue
        if connection.execute(select(_archived.c.id).where(_archived.c.conversation_id == one).limit(1)).first():
            operations |= _empty_conversation(write, one)  # its other prompts are in the archive
            continue
        used = connection.execute(select(tool).where(tool.c.conversation_id == one)).all()
        tools = [row.id for row in used]
        went = _image_in("tool_use", "conversation_id", [one])
        uses: list[Mapping[str, Any]] = [row._asdict() for row in used]
        for use in uses + _images_of(connection, "tool_use", went):
            said |= {str(use.get(name) or "") for name in ("error", "command", "file")}
        operations |= _forget(connection, "tool_use", tools, went) | _forget(connection, "conversation", [one])
        operations |= set(
            connection.execute(select(_operation.c.id).where(_operation.c.conversation_id == one)).scalars()
        )
        _delete(connection, tool, tools)
        _delete(connection, _conversation, [one])
        write.touched_conversations.discard(one)
    _blank(connection, operations)
    for ids in slices(sorted(conversation_ids)):
        quoted = update(_source).where(_source.c.conversation_id.in_(ids)).values(conversation_title="")
        connection.execute(quoted)
    write.touched.setdefault(DataKind.CONVERSATIONS, set()).update(conversation_ids)
    return {line for line in said if len(line) >= _LINE_CHARS}


def _delete(connection: Connection, table: Table, row_ids: Sequence[int]) -> None:
    for ids in slices(list(row_ids)):
        connection.execute(delete(table).where(table.c.id.in_(ids)))
