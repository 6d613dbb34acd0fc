"""Clauses, fragments and reasons that belong to one memory, and what stays apart."""

import pytest

from app.memory.statements import extract_statements
from app.values import FactType


def read(text: str) -> list[tuple[FactType, str]]:
    found = extract_statements(text, expanded=text, references=(), entities=(), intents=())
    return [(one.type, one.text) for one in found]


def test_clauses_without_a_slot_of_their_own_are_one_memory() -> None:
    assert read("backups go to the NAS in the cellar, the drives are ours") == [
        (FactType.FACT, "Backups go to the NAS in the cellar, the drives are ours.")
    ]


def test_a_fact_beside_a_rule_belongs_to_it() -> None:
    [(type_, text)] = read("texts are all in lang/*.po, never hardcode labels")
    assert type_ is FactType.CONSTRAINT
    assert "lang/*.po" in text


def test_what_answers_questions_of_its_own_stays_apart() -> None:
    assert len(read("the frontend is Svelte, the database is Postgres")) == 2


def test_rules_of_two_types_stay_two() -> None:
    found = read("the goal is a demo in May, exports must stay under 2 MB")
    assert [type_ for type_, _ in found] == [FactType.GOAL, FactType.CONSTRAINT]


def test_the_reason_behind_a_choice_is_kept_with_it() -> None:
    [(type_, text)] = read("let's go with Valkey. everything else is blocked by our lawyers.")
    assert type_ is FactType.DECISION
    assert "Valkey" in text
    assert "lawyers" in text


@pytest.mark.parametrize("text", ["", "no", "the drives, the cellar"])
def test_nothing_is_joined_where_nothing_was_said(text: str) -> None:
    assert read(text) == []
