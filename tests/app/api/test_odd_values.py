"""Numbers, times and lists that no store can hold are refused in a sentence, at every noun; those it can hold are not."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from app.api import Engine, InvalidError, MemoryDraft, MemoryEdit, MemoryFilter, NotFoundError, RecallQuery

HUGE = 2**63
Act = Callable[[Engine], object]


def nested(depth: int) -> dict[str, object]:
    found: dict[str, object] = {}
    for _ in range(depth):
        found = {"in": found}
    return found


@pytest.mark.parametrize(
    "act",
    [
        lambda engine: engine.memories.get(HUGE),
        lambda engine: engine.memories.pin([1, HUGE]),
        lambda engine: engine.memories.list(MemoryFilter(conversation_id=HUGE)),
        lambda engine: engine.context.receipts(before_id=-HUGE - 1),
        lambda engine: engine.events.changes_since(HUGE),
        lambda engine: engine.journal.undo(HUGE),
        lambda engine: engine.search.search(RecallQuery("port", filters=MemoryFilter(from_at=datetime(2026, 3, 1)))),
        lambda engine: engine.memories.list(MemoryFilter(valid_at=datetime(1, 1, 1, tzinfo=UTC))),
        lambda engine: engine.memories.create(
            MemoryDraft("Deploys are on Tuesday.", valid_to=datetime.max.replace(tzinfo=UTC))
        ),
        lambda engine: engine.memories.count(MemoryFilter(tags=tuple(map(str, range(20_000))))),
        lambda engine: engine.memories.create(MemoryDraft("Deploys are on Tuesday.", details=nested(3_000))),
        lambda engine: engine.memories.edit(1, MemoryEdit(details=nested(100))),
    ],
)
def test_what_no_store_can_hold_is_refused_in_a_sentence(engine: Engine, act: Act) -> None:
    with pytest.raises(InvalidError, match=r"\w.*\.$"):
        act(engine)


def test_what_it_can_hold_is_taken(engine: Engine) -> None:
    with pytest.raises(NotFoundError):
        engine.memories.get(HUGE - 1)
    made = engine.memories.create(MemoryDraft("Deploys are on Tuesday.", details=nested(20), tags=("a", "b")))
    assert engine.memories.count(MemoryFilter(tags=tuple(map(str, range(2_000))))) == 0
    assert engine.memories.count(MemoryFilter(from_at=datetime(200, 1, 1, tzinfo=UTC))) == 1
    assert engine.memories.get(made).memory.details == nested(20)
