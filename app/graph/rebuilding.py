"""All derived parts of the graph, computed again: the links that runs found, and the maps with their groups and places.

What a person drew, accepted, rejected, merged, told apart or put somewhere stays, and is heeded. Links between other things are read
from where they are kept, so that there is nothing to rebuild of them. The result is what runs find when they find it bit by bit.
Source: DESIGN section 3 "canonical and derived", issue 18 "Everything derived is rebuildable".
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from app.consolidation.plan_process import PlanCancelledError
from app.consolidation.step_interface import FindAlike, PlanContext, Proposal, SharedReads
from app.consolidation.steps.links import LinkInput, choose_linked, load_link_input, plan, record_of
from app.graph.project_map import kept_projects, make_map
from app.store.journal import Write
from app.store.rows.consolidation import load_found_links
from app.store.tables.memory import LinkRow

AT_ONCE = 250  # memories that are compared before progress is told
Tell = Callable[[str, int, int], None]  # step, done, of how many
_KEY = ("from_id", "to_id", "type", "strength", "reason", "origin")


def find_all_links(
    connection: Connection, context: PlanContext, find_alike: FindAlike, *, is_cancelled: Callable[[], bool], tell: Tell
) -> list[Proposal]:
    """The links between memories that runs would find had none found any yet. Raises PlanCancelledError."""
    shared = SharedReads(is_cancelled)
    alike = shared.alike(find_alike)
    everything = choose_linked(shared.memories(connection, context.now))
    found: list[Proposal] = []
    pairs: set[tuple[int, int]] = set()
    counts: Counter[int] = Counter()
    for start in range(0, len(everything), AT_ONCE):
        around = load_link_input(connection, context, everything[start : start + AT_ONCE], alike, is_from_scratch=True)
        some = plan(_after(around, pairs, counts), context)
        found += some
        pairs |= {(min(one.memory_ids), max(one.memory_ids)) for one in some}
        counts.update(end for one in some for end in one.memory_ids)
        tell("Looking for links", min(start + AT_ONCE, len(everything)), len(everything))
    return found


def _after(around: LinkInput, pairs: set[tuple[int, int]], counts: Counter[int]) -> LinkInput:
    return replace(around, joined=around.joined | pairs, link_counts=dict(counts))


def replace_found_links(write: Write, proposals: Sequence[Proposal]) -> tuple[int, int]:
    """Keeps these in place of what runs found so far; returns how many are new and how many went. What is the same stays untouched."""
    known = {_key(row._mapping): int(row.id) for row in load_found_links(write.connection)}
    wanted = {_key(record): record for record in _records(proposals)}
    gone = [number for key, number in known.items() if key not in wanted]
    new = [record for key, record in wanted.items() if key not in known]
    write.delete_many(LinkRow, gone)
    for record in new:
        write.insert(LinkRow, record | {"created_at": write.at})
    write.label = f"Rebuilt the graph: {len(new):,} found links are new, {len(gone):,} went"
    return len(new), len(gone)


def _records(proposals: Sequence[Proposal]) -> Iterator[dict[str, Any]]:
    for one in proposals:
        yield record_of(one.memory_ids, one.data, one.why)


def _key(record: Any) -> tuple[Any, ...]:
    return tuple(record[name] for name in _KEY)


def rebuild_maps(connection: Connection, folder: Path, *, is_cancelled: Callable[[], bool], tell: Tell) -> int:
    """Lays every map that is kept out from the beginning, that of everything first; returns how many things that one has.

    Raises PlanCancelledError; what was not reached keeps its old map.
    """
    projects = kept_projects(connection, folder)
    counts = []
    for done, project in enumerate(projects):
        if is_cancelled():
            raise PlanCancelledError
        tell("Laying out the map", done, len(projects))
        counts.append(make_map(connection, folder, project, is_from_scratch=True, is_cancelled=is_cancelled).count)
    tell("Laying out the map", len(projects), len(projects))
    return counts[0]
