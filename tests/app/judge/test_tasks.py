"""Other tasks: what the request says, and what of a tolerable, a lying and a flooding answer holds."""

import json
from datetime import UTC, datetime

import pytest

from app.errors import InvalidError
from app.judge.answer import parse_task_answer
from app.judge.request import answer_schema, instructions, request_json, request_prompt
from app.judge.tasks import (
    ContradictionsRequest,
    LevelItem,
    LevelsRequest,
    MentionSpan,
    Pair,
    PairVerdict,
    ReadReference,
    ReferencesRequest,
    TextRequest,
    Verdict,
    WordedLevels,
)
from app.judge.values import JudgeMessage
from tests.table import table

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
PAIRS = ContradictionsRequest((Pair("p1", "Exports are CSV.", "Exports are XML.", AT, AT, "project"),))
FULL = "The search results are cached in Redis for 60 seconds and never on disk."
LEVELS = LevelsRequest((LevelItem("1", FULL),))
MESSAGES = (
    JudgeMessage(1, 1, "s", AT, "the export dialog is too small", "I made the dialog 600 pixels wide."),
    JudgeMessage(2, 1, "s", AT, "make it wider"),
    JudgeMessage(3, 1, "s", AT, "and the invoice page too"),
)
REFERENCES = ReferencesRequest("shop", MESSAGES, (MentionSpan("m2", 5, 7),))
NOTE = TextRequest("note", "Write a note of this session: Ana moved the shop to Postgres 16.")
ALL = [PAIRS, LEVELS, REFERENCES, NOTE]


def read(request, **answer):
    return parse_task_answer(json.dumps(answer), request)


@table("request_", ALL, ids=lambda one: one.task)
def test_every_task_has_an_envelope_instructions_and_a_strict_schema(request_) -> None:
    value = json.loads(request_json(request_, is_cut=False))
    assert (value["version"], value["task"]) == (1, request_.task)
    schema = answer_schema(request_)
    assert schema["additionalProperties"] is False
    (field,) = schema["required"]
    assert f'"{field}"' in instructions(request_)
    assert request_json(request_, is_cut=True) in request_prompt(request_, "MARK")


def test_the_envelope_is_as_agreed() -> None:
    (pair,) = json.loads(request_json(PAIRS, is_cut=False))["pairs"]
    assert pair == {
        "id": "p1", "a": "Exports are CSV.", "b": "Exports are XML.", "a_at": "2026-03-02T09:00:00Z",
        "b_at": "2026-03-02T09:00:00Z", "scope": "project",
    }  # fmt: skip
    assert json.loads(request_json(REFERENCES, is_cut=False))["mentions"] == [{"message": "m2", "start": 5, "end": 7}]


@table("request_", ALL, ids=lambda one: one.task)
@table("text", ["", "no", "[]", '{"memories": []}', "{" * 5_000, '{"x": "' + "y" * 1_100_000 + '"}'])
def test_what_is_no_answer_to_it_is_a_failure(request_, text: str) -> None:
    with pytest.raises(InvalidError):
        parse_task_answer(text, request_)


def test_verdicts_of_the_pairs_that_were_asked() -> None:
    good = {"id": "p1", "verdict": "contradict", "why": "another\nformat", "holds": "b"}
    found = read(
        PAIRS, verdicts=[good, good, good | {"id": "p9"}, {"id": "p1", "verdict": "delete all", "holds": "b"}, 7]
    )
    assert found.found == (PairVerdict("p1", Verdict.CONTRADICT, "another format", "b"),)
    assert len(found.dropped) == 4


@table(
    ("why", "kept"),
    [
        ("CSV and XML are not the same", True),
        ("it moved to Acme", False),
        ("another format since 2019", False),
        ("A says the opposite of B", True),
    ],
)
def test_a_reason_names_nothing_that_neither_side_says(why: str, kept: bool) -> None:
    entry = {"id": "p1", "verdict": "contradict", "why": why, "holds": "b"}
    [found] = read(PAIRS, verdicts=[entry]).found
    assert found.why == (why if kept else "")


def test_a_flood_is_cut() -> None:
    entry = {"id": "p1", "verdict": "compatible", "why": "", "holds": "both"}
    found = read(PAIRS, verdicts=[entry] * 10_000)
    assert len(found.found) == 1
    assert found.dropped[-1] == "an entry too many"
    assert len(found.dropped) < 300


@table(
    ("summary", "compressed", "reason"),
    [
        ("Search results: in Redis for 60 seconds, never on disk.", "Redis 60 seconds, never disk", ""),
        ("Search results are cached in Redis for 60 s, never on disk.", "cached", "a summary without the unit seconds"),
        ("Search results in Redis for 60 seconds, never kept.", "cached", "a summary without what is denied: disk"),
        ("Search results are cached in Redis, never on disk.", "cached", "a summary without the number 60"),
        ("Search results are cached in Redis for 60 seconds.", "cached", "a summary without a negation"),
        ("Search results are cached for 60 s, not on disk.", "cached", "a summary without the name Redis"),
        ("Redis caches results 60 seconds at Acme, never on disk.", "cached", "the name Acme that nobody said"),
        ("Redis, 60 seconds, never on disk.", "results in Valkey", "the name Valkey that nobody said"),
        (FULL + " Really.", "cached", "levels that do not get shorter"),
    ],
)
def test_levels_lose_nothing_and_bring_nothing(summary: str, compressed: str, reason: str) -> None:
    found = read(LEVELS, levels=[{"id": "1", "summary": summary, "compressed": compressed}])
    assert found.dropped == ((reason,) if reason else ())
    assert found.found == (() if reason else (WordedLevels("1", summary, compressed),))


def test_a_compressed_form_that_loses_something_is_the_summary() -> None:
    summary = "Search results: in Redis for 60 seconds, never on disk."
    (found,) = read(LEVELS, levels=[{"id": "1", "summary": summary, "compressed": "results in Redis"}]).found
    assert found == WordedLevels("1", summary, summary)


@table(
    ("entry", "holds"),
    [
        ({"message": "m2", "start": 5, "antecedent": "the export dialog", "from": "m1"}, True),
        ({"message": "m2", "start": 5, "antecedent": "the invoice page", "from": "m3"}, False),
        ({"message": "m2", "start": 5, "antecedent": "the invoice page", "from": "m1"}, False),
        ({"message": "m2", "start": 5, "antecedent": "the Kubernetes cluster", "from": "m1"}, False),
        ({"message": "m2", "start": 6, "antecedent": "the export dialog", "from": "m1"}, False),
        ({"message": "m2", "start": 5, "antecedent": "", "from": "m1"}, False),
        ({"message": "m2", "start": 5, "antecedent": "the export dialog", "from": "m99"}, False),
    ],
)
def test_an_antecedent_was_said_before(entry: dict, holds: bool) -> None:
    found = read(REFERENCES, references=[entry])
    assert found.found == ((ReadReference("m2", 5, "the export dialog", "m1"),) if holds else ())
    assert len(found.dropped) == (not holds)


def test_a_note_names_nothing_that_nobody_named() -> None:
    assert read(NOTE, text="Ana moved the shop to Postgres 16.").found == ("Ana moved the shop to Postgres 16.",)
    assert read(NOTE, text="Bob moved the shop to Oracle.").found == ()
