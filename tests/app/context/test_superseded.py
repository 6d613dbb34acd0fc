"""What a message gives up is not told in its own turn as if it held, and the receipt says why; a question gives up nothing."""

import pytest

from app.api import Engine, MemoryDraft
from app.context.candidates.filtering import SUPERSEDED_BY_PROMPT
from app.values import Context, ContextRequest, ContextSignals

SHOP = "/w/shop"
CACHE = "We use Redis for caching."
PORT = "Redis listens on port 6380."


@pytest.fixture
def cache(engine: Engine) -> int:
    engine.memories.create(MemoryDraft(PORT, project_path=SHOP))
    return engine.memories.create(MemoryDraft(CACHE, project_path=SHOP))


def tell(engine: Engine, prompt: str, delivery: str) -> Context:
    signals = ContextSignals(SHOP, app="claude-code", session="s", prompt=prompt)
    return engine.context.assemble(ContextRequest(signals, delivery=delivery, is_kept=False))


@pytest.mark.parametrize("delivery", ["hook:prompt", "turn", "mcp"])
@pytest.mark.parametrize(
    "prompt",
    [
        "We moved from Redis to Memcached for caching.",
        "Fix the caching tests. We no longer use Redis for it!",
        "use Memcached instead of Redis for caching",
        "We dropped Redis, so the caching settings can go",
    ],
)
def test_what_the_message_gives_up_is_left_out_with_the_reason(
    engine: Engine, cache: int, prompt: str, delivery: str
) -> None:
    given = tell(engine, prompt, delivery)
    assert CACHE not in given.text
    if not given.is_empty:
        assert {one.memory_id: one.reason for one in given.left_out}[cache] == SUPERSEDED_BY_PROMPT


@pytest.mark.parametrize(
    "prompt",
    [
        "Should we move from Redis to Memcached for caching?",
        "why did we move the caching from Memcached to Redis",
        "The caching in Redis is slow, look into it",
        "We moved the caching of Redis into a package of its own",
    ],
)
def test_what_is_asked_or_still_holds_is_told(engine: Engine, cache: int, prompt: str) -> None:
    assert CACHE in tell(engine, prompt, "mcp").text


def test_what_else_is_known_of_it_is_told_along(engine: Engine, cache: int) -> None:
    given = tell(engine, "We moved from Redis to Memcached: close the Redis port it listens on", "hook:prompt")
    assert PORT in given.text
    assert cache not in [item.memory_id for item in given.items]
