"""What is read to say how a conversation went, and to list its episode: turns, tools, what was learned, ends of answers, references to other
conversations both ways; episodes by project and time.

Plain SQL and rows; who asks brings the walls. Knows no sign and no wording. Source: S3 "Episodic Memory".
"""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, func, or_, select

from app.store.journal import table_of
from app.store.rows.context import as_ids, fetch
from app.store.tables.core import AppRow, MessageRow, ProjectRow, ToolUseRow
from app.store.tables.memory import ArtifactRow, MemoryRow, MemorySourceRow
from app.store.tables.types import from_microseconds
from app.store.visibility import CURRENT, where

TURNS_READ, TOOLS_READ = 400, 2_000
ALL = 1_000_000
_memory, _source, _artifact, _message, _tool, _project, _app = (
    table_of(row)
    for row in (
        MemoryRow, MemorySourceRow, ArtifactRow, MessageRow, ToolUseRow, ProjectRow, AppRow,
    )
)  # fmt: skip
_TURNS = (
    select(_message.c.id, _message.c.at, _message.c.text, _message.c.intents)
    .where(_message.c.conversation_id == bindparam("conversation_id"), _message.c.speaker == "user")
    .order_by(_message.c.id)
    .limit(TURNS_READ)
)
_TOOLS = (
    select(
        _tool.c.at, _tool.c.tool, _tool.c.file, _tool.c.command, _tool.c.exit_status, _tool.c.is_error, _tool.c.error
    )
    .where(_tool.c.conversation_id == bindparam("conversation_id"))
    .order_by(_tool.c.id)
    .limit(TOOLS_READ)
)
_LEARNED = (
    "SELECT s.message_id, m.id, m.type, m.worth, m.supersedes_id IS NOT NULL OR EXISTS (SELECT 1 FROM memory c WHERE "
    "c.closed_by_message_id = s.message_id AND c.id <> m.id) FROM memory_source s JOIN memory m ON m.id = s.memory_id "
    "WHERE s.message_id IN (SELECT value FROM json_each(:ids)) AND m.kind = 'fact' AND m.status = 'active' "
    "ORDER BY s.message_id, m.id"
)
_SAID_BY = (
    "SELECT id, full FROM memory WHERE id IN (SELECT value FROM json_each(:ids)) "
    "AND (status = 'active' OR valid_to IS NOT NULL)"
)
_NAMES = (
    _project.c.name.label("project_name"), _project.c.path.label("project_path"), _app.c.name.label("app_name")
)  # fmt: skip
_EPISODES = (
    "SELECT DISTINCT m.id, m.status, m.details FROM memory_source s JOIN memory m ON m.id = s.memory_id "
    "WHERE s.conversation_id = :conversation AND m.kind = 'episode' AND m.status <> 'quarantined' ORDER BY m.id DESC"
)
_ENDS = "SELECT e.message_id, e.text FROM answer_end e JOIN message m ON m.id = e.message_id WHERE m.conversation_id = :conversation"
_TITLE = "coalesce(nullif(c.title, ''), c.auto_title)"
_SAID = (
    "coalesce((SELECT m.text FROM reference r JOIN message m ON m.id = r.message_id WHERE m.conversation_id = o.id "
    "AND r.kind = 'conversation' AND r.antecedent_conversation_id = e.value ORDER BY r.id LIMIT 1), '')"
)
_KEPT = (
    "EXISTS (SELECT 1 FROM json_each(o.distilled, '$.continues') k WHERE k.value = e.value)"  # when its text is gone
)
_OUT = (
    f"SELECT c.id, {_TITLE}, c.state <> 'evicted', {_SAID}, {_KEPT} FROM conversation o, json_each(o.related_ids) e "  # noqa: S608 (our own words)
    "JOIN conversation c ON c.id = e.value WHERE o.id = :conversation ORDER BY e.key"
)
_IN = (
    f"SELECT c.id, {_TITLE}, c.state <> 'evicted', {_SAID}, {_KEPT} FROM conversation o, json_each(o.related_ids) e "  # noqa: S608 (our own words)
    "JOIN conversation c ON c.id = o.id WHERE e.value = :conversation AND c.id <> :conversation ORDER BY c.id"
)


class LearnedRow(NamedTuple):
    """A memory in use that was learned from a message; `replaces`: an older one closed then."""

    message_id: int
    memory_id: int
    type: str
    worth: int | None
    replaces: bool


def load_turns(connection: Connection, conversation_id: int) -> Sequence[Any]:
    """The person's messages, the oldest first."""
    return connection.execute(_TURNS, {"conversation_id": conversation_id}).all()


def load_tool_uses(connection: Connection, conversation_id: int) -> Sequence[Any]:
    """What tools did meanwhile, in order."""
    return connection.execute(_TOOLS, {"conversation_id": conversation_id}).all()


def load_learned(connection: Connection, message_ids: Iterable[int]) -> list[LearnedRow]:
    return [
        LearnedRow(row[0], row[1], row[2], row[3], bool(row[4]))
        for row in fetch(connection, _LEARNED, {"ids": as_ids(message_ids)})
    ]


def load_sayings(connection: Connection, memory_ids: Iterable[int]) -> dict[int, str]:
    """What memories say, of those that still say it: nobody put them away."""
    rows = fetch(connection, _SAID_BY, {"ids": json.dumps(sorted(set(memory_ids)))})
    return {int(row[0]): str(row[1]) for row in rows}


class EpisodeWish(NamedTuple):
    """Which episodes to list."""

    project_ids: tuple[int, ...] | None = None
    app: str = ""
    since: datetime | None = None
    until: datetime | None = None
    words: tuple[str, ...] = ()
    type: str = ""
    file: str = ""
    key_significance: float | None = None
    conversation_ids: tuple[int, ...] = ()


def list_episodes(
    connection: Connection, wish: EpisodeWish, *, before: tuple[datetime, int] | None = None, limit: int
) -> Sequence[Any]:
    """Episodes in use, the newest first; `before` is when and what the last one of the page before was."""
    statement = _episodes().where(_memory.c.status == "active", *_conditions(wish))
    if before is not None:
        at, memory_id = before
        older = (_memory.c.valid_from < at) | ((_memory.c.valid_from == at) & (_memory.c.id < memory_id))
        statement = statement.where(older)
    ordered = statement.order_by(_memory.c.valid_from.desc(), _memory.c.id.desc()).limit(limit)
    return connection.execute(ordered).all()


def load_episode(connection: Connection, memory_id: int) -> Any:
    return connection.execute(_episodes().where(_memory.c.id == memory_id)).one_or_none()


def _episodes() -> Any:
    joined = _memory.outerjoin(_project, _project.c.id == _memory.c.project_id).outerjoin(
        _app, _app.c.id == _memory.c.app_id
    )
    return select(_memory, *_NAMES).select_from(joined).where(_memory.c.kind == "episode")


def _conditions(wish: EpisodeWish) -> Iterable[Any]:
    if wish.project_ids is not None:
        yield _memory.c.project_id.in_(wish.project_ids)
    if wish.app:
        yield _app.c.name == wish.app
    if wish.since is not None:
        yield _memory.c.valid_from >= wish.since
    if wish.until is not None:
        yield _memory.c.valid_from < wish.until
    for word in wish.words:
        like = f"%{_escaped(word)}%"
        yield or_(_memory.c.full.ilike(like, escape="\\"), _memory.c.title.ilike(like, escape="\\"))
    if wish.type:
        of_moments = func.json_extract(_memory.c.details, "$.moments").contains(f'"type":"{wish.type}"')
        yield or_(func.json_extract(_memory.c.details, "$.type") == wish.type, of_moments)
    if wish.key_significance is not None:
        yield func.json_extract(_memory.c.details, "$.significance") >= wish.key_significance
    if wish.file:
        like = f"%/{_escaped(wish.file)}"
        touched = select(_artifact.c.memory_id).where(
            _artifact.c.kind.in_(("file", "adr")),
            or_(_artifact.c.reference == wish.file, _artifact.c.reference.like(like, escape="\\")),
        )
        yield _memory.c.id.in_(touched)
    if wish.conversation_ids:
        learned = select(_source.c.memory_id).where(_source.c.conversation_id.in_(wish.conversation_ids))
        yield _memory.c.id.in_(learned)


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


_PLACES = (
    "SELECT s.memory_id, s.conversation_id, coalesce(nullif(c.title, ''), nullif(c.auto_title, ''), s.conversation_title), "
    "c.state IS NOT NULL AND c.state <> 'evicted', coalesce(c.ended_at, c.last_message_at, s.at), s.at FROM memory_source s "
    "LEFT JOIN conversation c ON c.id = s.conversation_id WHERE s.memory_id IN (SELECT value FROM json_each(:ids)) "
    "AND s.conversation_id IS NOT NULL ORDER BY s.at, s.id"
)
_ATTACHED = "SELECT memory_id, id, kind, reference FROM artifact WHERE memory_id IN (SELECT value FROM json_each(:ids)) ORDER BY id"
_COUNTS = (
    "SELECT e.memory_id, count(DISTINCT m.id) FROM memory_source e JOIN memory_source s ON s.conversation_id = e.conversation_id "
    "JOIN memory m ON m.id = s.memory_id WHERE e.memory_id IN (SELECT value FROM json_each(:ids)) AND m.kind <> 'episode' "
    "AND m.status IN ('active', 'proposed') GROUP BY e.memory_id"
)
_NEWEST = f"SELECT id FROM memory WHERE {{}} kind = 'episode' AND {where(*CURRENT)} ORDER BY valid_from DESC, id DESC LIMIT :most"  # noqa: S608 (constants only)
_IN_PROJECTS = "project_id IN (SELECT value FROM json_each(:projects)) AND"


def load_newest(connection: Connection, project_ids: Iterable[int] | None, now: int, most: int) -> list[int]:
    """Episodes that hold, the newest first; of any project where none is named."""
    values = {"now": now, "most": most} | ({} if project_ids is None else {"projects": as_ids(sorted(project_ids))})
    statement = _NEWEST.format("" if project_ids is None else _IN_PROJECTS)
    return [int(row[0]) for row in fetch(connection, statement, values)]


class PlaceRow(NamedTuple):
    """Where an episode was."""

    memory_id: int
    conversation_id: int
    title: str
    is_kept: bool
    until: int  # microseconds since 1970
    at: datetime  # when the last was said


class AttachedRow(NamedTuple):
    memory_id: int
    id: int
    kind: str
    reference: str


def load_places(connection: Connection, memory_ids: Iterable[int]) -> list[PlaceRow]:
    """The conversations of episodes, the earliest first."""
    rows = fetch(connection, _PLACES, {"ids": as_ids(memory_ids)})
    return [
        PlaceRow(row[0], row[1], str(row[2] or ""), bool(row[3]), row[4], from_microseconds(row[5])) for row in rows
    ]


def load_attached(connection: Connection, memory_ids: Iterable[int]) -> list[AttachedRow]:
    return [AttachedRow._make(row) for row in fetch(connection, _ATTACHED, {"ids": as_ids(memory_ids)})]


def count_learned(connection: Connection, memory_ids: Iterable[int]) -> dict[int, int]:
    """How many memories were learned in their conversations, as `learned_in` lists them."""
    return {int(row[0]): int(row[1]) for row in fetch(connection, _COUNTS, {"ids": as_ids(memory_ids)})}


_LEARNED_IN = (
    "SELECT DISTINCT m.id FROM memory_source s JOIN memory m ON m.id = s.memory_id WHERE m.kind <> 'episode' "
    "AND s.conversation_id IN (SELECT value FROM json_each(:ids)) AND m.status IN ('active', 'proposed') ORDER BY m.id"
)


def learned_in(connection: Connection, conversation_ids: Iterable[int]) -> list[int]:
    """Memories of these conversations, in the order in which they were learned; none that was archived."""
    return [int(row[0]) for row in fetch(connection, _LEARNED_IN, {"ids": as_ids(conversation_ids)})]


_OF_MODULE = (  # from the episodes, of which a project has few: facts name the same files by thousands
    "SELECT a.memory_id, max(a.reference = :file) FROM memory m CROSS JOIN artifact a ON a.memory_id = m.id "
    "WHERE m.kind = 'episode' AND m.status = 'active' AND m.project_id = :project "
    "AND a.kind IN ('file', 'adr') AND (a.reference = :file OR (a.reference >= :first AND a.reference < :past)) "
    "GROUP BY a.memory_id ORDER BY 2 DESC, m.valid_from DESC, m.id DESC LIMIT :most"
)
_SOLVED = (
    "SELECT m.id, e.key, e.value ->> '$.text', e.value ->> '$.fix' FROM memory m, json_each(m.details, '$.moments') e "
    "WHERE m.id IN (SELECT value FROM json_each(:ids)) AND e.value ->> '$.type' IN ('problem_solved', 'breakthrough') "
    "AND e.value ->> '$.fix' <> '' AND e.value ->> '$.text' <> '' ORDER BY m.valid_from DESC, e.key"
)


def find_of_module(connection: Connection, project_id: int, file: str, folder: str, most: int) -> dict[int, bool]:
    """Episodes that changed this file (True), or one below its folder; the newest first. `folder` "": the project's root."""
    below = f"{folder}/" if folder else "\0"
    values = {"file": file, "first": below, "past": f"{below[:-1]}0", "project": project_id, "most": most}
    return {int(row[0]): bool(row[1]) for row in fetch(connection, _OF_MODULE, values)}


def find_solved(connection: Connection, episode_ids: Iterable[int]) -> list[tuple[int, int, str, str]]:
    """(episode, place of the moment, what failed, what solved it) of problems whose solution is known; the newest first."""
    rows = fetch(connection, _SOLVED, {"ids": as_ids(episode_ids)})
    return [(int(row[0]), int(row[1]), str(row[2]), str(row[3])) for row in rows]


_GOING_ON = (
    "SELECT id FROM conversation WHERE id IN (SELECT value FROM json_each(:ids)) AND state IN ('active', 'paused')"
)


def going_on(connection: Connection, conversation_ids: Iterable[int]) -> frozenset[int]:
    """Those of the conversations that may still be taken up."""
    return frozenset(int(row[0]) for row in fetch(connection, _GOING_ON, {"ids": as_ids(conversation_ids)}))


def places_of_parts(connection: Connection, story_id: int, part_ids: Sequence[int]) -> list[dict[str, Any]]:
    """Sources of the parts as rows of the episode they were merged into, each conversation once."""
    rows = select(_source).where(_source.c.memory_id.in_(part_ids)).order_by(_source.c.at, _source.c.id)
    return _as_own(connection.execute(rows).all(), story_id, ("conversation_id",))


def artifacts_of_parts(connection: Connection, story_id: int, part_ids: Sequence[int]) -> list[dict[str, Any]]:
    """The same of what was made, each once."""
    rows = select(_artifact).where(_artifact.c.memory_id.in_(part_ids)).order_by(_artifact.c.id)
    return _as_own(connection.execute(rows).all(), story_id, ("kind", "reference"))


def _as_own(rows: Sequence[Any], story_id: int, same: tuple[str, ...]) -> list[dict[str, Any]]:
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        values = {name: value for name, value in row._mapping.items() if name != "id"}
        found.setdefault(tuple(values[name] for name in same), values | {"memory_id": story_id})
    return list(found.values())


class ReferringRow(NamedTuple):
    """The other conversation; `said`: the message that refers, "" when its text is gone."""

    conversation_id: int
    title: str
    is_kept: bool
    said: str
    was_continued: bool  # as was kept when its text went


class EpisodeRow(NamedTuple):
    number: int
    status: str
    details: dict[str, Any]


def load_episodes(connection: Connection, conversation_id: int) -> list[EpisodeRow]:
    """Episodes of it, the newest first: also what was merged or forgotten."""
    rows = fetch(connection, _EPISODES, {"conversation": conversation_id})
    return [EpisodeRow(int(row[0]), str(row[1]), json.loads(row[2] or "{}")) for row in rows]


def load_answer_ends(connection: Connection, conversation_id: int) -> dict[int, str]:
    """By message."""
    rows = fetch(connection, _ENDS, {"conversation": conversation_id})
    return {int(row[0]): str(row[1]) for row in rows}


def load_references(connection: Connection, conversation_id: int, *, is_outgoing: bool) -> list[ReferringRow]:
    """Conversations that this one refers to, or that refer to it."""
    rows = fetch(connection, _OUT if is_outgoing else _IN, {"conversation": conversation_id})
    return [ReferringRow(int(row[0]), str(row[1] or ""), bool(row[2]), str(row[3]), bool(row[4])) for row in rows]
