"""Outcomes out of last words and tool events [S1]."""

from app.deciders.conversation.summary import infer_outcome
from app.values.conversation import Outcome, ToolOutcome
from app.values.understanding import Intent, PriorMessage, Speaker
from tests.table import table

EDIT = ToolOutcome(tool="Edit", file="app/cart.py")
TEST = ToolOutcome(tool="Bash", command="python -m pytest -q tests", exit_status=0)
LOOK = ToolOutcome(tool="Bash", command="git status", exit_status=0)
COMMIT = ToolOutcome(tool="Bash", command="git commit -am 'cart'", exit_status=0)
FAILED_TEST = ToolOutcome(tool="Bash", command="npm test", exit_status=1, is_error=True)


def said(*texts: str, intents: tuple[Intent, ...] = ()) -> tuple[PriorMessage, ...]:
    return tuple(PriorMessage(number, None, text, intents=intents) for number, text in enumerate(texts, 1))


@table(
    ("intents", "tools", "outcome"),
    [
        ((Intent.PLAN,), (), None),
        ((Intent.PLAN, Intent.EXECUTE), (), None),
        ((Intent.EXECUTE,), (), None),
        ((Intent.EXECUTE,), (LOOK,), None),
        ((Intent.EXECUTE,), (LOOK, COMMIT), Outcome.IMPLEMENTED),
        ((Intent.EXECUTE,), (TEST, COMMIT), Outcome.TESTED),
        ((Intent.EXECUTE,), (FAILED_TEST,), None),
        ((Intent.PLAN,), (EDIT,), Outcome.IMPLEMENTED),
        ((Intent.PLAN,), (EDIT, TEST), Outcome.TESTED),
        ((Intent.PLAN,), (TEST, EDIT), Outcome.IMPLEMENTED),
        ((Intent.PLAN,), (EDIT, FAILED_TEST), Outcome.IMPLEMENTED),
        ((Intent.EXECUTE, Intent.TEST), (), Outcome.IMPLEMENTED),
        ((Intent.EXECUTE, Intent.TEST), (LOOK,), None),
        ((Intent.TEST, Intent.EXECUTE), (), None),
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


@table("text", ["works now, thanks", "Perfect!", "great, that fixed it", "ok, all good. Merge it", "LGTM"])
def test_praise_completes(text: str) -> None:
    outcome, reason = infer_outcome(said("add a cart", text), tool_events=(EDIT,), is_ended=False)
    assert outcome is Outcome.COMPLETED
    assert reason.startswith("the person says")


@table(
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


@table("text", ["forget that", "never mind, I'll do it by hand", "let's not do this", "scrap that for now"])
def test_letting_go_abandons(text: str) -> None:
    assert infer_outcome(said("add a cart", text), tool_events=(EDIT,), is_ended=True)[0] is Outcome.ABANDONED


@table("text", ["don't forget that the cart is cached", "drop this column from the table"])
def test_like_words_do_not_abandon(text: str) -> None:
    assert infer_outcome(said("add a cart", text), is_ended=True)[0] is not Outcome.ABANDONED


def ordered(*texts: str) -> tuple[PriorMessage, ...]:
    """A change is ordered, then the person says these."""
    first, *rest = said("add a cart", *texts)
    return (PriorMessage(first.id, None, first.text, intents=(Intent.EXECUTE,)), *rest)


@table(
    "text",
    [
        "great, now the footer",
        "ok nice. Let us do the header next",
        "the cart page works, next the footer",
        "commit this",
        "please create a commit message for these changes",
        "it's working! how about a footer",
        "why did you make the cart green?",
        "you forgot the empty state",
        "the total is shown, but it still doesn't count the tax",
    ],
)
def test_a_reply_that_takes_it_as_done_is_implemented(text: str) -> None:
    outcome, reason = infer_outcome(ordered(text, "and a footer"), is_ended=False)
    assert outcome is Outcome.IMPLEMENTED
    assert reason.startswith("the person says")


@table(
    "text",
    [
        "make it work on phones",
        "does the cart page work?",
        "it should work without scripts",
        "2. Redis works",
        "what works best here?",
        "use the great font",
        "how do I commit this?",
    ],
)
def test_wishes_questions_and_choices_take_nothing_as_done(text: str) -> None:
    assert infer_outcome(ordered(text, "and a footer"), is_ended=True)[0] is None


@table("text", ["tests pass, next the footer", "I tested the cart on my phone"])
def test_the_person_says_that_it_was_tested(text: str) -> None:
    assert infer_outcome(ordered(text, "and a footer"), is_ended=False)[0] is Outcome.TESTED


def test_words_before_any_order_take_nothing_as_done() -> None:
    messages = (*said("the login works, I checked", "nice"), PriorMessage(3, None, "add", intents=(Intent.EXECUTE,)))
    assert infer_outcome(messages, is_ended=False)[0] is None


def test_words_do_not_outweigh_tools_that_were_seen() -> None:
    assert infer_outcome(ordered("great, now the footer"), tool_events=(LOOK,), is_ended=False)[0] is None


@table(
    "text",
    [
        "the totals still don't add up",
        "no, that doesn't work",
        "revert that",
        "now I'm getting this error, see below: KeyError 'total'",
    ],
)
def test_last_words_that_report_a_fault_leave_what_was_changed_open(text: str) -> None:
    outcome, reason = infer_outcome(ordered(text), tool_events=(EDIT,), is_ended=True)
    assert outcome is None
    assert reason.startswith("the person says")


@table("text", ["add a guard so that it never crashes", "tell me when it is broken"])
def test_a_fault_that_is_only_thought_of_is_none(text: str) -> None:
    assert infer_outcome(ordered(text), tool_events=(EDIT,), is_ended=True)[0] is Outcome.IMPLEMENTED


def test_who_opens_with_a_fault_wants_it_mended() -> None:
    opening = said("the totals still don't add up", intents=(Intent.DEBUG,))
    assert infer_outcome(opening, tool_events=(EDIT,), is_ended=True)[0] is Outcome.IMPLEMENTED


def test_who_wants_a_commit_message_has_seen_what_commands_made() -> None:
    messages = ordered("suggest a git commit message")
    assert infer_outcome(messages, tool_events=(LOOK,), is_ended=False)[0] is Outcome.IMPLEMENTED


def test_an_opening_message_drops_and_praises_what_came_before_it() -> None:
    opening = PriorMessage(1, None, "forget that, let's fix the deploy script instead", intents=(Intent.EXECUTE,))
    assert infer_outcome((opening,), is_ended=True)[0] is None
    opening = PriorMessage(1, None, "perfect. Add a settings page to it", intents=(Intent.EXECUTE,))
    assert infer_outcome((opening,), is_ended=True)[0] is None


def test_praise_that_goes_on_with_an_order_completes_nothing() -> None:
    assert infer_outcome(ordered("Perfect! Add a footer to every page"), is_ended=False)[0] is Outcome.IMPLEMENTED


def test_the_marker_that_followed_abandons() -> None:
    assert infer_outcome(said("add a cart"), is_ended=True, next_marker="forget that")[0] is Outcome.ABANDONED


def test_only_the_person_counts() -> None:
    answer = PriorMessage(2, None, "works now, thanks", speaker=Speaker.ASSISTANT)
    assert infer_outcome((*said("add a cart"), answer), is_ended=True)[0] is None
    assert infer_outcome((), is_ended=True) == (None, "nothing was said")


def test_open_and_over_are_told_apart() -> None:
    assert infer_outcome(said("hm"), is_ended=False)[1] != infer_outcome(said("hm"), is_ended=True)[1]


def test_only_who_speaks_of_a_plan_has_planned() -> None:
    plan = said("let's draft a plan for the cart", intents=(Intent.PLAN,))
    assert infer_outcome(plan, is_ended=True)[0] is Outcome.PLANNED
    how = said("what steps do I need for the cart?", intents=(Intent.PLAN,))
    assert infer_outcome(how, is_ended=True)[0] is None
