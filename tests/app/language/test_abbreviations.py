"""The shipped dictionary of short forms keeps its promises, and a damaged one is refused with its name."""

import pytest

from app.deciders.memory.levels import word_weight_rules as wording_rules
from app.deciders.memory.levels.word_weight_rules import load_wording_rules
from app.errors import InvalidError
from app.language import abbreviations
from app.language.abbreviations import Abbreviations, load_abbreviations
from app.language.token_counts import count_tokens
from app.resources import load_rules


def test_there_are_enough_and_each_saves_tokens_or_costs_none() -> None:
    shorter = load_abbreviations()
    assert len(shorter.words) >= 250
    for long, short in (*shorter.words.items(), *shorter.names.items()):
        assert len(short) < len(long)
        assert count_tokens(f" {short}") <= count_tokens(f" {long}"), long


def test_no_short_form_is_the_long_form_of_another_thing() -> None:
    shorter = load_abbreviations()
    known = {**shorter.words, **shorter.names}
    assert not {short.lower() for short in known.values()} & known.keys()
    assert not shorter.words.keys() & shorter.names.keys()


def test_nothing_that_denies_binds_or_counts_is_abbreviated() -> None:
    rules = load_wording_rules()
    known = {**load_abbreviations().words, **load_abbreviations().names}
    assert not (rules.negators | rules.modals | rules.hedges | rules.number_words | rules.comparators) & known.keys()


def test_the_longest_known_form_wins_and_unknown_words_stay() -> None:
    shorter = Abbreviations.parse({"words": {"load": "ld", "load test run": "LTR"}, "names": {"Quicksilver": "qs"}})
    assert shorter.shorten(["Load", "test", "run", "load", "Ada"]) == ["LTR", "ld", "Ada"]
    assert shorter.shorten(["quicksilver"]) == ["quicksilver"]
    assert shorter.shorten(["quicksilver"], includes_names=True) == ["qs"]


@pytest.mark.parametrize("rules", [{}, {"words": ["db"], "names": {}}, {"words": {}, "names": None}])
def test_a_dictionary_of_another_form_is_refused(rules: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(abbreviations, "load_rules", lambda name: rules)
    with pytest.raises(InvalidError, match=r"abbreviations\.yaml"):
        load_abbreviations.__wrapped__()


@pytest.mark.parametrize("missing", ["fillers", "replacements", "negators", "relations", "clauses"])
def test_word_lists_of_another_form_are_refused(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str) -> dict[str, object]:
        rules = load_rules(name)
        return {key: value for key, value in rules.items() if key != missing}

    monkeypatch.setattr(wording_rules, "load_rules", load)
    with pytest.raises(InvalidError, match=r"compression\.yaml"):
        load_wording_rules.__wrapped__()
