"""Signals of a moment to the memories that will probably be needed: files that change together, past sessions, branch, errors, habits.

Reads, weighs by `app.recall.prediction`, remembers the answer for the next assembly. Nothing leaves the walls: what may not be told
in the project is not predicted. Source: S4 "Predictive Context Engine".
"""

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection

from app.recall.activity import load_plain_branches
from app.recall.prediction import Evidence, FileGuess, combine, error_signature, predict_files
from app.services.context_sources import find_project
from app.services.recall import Recall
from app.services.streams import find_project_root
from app.store import context_rows as rows
from app.store.store import Store
from app.store.types import to_microseconds
from app.values import Changes, ContextSignals, DataKind, MemoryFilter, Prediction

_KEPT = 64  # answers remembered
_USES_READ = 3_000  # newest tool uses of the project
_USES_BETWEEN = 16  # so many later they are read again
_FILES_LOOKED_AT, _TALKS_LOOKED_AT = 12, 8
_ABOUT_FILE, _LEARNED_THERE, _SAME_BRANCH, _NAMED, _LIKE_ERROR, _AT_THIS_HOUR = 0.85, 0.45, 0.4, 0.5, 0.7, 0.08
_LOOKED_UP = 10
_ERRORS_MOST = 3
_USED_THEN_MOST = 4
_TOLD_MOST = 30

_FILES = (
    "SELECT t.conversation_id, t.file FROM tool_use t JOIN conversation c ON c.id = t.conversation_id "
    "JOIN stream s ON s.id = c.stream_id WHERE s.project_id = :project AND t.file <> '' ORDER BY t.id DESC LIMIT :limit"
)
_NEWEST_USE = "SELECT coalesce(max(id), 0) FROM tool_use"
_LAST_FILE = (
    "SELECT t.file FROM tool_use t JOIN conversation c ON c.id = t.conversation_id JOIN stream s ON s.id = c.stream_id "
    "WHERE s.project_id = :project AND s.session = :session AND t.file <> '' ORDER BY t.id DESC LIMIT 1"
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
    "WHERE id > (SELECT max(id) FROM usage_event) - 5000 AND kind = 'cited' AND abs(((at / 3600000000) % 24) - :hour) IN (0, 1, 23) AND at > :since GROUP BY memory_id "
    "HAVING count(DISTINCT at / 86400000000) > 1 LIMIT 50"
)
_THIRTY_DAYS = 30 * 86_400_000_000


@dataclass(frozen=True, slots=True)
class _Touched:
    """Which conversations touched which files, paths inside the project, oldest conversation first."""

    groups: tuple[frozenset[str], ...]
    talks_of: dict[str, tuple[int, ...]]


class Predictor:
    """Thread-safe. An answer holds until something of what it is made of changes."""

    def __init__(self, store: Store, recall: Recall) -> None:
        self._store = store
        self._recall = recall
        self._lock = threading.Lock()
        self._answers: OrderedDict[tuple[object, ...], Prediction] = OrderedDict()
        self._touched: dict[tuple[int, str], tuple[int, _Touched]] = {}
        store.subscribe(self._on_changes)

    def _on_changes(self, changes: Changes) -> None:
        if DataKind.MEMORIES in changes.kinds and (changes.seq > 0 or not changes.ids):
            with self._lock:
                self._answers.clear()
                if not changes.ids:
                    self._touched.clear()

    def predict(self, signals: ContextSignals) -> Prediction:
        """What will be needed; remembered, so that an assembly with the same signals finds it ready."""
        signals = replace(signals, project_path=find_project_root(signals.project_path))
        at = signals.at or self._store.clock.now()
        with self._store.read() as connection:
            return self.predict_in(connection, signals, find_project(connection, signals.project_path), at)

    def predict_in(
        self, connection: Connection, signals: ContextSignals, project_id: int | None, at: datetime
    ) -> Prediction:
        """The same in the caller's snapshot; `signals` with its project's root."""
        if not signals.current_file and signals.session and project_id is not None:
            last = rows.fetch(connection, _LAST_FILE, {"project": project_id, "session": signals.session})
            signals = replace(signals, current_file=last[0][0] if last else "")
        errors = tuple(filter(None, map(error_signature, signals.recent_errors[:_ERRORS_MOST])))
        age = rows.fetch(connection, _NEWEST_USE, {})[0][0] // _USES_BETWEEN
        key = (age, project_id, signals.current_file, signals.branch, errors, signals.collaborator, at.hour)
        with self._lock:
            known = self._answers.get(key)
        if known is not None:
            return known
        found = list(self._gather(connection, signals, errors, project_id, at, age))
        told = rows.load_told_rows(connection, {one.memory_id for one in found}, project_id, to_microseconds(at))
        answer = combine((one for one in found if one.memory_id in told), limit=_TOLD_MOST)
        with self._lock:
            self._answers[key] = answer
            while len(self._answers) > _KEPT:
                self._answers.popitem(last=False)
        return answer

    def _gather(
        self,
        connection: Connection,
        signals: ContextSignals,
        errors: Iterable[str],
        project_id: int | None,
        at: datetime,
        age: int,
    ) -> Iterator[Evidence]:
        if signals.current_file and project_id is not None:
            yield from self._by_file(connection, signals, project_id, age)
        if signals.branch and project_id is not None and signals.branch.lower() not in load_plain_branches():
            yield from self._by_branch(connection, signals, project_id)
        own = MemoryFilter(projects=(signals.project_path,)) if signals.project_path else MemoryFilter()
        for error in errors:
            yield from self._by_words(connection, error, own, _LIKE_ERROR, "like an error just seen")
        if signals.collaborator:
            name = signals.collaborator
            yield from self._by_words(connection, name, own, _NAMED, f"{name} is here")
        yield from _by_hour(connection, at)

    def _by_file(
        self, connection: Connection, signals: ContextSignals, project_id: int, age: int
    ) -> Iterator[Evidence]:
        current = inside(signals.current_file, signals.project_path)
        touched = self._touched_of(connection, project_id, signals.project_path, age)
        guesses = predict_files(current, touched.groups, limit=_FILES_LOOKED_AT)
        for guess in (FileGuess(current, 1.0, f"about {current}"), *guesses):
            forms = (guess.path, f"{signals.project_path.rstrip('/')}/{guess.path}", guess.path.rsplit("/", 1)[-1])
            for memory_id in rows.find_about_files(connection, forms):
                yield Evidence(memory_id, _ABOUT_FILE * guess.confidence, guess.reason)
            talks = touched.talks_of.get(guess.path, ())[-_TALKS_LOOKED_AT:]
            reason = f"learned while {guess.path.rsplit('/', 1)[-1]} was edited"
            yield from _learned_in(connection, talks, _LEARNED_THERE * guess.confidence, reason)

    def _by_branch(self, connection: Connection, signals: ContextSignals, project_id: int) -> Iterator[Evidence]:
        values = {"project": project_id, "branch": signals.branch, "limit": _TALKS_LOOKED_AT}
        talks = [row[0] for row in rows.fetch(connection, _ON_BRANCH, values)]
        yield from _learned_in(connection, talks, _SAME_BRANCH, f"learned on the branch {signals.branch}")
        own = MemoryFilter(projects=(signals.project_path,))
        words = signals.branch.replace("/", " ").replace("-", " ").replace("_", " ")
        yield from self._by_words(connection, words, own, _NAMED, f"named by the branch {signals.branch}")

    def _by_words(
        self, connection: Connection, text: str, filters: MemoryFilter, weight: float, reason: str
    ) -> Iterator[Evidence]:
        found = self._recall.look_up(connection, text, filters, _LOOKED_UP, is_literal=True)
        if found.is_fitting:
            for memory_id, one in found.ranked.items():
                if one.found:
                    yield Evidence(memory_id, weight * found.score(memory_id), reason)

    def _touched_of(self, connection: Connection, project_id: int, root: str, age: int) -> _Touched:
        with self._lock:
            known = self._touched.get((project_id, root))
        if known is not None and known[0] == age:
            return known[1]
        by_talk: dict[int, set[str]] = defaultdict(set)
        by_file: dict[str, set[int]] = defaultdict(set)
        for talk, file in rows.fetch(connection, _FILES, {"project": project_id, "limit": _USES_READ}):
            path = inside(file, root)
            by_talk[talk].add(path)
            by_file[path].add(talk)
        made = _Touched(
            tuple(frozenset(by_talk[talk]) for talk in sorted(by_talk)),
            {path: tuple(sorted(talks)) for path, talks in by_file.items()},
        )
        with self._lock:
            self._touched[(project_id, root)] = (age, made)
        return made


def inside(path: str, root: str) -> str:
    """The path as seen from the project."""
    plain = path.replace("\\", "/")
    return plain.removeprefix(root.rstrip("/") + "/") if root else plain


def _learned_in(connection: Connection, talks: Iterable[int], weight: float, reason: str) -> Iterator[Evidence]:
    listed = list(talks)
    if listed:
        for memory_id, _ in rows.fetch(connection, _LEARNED_IN, {"ids": rows.as_ids(listed)}):
            yield Evidence(memory_id, weight, reason)


def _by_hour(connection: Connection, at: datetime) -> Iterator[Evidence]:
    """What was of use at this hour on several days."""
    values = {"hour": at.hour, "since": to_microseconds(at) - _THIRTY_DAYS}
    for memory_id, days in rows.fetch(connection, _USED_AT_HOUR, values):
        yield Evidence(memory_id, _AT_THIS_HOUR * min(days, _USED_THEN_MOST), f"often of use around {at.hour}:00")


Predict = Callable[[Connection, ContextSignals, int | None, datetime], Prediction]
