"""Numbers of rows are never given twice: not after an erasure, not after the journal was let go, not after a restart."""

from collections.abc import Callable

import pytest

from app.api import Engine, FrozenClock, MemoryDraft, Places

Forget = Callable[[Engine, int], object]


@pytest.mark.parametrize(
    "forget",
    [
        lambda engine, newest: engine.memories.erase([newest]),
        lambda engine, _: (engine.journal.undo(), engine._core.store.prune_journal(-1)),
    ],
    ids=["erased", "undone and let go"],
)
def test_the_newest_number_is_not_given_again(places: Places, clock: FrozenClock, forget: Forget) -> None:
    first = Engine.open(places, clock=clock)
    first.memories.create(MemoryDraft("Deploys are on Tuesday."))
    newest = first.memories.create(MemoryDraft("The search runs on port 9200."))
    forget(first, newest)
    first.close()
    second = Engine.open(places, clock=clock)
    try:
        assert second.memories.create(MemoryDraft("Backups run at night.")) > newest
    finally:
        second.close()
