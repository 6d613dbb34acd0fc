"""What every context of a project needs and few acts change: what is pinned, whether anything is shared, the newest memories.

Derived, kept in memory, brought up to date by the numbers that a commit announces. Thread-safe. Source: QUALITY P2.
"""

import sys
import threading
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from operator import itemgetter

from sqlalchemy import Connection

from app.context.sources import background_candidate, is_convention
from app.memories.placements import load_placements
from app.store.rows.context import CandidateRow, NewRow, load_flags, load_new_rows, load_newest_rows
from app.store.rows.practice import Offered, load_offered
from app.store.store import Store
from app.values import Changes, ContextCandidate, DataKind, Placement

_NEWEST_READ, _MOST_READ = 300, 400  # the rest stands by for those that are put away
_PLACE = itemgetter(0, 1)  # among the newest: when it was changed, its number
_CONVENTIONS_KEPT, _OTHERS_KEPT = 120, 160  # some 8,000 tokens
_CONVENTIONS_OF_FEW, _OTHERS_OF_FEW = 60, 30
_PROJECTS_KEPT = 16


@dataclass(frozen=True, slots=True)
class ProjectBackground:
    """What is given of a project whatever the task, if there is room; and how many of its memories are about each topic."""

    candidates: Mapping[int, ContextCandidate]
    few: Mapping[int, ContextCandidate]  # enough of them beside many hits
    rows: Mapping[int, CandidateRow]
    topics: Mapping[str, int]
    topic_of: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class _Newest:
    """The newest memories of a project; what changes among them is read alone."""

    rows: tuple[NewRow, ...]  # newest first
    is_all: bool  # the project has no others
    stays_until: int  # then one of them begins or ceases to hold
    background: ProjectBackground

    def changed(self, connection: Connection, ids: AbstractSet[int], project_id: int, now: int) -> "_Newest | None":
        """The same after these memories changed; None when others may have moved up."""
        if now >= self.stays_until:
            return None
        if not ids:
            return self
        new = load_new_rows(connection, ids, project_id, now)
        rows = [row for row in self.rows if row.id not in ids]
        if not new and len(rows) == len(self.rows):
            return self
        rows += new
        rows.sort(key=_PLACE, reverse=True)
        if not self.is_all:
            oldest = _PLACE(self.rows[-1])
            rows = [row for row in rows if _PLACE(row) >= oldest]
            if len(rows) < _NEWEST_READ:
                return None
        is_all = self.is_all and len(rows) <= _MOST_READ
        return _make_newest(rows[:_MOST_READ], now, is_all=is_all, before=self.background)


@dataclass(frozen=True, slots=True)
class Pending:
    """What was announced since the last look; None: everything may have changed."""

    ids: frozenset[int] | None
    number: int = 0  # of the look: a later one may have seen more


class ContextCache:
    """Call `take` before the reading snapshot is opened: what is announced later is for the next one."""

    def __init__(self, store: Store) -> None:
        self._lock = threading.Lock()
        self._changed: set[int] | None = None
        self._look_count = self._newest_look = 0
        self._pinned: set[int] = set()
        self._shared: set[int] = set()
        self._placements: dict[int, Placement] = {}
        self._practices: dict[int, Offered] = {}
        self._newest: OrderedDict[int, _Newest] = OrderedDict()
        self._changed_since: dict[int, set[int]] = {}  # project → memories that changed since its newest were read
        store.subscribe(self._on_changes)

    def _on_changes(self, changes: Changes) -> None:
        if DataKind.MEMORIES not in changes.kinds:
            return
        ids = changes.ids.get(DataKind.MEMORIES, ())
        with self._lock:
            if not ids:
                self._changed = None
            elif self._changed is not None and changes.seq > 0:  # else only a use was counted
                self._changed.update(ids)

    def take(self) -> Pending:
        with self._lock:
            taken, self._changed = self._changed, set()
            self._look_count += 1
            return Pending(None if taken is None else frozenset(taken), self._look_count)

    def refresh(self, connection: Connection, pending: Pending) -> None:
        """Reads again what was announced."""
        if pending.ids is not None and not pending.ids:
            return
        flags = load_flags(connection, pending.ids)
        placements = load_placements(connection, pending.ids)
        practices = {one.id: one for one in load_offered(connection, pending.ids)}
        with self._lock:
            if pending.ids is None:
                self._newest.clear()
                self._pinned.clear()
                self._shared.clear()
                self._placements = {}
                self._practices = {}
            for changed in self._changed_since.values():
                changed.update(pending.ids or ())
            self._newest_look = max(self._newest_look, pending.number)
            gone = pending.ids or frozenset()
            self._pinned -= gone
            self._shared -= gone
            self._placements = {key: one for key, one in self._placements.items() if key not in gone} | placements
            self._practices = {key: one for key, one in self._practices.items() if key not in gone} | practices
            self._pinned.update(one for one, is_pinned, _ in flags if is_pinned)
            self._shared.update(one for one, _, is_shared in flags if is_shared)

    @property
    def pinned(self) -> tuple[int, ...]:
        with self._lock:
            return tuple(sorted(self._pinned))

    @property
    def placements(self) -> Mapping[int, Placement]:
        """How a person wants memories given."""
        return self._placements

    def practices(self, project_id: int | None) -> list[Offered]:
        """Workflows and code patterns in use of the project and of none, the newest first."""
        known = self._practices
        own = [one for one in known.values() if one.project_id in {project_id, None}] if known else []
        return sorted(own, key=lambda one: -one.id)

    @property
    def has_shared(self) -> bool:
        """Anything belongs to no project, or may be given beyond its own."""
        return bool(self._shared)

    def background(
        self, connection: Connection, project_id: int | None, pending: Pending, now: int
    ) -> ProjectBackground:
        """In the snapshot of `connection`, which was opened after `pending` was taken."""
        if project_id is None:
            return _NOTHING
        with self._lock:
            is_late = pending.number < self._newest_look  # what this snapshot lacks may be among what is known
            known = None if is_late else self._newest.get(project_id)
            changed = set() if is_late else self._changed_since.pop(project_id, set())
        found = known.changed(connection, changed, project_id, now) if known is not None else None
        if found is None:
            rows = load_newest_rows(connection, project_id, now, _MOST_READ)
            found = _make_newest(rows, now, is_all=len(rows) < _MOST_READ)
        self._keep(project_id, found, pending.number)
        return found.background

    def _keep(self, project_id: int, found: _Newest, look: int) -> None:
        with self._lock:
            if look < self._newest_look:  # others have seen more meanwhile
                self._newest.pop(project_id, None)
                return
            self._newest[project_id] = found
            self._changed_since.setdefault(project_id, set())
            while len(self._newest) > _PROJECTS_KEPT:
                self._changed_since.pop(self._newest.popitem(last=False)[0], None)


_NOTHING = ProjectBackground({}, {}, {}, {}, {})


def _make_newest(found: Sequence[NewRow], now: int, *, is_all: bool, before: ProjectBackground = _NOTHING) -> _Newest:
    """`before`: what was made of most of these already."""
    turns = [row.valid_from for row in found if row.valid_from > now]
    rows = [row.row for row in found if row.valid_from <= now][:_NEWEST_READ]
    turns += [row.valid_to for row in rows if row.valid_to is not None]
    return _Newest(tuple(found), is_all, min(turns, default=sys.maxsize), _make_background(rows, before))


def _make_background(rows: Sequence[CandidateRow], before: ProjectBackground) -> ProjectBackground:
    known = before.rows
    sorts: tuple[list[CandidateRow], list[CandidateRow]] = ([], [])
    for row in rows:
        sorts[is_convention(row)].append(row)
    conventions, others = sorts[True][:_CONVENTIONS_KEPT], sorts[False][:_OTHERS_KEPT]
    kept = {row.id: row for row in [*conventions, *others]}
    few = [*conventions[:_CONVENTIONS_OF_FEW], *others[:_OTHERS_OF_FEW]]
    topics = {row.id: row.topic for row in rows}
    candidates = {
        key: before.candidates[key] if known.get(key) is row else background_candidate(row) for key, row in kept.items()
    }
    return ProjectBackground(
        candidates=candidates,
        few={row.id: candidates[row.id] for row in few},
        rows=kept,
        topics=Counter(topics.values()),
        topic_of=topics,
    )
