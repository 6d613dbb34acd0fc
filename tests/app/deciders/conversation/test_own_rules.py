"""Rules that are handed in decide instead of the shipped ones, and rules that do not fit are refused by name."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from app.deciders.conversation.boundary.boundary import BoundaryRules
from app.deciders.conversation.boundary.session_starts import SessionRules
from app.deciders.conversation.outcome import OutcomeRules, infer_outcome, is_edit, is_test
from app.deciders.conversation.title import TitleRules, make_title
from app.errors import InvalidError
from app.resources import load_rules
from app.values import Outcome, PriorMessage, ToolOutcome
from tests.table import table


def test_an_own_lead_in_is_taken_off_the_title() -> None:
    text = "Bitteschoen sort the invoices"
    rules = load_rules("titles")
    own = TitleRules.parse(rules | {"lead_ins": [*rules["lead_ins"], "bitteschoen"]})
    assert make_title(text) == "Bitteschoen sort the invoices"
    assert make_title(text, rules=own) == "Sort the invoices"


def test_a_list_without_entries_matches_nothing() -> None:
    empty: dict[str, list[str]] = {name: [] for name in load_rules("titles")}
    assert make_title("please sort the invoices", rules=TitleRules.parse(empty)) == "Please sort the invoices"
    none = OutcomeRules.parse({name: [] for name in load_rules("outcomes")})
    assert infer_outcome([PriorMessage(1, None, "works now")], is_ended=True, rules=none)[0] is None
    assert not is_test(ToolOutcome("Bash", command="- -"), none)


def test_own_words_complete_and_take_back() -> None:
    rules = load_rules("outcomes")
    own = OutcomeRules.parse(rules | {"completed": ["the eagle has landed"], "completed_unless_after": ["hardly"]})

    def outcome(text: str) -> Outcome | None:
        return infer_outcome([PriorMessage(1, None, text)], is_ended=True, rules=own)[0]

    assert outcome("the eagle has landed") is Outcome.COMPLETED
    assert outcome("hardly the eagle has landed") is None
    assert outcome("works now, thanks") is None


def test_own_tools_edit_and_test() -> None:
    own = OutcomeRules.parse(load_rules("outcomes") | {"edit_tools": ["Quill"], "test_commands": ["prove it"]})
    quill, proof = ToolOutcome("quill", file="a.md"), ToolOutcome("Bash", command="prove it --all")
    assert not is_edit(quill)
    assert is_edit(quill, own)
    assert not is_test(proof)
    assert is_test(proof, own)


@table(
    ("name", "parse"),
    [
        ("titles", TitleRules.parse),
        ("outcomes", OutcomeRules.parse),
        ("boundary", BoundaryRules.parse),
        ("sessions", SessionRules.parse),
    ],
)
def test_a_missing_list_is_refused_with_the_file_named(name: str, parse: Callable[[Mapping[str, Any]], object]) -> None:
    rules = load_rules(name)
    for key in rules.keys() - {"chore_words"}:  # came later: who has a file of before keeps it
        with pytest.raises(InvalidError, match=rf"{name}\.yaml.*{key}") as refused:
            parse({kept: value for kept, value in rules.items() if kept != key})
        assert refused.value.hint


def test_a_number_that_is_none_is_refused() -> None:
    rules = load_rules("boundary")
    with pytest.raises(InvalidError, match=r"boundary\.yaml"):
        BoundaryRules.parse(rules | {"thresholds": {"new_ratio": "often"}})
