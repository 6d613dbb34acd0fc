"""What past work shows: which conversations touched which files, on which branch, what was learned there, what is used at which hour,
what a session typed, ran and was given, and where the last one left off.

Plain SQL, since a prompt waits for it. Instants are microseconds since 1970. Source: S4 "Predictive Context Engine".
"""

# ruff: noqa: S608 (constants only)
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection

from app.store.rows.context import as_ids, fetch

_KEEP = "INSERT OR REPLACE INTO message_branch (message_id, branch) VALUES (:message, :branch)"
_SAID_ON = (
    "SELECT DISTINCT n.memory_id FROM message_branch b CROSS JOIN memory_source n ON n.message_id = b.message_id "
    "CROSS JOIN memory m ON m.id = n.memory_id WHERE b.branch = :branch AND m.project_id = :project ORDER BY n.memory_id DESC LIMIT :most"
)
_BEFORE = (
    "SELECT b.branch FROM message m JOIN stream s ON s.id = m.stream_id JOIN message_branch b ON b.message_id = m.id "
    "WHERE s.session = :session ORDER BY m.id DESC LIMIT :most"
)
_SAID_MOST = 200
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


def keep_branch(connection: Connection, message_id: int, branch: str) -> None:
    """This message was typed on that branch."""
    connection.exec_driver_sql(_KEEP, {"message": message_id, "branch": branch})


def note_first_branch(connection: Connection, stream_id: int, branch: str) -> None:
    """The branch that a stream began on, where none is known yet."""
    noted = "UPDATE stream SET git_branch = :branch WHERE id = :stream AND git_branch = ''"
    connection.exec_driver_sql(noted, {"stream": stream_id, "branch": branch})


def find_learned_on_branch(connection: Connection, project_id: int | None, branch: str) -> set[int]:
    """The newest memories of a project that were said on this branch of it."""
    values = {"project": project_id, "branch": branch, "most": _SAID_MOST}
    return {int(row[0]) for row in fetch(connection, _SAID_ON, values)}


def find_branches_before(connection: Connection, session: str, most: int) -> list[str]:
    """The branches of the last prompts of a session, the newest first."""
    return [str(row[0]) for row in fetch(connection, _BEFORE, {"session": session, "most": most})]


_CONVERSATIONS = (
    "SELECT c.id, c.files, coalesce(nullif(c.title, ''), c.auto_title), s.git_branch FROM conversation c "
    "JOIN stream s ON s.id = c.stream_id WHERE s.project_id = :project AND c.files <> '[]' "
    "ORDER BY c.queue_key DESC, c.id DESC LIMIT :limit"
)
_KNOWN_FILES = (
    "SELECT DISTINCT a.reference FROM artifact a JOIN memory m ON m.id = a.memory_id "
    "WHERE a.kind = 'file' AND m.project_id = :project LIMIT :limit"
)
_TOOL_USES = "tool_use t JOIN conversation c ON c.id = t.conversation_id JOIN stream s ON s.id = c.stream_id"
_LAST_FILES = (
    f"SELECT t.file FROM {_TOOL_USES} WHERE s.project_id = :project AND s.session = :session AND t.file <> '' "
    "ORDER BY t.id DESC LIMIT 40"
)
_LAST_IN_PROJECT = (
    f"SELECT t.file FROM {_TOOL_USES} WHERE s.project_id = :project AND t.file <> '' ORDER BY t.id DESC LIMIT 60"
)
_LAST_FILE = (
    f"SELECT t.file, s.session FROM {_TOOL_USES} WHERE t.id > (SELECT max(id) FROM tool_use) - 2000 "
    f"AND s.project_id = :project AND t.file = (SELECT t.file FROM {_TOOL_USES} "
    "WHERE s.project_id = :project AND s.session = :session AND t.file <> '' ORDER BY t.id DESC LIMIT 1)"
)
_ON_BRANCH = (
    "SELECT c.id FROM conversation c JOIN stream s ON s.id = c.stream_id "
    "WHERE s.project_id = :project AND s.git_branch = :branch ORDER BY c.id DESC LIMIT :limit"
)
_LEARNED_IN = (
    "SELECT DISTINCT memory_id, conversation_id FROM memory_source "
    "WHERE conversation_id IN (SELECT value FROM json_each(:ids))"
)
_USED_AT_HOUR = (
    "SELECT memory_id, count(DISTINCT at / 86400000000) FROM usage_event "
    "WHERE kind = 'cited' AND +id > (SELECT max(id) FROM usage_event) - 5000 "
    "AND abs(((at / 3600000000) % 24) - :hour) IN (0, 1, 23) AND at > :since GROUP BY memory_id "
    "HAVING count(DISTINCT at / 86400000000) > 1 LIMIT 50"
)
_TAKEN_UP = (
    "SELECT c.memory_id, c.receipt_id FROM citation c JOIN receipt r ON r.id = c.receipt_id "
    "WHERE c.id > (SELECT max(id) FROM citation) - 5000 AND r.project_id = :project AND c.kind <> 'prompt' "
    "ORDER BY c.id DESC LIMIT :limit"
)


def load_taken_up(connection: Connection, project_id: int, limit: int) -> list[tuple[int, int]]:
    """(memory, receipt) of what assistants took up in the project, the newest first."""
    found = fetch(connection, _TAKEN_UP, {"project": project_id, "limit": limit})
    return [(int(row[0]), int(row[1])) for row in found]


def count_prompts(connection: Connection, session: str, most: int) -> int:
    """How many prompts came in a session, counted as far as `most`."""
    counted = "SELECT count(*) FROM (SELECT 1 FROM event WHERE session = :session AND kind = 'prompt' LIMIT :most)"
    return int(fetch(connection, counted, {"session": session, "most": most})[0][0])


def load_conversations(connection: Connection, project_id: int, limit: int) -> list[tuple[int, str, str, str]]:
    """(number, files as JSON, title, branch) of those that touched files, the newest first."""
    return fetch(connection, _CONVERSATIONS, {"project": project_id, "limit": limit})


def load_known_files(connection: Connection, project_id: int, limit: int) -> list[str]:
    """Files that memories of the project are about."""
    return [row[0] for row in fetch(connection, _KNOWN_FILES, {"project": project_id, "limit": limit})]


def load_last_files(connection: Connection, project_id: int, session: str = "") -> list[str]:
    """Files that tools touched last, the newest first; of one session, or in the whole project."""
    statement = _LAST_FILES if session else _LAST_IN_PROJECT
    return [row[0] for row in fetch(connection, statement, {"project": project_id, "session": session})]


def find_last_file(connection: Connection, project_id: int, session: str) -> tuple[str, set[str]]:
    """The file that the session touched last, "" for none, and the sessions that touched it lately."""
    found = fetch(connection, _LAST_FILE, {"project": project_id, "session": session})
    return (str(found[0][0]) if found else ""), {row[1] for row in found}


def find_on_branch(connection: Connection, project_id: int, branch: str, limit: int) -> list[int]:
    """Conversations on a branch, the newest first."""
    values = {"project": project_id, "branch": branch, "limit": limit}
    return [row[0] for row in fetch(connection, _ON_BRANCH, values)]


def find_learned_in(connection: Connection, conversation_ids: Iterable[int]) -> list[tuple[int, int]]:
    """(memory, conversation) of what was learned in one of these."""
    listed = list(conversation_ids)
    return [(row[0], row[1]) for row in fetch(connection, _LEARNED_IN, {"ids": as_ids(listed)})] if listed else []


def count_days_used(connection: Connection, hour: int, since: int) -> list[tuple[int, int]]:
    """(memory, days) of what was of use at this hour on several days."""
    return [(row[0], row[1]) for row in fetch(connection, _USED_AT_HOUR, {"hour": hour, "since": since})]


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


def load_recent_texts(
    connection: Connection, conversation_id: int, most: int
) -> tuple[list[tuple[str, str]], list[tuple[str, int]]]:
    """(speaker, text) of the last messages that no chunk sums up, and (summary, tokens) of the chunks; both oldest first."""
    chunks = fetch(connection, _CHUNKS, {"id": conversation_id})
    after = max((row[2] for row in chunks), default=0)
    messages = fetch(connection, _MESSAGES, {"id": conversation_id, "after": after, "most": most})
    return [(str(row[0]), str(row[1])) for row in reversed(messages)], [(str(row[0]), int(row[1])) for row in chunks]


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
