"""An answer is read tolerantly, and only where it is one."""

import json

import pytest

from app.errors import InvalidError
from app.judge.answer import MAX_ANSWER_BYTES, MAX_ENTRIES, parse_answer
from app.judge.values import AnsweredMemory
from tests.table import table

ONE = {"message": "m1", "quote": "use pnpm", "statement": "Use  pnpm."}


def test_words_around_the_json_are_passed_over() -> None:
    text = f"Sure!\n```json\n{json.dumps({'memories': [ONE]})}\n```\nAnything else?"
    assert parse_answer(text).memories == (AnsweredMemory("m1", "use pnpm", "Use pnpm."),)


def test_only_the_named_fields_are_read() -> None:
    more = ONE | {
        "type": "order",
        "scope": "world",
        "worth": 9,
        "replaces": ["k1", "DROP", 3, "m2"],
        "trust": 3,
        "run": "rm",
    }
    (read,) = parse_answer(json.dumps({"memories": [more], "approve": True})).memories
    assert read == AnsweredMemory("m1", "use pnpm", "Use pnpm.", "fact", "project", 3, ("k1", "m2"))


@table("bad", [{}, {"message": "x1"}, ONE | {"quote": ""}, ONE | {"statement": 5}, "text", None, 7])
def test_entries_that_are_none_are_counted(bad: object) -> None:
    answer = parse_answer(json.dumps({"memories": [bad, ONE], "changes": [], "topics": "none"}))
    assert (len(answer.memories), answer.unread_count) == (1, 1)


@table("text", ["", "no", "[]", '"memories"', '{"answer": 1}', "{" * 50_000, "null"])
def test_what_is_no_answer_is_a_failure(text: str) -> None:
    with pytest.raises(InvalidError):
        parse_answer(text)


def test_a_flood_is_a_failure_or_cut() -> None:
    with pytest.raises(InvalidError):
        parse_answer(json.dumps({"memories": [ONE], "x": "a" * MAX_ANSWER_BYTES}))
    assert len(parse_answer(json.dumps({"memories": [ONE] * 1_000})).memories) == MAX_ENTRIES
