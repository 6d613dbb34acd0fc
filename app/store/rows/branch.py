"""The branches that messages were typed on: kept, asked for by what was said there. Plain SQL, waited for by a prompt.

A log beside the journal: derived from the folder at the time, no change that undo takes back. Source: issue 16 point 9.
"""

from sqlalchemy import Connection

from app.store.rows.context import fetch

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


def keep_branch(connection: Connection, message_id: int, branch: str) -> None:
    """This message was typed on that branch."""
    connection.exec_driver_sql(_KEEP, {"message": message_id, "branch": branch})


def find_said_on(connection: Connection, project_id: int | None, branch: str) -> set[int]:
    """The newest memories of a project that were said on this branch of it."""
    values = {"project": project_id, "branch": branch, "most": _SAID_MOST}
    return {int(row[0]) for row in fetch(connection, _SAID_ON, values)}


def find_branches_before(connection: Connection, session: str, most: int) -> list[str]:
    """The branches of the last prompts of a session, the newest first."""
    return [str(row[0]) for row in fetch(connection, _BEFORE, {"session": session, "most": most})]
