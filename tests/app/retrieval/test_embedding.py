"""Search by meaning: what likeness changes and what it does not, what goes with a memory, what happens without a model."""

import array
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from app.api import Engine, MemoryDraft, MemoryEdit, Places, RecallQuery
from app.errors import InvalidError
from app.retrieval.embedding import VectorError, pack_vector, read_vectors
from tests.app.retrieval.model_of_meaning import Model, running_model
from tests.patience import PATIENCE_S


@pytest.fixture
def model() -> Iterator[Model]:
    with running_model() as made:
        yield made


@pytest.fixture
def engine(places: Places, model: Model) -> Iterator[Engine]:
    made = Engine.open(places, flags={"embedding_model": "small", "embedding_endpoint": model.address})
    made.load()
    yield made
    made.close()


def wait(is_so: Callable[[], bool]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end_s
        time.sleep(0.02)


def remember(engine: Engine, *texts: str) -> list[int]:
    ids = [engine.memories.add(MemoryDraft(text)).id for text in texts]
    wait(lambda: is_whole(engine))
    return ids


def is_whole(engine: Engine) -> bool:
    state = engine.search.meaning()
    return state.serving is not None and state.serving.memory_count == state.memory_count


def vectors(engine: Engine) -> list[int]:
    with engine._core.store.read() as connection:
        return [row[0] for row in connection.exec_driver_sql("SELECT memory_id FROM embedding ORDER BY memory_id")]


def test_what_means_the_same_stands_first_and_says_so(engine: Engine, model: Model) -> None:
    blue, mail = remember(engine, "The shop service is blue.", "The shop service talks to Postmark.")
    answer = engine.search.search(RecallQuery("letter of the shop service"))
    assert [hit.card.id for hit in answer.hits] == [mail, blue]
    by_name = {signal.name: signal for signal in answer.hits[0].signals}
    assert by_name["meaning"].value > 0.9
    assert sum(signal.share for signal in answer.hits[0].signals) == pytest.approx(1.0)
    model.lengths = {}  # the model breaks: words alone answer, and at once
    asked = engine.search.search(RecallQuery("a letter of this shop service"))
    assert {hit.card.id for hit in asked.hits} == {blue, mail}
    assert all(signal.name != "meaning" for hit in asked.hits for signal in hit.signals)


def test_meaning_brings_nothing_in_that_no_word_found(engine: Engine) -> None:
    remember(engine, "The shop service talks to Postmark.", "Colours are blue.")
    assert engine.search.search(RecallQuery("letter xylophone")).hits == ()


@pytest.mark.seed("S4", "schema.embeddings")
def test_vectors_go_with_their_memory_and_with_its_text(engine: Engine, model: Model) -> None:
    first, second = remember(engine, "We use Postgres for storage.", "The theme is blue.")
    assert vectors(engine) == [first, second]
    engine.memories.edit(first, MemoryEdit(full="We use SQLite for storage."))
    wait(lambda: is_whole(engine))
    assert "We use SQLite for storage." in model.texts
    engine.memories.erase([second])
    assert vectors(engine) == [first]


def test_stopped_and_gone_on_with(engine: Engine, model: Model) -> None:
    remember(engine, *(f"Service {number} uses Postgres." for number in range(20)))
    model.gate.clear()
    state = engine.search.reembed()
    assert state.serving is not None
    assert state.building is not None
    assert (state.serving.version, state.building.version) == (1, 2)
    stopped_s = time.monotonic()
    state = engine.search.stop_reembedding()
    assert state.is_stopped
    wait(lambda: not engine._core.embedding.is_busy)
    assert time.monotonic() - stopped_s < 1.0 + PATIENCE_S / 10
    model.gate.set()
    engine.search.reembed()
    wait(lambda: (serving := engine.search.meaning().serving) is not None and serving.version == 2)
    wait(lambda: len(vectors(engine)) == 20)  # the old ones are gone


def test_an_address_elsewhere_needs_a_yes(places: Places) -> None:
    flags = {"embedding_model": "small", "embedding_endpoint": "http://192.0.2.1:9/v1"}
    with closing(Engine.open(places, flags=flags)) as engine:
        engine.memories.add(MemoryDraft("We use Postgres."))
        wait(lambda: "not on this machine" in engine.search.meaning().problem)
        assert engine.search.meaning().serving is None


def test_without_a_model_nothing_is_asked(places: Places) -> None:
    with closing(Engine.open(places)) as engine:
        engine.memories.add(MemoryDraft("We use Postgres."))
        assert not engine.search.meaning().is_on
        with pytest.raises(InvalidError, match="No model"):
            engine.search.reembed()
        assert engine._core.embedding._thread is None


@pytest.mark.parametrize(
    "raw",
    [b"{}", b"[]", b"x", b'{"data": [{"index": 0, "embedding": []}]}', b'{"data": [{"index": 0, "embedding": [NaN]}]}'],
)
def test_other_answers_are_no_vectors(raw: bytes) -> None:
    with pytest.raises(VectorError):
        read_vectors(raw, 1)


def test_a_packed_vector_keeps_its_direction() -> None:
    assert list(array.array("b", pack_vector([1e-9, -5e-10]))) == [127, -64]
    assert pack_vector([0.0, 0.0]) == b""
    assert pack_vector([float("inf"), 1.0]) == b""
