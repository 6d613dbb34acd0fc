"""Prediction on real histories: which files of a piece of work were foreseen before they were opened (QUALITY A9)?

Run with `python -m tests.benchmarks.bench_prediction HISTORY… [told…]`: git repositories, or change logs that packages ship
(`work_logs`). The first 60 % of the commits are known, each later one is asked and then known too; needed are its files that existed
before, commits of one such file or of more than `LARGE` are no task. Three questions: from one file alone; in a session, where
each file is expected from those opened before it; the same with the words of the task, for which the commit's first line stands.
Beside it the files that change most often. Then: of what was said with 30 %, how much was needed?
"""

import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.deciders.recall.context.prediction import predict_files
from app.deciders.recall.context.work_history import Work, WorkHistory
from app.values import PredictedFile
from tests.benchmarks.material.work_logs import read_history

LARGE = 20
_KNOWN_SHARE = 0.6
_NEWEST = 2_500  # commits of a long history
_ASKED_MOST = 200
_TOLD = (10, 20, 40)
_QUESTIONS = ("one file", "session", "session + task words", "most frequent")


@dataclass(slots=True)
class Asked:
    """One commit that is asked, and what was known before it."""

    number: int
    work: Work
    files: list[str]  # in the order in which they are opened
    history: WorkHistory
    often: list[str]


@dataclass(slots=True)
class Tally:
    hits: defaultdict[tuple[str, int], float] = field(default_factory=lambda: defaultdict(float))
    halves: defaultdict[tuple[int, int], float] = field(default_factory=lambda: defaultdict(float))  # (half, told)
    commits: Counter[int] = field(default_factory=Counter)
    said: Counter[int] = field(default_factory=Counter)  # tenths of confidence
    right: Counter[int] = field(default_factory=Counter)
    spent_ms: list[float] = field(default_factory=list)


def walk(works: Sequence[Work]) -> Iterator[Asked]:
    """The commits that are asked, oldest first."""
    rng = random.Random(1)
    first = int(len(works) * _KNOWN_SHARE)
    known: set[str] = set()
    fitting = []
    for at, work in enumerate(works):
        if at >= first and 2 <= len(work.files & known) <= LARGE:
            fitting.append(at)
        known |= work.files
    chosen = set(rng.sample(fitting, min(_ASKED_MOST, len(fitting))))
    history, often = WorkHistory(), Counter[str]()
    for at, work in enumerate(works):
        if at in chosen:
            files = sorted(path for path in work.files if often[path])
            rng.shuffle(files)
            yield Asked(at, work, files, history, [path for path, _ in often.most_common(max(_TOLD))])
        history.add(work)
        often.update(work.files)


def measure(works: Sequence[Work], given: Sequence[int]) -> Tally:
    tally = Tally()
    middle = len(works) * (1 + _KNOWN_SHARE) / 2
    for asked in walk(works):
        half = int(asked.number >= middle)
        tally.commits[half] += 1
        for opened in asked.files:
            guesses = _predict(tally, asked, [opened])
            _count(tally, given, "one file", guesses, set(asked.files) - {opened}, len(asked.files))
        for at in range(1, len(asked.files)):
            before, wanted, share = asked.files[:at], {asked.files[at]}, len(asked.files) - 1
            plain = _predict(tally, asked, before)
            _count(tally, given, "session", plain, wanted, share)
            for count in given:
                tally.halves[half, count] += int(asked.files[at] in plain[:count]) / share
            with_words = predict_beside(before, asked.history, words=asked.work.words, limit=max(given))
            _count(tally, given, "session + task words", [guess.path for guess in with_words], wanted, share)
            _note_said(tally, with_words, set(asked.files[at:]))
            _count(tally, given, "most frequent", asked.often, wanted, share)
    return tally


def predict_beside(
    opened: Sequence[str], history: WorkHistory, *, limit: int, words: frozenset[str] = frozenset()
) -> list[PredictedFile]:
    """A commit holds each file once: what is at hand is not asked for again."""
    guesses = predict_files(opened, history, words=words, limit=limit + len(opened))
    return [one for one in guesses if one.path not in opened][:limit]


def _predict(tally: Tally, asked: Asked, opened: Sequence[str]) -> list[str]:
    started = time.perf_counter()
    guesses = predict_beside(opened, asked.history, limit=max(_TOLD))
    tally.spent_ms.append((time.perf_counter() - started) * 1000)
    return [guess.path for guess in guesses]


def _count(
    tally: Tally, given: Sequence[int], question: str, guesses: Sequence[str], wanted: set[str], among: int
) -> None:
    for count in given:
        share = len(wanted.intersection(guesses[:count])) / len(wanted) / among
        tally.hits[question, count] += share


def _note_said(tally: Tally, guesses: Sequence[PredictedFile], needed: set[str]) -> None:
    for guess in guesses:
        tally.said[int(guess.confidence * 10)] += 1
        tally.right[int(guess.confidence * 10)] += guess.path in needed


def main(words: Sequence[str]) -> None:
    given = [int(word) for word in words if word.isdigit()] or list(_TOLD)
    said, right = Counter[int](), Counter[int]()
    print("history | " + " | ".join(f"{question} @{', '.join(map(str, given))}" for question in _QUESTIONS), end="")
    print(" | session, older half / newer half | ms p50")
    for path in [Path(word) for word in words if not word.isdigit()]:
        works = read_history(path)[-_NEWEST:]
        tally = measure(works, given)
        asked = max(1, tally.commits.total())
        figures = [" ".join(f"{tally.hits[question, count] / asked:.3f}" for count in given) for question in _QUESTIONS]
        halves = [
            " ".join(f"{tally.halves[half, count] / max(1, tally.commits[half]):.3f}" for count in given)
            for half in (0, 1)
        ]
        spent = sorted(tally.spent_ms)[len(tally.spent_ms) // 2]
        name = path.name if path.is_dir() else path.parent.name
        print(
            f"{name}, {len(works)} commits, {asked} asked | {' | '.join(figures)} | {' / '.join(halves)} | {spent:.1f}"
        )
        said.update(tally.said)
        right.update(tally.right)
    print("said (tenth) | how often | of these needed")
    for tenth in sorted(said):
        print(f"{tenth / 10:.1f} | {said[tenth]:,} | {right[tenth] / said[tenth]:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
