"""Makes frozen values: out of a row whose columns are called like their fields; or at a quarter of what their own constructor costs,
for what is made by the hundred while somebody waits.

A frozen dataclass sets each field through a call of its own; here a twin with the same fields is filled in the plain way and then
becomes the value. What comes out cannot be distinguished from one made by the class. Owns no value. Source: QUALITY P1.
"""

from collections.abc import Callable
from dataclasses import MISSING, field, fields, make_dataclass
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")


def value_of(kind: type[T], row: Any, /, **given: Any) -> T:
    """A `kind` of what is `given`; each other field is what `row` calls by the same name. Raises AttributeError for one that it has not.

    >>> from types import SimpleNamespace
    >>> from app.values.recall import Signal
    >>> value_of(Signal, SimpleNamespace(name="recency", share=0.25), value=1.0) == Signal("recency", 1.0, 0.25)
    True
    """
    names = [one.name for one in fields(cast(Any, kind)) if one.name not in given]
    return kind(**{name: getattr(row, name) for name in names}, **given)


def maker(kind: Callable[P, T]) -> Callable[P, T]:
    """What makes values of `kind`, a frozen dataclass with slots and without a factory among its defaults.

    >>> from app.values.recall import Signal
    >>> maker(Signal)("recency", 1.0, 0.25) == Signal("recency", 1.0, 0.25)
    True
    """
    names = [
        (one.name, Any) if one.default is MISSING else (one.name, Any, field(default=one.default))
        for one in fields(cast(Any, kind))
    ]

    def become(made: Any) -> None:
        made.__class__ = kind

    twin = make_dataclass("Twin", names, slots=True, eq=False, repr=False, namespace={"__post_init__": become})
    return cast(Callable[P, T], twin)
