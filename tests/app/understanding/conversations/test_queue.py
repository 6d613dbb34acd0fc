"""The queue of 20: who leaves, who never does, what stays of the one that left."""

import pytest

from app.api import CaptureRequest, ConversationState, Engine, EventKind, FrozenClock, NotFoundError, Outcome
from tests.benchmarks.bench_queue import make_requests, measure
from tests.conftest import Say
from tests.patience import PATIENCE_S

TOPICS = (
    "login page",
    "CSV export",
    "dark mode",
    "search field",
    "payment form",
    "map view",
    "chat window",
    "news feed",
)


def fill(engine: Engine, say: Say, count: int) -> None:
    for number in range(count):
        session = f"fill-{number}"
        say(f"Add a {TOPICS[number % len(TOPICS)]} to shop {number}", session=session)
        end = CaptureRequest(
            app="claude-code", kind=EventKind.SESSION_END, key=f"end-{number}", session=session, cwd="/w/app"
        )
        engine.events.capture([end], wait_s=PATIENCE_S)


@pytest.mark.seed("S1", "queue.twenty", "queue.renumber", "queue.stable")
def test_twenty_stay_and_the_oldest_leaves(engine: Engine, say: Say) -> None:
    fill(engine, say, 23)
    kept = engine.conversations.list()
    assert len(kept) == 20
    assert [one.position for one in kept] == list(range(20, 0, -1))
    assert [one.id for one in kept] == list(range(23, 3, -1))
    earlier = [one for one in engine.conversations.list(include_evicted=True) if one.state is ConversationState.EVICTED]
    assert {one.id for one in earlier} == {1, 2, 3}
    assert all(one.title and one.topics and one.position is None for one in earlier)
    assert engine.conversations.get(1).messages == ()


def test_a_conversation_in_which_nothing_was_said_leaves_before_an_older_one(engine: Engine, say: Say) -> None:
    fill(engine, say, 19)
    for number, text in enumerate(("continue", "yes", "hello")):
        event = say(text, session=f"idle-{number}")
        end = CaptureRequest(
            app="claude-code",
            kind=EventKind.SESSION_END,
            key=f"idle-end-{number}",
            session=f"idle-{number}",
            cwd="/w/app",
        )
        engine.events.capture([end], wait_s=PATIENCE_S)
    assert [one.id for one in engine.conversations.list() if one.is_next_out] == [event.conversation_id]
    say("Add a calendar", session="last")
    assert {one.id for one in engine.conversations.list()} >= set(range(1, 20)), "none that says something has left"


@pytest.mark.seed("S1", "queue.active")
def test_the_active_one_is_never_evicted_even_when_it_is_the_oldest(engine: Engine, say: Say) -> None:
    say("I want to add a FAB button", session="open")
    fill(engine, say, 25)
    kept = engine.conversations.list()
    oldest = kept[-1]
    assert (oldest.id, oldest.state) == (1, ConversationState.ACTIVE)
    assert len(kept) == 20
    assert [message.text for message in engine.conversations.get(1).messages] == ["I want to add a FAB button"]


@pytest.mark.seed("S1", "queue.one-active")
def test_when_all_are_active_the_one_idle_longest_is_abandoned_first(engine: Engine, say: Say) -> None:
    engine.settings.set("idle_pause_s", 2_592_000)
    for number in range(20):
        say(f"Add a {TOPICS[number % 8]} to shop {number}", session=f"s{number}")
    say("Make the first one wider", session="s0")
    say("Add a calendar", session="s20")
    kept = {one.id for one in engine.conversations.list()}
    assert 2 not in kept, "number 2 was idle longest"
    gone = next(one for one in engine.conversations.list(include_evicted=True) if one.id == 2)
    assert gone.outcome is Outcome.ABANDONED


@pytest.mark.seed("S1", "queue.next-out")
def test_the_next_to_go_is_named_only_when_the_queue_is_full(engine: Engine, say: Say) -> None:
    fill(engine, say, 19)
    assert not any(one.is_next_out for one in engine.conversations.list())
    fill_one = say("Add a calendar", session="last")
    assert fill_one.conversation_id == 20
    assert [one.id for one in engine.conversations.list() if one.is_next_out] == [1]


def test_an_undone_capture_brings_back_whom_it_pushed_out(engine: Engine, say: Say) -> None:
    fill(engine, say, 20)
    say("Add a calendar", session="last")
    operation = next(one for one in engine.journal.list() if one.message_id is not None)
    engine.journal.undo(operation.id)
    kept = engine.conversations.list()
    assert {one.id for one in kept} == set(range(1, 21))
    assert engine.conversations.get(1).messages[0].text == "Add a login page to shop 0"


def test_a_smaller_queue_takes_effect_with_the_next_conversation(engine: Engine, say: Say) -> None:
    fill(engine, say, 6)
    engine.settings.set("queue_size", 3)
    say("Add a calendar", session="last")
    assert len(engine.conversations.list()) == 3


@pytest.mark.seed("S1", "no-2-hours", "queue.adapts")
@pytest.mark.parametrize(
    "jump", [{"hours": -1}, {"days": -365}, {"days": 3650}], ids=["hour back", "year back", "ten years on"]
)
def test_a_clock_jump_changes_no_order_and_evicts_nothing(
    engine: Engine, say: Say, clock: FrozenClock, jump: dict[str, float]
) -> None:
    fill(engine, say, 5)
    clock.advance(**jump)
    say("Add a calendar", session="after")
    kept = engine.conversations.list()
    assert [one.id for one in kept] == [6, 5, 4, 3, 2, 1]
    assert engine.journal.undo_label() == ""


def test_a_conversation_that_left_says_so(engine: Engine, say: Say) -> None:
    fill(engine, say, 21)
    with pytest.raises(NotFoundError, match="left the queue"):
        engine.conversations.rename(1, "Too late")


@pytest.mark.seed("S1", "queue.size")
def test_20_usual_conversations_take_300_kb(engine: Engine) -> None:
    """S1: 15 messages of 200 bytes each. Three of the twenty are played: each adds its own share."""
    engine.events.capture(list(make_requests(3)))
    engine.events.wait_idle(PATIENCE_S)
    with engine._core.store.read() as connection:
        found, conversations, prompts = measure(connection)
    assert (conversations, prompts) == (3, 45)
    assert 70_000 < found.total() / conversations * 20 <= 300_000
