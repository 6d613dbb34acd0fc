"""Adds and searches the same texts here and in public memory libraries, side by side in one run, with the same judge.

Run with `python -m tests.benchmarks.peers [count] [locomo.jsonl]`; prints a table, asserts nothing. Each peer is installed from the
package registry into a virtual environment of its own in a temporary folder; what cannot be installed or run here says so. Without a
file the texts are made (`made_texts`) and a question is right when it finds the text that it was made from; with a LoCoMo file they are
the turns of its first conversation and its questions with their evidence. Every text is its own durable commit, all on one disk.
"""

import json
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.api import Engine, Places
from app.memories.new_memory import NewMemory, insert_memory
from app.values import Origin, RecallQuery
from tests.benchmarks.material.made_texts import make_texts
from tests.benchmarks.material.stolen import tell_stolen_at_exit
from tests.benchmarks.peers.scripts import PEERS, Peer

_COUNT, _ASKED, _LIMIT = 300, 150, 10
_DEPTHS = (5, 10)
_INSTALL_S, _RUN_S = 580, 900
_WORD = re.compile(r"\w{2,}")
_OPERATOR = re.compile(r"\b(?:and|or|not)\b", re.IGNORECASE)  # not as a word among others
_FRAMES = (
    "{0} {1} {2}",
    "what did we say about {0} and {1} together with {2}?",
    "where do I find something on {2}, {0} and {1}",
)


@dataclass(frozen=True, slots=True)
class Task:
    """Texts, questions, and for each question the numbers of the texts that answer it."""

    name: str
    texts: list[str]
    questions: list[str]
    evidence: list[frozenset[int]]


@dataclass(frozen=True, slots=True)
class Measured:
    added_ms: list[float]
    found_ms: list[float]
    hits: list[list[int]]  # numbers of texts, best first, per question


def make_task(count: int) -> Task:
    """Questions of three telling words each: bare, in a question, in another order with the ends of words changed."""
    rng = random.Random(13)
    texts = list(dict.fromkeys(make_texts(count)))
    often = Counter(word for text in texts for word in set(_words(text)))
    questions, evidence = [], []
    for number in range(_ASKED):
        target = rng.randrange(len(texts))
        telling = sorted(set(_words(texts[target])), key=lambda word: (often[word], word))[
            :5
        ]  # what tells it from others
        some = rng.sample(telling, 3)
        if number % 3 == 2:
            some = [f"{word}s" if word.isalpha() and word.islower() and word[-1] != "s" else word for word in some]
        questions.append(_FRAMES[number % 3].format(*some))
        evidence.append(frozenset({target}))
    return Task(f"{len(texts)} made texts", texts, questions, evidence)


def _words(text: str) -> list[str]:
    return [word for word in (word.strip(".,;:") for word in text.split()) if len(word) > 3]


def load_locomo(path: Path) -> Task:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    first = next(row["conv"] for row in rows if row["kind"] == "turn")
    turns = [row for row in rows if row["kind"] == "turn" and row["conv"] == first]
    at = {row["id"]: number for number, row in enumerate(turns)}
    asked = [row for row in rows if row["kind"] == "query" and row["conv"] == first]
    with_evidence = [row for row in asked if any(one in at for one in row["evidence"])][:_ASKED]
    return Task(
        f"{len(turns)} turns of {path.name}",
        [f"{row['speaker']}: {row['text']}" for row in turns],
        [row["text"] for row in with_evidence],
        [frozenset(at[one] for one in row["evidence"] if one in at) for row in with_evidence],
    )


def main(words: Sequence[str]) -> None:
    files = [Path(word) for word in words if not word.isdigit()]
    count = next((int(word) for word in words if word.isdigit()), _COUNT)
    task = load_locomo(files[0]) if files else make_task(count)
    print(f"{task.name}, each its own commit; {len(task.questions)} questions, {_LIMIT} hits wanted; wall ms p50 / p95")
    print("library | add | search | evidence in the first 5 | in the first 10 | questions without any hit", flush=True)
    with tempfile.TemporaryDirectory(prefix="remanence-peers-") as folder:
        _print("Remanence", _measure_ours(Path(folder), task), task)
        for peer in PEERS:
            found = _measure_peer(Path(folder) / peer.name, peer, task)
            if isinstance(found, str):
                print(f"{peer.title} | cannot run here: {found}", flush=True)
            else:
                asked = len(task.questions)
                _print(peer.title, _part(found, 0, asked), task)
                if peer.joins_words:
                    _print(f"{peer.title}, OR between the words", _part(found, asked, 2 * asked), task)


def _measure_ours(folder: Path, task: Task) -> Measured:
    engine = Engine.open(Places.under(folder / "ours"))
    numbers: dict[int, int] = {}
    added, found, hits = [], [], []
    try:
        engine.warm_up()
        store = engine._core.store
        for number, text in enumerate(task.texts):  # durable, with its four levels, journal and tags
            started = time.perf_counter()
            with store.write(origin=Origin.PERSON, kind="bench", label="") as write:
                numbers[insert_memory(write, NewMemory(text))] = number
            added.append((time.perf_counter() - started) * 1000)
        for question in task.questions:
            started = time.perf_counter()
            answer = engine.search.search(RecallQuery(question, limit=_LIMIT, is_counted=False))
            found.append((time.perf_counter() - started) * 1000)
            hits.append([numbers[hit.card.id] for hit in answer.hits])
    finally:
        engine.close()
    return Measured(added, found, hits)


def _measure_peer(folder: Path, peer: Peer, task: Task) -> Measured | str:
    """What the peer did, or why it did not."""
    base = _find_python(peer.least_python)
    if base is None:
        return f"it needs Python {'.'.join(map(str, peer.least_python))} or newer"
    folder.mkdir()
    given, script, python = folder / "given.json", folder / "peer.py", folder / "venv" / "bin" / "python"
    joined = (
        [" OR ".join(_WORD.findall(_OPERATOR.sub(" ", question))) for question in task.questions]
        if peer.joins_words
        else []
    )
    given.write_text(json.dumps({"texts": task.texts, "questions": [*task.questions, *joined], "limit": _LIMIT}))
    script.write_text(peer.script)
    home = {"HOME": str(folder), "PATH": "/usr/bin:/bin", **peer.environment}
    for command, limit_s, environment in (
        ([base, "-m", "venv", str(folder / "venv")], _INSTALL_S, None),
        ([str(python), "-m", "pip", "install", "--quiet", *peer.packages], _INSTALL_S, None),
        ([str(python), "-W", "ignore", str(script), str(given), str(folder / "data")], _RUN_S, home),
    ):
        try:
            done = subprocess.run(
                command, check=True, timeout=limit_s, capture_output=True, text=True, env=environment, cwd=folder
            )
        except subprocess.CalledProcessError as error:
            return (error.stderr.strip().splitlines() or ["it ended without a word"])[-1][:200]
        except subprocess.TimeoutExpired:
            return f"not done after {limit_s} s"
    measured = json.loads(done.stdout.strip().splitlines()[-1])
    return Measured(measured["added"], measured["found"], measured["hits"])


def _part(measured: Measured, start: int, end: int) -> Measured:
    return Measured(measured.added_ms, measured.found_ms[start:end], measured.hits[start:end])


def _find_python(least: tuple[int, int]) -> str | None:
    """An interpreter that is new enough: this one, one on the path, one that pyenv keeps."""
    if sys.version_info[:2] >= least:
        return sys.executable
    for minor in range(14, least[1] - 1, -1):
        kept = sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python3"))
        for found in (shutil.which(f"python3.{minor}"), *map(str, kept)):
            if found and not subprocess.run([found, "-c", ""], check=False, capture_output=True).returncode:
                return found
    return None


def _print(name: str, measured: Measured, task: Task) -> None:
    shares = [
        statistics.mean(
            len(wanted.intersection(hits[:depth])) / len(wanted)
            for wanted, hits in zip(task.evidence, measured.hits, strict=True)
        )
        for depth in _DEPTHS
    ]
    empty = sum(1 for hits in measured.hits if not hits)
    times = f"{_two(measured.added_ms)} | {_two(measured.found_ms)}"
    print(f"{name} | {times} | {' | '.join(f'{share:.2f}' for share in shares)} | {empty}", flush=True)


def _two(values: Sequence[float]) -> str:
    ordered = sorted(values)
    return f"{statistics.median(ordered):.2f} / {ordered[int(len(ordered) * 0.95)]:.2f}"


if __name__ == "__main__":
    tell_stolen_at_exit()
    main(sys.argv[1:])
