"""Lists of memories in groups: which group each row lies in, how many rows each has, and the list in order of groups."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from app.store.memory_columns import MemoryColumns
from app.store.tables.types import to_microseconds
from app.values import (
    FacetValue,
    FactType,
    MemoryGroup,
    MemoryKind,
    MemoryStatus,
    Trust,
)

if TYPE_CHECKING:
    from app.store.memory_columns import Places
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.store.memory_columns import Places

GROUPS_MAX = 300  # the smallest of more than these are one group
OTHERS = "\x00others"
SPANS = (("today", "Today", 1), ("week", "Last 7 days", 7), ("month", "Last 30 days", 30), ("older", "Older", 0))
_COLUMN = {
    MemoryGroup.PROJECT: "project",
    MemoryGroup.APP: "app",
    MemoryGroup.STATUS: "status",
    MemoryGroup.TRUST: "trust",
    MemoryGroup.TOPIC: "category",
}
_FIXED: dict[MemoryGroup, tuple[str, ...]] = {  # groups whose order is not that of their size
    MemoryGroup.STATUS: tuple(one.value for one in MemoryStatus),
    MemoryGroup.TRUST: tuple(str(int(one)) for one in sorted(Trust, reverse=True)),
    MemoryGroup.TIME: tuple(value for value, _, _ in SPANS),
}
Names = Callable[[MemoryGroup], dict[int, tuple[str, str]]]


def group_places(
    columns: MemoryColumns, places: "Places", by: MemoryGroup, now: datetime, names: Names
) -> tuple["Places", tuple[FacetValue, ...]]:
    """The places in order of their groups, and the groups in that order; those without one come last."""
    import numpy as np

    if not len(places):
        return places, ()
    keys, values = _keys(np, columns, places, by, now)
    counts = np.bincount(keys, minlength=len(values)).tolist()
    told = names(by) if by in (MemoryGroup.PROJECT, MemoryGroup.APP) else None
    known = [
        FacetValue(*((value, _title(by, value)) if told is None else told.get(int(value), ("", ""))), count)
        for value, count in zip(values, counts, strict=True)
    ]
    order = _order(by, [n for n, one in enumerate(known) if one.count], known)
    rank = np.full(len(values), min(len(order), GROUPS_MAX), np.int16)
    rank[order[:GROUPS_MAX]] = np.arange(min(len(order), GROUPS_MAX), dtype=np.int16)
    groups = [known[n] for n in order[:GROUPS_MAX]]
    rest = sum(known[n].count for n in order[GROUPS_MAX:])
    if rest:
        groups.append(FacetValue(OTHERS, "All others", rest))
    return places[np.argsort(rank[keys], kind="stable")], tuple(groups)  # of 16 bits: counted, not compared


def _keys(np: Any, columns: MemoryColumns, places: "Places", by: MemoryGroup, now: datetime) -> tuple[Any, list[str]]:
    """Of each place the number of its group, and what each number stands for."""
    if by is MemoryGroup.TIME:
        edges = [to_microseconds(now - timedelta(days=days)) for _, _, days in SPANS[:-1]]
        at = columns.values_at("recorded_at", places)
        return sum((at < edge).astype(np.int16) for edge in edges), [value for value, _, _ in SPANS]
    if by is MemoryGroup.TYPE:
        kinds, types = columns.words("kind"), columns.words("type")
        assert kinds is not None
        assert types is not None
        pairs = columns.values_at("kind", places) * len(types) + columns.values_at("type", places)
        type_words = [_type_word(kind, one) for kind in kinds for one in types]
        values = list(dict.fromkeys(type_words))
        return np.array([values.index(word) for word in type_words], np.int16)[pairs], values
    name = _COLUMN[by]
    numbers, words = columns.values_at(name, places), columns.words(name)
    return numbers, words if words is not None else [str(n) for n in range(int(numbers.max()) + 1)]


def _type_word(kind: str, type_: str) -> str:
    return type_ if kind == MemoryKind.FACT and type_ else kind


def _order(by: MemoryGroup, used: Sequence[int], known: Sequence[FacetValue]) -> list[int]:
    """Fixed orders as they are, all others largest first; without a value last."""
    fixed = _FIXED.get(by)
    if fixed is not None:
        return sorted(used, key=lambda n: fixed.index(known[n].value))
    return sorted(used, key=lambda n: (not known[n].value, -known[n].count, known[n].title))


def _title(by: MemoryGroup, value: str) -> str:
    if by is MemoryGroup.TIME:
        return {name: title for name, title, _ in SPANS}[value]
    if by is MemoryGroup.TYPE and value not in set(FactType):
        return f"{value.title()}s"
    return value.title() if by in (MemoryGroup.TYPE, MemoryGroup.STATUS) else value
