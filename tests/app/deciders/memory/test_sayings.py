"""Sentences that no pattern reads: what states something is kept under a type that fits, the rest is left alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.deciders.memory.rules import MemoryRules, load_memory_rules
from app.deciders.memory.statements.matching import best_match
from app.deciders.memory.statements.statement_features import SentenceContext, name_features
from app.deciders.memory.statements.statement_model import (
    TYPES,
    StatementModel,
    read_by_model,
    shipped_model,
    types_by_form,
)
from app.deciders.memory.statements.statements import extract_statements, find_likely
from app.errors import InvalidError
from app.evaluation.training.labelled_lines import hash_examples
from app.evaluation.training.statements import load_labelled_sentences, train_statement_model
from app.resources import resource_path
from app.settings import Settings
from app.values import FactCandidate, FactType
from tests.table import table

RULES = load_memory_rules()


def read(text: str, rules: MemoryRules = RULES) -> list[FactCandidate]:
    return list(extract_statements(text, expanded=text, references=(), entities=(), intents=(), rules=rules))


@table(
    ("text", "type_"),
    [
        ("I'm fond of short changelogs", FactType.PREFERENCE),
        ("the purpose of the crate is that nobody has to know the modem", FactType.GOAL),
        ("consensus in the lab is that the planner stays", FactType.DECISION),
        ("everybody is fine with Gleam so the planner gets written in Gleam", FactType.DECISION),
        ("stay within the quota of the tile server", FactType.CONSTRAINT),
        ("no root access on the lab machines", FactType.CONSTRAINT),
        ("the planner was written by an intern in 2015", FactType.FACT),
    ],
)
def test_what_no_pattern_reads_is_kept_when_it_sounds_like_it(text: str, type_: FactType) -> None:
    setting = SentenceContext(len(text.split()))
    assert best_match(text, (), RULES) is None
    found = read_by_model(text, text, RULES, setting)
    assert found is not None
    assert found.pattern.type is type_


@table(
    "text",
    [
        "rename the tile server",
        "in planner.rs, call the modem with a timeout",
        "I moved the modem to the other rack",
        "you broke the planner with that",
        "the planner shows two lines too many",
        "could be the modem, not sure",
        "is Elm the way to go for the planner?",
        "not a fan of this one...",
        "[image #3] the planner",
        "the planner was down when I came in",
        "200 tiles a second is enough",
        "Beschluss: der Planer bleibt",
        "ok",
        "",
    ],
)
def test_orders_reports_remarks_and_questions_are_left_alone(text: str) -> None:
    assert read(text) == []


def test_of_a_long_message_what_tells_has_to_be_surer_than_what_is_settled() -> None:
    task = "Then look at the planner and tell me what you see there. "
    ban, told = "no root access on the lab machines", "the planner was written by an intern in 2015"
    own = replace(RULES.statement_model, told_least=0.9999)
    strict = replace(RULES, statement_model=own)
    assert read(ban, strict) != []
    assert read(told, strict) != []
    assert [one.text for one in read(f"{ban}. {told}. {task * 3}", strict)] == ["No root access on the lab machines."]
    assert read(f"{ban}. {task * 12}") == []


@table(
    "text",
    [
        "write a short note I can paste",
        "in the planner, call the modem with a timeout",
        "you are one rack too low, the modem is above",
        "that way the planner never has to know the modem",
        "not sure, no root access on the lab machines",
        "the manual says no root access on the lab machines",
        "write a case for the modem: run with two racks and no root access",
        "label as uses the modem over a socket",
        "Lee thinks we should keep one modem per rack",
        "we want to keep that",
        "read the manual and all the notes in docs/modem/",
        "another option is to keep one modem per rack",
        "not having a modem per rack",
        "both should be in the rack",
    ],
)
def test_tasks_remarks_and_reports_stay_silent_however_likely_they_sound(text: str) -> None:
    assert read(text) == []


def test_what_is_less_sure_waits_for_the_person() -> None:
    [sure], [unsure] = (
        read("I'm fond of short changelogs"),
        read("the planner sleeps at night"),
    )
    assert unsure.confidence < Settings().promote_at <= sure.confidence


def test_how_likely_it_has_to_be_is_a_rule() -> None:
    strict = replace(RULES, statement_model=replace(RULES.statement_model, least=0.9999))
    assert read("the planner sleeps at night", strict) == []


TASK = "Then look at the planner and tell me what you see there, I had no time for it so far. "


@table(
    ("text", "types"),
    [
        ("don't solder on the spare modem", {FactType.CONSTRAINT, FactType.PREFERENCE}),
        ("let's solder the spare modem in the lab", {FactType.DECISION}),
        ("our goal is a modem without a fuse", set(TYPES) - {FactType.PROCEDURE, FactType.ENTITY}),
    ],
)
def test_how_it_is_said_limits_what_it_can_be(text: str, types: set[FactType]) -> None:
    assert types_by_form(text, text, RULES) == types


def test_names_of_one_project_do_not_matter_in_another() -> None:
    one, other = (
        name_features(f"the mailer reads {path} on port {port}", RULES)
        for path, port in (("a/b.toml", 80), ("c/d.ini", 9000))
    )
    assert one == other


def test_a_plain_clause_gets_the_type_that_fits() -> None:
    [found] = read("each harbour pays in January")
    assert found.type is FactType.FACT


def test_the_shipped_weights_are_of_the_shipped_examples() -> None:
    assert shipped_model().examples_hash == hash_examples(resource_path("statements"))


def test_a_model_comes_back_as_it_was_written(tmp_path: Path) -> None:
    listed = load_labelled_sentences(resource_path("statements"))
    few = [one for place, one in enumerate(listed) if place % 60 == 0]
    model = train_statement_model(few, RULES, "few")
    path = tmp_path / "weights.json"
    path.write_text(model.dump(), encoding="utf-8")
    again = StatementModel.load(path)
    assert (again.weights, tuple(again.bias), again.examples_hash) == (model.weights, model.bias, model.examples_hash)
    assert train_statement_model(few, RULES, "few").dump() == model.dump()


@pytest.mark.parametrize("content", ["", "[]", '{"weights": {}}', "\x00"])
def test_a_damaged_weights_file_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "weights.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidError, match=r"weights\.json"):
        StatementModel.load(path)


@table(
    ("text", "found"),
    [
        (
            "Fix the importer. The gateways must never talk to the billing service directly. Thanks.",
            ["The gateways must never talk to the billing service directly."],
        ),
        ("Why do the gateways never talk to the billing service directly?", []),
        ("Maybe the gateways should never talk to the billing service directly.", []),
        ("Xcode says that the gateways never talk to the billing service.", []),
        ("This one must never talk to the billing service directly again.", []),
        ("They must never talk to the billing service directly.", []),
        ("Rename the gateway class and move it into the billing folder.", []),
        ("Never talk to billing.", []),
        ("> the gateways must never talk to the billing service directly", []),
    ],
)
def test_what_is_likely_a_statement_is_proposed(text: str, found: list[str]) -> None:
    own = text if not text.startswith(">") else " " * len(text)
    assert [one.text for one in find_likely(text, own, (), RULES)] == found


def test_what_is_likely_never_beside_what_was_read_and_never_sure() -> None:
    text = "The gateways must never talk to the billing service directly."
    [one] = find_likely(text, text, (), RULES)
    assert Settings().propose_at <= one.confidence < Settings().promote_at
    assert list(find_likely(text, text, (one,), RULES)) == []


def test_beyond_the_longest_message_nothing_is_likely() -> None:
    text = "The gateways must never talk to the billing service directly. " + "So it went on and on. " * 40
    assert list(find_likely(text, text, (), RULES)) == []


def test_what_an_order_is_for_is_read_with_the_order() -> None:
    [one] = read("Change the depot requests to use parcel codes instead of row numbers.")
    assert one.text == "Change the depot requests to use parcel codes instead of row numbers."
