"""The quiet thread that compares what was just learned with what is known: candidates, then a verdict, then perhaps a contradiction.

Where a judge may be asked, pairs wait unseen for its verdict, in batches; where it is off the rules decide at once, and where it gives
no answer for a day they decide then. Nothing on the way of a prompt waits for it. Knows no adapter. Source: S4 "Contradiction
Scanner", DESIGN section 2.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from app.capture.exclusion import Exclusions
from app.capture.priority import PriorityGate
from app.contradictions.finding import CandidateCache, FoundPair, find_pairs, judge_by_rules, pair_of
from app.contradictions.listing import Dismissed
from app.deciders.memory.contradictions.compare import read_strictness
from app.deciders.memory.contradictions.detection import declares_change
from app.deciders.memory.rules import MemoryRules
from app.errors import RemanenceError
from app.judge.adapter import JudgeCancelledError, JudgeError
from app.judge.registry import find_adapter
from app.judge.tasks import ContradictionsRequest, Pair, PairVerdict, Verdict
from app.language.likeness import content_words, text_key
from app.memories.learn import close_memory, note_contradiction
from app.memories.merge import merge_memories
from app.settings import Settings
from app.store.rows import pair_check as rows
from app.store.rows.project import project_paths
from app.store.store import Store
from app.store.visibility import is_unconfirmed, load_never_given
from app.understanding.judge.apply import is_persons_own
from app.understanding.judge.worker import JudgeWorker
from app.understanding.message_rows import AnyRow
from app.upkeep.energy import Energy
from app.values import Changes, DataKind, Likeness, MemoryStatus, Origin
from app.values.energy import Work

IsExcluded = Callable[[Iterable[str], Iterable[str]], bool]


@dataclass(frozen=True, slots=True)
class SentMemory:
    """What of a memory decides whether it may be sent. `path`: the folder of its project, "" for none."""

    id: int
    text: str
    status: str
    trust: int
    path: str = ""


def may_be_sent(sides: Sequence[SentMemory], withheld: Collection[int], is_excluded: IsExcluded) -> bool:
    """Whether both sides may be said to a judge. `is_excluded`: whether a rule of the person names one of the places or texts.

    >>> typed, read = SentMemory(1, "Use tabs.", "active", 2), SentMemory(2, "Use spaces.", "proposed", 0)
    >>> may_be_sent([typed], (), lambda places, texts: False), may_be_sent([typed, read], (), lambda places, texts: False)
    (True, False)
    """
    if any(
        one.id in withheld or not (one.status == MemoryStatus.ACTIVE or is_unconfirmed(one.status, one.trust))
        for one in sides
    ):
        return False
    return not is_excluded([one.path for one in sides if one.path], [one.text for one in sides])


def may_merge(older: AnyRow, newer: AnyRow) -> bool:
    """Whether two that say the same become one without being asked: both in use, trusted alike, said as strictly ("must", "may"), and
    nothing of them is the person's own."""
    is_alike = (older.trust, older.project_id, older.visibility) == (newer.trust, newer.project_id, newer.visibility)
    is_in_use = all(one.status == MemoryStatus.ACTIVE for one in (older, newer))
    is_as_strict = read_strictness(older.full) == read_strictness(newer.full)
    return is_alike and is_in_use and is_as_strict and not (is_persons_own(older) or is_persons_own(newer))


_log = logging.getLogger(__name__)
_SETTLE_S = 10.0  # of rest after the last thing learned: behind everything, and several at once
_ROUND_S = 30.0
_QUEUE_MOST = 400  # of an import the rest comes by a run, which holds some and leaves the others to `hold_later`
_HELD_MOST = 5_000  # numbers and hashes, some 1 MB; a run comes after some dozens
_AT_ONCE = 20
_BATCH_PAIRS, _BATCH_LEAST = 25, 10
_WAIT_S = 120.0  # for more pairs to come
_AFTER_FAILURE_S = 300.0
_RULES_AFTER = timedelta(hours=24)
_JUDGED = 0.9


@dataclass(frozen=True, slots=True)
class _FoundContradiction:
    """A contradiction that is to be kept."""

    a_id: int
    b_id: int
    a_key: str
    b_key: str
    likeness: Likeness
    judged_by: str = "rules"
    holds: str = ""
    app: str = ""


class Scanner:
    """Thread-safe. `start` and `stop` belong to the engine."""

    def __init__(
        self,
        store: Store,
        settings: Callable[[], Settings],
        rules: Callable[[], MemoryRules],
        find_alike: Callable[..., Sequence[int]],
        judge: JudgeWorker,
        excluded: Exclusions,
        gate: PriorityGate,
        energy: Energy,
    ) -> None:
        self._store, self._settings, self._rules = store, settings, rules
        self._find_alike, self._judge, self._excluded, self._gate = find_alike, judge, excluded, gate
        self._energy = energy
        self._condition = threading.Condition()
        self._ids: dict[int, None] = {}
        self._held: dict[int, str] = {}  # memory → hash of the text that was held against what is known since the start
        self._left = (0, 0)  # the memories between these numbers wait until nothing newer does; kept over a restart
        self._is_stopping = False
        self._is_busy = self._is_hurried = False
        self._changed_at_s = 0.0
        self._new_at_s = 0.0
        self._failed_at_s = -_AFTER_FAILURE_S
        self._thread: threading.Thread | None = None
        self._unsubscribe: Callable[[], None] = lambda: None

    def start(self) -> None:
        with self._store.read() as connection:
            self._left = rows.load_left(connection)
        self._unsubscribe = self._store.subscribe(self._on_changes)
        self._thread = threading.Thread(target=self._run, name="remanence-contradictions", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._unsubscribe()
        with self._condition:
            self._is_stopping = True
            self._condition.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _on_changes(self, changes: Changes) -> None:
        if DataKind.MEMORIES not in changes.kinds or not changes.operation_id:
            return  # what is counted changes no text
        with self._condition:
            for number in changes.ids.get(DataKind.MEMORIES, ()):
                self._held.pop(int(number), None)
                if len(self._ids) < _QUEUE_MOST:
                    self._ids.setdefault(int(number))
            self._changed_at_s = time.monotonic()
            self._condition.notify_all()

    def hold_later(self, ids: Sequence[int]) -> None:
        """Leaves these to the quiet, the newest first."""
        if not ids:
            return
        with self._condition:
            first, end = self._left
            self._left = (min(ids), max(ids) + 1) if first >= end else (min(first, *ids), max(end, max(ids) + 1))
            self._condition.notify_all()
        self._write_left_down()

    def _write_left_down(self) -> None:
        with self._store.write_log() as connection:
            rows.save_left(connection, *self._left)

    @property
    def _is_waiting(self) -> bool:
        return bool(self._ids) or self._left[0] < self._left[1]

    def has_held(self, memory_id: int, text_key: str) -> bool:
        """Whether this text of a memory was held against what is known, and nothing of it changed since."""
        return self._held.get(memory_id) == text_key

    def wait_idle(self, timeout_s: float) -> bool:
        """Looks at what was learned now, without waiting for a rest; whether all was looked at within that time."""
        with self._condition:
            self._is_hurried = True
            self._condition.notify_all()
            try:
                return self._condition.wait_for(lambda: not self._is_waiting and not self._is_busy, timeout=timeout_s)
            finally:
                self._is_hurried = False

    def _rest_s(self) -> float:
        """How long it is to wait until what was learned may be looked at."""
        if self._is_hurried and self._is_waiting:
            return 0.0
        return max(0.0, self._changed_at_s + _SETTLE_S - time.monotonic()) if self._is_waiting else _ROUND_S

    def _run(self) -> None:
        looked_at_s = time.monotonic()
        while True:
            with self._condition:
                while not self._is_stopping and (rest_s := self._rest_s()) > 0:
                    if not self._is_waiting and time.monotonic() - looked_at_s >= _ROUND_S:
                        break
                    self._condition.wait(timeout=rest_s)
                if self._is_stopping:
                    return
                ids = [self._ids.popitem()[0] for _ in range(min(_AT_ONCE, len(self._ids)))]
                self._is_busy = True
            looked_at_s = time.monotonic()
            try:
                self._work(ids)
            except RemanenceError as error:  # a store that closes, a full disk: looked at again with the next run
                _log.warning("Contradictions were not looked for: %s", error)
            finally:
                with self._condition:
                    self._is_busy = False
                    self._condition.notify_all()

    def _work(self, ids: Sequence[int]) -> None:
        self._gate.yield_to_foreground()
        with self._energy.spends(Work.CONTRADICTIONS):
            self.scan(ids) if ids else self._scan_left()
            self.decide_waiting()

    def _scan_left(self) -> None:
        """Some of what was left for later."""
        with self._condition:
            first, end = self._left
        if first >= end:
            return
        with self._store.read() as connection:
            ids = rows.newest_between(connection, first, end, _AT_ONCE)
        self.scan(ids)
        with self._condition:
            if self._left[1] == end:  # nothing newer was left meanwhile
                self._left = self._left[0], min(ids, default=self._left[0])
        self._write_left_down()

    # candidates -----------------------------------------------------------------------------------------------

    def scan(self, ids: Sequence[int]) -> int:
        """Holds these memories against what is known; returns how many contradictions opened at once."""
        rules, found = self._rules(), list[_FoundContradiction]()
        waiting: list[dict[str, Any]] = []
        with self._store.read() as connection:
            memories = rows.load_live(connection, ids)
            view, dismissed = CandidateCache(dict(memories)), Dismissed(connection)
            hidden = load_never_given(connection) if memories else frozenset()
            paths = project_paths(connection)
            for memory in memories.values():
                self._gate.yield_to_foreground()
                checks = rows.load_checks(connection, memory.id)
                for pair in find_pairs(connection, memory, self._find_alike, rules, view):
                    kept = checks.get((pair.a.id, pair.b.id))
                    if kept is not None and (kept.a_key, kept.b_key) == (pair.a.text_key, pair.b.text_key):
                        continue
                    if dismissed.holds(pair.a, pair.b):
                        continue  # the person has answered it
                    sides = [_side_of(one, paths) for one in (pair.a, pair.b)]
                    if self._is_asking and may_be_sent(sides, hidden, self._excluded.excludes):
                        waiting.append(_waiting_row(pair, self._store))
                    elif (likeness := judge_by_rules(pair, rules)) is not None:
                        found.append(_found_by_rules(pair, likeness))
        if waiting:
            self._new_at_s = time.monotonic()
            with self._store.write_log() as connection:
                rows.add_waiting(connection, _each_once(waiting))
        opened = self._keep(found)
        with self._condition:  # what changed meanwhile waits again
            self._held |= {one.id: one.text_key for one in memories.values() if one.id not in self._ids}
            while len(self._held) > _HELD_MOST:
                del self._held[next(iter(self._held))]
        return opened

    @property
    def _is_asking(self) -> bool:
        settings = self._settings()
        return settings.judge != "off" and settings.is_learning_memories

    def _may_be_sent(self, listed: Sequence[AnyRow]) -> list[AnyRow]:
        """Those of the pairs that wait whose two sides may be said to a judge as things are now."""
        with self._store.read() as connection:
            hidden = load_never_given(connection)
        return [row for row in listed if may_be_sent(_sides_of(row), hidden, self._excluded.excludes)]

    # verdicts -------------------------------------------------------------------------------------------------

    def decide_waiting(self, *, at_once: bool = False) -> int:
        """Asks for the pairs that wait, when there are enough of them or none came for a while; returns how many opened."""
        with self._store.read() as connection:
            listed = rows.load_waiting(connection, _BATCH_PAIRS)
        if not listed:
            return 0
        stale = [row for row in listed if not row.is_live or (row.a_now, row.b_now) != (row.a_key, row.b_key)]
        if stale:
            with self._store.write_log() as connection:
                rows.drop_checks(connection, [row.id for row in stale])
        live = [row for row in listed if row not in stale]
        sendable = self._may_be_sent(live)
        by_rules = [row for row in live if row not in sendable or self._is_overdue(row)]
        opened = self._decide_by_rules(by_rules)
        asked = [row for row in live if row not in by_rules]
        rests = time.monotonic() - self._new_at_s > _WAIT_S
        if asked and (at_once or rests or len(asked) >= _BATCH_LEAST):
            opened += self._ask(asked, at_once=at_once)
        return opened

    def _is_overdue(self, row: AnyRow) -> bool:
        """Where nobody is asked any more, or no answer came for a day, the rules decide."""
        if not self._is_asking or find_adapter(self._settings(), row.app) is None:
            return True
        return bool(self._store.clock.now() - row.found_at >= _RULES_AFTER)

    def _decide_by_rules(self, listed: Sequence[AnyRow]) -> int:
        if not listed:
            return 0
        found: list[_FoundContradiction] = []
        with self._store.read() as connection:
            memories = rows.load_live(connection, [one for row in listed for one in (row.memory_a_id, row.memory_b_id)])
        for row in listed:
            a, b = memories.get(row.memory_a_id), memories.get(row.memory_b_id)
            likeness = judge_by_rules(pair_of(a, b), self._rules()) if a is not None and b is not None else None
            if a is not None and b is not None and likeness is not None:
                found.append(_found_by_rules(pair_of(a, b), likeness))
        with self._store.write_log() as connection:
            for row in listed:
                is_one = any((one.a_id, one.b_id) == (row.memory_a_id, row.memory_b_id) for one in found)
                said = {"verdict": "contradict" if is_one else "compatible", "judged_by": "rules"}
                rows.settle(connection, row.id, said | {"judged_at": self._store.clock.now()})
        return self._keep(found)

    def _ask(self, listed: Sequence[AnyRow], *, at_once: bool) -> int:
        """One request for the pairs of one app and project."""
        if not at_once and time.monotonic() - self._failed_at_s < _AFTER_FAILURE_S:
            return 0
        first = listed[0]
        asked = [row for row in listed if (row.app, row.project_id) == (first.app, first.project_id)]
        request = ContradictionsRequest(
            tuple(Pair(f"p{row.id}", row.a_text, row.b_text, row.a_at, row.b_at, row.scope) for row in asked)
        )
        try:
            answer = self._judge.ask(request, app=first.app, project_id=first.project_id or 0, app_id=first.app_id or 0)
        except (JudgeError, JudgeCancelledError, RemanenceError) as error:
            self._failed_at_s = time.monotonic()
            _log.info("No verdict on %d pairs: %s", len(asked), error)
            return 0
        by_id = {one.id: one for one in answer.found}
        asked = self._may_be_sent(asked)  # what was excluded meanwhile is left to the rules
        adapter = find_adapter(self._settings(), first.app)
        name = first.app if adapter is None or adapter.name in {first.app, "same"} else adapter.name
        rules = self._rules()
        found = [_found_by_judge(row, by_id[f"p{row.id}"], name) for row in asked if f"p{row.id}" in by_id]
        with self._store.write_log() as connection:
            for row in asked:
                verdict = by_id.get(f"p{row.id}")
                if verdict is not None:
                    rows.settle(
                        connection, row.id, _settled(row, verdict, name, rules) | {"judged_at": self._store.clock.now()}
                    )
        said_twice = [
            row
            for row in asked
            if (verdict := by_id.get(f"p{row.id}")) is not None and verdict.verdict is Verdict.DUPLICATE
        ]
        self._merge(said_twice, name)
        return self._keep([one for one in found if one is not None])

    def _merge(self, listed: Sequence[AnyRow], name: str) -> None:
        """What a judge calls the same becomes one memory in the newer words, said wherever one of them was; each is one Undo."""
        for row in listed:
            with self._store.write(origin=Origin.ENGINE, kind="judge", label="") as write:
                memories = rows.load_live(write.connection, (row.memory_a_id, row.memory_b_id))
                older, newer = memories.get(row.memory_a_id), memories.get(row.memory_b_id)
                if older is None or newer is None or (older.text_key, newer.text_key) != (row.a_key, row.b_key):
                    continue
                if may_merge(older, newer):
                    merge_memories(write, [older.id, newer.id], "", newer.id)
                    write.label = f"{write.label}: {name} reads the same in both"

    # keeping --------------------------------------------------------------------------------------------------

    def _keep(self, found: Sequence[_FoundContradiction]) -> int:
        """Opens those whose texts still stand; what the newer one itself declares is closed, one click to reverse."""
        if not found:
            return 0
        kept = 0
        with self._store.write(origin=Origin.ENGINE, kind="find_contradictions", label="") as write:
            dismissed = Dismissed(write.connection)
            for one in found:
                memories = rows.load_live(write.connection, (one.a_id, one.b_id))
                a, b = memories.get(one.a_id), memories.get(one.b_id)
                if a is None or b is None or (a.text_key, b.text_key) != (one.a_key, one.b_key):
                    continue
                if one.b_id in rows.load_rivals(write.connection, one.a_id):
                    continue
                is_closed = _may_close(one, a, b)
                if is_closed:
                    close_memory(write, a, b.id, b.valid_from, None)
                kept += note_contradiction(
                    write, a, b.id, one.likeness,
                    is_closed=is_closed, judged_by=one.judged_by, holds=one.holds, dismissed=dismissed,
                )  # fmt: skip
            word = "contradiction" if kept == 1 else "contradictions"
            write.label = f"Found {kept} {word}"
        return kept


def _side_of(memory: AnyRow, paths: dict[int, str]) -> SentMemory:
    return SentMemory(memory.id, memory.full, memory.status, memory.trust, paths.get(memory.project_id or 0, ""))


def _sides_of(row: AnyRow) -> list[SentMemory]:
    return [
        SentMemory(row.memory_a_id, row.a_text, row.a_status, row.a_trust, row.project),
        SentMemory(row.memory_b_id, row.b_text, row.b_status, row.b_trust, row.project),
    ]


def _waiting_row(pair: FoundPair, store: Store) -> dict[str, Any]:
    return {
        "memory_a_id": pair.a.id, "memory_b_id": pair.b.id, "a_key": pair.a.text_key, "b_key": pair.b.text_key,
        "found_at": store.clock.now(),
    }  # fmt: skip


def _each_once(waiting: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({(one["memory_a_id"], one["memory_b_id"]): one for one in waiting}.values())


def _found_by_rules(pair: FoundPair, likeness: Likeness) -> _FoundContradiction:
    holds = "b" if likeness.kind == "retirement" or likeness.relation == "replace" else ""
    return _FoundContradiction(pair.a.id, pair.b.id, pair.a.text_key, pair.b.text_key, likeness, holds=holds)


def _found_by_judge(row: AnyRow, verdict: PairVerdict, name: str) -> _FoundContradiction | None:
    if verdict.verdict is not Verdict.CONTRADICT:
        return None
    likeness = Likeness("contradict", _JUDGED, verdict.why or "the two cannot both hold", "judged")
    return _FoundContradiction(row.memory_a_id, row.memory_b_id, row.a_key, row.b_key, likeness, name, verdict.holds)


def _settled(row: AnyRow, verdict: PairVerdict, name: str, rules: MemoryRules) -> dict[str, Any]:
    is_one = verdict.verdict is Verdict.CONTRADICT and may_propose(verdict.merged, row.a_text, row.b_text, rules)
    return {
        "verdict": verdict.verdict.value, "holds": verdict.holds, "why": verdict.why, "confidence": _JUDGED,
        "judged_by": name, "merged": verdict.merged if is_one else "",
    }  # fmt: skip


def _may_close(one: _FoundContradiction, a: AnyRow, b: AnyRow) -> bool:
    """Only a judge's word, on a text that itself declares the change, closes; never what the person confirmed, pinned or worded."""
    if one.judged_by == "rules" or one.holds != "b" or b.status != "active" or is_persons_own(a):
        return False
    return bool(b.trust >= a.trust and declares_change(b.full))


def may_propose(text: str, a: str, b: str, rules: MemoryRules) -> bool:
    """Whether every word of the text that carries something is a word of one side, each side has a part in it, and it is new.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> a, b, rules = "Exports are CSV.", "Exports are XML for the bank.", load_memory_rules()
    >>> may_propose("Exports are CSV, XML for the bank.", a, b, rules), may_propose("Exports are JSON.", a, b, rules)
    (True, False)
    """
    if not text.strip() or text_key(text) in {text_key(a), text_key(b)}:
        return False
    ours, theirs, words = (set(content_words(one, rules.likeness)) for one in (a, b, text))
    return words <= ours | theirs and bool(words & (ours - theirs)) and bool(words & (theirs - ours))
