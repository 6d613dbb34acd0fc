"""What a statement is compared with before it is kept: known memories, what was typed before, sketches of what was said.

Statements are built once, since every captured message asks them. `project` 0 stands for no project.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, insert, or_, select

from app.store.journal import table_of
from app.store.rows.memory import TITLE
from app.store.tables.core import AppRow, ConversationRow, MessageRow, SketchRow, StreamRow
from app.store.tables.memory import MemoryRow, MemorySourceRow
from app.values import MemoryStatus

LIVE = (MemoryStatus.ACTIVE.value, MemoryStatus.PROPOSED.value, MemoryStatus.QUARANTINED.value)
_KNOWN_READ = 40  # so many known memories a statement is compared with at most
_SKETCHES_READ = 2_000  # of what was said before, the newest
_memory, _source, _sketch, _message, _stream, _conversation, _app = (
    table_of(row) for row in (MemoryRow, MemorySourceRow, SketchRow, MessageRow, StreamRow, ConversationRow, AppRow)
)
_IN_PROJECT = func.coalesce(_memory.c.project_id, 0) == bindparam("project")
_ANYWHERE = (
    select(_memory)
    .where(
        _memory.c.kind == "fact",
        or_(
            (_memory.c.slot_key == bindparam("slot")) & (_memory.c.slot_key != ""),
            _memory.c.text_key == bindparam("text"),
            _memory.c.id.in_(bindparam("ids", expanding=True)),
        ),
    )
    .order_by(_memory.c.id.desc())
    .limit(_KNOWN_READ)
)
_KNOWN = _ANYWHERE.where(_IN_PROJECT)
_SAME = (
    select(_memory)
    .where(_IN_PROJECT, _memory.c.kind == "fact", _memory.c.text_key == bindparam("text"))
    .order_by(_memory.c.id.desc())
    .limit(_KNOWN_READ)
)
_IS_SOURCE = select(_source.c.id).where(
    _source.c.memory_id == bindparam("memory_id"), _source.c.message_id == bindparam("message_id")
)
_of_same = _source.alias()
_TAUGHT: Select[Any] = select(
    _memory.c.id,
    _memory.c.trust,
    _memory.c.text_key,
    select(func.count()).where(_of_same.c.memory_id == _memory.c.id).scalar_subquery().label("source_count"),
).where(
    _memory.c.id.in_(select(_source.c.memory_id).where(_source.c.message_id == bindparam("message_id"))),
    _memory.c.status.in_(LIVE),
    _memory.c.worded_by == "rules",
)
_memory_of = _source.join(_memory, _memory.c.id == _source.c.memory_id)
_SKETCHED: Select[Any] = (  # nothing more of a memory: a project has hundreds, and one at most is read whole
    select(_memory.c.id, _memory.c.status, _sketch.c.stems, _sketch.c.marks)
    .select_from(_sketch.join(_memory_of, _sketch.c.source_id == _source.c.id))
    .where(
        _sketch.c.project_id == bindparam("project"),
        _memory.c.kind == "fact",
        _memory.c.status.in_((MemoryStatus.ACTIVE.value, MemoryStatus.PROPOSED.value)),
        _memory.c.worded_by == "rules",  # a judge's sentence is compared by whoever reads the whole
        _memory.c.valid_to.is_(None),
    )
    .order_by(_sketch.c.source_id.desc())
    .limit(_SKETCHES_READ)
)
_APP_NAME = select(_app.c.name).where(_app.c.id == bindparam("app_id"))
_TITLE = select(TITLE).where(_conversation.c.id == bindparam("conversation_id"))
_STREAM = select(_conversation.c.stream_id).where(_conversation.c.id == bindparam("conversation_id"))
_TYPED_BEFORE: Select[Any] = (  # the newest of each other session
    select(
        _message.c.id,
        _message.c.text,
        _message.c.at,
        _message.c.conversation_id,
        _stream.c.app_id,
        func.max(_message.c.id),
    )
    .select_from(_message.join(_stream, _stream.c.id == _message.c.stream_id))
    .where(
        func.coalesce(_stream.c.project_id, 0) == bindparam("project"),
        _message.c.id < bindparam("message_id"),
        _message.c.speaker == "user",
        _message.c.stream_id != _STREAM.scalar_subquery(),
        func.instr(_message.c.text, bindparam("said")) > 0,
    )
    .group_by(_message.c.stream_id)
    .order_by(func.max(_message.c.id).desc())
    .limit(bindparam("most"))
)


def find_same_text(connection: Connection, project_id: int | None, key: str) -> Sequence[Row[Any]]:
    """Facts of a project in the same words, also those that were archived, the newest first."""
    return connection.execute(_SAME, {"project": project_id or 0, "text": key}).all()


def find_known(
    connection: Connection, project_id: int | None, slot: str, key: str, alike: Sequence[int]
) -> Sequence[Row[Any]]:
    """Facts of a project in the same slot, in the same words, or among `alike`, the newest first."""
    which = {"project": project_id or 0, "slot": slot, "text": key, "ids": list(alike)}
    return connection.execute(_KNOWN, which).all()


def find_known_anywhere(connection: Connection, slot: str, key: str, alike: Sequence[int]) -> Sequence[Row[Any]]:
    """`find_known` of all projects."""
    return connection.execute(_ANYWHERE, {"slot": slot, "text": key, "ids": list(alike)}).all()


def is_source(connection: Connection, memory_id: int, message_id: int | None) -> bool:
    """Whether the memory was said in that message."""
    return connection.execute(_IS_SOURCE, {"memory_id": memory_id, "message_id": message_id}).first() is not None


def taught_by(connection: Connection, message_id: int | None) -> Sequence[Row[Any]]:
    """(id, trust, text_key, source_count) of live memories that rules read in a message."""
    return connection.execute(_TAUGHT, {"message_id": message_id}).all()


def load_sketches(connection: Connection, project_id: int | None) -> Sequence[Row[Any]]:
    """(id, status, stems, marks) of what was said of facts that hold or wait, the newest first; stems and marks as words."""
    return connection.execute(_SKETCHED, {"project": project_id or 0}).all()


def add_sketch(connection: Connection, values: Mapping[str, Any]) -> None:
    connection.execute(insert(_sketch).values(values))


def stream_of(connection: Connection, conversation_id: int | None) -> int | None:
    found: int | None = connection.execute(_STREAM, {"conversation_id": conversation_id}).scalar()
    return found


def conversation_and_app(connection: Connection, conversation_id: int | None, app_id: int | None) -> tuple[str, str]:
    """Title of the conversation and name of the app; "" for one that is not known."""
    title = connection.execute(_TITLE, {"conversation_id": conversation_id}).scalar()
    return title or "", connection.execute(_APP_NAME, {"app_id": app_id}).scalar() or ""


def typed_before(
    connection: Connection,
    words: str,
    *,
    project_id: int | None,
    message_id: int,
    conversation_id: int | None,
    most: int,
) -> Sequence[Row[Any]]:
    """(id, text, at, conversation_id, app_id) of the newest message of each other session of a project that holds these words."""
    asked = {"project": project_id or 0, "message_id": message_id, "conversation_id": conversation_id, "said": words}
    return connection.execute(_TYPED_BEFORE, asked | {"most": most}).all()
