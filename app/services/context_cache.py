"""What every context of a project needs and few acts change: what is pinned, whether anything is shared, the newest memories.

Derived, kept in memory, brought up to date by the numbers that a commit announces. Thread-safe. Source: QUALITY P2.
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from app.services.context_sources import background_candidate, is_convention
from app.services.placements import load_placements
from app.store.context_rows import ToldRow, load_flags, load_newest_rows
from app.store.store import Store
from app.values import Changes, ContextCandidate, DataKind, Placement

_NEWEST_READ = 300
_CONVENTIONS_KEPT, _OTHERS_KEPT = 60, 30
_PROJECTS_KEPT = 16


@dataclass(frozen=True, slots=True)
class Background:
    """What is told of a project whatever the task, as far as there is room; how often each topic stands in its memories."""

    candidates: Mapping[int, ContextCandidate]
    rows: Mapping[int, ToldRow]
    topics: Mapping[str, int]
    topic_of: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Pending:
    """What was announced since the last look; None: everything may have changed."""

    ids: frozenset[int] | None


class ContextCache:
    """Call `take` before the reading snapshot is opened: what is announced later is for the next one."""

    def __init__(self, store: Store) -> None:
        self._lock = threading.Lock()
        self._changed: set[int] | None = None
        self._pinned: set[int] = set()
        self._shared: set[int] = set()
        self._placements: dict[int, Placement] = {}
        self._backgrounds: OrderedDict[int | None, Background] = OrderedDict()
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
        return Pending(None if taken is None else frozenset(taken))

    def refresh(self, connection: Connection, pending: Pending) -> None:
        """Reads again what was announced."""
        if pending.ids is not None and not pending.ids:
            return
        flags = load_flags(connection, pending.ids)
        placements = load_placements(connection, pending.ids)
        with self._lock:
            self._backgrounds.clear()
            if pending.ids is None:
                self._pinned.clear()
                self._shared.clear()
                self._placements = {}
            gone = pending.ids or frozenset()
            self._pinned -= gone
            self._shared -= gone
            self._placements = {key: one for key, one in self._placements.items() if key not in gone} | placements
            self._pinned.update(one for one, is_pinned, _ in flags if is_pinned)
            self._shared.update(one for one, _, is_shared in flags if is_shared)

    @property
    def pinned(self) -> tuple[int, ...]:
        with self._lock:
            return tuple(sorted(self._pinned))

    @property
    def placements(self) -> Mapping[int, Placement]:
        """How a person wants memories told."""
        return self._placements

    @property
    def has_shared(self) -> bool:
        """Anything belongs to no project, or may be told beyond its own."""
        return bool(self._shared)

    def background(self, connection: Connection, project_id: int | None, now: int) -> Background:
        with self._lock:
            found = self._backgrounds.get(project_id)
        if found is None:
            found = _make_background(load_newest_rows(connection, project_id, now, _NEWEST_READ))
            with self._lock:
                self._backgrounds[project_id] = found
                while len(self._backgrounds) > _PROJECTS_KEPT:
                    self._backgrounds.popitem(last=False)
        return found


def _make_background(rows: list[ToldRow]) -> Background:
    conventions = [row for row in rows if is_convention(row)][:_CONVENTIONS_KEPT]
    others = [row for row in rows if not is_convention(row)][:_OTHERS_KEPT]
    kept = {row.id: row for row in [*conventions, *others]}
    return Background(
        candidates={key: background_candidate(row) for key, row in kept.items()},
        rows=kept,
        topics=Counter(row.topic for row in rows),
        topic_of={row.id: row.topic for row in rows},
    )
