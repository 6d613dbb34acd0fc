"""What search reads of conversations: prompts as typed, which of them are no answer, summaries of their older parts. Never writes.

Plain SQL: all prompts of the queue are read for one question. Instants are microseconds since 1970. Source: issue 16 point 13.
"""

from collections.abc import Sequence

from sqlalchemy import Connection

from app.store.rows.archived_prompts import load_prompts
from app.store.rows.context import as_ids, fetch
from app.store.visibility import NEVER_GIVEN, where

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
