"""One memory in the store with what hangs on it: places where it was said, versions, contradictions, sketches, uses.

What lists draw of many is `memory_cards`, what fits a filter `memory_filters`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, bindparam, func, insert, or_, select, true

from app.deciders.conversation.references.values import QUOTED_BEHIND
from app.store.chunked_parameters import slices
from app.store.journal import table_of
from app.store.rows.project import is_project
from app.store.tables.core import (
    AppRow,
    ChangeRow,
    ConversationRow,
    EntityRow,
    MessageRow,
    OperationRow,
    ProjectRow,
    ReferenceRow,
    SketchRow,
)
from app.store.tables.memory import ContradictionRow, MemoryRow, MemorySourceRow, MemoryVersionRow, UsageEventRow
from app.store.tables.types import to_microseconds
from app.store.visibility import clause
from app.values import MemoryKind, MemoryStatus, ReferenceKind, ReferenceState, Speaker

_memory, _source, _version, _contradiction, _usage = (
    table_of(row) for row in (MemoryRow, MemorySourceRow, MemoryVersionRow, ContradictionRow, UsageEventRow)
)
_message, _reference, _conversation, _entity, _sketch = (
    table_of(row) for row in (MessageRow, ReferenceRow, ConversationRow, EntityRow, SketchRow)
)
_project, _app, _change, _operation = (table_of(row) for row in (ProjectRow, AppRow, ChangeRow, OperationRow))
_before, _was = _message.alias(), _source.alias("was")
_KNOWN = (ReferenceState.RESOLVED.value, ReferenceState.CORRECTED.value)
TITLE = func.coalesce(func.nullif(_conversation.c.title, ""), _conversation.c.auto_title)  # of a conversation
_NAMED = {
    "memory": (_memory.c.id, _memory.c.title),
    "entity": (_entity.c.id, _entity.c.name),
    "conversation": (_conversation.c.id, TITLE),
}


def load_whole(connection: Connection, memory_id: int) -> Row[Any] | None:
    """Its row with project_name, project_path, app_name, app_title and superseded_by, the number of what replaced it."""
    newer = _memory.alias("newer")
    columns = (
        _memory,
        _project.c.name.label("project_name"),
        _project.c.path.label("project_path"),
        _app.c.name.label("app_name"),
        _app.c.title.label("app_title"),
        select(func.max(newer.c.id)).where(newer.c.supersedes_id == memory_id).scalar_subquery().label("superseded_by"),
    )
    joined = _memory.outerjoin(_project, _project.c.id == _memory.c.project_id)
    joined = joined.outerjoin(_app, _app.c.id == _memory.c.app_id)
    return connection.execute(select(*columns).select_from(joined).where(_memory.c.id == memory_id)).one_or_none()


def walk_memories(
    connection: Connection, *, is_episode: bool, only: Sequence[int] | None, at_once: int
) -> Iterator[Sequence[Row[Any]]]:
    """All episodes or all other memories by number, so many at a time; `only`: those of these numbers, of either."""
    episodes = _memory.c.kind == MemoryKind.EPISODE.value
    asked = _memory.c.id.in_(only) if only is not None else episodes if is_episode else ~episodes
    last = 0
    while rows := connection.execute(
        select(_memory).where(_memory.c.id > last, asked).order_by(_memory.c.id).limit(at_once)
    ).all():
        yield rows
        last = rows[-1].id


def load_titles(connection: Connection, kind: str, ids: Iterable[int]) -> dict[int, str]:
    """What memories, entities or conversations are called, by number; {} for any other kind."""
    if kind not in _NAMED:
        return {}
    key, title = _NAMED[kind]
    return {
        int(row[0]): str(row[1])
        for some in slices(sorted(set(ids)))
        for row in connection.execute(select(key, title).where(key.in_(some)))
    }


def usage_since(connection: Connection, memory_id: int, since: datetime) -> Sequence[datetime]:
    """When it was used since then."""
    used = select(_usage.c.at).where(_usage.c.memory_id == memory_id, _usage.c.at >= since)
    return connection.execute(used).scalars().all()


# what may be given -----------------------------------------------------------------------------------

_GIVABLE = (
    "id", "kind", "type", "title", "full", "summary", "compressed", "index_text", "full_tokens", "summary_tokens",
    "compressed_tokens", "index_tokens", "slot_key", "text_key", "key", "value", "is_negated", "category", "importance",
    "confidence", "trust", "is_pinned", "project_id", "visibility", "valid_from", "recorded_at", "last_accessed_at",
    "retrieved_count", "revision", "status",
)  # fmt: skip
_LISTED = ("id", "type", "kind", "title", "full", "full_tokens", "summary", "valid_from", "valid_to", "status")


def load_meeting(
    connection: Connection, ids: Iterable[int], conditions: Sequence[str], project_id: int | None, now: datetime | None
) -> dict[int, Row[Any]]:
    """Those of these memories that meet all conditions of `visibility`, in a project at an instant."""
    wanted = list(ids)
    if not wanted:
        return {}
    found: Select[Any] = _meeting(tuple(conditions))
    return {int(row.id): row for row in connection.execute(found, {"ids": wanted, **_place(project_id, now)})}


@cache
def _meeting(conditions: tuple[str, ...]) -> Select[Any]:
    listed = select(*(_memory.c[name] for name in _GIVABLE))
    return listed.where(_memory.c.id.in_(bindparam("ids", expanding=True)), clause(*conditions))


def newest_saying(
    connection: Connection,
    words: Iterable[str],
    conditions: Sequence[str],
    project_id: int | None,
    now: datetime,
    most: int,
) -> Sequence[Row[Any]]:
    """Memories that meet all conditions and say all these words, what began last first: `_LISTED` of each."""
    found = select(*(_memory.c[name] for name in _LISTED)).where(clause(*conditions), *map(_says, words))
    newest = found.order_by(_memory.c.valid_from.desc(), _memory.c.id.desc()).limit(most)
    return connection.execute(newest, _place(project_id, now)).all()


def known_at(
    connection: Connection,
    at: datetime,
    conditions: Sequence[str],
    project_id: int | None,
    *,
    ids: Sequence[int],
    or_saying: Sequence[str] | None = None,
) -> Sequence[Row[Any]]:
    """Of these memories those that were known at an instant and meet all conditions now; `or_saying`: and all that say these words."""
    among: ColumnElement[bool] = _memory.c.id.in_(ids)
    if or_saying is not None:
        among = or_(and_(true(), *map(_says, or_saying)), among)
    found = select(*(_memory.c[name] for name in _LISTED)).where(
        clause(*conditions, project=project_id),
        _memory.c.recorded_at <= at,
        or_(_memory.c.retired_at.is_(None), _memory.c.retired_at > at),
        among,
    )
    return connection.execute(found).all()


def _says(word: str) -> ColumnElement[bool]:
    """Text or title says it, whatever its case."""
    return or_(_memory.c.full.icontains(word, autoescape=True), _memory.c.title.icontains(word, autoescape=True))


def _place(project_id: int | None, now: datetime | None) -> dict[str, int | None]:
    return {"project": project_id} | ({} if now is None else {"now": to_microseconds(now)})


# where it was said --------------------------------------------------------------------------------


def load_sources(connection: Connection, memory_id: int) -> Sequence[Row[Any]]:
    """Its places with `kept_id`, the number of the message where that is still kept, the oldest first."""
    places = (
        select(_source, _message.c.id.label("kept_id"))
        .select_from(_source.outerjoin(_message, _message.c.id == _source.c.message_id))
        .where(_source.c.memory_id == memory_id)
        .order_by(_source.c.at, _source.c.id)
    )
    return connection.execute(places).all()


def load_quoted(connection: Connection, ids: Sequence[int]) -> list[tuple[int, str, str]]:
    """Memory, quote, and the message around it ("" where it has left), oldest first; then each memory's own text as both."""
    found: list[tuple[int, str, str]] = []
    for some in slices(sorted(set(ids))):
        quoted = (
            select(_source.c.memory_id, _source.c.quote, _message.c.text)
            .select_from(_source.outerjoin(_message, _message.c.id == _source.c.message_id))
            .where(_source.c.memory_id.in_(some), _source.c.quote != "")
            .order_by(_source.c.at, _source.c.id)
        )
        found += [(row[0], row[1], row[2] or "") for row in connection.execute(quoted)]
        own = select(_memory.c.id, _memory.c.full).where(_memory.c.id.in_(some)).order_by(_memory.c.id)
        found += [(row[0], row[1], row[1]) for row in connection.execute(own)]
    return found


def ids_of_message(connection: Connection, message_id: int) -> list[int]:
    """Memories that were said there, ascending."""
    return _said(connection, _source.c.message_id == message_id)


def ids_of_conversation(connection: Connection, conversation_id: int, *, is_episode: bool | None = None) -> list[int]:
    """Memories that were said there, ascending: all, episodes alone, or all but episodes."""
    here: Any = _source.c.conversation_id == conversation_id
    if is_episode is not None:
        is_kind = (
            (_memory.c.kind == MemoryKind.EPISODE.value) if is_episode else (_memory.c.kind != MemoryKind.EPISODE.value)
        )
        here &= _source.c.memory_id.in_(select(_memory.c.id).where(is_kind))
    return _said(connection, here)


def _said(connection: Connection, here: Any) -> list[int]:
    return sorted(connection.execute(select(_source.c.memory_id).where(here).distinct()).scalars())


def load_known_references(connection: Connection, message_ids: Iterable[int]) -> list[Row[Any]]:
    """References of these messages of which it is known what they stand for, with the text of their message, in its order."""
    return [
        row
        for ids in slices(sorted(set(message_ids)))
        for row in connection.execute(
            select(_reference, _message.c.text)
            .join(_message, _message.c.id == _reference.c.message_id)
            .where(
                _reference.c.message_id.in_(ids),
                _reference.c.state.in_(_KNOWN),
                _reference.c.antecedent.is_not(None),
                _reference.c.kind != ReferenceKind.CONVERSATION.value,
                _reference.c.reason != QUOTED_BEHIND,
            )
            .order_by(_reference.c.start)
        )
    ]


def load_with_prompt_before(connection: Connection, message_ids: Iterable[int]) -> dict[int, Row[Any]]:
    """(id, text, before) of these messages: `before` is the person's message that came last in the conversation, or None."""
    before = (
        select(func.max(_before.c.id))
        .where(
            _before.c.conversation_id == _message.c.conversation_id,
            _before.c.speaker == Speaker.USER.value,
            _before.c.id < _message.c.id,
        )
        .scalar_subquery()
    )
    wanted: Select[Any] = select(_message.c.id, _message.c.text, before.label("before"))
    return {
        row.id: row
        for some in slices(sorted(set(message_ids)))
        for row in connection.execute(wanted.where(_message.c.id.in_(some)))
    }


# sketches -----------------------------------------------------------------------------------------


def count_sessions(connection: Connection, memory_id: int) -> int:
    """In how many sessions the person said it, by the sketches of what was said."""
    own = _sketch.join(_source, _source.c.id == _sketch.c.source_id)
    counted = select(func.count(_sketch.c.stream_id.distinct())).select_from(own)
    return int(connection.execute(counted.where(_source.c.memory_id == memory_id)).scalar() or 0)


_COPY_SKETCHES = insert(_sketch).from_select(
    ["source_id", "stream_id", "project_id", "stems", "marks"],
    select(func.min(_source.c.id), _sketch.c.stream_id, _sketch.c.project_id, _sketch.c.stems, _sketch.c.marks)
    .select_from(_sketch)
    .join(_was, _was.c.id == _sketch.c.source_id)
    .join(
        _source,
        and_(
            _source.c.message_id == _was.c.message_id, _source.c.start == _was.c.start, _source.c.quote == _was.c.quote
        ),
    )
    .where(
        _was.c.memory_id.in_(bindparam("gone", expanding=True)),
        _source.c.memory_id == bindparam("keep_id"),
        _source.c.id.not_in(select(_sketch.c.source_id)),
    )
    .group_by(_source.c.id),
)


def copy_sketches(connection: Connection, keep_id: int, gone: Sequence[int]) -> None:
    """Sketches of the places that `keep_id` took over from the others: in how many sessions it was said is counted by them."""
    connection.execute(_COPY_SKETCHES, {"keep_id": keep_id, "gone": gone})


# contradictions -----------------------------------------------------------------------------------


def contradictions_of(connection: Connection, ids: Iterable[int]) -> Sequence[Row[Any]]:
    """Open contradictions in which one of these memories stands."""
    return connection.execute(select(_contradiction).where(*_open(ids))).all()


def disputed_ids(connection: Connection, ids: Iterable[int] | None = None) -> set[int]:
    """Memories that are in an open contradiction, or in one with these."""
    ends = select(_contradiction.c.memory_a_id, _contradiction.c.memory_b_id).where(*_open(ids))
    return {one for row in connection.execute(ends) for one in row}


def _open(ids: Iterable[int] | None) -> Iterator[ColumnElement[bool]]:
    yield _contradiction.c.state == "open"
    if ids is not None:
        some = list(ids)
        yield or_(_contradiction.c.memory_a_id.in_(some), _contradiction.c.memory_b_id.in_(some))


# waiting for a yes or no --------------------------------------------------------------------------

WAITING = (MemoryStatus.PROPOSED.value, MemoryStatus.QUARANTINED.value)


def waiting_memories(connection: Connection, *, project: str, app: str, most: int) -> list[Row[Any]]:
    """(id, full, kind, is_negated, worth, trust, confidence, status, project_id, reason, times_said) of what waits, the newest first."""
    times = select(func.count()).select_from(_source).where(_source.c.memory_id == _memory.c.id).scalar_subquery()
    listed = ("id", "full", "kind", "is_negated", "worth", "trust", "confidence", "status", "project_id", "reason")
    found: Select[Any] = select(*(_memory.c[name] for name in listed), times.label("times_said"))
    found = found.where(_memory.c.status.in_(WAITING), _memory.c.valid_to.is_(None))
    if project:
        found = found.where(_memory.c.project_id.in_(select(_project.c.id).where(is_project(project))))
    if app:
        found = found.where(_memory.c.app_id.in_(select(_app.c.id).where(_app.c.name == app)))
    return list(connection.execute(found.order_by(_memory.c.id.desc()).limit(most)))


def proposed_until(connection: Connection, last_id: int, *, but_not_by: str) -> list[int]:
    """Proposed memories up to that number that no operation of this kind has changed before, ascending."""
    before = (
        select(_change.c.row_id)
        .join(_operation, _operation.c.id == _change.c.operation_id)
        .where(_operation.c.kind == but_not_by, _change.c.table_name == "memory")
    )
    waiting = (_memory.c.status == MemoryStatus.PROPOSED.value, _memory.c.id <= last_id, _memory.c.id.not_in(before))
    return list(connection.execute(select(_memory.c.id).where(*waiting).order_by(_memory.c.id)).scalars())


# versions -----------------------------------------------------------------------------------------


def load_versions(connection: Connection, memory_id: int) -> Sequence[Row[Any]]:
    """Newest first."""
    order = (_version.c.number.desc(), _version.c.id.desc())
    return connection.execute(select(_version).where(_version.c.memory_id == memory_id).order_by(*order)).all()


def last_versions(connection: Connection, ids: Sequence[int]) -> dict[int, tuple[int, datetime]]:
    """Number of each memory's last version, and since when it is as it is."""
    found: dict[int, tuple[int, datetime]] = {}
    for some in slices(ids):
        rows = connection.execute(
            select(_version.c.memory_id, func.max(_version.c.number), func.max(_version.c.until_at))
            .where(_version.c.memory_id.in_(some))
            .group_by(_version.c.memory_id)
        )
        found |= {row[0]: (int(row[1]), row[2]) for row in rows}
    return found


def state_at(connection: Connection, ids: Sequence[int] | None, at: datetime) -> dict[int, Mapping[str, Any]]:
    """What changed memories said at that instant; those that are as they were then are left out."""
    found: dict[int, Mapping[str, Any]] = {}
    spanning = select(_version.c.memory_id, _version.c.state).where(_version.c.from_at <= at, _version.c.until_at > at)
    for some in [None] if ids is None else slices(ids):
        statement = spanning if some is None else spanning.where(_version.c.memory_id.in_(some))
        # of two states within one instant the later one held
        found |= {row.memory_id: row.state for row in connection.execute(statement.order_by(_version.c.number))}
    return found
