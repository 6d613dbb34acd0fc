"""What comes in through the API holds only texts that store, index and window can hold, however deep they stand.

One decorator per noun instead of a call per argument, so that no method can forget it. Owns the replacement of lone surrogates and
NUL and the bound on nesting; secrets and sizes are the flows' matter. Source: STYLE "Known traps": normalise once at the door.
"""

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from typing import Any, TypeVar, cast

from app.errors import InvalidError
from app.language.normalise import normalise_text
from app.values import CaptureRequest

_Noun = TypeVar("_Noun", bound=type)
_Value = TypeVar("_Value")
_DEEPEST = 64
_MOST_PARTS = 10_000
_LARGEST = 2**63  # what the store counts with
_FIRST_YEAR, _LAST_YEAR = 100, 9_900  # room to count from on both sides
_ANY_SIZE = 2**62


def cleans_arguments(noun: _Noun) -> _Noun:
    """The class, each of whose public methods gets its arguments cleaned."""
    for name, method in list(vars(noun).items()):
        if inspect.isfunction(method) and not name.startswith("_"):
            setattr(noun, name, _cleaned(method))
    return noun


def _cleaned(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: object, *values: object, **named: object) -> object:
        cleaned = {name: clean(value) for name, value in named.items()}
        return method(self, *map(clean, values), **cleaned)

    return call


def clean(value: _Value, depth: int = 0) -> _Value:
    """The value itself when every text in it can be kept, else one with what cannot be kept replaced.

    Raises InvalidError for what is nested without end, too many, a number larger than any of the store, an instant without a
    zone or outside the calendar.

    >>> clean(("port", "8\\ud80080")) == ("port", "8\\ufffd80")
    True
    """
    kind = type(value)
    if kind is str:
        return cast(_Value, clean_text(cast(str, value)))
    if kind in {float, bool, type(None)}:
        return value
    if kind is int:
        _check_number(cast(int, value))
        return value
    if isinstance(value, datetime):
        _check_instant(value)
        return value
    if depth > _DEEPEST:
        raise InvalidError("That is nested too deeply.", hint=f"At most {_DEEPEST} levels are kept.")
    cleaned: _Value = _clean_parts(value, depth + 1)
    return cleaned


def _check_number(number: int) -> None:
    if not -_LARGEST <= number < _LARGEST:
        raise InvalidError("That number is larger than any that is in use.", hint="Take one that a list shows.")


def _check_instant(at: datetime) -> None:
    if at.tzinfo is None:
        raise InvalidError("A time needs its zone.", hint="For example: 2026-03-01T12:00:00+00:00")
    if not _FIRST_YEAR <= at.year <= _LAST_YEAR:
        raise InvalidError(
            f"The year {at.year} is outside of what can be remembered.",
            hint=f"Give one between {_FIRST_YEAR} and {_LAST_YEAR}.",
        )


def clean_text(text: str) -> str:
    return text if text.isascii() and "\x00" not in text else normalise_text(text, max_bytes=_ANY_SIZE).text


def _clean_parts(value: Any, depth: int) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        old = {field.name: getattr(value, field.name) for field in fields(value) if field.init}
        new = {name: clean(part, depth) for name, part in old.items()}
        changed = {name: part for name, part in new.items() if part is not old[name]}
        return replace(value, **changed) if changed else value
    if isinstance(value, Mapping):
        return _same_or({clean(key, depth): clean(part, depth) for key, part in value.items()}, value)
    if type(value) in {list, tuple, set, frozenset}:
        kinds = set(map(type, value))
        if kinds == {int}:  # a hundred thousand numbers of memories
            _check_number(max(value))
            _check_number(min(value))
            return value
        if kinds == {CaptureRequest}:  # the inbox cleans these, and keeps what it changed
            return value
        if len(value) > _MOST_PARTS:
            raise InvalidError(f"{len(value):,} are too many at once.", hint=f"At most {_MOST_PARTS:,} are taken.")
        return _same_or(type(value)(clean(part, depth) for part in value), value)
    return value


def _same_or(new: Any, old: Any) -> Any:
    """The old one where nothing changed: whoever compares by identity finds it again."""
    return old if new == old else new
