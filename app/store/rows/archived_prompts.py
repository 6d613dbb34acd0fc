"""Prompts as a search reads them: of the queue, which are no answer, and of the archive by number, conversation, date; summaries of older
parts; counts and sizes; what waits for the index.

Plain SQL over one table; its texts are packed. `load_archived_prompts` is the reading of the past. Knows no ranking and no choice.
Source: issue 16 point 13, JUDGE "The past".
"""

import contextlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import pysqlite3
from sqlalchemy import Connection, Row, Select, delete, select

from app.store.journal import table_of
from app.store.rows.context import as_ids, fetch
from app.store.tables.core import ArchivedPromptRow, ChangeRow, MessageRow, ProjectRow, StreamRow
from app.store.tables.types import from_microseconds, unpack_text
from app.store.visibility import NEVER_GIVEN, where

_COLUMNS = "p.id, p.text, p.at, p.conversation_id, s.project_id, s.app_id"
_message, _stream, _project, _change = (table_of(row) for row in (MessageRow, StreamRow, ProjectRow, ChangeRow))
_FROM = "FROM archived_prompt p JOIN stream s ON s.id = p.stream_id"
PromptRow = tuple[int, str, int, int, int | None, int]  # number, text, when, conversation, project, app
ChunkRow = tuple[int, int, str, str, int, int, int | None, int, str, str, str]
_PROMPTS = (
    "SELECT m.id, m.text, m.at, m.conversation_id, s.project_id, s.app_id FROM message m JOIN stream s ON s.id = m.stream_id "
    "WHERE m.speaker = 'user' AND m.text <> '' AND (:since IS NULL OR m.at >= :since) AND (:until IS NULL OR m.at < :until) "
    "ORDER BY m.id"
)
_SOURCES = (
    "SELECT memory_id, message_id FROM memory_source WHERE message_id IS NOT NULL "
    "AND memory_id IN (SELECT value FROM json_each(:ids))"
)
_NO_ANSWER = (  # of the whole store, also what is hidden from who asks; not what a judge read better, nobody looked at or nobody used
    "SELECT n.message_id FROM main.memory_source n JOIN main.memory m ON m.id = n.memory_id WHERE n.message_id IS NOT NULL "  # noqa: S608
    f"AND (m.status = 'quarantined' OR m.status = 'active' AND NOT {where('ended', memory='m')} AND NOT EXISTS "
    "(SELECT 1 FROM main.memory_source o JOIN main.memory h ON h.id = o.memory_id WHERE o.message_id = n.message_id "
    f"AND {where('status', 'ended', memory='h')}) OR m.status = 'archived' AND NOT EXISTS "
    "(SELECT 1 FROM main.memory_version v WHERE v.memory_id = m.id AND (v.label LIKE 'read by %' OR v.origin = 'engine' "
    "AND v.number = (SELECT max(w.number) FROM main.memory_version w WHERE w.memory_id = m.id) "
    "AND (v.label = 'archived' OR v.label LIKE 'not used on %' OR v.label LIKE 'weighs %')))) "
    f"UNION SELECT message_id FROM main.memory_source WHERE message_id IS NOT NULL AND memory_id IN ({NEVER_GIVEN})"
)
_CHUNKS = """
SELECT k.id, k.number, k.summary, k.topics, k.token_count, k.created_at, s.project_id, s.app_id,
coalesce(nullif(c.title, ''), c.auto_title), coalesce(p.name, ''), a.name
FROM chunk k JOIN conversation c ON c.id = k.conversation_id JOIN stream s ON s.id = c.stream_id
JOIN app a ON a.id = s.app_id LEFT JOIN project p ON p.id = s.project_id
WHERE (:conversation IS NULL OR k.conversation_id = :conversation)
AND (:since IS NULL OR k.created_at >= :since) AND (:until IS NULL OR k.created_at < :until)
AND (:believed IS NULL OR k.created_at <= :believed)
ORDER BY k.id
"""


class ArchivedPrompt(NamedTuple):
    """A prompt as the archive keeps it. `id` is its message's number, which no other message bears."""

    id: int
    text: str
    at: int  # microseconds since 1970
    conversation_id: int
    project_id: int | None
    app_id: int


class PastPrompt(NamedTuple):
    """An archived prompt as it is read again: with its session and its places by name."""

    id: int
    text: str
    at: datetime
    conversation_id: int
    session: str
    project: str  # folder
    app: str


class ArchiveFigures(NamedTuple):
    """How much there is: prompts, and bytes of their packed texts."""

    prompt_count: int
    byte_count: int


def load_archived_prompts(
    connection: Connection, *, before_id: int | None = None, limit: int = 500
) -> list[PastPrompt]:
    """The newest first; `before_id` pages on.

    Within one read the numbers grow with the order in which prompts were taken in, which for an imported history is its own order.
    """
    statement = (
        f"SELECT p.id, p.text, p.at, p.conversation_id, s.session, j.path, a.name {_FROM} "
        "JOIN project j ON j.id = s.project_id JOIN app a ON a.id = s.app_id "
        "WHERE (:before IS NULL OR p.id < :before) ORDER BY p.id DESC LIMIT :limit"
    )
    return [
        PastPrompt(int(row[0]), unpack_text(row[1]), from_microseconds(row[2]), int(row[3]), *map(str, row[4:]))
        for row in fetch(connection, statement, {"before": before_id, "limit": limit})
    ]


def load_places(connection: Connection, ids: Iterable[int]) -> dict[int, tuple[str, str, str]]:
    """By prompt: the title of its conversation, the name of its app, the folder of its project; "" where there is none."""
    statement = (
        f"SELECT p.id, c.title, a.name, j.path {_FROM} LEFT JOIN conversation c ON c.id = p.conversation_id "  # noqa: S608
        "LEFT JOIN app a ON a.id = s.app_id LEFT JOIN project j ON j.id = s.project_id "
        "WHERE p.id IN (SELECT value FROM json_each(:ids))"
    )
    return {
        int(row[0]): (row[1] or "", row[2] or "", row[3] or "")
        for row in fetch(connection, statement, {"ids": as_ids(ids)})
    }


def load_prompts(connection: Connection, ids: Iterable[int]) -> list[ArchivedPrompt]:
    """Those of these numbers that are there, in no order."""
    statement = f"SELECT {_COLUMNS} {_FROM} WHERE p.id IN (SELECT value FROM json_each(:ids))"  # noqa: S608
    return [_prompt(row) for row in fetch(connection, statement, {"ids": as_ids(ids)})]


def load_prompts_after(connection: Connection, after: int, limit: int) -> list[ArchivedPrompt]:
    """All of them in the order of their numbers, some at a time."""
    statement = f"SELECT {_COLUMNS} {_FROM} WHERE p.id > :after ORDER BY p.id LIMIT :limit"
    return [_prompt(row) for row in fetch(connection, statement, {"after": after, "limit": limit})]


def load_prompts_of(connection: Connection, conversation_id: int) -> list[ArchivedPrompt]:
    """A conversation's, in the order in which they were typed."""
    statement = f"SELECT {_COLUMNS} {_FROM} WHERE p.conversation_id = :conversation ORDER BY p.at, p.id"
    return [_prompt(row) for row in fetch(connection, statement, {"conversation": conversation_id})]


def load_newest_prompts(connection: Connection, before: tuple[int, int] | None, limit: int) -> list[ArchivedPrompt]:
    """By date, the newest first; `before` is the (at, id) of the last one that was read."""
    at, number = before or (2**62, 0)
    statement = (
        f"SELECT {_COLUMNS} {_FROM} WHERE p.at < :at OR p.at = :at AND p.id < :id "
        "ORDER BY p.at DESC, p.id DESC LIMIT :limit"
    )
    return [_prompt(row) for row in fetch(connection, statement, {"at": at, "id": number, "limit": limit})]


def _prompt(row: Sequence[object]) -> ArchivedPrompt:
    number, text, at, conversation_id, project_id, app_id = row
    return ArchivedPrompt(number, unpack_text(text), at, conversation_id, project_id, app_id)  # type: ignore[arg-type]


def archive_figures(connection: Connection) -> ArchiveFigures:
    row = fetch(connection, "SELECT count(*), coalesce(sum(length(text)), 0) FROM archived_prompt", {})[0]
    return ArchiveFigures(int(row[0]), int(row[1]))


def archive_mark(connection: Connection) -> tuple[int, int]:
    """Changes whenever prompts come or go: how many there are, and the newest number."""
    row = fetch(connection, "SELECT count(*), coalesce(max(id), 0) FROM archived_prompt", {})[0]
    return int(row[0]), int(row[1])


def read_figures(path: Path) -> ArchiveFigures:
    """The same of a store that nobody has opened; zeros where it cannot be read."""
    try:
        with contextlib.closing(pysqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            row = connection.execute("SELECT count(*), coalesce(sum(length(text)), 0) FROM archived_prompt").fetchone()
    except pysqlite3.dbapi2.DatabaseError:
        return ArchiveFigures(0, 0)
    return ArchiveFigures(*row)


def has_archived(connection: Connection) -> bool:
    return bool(fetch(connection, "SELECT EXISTS (SELECT 1 FROM archived_prompt)", {})[0][0])


def oldest_at(connection: Connection) -> int | None:
    found = fetch(connection, "SELECT min(at) FROM archived_prompt", {})[0][0]
    return None if found is None else int(found)


def count_older(connection: Connection, at: int) -> int:
    return int(fetch(connection, "SELECT count(*) FROM archived_prompt WHERE at < :at", {"at": at})[0][0])


def delete_older(connection: Connection, at: int | None) -> int:
    """Takes out what was typed before then, all of it without `at`, past the journal; returns how many."""
    where, values = ("", {}) if at is None else (" WHERE at < :at", {"at": at})
    found = connection.exec_driver_sql(f"DELETE FROM archived_prompt{where}", values)  # noqa: S608
    return int(found.rowcount)


def load_leaving(connection: Connection, conversation_id: int) -> Sequence[Row[Any]]:
    """(id, stream_id, at, text, is_imported, path) of the person's messages of a conversation, with its project's folder, by number."""
    joined = _message.join(_stream, _stream.c.id == _message.c.stream_id)
    joined = joined.join(_project, _project.c.id == _stream.c.project_id)
    columns = [_message.c[name] for name in ("id", "stream_id", "at", "text", "is_imported")]
    typed: Select[Any] = select(*columns, _project.c.path).select_from(joined)
    typed = typed.where(_message.c.conversation_id == conversation_id, _message.c.speaker == "user")
    return connection.execute(typed.order_by(_message.c.id)).all()


def forget_images(connection: Connection, *, is_all: bool) -> None:
    """Takes images of archived prompts out of the journal: of those that were deleted, or of all."""
    gone = delete(_change).where(_change.c.table_name == ArchivedPromptRow.__tablename__)
    connection.execute(gone if is_all else gone.where(_change.c.action == "delete"))


# what waits for the index ------------------------------------------------------------------------------


def load_waiting(connection: Connection, limit: int, *, is_newest_first: bool = False) -> list[tuple[int, int]]:
    """(seq, prompt) of changes that the index has not taken in."""
    order = "DESC" if is_newest_first else "ASC"
    statement = f"SELECT seq, prompt_id FROM archive_wait ORDER BY seq {order} LIMIT :limit"  # noqa: S608
    return [(int(row[0]), int(row[1])) for row in fetch(connection, statement, {"limit": limit})]


def forget_waiting(connection: Connection, seqs: Iterable[int]) -> None:
    statement = "DELETE FROM archive_wait WHERE seq IN (SELECT value FROM json_each(:ids))"
    connection.exec_driver_sql(statement, {"ids": as_ids(seqs)})


def count_prompts(connection: Connection) -> int:
    return int(fetch(connection, "SELECT count(*) FROM archived_prompt", {})[0][0])


def find_missing_prompts(connection: Connection, ids: Sequence[int]) -> set[int]:
    """Those of these numbers that no archived prompt bears."""
    statement = "SELECT id FROM archived_prompt WHERE id IN (SELECT value FROM json_each(:ids))"
    found: set[int] = set()
    for start in range(0, len(ids), 5_000):
        some = ids[start : start + 5_000]
        found |= set(some) - {int(row[0]) for row in fetch(connection, statement, {"ids": as_ids(some)})}
    return found


def load_typed(connection: Connection, since: int | None, until: int | None) -> list[PromptRow]:
    """The person's prompts in the queue, the oldest first."""
    return [
        (int(row[0]), str(row[1]), int(row[2]), int(row[3]), row[4], int(row[5]))
        for row in fetch(connection, _PROMPTS, {"since": since, "until": until})
    ]


def load_typed_text(connection: Connection, message_id: int) -> str:
    """What the person typed, in the queue or in the archive; "" when there is no such prompt."""
    rows = fetch(connection, "SELECT text FROM message WHERE id = :id AND speaker = 'user'", {"id": message_id})
    if rows:
        return str(rows[0][0])
    return next((one.text for one in load_prompts(connection, [message_id])), "")


def find_no_answers(connection: Connection, now: int) -> frozenset[int]:
    """Prompts of which a memory was made that is held off, put away, over or never to be given: they are no answer either."""
    return frozenset(int(row[0]) for row in fetch(connection, _NO_ANSWER, {"now": now}))


def messages_of(connection: Connection, memory_ids: Sequence[int]) -> dict[int, set[int]]:
    """The messages that each of these memories was learned from."""
    found: dict[int, set[int]] = {}
    for memory_id, message_id in fetch(connection, _SOURCES, {"ids": as_ids(memory_ids)}):
        found.setdefault(int(memory_id), set()).add(int(message_id))
    return found


def find_spoken_in(connection: Connection) -> list[int]:
    """The projects in which something was said, as far as `connection` shows them; 0 is none."""
    return [int(row[0] or 0) for row in fetch(connection, "SELECT DISTINCT project_id FROM stream", {})]


def load_chunks(
    connection: Connection, conversation_id: int | None, *, since: int | None, until: int | None, believed: int | None
) -> list[ChunkRow]:
    """(id, number, summary, topics as JSON, tokens, when it was made, project, app, title, name of the project and of the app)."""
    values = {"conversation": conversation_id, "since": since, "until": until, "believed": believed}
    return fetch(connection, _CHUNKS, values)
