"""QUALITY A9 end to end: a real history as sessions with the engine; was the memory of the next file prefetched, and is it told?

Run with `python -m tests.benchmarks.bench_needed [asked] HISTORY…`: git repositories, or change logs that packages ship (`work_logs`).
Every commit is one session: its first line is the prompt, its files are edits, captured as an assistant's hooks send them. Each
file has one memory, whose words say nothing of it, so that only prediction can find it. In later commits, `asked` of them, the
memory of each file is expected from prompt and files opened before it; counted is what `predict` hands out, among its first few and
in all, and what then stands in a context of 8,000 tokens. Beside it as many of the files that were worked on most often.
"""

import random
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, MemoryDraft, Places
from app.values import ArtifactKind, ContextRequest, ContextSignals, Level
from tests.benchmarks.bench_prediction import LARGE
from tests.benchmarks.material.made_texts import make_texts
from tests.benchmarks.material.stolen import tell_stolen_at_exit
from tests.benchmarks.material.work_logs import Commit, read_commits

_NEWEST, _ASKED, _KNOWN_SHARE = 500, 60, 0.6
_DEPTHS = (10, 20, 30)
_APP, _PATIENCE_S = "claude-code", 120.0


@dataclass(slots=True)
class Tally:
    """Per name one entry for each asked commit: the share of its files, after the first, whose memory was there in time."""

    shares: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    handed_out: list[int] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)

    def mean(self, name: str) -> str:
        return f"{statistics.mean(self.shares[name]):.3f}"


class Played:
    """A history so far, as sessions of one project."""

    def __init__(self, engine: Engine, clock: FrozenClock, project: str) -> None:
        self.often = Counter[str]()
        self.memory_of: dict[str, int] = {}
        self._engine, self._clock, self._project = engine, clock, project
        self._texts = make_texts(1_000_000)

    def say(self, session: str, text: str) -> None:
        self._clock.advance(minutes=30)
        self._capture(EventKind.PROMPT, session, "prompt", text=text or "Go on")

    def edit(self, session: str, paths: Sequence[str]) -> None:
        for path in paths:
            payload = {"tool_name": "Edit", "tool_input": {"file_path": f"{self._project}/{path}"}}
            self._capture(EventKind.TOOL, session, path, payload=payload)

    def know(self, paths: Sequence[str]) -> None:
        """Counts the files as worked on; new ones get their memory."""
        self.often.update(paths)
        for path in paths:
            if path not in self.memory_of:
                draft = MemoryDraft(next(self._texts), project_path=self._project)
                self.memory_of[path] = self._engine.memories.create(draft)
                self._engine.memories.attach(self.memory_of[path], ArtifactKind.FILE, path)

    def settle(self) -> None:
        if not self._engine.events.wait_idle(_PATIENCE_S):
            raise SystemExit("the engine does not come to rest")

    def _capture(self, kind: EventKind, session: str, key: str, **more: object) -> None:
        place = {"cwd": self._project, "project_root": self._project}
        request = CaptureRequest(app=_APP, kind=kind, key=f"{session}:{key}", session=session, **place, **more)  # type: ignore[arg-type]
        self._engine.events.capture([request], wait_s=0)

    def expect(self, session: str, said: str, opened: str) -> tuple[tuple[int, ...], dict[int, Level], float]:
        """What `predict` hands out, what the context then tells, the milliseconds of CPU that `predict` took."""
        signals = ContextSignals(
            project_path=self._project, app=_APP, session=session, prompt=said, current_file=f"{self._project}/{opened}"
        )
        begun = time.process_time()
        found = self._engine.context.predict(signals)
        spent_ms = (time.process_time() - begun) * 1000
        made = self._engine.context.assemble(ContextRequest(signals, is_kept=False))
        given = {item.memory_id: item.level for item in made.items if item.memory_id is not None}
        return found.memory_ids, given, spent_ms


def choose_asked(commits: Sequence[Commit], count: int) -> frozenset[int]:
    """Later commits on 2 to `LARGE` files that existed before."""
    known: set[str] = set()
    fitting = []
    for at, commit in enumerate(commits):
        if at >= len(commits) * _KNOWN_SHARE and 2 <= len(commit.files & known) <= LARGE:
            fitting.append(at)
        known |= commit.files
    return frozenset(random.Random(1).sample(fitting, min(count, len(fitting))))


def play(commits: Sequence[Commit], count: int, home: Path) -> Tally:
    clock, tally = FrozenClock(datetime(2026, 1, 5, 8, 0, tzinfo=UTC)), Tally()
    project = home / "project"
    (project / ".git").mkdir(parents=True)
    with closing(Engine.open(Places.under(home / "remanence"), clock=clock)) as engine:
        played, asked = Played(engine, clock, str(project)), choose_asked(commits, count)
        for at, commit in enumerate(commits):
            played.say(f"s{at}", commit.said)
            if at in asked:
                _ask(played, f"s{at}", commit, random.Random(at), tally)
            played.edit(f"s{at}", sorted(commit.files))
            played.know(sorted(commit.files))
            if at % 20 == 0:
                played.settle()
    return tally


def _ask(played: Played, session: str, commit: Commit, chance: random.Random, tally: Tally) -> None:
    files = sorted(commit.files & played.memory_of.keys())
    chance.shuffle(files)
    counts = Counter[str]()
    for opened, wanted in pairwise(files):
        played.edit(session, [opened])
        played.settle()
        found, given, spent_ms = played.expect(session, commit.said, opened)
        memory_id = played.memory_of[wanted]
        tally.cpu_ms.append(spent_ms)
        tally.handed_out.append(len(found))
        counts.update({f"first {depth}": memory_id in found[:depth] for depth in _DEPTHS})
        counts["prefetched"] += memory_id in found
        counts["told"] += memory_id in given
        counts["in words"] += given.get(memory_id, Level.INDEX) is not Level.INDEX
        counts["most frequent"] += wanted in {path for path, _ in played.often.most_common(len(found))}
    for name in (*(f"first {depth}" for depth in _DEPTHS), "prefetched", "told", "in words", "most frequent"):
        tally.shares[name].append(counts[name] / (len(files) - 1))


def lines(histories: Sequence[Path], count: int) -> Iterator[str]:
    yield (
        "history | prefetched among the first 10, 20, 30, in all (how many) | in the context, in words | "
        "as many of the most frequent | predict, CPU ms p50 / p95"
    )
    for path in histories:
        commits = read_commits(path)[-_NEWEST:]
        with tempfile.TemporaryDirectory(prefix="remanence-bench-") as folder:
            tally = play(commits, count, Path(folder))
        name = path.resolve().name if path.is_dir() else path.parent.name
        first = " ".join(tally.mean(f"first {depth}") for depth in _DEPTHS)
        spent = sorted(tally.cpu_ms)
        yield (
            f"{name}, {len(commits)} commits, {len(tally.shares['told'])} asked, {len(spent)} times | "
            f"{first} {tally.mean('prefetched')} ({statistics.mean(tally.handed_out):.0f}) | "
            f"{tally.mean('told')} {tally.mean('in words')} | {tally.mean('most frequent')} | "
            f"{statistics.median(spent):.1f} / {spent[int(len(spent) * 0.95)]:.1f}"
        )


if __name__ == "__main__":
    tell_stolen_at_exit()
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    for line in lines([Path(word) for word in sys.argv[1:] if not word.isdigit()], numbers[0] if numbers else _ASKED):
        print(line, flush=True)
