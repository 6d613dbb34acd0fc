"""Why a memory is so: what the person said beside it, and what links say; nothing is made up."""

import pytest

from app.api import CaptureRequest, Engine, EventKind, MemoryDraft
from app.deciders.memory.reasons import MAX_REASON_CHARS, find_reason, load_reason_rules
from app.values import LinkType, MemoryReason
from app.values.graph import NodeId, NodeKind, Relation
from tests.patience import PATIENCE_S

CASES = (
    ("We decided to keep sessions in Redis", "We decided to keep sessions in Redis, because a restart logged all out.", "because a restart logged all out"),
    ("Always build in one container.", "Always build in one container. Otherwise the caches fight. Then run the tests.", "Otherwise the caches fight"),
    ("Pin the parser", "Pin the parser so that two machines agree; and fix the docs", "so that two machines agree"),
    ("Use pnpm", "Use pnpm. Why is the build slow?", ""),
    ("Use pnpm", "We sort imports because diffs get smaller. Use pnpm.", ""),
    ("Use pnpm, because", "Use pnpm, because", ""),
    ("Words that left with the message, because it was full", "another message", "because it was full"),
    ("", "because nothing was said", ""),
)  # fmt: skip


@pytest.mark.parametrize(("quote", "text", "reason"), CASES)
def test_the_reason_beside_a_statement(quote: str, text: str, reason: str) -> None:
    assert find_reason(quote, text, load_reason_rules()) == reason


def test_a_long_reason_is_cut() -> None:
    found = find_reason("Use tabs", f"Use tabs because {'of the very old editor ' * 40}", load_reason_rules())
    assert len(found) <= MAX_REASON_CHARS
    assert found.endswith("…")


def test_said_linked_and_neither(engine: Engine) -> None:
    text = "We decided to keep sessions in Redis, because a restart of the server logged everybody out."
    request = CaptureRequest("claude-code", EventKind.PROMPT, "k1", session="s1", text=text, cwd="/src/cortex")
    engine.events.capture([request], wait_s=PATIENCE_S)
    (said,) = [card.id for card in engine.memories.list().cards if "Redis" in card.title or "Redis" in card.text]
    old = engine.memories.create(MemoryDraft("Orders live in MySQL.", title="Orders live in MySQL"))
    new = engine.memories.create(MemoryDraft("Orders live in PostgreSQL.", title="Orders live in PostgreSQL"))
    plain = engine.memories.create(MemoryDraft("The office closes at six."))
    a, b = NodeId(NodeKind.MEMORY, new), NodeId(NodeKind.MEMORY, old)
    engine.graph.draw(a, b, Relation.SUPERSEDES, reason="imports locked the whole table")
    assert engine.memories.reasons((said, new, old, plain, 10**9)) == {
        said: (MemoryReason("because a restart of the server logged everybody out"),),
        new: (MemoryReason("imports locked the whole table", LinkType.SUPERSEDES, old, "Orders live in MySQL"),),
    }
    assert engine.memories.reasons(()) == {}
