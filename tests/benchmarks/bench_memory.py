"""P11: resident memory while 50,000 messages are captured and understood, and while 1,000 contexts over 100,000 memories are given.

`python -m tests.benchmarks.bench_memory [messages|contexts] [--count N] [--memories N] [--home FOLDER]`, as `serve` lives: its socket
stands, all is warm. Prints RSS as it goes, the part of it that no file backs, and what a message or a context cost of the processor.
`--home` keeps the filled memory for the next time. Asserts nothing.
"""

import argparse
import contextlib
import gc
import multiprocessing
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.api import CaptureRequest, Engine, EventKind, Places
from app.cli.process import give_back_memory, prefer_latency, settle
from app.server import start_server
from app.values import ContextRequest, ContextSignals
from tests.benchmarks import bench_context
from tests.benchmarks.material.histories import words
from tests.benchmarks.material.made_texts import make_questions, make_texts

PROMPTS = 12  # of a session
THINGS = ("login page", "CSV export", "retry queue", "invoice form", "cache layer", "date picker")
BUDGET_TOKENS = 8_000


def resident_mb() -> tuple[float, float]:
    """All of it, and what no file backs."""
    rows = dict(line.split(":", 1) for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:])
    return tuple(int(rows[name].split()[0]) * 1024 / 1e6 for name in ("Rss", "Anonymous"))  # type: ignore[return-value]


def tell(what: str, spent: float = 0.0, count: int = 0) -> float:
    rss, anonymous = resident_mb()
    cost = f"  {spent / count * 1000:6.2f} ms of the processor each" if count else ""
    print(f"P11  {what:28} RSS {rss:4.0f} MB, anonymous {anonymous:4.0f}{cost}", flush=True)
    return rss


@contextmanager
def as_served(home: Path) -> Iterator[Engine]:
    prefer_latency()
    give_back_memory()
    engine = Engine.open(Places.under(home))
    server = start_server(engine, port=0)
    try:
        engine.warm_up()
        server.warm_up()
        settle()
        tell("warm")
        yield engine
    finally:
        server.stop()
        engine.close()


def prompts(count: int) -> Iterator[CaptureRequest]:
    rng = random.Random(3)
    for number, statement in enumerate(make_texts(count)):
        session = number // PROMPTS
        thing = THINGS[session % len(THINGS)]
        text = words(rng, thing, is_first=number % PROMPTS == 0)
        if number % 3 == 2:
            text = f"{text}. {statement}"
        yield CaptureRequest(
            app="claude-code", kind=EventKind.PROMPT, key=f"m{number}", session=f"m{session}", text=text,
            cwd=f"/w/shop-{session % 5}",
        )  # fmt: skip


def measure_messages(home: Path, count: int) -> float:
    with as_served(home) as engine:
        most, began = 0.0, time.process_time()
        for number, request in enumerate(prompts(count), 1):
            engine.events.capture((request,), wait_s=0)
            if number % 50 == 0:
                engine.events.wait_idle(600)
            if number % max(1, count // 20) == 0:
                most = max(most, tell(f"{number:,} understood", time.process_time() - began, number))
        return most


def measure_contexts(home: Path, count: int, memories: int) -> float:
    texts = list(make_texts(memories))
    questions = make_questions(texts, 1_000)
    if not Places.under(home).store_path.exists():
        filling = multiprocessing.get_context("spawn").Process(
            target=bench_context._fill,
            args=(Places.under(home), texts, home.parent),
        )
        filling.start()
        filling.join()
    del texts
    gc.collect()
    with as_served(home) as engine:
        most, began, wall, cpu = 0.0, time.process_time(), [], []
        for number in range(count):
            signals = ContextSignals(
                project_path=str(home.parent / "project-0"), app="bench", prompt=questions[number % len(questions)],
                current_file=f"src/part{number % 50}.py", branch="feature/search-page", session=f"s{number}",
            )  # fmt: skip
            started, spent = time.perf_counter(), time.thread_time()
            engine.context.assemble(ContextRequest(signals, budget_tokens=BUDGET_TOKENS, is_kept=True))
            wall.append((time.perf_counter() - started) * 1000)
            cpu.append((time.thread_time() - spent) * 1000)
            if (number + 1) % max(1, count // 10) == 0:
                most = max(most, tell(f"{number + 1:,} contexts", time.process_time() - began, number + 1))
        for name, found in (("wall", sorted(wall)), ("processor of the thread", sorted(cpu))):
            middle, late = found[len(found) // 2], found[int(len(found) * 0.95)]
            print(f"P2   kept context, {name}: p50 {middle:.1f} ms, p95 {late:.1f} ms")
        return most


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("messages", "contexts"), nargs="?", default="messages")
    parser.add_argument("--count", type=int)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--home", type=Path)
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        home = options.home
        if home is None:
            home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="remanence-memory-"))) / "home"
        if options.what == "messages":
            most = measure_messages(home, options.count or 50_000)
        else:
            most = measure_contexts(home, options.count or 1_000, options.memories)
        print(f"P11  most {most:.0f} MB (goal 250)")


if __name__ == "__main__":
    sys.exit(main())
