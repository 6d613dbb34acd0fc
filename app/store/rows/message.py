"""Messages with what was read out of them: the window in which references look, names, what tools did meanwhile."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, Connection, Row, Select, bindparam, func, select, union_all

from app.store.chunked_parameters import slices
from app.store.journal import table_of
from app.store.rows.conversation import ConversationQuery
from app.store.tables.core import (
    AppRow,
    ConversationRow,
    EntityAliasRow,
    EntityRow,
    MentionRow,
    MessageRow,
    ProjectRow,
    ReferenceRow,
    StreamRow,
    ToolUseRow,
)
from app.store.tables.judge import AnswerEndRow

_message, _stream, _app, _project, _conversation = (
    table_of(row) for row in (MessageRow, StreamRow, AppRow, ProjectRow, ConversationRow)
)
_mention, _entity, _alias, _reference, _tool, _end = (
    table_of(row) for row in (MentionRow, EntityRow, EntityAliasRow, ReferenceRow, ToolUseRow, AnswerEndRow)
)
_COUNT_FROM = (
    select(func.count())
    .select_from(_message)
    .where(_message.c.conversation_id == bindparam("conversation_id"), _message.c.id >= bindparam("first"))
)


def load_rows(
    connection: Connection,
    *,
    ids: Sequence[int] | None = None,
    conversation_id: int | None = None,
    before_id: int | None = None,
    newest: int | None = None,
) -> list[Row[Any]]:
    """Messages of these numbers, or of a conversation, oldest first; `newest`: only that many of the latest."""
    found = select(_message).order_by(_message.c.id.desc() if newest else _message.c.id)
    if ids is not None:
        found = found.where(_message.c.id.in_(ids))
    if conversation_id is not None:
        found = found.where(_message.c.conversation_id == conversation_id)
    if before_id is not None:
        found = found.where(_message.c.id < before_id)
    rows = list(connection.execute(found.limit(newest) if newest else found).all())
    return rows[::-1] if newest else rows


def count_messages_from(connection: Connection, conversation_id: int, first_id: int) -> int:
    """How many messages of a conversation stand from that one on."""
    asked = {"conversation_id": conversation_id, "first": first_id}
    return int(connection.execute(_COUNT_FROM, asked).scalar_one())


def ids_around(connection: Connection, conversation_id: int, message_id: int, count: int) -> list[int]:
    """That message, up to `count` before it and up to `count` after it in its conversation."""
    same = select(_message.c.id).where(_message.c.conversation_id == conversation_id).limit(count)
    before = same.where(_message.c.id < message_id).order_by(_message.c.id.desc())
    after = same.where(_message.c.id > message_id).order_by(_message.c.id)
    return [*connection.execute(before).scalars(), message_id, *connection.execute(after).scalars()]


def ids_in_window(
    connection: Connection, size: int, newer_than: datetime, where: ConversationQuery, *, before_id: int | None = None
) -> list[int]:
    """The last messages the person typed, none too old, none cleared; `before_id`: as that message found it, in its own stream."""
    joined = (
        select(_message.c.id)
        .join(_stream, _stream.c.id == _message.c.stream_id)
        .join(_app, _app.c.id == _stream.c.app_id)
        .join(_project, _project.c.id == _stream.c.project_id)
    )
    statement: Select[Any] = _typed(joined, size).where(_message.c.at > newer_than)
    if before_id is not None:
        own = select(_message.c.stream_id).where(_message.c.id == before_id).scalar_subquery()
        statement = statement.where(_message.c.id < before_id, _message.c.stream_id == own)
    return list(connection.execute(where.apply(statement)).scalars())


def ids_referable(connection: Connection, size: int, conversation_id: int) -> list[int]:
    """The last messages the person typed in a conversation that are not cleared."""
    here = _typed(select(_message.c.id), size).where(_message.c.conversation_id == conversation_id)
    return list(connection.execute(here).scalars())


def _typed(statement: Select[Any], size: int) -> Select[Any]:
    is_typed = (_message.c.speaker == "user", _message.c.is_out_of_window.is_(False))
    return statement.where(*is_typed).order_by(_message.c.id.desc()).limit(size)


def load_mentions(connection: Connection, message_ids: Sequence[int]) -> Iterator[Row[Any]]:
    """Names in these messages with their `canonical`, in the order of messages and words."""
    for some in slices(message_ids):
        named = select(_mention, _entity.c.canonical).join(_entity, _entity.c.id == _mention.c.entity_id)
        named = named.where(_mention.c.message_id.in_(some)).order_by(_mention.c.message_id, _mention.c.start)
        yield from connection.execute(named)


def load_references_of(connection: Connection, message_ids: Sequence[int]) -> Iterator[Row[Any]]:
    """References in these messages, in the order of messages and words."""
    for some in slices(message_ids):
        here = select(_reference).where(_reference.c.message_id.in_(some))
        yield from connection.execute(here.order_by(_reference.c.message_id, _reference.c.start))


_OF_CONVERSATION = _message.c.conversation_id == bindparam("conversation_id")
_TOTALS = select(func.count(), func.max(_message.c.at)).where(_OF_CONVERSATION)
_LAST_END = (
    select(_end.c.text, _end.c.message_id)
    .join(_message, _message.c.id == _end.c.message_id)
    .where(_OF_CONVERSATION)
    .order_by(_message.c.id.desc())
    .limit(1)
)
_others = _message.alias()
_BEGINNINGS = select(func.substr(_message.c.text, 1, bindparam("chars"))).where(
    _OF_CONVERSATION, _message.c.speaker == "user"
)
_BEGINNING = func.substr(_others.c.text, 1, bindparam("chars")).label("beginning")
_ALIKE = (  # one look at each message, no join of all with all
    select(_BEGINNING)
    .where(_others.c.conversation_id != bindparam("conversation_id"), _BEGINNING.in_(_BEGINNINGS))
    .group_by("beginning")
    .having(func.count(_others.c.conversation_id.distinct()) >= bindparam("most"))
)
_PROMPTS = select(_message.c.text).where(_OF_CONVERSATION, _message.c.speaker == "user").order_by(_message.c.id)
_TEXTS: Select[Any] = (
    select(_message.c.id, func.coalesce(_message.c.expanded_text, _message.c.text).label("text"))
    .where(_OF_CONVERSATION)
    .order_by(_message.c.id)
)
_TOOLS = select(_tool).where(_tool.c.conversation_id == bindparam("conversation_id")).order_by(_tool.c.id.desc())
_WITHOUT_STATUS: Select[Any] = (
    select(_tool.c.id, _tool.c.conversation_id)
    .join(_conversation, _conversation.c.id == _tool.c.conversation_id)
    .where(
        _conversation.c.stream_id == bindparam("stream_id"),
        _tool.c.command == bindparam("command"),
        _tool.c.file == bindparam("file"),
        _tool.c.exit_status.is_(None),
    )
    .order_by(_tool.c.id.desc())
    .limit(1)
)
_LAST: Select[Any] = select(_message).where(_message.c.speaker == "user").order_by(_message.c.id.desc()).limit(1)
_LAST_OF_STREAM = _LAST.where(_message.c.stream_id == bindparam("stream_id"))
_LAST_OF_CONVERSATION = _LAST.where(_OF_CONVERSATION)
_NAMES: BindParameter[str] = bindparam("names", expanding=True)
_KNOWN_NAMES: Any = union_all(
    select(_entity.c.id, _entity.c.canonical).where(_entity.c.canonical.in_(_NAMES)),
    select(_alias.c.entity_id, _alias.c.canonical).where(_alias.c.canonical.in_(_NAMES)),  # merged into another
)


def last_prompt(
    connection: Connection, *, stream_id: int | None = None, conversation_id: int | None = None
) -> Row[Any] | None:
    """What the person typed last in a stream or a conversation."""
    if stream_id is not None:
        return connection.execute(_LAST_OF_STREAM, {"stream_id": stream_id}).first()
    return connection.execute(_LAST_OF_CONVERSATION, {"conversation_id": conversation_id}).first()


def count_and_last(connection: Connection, conversation_id: int) -> tuple[int, datetime | None]:
    """How many messages a conversation has, and when the last was."""
    count, last_at = connection.execute(_TOTALS, {"conversation_id": conversation_id}).one()
    return int(count), last_at


def first_prompts(connection: Connection, conversation_id: int, count: int) -> Sequence[str]:
    return connection.execute(_PROMPTS.limit(count), {"conversation_id": conversation_id}).scalars().all()


def expanded_texts(connection: Connection, conversation_id: int) -> Sequence[Row[Any]]:
    """(id, text) of each message, oldest first, as it reads with its references resolved."""
    return connection.execute(_TEXTS, {"conversation_id": conversation_id}).all()


def beginnings_elsewhere(connection: Connection, conversation_id: int, *, chars: int, least: int) -> frozenset[str]:
    """How the prompts of a conversation begin that begin so in `least` other conversations, too."""
    which = {"conversation_id": conversation_id, "chars": chars, "most": least}
    return frozenset(connection.execute(_ALIKE, which).scalars())


def last_answer(connection: Connection, conversation_id: int) -> tuple[int, str]:
    """The prompt that was answered last and the end of that answer, while it is kept; 0 and "" for none."""
    row = connection.execute(_LAST_END, {"conversation_id": conversation_id}).first()
    return (0, "") if row is None else (int(row.message_id), str(row.text))


def ids_shown(connection: Connection, *, app: str | None, conversation_id: int | None) -> Sequence[int]:
    """Messages that the window of references shows: all, or those of an app or a conversation."""
    shown = select(_message.c.id).where(_message.c.is_out_of_window.is_(False))
    if app is not None:
        shown = shown.join(_stream, _stream.c.id == _message.c.stream_id).join(_app, _app.c.id == _stream.c.app_id)
        shown = shown.where(_app.c.name == app)
    if conversation_id is not None:
        shown = shown.where(_message.c.conversation_id == conversation_id)
    return connection.execute(shown).scalars().all()


# what tools did ---------------------------------------------------------------------------------------


def load_tool_uses(connection: Connection, conversation_id: int, most: int) -> list[Row[Any]]:
    """The last of a conversation, oldest first."""
    found = connection.execute(_TOOLS.limit(most), {"conversation_id": conversation_id}).all()
    return list(reversed(found))


def find_without_status(connection: Connection, stream_id: int, command: str, file: str) -> Row[Any] | None:
    """(id, conversation_id) of the last use of a tool in a stream of which nobody knows yet how it came out."""
    return connection.execute(_WITHOUT_STATUS, {"stream_id": stream_id, "command": command, "file": file}).first()


# names ------------------------------------------------------------------------------------------------


def names_spoken(connection: Connection, conversation_ids: Sequence[int], most: int | None = None) -> Sequence[str]:
    """Names in these conversations as they were typed, the newest message first; no values."""
    spoken = (
        select(_mention.c.text)
        .join(_message, _message.c.id == _mention.c.message_id)
        .where(_message.c.conversation_id.in_(conversation_ids), _mention.c.kind != "value")
        .order_by(_message.c.id.desc(), _mention.c.start)
    )
    return connection.execute(spoken if most is None else spoken.limit(most)).scalars().all()


def names_by_conversation(connection: Connection) -> Sequence[Row[Any]]:
    """(conversation_id, name, at) of each entity in each conversation, with when it was named last."""
    named: Select[Any] = (
        select(_message.c.conversation_id, _entity.c.name, func.max(_message.c.at).label("at"))
        .join(_mention, _mention.c.message_id == _message.c.id)
        .join(_entity, _entity.c.id == _mention.c.entity_id)
        .group_by(_message.c.conversation_id, _entity.c.id)
    )
    return connection.execute(named).all()


def find_entities(connection: Connection, names: Iterable[str]) -> dict[str, int]:
    """The numbers of entities by canonical name; a name that was merged into another stands for that one."""
    return {row.canonical: row.id for row in connection.execute(_KNOWN_NAMES, {"names": list(names)})}
