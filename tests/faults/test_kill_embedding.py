"""Re-embedding killed by SIGKILL: what was worked out is kept, the rest follows, and search answers as before until all is there."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api import Engine, MemoryDraft, Places, RecallQuery
from app.values.recall import EmbeddingState
from tests.app.retrieval.model_of_meaning import Model, running_model
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
_COUNT = 70  # in batches of 16: five


@pytest.fixture
def model() -> Iterator[Model]:
    with running_model() as made:
        yield made


def opened(home: Path, **flags: object) -> Engine:
    return Engine.open(Places.under(home), flags=flags)


def wait_for(engine: Engine, wanted: str) -> EmbeddingState:
    end_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < end_s:
        state = engine.search.meaning()
        if state.serving is not None and state.serving.model == wanted and state.building is None:
            return state
        time.sleep(0.02)
    raise AssertionError(engine.search.meaning())


def answers(engine: Engine) -> list[list[tuple[int, float]]]:
    asked = ("how do we send letters", "which storage is used", "service 7", "nothing of this")
    found = [engine.search.search(RecallQuery(one, is_counted=False)) for one in asked]
    return [[(hit.card.id, round(hit.score, 6)) for hit in one.hits] for one in found]


@pytest.mark.seed("S4", "phase.c.reembed")
def test_killed_and_resumed_while_the_old_one_answers(tmp_path: Path, model: Model) -> None:
    home = tmp_path / "home"
    with contextlib.closing(opened(home)) as engine:
        for number in range(_COUNT):
            topic = ("sends mail by Postmark", "keeps its storage in Postgres", "has a blue theme")[number % 3]
            engine.memories.add(MemoryDraft(f"The service {number} {topic}."))
    flags = {"embedding_model": "small", "embedding_endpoint": model.address}
    with contextlib.closing(opened(home, **flags)) as engine:
        wait_for(engine, "small")
        before = answers(engine)
    model.asked.clear()
    program = [sys.executable, "-m", "tests.faults.children.embed_until_killed", str(home), model.address, "large"]
    done = subprocess.run([*program, "2"], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == -9, done.stderr
    assert model.asked == [("large", 32)] * 3, (
        "whole and summary of 16; the third batch was answered, and its vectors died with the process"
    )
    model.most, model.asked[:] = 1, []  # of what is left: the first request is answered, then the model hangs
    with contextlib.closing(opened(home, **(flags | {"embedding_model": "large"}))) as engine:
        engine.load()
        end_s = time.monotonic() + PATIENCE_S
        while (state := engine.search.meaning()).building is None or state.building.memory_count < 48:
            assert time.monotonic() < end_s, state
            time.sleep(0.02)
        assert state.serving is not None
        assert (state.serving.model, state.building.memory_count) == ("small", 48), "32 of the killed one, 16 since"
        model.most = None
        model.gate.set()
        state = wait_for(engine, "large")
        assert state.serving is not None
        assert state.serving.memory_count == _COUNT
        assert sum(count for name, count in model.asked if name == "large") == 2 * (_COUNT - 32), "nothing twice"
        assert [[one for one, _ in hits] for hits in answers(engine)] == [[one for one, _ in hits] for hits in before]
