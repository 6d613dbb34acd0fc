"""The newest episodes of a project: what answers "what did we do last" and "what is left", where no word could be looked for.

Who asks brings the walls. Source: issue 16 point 9.
"""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection

from app.deciders.recall.work_questions import WorkQuestion, read_work_question
from app.store.rows.episode import load_newest
from app.store.search.memories import find_projects
from app.store.tables.types import to_microseconds

NEARLY_BEST = 0.8  # an episode that fits a reason so well stands before what fits it best
EPISODES_FIRST = 2  # so many answer such a question before anything that was found by its words


def asks_for_episodes(text: str) -> bool:
    """Whether the newest episodes answer it, whatever words they hold."""
    return read_work_question(text) in (WorkQuestion.LAST, WorkQuestion.LEFT)


def find_newest(
    connection: Connection, project_ids: Iterable[int] | None, now: datetime, most: int = EPISODES_FIRST
) -> list[int]:
    """The newest first; of any project where none is named."""
    return load_newest(connection, project_ids, to_microseconds(now), most)


def find_newest_named(connection: Connection, projects: tuple[str, ...], now: datetime) -> list[int]:
    """The same for projects as a filter names them."""
    return find_newest(connection, find_projects(connection, projects) if projects else None, now)
