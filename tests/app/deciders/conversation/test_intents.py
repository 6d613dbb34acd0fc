"""What a message wants: single intents, context of the message before, several intents, bounds.

Outlines of clauses: orders, reports and questions look different, whatever their words are.

Source: S1, S2.
"""

import pytest

from app.deciders.conversation.intents.features import outline_clause
from app.deciders.conversation.intents.intents import IntentRules, classify_intents
from app.deciders.conversation.intents.model import IntentModel
from app.resources import load_rules, resource_path
from app.values import Intent, PriorMessage, Speaker
from tests.table import table


@pytest.fixture(scope="module")
def rules() -> IntentRules:
    return IntentRules.parse(load_rules("intents"))


@pytest.fixture(scope="module")
def model() -> IntentModel:
    return IntentModel.load(resource_path("intents", "weights.json"))


def prior(*intents: Intent, speaker: Speaker = Speaker.USER) -> PriorMessage:
    return PriorMessage(id=1, at=None, text="", intents=intents, speaker=speaker)


@pytest.mark.seed("S1", "acc.purple")
@table(
    ("text", "expected"),
    [
        ("We'd like to have a loyalty programme in the shop app", Intent.PLAN),
        ("let's outline how the sync engine could work", Intent.PLAN),
        ("how should we structure the sensor drivers?", Intent.PLAN),
        ("Make the title green", Intent.EXECUTE),
        ("rename `loadAll` to `load_everything` in src/io.py", Intent.EXECUTE),
        ("Let's bump the ruby version to 3.4", Intent.EXECUTE),
        ("run the tests", Intent.TEST),
        ("please write unit tests for the voucher code", Intent.TEST),
        ("verify that the backup can be read again", Intent.TEST),
        ("no, the left one", Intent.CORRECT),
        ("You forgot the null check", Intent.CORRECT),
        ("don't touch the vendored folder", Intent.CORRECT),
        ("that's not what I meant", Intent.CORRECT),
        ("what does the scheduler do at midnight?", Intent.QUESTION),
        ("is there a limit for attachments", Intent.QUESTION),
        ("why do we need two queues?", Intent.QUESTION),
        ("the login page crashes on my tablet", Intent.DEBUG),
        ("I get a 404 when I open the basket", Intent.DEBUG),
        ("nothing happens when I press start", Intent.DEBUG),
        ("review my pull request please", Intent.REVIEW),
        ("what do you think of this approach?", Intent.REVIEW),
        ("any feedback?", Intent.REVIEW),
        ("update the README", Intent.DOCUMENT),
        ("add a docstring to parse_header", Intent.DOCUMENT),
        ("write the changelog entry for this", Intent.DOCUMENT),
        ("thanks, works now", Intent.INFORM),
        ("FYI the domain moved to another registrar", Intent.INFORM),
        ("I already restarted the container", Intent.INFORM),
        ("if the basket holds no item then it should be hidden", Intent.EXECUTE),
        ("by mail? or is there a faster way", Intent.QUESTION),
        ("could the lamp tell if somebody is in the room?", Intent.QUESTION),
        ("explain the retry in the docstring of the pool", Intent.DOCUMENT),
        ("the gallery takes 12 seconds to open", Intent.DEBUG),
        ("guests cannot open the map", Intent.DEBUG),
        ("the flag on the boat hangs upside down since the storm", Intent.DEBUG),
        ("our ferry table lists each harbour twice", Intent.DEBUG),
        ("why did you choose a heap there?", Intent.QUESTION),
        ("I would like that a skipper can cancel by text", Intent.PLAN),
        ("the keys of that feed are upper case", Intent.INFORM),
        ("The sums are slow.\nselect sum(price) from orders\nwhere paid = 1\nmake it quick", Intent.EXECUTE),
    ],
)
def test_a_message_has_the_intent_a_reader_gives_it(
    rules: IntentRules, model: IntentModel, text: str, expected: Intent
) -> None:
    assert classify_intents(text, (), rules, model)[0].intent is expected


@table(
    ("before", "text", "expected"),
    [
        (Intent.QUESTION, "yes", Intent.EXECUTE),
        (Intent.PLAN, "go ahead", Intent.EXECUTE),
        (Intent.QUESTION, "the second one", Intent.EXECUTE),
        (Intent.EXECUTE, "put not patch", Intent.CORRECT),
        (Intent.EXECUTE, "columns not rows", Intent.CORRECT),
        (Intent.EXECUTE, "smaller", Intent.CORRECT),
        (Intent.PLAN, "in the browser please, not on the server", Intent.CORRECT),
        (Intent.EXECUTE, "ValueError: could not convert string to float: 'n/a'", Intent.DEBUG),
        (Intent.DEBUG, "works now, thank you", Intent.INFORM),
    ],
)
def test_a_bare_reply_is_read_by_what_went_before(
    rules: IntentRules, model: IntentModel, before: Intent, text: str, expected: Intent
) -> None:
    assert classify_intents(text, (prior(before),), rules, model)[0].intent is expected


def test_only_the_persons_own_messages_count_as_before(rules: IntentRules, model: IntentModel) -> None:
    own = prior(Intent.EXECUTE)
    answer = prior(Intent.QUESTION, speaker=Speaker.ASSISTANT)
    assert classify_intents("columns not rows", (own, answer), rules, model) == classify_intents(
        "columns not rows", (own,), rules, model
    )


@pytest.mark.seed("S1", "acc.add-and-test")
@table(
    ("text", "expected"),
    [
        ("add a dark theme and test it", {Intent.PLAN, Intent.TEST}),
        ("Rename the flag, then update the readme.", {Intent.EXECUTE, Intent.DOCUMENT}),
        ("Why is the list empty? Please write a test for it.", {Intent.DEBUG, Intent.TEST}),
    ],
)
def test_a_message_that_wants_two_things_names_both(
    rules: IntentRules, model: IntentModel, text: str, expected: set[Intent]
) -> None:
    assert expected <= {score.intent for score in classify_intents(text, (), rules, model)}


def test_a_message_that_wants_one_thing_names_one(rules: IntentRules, model: IntentModel) -> None:
    assert [score.intent for score in classify_intents("proceed", (), rules, model)] == [Intent.EXECUTE]


def test_scores_come_best_first_within_bounds_and_with_a_reason(rules: IntentRules, model: IntentModel) -> None:
    scores = classify_intents("Rename the flag, then update the readme. Does it build?", (), rules, model)
    confidences = [score.confidence for score in scores]
    assert confidences == sorted(confidences, reverse=True)
    assert all(0.0 < confidence <= 1.0 for confidence in confidences)
    assert all(score.reason for score in scores)
    assert len({score.intent for score in scores}) == len(scores)


def test_a_pasted_log_does_not_drown_the_request_above_it(rules: IntentRules, model: IntentModel) -> None:
    log = "\n".join(f"2031-04-0{day} 10:00:00 INFO worker-{day} started the tests" for day in range(1, 9))
    text = f"Rename worker to agent everywhere.\n\n```\n{log}\n```"
    assert classify_intents(text, (), rules, model)[0].intent is Intent.EXECUTE


@pytest.mark.seed("S2", "router.intent")
def test_expanded_text_is_read_by_the_classifier(rules: IntentRules, model: IntentModel) -> None:
    plain = classify_intents("it again", (), rules, model)
    expanded = classify_intents("it again", (), rules, model, expanded_text="run the unit tests again")
    assert expanded[0].intent is Intent.TEST
    assert plain != expanded


@table("text", ["", " ", "\n\n", "…", "?", "🎉", "\x00", "```", "[Image #1]", "é" * 50, "<" * 5000])
def test_any_text_gets_an_intent(rules: IntentRules, model: IntentModel, text: str) -> None:
    assert classify_intents(text, (), rules, model)


@table("filler", ["word ", "x", "\n", "a, ", "Error: y\n", "`"])
def test_of_a_huge_message_only_both_ends_are_read(rules: IntentRules, model: IntentModel, filler: str) -> None:
    head, tail = "Rename the flag. " + filler * 2000, filler * 1000
    short = classify_intents(head[:1400] + filler * 2000 + tail[-600:], (), rules, model)
    huge = classify_intents(head[:1400] + filler * 900_000 + tail[-600:], (), rules, model)
    assert [score.intent for score in huge] == [score.intent for score in short]


@table(
    ("clause", "outline"),
    [
        ("move the anchor", "vn"),
        ("the anchor moves it", "nzo"),
        ("the anchor moved when it rained", "nesoe"),
        ("can you move <file>", "auvn"),
        ("we move to <url>", "ivpn"),
        ("what is the anchor", "wan"),
        ("still very slowly", ""),
    ],
)
def test_outline(clause: str, outline: str) -> None:
    assert outline_clause(tuple(clause.split())) == outline


def test_only_the_beginning_is_read() -> None:
    assert len(outline_clause(("go", "to", "it", "and", "then", "back") * 20)) <= 5


def test_nothing_has_no_outline() -> None:
    assert outline_clause(()) == ""
