"""The SQL of notes: which conversations are due, what one says, an app's notes, the log. Knows rows, no flow. Source: S5."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, literal, select, update

from app.store.app_metadata import read_mark, set_marks
from app.store.journal import Record, table_of
from app.store.tables.context import ReceiptRow
from app.store.tables.core import (
    AppRow,
    ChangeRow,
    ConversationRow,
    EventRow,
    MessageRow,
    NoteChoiceRow,
    NoteLogRow,
    NoteRow,
    OperationRow,
    ProjectRow,
    StreamRow,
)
from app.store.tables.judge import AnswerEndRow
from app.store.tables.memory import MemoryRow, MemorySourceRow
from app.values import Origin

_note, _log, _choice = table_of(NoteRow), table_of(NoteLogRow), table_of(NoteChoiceRow)
_conversation, _message, _stream, _app, _project, _end = (
    table_of(row) for row in (ConversationRow, MessageRow, StreamRow, AppRow, ProjectRow, AnswerEndRow)
)
_event, _receipt = table_of(EventRow), table_of(ReceiptRow)
_memory, _source = table_of(MemoryRow), table_of(MemorySourceRow)
_operation, _change = table_of(OperationRow), table_of(ChangeRow)
_SINCE = "notes_after_message"  # what was typed before this number makes no note
_READ = ("created", "failed", "none")  # entries that say a conversation was looked at


def first_message(connection: Connection) -> int | None:
    """The number after which conversations make notes; None before it was written down."""
    value = read_mark(connection, _SINCE)
    return None if value is None else int(value)


def begin_after(connection: Connection, message_id: int) -> None:
    """Conversations with a later message make notes, older ones none."""
    set_marks(connection, {_SINCE: str(message_id)})


def find_due(connection: Connection, after: int, limit: int) -> list[Any]:
    """(id, message_id) of conversations that ended or rest and were not looked at since their last prompt, oldest first; also those
    whose note was made of prompts that are no longer theirs: a join was undone, or a part was split off.
    """
    last = (
        select(func.max(_message.c.id))
        .where(_message.c.conversation_id == _conversation.c.id, _message.c.speaker == "user", ~_message.c.is_imported)
        .scalar_subquery()
    )
    looked_at = (
        select(_log.c.message_id)
        .where(_log.c.conversation_id == _conversation.c.id, _log.c.kind.in_(_READ), _log.c.message_id > 0)
        .order_by(_log.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    noted = select(_note.c.id).where(_note.c.conversation_id == _conversation.c.id)
    due = (
        select(_conversation.c.id, last.label("message_id"))
        .where(_conversation.c.state.in_(("ended", "paused")), _conversation.c.merged_into_id.is_(None))
        .where(last > after, (last > func.coalesce(looked_at, 0)) | ((last < looked_at) & noted.exists()))
        .order_by(_conversation.c.queue_key)
        .limit(limit)
    )
    return list(connection.execute(due).all())


def looked_at(connection: Connection, conversation_id: int) -> int:
    """The last prompt of a conversation when it was looked at last; 0 when it never was."""
    wanted = select(_log.c.message_id).where(_log.c.conversation_id == conversation_id, _log.c.kind.in_(_READ))
    return int(
        connection.execute(wanted.where(_log.c.message_id > 0).order_by(_log.c.id.desc()).limit(1)).scalar() or 0
    )


def load_conversation(connection: Connection, conversation_id: int) -> Any:
    """The row with its app and project; None when it is gone."""
    wanted = (
        select(
            _conversation, _stream.c.app_id, _stream.c.project_id, _app.c.name.label("app"), _app.c.title.label("app_title"),
            _project.c.path,
        )
        .join(_stream, _stream.c.id == _conversation.c.stream_id)
        .join(_app, _app.c.id == _stream.c.app_id)
        .join(_project, _project.c.id == _stream.c.project_id)
        .where(_conversation.c.id == conversation_id)
    )  # fmt: skip
    return connection.execute(wanted).first()


def load_turns(connection: Connection, conversation_id: int) -> list[Any]:
    """(id, text, answer_end) of what was typed, in order."""
    wanted = (
        select(_message.c.id, _message.c.text, func.coalesce(_end.c.text, "").label("answer_end"))
        .outerjoin(_end, _end.c.message_id == _message.c.id)
        .where(_message.c.conversation_id == conversation_id, _message.c.speaker == "user")
        .order_by(_message.c.id)
    )
    return list(connection.execute(wanted).all())


def find_routine(connection: Connection, conversation_id: int, texts: Sequence[str], least: int) -> set[str]:
    """Those of `texts` that were typed word for word in so many other conversations too: a routine says nothing of one."""
    wanted = (
        select(_message.c.text)
        .where(_message.c.text.in_(texts), _message.c.conversation_id != conversation_id, _message.c.speaker == "user")
        .group_by(_message.c.text)
        .having(func.count(func.distinct(_message.c.conversation_id)) >= least)
    )
    return set(connection.execute(wanted).scalars()) if texts else set()


def load_facts(connection: Connection, conversation_id: int) -> list[Any]:
    """(id, full, importance, status) of what was learned first in this conversation and holds: active before proposed, then by
    importance, then in the order in which it was said.
    """
    earlier = _source.alias("earlier")
    was_known = select(earlier.c.id).where(
        earlier.c.memory_id == _memory.c.id, earlier.c.id < _source.c.id, earlier.c.conversation_id != conversation_id
    )
    wanted = (
        select(_memory.c.id, _memory.c.full, _memory.c.importance, _memory.c.status)
        .join(_source, _source.c.memory_id == _memory.c.id)
        .where(
            _source.c.conversation_id == conversation_id,
            _memory.c.kind == "fact",
            _memory.c.status.in_(("active", "proposed")),
            _memory.c.valid_to.is_(None),
            ~was_known.exists(),
        )
        .order_by(_memory.c.status, _memory.c.importance.desc(), _source.c.id)  # "active" comes before "proposed"
    )
    found = {row.id: row for row in connection.execute(wanted).all()}
    return list(found.values())


def is_over_by_hand(connection: Connection, conversation_id: int) -> bool:
    """Whether the last change that made this conversation, or began or ended it, was a person's own act."""
    changed = (
        select(_operation.c.origin)
        .join(_change, _change.c.operation_id == _operation.c.id)
        .where(_change.c.table_name == ConversationRow.__tablename__, _change.c.row_id == conversation_id)
        .where((_change.c.action == "insert") | _change.c.after["state"].as_string().is_not(None))
        .order_by(_change.c.seq.desc())
    )
    return connection.execute(changed.limit(1)).scalar() == Origin.PERSON.value


# an app's notes ---------------------------------------------------------------------------------------------


def load_kept(connection: Connection, app_id: int) -> list[Any]:
    """All rows of an app, the newest update first."""
    wanted = select(_note).where(_note.c.app_id == app_id)
    return list(connection.execute(wanted.order_by(_note.c.updated_at.desc(), _note.c.id.desc())).all())


def find_of_conversation(connection: Connection, conversation_id: int) -> Any:
    wanted = select(_note).where(_note.c.conversation_id == conversation_id).order_by(_note.c.id)
    return connection.execute(wanted).first()


def list_notes(connection: Connection, *, app: str = "", note_id: int | None = None) -> list[Any]:
    """Rows with the names of app, project and conversation, the newest update first."""
    wanted = _listed()
    if app:
        wanted = wanted.where(_app.c.name == app)
    if note_id is not None:
        wanted = wanted.where(_note.c.id == note_id)
    return list(connection.execute(wanted.order_by(_note.c.updated_at.desc(), _note.c.id.desc())).all())


def _listed() -> Select[Any]:
    called = func.coalesce(func.nullif(_conversation.c.title, ""), _conversation.c.auto_title, "")
    return (
        select(
            _note, _app.c.name.label("app"), _app.c.title.label("app_title"), func.coalesce(_project.c.path, "").label("path"),
            called.label("conversation_title"),
        )
        .join(_app, _app.c.id == _note.c.app_id)
        .outerjoin(_project, _project.c.id == _note.c.project_id)
        .outerjoin(_conversation, _conversation.c.id == _note.c.conversation_id)
    )  # fmt: skip


def newest_of_app(connection: Connection, app: str, limit: int) -> list[Any]:
    """(id, content, created_at, updated_at) of an app, the newest update first."""
    wanted = (
        select(_note.c.id, _note.c.content, _note.c.created_at, _note.c.updated_at)
        .join(_app, _app.c.id == _note.c.app_id)
        .where(_app.c.name == app)
        .order_by(_note.c.updated_at.desc(), _note.c.id.desc())
        .limit(limit)
    )
    return list(connection.execute(wanted).all())


def find_app(connection: Connection, name: str) -> Any:
    return connection.execute(select(_app).where(_app.c.name == name)).first()


def find_expired(connection: Connection, now: datetime) -> list[Any]:
    """Notes of apps with an expiry, with what it is."""
    wanted = select(_note, _choice.c.days).join(_choice, _choice.c.id == _note.c.app_id)
    rows = connection.execute(wanted.where(_choice.c.days > 0)).all()
    return [row for row in rows if (now - row.updated_at).days >= row.days]


def load_expiry(connection: Connection) -> dict[str, int]:
    """Days by the name of the app, where there is a choice."""
    wanted = select(_app.c.name, _choice.c.days).join(_choice, _choice.c.id == _app.c.id)
    return {row.name: int(row.days) for row in connection.execute(wanted).all()}


def has_expiry(connection: Connection, app_id: int) -> bool:
    return connection.execute(select(_choice.c.id).where(_choice.c.id == app_id)).first() is not None


# a session --------------------------------------------------------------------------------------------------


def find_last_prompt(connection: Connection, app: str, session: str, before: datetime) -> datetime | None:
    """When the person last typed something in this session of the app."""
    wanted = (
        select(func.max(_event.c.at))
        .join(_app, _app.c.id == _event.c.app_id)
        .where(_event.c.session == session, _event.c.kind == "prompt", _app.c.name == app, _event.c.at < before)
    )
    found: datetime | None = connection.execute(wanted).scalar()
    return found


def count_tokens_given(connection: Connection, app: str, session: str, delivery: str) -> int:
    """Tokens of the contexts that a session was given so."""
    of_session = (_receipt.c.app == app, _receipt.c.session == session, _receipt.c.delivery == delivery)
    return int(connection.execute(select(func.sum(_receipt.c.token_count)).where(*of_session)).scalar() or 0)


def was_given(connection: Connection, session: str, since: datetime) -> bool:
    wanted = select(_log.c.id).where(_log.c.kind == "given", _log.c.session == session, _log.c.at > since).limit(1)
    return connection.execute(wanted).first() is not None


# the log ----------------------------------------------------------------------------------------------------


def add_log(connection: Connection, values: Record) -> None:
    empty: Record = {
        "conversation_id": 0, "message_id": 0, "note_id": 0, "note_count": 0, "session": "", "action": "", "reason": "",
    }  # fmt: skip
    connection.execute(insert(_log), empty | values)


def log_since(connection: Connection, since: datetime, kinds: Sequence[str]) -> list[Any]:
    """(at, kind, app, conversation_id, session, action) of entries, oldest first."""
    wanted = (
        select(_log.c.at, _log.c.kind, _log.c.conversation_id, _log.c.session, _log.c.action, _app.c.title.label("app"))
        .join(_app, _app.c.id == _log.c.app_id)
        .where(_log.c.at >= since, _log.c.kind.in_(list(kinds)))
        .order_by(_log.c.id)
    )
    return list(connection.execute(wanted).all())


def conversations_since(connection: Connection, since: datetime) -> list[Any]:
    """(id, started_at, session) of conversations that began since."""
    wanted = select(_conversation.c.id, _conversation.c.started_at, _stream.c.session)
    wanted = wanted.join(_stream, _stream.c.id == _conversation.c.stream_id)
    return list(connection.execute(wanted.where(_conversation.c.started_at >= since)).all())


def count_apps(connection: Connection) -> tuple[int, int]:
    """Apps with notes, and apps that had a conversation."""
    with_notes = connection.execute(select(func.count(func.distinct(_note.c.app_id)))).scalar()
    talked = connection.execute(select(func.count(func.distinct(_stream.c.app_id)))).scalar()
    return int(with_notes or 0), int(talked or 0)


def count_notes(connection: Connection) -> int:
    return int(connection.execute(select(func.count()).select_from(_note)).scalar() or 0)


def prune_log(connection: Connection, before: datetime) -> None:
    """What is older is counted no more; that a conversation was looked at stays known."""
    connection.execute(delete(_log).where(_log.c.at < before, _log.c.kind.not_in(_READ)))
    old = update(_log).where(_log.c.at < before).values(reason=literal(""))
    connection.execute(old)


def numbers(rows: Iterable[Any]) -> list[int]:
    return [int(row.id) for row in rows]
