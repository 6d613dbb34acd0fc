"""Contradictions: those that wait for the person, those that were resolved; the answer to one, and the way back.

Owns that only the person decides and that each answer is one operation with one undo. Source: S4, DESIGN section 6, UX 4.7.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from app.actor import actor
from app.api.clean_arguments import cleans_arguments
from app.api.core import Core
from app.contradictions.listing import get_contradiction, group_open, list_contradictions
from app.contradictions.resolve import reopen_contradiction, resolve_all, resolve_contradiction
from app.errors import ForbiddenError, InvalidError, StaleError
from app.store.rows import contradiction as rows
from app.upkeep.daily_questions import load_today, note_shown
from app.upkeep.undo import undo
from app.values import Contradiction, ContradictionDetail, ContradictionGroup, Resolution, ResolutionRequest

_LISTED_MOST = 500
_FOR_SEVERAL = frozenset({Resolution.A_WINS, Resolution.B_WINS, Resolution.DISMISSED})
STATUSES = ("open", "resolved", "dismissed", "all")


@cleans_arguments
class Contradictions:
    """Thread-safe, synchronous."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self, status: str = "open", *, project: str = "", limit: int = 200) -> tuple[Contradiction, ...]:
        """Open ones by what they would change, then the others by when they were resolved, the newest first.

        `status`: open, resolved, dismissed, or all. Raises InvalidError for another word.
        """
        if status not in STATUSES:
            raise InvalidError(f"“{status}” is no status.", hint=f"One of: {', '.join(STATUSES)}.")
        if not 0 < limit <= _LISTED_MOST:
            raise InvalidError(f"At most {_LISTED_MOST} at a time.", hint="Ask for fewer.")
        now = self._core.clock.now()
        with self._core.store.read_for_caller() as connection:
            found = (
                list(rows.load_open(connection, now, project=project, limit=limit)) if status in {"open", "all"} else []
            )
            settled = {"resolved": ("resolved",), "dismissed": ("dismissed",), "all": ("resolved", "dismissed")}
            if status in settled:
                found += rows.load_settled(connection, settled[status], limit)
            return list_contradictions(connection, found[:limit], now)

    def get(self, contradiction_id: int) -> ContradictionDetail:
        """One with both sides whole, the suggestion, and what each answer would do. Raises NotFoundError."""
        now, half_life = self._core.clock.now(), self._core.current.decay_half_life_days
        return self._core.read(get_contradiction, contradiction_id, now, half_life)

    def groups(self, *, project: str = "", limit: int = 500) -> tuple[ContradictionGroup, ...]:
        """The open ones as questions, by what they would change: those that ask the same are one."""
        now = self._core.clock.now()
        with self._core.store.read_for_caller() as connection:
            grouped = group_open(connection, now, project=project, limit=limit)
            return _as_groups(connection, grouped, now)

    def todays(self, *, project: str = "") -> tuple[ContradictionGroup, ...]:
        """Those that are asked today, beside the questions about borders at most three; asking counts them as asked."""
        now = self._core.clock.now()
        with self._core.store.read_for_caller() as connection:
            today = load_today(connection, now)
            grouped = [
                one for one in group_open(connection, now, project=project) if one[0].id in today.contradiction_ids
            ]
            found = _as_groups(connection, grouped, now)
        note_shown(self._core.store, today.clarifications, [one.first.id for one in found])
        return found

    def settle(self, timeout_s: float) -> bool:
        """Looks at what was just learned without waiting for a rest; whether all was held against what is known in that time."""
        return self._core.scanner.wait_idle(timeout_s)

    def count_questions(self, *, project: str = "") -> int:
        """How many questions are open, alike ones counted once."""
        with self._core.store.read_for_caller() as connection:
            return len(group_open(connection, self._core.clock.now(), project=project))

    def count_open(self) -> int:
        return self._core.read(rows.count_open, self._core.clock.now())

    def resolve(self, contradiction_id: int, wanted: ResolutionRequest) -> Contradiction:
        """Carries out an answer, as one operation with one undo. Raises StaleError, InvalidError, NotFoundError."""
        self._check_person()
        clean = self._clean(wanted)
        self._core.act(
            "resolve_contradiction", resolve_contradiction, self._core.memory_curator, contradiction_id, clean
        )
        return self._one(contradiction_id)

    def resolve_alike(self, contradiction_ids: Sequence[int], wanted: ResolutionRequest) -> None:
        """The same answer to several that ask the same, as one operation with one undo; those that it leaves nothing to decide of
        stay as they are. Only that one side holds, or that there is no contradiction. Raises as `resolve` for the first.
        """
        self._check_person()
        if wanted.resolution not in _FOR_SEVERAL and len(contradiction_ids) > 1:
            raise InvalidError("This answer is for one at a time.", hint="Keep A, Keep B, or no contradiction.")
        clean = self._clean(wanted)
        self._core.act("resolve_contradiction", resolve_all, self._core.memory_curator, contradiction_ids, clean)

    def reopen(self, contradiction_id: int) -> Contradiction:
        """Open again: by undoing what resolved it where nothing came after, else by letting both sides hold."""
        self._check_person()
        done = self._core.read(rows.find_resolving, contradiction_id)
        if done is not None:
            try:
                undo(self._core.store, int(done.id))
            except StaleError:
                done = None
        if done is None:
            self._core.act("reopen_contradiction", reopen_contradiction, contradiction_id)
        return self._one(contradiction_id)

    def _one(self, contradiction_id: int) -> Contradiction:
        with self._core.store.read_for_caller() as connection:
            row = rows.load_one(connection, contradiction_id)
            return list_contradictions(connection, [row], self._core.clock.now())[0]

    def _clean(self, wanted: ResolutionRequest) -> ResolutionRequest:
        def clean(text: str) -> str:
            return self._core.inbox.clean_text(text, self._core.current)

        return replace(
            wanted,
            note=clean(wanted.note),
            text=clean(wanted.text),
            scope_a=clean(wanted.scope_a),
            scope_b=clean(wanted.scope_b),
        )

    @staticmethod
    def _check_person() -> None:
        who = actor()
        if who is not None and not who.is_admin:
            raise ForbiddenError(
                "Only the person decides which one holds.", hint="In the window, under Contradictions."
            )


def _as_groups(
    connection: Connection, grouped: Sequence[Sequence[Any]], now: datetime
) -> tuple[ContradictionGroup, ...]:
    listed = list_contradictions(connection, [row for group in grouped for row in group], now)
    known = {one.id: one for one in listed}
    seen = [[known[row.id] for row in group if row.id in known] for group in grouped]
    return tuple(ContradictionGroup(one[0], tuple(one[1:])) for one in seen if one)
