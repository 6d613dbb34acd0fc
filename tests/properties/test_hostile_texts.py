"""Every public call of every noun takes any text in any of its arguments: it answers or says in a sentence what is wrong.

The calls are found by looking, so that a new one is tested from its first day. What they return must be storable as UTF-8.
"""

import collections.abc
import dataclasses
import enum
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as some

from app.api import Engine, MemoryDraft, RemanenceError
from app.api.settings_api import SettingsApi

NOUNS = (
    "apps", "backups", "context", "conversations", "events", "journal", "memories", "messages", "rules", "search", "settings",
    "stats", "answers", "transfer", "window",
)  # fmt: skip
_AT = datetime(2026, 3, 1, tzinfo=UTC)
_BUILT_IN: Mapping[object, object] = {int: 1, float: 0.5, bool: False, datetime: _AT, object: "x"}


def calls() -> list[str]:
    """`noun.method` of all that take a text, but for those that read or write a file of the caller's choice."""
    found = []
    for noun in NOUNS:
        door = typing.get_type_hints(Engine.__init__).get(noun) or _door_of(noun)
        for name, method in inspect.getmembers(door, inspect.isfunction):
            hints = _hints(method)
            if not name.startswith("_") and not _mentions(hints, Path) and _mentions(hints, str):
                found.append(f"{noun}.{name}")
    return found


def _door_of(noun: str) -> type:
    import app.api.nouns as module

    doors = {"context": "ContextApi", "journal": "Journal", "stats": "StatsApi", "backups": "BackupsApi",
             "rules": "RulesApi", "answers": "AnswersApi"}  # fmt: skip
    found: type = SettingsApi if noun == "settings" else getattr(module, doors.get(noun, noun.capitalize()))
    return found


def _hints(method: object) -> dict[str, object]:
    hints = typing.get_type_hints(method)
    hints.pop("return", None)
    return hints


def _mentions(hint: object, wanted: type) -> bool:
    if isinstance(hint, dict):
        return any(_mentions(one, wanted) for one in hint.values())
    if hint is wanted:
        return True
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _mentions(typing.get_type_hints(hint), wanted)
    return any(_mentions(one, wanted) for one in typing.get_args(hint))


def make(hint: object, text: str) -> object:
    """A value of a type in which every text is `text`."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if hint is str or hint is typing.Any:
        return text
    if hint in _BUILT_IN:
        return text if hint is object else _BUILT_IN[hint]
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return next(iter(hint))
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        hints = typing.get_type_hints(hint)
        return hint(**{field.name: make(hints[field.name], text) for field in dataclasses.fields(hint)})
    if origin in {typing.Union, types.UnionType}:
        return make(next(one for one in parts if one is not types.NoneType), text)
    if origin in {frozenset, collections.abc.Set}:
        return frozenset({make(parts[0], text)})
    if origin in {tuple, list, Sequence, Iterable}:
        return (make(parts[0], text),)
    if origin in {dict, Mapping}:
        return {make(parts[0], text): make(parts[1], text)}
    if origin is Callable:
        return lambda *_: True
    if isinstance(hint, typing.TypeVar):
        return make(hint.__constraints__[0], text)
    raise AssertionError(f"no value for {hint}")


def _texts_in(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _texts_in(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _texts_in(key)
            yield from _texts_in(one)
    elif isinstance(value, tuple | list | set | frozenset):
        for one in value:
            yield from _texts_in(one)


@pytest.fixture
def known(engine: Engine) -> Engine:
    engine.memories.create(MemoryDraft(text="We deploy on Tuesdays.", project_path="/w/shop"))
    return engine


HOSTILE = some.text(some.sampled_from("a\ud800\udfff\x00\"'%_\\*:#(\u202e\ufffe\n é日"), max_size=12)


@pytest.mark.parametrize("call", calls())
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=HOSTILE)
@example(text="\ud800")
@example(text="deploy\udfff")
@example(text="a" * 100_000)
def test_any_text_is_taken_or_refused_in_a_sentence(call: str, known: Engine, text: str) -> None:
    noun, name = call.split(".")
    method = getattr(getattr(known, noun), name)
    hints = _hints(getattr(type(getattr(known, noun)), name))
    given_values = {key: make(hint, text) for key, hint in hints.items()}
    try:
        answer = method(**given_values)
    except RemanenceError as error:
        answer = str(error) or pytest.fail("an error without a sentence")
    for told in _texts_in(answer):
        told.encode("utf-8")


def test_the_calls_are_found() -> None:
    found = set(calls())
    assert {
        "search.search",
        "search.suggest",
        "answers.place",
        "answers.timeline",
        "memories.edit",
        "memories.create",
    } <= found
    assert len(found) > 40
