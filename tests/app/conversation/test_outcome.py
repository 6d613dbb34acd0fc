"""Outcomes out of last words and tool events [S1]."""

import pytest

from app.conversation.summary import infer_outcome
from app.values.conversation import Outcome, ToolOutcome
from app.values.understanding import Intent, PriorMessage, Speaker

EDIT = ToolOutcome(tool="Edit", file="app/cart.py")
TEST = ToolOutcome(tool="Bash", command="python -m pytest -q tests", exit_status=0)
FAILED_TEST = ToolOutcome(tool="Bash", command="npm test", exit_status=1, is_error=True)


def said(*texts: str, intents: tuple[Intent, ...] = ()) -> tuple[PriorMessage, ...]:
    return tuple(PriorMessage(number, None, text, intents=intents) for number, text in enumerate(texts, 1))


@pytest.mark.parametrize(
    ("intents", "tools", "outcome"),
    [
        ((Intent.PLAN,), (), Outcome.PLANNED),
        ((Intent.PLAN, Intent.EXECUTE), (), Outcome.IMPLEMENTED),
        ((Intent.PLAN,), (EDIT,), Outcome.IMPLEMENTED),
        ((Intent.PLAN,), (EDIT, TEST), Outcome.TESTED),
        ((Intent.PLAN,), (TEST, EDIT), Outcome.IMPLEMENTED),
        ((Intent.PLAN,), (EDIT, FAILED_TEST), Outcome.IMPLEMENTED),
        ((Intent.EXECUTE, Intent.TEST), (), Outcome.TESTED),
        ((Intent.TEST, Intent.EXECUTE), (), Outcome.IMPLEMENTED),
        ((Intent.QUESTION,), (), None),
        ((), (), None),
    ],
)
def test_work_tells(intents: tuple[Intent, ...], tools: tuple[ToolOutcome, ...], outcome: Outcome | None) -> None:
    messages = tuple(
        PriorMessage(number, None, "the cart", intents=(intent,)) for number, intent in enumerate(intents, 1)
    )
    assert infer_outcome(messages or said("the cart"), tool_events=tools, is_ended=True)[0] is outcome


def test_a_failed_edit_changes_nothing() -> None:
    failed = ToolOutcome(tool="Write", file="a.py", is_error=True)
    assert (
        infer_outcome(said("plan it", intents=(Intent.PLAN,)), tool_events=(failed,), is_ended=True)[0]
        is Outcome.PLANNED
    )


@pytest.mark.parametrize(
    "text", ["works now, thanks", "Perfect!", "great, that fixed it", "ok, all good. Merge it", "LGTM"]
)
def test_praise_completes(text: str) -> None:
    outcome, reason = infer_outcome(said("add a cart", text), tool_events=(EDIT,), is_ended=False)
    assert outcome is Outcome.COMPLETED
    assert reason.startswith("the person says")


@pytest.mark.parametrize(
    "text",
    [
        "it works, but the footer is gone",
        "make sure it works",
        "how do I know that it works",
        "is it perfect?",
        "that's almost perfect",
        "this still doesn't look like it works",
        "perfect is the enemy of good, " + "and so on " * 30,
    ],
)
def test_no_praise_does_not(text: str) -> None:
    assert infer_outcome(said("add a cart", text), is_ended=True)[0] is not Outcome.COMPLETED


@pytest.mark.parametrize(
    "text", ["forget that", "never mind, I'll do it by hand", "let's not do this", "scrap that for now"]
)
def test_letting_go_abandons(text: str) -> None:
    assert infer_outcome(said("add a cart", text), tool_events=(EDIT,), is_ended=True)[0] is Outcome.ABANDONED


@pytest.mark.parametrize("text", ["don't forget that the cart is cached", "drop this column from the table"])
def test_like_words_do_not_abandon(text: str) -> None:
    assert infer_outcome(said("add a cart", text), is_ended=True)[0] is not Outcome.ABANDONED


def test_the_marker_that_followed_abandons() -> None:
    assert infer_outcome(said("add a cart"), is_ended=True, next_marker="forget that")[0] is Outcome.ABANDONED


def test_only_the_person_counts() -> None:
    answer = PriorMessage(2, None, "works now, thanks", speaker=Speaker.ASSISTANT)
    assert infer_outcome((*said("add a cart"), answer), is_ended=True)[0] is None
    assert infer_outcome((), is_ended=True) == (None, "nothing was said")


def test_open_and_over_are_told_apart() -> None:
    assert infer_outcome(said("hm"), is_ended=False)[1] != infer_outcome(said("hm"), is_ended=True)[1]
