"""Slots and values: what a statement is about, however it is said."""

from app.deciders.memory.rules import load_memory_rules
from app.deciders.memory.slots.slots import FilledSlot, fill_slot, find_technologies
from app.resources import load_rules
from app.values import Entity, EntityKind, Slot
from tests.table import table

RULES = load_memory_rules().slots


@table(
    ("text", "attribute", "value"),
    [
        ("We use Vitest", "test runner", "Vitest"),
        ("Redis is the queue", "queue", "Redis"),
        ("Redis is the cache", "cache", "Redis"),
        ("Postgres listens on 5433", "port", "5433"),
        ("the request timeout is 30s", "request timeout", "30 seconds"),
        ("timeout: 250 ms", "timeout", "250 ms"),
        ("test coverage must stay above 85 percent", "coverage", "85 %"),
        ("tabs, not spaces", "indentation", "tabs"),
        ("max upload size is 20mb", "upload limit", "20 MB"),
        ("line length is 100", "line length", "100"),
        ("minimum version is 3.11", "minimum version", "3.11"),
        ("the default branch is `trunk`", "branch", "trunk"),
        ("the log file is /var/log/app.log", "log path", "/var/log/app.log"),
        ("the licence is Apache-2.0", "licence", "apache-2.0"),
        ("the accent colour is #ff8800", "colour", "#ff8800"),
        ("the deadline is next week", "deadline", "next week"),
        ("named exports, please", "exports", "named exports"),
        ("we run MySQL 8 in two racks", "database", "MySQL 8"),
        ("our images start from python:3.12", "language", "Python 3.12"),
        ("use Vue 3 components", "ui framework", "Vue"),
    ],
)
def test_values_are_canonical(text: str, attribute: str, value: str) -> None:
    found = fill_slot(text, RULES)
    assert found.slot is not None
    assert found.slot.attribute == attribute.removeprefix("request ")
    assert found.value == value


@table(
    ("text", "slot"),
    [
        ("In tests use SQLite", Slot("", "database", "tests")),
        ("staging runs on Fly.io", Slot("", "hosting", "staging")),
        ("use pytest for tests", Slot("", "test runner")),
        ("use Postgres for the billing service", Slot("billing service", "database")),
        ("in Python use Ruff for linting", Slot("", "linter", "python")),
        ("our services are written in Go", Slot("", "language")),
    ],
)
def test_scope_and_subject(text: str, slot: Slot) -> None:
    assert fill_slot(text, RULES).slot == slot


@table(
    ("text", "parts", "filling"),
    [
        (
            "moved the staging server's port from 8443 to 9443",
            {"subject": "the staging server's port", "old": "8443", "new": "9443"},
            FilledSlot(Slot("", "port", "staging"), "9443", "8443"),
        ),
        (
            "bumped the Node version from 18 to 20",
            {"subject": "the Node version", "old": "18", "new": "20"},
            FilledSlot(Slot("", "runtime"), "Node.js 20", "Node.js 18"),
        ),
    ],
)
def test_a_change_is_read_from_the_new_part_and_keeps_the_old(
    text: str, parts: dict[str, str], filling: FilledSlot
) -> None:
    assert fill_slot(text, RULES, parts) == filling


def test_the_subject_of_the_sentence_names_the_slot() -> None:
    found = fill_slot("the billing service database is MySQL", RULES, {"subject": "the billing service database"})
    assert found.slot == Slot("billing service", "database")


def test_a_subject_behind_its_attribute_is_the_same_one() -> None:
    found = fill_slot("the port of the orders service is 8080", RULES, {"subject": "the port of the orders service"})
    assert found.slot == Slot("orders service", "port")


def test_nothing_known_fills_nothing() -> None:
    assert fill_slot("the sky is blue today", RULES).slot is None


def test_everyday_words_are_names_only_when_meant() -> None:
    assert find_technologies("go home and express yourself", (), RULES) == []
    assert [one.name for one in find_technologies("we write Go and Express apps", (), RULES)] == ["Go", "Express"]
    entity = Entity("express", EntityKind.TECHNOLOGY, 4, 11, "express")
    assert [one.name for one in find_technologies("use express", (entity,), RULES)] == ["Express"]
    assert find_technologies("Run it first. Go over the plan.\nMake it small.", (), RULES) == []


def test_a_sentence_does_not_begin_with_a_person_only_because_its_first_letter_is_large() -> None:
    assert fill_slot("The owner of the file is root", RULES).slot is None
    assert fill_slot("The owner of billing is Mia", RULES).value == "Mia"
    assert fill_slot("Ben Ono is the maintainer", RULES).value == "Ben Ono"


def test_a_job_is_a_role_where_it_is_a_persons() -> None:
    assert fill_slot("The export job is broken", RULES).slot is None
    assert fill_slot("My job is SRE", RULES) == FilledSlot(Slot("", "person's role"), "sre")


def test_the_ontology_is_whole() -> None:
    assert len(RULES.attributes) >= 60
    known = {name for entries in load_rules("gazetteer").values() if isinstance(entries, dict) for name in entries}
    assert set(RULES.answers) <= known
