"""Memories as plans see them: plain values that another process can be handed, and how long they went unused.

Time is counted in days of work: days on which something was said in the memory's project. A machine that is off, a project that rests
and a clock that jumps count nothing. Knows no step. Source: S3 "Decay", QUALITY R7.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection

from app.store.rows import consolidation as rows
from app.values import FactType, Slot, Trust
from app.values.fast_values import maker

_DAY_S = 86_400
_LOOK_UP_ROWS = 200


@dataclass(frozen=True, slots=True)
class MemoryFacts:
    """One memory in use."""

    id: int
    kind: str
    type: str
    text: str
    slot: Slot | None
    value: str
    is_negated: bool
    text_key: str
    project_id: int | None
    visibility: str
    importance: float
    confidence: float
    trust: int
    worth: int | None
    is_pinned: bool
    is_closed: bool
    valid_to: datetime | None
    recorded_at: datetime
    used_at: datetime  # last given and not ignored, cited or said; else when it was learned
    retrieved_count: int
    cited_count: int
    ignored_count: int
    times_said: int
    tokens: tuple[int, int, int]  # full, summary, compressed
    given_level: str

    @property
    def use_count(self) -> int:
        """Uses that count for its weight: what was given and then ignored was none."""
        return self.cited_count + max(0, self.retrieved_count - self.ignored_count)

    @property
    def is_kept(self) -> bool:
        """Never forgotten, merged away or shortened unasked: pinned, confirmed, or said at least three times."""
        return self.is_pinned or self.trust >= Trust.CONFIRMED or self.times_said >= _SAID_OFTEN

    @property
    def fact_type(self) -> FactType | None:
        return FactType(self.type) if self.type else None


_make_facts = maker(MemoryFacts)  # ten thousand in a run
_SAID_OFTEN = 3


def facts_of(row: Any, now: datetime) -> MemoryFacts:
    """From a row of `run_rows.load_facts`."""
    used_at = row.used_at if row.noted_count else row.last_accessed_at  # of what came by import no use is noted
    uses = [one for one in (used_at, row.said_at) if one is not None]
    return _make_facts(
        id=row.id, kind=row.kind, type=row.type, text=row.full,
        slot=Slot(row.subject, row.key, row.scope) if row.slot_key else None,
        value=row.value, is_negated=bool(row.is_negated), text_key=row.text_key, project_id=row.project_id,
        visibility=row.visibility, importance=row.importance, confidence=row.confidence, trust=row.trust,
        worth=row.worth, is_pinned=bool(row.is_pinned), is_closed=row.valid_to is not None and row.valid_to <= now,
        valid_to=row.valid_to, recorded_at=row.recorded_at, used_at=max([row.recorded_at, *uses]),
        retrieved_count=row.retrieved_count, cited_count=row.cited_count, ignored_count=row.ignored_count,
        times_said=row.times_said or 0, tokens=(row.full_tokens, row.summary_tokens, row.compressed_tokens),
        given_level=row.given_level,
    )  # fmt: skip


def load_memories(
    connection: Connection, now: datetime, ids: Iterable[int] | None = None, go_on: Callable[[], None] = lambda: None
) -> tuple[MemoryFacts, ...]:
    """Those in use, closed ones among them; all, or these. `go_on` is called now and then, and may raise."""
    found = []
    for place, row in enumerate(rows.load_facts(connection, ids)):
        if place % _LOOK_UP_ROWS == 0:
            go_on()
        found.append(facts_of(row, now))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class WorkDays:
    """On which days something was said, by project; days are counted from 1970, UTC."""

    by_project: Mapping[int, tuple[int, ...]]
    all: tuple[int, ...]

    def since(self, at: datetime, project_id: int | None) -> int:
        """Days of work after that day, in the project, or anywhere for what belongs to none.

        >>> from datetime import UTC
        >>> days = WorkDays({7: (20_000, 20_001)}, (20_000, 20_001, 20_005))
        >>> at = datetime(2024, 10, 4, tzinfo=UTC)
        >>> days.since(at, 7), days.since(at, None), days.since(at, 8)
        (1, 2, 0)
        """
        days = self.all if project_id is None else self.by_project.get(project_id, ())
        return len(days) - bisect_right(days, int(at.timestamp()) // _DAY_S)

    def edge(self, count: int, project_id: int | None) -> datetime | None:
        """`since` is at least `count` (1 or more) of instants before this one, and of no other; None: of no instant.

        >>> days = WorkDays({7: (20_000, 20_001)}, (20_000, 20_001, 20_005))
        >>> days.edge(2, None).date(), days.edge(1, 7).date(), days.edge(3, 7)
        (datetime.date(2024, 10, 5), datetime.date(2024, 10, 5), None)
        """
        days = self.all if project_id is None else self.by_project.get(project_id, ())
        return datetime.fromtimestamp(days[-count] * _DAY_S, UTC) if len(days) >= count else None


def find_aged(connection: Connection, work_days: WorkDays, least_days: int) -> list[int]:
    """Numbers of those in use since whose recording so many days of work have gone; pinned and confirmed ones left out."""
    edges: dict[int | None, datetime | None] = {None: work_days.edge(least_days, None)}
    edges |= {one: work_days.edge(least_days, one) for one in work_days.by_project}
    latest = max((one for one in edges.values() if one is not None), default=None)
    if latest is None:
        return []
    found = rows.find_unkept(connection, latest)
    return [number for number, project, at in found if (edge := edges.get(project)) is not None and at < edge]


def load_work_days(connection: Connection, now: datetime) -> WorkDays:
    """Days later than today, by the clock as it is, are none."""
    today = int(now.timestamp()) // _DAY_S
    found: dict[int, set[int]] = {}
    for project_id, day in rows.load_days(connection):
        if day <= today:
            found.setdefault(project_id, set()).add(day)
    return WorkDays(
        {one: tuple(sorted(days)) for one, days in found.items()}, tuple(sorted(set().union(*found.values())))
    )
