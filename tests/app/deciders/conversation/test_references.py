"""What mentions stand for: the seeds' examples first, then each phenomenon on its own.

References to other conversations by number, by name and by day.
"""

import itertools
from datetime import UTC, datetime, timedelta

import pytest

from app.deciders.conversation.entities.entities import EntityRules, extract_entities
from app.deciders.conversation.entities.gazetteer import Gazetteer
from app.deciders.conversation.references.expansion import expand_text
from app.deciders.conversation.references.resolution import ConversationMention, ReferenceRules, resolve_references
from app.deciders.conversation.references.values import QUOTED_BEHIND
from app.resources import load_rules
from app.values import PriorMessage, Reference, ReferenceKind, ReferenceState, Speaker
from tests.table import table

ENTITY_RULES = EntityRules.parse(load_rules("entities"), Gazetteer.parse(load_rules("gazetteer")))
RULES = ReferenceRules.parse(load_rules("references"))


def talk(*turns: str) -> tuple[Reference, ...]:
    """The references of the last turn; a turn that starts with "A:" is the assistant's."""
    history: list[PriorMessage] = []
    for number, turn in enumerate(turns, 1):
        speaker = Speaker.ASSISTANT if turn.startswith("A:") else Speaker.USER
        text = turn.removeprefix("A:").strip()
        found = extract_entities(text, ENTITY_RULES)
        references = resolve_references(text, found, history, RULES)
        history.append(PriorMessage(number, None, text, 1, speaker, found, (), references))
    return history[-1].references


def one(*turns: str) -> Reference:
    found = talk(*turns)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.seed("S1", "road.pronouns", "ux.flow")
@pytest.mark.seed("S2", "ref.it", "ref.that")
@table(
    ("before", "message", "antecedent"),
    [
        ("I want to add a FAB button", "Make it purple", "FAB button"),
        ("I want to add a FAB button", "Test it", "FAB button"),
        ("I want to add dark mode", "Use toggle switch, not button", "dark mode"),
        ("I want to add a FAB button", "Change the color", "FAB button"),
        ("Build the invoice export", "Add tests for that", "invoice export"),
    ],
    ids=["S2 make it purple", "S1 test it", "S2 left-out purpose", "S2 change the color", "S2 tests for that"],
)
def test_examples_of_the_seeds(before: str, message: str, antecedent: str) -> None:
    reference = one(before, message)
    assert reference.antecedent == antecedent
    assert reference.state is ReferenceState.RESOLVED
    assert reference.antecedent_message_id == 1


@pytest.mark.parametrize(
    ("message", "mention", "antecedent"),
    [
        ("open the settings dialog and resize it", "it", "settings dialog"),
        ("use the read_ids to fill `cache_ids`, then drop them", "them", "read_ids"),
        ("the page size is 20, set it to 50", "it", "page size"),
        ("Should we use Kafka or NATS? The latter is simpler.", "The latter", "NATS"),
        ("compare tabs with spaces; Ask Maria if she agrees", "she", "Maria"),
    ],
)
def test_inside_one_message(message: str, mention: str, antecedent: str) -> None:
    found = {reference.mention: reference for reference in talk(message)}
    assert found[mention].antecedent == antecedent
    assert found[mention].antecedent_message_id is None


@pytest.mark.seed("S2", "ref.button", "ref.file", "ref.this", "ref.the-x")
@table(
    ("turns", "antecedent"),
    [
        (("create branch feature/search", "push it"), "feature/search"),
        (("pick tabs, an accordion or a drawer", "take the last one"), "drawer"),
        (("switching to the billing page now", "what is it written in?"), "billing page"),
    ],
)
def test_across_messages(turns: tuple[str, ...], antecedent: str) -> None:
    assert antecedent in [reference.antecedent for reference in talk(*turns)]


def test_focus_stays_with_what_was_spoken_of() -> None:
    turns = ("I want to add a FAB button", "Make it purple", "Move it to the corner of the page", "Now test it")
    assert one(*turns).antecedent == "FAB button"


@pytest.mark.seed("S2", "ref.these")
def test_verb_agreement_decides() -> None:
    reference = one("put the README next to the parser", "now refactor it")
    assert reference.candidates[0].text == "parser"


def test_an_act_is_an_antecedent_too() -> None:
    found = talk("Let's turn the helper functions into a class. This should make testing simpler.")
    assert found[0].antecedent == "turn the helper functions into a class"


def test_does_that_stands_for_an_act_not_for_a_thing() -> None:
    reference = next(r for r in talk("delete the stale cache files on exit", "why doesn't the worker do that?"))
    assert reference.candidates[0].text.startswith("delete")


@table(
    "text",
    [
        "it looks like the server is down",
        "is it possible to cache the response?",
        "it would be nice to have a preview",
        "it makes sense to wait",
        "that's it",
        "there is a typo in the title",
        "make sure that the tests pass",
        "yes please",
        "ok great",
        "the same color as the header",
        "no one is going to open the priority list twice",
    ],
)
def test_words_that_stand_for_nothing(text: str) -> None:
    assert talk("add a logout button", text) == ()


def test_the_mark_of_a_secret_is_never_meant() -> None:
    for text in ("Set [secret: token] as the header", "We use PostgreSQL, the password is [secret: password]"):
        for reference in talk(text, "does it work?"):
            said = [reference.antecedent, *(candidate.text for candidate in reference.candidates)]
            assert "secret" not in said


def test_an_ordinal_without_alternatives_is_not_guessed() -> None:
    reference = one("which queue would you use for the mailer?", "ok go with the second one")
    assert reference.state is not ReferenceState.RESOLVED
    assert reference.kind is ReferenceKind.ORDINAL


def test_what_was_asked_about_is_still_meant() -> None:
    assert one("why does the tooltip flicker?", "fix it").antecedent == "tooltip"


def test_an_ordinal_counts_the_assistants_alternatives_when_they_are_kept() -> None:
    reference = one("Which store?", "A: Do you prefer Redis or Memcached?", "the second one")
    assert reference.antecedent == "Memcached"


def test_close_candidates_are_neither_guessed_nor_asked_about() -> None:
    reference = one("add a header and a footer", "make it smaller")
    assert reference.state is ReferenceState.UNRESOLVED
    assert {"header", "footer"} <= {candidate.text for candidate in reference.candidates}


def test_nothing_before_is_unresolved() -> None:
    reference = one("make it faster")
    assert reference.state is ReferenceState.UNRESOLVED
    assert reference.antecedent is None


def test_this_repo_points_at_the_desk() -> None:
    assert talk("add a search box", "what is this repo about?") == ()


def test_persons_by_gender() -> None:
    found = {r.mention: r.antecedent for r in talk("ask Peter and tell Julia", "does he agree with her?")}
    assert found == {"he": "Peter", "her": "Julia"}


def test_code_is_never_a_mention() -> None:
    assert talk("add a slider", "run `git log --this it that`") == ()


def test_candidates_are_few_sorted_and_confidence_is_a_share() -> None:
    turns = [f"add a {name} panel" for name in ("red", "wide", "left", "tall", "thin", "deep", "flat")]
    reference = one(*turns, "make it blink")
    assert 1 <= len(reference.candidates) <= 5
    scores = [candidate.score for candidate in reference.candidates]
    assert scores == sorted(scores, reverse=True)
    assert 0.0 <= reference.confidence < 1.0


def test_places_are_exact_even_behind_code() -> None:
    text = "see `it` — 🙂 and rename it"
    (reference,) = talk("write a helper", text)
    assert text[reference.start : reference.end] == reference.mention == "it"
    assert reference.start == len(text) - 2


def test_a_huge_message_is_read_only_at_its_beginning() -> None:
    found = talk("add a slider", "make it red\n" + "it it it " * 200_000)
    assert 1 <= len(found) <= 20


@table(
    ("message", "mention", "antecedent"),
    [
        ("let's keep a session per tab. the browser doesn't see that session. It crashes", "that session", "session"),
        ("the footer repeats the header. We can just use that space for hints", "that space", None),
        ("move the banner down so that it appears right below the menu", "it", "banner"),
        ("I need to re-export it as `Reader`", "it", None),
    ],
)  # fmt: skip
def test_mentions_in_loose_prompts(message: str, mention: str, antecedent: str | None) -> None:
    found = {reference.mention: reference for reference in talk(message)}
    assert mention in found
    if antecedent is not None:
        assert found[mention].antecedent == antecedent
    assert found[mention].antecedent != "re-export"


def test_a_question_to_the_assistant_is_no_act_that_this_takes_up() -> None:
    found = {
        r.mention: r for r in talk("Explain the commit about the resume flag. Why do we need anything to support this?")
    }
    assert not (found["this"].antecedent or "").startswith("Explain")


def test_many_things_said_in_full_leave_room_for_the_pronoun_behind_them() -> None:
    listed = " ".join(f"the part{letter} calls the part{letter}." for letter in "abcdefghijklmnop")
    found = {r.mention: r for r in talk(f"{listed} add a log and rotate it")}
    assert found["it"].candidates[0].text == "log"


def test_what_was_asked_for_first_is_meant_by_a_message_that_names_nothing() -> None:
    turns = ("cache the parsed grammar per language", "yes", "also in the tests", "how big does it get?")
    assert one(*turns).antecedent == "parsed grammar"


@table(
    ("turns", "mention", "antecedent"),
    [
        (("look at the body to see if it looks like html",), "it", "body"),
        (("I want this one in red, not the blue button",), "this one", None),
    ],
)  # fmt: skip
def test_other_words_for_the_same_thing(turns: tuple[str, ...], mention: str, antecedent: str | None) -> None:
    found = [reference for reference in talk(*turns) if reference.mention == mention]
    assert len(found) == 1
    if antecedent is not None:
        assert found[0].antecedent == antecedent


def test_mentions_do_not_overlap() -> None:
    found = talk("add a red one and a blue one", "drop this one and the other one, keep that")
    assert all(left.end <= right.start for left, right in itertools.pairwise(found))


@table(
    ("message", "antecedent"),
    [
        ("now I get this error: no such table", "error: no such table"),
        ("When I open it I get this error\n```\n\nno such table: orders\n```", "error: no such table: orders"),
        ("This is the warning I see in the log: low disk space", "warning I see in the log: low disk space"),
        ("this error is new: it came today", None),
        ("now we have this: bad argument in arithmetic", "bad argument in arithmetic"),
        ("name them like these:\n\n- report_2026.csv, report_2027.csv", "- report_2026.csv, report_2027.csv"),
        ("look at this:\nerror in line 3", "error in line 3"),
        ("now we have this: x", None),
        ("fix this error", None),
        ("this error: gone", None),
        ("This is important: never use it", None),
        ("I get this error\nplease look at the log again", None),
    ],
)
def test_what_is_quoted_behind_it_is_what_this_error_stands_for(message: str, antecedent: str | None) -> None:
    before = "there was an error in the export"
    found = [r for r in talk(before, message) if r.mention.lower() in ("this", "these", "this error", "this warning")]
    behind = [r for r in found if r.reason == QUOTED_BEHIND]
    assert [r.antecedent for r in behind] == ([] if antecedent is None else [antecedent])
    assert expand_text(message, behind) == message  # it stands there already


LONG = "A: I added the spinner to the table and moved its styles. " * 10


@table(
    ("turns", "mention"),
    [
        (("add a spinner", LONG, "why is it so big?"), "it"),
        (("1. keep the pager\n2. why is it there twice?",), "it"),
        (("What does the front page get and how will it load the rest of it?",), "it of it"),
        (("there was an error", "I want this page to have two parts: a list and a map"), "this page"),
        (("add a spinner", "do it"), "it"),
        (("add a spinner and three rows", "write a commit message for these changes"), "these changes"),
        (("why are these two here, use one", "and there"), "there"),
        (("update tests/agent.py so that the agent stops", "the agent hangs"), "the agent"),
        (("a new job may come, and 5 jobs run. they are queued as they are made",), "they"),
    ],
)  # fmt: skip
def test_what_is_mostly_guessed_wrong_is_left_alone(turns: tuple[str, ...], mention: str) -> None:
    wanted = mention.rsplit(" of ", 1)[-1]
    found = [r for r in talk(*turns) if r.mention == wanted]
    assert all(r.state is not ReferenceState.RESOLVED for r in found[-1:])


def test_what_an_answer_names_in_code_is_never_meant() -> None:
    reference = one("is it slow?", "A: Yes. `SpinnerBox` in `src/spinner.ts` draws twice.", "rename it")
    named = [reference.antecedent, *(candidate.text for candidate in reference.candidates)]
    assert not {"SpinnerBox", "src/spinner.ts"} & set(named)


def test_behind_a_long_answer_a_thing_is_called_by_its_name() -> None:
    reference = one("add a price table to the page", LONG, "sort that table by name")
    assert (reference.mention, reference.antecedent) == ("that table", "price table")


def test_a_thing_is_told_with_what_it_is_made_of() -> None:
    found = {r.mention: r.antecedent for r in talk("keep a map of the ports and drop those in that map")}
    assert found["that map"] == "map of the ports"


def test_how_sure_an_answer_is_is_the_share_of_right_ones_of_its_kind() -> None:
    sure = one("open the settings dialog and resize it")
    assert sure.confidence == RULES.accuracy["it_here_sure"]
    assert all(0.6 < share < 1 for share in RULES.accuracy.values())


NOW = datetime(2026, 3, 5, 15, 0, tzinfo=UTC)  # a Thursday
YESTERDAY = NOW - timedelta(days=1)
TALKS = (
    ConversationMention(7, 1, "Dark mode", (("dark mode", NOW - timedelta(days=9)),), NOW - timedelta(days=9)),
    ConversationMention(8, 2, "FAB button", (("FAB button", YESTERDAY), ("pulse animation", YESTERDAY)), YESTERDAY),
)


def references(text: str) -> list[Reference]:
    found = resolve_references(text, (), (), RULES, conversations=TALKS, now=NOW)
    return [reference for reference in found if reference.kind is ReferenceKind.CONVERSATION]


@pytest.mark.seed("S1", "queue.refer-any")
@table(
    ("text", "conversation_id", "antecedent"),
    [
        ("make it round like in conversation #2", 8, "FAB button"),
        ("as in conversation 1", 7, "Dark mode"),
        ("move the FAB button from yesterday to the left", 8, "FAB button"),
        ("remember the pulse animation we made yesterday", 8, "pulse animation"),
        ("the button from Wednesday", 8, "FAB button"),
        ("go back to the dark mode conversation", 7, "Dark mode"),
    ],
)
def test_found(text: str, conversation_id: int, antecedent: str) -> None:
    (reference,) = references(text)
    assert reference.state is ReferenceState.RESOLVED
    assert reference.antecedent_conversation_id == conversation_id
    assert reference.antecedent == antecedent
    assert text[reference.start : reference.end] == reference.mention


def test_a_number_that_is_not_in_the_queue_is_unresolved() -> None:
    (reference,) = references("as in conversation #14")
    assert reference.state is ReferenceState.UNRESOLVED
    assert reference.antecedent_conversation_id is None


@table("text", ["the slider from yesterday", "the last conversation", "yesterday it rained"])
def test_nothing_that_fits(text: str) -> None:
    assert references(text) == []


def test_two_that_fit_are_asked() -> None:
    twin = ConversationMention(9, 3, "Another FAB button", (("FAB button", YESTERDAY),), YESTERDAY)
    found = resolve_references("the FAB button from yesterday", (), (), RULES, conversations=(*TALKS, twin), now=NOW)
    (reference,) = found
    assert reference.state is ReferenceState.AMBIGUOUS
    assert {candidate.conversation_id for candidate in reference.candidates} == {8, 9}
