"""Contexts of 8,000 and 2,000 tokens at 1k, 10k, 100k memories; with `turn` also `POST /v1/turn`, capture and context (QUALITY P2).

Run with `python -m tests.benchmarks.bench_context [turn] [profile] [sizes…]`; prints a table, asserts no times. Half of the memories
belong to the project that is asked from, the rest to nine others. CPU is of this process, wall of the clock.
"""

import contextlib
import cProfile
import http.client
import json
import multiprocessing
import pstats
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import psutil

from app.api import Engine, Places, Scope, SystemClock
from app.cli.process import prefer_latency, settle
from app.server import start_server
from app.store.journal import table_of
from app.store.store import Store
from app.store.tables.core import ProjectRow
from app.store.tables.memory import ArtifactRow, LinkRow
from app.values import ContextRequest, ContextSignals, MemoryDraft
from tests.benchmarks.bench_recall import fill
from tests.benchmarks.material.made_texts import make_questions, make_texts
from tests.benchmarks.material.stolen import tell_stolen_at_exit

_SIZES = (1_000, 10_000, 100_000)
_ASKED = 120
_PROJECTS = 10
_PAUSE_S = 0.15
_LEVELS = (
    "UPDATE memory SET project_id = CASE WHEN id % 2 = 0 THEN 1 ELSE 2 + (id / 2) % 9 END, "
    "type = CASE id % 10 WHEN 0 THEN 'decision' WHEN 1 THEN 'constraint' WHEN 2 THEN 'preference' ELSE 'fact' END, "
    "full_tokens = length(full) / 4 + 1, summary_tokens = length(summary) / 4 + 1, "
    "compressed_tokens = length(compressed) / 4 + 1, index_tokens = length(index_text) / 4 + 1"
)


def _nothing(_number: int) -> None:
    return None


def main() -> None:
    prefer_latency()  # as `serve` and the window do
    words = sys.argv[1:]
    sizes = [int(word) for word in words if word.isdigit()] or list(_SIZES)
    print("size | what | wall p50 / p95 / max ms | cpu p50 / p95 ms | tokens, items, bytes of the median context")
    for size in sizes:
        _measure(size, has_turn="turn" in words, is_profiled="profile" in words)


def _measure(size: int, *, has_turn: bool, is_profiled: bool) -> None:
    texts = list(make_texts(size))
    questions = make_questions(texts, _ASKED)
    with tempfile.TemporaryDirectory(prefix="remanence-bench-") as folder:
        places = Places.under(Path(folder))
        project = str(Path(folder) / "project-0")
        filling = multiprocessing.get_context("spawn").Process(target=_fill, args=(places, texts, Path(folder)))
        filling.start()  # a process of its own, since what it takes is not what contexts take
        filling.join()
        del texts
        with closing(Engine.open(places)) as engine:
            engine.warm_up()
            settle()
            for name, budget, is_kept in (
                ("8000 preview", 8_000, False),
                ("8000 kept", 8_000, True),
                ("2000", 2_000, True),
            ):
                _print(size, name, *_ask_engine(engine, project, questions, budget, is_kept=is_kept))
            if has_turn:
                _print(size, "turn, first of a session", *_ask_server(engine, project, questions, session=""))
                _print(size, "turn, one session", *_ask_server(engine, project, questions, session="long"))
            print(f"resident memory {psutil.Process().memory_info().rss / 2**20:.0f} MB", flush=True)
            if is_profiled:
                _profile(lambda: _ask_engine(engine, project, questions, 8_000, is_kept=False))


def _fill(places: Places, texts: Sequence[str], folder: Path) -> None:
    store = Store(places, SystemClock(), owner="serve")
    fill_projects(store, texts, folder)
    store.close()
    with contextlib.closing(Engine.open(places)) as engine:
        engine.search.rebuild()


def fill_projects(store: Store, texts: Sequence[str], folder: Path) -> None:
    """Memories with their levels, projects, and a few links and files."""
    with store.database.transaction() as connection:
        connection.execute(
            table_of(ProjectRow).insert(),
            [{"path": str(folder / f"project-{at}"), "name": f"project-{at}"} for at in range(_PROJECTS)],
        )
    fill(store, texts)
    with store.database.transaction() as connection:
        connection.exec_driver_sql(_LEVELS)
        numbers = range(2, len(texts) - 2, 20)
        connection.execute(
            table_of(LinkRow).insert(),
            [
                {"from_kind": "memory", "from_id": at, "to_kind": "memory", "to_id": at + 2, "type": "related_to",
                 "strength": 0.5, "to_name": "", "created_at": store.clock.now()}
                for at in numbers
            ],
        )  # fmt: skip
        connection.execute(
            table_of(ArtifactRow).insert(),
            [{"memory_id": at, "kind": "file", "reference": f"src/part{at % 50}.py"} for at in numbers],
        )


def _ask_engine(
    engine: Engine, project: str, questions: Sequence[str], budget: int, *, is_kept: bool
) -> tuple[list[float], list[float], str]:
    seen: list[tuple[int, int, int]] = []

    def ask(number: int) -> None:
        signals = ContextSignals(
            project_path=project, app="bench", prompt=questions[number % len(questions)],
            current_file=f"src/part{number % 50}.py", branch="feature/search-page", session=f"s{number}-{budget}-{is_kept}",
        )  # fmt: skip
        context = engine.context.assemble(ContextRequest(signals, budget_tokens=budget, is_kept=is_kept))
        seen.append((context.token_count, len(context.items), len(context.text)))

    wall, cpu = time_calls(ask, len(questions))
    return wall, cpu, str(sorted(seen)[len(seen) // 2])


def _ask_server(
    engine: Engine, project: str, questions: Sequence[str], *, session: str
) -> tuple[list[float], list[float], str]:
    """Over the socket: captured durably, told its context; a memory of the project comes in before each prompt.

    `session`: the one that all prompts belong to; "" is a new one each time, to which nothing was told before.
    """
    server = start_server(engine, port=0)
    _, token = engine.apps.create(f"bench-{session or 'many'}", "Bench", frozenset({Scope.CAPTURE, Scope.READ}))
    line = http.client.HTTPConnection("127.0.0.1", server.endpoint.port)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    given: list[int] = []

    def ask(number: int) -> None:
        body = {"text": f"{questions[number % len(questions)]} ({number})", "wait": "durable",
                "session": session or f"t{number}", "project_root": project, "key": uuid.uuid4().hex}  # fmt: skip
        line.request("POST", "/v1/turn", json.dumps(body), headers)
        found = json.loads(line.getresponse().read())
        given.append(found["context_tokens"])

    def learn(number: int) -> None:
        text = f"The drawer {number} of {session or 'many'} holds {uuid.uuid4().hex[:8]}."
        engine.memories.create(MemoryDraft(text=text, project_path=project))
        time.sleep(_PAUSE_S)  # a person types longer than it takes to write down what was told before

    try:
        wall, cpu = time_calls(ask, len(questions), before=learn)
    finally:
        line.close()
        server.stop()
    return wall, cpu, f"{sorted(given)[len(given) // 2]} tokens, {given.count(0)} of {len(given)} without"


def time_calls(
    call: Callable[[int], object], count: int, *, before: Callable[[int], object] = _nothing
) -> tuple[list[float], list[float]]:
    """Wall and CPU milliseconds of each call, after ten to warm up; not of what comes `before` it."""
    for number in range(10):
        before(-number - 1)
        call(-number - 1)
    wall, cpu = [], []
    for number in range(count):
        before(number)
        started, spent = time.perf_counter(), time.process_time()
        call(number)
        wall.append((time.perf_counter() - started) * 1000)
        cpu.append((time.process_time() - spent) * 1000)
    return wall, cpu


def _print(size: int, name: str, wall: list[float], cpu: list[float], note: str) -> None:
    def at(values: list[float], share: float) -> float:
        return sorted(values)[min(len(values) - 1, int(len(values) * share))]

    print(
        f"{size:,} | {name} | {statistics.median(wall):.1f} / {at(wall, 0.95):.1f} / {max(wall):.1f} | "
        f"{statistics.median(cpu):.1f} / {at(cpu, 0.95):.1f} | {note}",
        flush=True,
    )


def _profile(call: Callable[[], object]) -> None:
    profile = cProfile.Profile()
    profile.runcall(call)
    pstats.Stats(profile).sort_stats("tottime").print_stats(28)


if __name__ == "__main__":
    tell_stolen_at_exit()
    main()
