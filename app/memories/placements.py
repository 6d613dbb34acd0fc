"""How a person wants memories given: level and tier, or never; kept as one rule a memory, journalled as every act.

A rule of the kind "memory.placement" holds the memory's number and the choice in `data`; back to automatic takes the rule
away. What it means for a context is `recall.placing`'s. Source: UX 4.6, issue 4.
"""

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from app.deciders.recall.context.chosen_placement import (
    LEVEL_PHRASES,
    choose_level,
    choose_tier,
    choose_withheld,
    describe_placement,
    is_chosen,
)
from app.errors import InvalidError
from app.memories.action_checks import named
from app.store.journal import PLACEMENT_RULE, Write
from app.store.rows.context import load_placement_rows
from app.store.tables.core import RuleRow
from app.store.tables.memory import MemoryRow
from app.values import Level, Placement, Tier


def load_placements(connection: Connection, memory_ids: Iterable[int] | None = None) -> dict[int, Placement]:
    """The choices by memory: of these memories, or all of them."""
    rows = load_placement_rows(connection, memory_ids)
    return {one[1]: _placement_of(one) for one in rows}


def place_at_level(write: Write, memory_ids: Sequence[int], level: Level | None) -> None:
    """From now on these are given at this level; None: at the one that fits."""
    known = _known(write, memory_ids)
    wanted = [choose_level(one, level) for one in known.values()]
    label = LEVEL_PHRASES[level] if level is not None else "in the size that fits"
    if any(known[one.memory_id].tier is not one.tier for one in wanted):
        label += ", in the tier that fits"
    _keep(write, wanted, f"will be given {label}, {_when(wanted)}")


def place_in_tier(write: Write, memory_ids: Sequence[int], tier: Tier | None) -> None:
    """From now on these are given in this tier; None: in the one that fits."""
    known = _known(write, memory_ids)
    wanted = [choose_tier(one, tier) for one in known.values()]
    label = describe_placement(Placement(0, tier=tier)) if tier is not None else "in the tier that fits"
    if any(known[one.memory_id].level is not one.level for one in wanted):
        label += ", in the size that fits"
    _keep(write, wanted, f"will be given {label}, {_when(wanted)}")


def withhold(write: Write, memory_ids: Sequence[int], *, is_withheld: bool) -> None:
    """From now on these are never given to an assistant, or again; a person finds them as before."""
    wanted = [choose_withheld(one, is_withheld=is_withheld) for one in _known(write, memory_ids).values()]
    _keep(write, wanted, "will never be given" if is_withheld else "may be given again")


def placement_row(placement: Placement | None) -> dict[str, str | bool] | None:
    """A choice as a file holds it; None for none."""
    if placement is None:
        return None
    chosen: dict[str, str | bool] = {"level": placement.level or "", "tier": placement.tier or ""}
    return chosen | ({"is_withheld": True} if placement.is_withheld else {})


def take_placement(write: Write, memory_id: int, row: object) -> None:
    """Takes over what a file says was chosen of a memory that was just added; what is no choice is left out."""
    if not isinstance(row, dict):
        return
    level, tier = (str(row.get(name) or "") for name in ("level", "tier"))
    wanted = choose_level(Placement(memory_id), Level(level) if level in set(Level) else None)
    wanted = choose_tier(wanted, Tier(tier) if tier in set(Tier) else wanted.tier)
    wanted = choose_withheld(wanted, is_withheld=row.get("is_withheld") is True)
    if is_chosen(wanted):
        _insert(write, wanted)


def _known(write: Write, memory_ids: Sequence[int]) -> dict[int, Placement]:
    """What is chosen of each so far. Raises NotFoundError for a memory that is gone."""
    ids = list(dict.fromkeys(memory_ids))
    if not ids:
        raise InvalidError("No memory is chosen.", hint="Choose at least one.")
    for one in ids:
        write.get(MemoryRow, one)
    chosen = load_placements(write.connection, ids)
    return {one: chosen.get(one, Placement(one)) for one in ids}


def _when(wanted: Sequence[Placement]) -> str:
    """When a choice of how shows: it makes no room, and what is never given stays untold."""
    if not all(one.is_withheld for one in wanted):
        return "where there is room"
    return f"once {'it' if len(wanted) == 1 else 'they'} may be given again"


def _keep(write: Write, wanted: Sequence[Placement], label: str) -> None:
    rows = load_placement_rows(write.connection, [one.memory_id for one in wanted])
    rules = {memory_id: rule_id for rule_id, memory_id, *_ in rows}
    for one in wanted:
        rule_id = rules.get(one.memory_id)
        if rule_id is not None and is_chosen(one):
            write.update(RuleRow, rule_id, {"data": _data(one)})
        elif rule_id is not None:
            write.delete(RuleRow, rule_id)
        elif is_chosen(one):
            _insert(write, one)
    who = named(write, [wanted[0].memory_id]) if len(wanted) == 1 else f"{len(wanted):,} memories"
    write.label = f"{who} {label}"


def _insert(write: Write, placement: Placement) -> None:
    columns = {"kind": PLACEMENT_RULE, "pattern": "", "confidence": 1.0, "learned_from": 1, "created_at": write.at}
    write.insert(RuleRow, columns | {"data": _data(placement)})


def _data(placement: Placement) -> dict[str, object]:
    return {"memory_id": placement.memory_id, **(placement_row(placement) or {})}


def _placement_of(row: tuple[int, int, str, str, bool]) -> Placement:
    _, memory_id, level, tier, is_withheld = row
    return Placement(memory_id, Level(level) if level else None, Tier(tier) if tier else None, is_withheld)
