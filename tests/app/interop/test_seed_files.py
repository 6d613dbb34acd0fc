"""The two files of the seeds: write and read give the same values; files with the seeds' fields only are read."""

import json
from dataclasses import is_dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InvalidError
from app.interop.seed_files import read_context, read_history, write_context, write_history
from app.values import ConversationDetail, ConversationState, Intent, Message, Outcome, ReferenceState
from tests.table import table

PLAIN: dict[object, st.SearchStrategy[object]] = {
    datetime: st.datetimes(min_value=datetime(1980, 1, 1), max_value=datetime(2099, 1, 1), timezones=st.just(UTC)),
    float: st.floats(-1, 1, allow_nan=False),
    str: st.text(st.characters(codec="utf-8"), max_size=8),
    int: st.integers(1, 10**12),
    bool: st.booleans(),
    type(None): st.none(),
}


@cache
def any_of(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of a type, by its hints, so that a field that is added later is tried too."""
    if kind in PLAIN:
        return PLAIN[kind]
    arms = get_args(kind)
    if get_origin(kind) is tuple and arms[1] is Ellipsis:
        return st.lists(any_of(arms[0]), max_size=2).map(tuple)
    if get_origin(kind) is tuple:
        return st.tuples(*map(any_of, arms))
    if arms:
        return st.one_of(*map(any_of, arms))
    if is_dataclass(kind):
        return st.builds(kind, **{name: any_of(hint) for name, hint in get_type_hints(kind).items()})
    return st.sampled_from(list(kind))


@pytest.mark.seed("S1", "record.file", "record.timeline")
@settings(max_examples=30, deadline=None)
@given(details=st.lists(any_of(ConversationDetail), max_size=2))
def test_history_is_written_and_read_without_loss(details: list[ConversationDetail]) -> None:
    lines = list(write_history(details))
    assert list(read_history(lines)) == details
    assert all(line.count(b"\n") == 1 for line in lines)


@pytest.mark.seed("S2", "window.file")
@settings(max_examples=30, deadline=None)
@given(messages=st.lists(any_of(Message), max_size=3), session=PLAIN[str])
def test_context_is_written_and_read_without_loss(messages: list[Message], session: str) -> None:
    lines = list(write_context(messages, {message.conversation_id: session for message in messages}))
    entries = list(read_context(lines))
    assert [entry.message for entry in entries] == messages
    assert {entry.session for entry in entries} <= {session}


def test_broken_characters_survive_too() -> None:
    (entry,) = read_context([b'{"user_message": "half a pair \\ud800"}'])
    assert entry.message.text == "half a pair \ud800"
    assert next(read_context(write_context([entry.message]))) == entry


SEED_HISTORY = {
    "conversation_id": "conv-004",
    "title": "Lid painting",
    "started": "2025-11-03T14:20:00Z",
    "ended": None,
    "message_count": 2,
    "active": True,
    "messages": [
        {
            "id": "msg-007",
            "timestamp": "2025-11-03T14:23:45Z",
            "user": "add a lid",
            "intent": "PLAN",
            "entities": ["Lid"],
        },
        {"id": "msg-008", "user": "paint it", "intent": "HUM", "entities": ["teal"], "context_ref": "lid"},
    ],
    "entities_discussed": ["lid", "teal"],
    "files_modified": ["lid.py"],
    "outcome": "planned",
}


@pytest.mark.seed("S1", "record.seed-only")
def test_a_history_with_the_fields_of_the_seed_only() -> None:
    (detail,) = read_history([json.dumps(SEED_HISTORY).encode()])
    conversation = detail.conversation
    assert (conversation.id, conversation.title, conversation.state) == (4, "Lid painting", ConversationState.ACTIVE)
    assert (conversation.topics, conversation.files) == (("lid", "teal"), ("lid.py",))
    assert (conversation.outcome, conversation.ended_at) == (Outcome.PLANNED, None)
    first, second = detail.messages
    assert (first.id, first.conversation_id, first.intents[0].intent) == (7, 4, Intent.PLAN)
    assert [(e.text, e.start, e.end) for e in first.entities] == [("Lid", 6, 9)]
    assert second.intents == ()
    (_, reference), *_ = second.references
    assert (reference.antecedent, reference.state) == ("lid", ReferenceState.RESOLVED)


@pytest.mark.seed("S2", "file.seed-only")
def test_a_context_with_the_fields_of_the_seed_only() -> None:
    row = {"timestamp": "2025-11-03T14:24:12Z", "user_message": "paint it", "intent": "EXECUTE", "session_id": "lid-1"}
    (entry,) = read_context([json.dumps(row).encode(), b"\n"])
    assert (entry.session, entry.message.text, entry.message.intents[0].intent) == ("lid-1", "paint it", Intent.EXECUTE)


@pytest.mark.seed("S1", "record.id", "record.message", "record.entities")
@pytest.mark.seed("S2", "field.timestamp", "field.message", "field.intent", "field.session", "field.ref")
def test_what_is_written_has_the_fields_of_the_seeds() -> None:
    (detail,) = read_history([json.dumps(SEED_HISTORY).encode()])
    row = json.loads(next(write_history([detail])))
    del row["remanence"]
    for message in row["messages"]:
        del message["remanence"]
    assert row["messages"][0] == SEED_HISTORY["messages"][0] | {"entities": ["Lid"]}
    assert row | {"messages": []} == SEED_HISTORY | {"messages": [], "entities_discussed": ["Lid", "teal"]}


@table("line", [b"{", b"[]", b'{"user_message": 5}', b'{"user_message": "x", "remanence": {"id": "y"}}'])
def test_a_line_that_cannot_be_read_is_named(line: bytes) -> None:
    good = b'{"user_message": "x"}'
    with pytest.raises(InvalidError, match="Line 2 of"):
        list(read_context([good, line]))
