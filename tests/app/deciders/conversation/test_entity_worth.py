"""What of all that is named is kept: points of a mention, few things in few words, names said twice."""

from dataclasses import replace

import pytest

from app.deciders.conversation.entities.entities import EntityRules, find_mentions
from app.deciders.conversation.entities.gazetteer import Gazetteer
from app.deciders.conversation.entities.worth import WorthRules, choose_worthy, marks
from app.errors import InvalidError
from app.language.analysis_cache import read_message
from app.language.lexicon import Lexicon
from app.resources import load_rules

RULES = EntityRules.parse(load_rules("entities"), Gazetteer.parse(load_rules("gazetteer")))
SENTENCE = "the ferry app shows the timetable of the harbour next to a map with buoys"


def kept(text: str, rules: WorthRules) -> list[str]:
    analysis = read_message(text)
    return [span.text for span in choose_worthy(analysis, find_mentions(analysis, RULES), rules)]


def marks_of(text: str, name: str) -> set[str]:
    analysis = read_message(text)
    mention = next(m for m in find_mentions(analysis, RULES) if m.span.text == name)
    return set(marks(analysis, mention, 0, RULES.worth))


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (
            "rename the tide table",
            "tide table",
            {"compound", "article the", "role object", "worked on", "brief message"},
        ),
        ("we moored at a quay", "quay", {"article a", "role oblique", "behind at", "short word"}),
        ("our pilot is late", "pilot", {"article own", "role subject", "first clause"}),
        ("the nginx logs are full", "nginx logs", {"has term"}),
        ("it broke when the lock opened", "lock", {"side clause", "verb as well"}),
    ],
)
def test_what_is_seen_of_a_mention(text: str, name: str, expected: set[str]) -> None:
    assert expected <= marks_of(text, name)


def test_few_words_are_about_few_things() -> None:
    lenient = replace(RULES.worth, crowd=0.0, least=-9.0)
    strict = replace(lenient, least=-1.0, crowd=3.0, free_count=0.0, words_per_mention=99.0)
    assert kept(SENTENCE, lenient) == ["ferry app", "timetable", "harbour", "map", "buoys"]
    assert kept(SENTENCE, strict) == ["ferry app"]


def test_a_name_said_twice_is_judged_once_by_its_best() -> None:
    rules = replace(
        RULES.worth, points={"worked on": 5.0}, least=1.0, crowd=9.0, free_count=1.0, words_per_mention=99.0
    )
    assert kept("rename the anchor, since near the anchor is the rope", rules) == ["anchor", "anchor"]


def test_nothing_reaches_a_bar_too_high() -> None:
    assert kept(SENTENCE, replace(RULES.worth, least=99.0)) == []


def test_a_file_without_the_table_is_refused() -> None:
    with pytest.raises(InvalidError, match="worth"):
        WorthRules.parse({"worth": {"least": 1}}, lexicon=Lexicon.shipped())
