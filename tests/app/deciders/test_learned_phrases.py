"""What a conversation teaches holds words of the shipped lists and slots: no text of a person, nobody's name, no place on a disk."""

import re

import pytest

from app.deciders.learning.conversation_rules import (
    TaughtMessage,
    TaughtUse,
    generalise,
    learn_from_conversation,
    load_learning_rules,
)
from app.values.rules import RuleKind
from app.values.understanding import Entity, EntityKind, Intent

SAID = (
    "Make it purple",
    "Ask Zbigniew Kowalczyk whether the Helsinki office may see it",
    "Call me on 0170 5550199 when it is done",
    "Send the offer to marta.ionescu@example.org",
    "The password of the clinic is hunter2",
    "add a test for it",
)


@pytest.mark.seed("S1", "con.no-raw", "con.anonymous")
def test_phrases_hold_shipped_words_and_slots_and_nothing_else() -> None:
    rules = load_learning_rules()
    taught = learn_from_conversation([TaughtMessage(text, (Intent.EXECUTE,), back=(1,)) for text in SAID], [])
    patterns = [one.pattern for one in taught if one.kind is RuleKind.PHRASE]
    assert patterns == ["make it {color}", "add a test for it"]
    for word in " ".join(patterns).split():
        assert word.startswith("{") or word in rules.words


@pytest.mark.seed("S1", "con.no-raw", "con.anonymous")
def test_what_is_named_is_a_slot() -> None:
    text = "add Kowalczyk and test it"
    assert (
        generalise(text, [Entity("Kowalczyk", EntityKind.FEATURE, 4, 13, "kowalczyk")]) == "add {feature} and test it"
    )
    assert generalise(text, ()) == ""


@pytest.mark.seed("S1", "con.no-raw", "con.anonymous")
def test_an_error_is_kept_without_folders_numbers_and_quoted_texts() -> None:
    failed = TaughtUse(
        command="pytest tests/test_door.py",
        is_error=True,
        error="/home/zbigniew/door.py:88: ValueError: 'Kowalczyk' is no key",
        turn=1,
    )
    mended = TaughtUse(file="src/door.py", turn=1)
    passed = TaughtUse(command="pytest tests/test_door.py", turn=1)
    taught = learn_from_conversation([TaughtMessage("Fix it", (Intent.DEBUG,))], [failed, mended, passed])
    (fix,) = [one for one in taught if one.kind is RuleKind.FIX]
    said = f"{fix.pattern} {dict(fix.details)}"
    assert "door.py" in said
    assert not re.search(r"zbigniew|Kowalczyk|88", said, re.IGNORECASE)


def _named(text: str, *named: str) -> list[Entity]:
    return [Entity(one, EntityKind.FEATURE, text.index(one), text.index(one) + len(one), one) for one in named]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Looks good. Commit it", ()),  # two sentences
        ("gauge good dial it is", ("gauge", "dial")),  # a name where a verb stands
        ("from the gauge in the dial", ("gauge", "dial")),  # no clause
        ("what gauge so long??", ("gauge",)),
        ("use the gauge and the dial in the panel", ("gauge", "dial", "panel")),  # nearly all of it is open
        ("test the gauge first, then commit it", ("gauge",)),  # two clauses
    ],
)
def test_what_is_no_phrase_is_not_learned(text: str, named: tuple[str, ...]) -> None:
    assert generalise(text, _named(text, *named)) == ""


@pytest.mark.parametrize(
    ("text", "named", "pattern"),
    [
        ("Thanks! Add tests for the gauge", ("gauge",), "add tests for {feature}"),
        ("What about the gauge??", ("gauge",), "what about {feature}?"),
        ("The gauge is broken", ("gauge",), "{feature} is broken"),
        ("Yes, use the gauge in the dial", ("gauge", "dial"), "yes, use {feature} in {feature}"),
    ],
)
def test_what_one_says_is_a_phrase(text: str, named: tuple[str, ...], pattern: str) -> None:
    assert generalise(text, _named(text, *named)) == pattern
