"""What was worked on together, and what that says of any file beside those that are open: signs, each 0..1 or a little more.

A piece of work is a session or a commit: its files and the words it was about. Weighs nothing (`prediction` does), knows no store.
Source: S4 "Predictive Context Engine", S1 "co-modified files"; which signs help was measured (tests/benchmarks/material/fit_prediction.py).
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from heapq import nlargest
from math import exp, fsum, log, log1p, sqrt

from app.deciders.recall.rules import load_recall_rules
from app.language.search_words import split_words
from app.language.stems import stem

SIGNS = (
    "together", "adjacent", "alike", "beside", "folders", "onward", "same_top",
    "moment", "lately", "often", "similar_work", "named", "at_hand", "imports",
)  # fmt: skip
_SHARES = (0, 2, 4, 5, 10, 11, 13)  # shares of something: the first tenth says more than the last
_MOMENTS_KEPT = 64
_REMEMBERED = 400  # pieces of work
_OPENED_MOST = 6  # the files opened last
_TIMES_LOOKED_AT = 60
_FADE = 0.95  # what a piece of work weighs, per later one that holds the file
_FULL_SIZE = 8  # so many files still say all of any two
_DOUBT = 3.0  # a few times together are not yet a habit
_SWEEP = 30  # work on more files says nothing of folders and neighbours
_ADJACENT_WORKS, _MOMENT_WORKS, _RECENT_WORKS = 6.0, 5.0, 30.0
_COMPANIONS, _COMPANION_TIMES = 8, 12
_FOLDERS_FOLLOWED, _FOLDER_TIMES = 5, 40
_COMMON_TOKEN = 200  # files with a token that so many have are not looked for by it
_SIMILAR_MOST, _WORD_TIMES = 15, 40
_AFFIXES = re.compile(r"^(?:test_|spec_)|(?:[._-](?:test|tests|spec|stories|styles|module))+$")
_NONE_LINKED: Mapping[str, Mapping[str, bool]] = {}
_NO_NAME = frozenset({"test", "spec"})
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


@dataclass(frozen=True, slots=True)
class Work:
    """One piece of work."""

    files: frozenset[str]
    words: frozenset[str] = frozenset()  # of `find_task_words`


@dataclass(frozen=True, slots=True)
class PathParts:
    """A path taken apart. `about`: the name without what marks a test or a style; `tokens`: the stems in it."""

    name: str
    about: str
    folder: str
    top: str
    tokens: frozenset[str]


def split_path_parts(path: str) -> PathParts:
    """The parts of a path that say what it belongs to.

    >>> split_path_parts("tests/app/test_userStore.py").about, sorted(split_path_parts("tests/app/test_userStore.py").tokens)
    ('userstore', ['store', 'user'])
    """
    folder, _, name = path.strip("/").rpartition("/")
    bare = name.split(".", 1)[0] if "." in name[1:] else name
    tokens = frozenset(stem(part.lower()) for part in _PART.findall(bare) if len(part) > 1) - _NO_NAME
    return PathParts(name, _AFFIXES.sub("", bare.lower()), folder, folder.split("/", 1)[0], tokens)


def find_task_words(text: str) -> frozenset[str]:
    """Stems of the words that say what a task is about; of a prompt, a title, a branch.

    >>> sorted(find_task_words("Add the retries to feature/net-backoff"))
    ['add', 'backoff', 'featur', 'net', 'retri']
    """
    stop_words = load_recall_rules().stop_words
    return frozenset(
        stem(word) for word in split_words(text) if len(word) > 1 and word not in stop_words and word.isalnum()
    )


class WorkHistory:
    """Pieces of work, oldest first, looked up from either side. Made once, asked often; only `add` changes it."""

    def __init__(self, works: Iterable[Work] = (), *, known: Iterable[str] = ()) -> None:
        self._works: list[Work] = []
        self._times: defaultdict[str, list[int]] = defaultdict(list)  # file → numbers of its works
        self._folder_times: defaultdict[str, list[int]] = defaultdict(list)
        self._word_times: defaultdict[str, list[int]] = defaultdict(list)
        self._by_token: defaultdict[str, set[str]] = defaultdict(set)
        self._by_folder: defaultdict[str, set[str]] = defaultdict(set)
        self._files: set[str] = set()
        self._known_signs: dict[tuple[str, ...], defaultdict[str, list[float]]] = {}
        for path in known:
            self._know(path)
        for work in works:
            self.add(work)

    def add(self, work: Work) -> None:
        """The newest piece of work."""
        at = len(self._works)
        self._works.append(work)
        self._known_signs.clear()
        for path in work.files:
            self._know(path)
            self._times[path].append(at)
        for folder in {split_path_parts(path).folder for path in work.files}:
            self._folder_times[folder].append(at)
        for word in work.words:
            self._word_times[word].append(at)

    def _know(self, path: str) -> None:
        if path not in self._files:
            self._files.add(path)
            place = split_path_parts(path)
            self._by_folder[place.folder].add(path)
            for token in place.tokens:
                self._by_token[token].add(path)

    @property
    def _first(self) -> int:
        return max(0, len(self._works) - _REMEMBERED)

    def find_signs(
        self,
        opened: Sequence[str],
        words: AbstractSet[str] = frozenset(),
        last: Sequence[str] = (),
        linked: Mapping[str, Mapping[str, bool]] = _NONE_LINKED,
    ) -> dict[str, list[float]]:
        """Every file that something speaks for, with its signs in the order of `SIGNS`; `opened` newest last, itself among them.

        `last`: what was changed last in the project, newest first, each once. `linked`: of a file, those that it imports, and with True those that
        import it.
        """
        rarity = _Rarity(self._by_token, len(self._files))
        found: defaultdict[str, list[float]] = defaultdict(lambda: [0.0] * len(SIGNS))
        for path, signs in self._signs_of_opened(tuple(opened[-_OPENED_MOST:]), rarity).items():
            found[path] = signs.copy()
        for at in range(max(self._first, len(self._works) - _SWEEP), len(self._works)):
            if len(self._works[at].files) <= 2 * _SWEEP:
                for path in self._works[at].files:
                    found[path]  # a candidate by being recent
        self._add_words(words, found, rarity)
        for path in opened[-_OPENED_MOST:]:
            others = linked.get(path, {})
            for other, is_importer in others.items():  # of many that it imports, each says little
                one_of = sum(way == is_importer for way in others.values())
                found[other][13] = min(1.0, found[other][13] + 1.0 / one_of)
        for rank, path in enumerate(dict.fromkeys((*opened[-_OPENED_MOST:][::-1], *last)), 1):
            found[path][12] = 1.0 / rank
        self._add_times(found)
        for signs in found.values():
            for at in _SHARES:
                signs[at] = sqrt(signs[at])
        return found

    def _signs_of_opened(self, opened: tuple[str, ...], rarity: "_Rarity") -> Mapping[str, list[float]]:
        """What needs no words of the task; remembered, since the files are known before the next prompt is."""
        known = self._known_signs.get(opened)
        if known is None:
            known = defaultdict(lambda: [0.0] * len(SIGNS))
            for path in opened:
                self._add_signs_of(path, known, rarity, 1.0 / len(opened))
            if len(self._known_signs) >= _MOMENTS_KEPT:
                self._known_signs.clear()
            self._known_signs[opened] = known
        return known

    # what one open file says -------------------------------------------------------------------------

    def _add_signs_of(self, opened: str, found: dict[str, list[float]], rarity: "_Rarity", share: float) -> None:
        place = split_path_parts(opened)
        together, own_times = self._count_together(opened)
        onward = self._count_onward(opened, together)
        habits = self._count_folders(place.folder)
        tokens_sum = rarity.sum(place.tokens)
        active = {folder: self._count_active(folder) for folder in habits}
        for path in self._candidates(place, habits).union(together, onward) - {opened}:
            other, signs = split_path_parts(path), found[path]
            signs[0] += share * together.get(path, 0.0)
            signs[1] += share * self._nearness(path, own_times)
            common = place.tokens & other.tokens
            if common:
                both = rarity.sum(common)
                signs[2] += share * both / (tokens_sum + rarity.sum(other.tokens) - both)
            signs[3] += share * (place.folder == other.folder)
            if other.folder in habits:
                signs[4] += share * min(1.0, habits[other.folder] / active[other.folder])
            signs[5] += share * onward.get(path, 0.0)
            signs[6] += share * (place.top == other.top)

    def _candidates(self, place: PathParts, habits: dict[str, float]) -> set[str]:
        found = set(self._by_folder.get(place.folder, ()))
        for token in place.tokens:
            alike = self._by_token.get(token, set())
            if len(alike) < _COMMON_TOKEN:
                found |= alike
        for folder in nlargest(_FOLDERS_FOLLOWED, habits, key=lambda key: (habits[key], key)):
            found |= self._by_folder[folder]
        return found

    def _count_together(self, opened: str) -> tuple[dict[str, float], list[int]]:
        """How surely other files stand in work with this one; later work weighs more. And when it was last worked on."""
        times = self._times.get(opened, [])
        times = times[bisect_left(times, self._first) :]
        together: defaultdict[str, float] = defaultdict(float)
        total, weight = _DOUBT, 1.0
        for at in reversed(times[-_TIMES_LOOKED_AT:]):
            files = self._works[at].files
            total += weight
            share = weight * min(1.0, sqrt(_FULL_SIZE / len(files)))
            for path in files:
                together[path] += share
            weight *= _FADE
        return {path: weight / total for path, weight in together.items()}, times[-2:]

    def _nearness(self, path: str, own_times: Sequence[int]) -> float:
        """How near in time the two were worked on last, together or not."""
        times = self._times.get(path)
        if not own_times or not times:
            return 0.0
        return exp(-min(abs(times[-1] - at) for at in own_times) / _ADJACENT_WORKS)

    def _count_onward(self, opened: str, together: dict[str, float]) -> dict[str, float]:
        """What stands in work with the companions of the file."""
        onward: defaultdict[str, float] = defaultdict(float)
        companions = nlargest(_COMPANIONS + 1, together, key=lambda key: (together[key], key))
        for companion in companions:
            if companion == opened:
                continue
            times = self._times[companion][-_COMPANION_TIMES:]
            share = together[companion] / (len(times) + 0.5)
            for at in times:
                if len(self._works[at].files) <= _SWEEP:
                    for path in self._works[at].files:
                        onward[path] += share
        return {path: min(1.0, value) for path, value in onward.items()}

    def _count_folders(self, folder: str) -> dict[str, float]:
        """How many files of each folder were worked on, per piece of work in this folder."""
        counts: Counter[str] = Counter()
        work_count = 1
        times = self._folder_times.get(folder, [])
        for at in times[max(len(times) - _FOLDER_TIMES, bisect_left(times, self._first)) :]:
            files = self._works[at].files
            if len(files) <= _SWEEP:
                work_count += 1
                counts.update(split_path_parts(path).folder for path in files)
                counts[folder] -= 1
        return {other: count / work_count for other, count in counts.items() if count > 0}

    def _count_active(self, folder: str) -> int:
        first = self._first
        return max(1, sum(1 for path in self._by_folder[folder] if self._times.get(path, (-1,))[-1] >= first))

    # what the task's words say, what the file's own past says -----------------------------------------

    def _add_words(self, words: AbstractSet[str], found: dict[str, list[float]], rarity: "_Rarity") -> None:
        for path, value in self._weigh_similar(words).items():
            found[path][10] = value
        for word in sorted(words):
            named = self._by_token.get(word, set())
            if len(named) < _COMMON_TOKEN:
                for path in named:
                    found[path][11] += rarity.of(word) / rarity.sum(split_path_parts(path).tokens)

    def _weigh_similar(self, words: AbstractSet[str]) -> dict[str, float]:
        """How surely files stand in the work whose words are most like these."""
        first, work_count = self._first, max(1, len(self._works) - self._first)
        likeness: defaultdict[int, float] = defaultdict(float)
        total = 0.0
        for word in sorted(words):
            times = self._word_times.get(word, [])
            times = times[bisect_left(times, first) :]
            weight = log1p(work_count / (1 + len(times)))
            total += weight
            for at in times[-_WORD_TIMES:]:
                likeness[at] += weight
        alike = nlargest(_SIMILAR_MOST, likeness, key=lambda at: (likeness[at], at))
        weights = {at: (likeness[at] / total) ** 2 for at in alike}
        all_weights = 0.5 + sum(weights.values())
        similar: defaultdict[str, float] = defaultdict(float)
        for at, weight in weights.items():
            files = self._works[at].files
            share = weight * min(1.0, sqrt(_FULL_SIZE / len(files))) / all_weights
            for path in files:
                similar[path] += share
        return similar

    def _add_times(self, found: dict[str, list[float]]) -> None:
        first, work_count = self._first, len(self._works)
        most = log(3 + min(work_count, _REMEMBERED))
        for path, signs in found.items():
            times = self._times.get(path)
            if times:
                age = work_count - times[-1]
                signs[7], signs[8] = exp(-age / _MOMENT_WORKS), exp(-age / _RECENT_WORKS)
                signs[9] = log1p(len(times) - bisect_left(times, first)) / most


class _Rarity:
    """How much a token in a name says: the rarer the more. For one question."""

    def __init__(self, by_token: dict[str, set[str]], file_count: int) -> None:
        self._by_token = by_token
        self._file_count = file_count
        self._known: dict[str, float] = {}

    def of(self, token: str) -> float:
        known = self._known.get(token)
        if known is None:
            known = log1p((self._file_count + 1) / (1 + len(self._by_token.get(token, ()))))
            self._known[token] = known
        return known

    def sum(self, tokens: AbstractSet[str]) -> float:
        return fsum(map(self.of, tokens))  # whatever the order
