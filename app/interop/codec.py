"""Turns frozen values into plain JSON values and back by their type hints, without loss.

A field that is missing takes its default, an unknown one is ignored, so that files of other versions stay
readable. Knows dataclasses, enums, instants, tuples and optional values; nothing of what they mean.
"""

import dataclasses
import types
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from app.errors import InvalidError

T = TypeVar("T")
Plain = Any  # what json.loads returns


def to_plain(value: object) -> Plain:
    """The value as JSON knows it: dataclasses as objects, tuples as lists, instants as ISO text."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple | list):
        return [to_plain(entry) for entry in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return value.value if isinstance(value, StrEnum) else value


def from_plain(kind: type[T], plain: Plain) -> T:
    """The value of that type. Raises InvalidError when the plain value cannot be one.

    >>> from_plain(tuple[int, ...], [1, 2])
    (1, 2)
    """
    try:
        return cast(T, _read(kind, plain))
    except (TypeError, ValueError, KeyError) as error:
        raise InvalidError(
            f"Not a {getattr(kind, '__name__', kind)}: {error}", hint="Write it as an export of ours does."
        ) from error


def _read(kind: Any, plain: Plain) -> object:
    origin = get_origin(kind)
    if origin in {Union, types.UnionType}:
        return None if plain is None else _read(next(arm for arm in get_args(kind) if arm is not type(None)), plain)
    if origin is tuple:
        return _read_tuple(get_args(kind), plain)
    if dataclasses.is_dataclass(kind):
        return _read_dataclass(cast(type, kind), plain)
    if kind is datetime:
        return datetime.fromisoformat(plain)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind(plain)
    return _read_scalar(kind, plain)


def _read_tuple(arms: tuple[Any, ...], plain: Plain) -> tuple[object, ...]:
    if not isinstance(plain, list):
        raise TypeError("a list is needed")
    if len(arms) == 2 and arms[1] is Ellipsis:
        return tuple(_read(arms[0], entry) for entry in plain)
    return tuple(_read(arm, entry) for arm, entry in zip(arms, plain, strict=True))


def _read_dataclass(kind: type, plain: Plain) -> object:
    if not isinstance(plain, Mapping):
        raise TypeError("an object is needed")
    return kind(**{name: _read(hint, plain[name]) for name, hint in _fields(kind).items() if name in plain})


def _read_scalar(kind: Any, plain: Plain) -> object:
    if kind is float and isinstance(plain, int) and not isinstance(plain, bool):
        return float(plain)
    if not isinstance(plain, kind) or (kind is int and isinstance(plain, bool)):
        raise TypeError(f"{kind.__name__} is needed, not {type(plain).__name__}")
    return plain


@cache
def _fields(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}
