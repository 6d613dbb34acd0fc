"""What comes in through the door holds only texts that store, index and window can hold, however deep they stand.

One decorator per noun instead of a call per argument, so that no method can forget it. Owns the replacement of lone surrogates and
NUL and the bound on nesting; secrets and sizes are the flows' matter. Source: STYLE "Known traps": normalise once at the door.
"""

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from app.conversation.normalise import normalise_text
from app.errors import InvalidError

_Noun = TypeVar("_Noun", bound=type)
_Value = TypeVar("_Value")
_DEEPEST = 64
_ANY_SIZE = 2**62


def takes_any_text(noun: _Noun) -> _Noun:
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

    Raises InvalidError for what is nested without end.

    >>> clean(("port", "8\\ud80080")) == ("port", "8\\ufffd80")
    True
    """
    kind = type(value)
    if kind is str:
        return cast(_Value, clean_text(cast(str, value)))
    if kind in {int, float, bool, type(None)}:
        return value
    if depth > _DEEPEST:
        raise InvalidError("That is nested too deeply.", hint=f"At most {_DEEPEST} levels are kept.")
    cleaned: _Value = _clean_parts(value, depth + 1)
    return cleaned


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
        if all(type(part) is int for part in value):  # a hundred thousand numbers of memories
            return value
        return _same_or(type(value)(clean(part, depth) for part in value), value)
    return value


def _same_or(new: Any, old: Any) -> Any:
    """The old one where nothing changed: whoever compares by identity finds it again."""
    return old if new == old else new
