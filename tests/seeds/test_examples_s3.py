"""S3's printed figures: types, weights, decay, the tree of the budget; as printed."""

from datetime import UTC, datetime, timedelta

import pytest

from app.api import Engine, FactType, MemoryDraft
from app.deciders.memory.decay import decay
from app.deciders.recall.ranking.recipes import load_recipes
from app.settings import Settings

NOW = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.mark.seed("S3", "type.importance")
def test_each_type_has_its_default_importance(engine: Engine) -> None:
    printed = {
        "fact": 0.5,
        "decision": 0.7,
        "preference": 0.6,
        "entity": 0.5,
        "procedure": 0.5,
        "constraint": 0.6,
        "goal": 0.8,
    }
    made = {}
    for name in printed:
        number = engine.memories.create(MemoryDraft(f"The {name} about lamps.", type=FactType(name)))
        made[name] = engine.memories.get(number).memory.importance
    assert made == printed
    assert {one.value for one in FactType} == set(printed)


@pytest.mark.seed("S3", "retrieval.weights")
def test_the_weights_of_the_seed_are_a_recipe() -> None:
    """Printed twice, differently; both are shipped. The default is what measures best."""
    recipes = load_recipes()
    assert recipes["seed_weights"].weights == {
        "meaning": 0.4, "keyword": 0.3, "recency": 0.2, "importance": 0.1, "access": 0.0,
    }  # fmt: skip
    config = recipes["seed_config"].weights
    assert (config["recency"], config["importance"]) == (0.3, 0.4)


@pytest.mark.seed("S3", "decay.half-life", "decay.boost")
@pytest.mark.parametrize(
    ("days", "accesses", "left"),
    [(0, 0, 1.0), (30, 0, 0.5), (60, 0, 0.25), (30, 3, 0.8), (30, 5, 1.0), (60, 9, 0.75), (0, 9, 1.0)],
)
def test_the_decay_function(days: int, accesses: int, left: float) -> None:
    assert decay(NOW - timedelta(days=days), accesses, NOW) == pytest.approx(left)


@pytest.mark.seed("S3", "config.defaults")
def test_the_defaults_of_the_configuration() -> None:
    """As printed but relevanceThreshold: a score of 0.3 means another thing in our recipe, so that 0 leaves it to silence."""
    settings = Settings()
    assert (settings.window_tokens, settings.window_working_tokens, settings.window_system_tokens) == (
        128_000,
        8_000,
        2_000,
    )
    assert (settings.chunk_messages, settings.recent_messages, settings.window_turns) == (10, 20, 50)
    assert (settings.recall_limit, settings.recall_threshold, settings.decay_half_life_days) == (10, 0.0, 30)
