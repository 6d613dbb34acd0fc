"""Compress: what is long and lies unused is given as its summary, later in its compressed form. Source: S4 `summarize_episodes`,
`compress_episodes` (7 and 30 days).

Nothing is rewritten: every level stays, and only the longest one that is given unasked changes. What is used again is given in full
again (`usage`). Short memories, what the person keeps, and rules that must be told word by word are left alone.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row

from app.consolidation.port import Kind, Proposal, Reading, Shown, SkipAction, Step, Texts
from app.consolidation.snapshot import MemoryFacts
from app.consolidation.steps.forget import is_last
from app.store.journal import Write
from app.store.memory_tables import MemoryRow
from app.values import Level

_LONG_TOKENS = 40  # shorter ones cost a context hardly anything
_COLUMN = {Level.SUMMARY.value: "summary", Level.COMPRESSED.value: "compressed"}
_PLACE = {Level.FULL.value: 0, Level.SUMMARY.value: 1, Level.COMPRESSED.value: 2}


def _load(connection: Connection, reading: Reading) -> tuple[MemoryFacts, ...]:
    return reading.shared.memories(connection, reading.now)


def plan(memories: Sequence[MemoryFacts], reading: Reading) -> list[Proposal]:
    """One proposal for each that has lain long enough and would be shorter."""
    settings = reading.settings
    found = []
    for one in memories:
        if one.is_kept or is_last(one) or one.is_closed or one.tokens[0] < _LONG_TOKENS:
            continue
        days = reading.work_days.since(one.used_at, one.project_id)
        level = Level.FULL
        if days >= settings.compressed_days:
            level = Level.COMPRESSED
        elif days >= settings.summary_days:
            level = Level.SUMMARY
        saved = one.tokens[_PLACE[one.given_level]] - one.tokens[_PLACE[level.value]]
        if _PLACE[level.value] > _PLACE[one.given_level] and saved > 0:
            why = f"not used on {days} days of work"
            found.append(Proposal("shorten", (one.id,), why, data={"level": level.value}, saved_tokens=saved))
    return found


def _apply(write: Write, action: Row[Any]) -> None:
    (memory_id,) = action.memory_ids
    row = write.get(MemoryRow, memory_id)
    level = str(action.data["level"])
    if _PLACE[row.given_level] >= _PLACE[level] or not getattr(row, _COLUMN[level]):
        raise SkipAction("It is given as short already.")
    write.update(MemoryRow, memory_id, {"given_level": level}, was=row)


def _show(texts: Texts, action: Row[Any]) -> Shown:
    found = [texts[one] for one in action.memory_ids if one in texts]
    column = _COLUMN[str(action.data["level"])]
    return Shown(tuple(one.full for one in found), tuple(getattr(one, column) for one in found))


COMPRESS = Step(
    "compress",
    "Shortening what lies unused",
    _load,
    plan,
    {"shorten": Kind("shortened", _apply, counts_as=("compressed",), show=_show)},
)
