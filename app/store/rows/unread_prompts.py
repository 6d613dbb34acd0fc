"""Prompts that have left the queue and that no judge has read: those of the archive, and those whose words only a history file holds.

A prompt that left had a message, whose number nobody else bears, or was too old for the queue when it was imported, and then only
its event is known. Both differ from what was erased or taken back, which nobody reads again. Reads only; knows no file.
Source: JUDGE "The past".
"""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, or_, select

from app.store.chunked_parameters import slices
from app.store.journal import table_of
from app.store.rows.context import as_ids, fetch
from app.store.tables.core import AppRow, ConversationRow, EventRow, MessageRow, OperationRow, ProjectRow, StreamRow
from app.store.tables.judge import JudgePastRow, JudgeReadingRow
from app.store.tables.types import from_microseconds, to_microseconds
from app.values.repeated_prompts import SEEN_AGAIN, WORDS_GONE

_PACKED_RATIO = 1.5  # characters for each packed byte, about
_event, _app, _message, _operation, _conversation, _stream, _project, _reading, _past = (
    table_of(row)
    for row in (
        EventRow, AppRow, MessageRow, OperationRow, ConversationRow, StreamRow, ProjectRow, JudgeReadingRow, JudgePastRow,
    )
)  # fmt: skip
_ARCHIVED = (
    "SELECT p.id, p.at, p.conversation_id, s.session, s.app_id, s.project_id, a.name, j.name, j.path, p.is_imported, "
    "length(p.text), EXISTS (SELECT 1 FROM judge_reading r WHERE r.message_id = p.id) FROM archived_prompt p "
    "JOIN stream s ON s.id = p.stream_id JOIN project j ON j.id = s.project_id JOIN app a ON a.id = s.app_id "
    "WHERE p.at >= :since AND p.at <= :until"
)
_GONE = (
    select(
        _event.c.id, _event.c.app_id, _app.c.name.label("app"), _event.c.session, _event.c.at, _event.c.message_id,
        _event.c.is_imported, _event.c.key, _event.c.text_hash,
        or_(_reading.c.message_id.is_not(None), _past.c.event_id.is_not(None)).label("is_read"),
    )
    .select_from(
        _event.join(_app, _app.c.id == _event.c.app_id)
        .outerjoin(_message, _message.c.id == _event.c.message_id)
        .outerjoin(_reading, _reading.c.message_id == _event.c.message_id)
        .outerjoin(_past, _past.c.event_id == _event.c.id)
    )
    .where(
        _event.c.kind == "prompt",
        _event.c.state == "done",
        _message.c.id.is_(None),
        or_(_event.c.message_id.is_not(None), and_(_event.c.is_imported, _event.c.text_hash == WORDS_GONE)),
    )
)  # fmt: skip
_Place = tuple[int, str, int]  # app, session, instant


@dataclass(frozen=True, slots=True)
class PastRow:
    """A prompt that left. `number` stands for it in readings: its message's, else its event's below zero."""

    number: int
    marks: tuple[int, ...]  # all numbers that are read when it is
    app_id: int
    app: str
    project_id: int
    project: str
    path: str
    session: str
    at: datetime
    conversation_id: int
    is_imported: bool
    is_archived: bool
    event_id: int = 0  # none for one that is known from the archive alone
    key: str = ""  # of its event
    text_hash: str = WORDS_GONE
    characters: int = 0  # about

    @property
    def id(self) -> int:
        return self.number


def load_past(
    connection: Connection,
    *,
    project: str = "",
    since: datetime | None = None,
    until: datetime | None = None,
    has_archive: bool = True,
) -> list[PastRow]:
    """All of them, the newest first. `project`: by path or name."""
    first = -(2**62) if since is None else to_microseconds(since)
    last = 2**62 if until is None else to_microseconds(until)
    archived = _load_archived(connection, first, last) if has_archive else []
    gone = _load_gone(connection, since, until)
    numbers = {row.number for row, _is_read in archived}
    past = [row for row in gone if row.message_id not in numbers]
    events: dict[_Place, list[Any]] = {}
    for row in past:
        if row.message_id is None:  # its prompt may be in the archive, under a number of its own
            events.setdefault(_place_of(row), []).append(row)
    linked: set[int] = set()
    found: list[PastRow] = []
    for row, is_read in archived:
        same = events.get(_place_of(row), [])
        event = same.pop(0) if same else None
        linked |= {int(event.id)} if event is not None else set()
        if not is_read and not (event is not None and event.is_read):
            found.append(_with_event(row, event))
    undone = _taken_back(connection)
    talks = _SessionConversations(connection)
    for row in past:
        if row.is_read or row.id in linked or row.message_id in undone:
            continue
        talk = talks.find_left(row)
        if talk is not None:
            found.append(_of_event(row, talk))
    wanted = [row for row in found if not project or project in {row.path, row.project}]
    return sorted(wanted, key=lambda row: (row.at, row.number), reverse=True)


def load_seen_again(connection: Connection, event_ids: Iterable[int]) -> dict[int, list[str]]:
    """The keys under which a history brought the prompts of these events once more."""
    wanted = set(event_ids)
    if not wanted:
        return {}
    statement = select(_event.c.key, _event.c.payload).where(
        _event.c.state == "ignored", _event.c.kind == "prompt", _event.c.error == SEEN_AGAIN, _event.c.is_imported
    )
    found: dict[int, list[str]] = {}
    for row in connection.execute(statement):
        first = (row.payload or {}).get("same_as")
        if first in wanted:
            found.setdefault(first, []).append(row.key)
    return found


def never_read(connection: Connection, event_ids: Iterable[int]) -> None:
    """What was erased here is not read again from where it still stands."""
    for ids in slices(sorted(set(event_ids))):
        connection.execute(_past.delete().where(_past.c.event_id.in_(ids)))
        connection.execute(_past.insert(), [{"event_id": number, "request_id": 0} for number in ids])


def find_events_of_archived(connection: Connection, ids: Iterable[int]) -> set[int]:
    """The events of archived prompts that came by an import."""
    statement = (
        "SELECT e.id FROM archived_prompt p JOIN stream s ON s.id = p.stream_id JOIN event e ON e.app_id = s.app_id "
        "AND e.session = s.session AND e.at = p.at AND e.kind = 'prompt' WHERE p.id IN (SELECT value FROM json_each(:ids))"
    )
    return {int(row[0]) for row in fetch(connection, statement, {"ids": as_ids(ids)})}


def find_events_of_memories(connection: Connection, memory_ids: Iterable[int]) -> set[int]:
    """The events of the prompts in which these memories were said, whether their messages are still there or not."""
    statement = (
        "SELECT e.id FROM memory_source x JOIN conversation c ON c.id = x.conversation_id JOIN stream s ON s.id = c.stream_id "
        "JOIN event e ON e.app_id = s.app_id AND e.session = s.session AND e.at = x.at AND e.kind = 'prompt' "
        "WHERE x.memory_id IN (SELECT value FROM json_each(:ids))"
    )
    return {int(row[0]) for row in fetch(connection, statement, {"ids": as_ids(memory_ids)})}


def _load_archived(connection: Connection, first: int, last: int) -> list[tuple[PastRow, bool]]:
    """With whether it was read."""
    found: list[tuple[PastRow, bool]] = []
    for row in fetch(connection, _ARCHIVED, {"since": first, "until": last}):
        number, at, conversation_id, session, app_id, project_id, app, project, path, is_imported, size, is_read = row
        past = PastRow(
            number=number, marks=(number,), app_id=app_id, app=app, project_id=project_id, project=project, path=path,
            session=session, at=from_microseconds(at), conversation_id=conversation_id, is_imported=bool(is_imported),
            is_archived=True, characters=round(size * _PACKED_RATIO),
        )  # fmt: skip
        found.append((past, bool(is_read)))
    return found


def _load_gone(connection: Connection, since: datetime | None, until: datetime | None) -> list[Any]:
    statement = _GONE
    if since is not None:
        statement = statement.where(_event.c.at >= since)
    if until is not None:
        statement = statement.where(_event.c.at <= until)
    return list(connection.execute(statement.order_by(_event.c.id)).all())


def _place_of(row: Any) -> _Place:
    return (int(row.app_id), str(row.session), to_microseconds(row.at))


def _with_event(row: PastRow, event: Any) -> PastRow:
    """An archived prompt of an imported history has a number of its own: its event is read with it."""
    if event is None:
        return row
    marks = (row.number, -int(event.id))
    return replace(row, marks=marks, event_id=int(event.id))


def _of_event(row: Any, talk: Any) -> PastRow:
    number = -int(row.id) if row.message_id is None else int(row.message_id)
    return PastRow(
        number=number, marks=(number,), app_id=int(row.app_id), app=str(row.app), project_id=int(talk.project_id),
        project=str(talk.project), path=str(talk.path), session=str(row.session), at=row.at, conversation_id=int(talk.id),
        is_imported=bool(row.is_imported), is_archived=False, event_id=int(row.id), key=str(row.key),
        text_hash=str(row.text_hash),
    )  # fmt: skip


def _taken_back(connection: Connection) -> set[int]:
    """Messages whose capture was undone: they did not leave by time."""
    statement = select(_operation.c.message_id).where(
        _operation.c.kind == "capture", _operation.c.undone_by_id.is_not(None), _operation.c.message_id.is_not(None)
    )
    return set(connection.execute(statement).scalars())


class _SessionConversations:
    """The conversations of each session by when they began."""

    def __init__(self, connection: Connection) -> None:
        statement = select(
            _conversation.c.id, _conversation.c.state, _conversation.c.started_at, _stream.c.app_id, _stream.c.session,
            _stream.c.project_id, _project.c.name.label("project"), _project.c.path,
        ).select_from(
            _conversation.join(_stream, _stream.c.id == _conversation.c.stream_id).join(
                _project, _project.c.id == _stream.c.project_id
            )
        )  # fmt: skip
        self._of: dict[tuple[int, str], list[Any]] = {}
        for row in connection.execute(statement.order_by(_conversation.c.started_at, _conversation.c.id)):
            self._of.setdefault((row.app_id, row.session), []).append(row)

    def find_left(self, event: Any) -> Any | None:
        """The conversation in which it was typed, when it has left the queue."""
        talks = self._of.get((event.app_id, event.session), [])
        place = bisect_right(talks, event.at, key=lambda row: row.started_at)
        talk = talks[place - 1] if place else None
        return talk if talk is not None and talk.state == "evicted" else None
