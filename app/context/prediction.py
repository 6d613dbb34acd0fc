"""Signals of a moment to the memories that will probably be needed: files that change together, past sessions, branch, errors, habits.

Reads, weighs by `app.deciders.recall.context.prediction`, and keeps the answer for the next assembly. Nothing leaves the walls: what may not be given
in the project is not predicted. Source: S4 "Predictive Context Engine".
"""

import json
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from sqlalchemy import Connection

from app.capture.streams import find_project_root
from app.context.imports import FindLinked, Linked
from app.context.open_contradictions import find_overruled
from app.deciders.recall.context.activity import load_plain_branches
from app.deciders.recall.context.named_code import find_named_code
from app.deciders.recall.context.prediction import Evidence, combine, error_signature, predict_files, weigh_uses
from app.deciders.recall.context.work_history import Work, WorkHistory, find_task_words
from app.retrieval.recall import Recall
from app.store.rows import context as rows
from app.store.rows import work_history
from app.store.rows.project import find_project
from app.store.rows.work_history import find_learned_on_branch
from app.store.store import Store
from app.store.table_queries import newest_id
from app.store.tables.core import ToolUseRow
from app.store.tables.types import to_microseconds
from app.values import (
    Changes,
    ContextSignals,
    DataKind,
    MemoryFilter,
    MemoryKind,
    PredictedFile,
    Prediction,
    PredictionShare,
    PredictionSignal,
)

T = TypeVar("T")
_KEPT = 64  # answers remembered
_TALKS_READ, _KNOWN_FILES_READ = 400, 2_000  # newest of the project
_USES_BETWEEN = 16  # so many later they are read again
_FILES_LOOKED_AT, _TALKS_LOOKED_AT, _FILES_EXPECTED = 60, 8, 20
_OPENED_MOST, _FILES_FOLLOWED = 6, 8  # of the expected files: whose sessions are looked into
_ABOUT_FILE, _LEARNED_THERE, _SAME_BRANCH, _NAMED, _LIKE_ERROR, _AT_THIS_HOUR = 0.85, 0.45, 0.4, 0.5, 0.7, 0.08
_OF_COLLABORATOR = 0.75
_MAX_HITS = 10
_PROMPT_CHARS = 2_000
_ERRORS_MOST, _TRACE_FILES = 3, 2
_TAKEN_UP_READ = 400  # citations
_USED_THEN_MOST = 4
_MAX_GIVEN, _LOOKED_AT_MOST = (
    60,
    240,
)  # 60 hold 77 % of what is needed, 30 held 63; some of the best may not be given here
_THIRTY_DAYS = 30 * 86_400_000_000


def _only(signal: PredictionSignal) -> tuple[PredictionShare, ...]:
    return (PredictionShare(signal, 1.0),)


_ONLY_FILE, _ONLY_BRANCH = _only(PredictionSignal.FILE), _only(PredictionSignal.BRANCH)


@dataclass(frozen=True, slots=True)
class _Touched:
    """Which conversations touched which files, paths inside the project; ended and evicted ones too."""

    history: WorkHistory
    talks_of: dict[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class _Moment:
    """The signals as prediction takes them."""

    signals: ContextSignals
    project_id: int | None
    opened: tuple[str, ...]  # paths inside the project, newest last
    last: tuple[str, ...]  # changed last in the project, in whatever session; newest first
    words: frozenset[str]  # of the task
    errors: tuple[str, ...]
    at: datetime
    age: int  # how many tools were used so far, in steps of `_USES_BETWEEN`
    without: AbstractSet[PredictionSignal]  # not to count

    @property
    def lasting_key(self) -> tuple[Hashable, ...]:
        """What evidence that hangs on no file and no word of the task is remembered by."""
        signals = self.signals
        who = signals.collaborator
        return self.age, self.project_id, signals.branch, self.errors, who, self.at.hour, self.without


class Predictor:
    """Thread-safe. An answer holds until something of what it is made of changes."""

    def __init__(self, store: Store, recall: Recall, find_linked: FindLinked | None = None) -> None:
        self._store = store
        self._recall = recall
        self._find_linked = find_linked
        self._lock = threading.Lock()
        self._answers: OrderedDict[Hashable, Prediction] = OrderedDict()
        self._lasting: OrderedDict[Hashable, tuple[Evidence, ...]] = OrderedDict()
        self._touched: dict[tuple[int, str], tuple[int, _Touched]] = {}
        store.subscribe(self._on_changes)

    def _on_changes(self, changes: Changes) -> None:
        if {DataKind.MEMORIES, DataKind.RULES} & changes.kinds and (changes.seq > 0 or not changes.ids):
            with self._lock:
                self._answers.clear()
                self._lasting.clear()
                if not changes.ids:
                    self._touched.clear()

    def predict(self, signals: ContextSignals, *, without: AbstractSet[PredictionSignal] = frozenset()) -> Prediction:
        """What will be needed; remembered, so that an assembly with the same signals finds it ready. `without`: not to count."""
        signals = replace(signals, project_path=find_project_root(signals.project_path))
        at = signals.at or self._store.clock.now()
        with self._store.read() as connection:
            project_id = find_project(connection, signals.project_path)
            self.predict_in(connection, signals, project_id, at, without=without)  # an assembly finds it ready
            return self.predict_in(connection, signals, project_id, at, is_handed_out=True, without=without)

    def predict_in(
        self,
        connection: Connection,
        signals: ContextSignals,
        project_id: int | None,
        at: datetime,
        *,
        is_handed_out: bool = False,
        without: AbstractSet[PredictionSignal] = frozenset(),
    ) -> Prediction:
        """The same in the caller's snapshot; `signals` with its project's root.

        For an assembly also what it leaves out afterwards and says why: what is withheld, and what something else overrules.
        """
        moment = _moment_of(connection, signals, project_id, at, frozenset(without))
        key = (*moment.lasting_key, moment.opened, moment.last, moment.words)
        with self._lock:
            known = None if is_handed_out else self._answers.get(key)
        if known is None:
            known = self._work_out(connection, moment, is_handed_out=is_handed_out)
            if not is_handed_out:  # hangs on what was taken up, too
                self._keep(self._answers, key, known)
        return known

    def _work_out(self, connection: Connection, moment: _Moment, *, is_handed_out: bool) -> Prediction:
        found = [one for one in self._find_lasting(connection, moment) if not moment.without & _signals_of(one)]
        project_id, at = moment.project_id, moment.at
        files: tuple[PredictedFile, ...] = ()
        if project_id is not None:
            touched = self._touched_of(connection, project_id, moment.signals.project_path, moment.age)
            linked: Linked = {}
            if self._find_linked is not None and PredictionSignal.IMPORTS not in moment.without:
                linked = self._find_linked(moment.signals.project_path, moment.opened, moment.last)
            files = predict_files(
                moment.opened,
                touched.history,
                words=moment.words,
                last=moment.last,
                linked=linked,
                limit=_FILES_LOOKED_AT,
                without=moment.without,
            )
            if moment.opened:
                found += _by_files(connection, moment, touched, files)
        uses: Mapping[int, float] = {}
        if is_handed_out and project_id is not None and PredictionSignal.USE not in moment.without:
            # a context gives what is of use anyway
            uses = weigh_uses(work_history.load_taken_up(connection, project_id, _TAKEN_UP_READ))
        best = combine(found, uses, limit=_LOOKED_AT_MOST).memory_ids
        kinds = rows.find_givable(connection, best, project_id, to_microseconds(at))
        # what a conversation came to is given to who asks for the past
        givable: AbstractSet[int] = {number for number, kind in kinds.items() if kind != MemoryKind.EPISODE}
        if is_handed_out:
            givable -= _find_not_givable(connection, givable, project_id, at)
        own = (one for one in found if one.memory_id in givable)
        used = {key: use for key, use in uses.items() if key in givable}
        made = combine(own, used, limit=_MAX_GIVEN)
        return replace(made, files=files[:_FILES_EXPECTED])

    def _find_lasting(self, connection: Connection, moment: _Moment) -> tuple[Evidence, ...]:
        """What does not hang on the files and the words of the moment, remembered by itself: those change most often."""
        with self._lock:
            lasting = self._lasting.get(moment.lasting_key)
        if lasting is None:
            lasting = tuple(self._gather_lasting(connection, moment))
            self._keep(self._lasting, moment.lasting_key, lasting)
        return lasting

    def _keep(self, kept: OrderedDict[Hashable, T], key: Hashable, value: T) -> None:
        with self._lock:
            kept[key] = value
            while len(kept) > _KEPT:
                kept.popitem(last=False)

    def _gather_lasting(self, connection: Connection, moment: _Moment) -> Iterator[Evidence]:
        signals = moment.signals
        if signals.branch and moment.project_id is not None and signals.branch.lower() not in load_plain_branches():
            yield from self._by_branch(connection, signals, moment.project_id)
        own = MemoryFilter(projects=(signals.project_path,)) if signals.project_path else MemoryFilter()
        for error in moment.errors:
            for memory_id, score, _ in self._retrieve(connection, error, own):
                yield Evidence(memory_id, _LIKE_ERROR * score, "like an error just seen", _only(PredictionSignal.ERROR))
        if signals.collaborator:
            found = {memory_id: score for memory_id, score, _ in self._retrieve(connection, signals.collaborator, own)}
            for memory_id in rows.find_naming(connection, list(found), signals.collaborator):
                shares = _only(PredictionSignal.COLLABORATOR)
                yield Evidence(memory_id, _OF_COLLABORATOR, f"{signals.collaborator} is here", shares)
        yield from _by_hour(connection, moment.at)

    def _by_branch(self, connection: Connection, signals: ContextSignals, project_id: int) -> Iterator[Evidence]:
        talks = work_history.find_on_branch(connection, project_id, signals.branch, _TALKS_LOOKED_AT)
        learned = f"learned on the branch {signals.branch}"
        yield from (
            Evidence(one, _SAME_BRANCH, learned, _ONLY_BRANCH)
            for one in find_learned_on_branch(connection, project_id, signals.branch)
        )
        yield from (
            Evidence(one, _SAME_BRANCH, learned, _ONLY_BRANCH)
            for one, _ in work_history.find_learned_in(connection, talks)
        )
        own = MemoryFilter(projects=(signals.project_path,))
        for memory_id, score, is_named in self._retrieve(connection, _branch_words(signals.branch), own):
            said = "named by the branch" if is_named else "close to the name of the branch"
            yield Evidence(memory_id, _NAMED * score, f"{said} {signals.branch}", _ONLY_BRANCH)

    def _retrieve(self, connection: Connection, text: str, filters: MemoryFilter) -> Iterator[tuple[int, float, bool]]:
        """The memories that say something of `text`: number, score, and whether in its own words."""
        found = self._recall.retrieve(connection, text, filters, _MAX_HITS, is_literal=True)
        if found.is_fitting:
            for memory_id, one in found.ranked.items():
                if one.found:
                    yield memory_id, found.score(memory_id), found.says_itself(memory_id)

    def _touched_of(self, connection: Connection, project_id: int, root: str, age: int) -> _Touched:
        with self._lock:
            kept = self._touched.get((project_id, root))
        if kept is not None and kept[0] == age:
            return kept[1]
        by_file: dict[str, list[int]] = defaultdict(list)
        works = []
        talks = work_history.load_conversations(connection, project_id, _TALKS_READ)
        for talk, files, title, branch in reversed(talks):  # oldest first
            paths = frozenset(inside(file, root) for file in json.loads(files))
            works.append(Work(paths, find_task_words(f"{title} {_branch_words(branch)}")))
            for path in paths:
                by_file[path].append(talk)
        known = work_history.load_known_files(connection, project_id, _KNOWN_FILES_READ)
        history = WorkHistory(works, known=(inside(one, root) for one in known))
        made = _Touched(history, {path: tuple(talks) for path, talks in by_file.items()})
        with self._lock:
            self._touched[(project_id, root)] = (age, made)
        return made


def _by_files(
    connection: Connection, moment: _Moment, touched: _Touched, files: Sequence[PredictedFile]
) -> Iterator[Evidence]:
    """What is about the files that are open or expected, and what was learned while they were edited."""
    root = moment.signals.project_path
    others = (one for one in files if one.path not in moment.opened)
    guesses = sorted(others, key=lambda one: (-one.in_work, one.path))
    at_hand = () if PredictionSignal.FILE in moment.without else moment.opened
    opened = [PredictedFile(path, 1.0, f"about {path}", _ONLY_FILE, 1.0) for path in at_hand]
    by_form = {form: guess for guess in (*guesses, *opened) for form in _forms(guess.path, root)}
    for form, memory_id in rows.find_about_each(connection, by_form):
        guess = by_form[form]
        yield Evidence(memory_id, _ABOUT_FILE * guess.in_work, guess.reason, guess.shares)
    by_talk: dict[int, PredictedFile] = {}
    for guess in (*opened[::-1], *guesses[:_FILES_FOLLOWED]):
        for talk in touched.talks_of.get(guess.path, ())[-_TALKS_LOOKED_AT:]:
            by_talk.setdefault(talk, guess)
    for memory_id, talk in work_history.find_learned_in(connection, by_talk):
        guess = by_talk[talk]
        reason = f"learned while {guess.path.rsplit('/', 1)[-1]} was edited"
        yield Evidence(memory_id, _LEARNED_THERE * guess.in_work, reason, guess.shares)


def _signals_of(one: Evidence) -> AbstractSet[PredictionSignal]:
    return {share.signal for share in one.shares}


def _moment_of(
    connection: Connection,
    signals: ContextSignals,
    project_id: int | None,
    at: datetime,
    without: AbstractSet[PredictionSignal],
) -> _Moment:
    return _Moment(
        signals=signals,
        project_id=project_id,
        opened=_opened(connection, signals, project_id),
        last=_last(connection, signals, project_id),
        words=find_task_words(f"{_branch_words(signals.branch)} {signals.prompt[:_PROMPT_CHARS]}"),
        errors=tuple(filter(None, map(error_signature, signals.recent_errors[:_ERRORS_MOST]))),
        at=at,
        age=newest_id(connection, ToolUseRow) // _USES_BETWEEN,
        without=without,
    )


def _find_not_givable(
    connection: Connection, memory_ids: Iterable[int], project_id: int | None, at: datetime
) -> AbstractSet[int]:
    """Those that a context would not give: withheld, or overruled by what the project says itself."""
    now, wanted = to_microseconds(at), set(memory_ids)
    givable = rows.load_givable_rows(connection, wanted, project_id, now, has_withheld=False)
    return (wanted - givable.keys()) | find_overruled(connection, givable, project_id, now).keys()


def inside(path: str, root: str) -> str:
    """The path as seen from the project."""
    plain = path.replace("\\", "/")
    return plain.removeprefix(root.rstrip("/") + "/") if root else plain


def find_new_file(connection: Connection, signals: ContextSignals, project_id: int | None) -> str:
    """The file that the session changed last, where no other session is known to have changed it; else ""."""
    if project_id is None or not signals.session:
        return ""
    file, sessions = work_history.find_last_file(connection, project_id, signals.session)
    return file if sessions == {signals.session} else ""


def _opened(connection: Connection, signals: ContextSignals, project_id: int | None) -> tuple[str, ...]:
    """The file that is open, those that an error was seen in, those that the session touched last; newest last."""
    files = [signals.current_file] if signals.current_file else []
    for error in signals.recent_errors[:_ERRORS_MOST]:
        files += find_named_code(error[:_PROMPT_CHARS]).files[-_TRACE_FILES:]  # where a trace ends it broke
    if signals.session and project_id is not None:
        files += work_history.load_last_files(connection, project_id, signals.session)
    paths = dict.fromkeys(inside(file, signals.project_path) for file in files)
    return tuple(list(paths)[:_OPENED_MOST][::-1])


def _last(connection: Connection, signals: ContextSignals, project_id: int | None) -> tuple[str, ...]:
    found = work_history.load_last_files(connection, project_id) if project_id is not None else []
    return tuple(dict.fromkeys(inside(one, signals.project_path) for one in found))


def _forms(path: str, root: str) -> tuple[str, str, str]:
    """How the file may be written down at a memory."""
    return path, f"{root.rstrip('/')}/{path}", path.rsplit("/", 1)[-1]


def _branch_words(branch: str) -> str:
    is_plain = branch.lower() in load_plain_branches()
    return "" if is_plain else branch.replace("/", " ").replace("-", " ").replace("_", " ")


def _by_hour(connection: Connection, at: datetime) -> Iterator[Evidence]:
    """What was of use at this hour on several days."""
    for memory_id, days in work_history.count_days_used(connection, at.hour, to_microseconds(at) - _THIRTY_DAYS):
        reason, shares = f"often of use around {at.hour}:00", _only(PredictionSignal.HOUR)
        yield Evidence(memory_id, _AT_THIS_HOUR * min(days, _USED_THEN_MOST), reason, shares)


Predict = Callable[[Connection, ContextSignals, int | None, datetime], Prediction]
