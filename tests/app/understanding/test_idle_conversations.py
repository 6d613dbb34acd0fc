"""A conversation whose session was never ended: it pauses by itself, and does not outlast in the queue what was said after it."""

from app.api import ConversationState, Engine, FrozenClock
from tests.conftest import Say


def test_what_nobody_spoke_in_for_a_day_is_paused_though_nothing_else_begins(
    engine: Engine, say: Say, clock: FrozenClock
) -> None:
    say("Add a login page", session="closed-lid")
    engine._core.housekeeper.begin_day()
    assert engine.conversations.list()[0].state is ConversationState.ACTIVE
    clock.advance(days=1)
    engine._core.housekeeper.begin_day()
    assert engine.conversations.list()[0].state is ConversationState.PAUSED


def test_it_goes_on_where_it_was_left(engine: Engine, say: Say, clock: FrozenClock) -> None:
    say("Add a login page", session="closed-lid")
    clock.advance(days=1)
    engine._core.housekeeper.begin_day()
    say("continue", session="closed-lid")
    (one,) = engine.conversations.list()
    assert one.state is ConversationState.ACTIVE
    assert one.message_count == 2


def test_that_it_paused_does_not_stand_in_the_way_of_an_undo(engine: Engine, say: Say, clock: FrozenClock) -> None:
    say("Add a login page", session="closed-lid")
    clock.advance(days=1)
    engine._core.housekeeper.begin_day()
    say("continue", session="closed-lid")  # which woke it
    woke = next(one for one in engine.journal.list() if one.label.startswith("Captured"))
    clock.advance(days=1)
    engine._core.housekeeper.begin_day()
    engine.journal.undo(woke.id)
    (one,) = engine.conversations.list()
    assert (one.state, one.message_count) == (ConversationState.PAUSED, 1)
