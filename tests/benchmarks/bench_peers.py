"""Adds and searches the same texts here and in a public memory library, side by side in one run.

Run with `python -m tests.benchmarks.bench_peers [count]`; prints a table, asserts no times. The peer (LangGraph's SqliteStore, with
an embedder that costs nothing, so that only its own work is timed) is installed from the package registry into a virtual environment
of its own in a temporary folder; nothing else touches the network. Both keep their files on the same disk.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Sequence
from pathlib import Path

from app.api import Engine, Places
from app.services.memory_rows import NewMemory, insert_memory
from app.values import Origin, RecallQuery
from tests.benchmarks.made_texts import make_questions, make_texts

_COUNT = 1_000
_ASKED = 100
_PEER = ("langgraph-checkpoint-sqlite>=3", "langgraph-checkpoint>=3", "pysqlite3>=0.6.1")
_SCRIPT = """
import json, sys, time
from pathlib import Path
import pysqlite3
sys.modules["sqlite3"] = pysqlite3  # many Pythons cannot load what the vectors of the peer need
sys.modules["sqlite3.dbapi2"] = pysqlite3.dbapi2
from langgraph.store.sqlite import SqliteStore

given = json.loads(Path(sys.argv[1]).read_text())

def embed(texts):
    made = []
    for text in texts:
        vector = [0.0] * 64
        for word in text.lower().split():
            vector[hash(word) % 64] += 1.0
        made.append(vector)
    return made

def timed(work, items):
    spent = []
    for item in items:
        started = time.perf_counter()
        work(item)
        spent.append((time.perf_counter() - started) * 1000)
    return spent

def measure(index):
    with SqliteStore.from_conn_string(sys.argv[2], index=index) as store:
        store.setup()
        added = timed(lambda one: store.put(("m",), str(one[0]), {"text": one[1]}), list(enumerate(given["texts"])))
        found = timed(lambda text: store.search(("m",), query=text, limit=20), given["questions"])
        return added, found

index = {"dims": 64, "embed": embed, "fields": ["text"]}
print(json.dumps({"vectors by words, 64 numbers": measure(index)}))
"""


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else _COUNT
    texts = list(make_texts(count))
    questions = make_questions(texts, _ASKED)
    print(f"{count:,} texts added one by one, each its own commit; {_ASKED} searches of 20; wall ms, p50 / p95")
    print("library | add | search")
    with tempfile.TemporaryDirectory(prefix="remanence-peers-") as folder:
        for name, (added, found) in {
            **_ours(Path(folder), texts, questions),
            **_peer(Path(folder), texts, questions),
        }.items():
            print(f"{name} | {_two(added)} | {_two(found)}", flush=True)


def _ours(folder: Path, texts: Sequence[str], questions: Sequence[str]) -> dict[str, tuple[list[float], list[float]]]:
    engine = Engine.open(Places.under(folder / "ours"))
    try:
        store = engine._core.store

        def add(text: str) -> None:  # durable, with its four levels, journal and tags
            with store.write(origin=Origin.PERSON, kind="bench", label="") as write:
                insert_memory(write, NewMemory(text))

        added = _timed(add, texts)
        found = _timed(lambda text: engine.search.search(RecallQuery(text, is_counted=False)), questions)
    finally:
        engine.close()
    return {"Remanence": (added, found)}


def _peer(folder: Path, texts: Sequence[str], questions: Sequence[str]) -> dict[str, tuple[list[float], list[float]]]:
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", *_PEER], check=True, timeout=300, capture_output=True)
    given, script = folder / "given.json", folder / "peer.py"
    given.write_text(json.dumps({"texts": texts, "questions": questions}))
    script.write_text(_SCRIPT)
    done = subprocess.run(
        [python, script, given, folder / "peer.db"], check=True, timeout=600, capture_output=True, text=True
    )
    measured = json.loads(done.stdout)
    return {f"LangGraph SqliteStore, {name}": (added, found) for name, (added, found) in measured.items()}


def _timed(work: Callable[[str], object], items: Sequence[str]) -> list[float]:
    spent = []
    for item in items:
        started = time.perf_counter()
        work(item)
        spent.append((time.perf_counter() - started) * 1000)
    return spent


def _two(values: Sequence[float]) -> str:
    ordered = sorted(values)
    return f"{statistics.median(ordered):.2f} / {ordered[int(len(ordered) * 0.95)]:.2f}"


if __name__ == "__main__":
    main()
