"""Clauses that a reader leaves out and that belong to what it read; whose word binds; what is no part of a statement."""

import pytest

from app.memory.statements import extract_statements
from app.values import FactType


def read(text: str) -> list[tuple[FactType, str]]:
    found = extract_statements(text, expanded=text, references=(), entities=(), intents=())
    return [(one.type, one.text) for one in found]


@pytest.mark.parametrize(
    ("text", "type_", "words"),
    [
        ("our guests are sailors, so nothing below 18 px on the desk", FactType.CONSTRAINT, ("sailors", "18 px")),
        ("we picked Ply over Lark for the crane, so please stop proposing Lark", FactType.DECISION, ("Ply", "stop")),
        ("I hate riddles in names, always give me plain words", FactType.PREFERENCE, ("riddles", "plain words")),
        ("the sandbox gets wiped at midnight, so nothing of value goes in", FactType.CONSTRAINT, ("midnight", "value")),
    ],
)
def test_what_belongs_together_is_one_memory(text: str, type_: FactType, words: tuple[str, ...]) -> None:
    [(found, said)] = read(text)
    assert found is type_
    assert all(word in said for word in words)


@pytest.mark.parametrize(
    ("text", "type_", "said"),
    [
        ("all tide heights are metres", FactType.CONSTRAINT, "All tide heights are metres."),
        ("the berth number goes into every mail", FactType.CONSTRAINT, "The berth number goes into every mail."),
        ("from here on every chart is drawn in SVG", FactType.DECISION, "Every chart is drawn in SVG."),
        ("keys live in the vault, not in files, because they leak", FactType.CONSTRAINT, "Keys live in the vault, not in files, because they leak."),
        ("our budget for maps is 90 euros a month", FactType.CONSTRAINT, "Our budget for maps is 90 euros a month."),
        ("We discussed it at lunch: Postgres stays", FactType.DECISION, "Postgres stays."),
        ("legal says passenger names may not be stored", FactType.CONSTRAINT, "Legal says passenger names may not be stored."),
        ("the depot reads from the replica", FactType.FACT, "The depot reads from the replica."),
    ],
)  # fmt: skip
def test_rules_and_choices_are_told_from_facts(text: str, type_: FactType, said: str) -> None:
    assert read(text) == [(type_, said)]


@pytest.mark.parametrize(
    "text",
    [
        "it decided to rebuild the charts",
        "the crane must have moved",
        'WARNING: constraint "fk_berth" must not be null',
        "npm WARN deprecated tide@1.0: never use it",
        "the server has been down since noon",
        "the guests asked whether charts must be printed",
    ],
)  # fmt: skip
def test_reports_and_output_state_nothing(text: str) -> None:
    assert read(text) == []


def test_what_is_told_of_the_past_keeps_its_verb() -> None:
    [(_, said)] = read("remember that I moved the tide tables to the cellar")
    assert "moveds" not in said


@pytest.mark.parametrize(
    ("text", "type_", "said"),
    [
        ("we need to stay compatible with the v2 gates", FactType.CONSTRAINT, "We need to stay compatible with the v2 gates."),
        ("let's do it with webhooks, the loop was a stopgap", FactType.DECISION, "Use webhooks, the loop was a stopgap."),
        ("ok, Kafka then", FactType.DECISION, "Use Kafka."),
        ("leave the public API alone, others pin it", FactType.CONSTRAINT, "Leave the public API alone."),
    ],
)  # fmt: skip
def test_short_ways_to_settle_something(text: str, type_: FactType, said: str) -> None:
    assert read(text) == [(type_, said)]
