"""What a session and its project did last: what was typed and failed, what it was given, where it left off.

Plain SQL, since a context waits for it. Instants are microseconds since 1970.
"""

# ruff: noqa: S608 (constants only)
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from app.store.rows.context import fetch

_TYPED = (
    "SELECT substr(m.text, 1, :chars) FROM message m JOIN stream s ON s.id = m.stream_id "
    "WHERE s.project_id = :project AND m.speaker = 'user' AND m.at <= :now ORDER BY m.id DESC LIMIT :most"
)
_LAST_SESSION = (
    "SELECT l.stream_id FROM conversation l JOIN stream t ON t.id = l.stream_id WHERE t.project_id = :project "
    "AND t.session <> :session AND l.last_message_at <= :now ORDER BY l.last_message_at DESC LIMIT 1"
)
_LAST = (
    "SELECT c.id, coalesce(nullif(c.title, ''), c.auto_title), c.state <> 'evicted', m.id IS NOT NULL, m.status = 'active', "
    "coalesce(m.details ->> '$.gist', m.details ->> '$.done[0]', ''), coalesce(m.details ->> '$.next', ''), b.git_branch "
    "FROM conversation c JOIN stream b ON b.id = c.stream_id "
    "LEFT JOIN memory_source e ON e.conversation_id = c.id AND EXISTS (SELECT 1 FROM memory k WHERE k.id = e.memory_id AND k.kind = 'episode') "
    "LEFT JOIN memory m ON m.id = e.memory_id "
    f"WHERE c.stream_id = ({_LAST_SESSION}) AND c.last_message_at <= :now ORDER BY c.last_message_at DESC, m.status LIMIT :most"
)
_USES = (  # of the newest uses only: a long history is not looked through while somebody waits
    "SELECT t.id, t.file, t.command, t.exit_status, t.is_error, t.error FROM tool_use t "
    "JOIN conversation c ON c.id = t.conversation_id JOIN stream s ON s.id = c.stream_id "
    "WHERE t.id > (SELECT max(id) FROM tool_use) - 2000 AND t.at > :since AND t.at < :until AND s.project_id = :project "
    "ORDER BY t.id DESC LIMIT 400"
)
_DISMISSED = "SELECT data ->> '$.use_id' FROM rule WHERE kind = :kind AND data ->> '$.project_id' = :project"
_CURRENT = (
    "SELECT c.id FROM conversation c JOIN stream s ON s.id = c.stream_id WHERE c.state <> 'evicted' "
    "AND (:session = '' OR s.session = :session) AND (:project IS NULL OR s.project_id = :project) "
    "ORDER BY c.queue_key DESC LIMIT 1"
)
_MESSAGES = "SELECT speaker, text FROM message WHERE conversation_id = :id AND id > :after ORDER BY id DESC LIMIT :most"
_CHUNKS = "SELECT summary, token_count, last_message_id FROM chunk WHERE conversation_id = :id ORDER BY number"
_COMPACTED = "SELECT max(received_at) FROM event WHERE session = :session AND kind = 'compaction'"
_COMPACTED_SINCE = "SELECT max(received_at) FROM event WHERE id > :seen AND +session = :session AND kind = 'compaction'"
_RECEIPTS = (
    "SELECT id FROM receipt WHERE app = :app AND session = :session AND id > :newest AND at > :after AND is_delivered"
)
_ITEMS = (
    "SELECT memory_id, level = 'index', revision, CASE WHEN memory_id THEN '' WHEN level = 'index' THEN text ELSE title END "
    "FROM receipt_item WHERE receipt_id = :receipt"
)
_LAST_LINE = (
    "SELECT max(r.at) FROM receipt_item i JOIN receipt r ON r.id = i.receipt_id "
    "WHERE i.memory_id = 0 AND i.title = :title AND r.app = :app AND r.delivery = :delivery"
)
_PROMPTS_SINCE = (
    "SELECT count(*) FROM (SELECT 1 FROM message m JOIN stream s ON s.id = m.stream_id JOIN app a ON a.id = s.app_id "
    "WHERE a.name = :app AND m.speaker = 'user' AND m.at > :at LIMIT :most)"
)


def load_last_typed(connection: Connection, project_id: int | None, now: int, *, chars: int, most: int) -> list[str]:
    """The beginnings of the last prompts in a project, the newest first."""
    values = {"project": project_id, "now": now, "chars": chars, "most": most}
    return [str(row[0]) for row in fetch(connection, _TYPED, values)]


def load_last_session(
    connection: Connection, project_id: int | None, session: str, now: int, most: int
) -> Sequence[tuple[Any, ...]]:
    """(id, title, is in the queue, has an episode, episode is in use, gist, next, branch) of the last conversations of the last other session."""
    return fetch(connection, _LAST, {"project": project_id, "session": session, "now": now, "most": most})


def load_recent_uses(connection: Connection, project_id: int, since: int, until: int) -> list[tuple[Any, ...]]:
    """(id, file, command, exit_status, is_error, error) of what tools did in a project, oldest first."""
    return fetch(connection, _USES, {"project": project_id, "since": since, "until": until})[::-1]


def find_dismissed_uses(connection: Connection, project_id: int, kind: str) -> set[int]:
    """The uses of tools of which a rule of this kind says that the person will not hear."""
    return {row[0] for row in fetch(connection, _DISMISSED, {"kind": kind, "project": project_id})}


def find_current(connection: Connection, session: str, project_id: int | None) -> int | None:
    """The newest conversation of a session, or of any ("") in a project, or in any (None)."""
    found = fetch(connection, _CURRENT, {"session": session, "project": project_id})
    return int(found[0][0]) if found else None


def load_said(
    connection: Connection, conversation_id: int, most: int
) -> tuple[list[tuple[str, str]], list[tuple[str, int]]]:
    """(speaker, text) of the last messages that no chunk sums up, and (summary, tokens) of the chunks; both oldest first."""
    chunks = fetch(connection, _CHUNKS, {"id": conversation_id})
    after = max((row[2] for row in chunks), default=0)
    messages = fetch(connection, _MESSAGES, {"id": conversation_id, "after": after, "most": most})
    return [(str(row[0]), str(row[1])) for row in reversed(messages)], [(str(row[0]), int(row[1])) for row in chunks]


def newest_event(connection: Connection) -> int:
    return int(fetch(connection, "SELECT coalesce(max(id), 0) FROM event", {})[0][0])


def compacted_at(connection: Connection, session: str, after_event: int) -> int | None:
    """When a session was compacted last, of what came after that event; None when it was not."""
    if not after_event:
        found = fetch(connection, _COMPACTED, {"session": session})[0][0]
    else:
        found = fetch(connection, _COMPACTED_SINCE, {"session": session, "seen": after_event})[0][0]
    return None if found is None else int(found)


def receipts_of_session(connection: Connection, app: str, session: str, *, newer_than: int, after: int) -> list[int]:
    """What a session was given that has a greater number and came later."""
    values = {"app": app, "session": session, "newest": newer_than, "after": after}
    return [int(row[0]) for row in fetch(connection, _RECEIPTS, values)]


def lines_of_receipt(connection: Connection, receipt_id: int) -> list[tuple[Any, ...]]:
    """(memory or 0, is only named, revision, what a line says that is no memory) of each line."""
    return fetch(connection, _ITEMS, {"receipt": receipt_id})


def line_given_at(connection: Connection, title: str, app: str, delivery: str) -> int | None:
    """When an app was last given a line of ours of this title with such a delivery."""
    found = fetch(connection, _LAST_LINE, {"title": title, "app": app, "delivery": delivery})[0][0]
    return None if found is None else int(found)


def count_prompts_since(connection: Connection, app: str, at: int, most: int) -> int:
    """Prompts of an app since then, counted as far as `most`."""
    return int(fetch(connection, _PROMPTS_SINCE, {"app": app, "at": at, "most": most})[0][0])
