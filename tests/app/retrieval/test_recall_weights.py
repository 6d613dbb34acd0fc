"""A search that brings its own weights, settings that do, and the bounds of a hit: S3's options of retrieval."""

import pytest

from app.api import Engine, FrozenClock
from app.deciders.recall.ranking.recipes import parse_weights
from app.errors import InvalidError
from app.settings import Settings
from app.values import MemoryDraft, RecallQuery

BOTH = "deploy"


@pytest.fixture(autouse=True)
def _two(engine: Engine, clock: FrozenClock) -> None:
    """An old important one, a new one that matters little."""
    engine.memories.create(MemoryDraft("We deploy on Fridays from the main branch.", importance=1.0))
    clock.advance(days=90)
    engine.memories.create(MemoryDraft("We deploy the pages with rsync to the old box.", importance=0.1))


def order(engine: Engine, **more: object) -> list[int]:
    answer = engine.search.find(RecallQuery(BOTH, is_counted=False, **more))  # type: ignore[arg-type]
    return [hit.card.id for hit in answer.hits if hit.card is not None]


@pytest.mark.seed("S3", "retrieval.query.weights")
def test_weights_of_one_query_decide_its_order(engine: Engine) -> None:
    assert order(engine, weights={"importance": 1.0}) == [1, 2]
    assert order(engine, weights={"recency": 1.0}) == [2, 1]
    assert order(engine, weights=engine.search.weights("recency .9, importance .1")) == [2, 1]


@pytest.mark.seed("S3", "retrieval.score.final")
def test_the_score_is_the_weighted_mean(engine: Engine) -> None:
    weights = {"keyword": 0.6, "recency": 0.8, "importance": 0.2, "access": 0.0}
    (hit, _) = engine.search.search(RecallQuery(BOTH, weights=weights, is_counted=False)).hits
    values = {signal.name: signal.value for signal in hit.signals}
    mean = sum(weight * values.get(name, 0.0) for name, weight in weights.items()) / sum(weights.values())
    assert hit.score == pytest.approx(mean, abs=1e-6)


def test_what_has_no_word_of_the_query_is_no_hit_whatever_weighs(engine: Engine) -> None:
    engine.memories.create(MemoryDraft("Invoices are blue.", importance=1.0))
    assert order(engine, weights={"importance": 1.0}) == [1, 2]


@pytest.mark.seed("S3", "config.recency-importance")
def test_weights_of_the_settings_hold_for_who_brings_none(engine: Engine) -> None:
    engine.settings.set("recall_weights", "importance .4, recency .3, relevance .3")
    assert engine.search.search(RecallQuery(BOTH)).recipe == "weights as given"
    assert engine.search.search(RecallQuery(BOTH, recipe="gated")).recipe == "gated"


@pytest.mark.seed("S3", "config.top-k")
@pytest.mark.seed("S3", "config.threshold")
def test_how_many_and_how_well_they_must_fit_are_settings(engine: Engine) -> None:
    assert Settings().recall_limit == 10
    engine.settings.set("recall_limit", 1)
    assert len(order(engine)) == 1
    assert len(order(engine, limit=2)) == 2
    engine.settings.set("recall_threshold", 0.99)
    assert order(engine, limit=2, weights={"recency": 1.0}) == [2]


@pytest.mark.parametrize("text", ["recency", "luck .5", "recency -1", "recency nan", "recency 0", "recency much"])
def test_weights_that_cannot_be_used_are_named(text: str) -> None:
    with pytest.raises(InvalidError) as raised:
        parse_weights(text)
    assert "You can weigh" in raised.value.hint
