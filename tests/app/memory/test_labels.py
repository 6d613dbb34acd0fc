"""What the next sentence calls a sentence decides what it becomes; what stands in a sentence is not looked for outside."""

import pytest

from app.memory.labels import labelled, read_label
from app.memory.rules import load_memory_rules
from app.services.evaluation.facts import Reader
from app.values import FactType

RULES = load_memory_rules()
READER = Reader()


def written(text: str) -> list[tuple[FactType, str]]:
    return [(one.type, one.text) for one in READER.read(text)]


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("that's what we promised the museum", FactType.GOAL),
        ("that is the hard cap", FactType.CONSTRAINT),
        ("The board signed off on that", FactType.DECISION),
        ("ok let's do that", FactType.DECISION),
        ("that's the file I meant", None),
        ("that's what I see in the log", None),
        ("I approved that", None),
    ],
)
def test_a_sentence_may_name_the_one_before_it(text: str, type_: FactType | None) -> None:
    assert read_label(text, RULES) is type_


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("should we try again?", FactType.GOAL),  # names nothing
        ("why is start-up slower than 3 seconds?", FactType.GOAL),  # asks for a reason
        ("it takes 40 MB", FactType.CONSTRAINT),  # points elsewhere
    ],
)
def test_a_label_makes_nothing_of_what_says_nothing_alone(text: str, type_: FactType) -> None:
    assert labelled(text, type_, RULES) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "can we get the installer under 90 MB? that's the target for spring",
            [(FactType.GOAL, "Goal: get the installer under 90 MB.")],
        ),
        (
            "Exports go through Airflow. That's what we agreed",
            [(FactType.DECISION, "Exports go through Airflow.")],
        ),
        (
            "I think sticking to SQLite is fine here, Postgres would be overkill. let's do that",
            [(FactType.DECISION, "Sticking to SQLite is fine here, Postgres would be overkill.")],
        ),
    ],
)
def test_a_sentence_and_its_label_are_one_memory(text: str, expected: list[tuple[FactType, str]]) -> None:
    assert written(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we ditched Moment, dates are Luxon only", [(FactType.DECISION, "We ditched Moment; dates are Luxon only.")]),
        (
            "Mina holds the SMS contract, anything about rates goes to her",
            [(FactType.ENTITY, "Mina holds the SMS contract, anything about rates goes to her.")],
        ),
        (
            "quick background before you start: the kiosk app is Flutter, the back office is Rails",
            [(FactType.FACT, "The kiosk app is Flutter."), (FactType.FACT, "The back office is Rails.")],
        ),
        ("Lists are keyset paged from here on", [(FactType.DECISION, "Lists are keyset paged from here on.")]),
    ],
)
def test_clauses_that_belong_together_are_one_memory_and_others_are_each_one(
    text: str, expected: list[tuple[FactType, str]]
) -> None:
    assert written(text) == expected


@pytest.mark.parametrize("text", ["the image is 3MB, compress it", "the config is in conf/app.ini, open it"])
def test_what_the_same_sentence_asks_to_change_is_no_memory(text: str) -> None:
    assert written(text) == []
