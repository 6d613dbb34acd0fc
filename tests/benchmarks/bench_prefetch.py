"""What a prefetch is worth: the same assembly with and without `predict` for its file and branch before, CPU of this process.

Run with `python -m tests.benchmarks.bench_prefetch [memories] [conversations]`; prints a table, asserts no times. Every moment is asked
in two stores that are equal but for what they have answered before, in turns, so that a busy machine slows both alike.
"""

import random
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from app.api import Engine, Places, SystemClock
from app.store.journal import table_of
from app.store.store import Store
from app.store.tables.core import AppRow, ConversationRow, StreamRow
from app.values import ContextRequest, ContextSignals
from tests.benchmarks.bench_context import fill_projects
from tests.benchmarks.material.made_texts import make_questions, make_texts
from tests.benchmarks.material.stolen import tell_stolen_at_exit

_MEMORIES, _TALKS, _ASKED = 10_000, 400, 60
_FOLDERS = ("src/net", "src/store", "src/ui", "tests/net", "tests/store", "docs")


def main() -> None:
    numbers = [int(word) for word in sys.argv[1:]]
    memories, talks = (*numbers, *(_MEMORIES, _TALKS)[len(numbers) :])
    texts = list(make_texts(memories))
    questions = make_questions(texts, _ASKED)
    with tempfile.TemporaryDirectory(prefix="remanence-bench-") as folder, ExitStack() as stack:
        engines = [_open(Path(folder) / name, texts, talks) for name in ("with", "without")]
        for engine in engines:
            stack.callback(engine.close)
        spent: dict[str, list[float]] = {"predict": [], "with": [], "without": []}
        for number in range(-8, _ASKED):
            prepared, plain = (_request(Path(folder) / name, number, questions) for name in ("with", "without"))
            calls = {
                "predict": lambda request=prepared: engines[0].context.predict(request.signals),
                "with": lambda request=prepared: engines[0].context.assemble(request),
                "without": lambda request=plain: engines[1].context.assemble(request),
            }
            for name, call in calls.items():
                started = time.process_time()
                call()
                if number >= 0:
                    spent[name].append((time.process_time() - started) * 1000)
        print(f"{memories:,} memories, {talks} conversations, {_ASKED} moments; CPU ms p50 / p95")
        for name, title in (("predict", "the prefetch"), ("with", "assembly after it"), ("without", "assembly alone")):
            listed = sorted(spent[name])
            print(f"{title} | {statistics.median(listed):.2f} / {listed[int(len(listed) * 0.95)]:.2f}")
        ratio = statistics.median(spent["with"]) / statistics.median(spent["without"])
        print(f"with / without | {ratio:.2f}")


def _open(folder: Path, texts: list[str], talks: int) -> Engine:
    places = Places.under(folder)
    store = Store(places, SystemClock(), owner="serve")
    fill_projects(store, texts, folder)
    _fill_talks(store, folder, talks)
    store.close()
    engine = Engine.open(places)
    engine.search.rebuild()
    engine.warm_up()
    return engine


def _fill_talks(store: Store, folder: Path, count: int) -> None:
    """Sessions that touched a few files each, as derived from their tools."""
    rng, now = random.Random(5), store.clock.now()
    files = [f"{folder}/project-0/{place}/part{at}.py" for at in range(50) for place in _FOLDERS]
    numbers = range(1, count + 1)
    streams = [StreamRow(id=at, app_id=1, project_id=1, session=f"old{at}", started_at=now) for at in numbers]
    conversations = [
        ConversationRow(
            id=at,
            stream_id=at,
            queue_key=at,
            state="evicted",
            started_at=now,
            title=f"the {rng.choice(_FOLDERS)} of part{rng.randrange(50)}",
            files=rng.sample(files, rng.randint(2, 12)),
        )
        for at in numbers
    ]
    with store.database.transaction() as connection:
        connection.execute(
            table_of(AppRow).insert(), [AppRow(id=1, name="bench", title="Bench", created_at=now).model_dump()]
        )
        connection.execute(table_of(StreamRow).insert(), [row.model_dump() for row in streams])
        connection.execute(table_of(ConversationRow).insert(), [row.model_dump() for row in conversations])


def _request(folder: Path, number: int, questions: list[str]) -> ContextRequest:
    signals = ContextSignals(
        project_path=str(folder / "project-0"),
        app="bench",
        session=f"s{number}",
        prompt=questions[number % len(questions)],
        current_file=f"{_FOLDERS[number % len(_FOLDERS)]}/part{number % 50}.py",
        branch=f"feature/search-page-{number % 7}",
        recent_errors=(f"ConnectionResetError: peer closed part{number % 50} while reading",),
    )
    return ContextRequest(signals, is_kept=False)


if __name__ == "__main__":
    tell_stolen_at_exit()
    main()
