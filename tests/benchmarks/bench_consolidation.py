"""A run of consolidation over made-up memories: all of them the first time, then with some new ones. QUALITY P6.

Run with `python -m tests.benchmarks.bench_consolidation [size[:new]…]`; prints a table, asserts no times. Wall of the clock, planning
and applying apart; "cancel" is from the call until nothing runs any more. Then whole runs as the seeds count them: of 100 memories (S3: below
100 ms), after 50 events (S1: 200 to 500 ms), the first of a process apart.
"""

import os
import sys
import tempfile
import threading
import time
from pathlib import Path

from app.api import CaptureRequest, Engine, EventKind
from app.clock import SystemClock
from app.places import Places
from app.store.store import Store
from app.values import Origin
from app.values.consolidation import RunCard, RunTrigger
from tests.benchmarks.bench_recall import fill
from tests.benchmarks.material.made_texts import make_texts

_SIZES = ("100:10", "10000:1000", "100000:1000")


def main() -> None:
    print(
        "memories | first plan s (CPU) | actions | first apply s (CPU) | new | plan s (CPU) | actions | apply s (CPU) "
        "| again plan s (CPU) | actions | cancel s"
    )
    for size in sys.argv[1:] or _SIZES:
        total, _, new = size.partition(":")
        _measure(int(total), int(new or 1_000))
    _measure_seeds()


def _measure(size: int, new: int) -> None:
    texts = list(make_texts(size + new))
    with tempfile.TemporaryDirectory(prefix="remanence-bench-") as folder:
        places = Places.under(Path(folder))
        store = Store(places, SystemClock(), owner="serve")
        fill(store, texts[:size])
        store.close()
        engine = Engine.open(places)
        engine.load()
        while engine._core.indexing.catch_up():
            pass
        first = _timed(engine)
        with engine._core.store.write(origin=Origin.CAPTURE, kind="capture", label="") as write:
            _add(write, texts[size:])
        while engine._core.indexing.catch_up():
            pass
        with_new, again = _timed(engine), _timed(engine)
        cancel_s = _cancel(engine)
        engine.close()
    parts = [
        f"{plan} | {count:,}" + (f" | {apply}" if place < 2 else "")
        for place, (plan, count, apply) in enumerate((first, with_new, again))
    ]
    print(f"{size:,} | {parts[0]} | {new:,} | {parts[1]} | {parts[2]} | {cancel_s:.2f}", flush=True)


def _measure_seeds() -> None:
    with tempfile.TemporaryDirectory(prefix="remanence-bench-") as folder:
        engine = Engine.open(Places.under(Path(folder)), flags={"is_consolidating": False})
        engine.load()
        engine.consolidation.run(trigger=RunTrigger.API)  # what is read once in a process
        texts = list(make_texts(400))
        for start in range(0, 300, 100):
            with engine._core.store.write(origin=Origin.CAPTURE, kind="capture", label="") as write:
                _add(write, texts[start : start + 100])
            _whole_run(engine, f"100 more memories, {start + 100} in all")
        for number in range(3):
            for start in range(0, 50, 5):
                _say(engine, f"{number}-{start}", start)
            engine.events.wait_idle(60)
            _whole_run(engine, "50 more prompts of 10 conversations")
        engine.close()


_PROMPTS = (
    "I want to add a dark mode for part {}", "make it purple", "We decided to use PostgreSQL for store {}.",
    "now write tests for it", "Never push part {} to main.",
)  # fmt: skip


def _say(engine: Engine, session: str, start: int) -> None:
    engine.events.capture(
        [
            CaptureRequest(
                "codex", EventKind.PROMPT, f"{session}-{place}", session=session, text=text.format(start), cwd="/w/shop"
            )
            for place, text in enumerate(_PROMPTS)
        ]
    )


def _whole_run(engine: Engine, after: str) -> None:
    while engine._core.indexing.catch_up():
        pass
    watch = _Watch()
    engine._core.scanner.wait_idle(600)
    held = watch.read()
    watch = _Watch()
    card = engine.consolidation.run(trigger=RunTrigger.API)
    applied = sum(one.applied for one in card.counts)
    print(
        f"after {after}: {watch.read()} s, {applied} actions applied; held against what is known before: {held} s",
        flush=True,
    )


def _add(write: object, texts: list[str]) -> None:
    from app.memories.new_memory import NewMemory, insert_memory

    for text in texts:
        insert_memory(write, NewMemory(text))  # type: ignore[arg-type]


def _timed(engine: Engine) -> tuple[str, int, str]:
    """Time of planning, actions that were applied, time of applying."""
    watch = _Watch()
    planned: RunCard = engine.consolidation.preview()
    plan = watch.read()
    watch = _Watch()
    applied = engine.consolidation.apply(planned.id)
    return plan, sum(one.applied for one in applied.counts), watch.read()


class _Watch:
    """Wall and CPU seconds, those of child processes among the latter: what else the machine does slows the first only."""

    def __init__(self) -> None:
        self._wall_s, self._cpu_s = time.perf_counter(), _cpu_s()

    def read(self) -> str:
        return f"{time.perf_counter() - self._wall_s:.2f} ({_cpu_s() - self._cpu_s:.2f})"


def _cpu_s() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def _cancel(engine: Engine) -> float:
    engine.settings.set("duplicate_likeness", 0.5)
    thread = threading.Thread(target=lambda: engine.consolidation.run(trigger=RunTrigger.API))
    thread.start()
    time.sleep(0.3)
    started = time.perf_counter()
    engine.consolidation.cancel()
    thread.join()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
