"""What is in the scope of an erase: rows of each table by conversation, project, app and time, also what an undo removed.

What is done with them is `erasing`. Source: DESIGN section 2 "delete", QUALITY S10.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, and_, false, func, or_, select

from app.errors import NotFoundError
from app.store.erasing import episodes_in, learned_and_taken_back, learned_only_from, taken_back
from app.store.journal import table_of
from app.store.rows.project import projects_called
from app.store.table_queries import ids_with, rows_with
from app.store.tables.context import CitationRow, ReceiptRow
from app.store.tables.core import (
    AppRow,
    ArchivedPromptRow,
    ChangeRow,
    ConversationRow,
    EventRow,
    MessageRow,
    NoteRow,
    OperationRow,
    ProjectRow,
    StreamRow,
    ToolUseRow,
)
from app.store.tables.memory import MemoryRow, MemorySourceRow
from app.store.tables.types import to_microseconds

_memory, _message, _source, _stream, _conversation, _receipt, _app, _change, _event, _project, _archived = (
    table_of(row)
    for row in (
        MemoryRow,
        MessageRow,
        MemorySourceRow,
        StreamRow,
        ConversationRow,
        ReceiptRow,
        AppRow,
        ChangeRow,
        EventRow,
        ProjectRow,
        ArchivedPromptRow,
    )
)
_note = table_of(NoteRow)
_tool, _citation, _operation = table_of(ToolUseRow), table_of(CitationRow), table_of(OperationRow)  # fmt: skip
_BESIDE = timedelta(minutes=1)  # a prompt is answered before or after it is understood


@dataclass(frozen=True, slots=True)
class EraseScope:
    """What to erase everything of; the fields narrow each other down."""

    conversation_id: int | None = None
    project: str = ""
    app: str = ""
    from_at: datetime | None = None  # [from_at, to_at)
    to_at: datetime | None = None

    @property
    def is_empty(self) -> bool:
        return self == EraseScope()


@dataclass(frozen=True, slots=True)
class RowsToErase:
    """What goes, by number."""

    memories: Sequence[int] = ()
    messages: Sequence[int] = ()
    conversations: Sequence[int] = ()
    receipts: Sequence[int] = ()
    events: Sequence[int] = ()
    past: Sequence[int] = ()  # events of prompts whose words only a history file holds
    talks: Sequence[int] = ()  # that continued meanwhile, and began before or ended later
    tool_uses: Sequence[int] = ()
    answered: Sequence[int] = ()
    streams: Sequence[int] = ()
    citations: Sequence[int] = ()
    sources: Sequence[int] = ()
    notes: Sequence[int] = ()


def find_in_scope(connection: Connection, scope: EraseScope) -> RowsToErase:
    """Everything of the scope. Raises NotFoundError for a conversation that never was."""
    conversations = set(connection.execute(_conversations_in(connection, scope)).scalars())
    conversations |= _taken_back_in(connection, _conversation.name, scope)
    row_ids = {
        number
        for table in (_message, _archived)
        for number in connection.execute(_messages_in(connection, scope, table)).scalars()
    }
    row_ids |= _taken_back_in(connection, _message.name, scope) | _taken_back_in(connection, _archived.name, scope)
    messages = sorted(row_ids)
    memories = set(learned_only_from(connection, messages)) | _taken_back_in(connection, _memory.name, scope)
    memories |= learned_and_taken_back(connection, messages)
    if scope.conversation_id is None:
        memories |= set(connection.execute(_memories_in(connection, scope)).scalars())
    else:
        memories |= _left_by(connection, scope.conversation_id)
    talks: set[int] = set()
    if scope.from_at is not None or scope.to_at is not None:
        talks = set(connection.execute(_going_on_in(connection, scope)).scalars())
        talks = (talks | set(connection.execute(_noted_in(connection, scope)).scalars())) - conversations
        memories |= episodes_in(connection, talks | conversations) | _said_in(connection, scope)
    notes = {*connection.execute(_notes_in(connection, scope)).scalars()}
    return RowsToErase(
        memories=sorted(memories),
        messages=messages,
        conversations=sorted(conversations),
        receipts=connection.execute(_receipts_in(connection, scope)).scalars().all(),
        events=_events_in(connection, scope),
        past=_past_in(connection, scope),
        talks=sorted(talks),
        tool_uses=sorted(_tool_uses_in(connection, scope)),
        answered=_answered_in(connection, talks, scope),
        streams=connection.execute(_streams_in(connection, scope)).scalars().all(),
        citations=connection.execute(_citations_in(connection, scope)).scalars().all(),
        sources=_sources_in(connection, scope),
        notes=sorted(notes | _taken_back_in(connection, _note.name, scope)),
    )


def memories_taken_back(connection: Connection, memory_ids: Sequence[int]) -> set[int]:
    """Those of these memories that an undo removed and the journal still holds."""
    return taken_back(connection, _memory.name, _change.c.row_id.in_(memory_ids))


def _messages_in(connection: Connection, scope: EraseScope, table: Table) -> Select[Any]:
    statement = select(table.c.id).join(_stream, _stream.c.id == table.c.stream_id)
    if scope.conversation_id is not None:
        statement = statement.where(table.c.conversation_id == scope.conversation_id)
    return _in_time(_narrow(connection, statement, scope), table.c.at, scope).order_by(table.c.id)


def _conversations_in(connection: Connection, scope: EraseScope) -> Select[Any]:
    """Conversations that are in the scope as a whole; their titles outlive their messages."""
    statement = select(_conversation.c.id).join(_stream, _stream.c.id == _conversation.c.stream_id)
    if scope.conversation_id is not None:
        return statement.where(_conversation.c.id == scope.conversation_id)
    statement = _narrow(connection, statement, scope)
    return _in_time(statement, _conversation.c.started_at, scope, _conversation.c.last_message_at)


def _notes_in(connection: Connection, scope: EraseScope) -> Select[Any]:
    """Notes that belong to the scope by themselves, those that a person wrote too."""
    statement = select(_note.c.id)
    if scope.conversation_id is not None:
        return statement.where(_note.c.conversation_id == scope.conversation_id)
    return _in_time(_narrow(connection, statement, scope, _note), _note.c.updated_at, scope, _note.c.created_at)


def _said_in(connection: Connection, scope: EraseScope) -> set[int]:
    """Memories that were said in the span and at no other time, also when a judge read it later and the messages have left."""
    sources = _sources_in(connection, scope)
    here = set(sources)
    found = {row.memory_id for row in rows_with(connection, MemorySourceRow, "memory_id", id=sources)}
    rows = rows_with(connection, MemorySourceRow, "id", "memory_id", memory_id=found)
    return found - {row.memory_id for row in rows if row.id not in here}


def _sources_in(connection: Connection, scope: EraseScope) -> list[int]:
    """Quotes from the scope, also of messages that have left: those of one conversation, else of a project, an app, a time."""
    statement = select(_source.c.id).join(_memory, _memory.c.id == _source.c.memory_id)
    if scope.conversation_id is not None:
        statement = statement.where(_source.c.conversation_id == scope.conversation_id)
    if scope.project:
        statement = statement.where(_memory.c.project_id.in_(projects_called(connection, [scope.project])))
    if scope.app:
        statement = statement.where(_source.c.app == scope.app)
    found = set(connection.execute(_in_time(statement, _source.c.at, scope)).scalars())
    if scope.project:  # what was taken back went with its memory, which says its project
        return sorted(found)
    gone = [_image("conversation_id") == scope.conversation_id] if scope.conversation_id is not None else []
    gone += [_image("app") == scope.app] if scope.app else []
    gone += [_image("at") >= to_microseconds(scope.from_at)] if scope.from_at is not None else []
    gone += [_image("at") < to_microseconds(scope.to_at)] if scope.to_at is not None else []
    return sorted(found | taken_back(connection, _source.name, *gone))


def _going_on_in(connection: Connection, scope: EraseScope) -> Select[Any]:
    """Conversations that continued in a span of time, also where no message is in it: what was noted of them has no date."""
    statement = select(_conversation.c.id).join(_stream, _stream.c.id == _conversation.c.stream_id)
    statement = _narrow(connection, statement, scope)
    if scope.to_at is not None:
        statement = statement.where(_conversation.c.started_at < scope.to_at)
    if scope.from_at is not None:
        goes_on = and_(_conversation.c.ended_at.is_(None), _conversation.c.state != "evicted")
        is_later = [column >= scope.from_at for column in (_conversation.c.ended_at, _conversation.c.last_message_at)]
        statement = statement.where(or_(goes_on, *is_later))
    return statement


def _noted_in(connection: Connection, scope: EraseScope) -> Select[Any]:
    """Conversations that something was noted of in the span, after all that was said in them: the journal knows when."""
    noted = [func.json_extract(_change.c.after, f"$.{name}").is_not(None) for name in ("distilled", "summary")]
    changed = select(_change.c.row_id).join(_operation, _operation.c.id == _change.c.operation_id)
    changed = changed.where(_change.c.table_name == _conversation.name, _change.c.after.is_not(None), or_(*noted))
    statement = select(_conversation.c.id).join(_stream, _stream.c.id == _conversation.c.stream_id)
    statement = statement.where(_conversation.c.id.in_(_in_time(changed, _operation.c.at, scope)))
    return _narrow(connection, statement, scope)


def _answered_in(connection: Connection, talks: set[int], scope: EraseScope) -> list[int]:
    """The prompts before the span, one of each of these conversations, whose answer may have come in it."""
    if scope.from_at is None:
        return []
    newest = select(func.max(_message.c.id)).where(_message.c.conversation_id.in_(talks), _message.c.at < scope.from_at)
    return list(connection.execute(newest.group_by(_message.c.conversation_id)).scalars())


def _tool_uses_in(connection: Connection, scope: EraseScope) -> set[int]:
    """What tools did meanwhile, also what was taken back."""
    statement = select(_tool.c.id).join(_conversation, _conversation.c.id == _tool.c.conversation_id)
    statement = _narrow(connection, statement.join(_stream, _stream.c.id == _conversation.c.stream_id), scope)
    if scope.conversation_id is not None:
        statement = statement.where(_tool.c.conversation_id == scope.conversation_id)
    found = set(connection.execute(_in_time(statement, _tool.c.at, scope)).scalars())
    return found | _taken_back_in(connection, _tool.name, scope)


def _streams_in(connection: Connection, scope: EraseScope) -> Select[Any]:
    """Sessions of the scope, and those that continued in it."""
    statement = _narrow(connection, select(_stream.c.id), scope)
    if scope.conversation_id is not None:
        own = select(_conversation.c.stream_id).where(_conversation.c.id == scope.conversation_id)
        statement = statement.where(_stream.c.id.in_(own))
    return statement


def _citations_in(connection: Connection, scope: EraseScope) -> Select[Any]:
    """What was done with what was told: which file, which command."""
    statement = select(_citation.c.id).join(_receipt, _receipt.c.id == _citation.c.receipt_id)
    if scope.conversation_id is not None:
        return statement.where(false())  # found by their words
    if scope.project:
        statement = statement.where(_receipt.c.project_id.in_(projects_called(connection, [scope.project])))
    if scope.app:
        statement = statement.where(_receipt.c.app == scope.app)
    return _in_time(statement, _citation.c.at, scope)


def _narrow(connection: Connection, statement: Select[Any], scope: EraseScope, table: Table = _stream) -> Select[Any]:
    """To rows of the scope's project and app: by their session, or by columns of their own."""
    if scope.project:
        statement = statement.where(table.c.project_id.in_(projects_called(connection, [scope.project])))
    if scope.app:
        statement = statement.where(table.c.app_id.in_(ids_with(connection, AppRow, name=scope.app)))
    return statement


def _in_time(
    statement: Select[Any], at: ColumnElement[Any], scope: EraseScope, end_at: ColumnElement[Any] | None = None
) -> Select[Any]:
    """To rows of the scope's span. `end_at`: what is held against the end of the span, where it is not `at`."""
    if scope.from_at is not None:
        statement = statement.where(at >= scope.from_at)
    if scope.to_at is not None:
        statement = statement.where((at if end_at is None else end_at) < scope.to_at)
    return statement


def _image(name: str) -> ColumnElement[Any]:
    return func.json_extract(_change.c.before, f"$.{name}")


_TIME_OF = {
    "memory": ("recorded_at", "recorded_at"),
    "note": ("updated_at", "created_at"),
    "message": ("at", "at"),
    "archived_prompt": ("at", "at"),
    "conversation": ("started_at", "started_at"),
    "tool_use": ("at", "at"),
}


def _taken_back_in(connection: Connection, table: str, scope: EraseScope) -> set[int]:
    """Rows of the scope that an undo removed: they are in no table any more, whole in the journal."""
    wanted: list[ColumnElement[bool]] = []
    if scope.conversation_id is not None:
        if table == "memory":
            images = select(_image("memory_id")).where(
                _change.c.table_name == _source.name, _image("conversation_id") == scope.conversation_id
            )
            wanted.append(_change.c.row_id.in_(list(connection.execute(images).scalars())))
        else:
            own = _change.c.row_id if table == "conversation" else _image("conversation_id")
            wanted.append(own == scope.conversation_id)
    projects, apps = _projects_ever(connection, scope.project), _apps_ever(connection, scope.app)
    if table in {"memory", "note"}:
        wanted += [_image("project_id").in_(projects)] if scope.project else []
        wanted += [_image("app_id").in_(apps)] if scope.app else []
    elif scope.project or scope.app:
        streams = _streams_ever(connection, scope, projects, apps)
        wanted.append(
            _image("conversation_id").in_(_conversations_ever(connection, streams))
            if table == _tool.name
            else _image("stream_id").in_(streams)
        )
    first, last = _TIME_OF[table]
    if scope.from_at is not None:
        wanted.append(_image(first) >= to_microseconds(scope.from_at))
    if scope.to_at is not None:
        wanted.append(_image(last) < to_microseconds(scope.to_at))
    return taken_back(connection, table, *wanted)


def _projects_ever(connection: Connection, name: str) -> list[int]:
    """Projects of this name or folder, also one that went when its only capture was taken back."""
    gone = or_(_image("path") == name, _image("name") == name)
    return [*projects_called(connection, [name]), *taken_back(connection, _project.name, gone)] if name else []


def _apps_ever(connection: Connection, name: str) -> list[int]:
    """The app of this name, and rows of that name that went when what made them was taken back."""
    gone = taken_back(connection, _app.name, _image("name") == name)
    return [*ids_with(connection, AppRow, name=name), *gone] if name else []


def _conversations_ever(connection: Connection, streams: list[int]) -> list[int]:
    gone = taken_back(connection, _conversation.name, _image("stream_id").in_(streams))
    live = select(_conversation.c.id).where(_conversation.c.stream_id.in_(streams))
    return [*connection.execute(live).scalars(), *gone]


def _streams_ever(connection: Connection, scope: EraseScope, projects: list[int], apps: list[int]) -> list[int]:
    live = select(_stream.c.id)
    gone: list[ColumnElement[bool]] = []
    if scope.project:
        live = live.where(_stream.c.project_id.in_(projects))
        gone.append(_image("project_id").in_(projects))
    if scope.app:
        live = live.where(_stream.c.app_id.in_(apps))
        gone.append(_image("app_id").in_(apps))
    return [*connection.execute(live).scalars(), *taken_back(connection, _stream.name, *gone)]


def _events_in(connection: Connection, scope: EraseScope) -> list[int]:
    """What waits in the inbox or failed there, and holds its text still."""
    return _among_events(connection, scope, select(_event.c.id).where(_event.c.payload.is_not(None)))


def _past_in(connection: Connection, scope: EraseScope) -> list[int]:
    """Prompts whose words only a file of their assistant holds by now: what is erased here is not read there again."""
    statement = select(_event.c.id).where(_event.c.kind == "prompt", _event.c.state == "done")
    return _among_events(connection, scope, statement, is_exact=True)


def _among_events(
    connection: Connection, scope: EraseScope, statement: Select[Any], *, is_exact: bool = False
) -> list[int]:
    """`is_exact`: of a conversation only what was typed between its first and its last message."""
    if scope.conversation_id is not None:
        talk = select(
            _stream.c.session, _stream.c.app_id, _conversation.c.started_at, _conversation.c.last_message_at
        ).join(_conversation, _conversation.c.stream_id == _stream.c.id)
        one = connection.execute(talk.where(_conversation.c.id == scope.conversation_id)).one_or_none()
        if one is None:
            return []
        statement = statement.where(_event.c.session == one.session, _event.c.app_id == one.app_id)
        if is_exact:
            last = one.last_message_at or one.started_at
            statement = statement.where(_event.c.at >= one.started_at, _event.c.at <= last)
    if scope.project:
        streams = select(_stream.c.session).where(_stream.c.project_id.in_(_projects_ever(connection, scope.project)))
        statement = statement.where(_event.c.session.in_(streams))
    if scope.app:
        statement = statement.where(_event.c.app_id.in_(ids_with(connection, AppRow, name=scope.app)))
    return list(connection.execute(_in_time(statement, _event.c.at, scope)).scalars())


def _memories_in(connection: Connection, scope: EraseScope) -> Select[Any]:
    return _in_time(_narrow(connection, select(_memory.c.id), scope, _memory), _memory.c.recorded_at, scope)


def _receipts_in(connection: Connection, scope: EraseScope) -> Select[Any]:
    """What was told there: its prompt, file, branch, failed commands are the scope's own, whatever memories it held."""
    statement = select(_receipt.c.id)
    if scope.conversation_id is not None:
        talk = select(_app.c.name, _stream.c.session, _conversation.c.started_at, _conversation.c.last_message_at)
        talk = talk.select_from(_conversation.join(_stream, _stream.c.id == _conversation.c.stream_id).join(_app))
        one = connection.execute(talk.where(_conversation.c.id == scope.conversation_id)).one_or_none()
        if one is None:
            return statement.where(false())
        statement = statement.where(
            _receipt.c.app == one.name,
            _receipt.c.session == one.session,
            _receipt.c.at.between(one.started_at - _BESIDE, one.last_message_at + _BESIDE),
        )
    if scope.project:
        statement = statement.where(_receipt.c.project_id.in_(projects_called(connection, [scope.project])))
    if scope.app:
        statement = statement.where(_receipt.c.app == scope.app)
    return _in_time(statement, _receipt.c.at, scope)


def _left_by(connection: Connection, conversation_id: int) -> set[int]:
    """Memories that were learned in this conversation and in no other, also when its messages have left."""
    is_there = connection.execute(select(_conversation.c.id).where(_conversation.c.id == conversation_id)).first()
    if is_there is None and not taken_back(connection, _conversation.name, _change.c.row_id == conversation_id):
        raise NotFoundError(f"There is no conversation number {conversation_id}.", hint="Nothing was erased.")
    here = select(_source.c.memory_id).where(_source.c.conversation_id == conversation_id)
    found = set(connection.execute(here).scalars())
    elsewhere = select(_source.c.memory_id).where(
        _source.c.memory_id.in_(here), _source.c.conversation_id.is_distinct_from(conversation_id)
    )
    return found - set(connection.execute(elsewhere).scalars())
