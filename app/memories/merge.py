"""Several memories made one: one stays with a new text, the others are archived and linked with it.

What each of them said, its earlier versions and where it was said are kept: the one that stays takes over quotes, files and
links, those put away keep their own history and can be brought back. Trust is the lowest of all (S7). Knows no transaction of
its own. Source: UX 4.4 "Bulk", QUALITY S7.
"""

from collections.abc import Sequence
from typing import Any

from app.errors import InvalidError
from app.memories.action_checks import named, rows_of, short
from app.memories.actions import edited_columns
from app.memories.draft_guess import HELD, would_steer_in
from app.memories.placements import load_placements, withhold
from app.memories.versions import keep_versions
from app.store.journal import Record, Write
from app.store.rows.link import link_record, links_of
from app.store.rows.memory import contradictions_of, copy_sketches
from app.store.table_queries import rows_with
from app.store.tables.memory import ArtifactRow, ContradictionRow, LinkRow, MemoryRow, MemorySourceRow
from app.understanding.message_rows import AnyRow
from app.values import LinkType, MemoryEdit, MemoryStatus, Visibility
from app.values.graph import NodeKind

MERGED_MAX = 20


def merge_memories(write: Write, ids: Sequence[int], text: str, keep_id: int) -> int:
    """Makes one of several that are in use; returns the number of the one that stays."""
    rows = rows_of(write, ids)
    _check(rows, keep_id)
    keep = next(row for row in rows if row.id == keep_id)
    others = [row for row in rows if row.id != keep_id]
    is_withheld = any(one.is_withheld for one in load_placements(write.connection, [row.id for row in rows]).values())
    keep_versions(write, [keep], f"merged with {_listed(others)}")
    write.update(MemoryRow, keep_id, _merged(keep, others, text or keep.full) | {"updated_at": write.at})
    keep_versions(write, others, f"merged into “{short(keep.title)}”")
    for row in others:
        write.update(
            MemoryRow,
            row.id,
            {"status": MemoryStatus.ARCHIVED.value, "retired_at": write.at, "updated_at": write.at},
        )
    gone = [row.id for row in others]
    _take_sources(write, keep_id, gone)
    _take_artifacts(write, keep_id, gone)
    _take_links(write, keep_id, gone)
    _take_contradictions(write, keep_id, gone)
    if is_withheld:
        withhold(write, [keep_id], is_withheld=True)
    write.label = f"Merged {len(rows)} memories into {named(write, [keep_id])}"
    if _is_new_danger(rows, text):
        write.update(MemoryRow, keep_id, HELD)
        write.held_ids.add(keep_id)
        write.label += ". It is blocked: assistants get it once you allow it"
    return keep_id


def _is_new_danger(rows: Sequence[AnyRow], text: str) -> bool:
    """Whether the new text is a dangerous order that the person has not allowed in one of them before."""
    return bool(text) and all(row.full != text for row in rows) and would_steer_in(text)


def _check(rows: Sequence[AnyRow], keep_id: int) -> None:
    if not 2 <= len(rows) <= MERGED_MAX:
        raise InvalidError(
            f"2 to {MERGED_MAX} memories can be merged at once.", hint=f"Choose 2 to {MERGED_MAX} of them."
        )
    if keep_id not in {row.id for row in rows}:
        raise InvalidError("The memory that stays is not among those to merge.", hint="Choose one of them.")
    idle = next((row for row in rows if row.status != MemoryStatus.ACTIVE), None)
    if idle is not None:
        hint = "Bring it back first." if idle.status == MemoryStatus.ARCHIVED else "Accept it first."
        raise InvalidError(f"“{short(idle.title)}” is not in use.", hint=hint)
    if len({row.kind for row in rows}) > 1:
        raise InvalidError("Memories of different kinds cannot be merged.", hint="Select others.")


def _merged(keep: AnyRow, others: Sequence[AnyRow], text: str) -> Record:
    """The columns of the one that stays: its own text and slot, the lowest trust, the most of all else."""
    rows = [keep, *others]
    edit = MemoryEdit(
        full=text,
        tags=tuple(dict.fromkeys(tag for row in rows for tag in row.tags)),
        importance=max(row.importance for row in rows),
        confidence=max(row.confidence for row in rows),
        visibility=next((Visibility.USER_PRIVATE for row in rows if row.visibility == Visibility.USER_PRIVATE), None),
        valid_from=min(row.valid_from for row in rows),
    )
    return edited_columns(keep, edit) | {
        "trust": min(int(row.trust) for row in rows),
        "is_pinned": any(row.is_pinned for row in rows),
    }


def _take_sources(write: Write, keep_id: int, gone: Sequence[int]) -> None:
    """Where the others were said is where this one was said: the quotes are copied, theirs stay with them."""
    _copy_parts(write, MemorySourceRow, keep_id, gone, ("message_id", "start", "quote"))
    copy_sketches(write.connection, keep_id, gone)


def _take_artifacts(write: Write, keep_id: int, gone: Sequence[int]) -> None:
    _copy_parts(write, ArtifactRow, keep_id, gone, ("kind", "reference"))


def _copy_parts(
    write: Write, kind: type[MemorySourceRow | ArtifactRow], keep_id: int, gone: Sequence[int], same: tuple[str, ...]
) -> None:
    """Rows of the others as rows of this one, each once."""
    rows = rows_with(write.connection, kind, memory_id=[keep_id, *gone])
    known = {tuple(getattr(row, name) for name in same) for row in rows if row.memory_id == keep_id}
    records = []
    for row in rows:
        key = tuple(getattr(row, name) for name in same)
        if key not in known:
            known.add(key)
            records.append({name: value for name, value in row._mapping.items() if name != "id"})
    write.insert_many(kind, [record | {"memory_id": keep_id} for record in records])


def _take_links(write: Write, keep_id: int, gone: Sequence[int]) -> None:
    """What the others were linked with is linked with this one; and this one with them."""
    inside = {keep_id, *gone}
    rows = links_of(write.connection, NodeKind.MEMORY, inside)
    known = {_link_key(row._mapping) for row in rows}
    records = []
    for row in rows:
        ends = {side: (getattr(row, f"{side}_kind"), getattr(row, f"{side}_id")) for side in ("from", "to")}
        if all(kind == "memory" and one in inside for kind, one in ends.values()):
            continue
        moved = {f"{side}_id": keep_id for side, (kind, one) in ends.items() if kind == "memory" and one in gone}
        record = {name: value for name, value in row._mapping.items() if name != "id"} | moved
        if moved and _link_key(record) not in known:
            known.add(_link_key(record))
            records.append(record | {"created_at": write.at})
    records += [link_record(keep_id, one, LinkType.MERGED_FROM, 1.0, write.at) for one in gone]
    write.insert_many(LinkRow, records)


def _link_key(link: Any) -> tuple[object, ...]:
    return tuple(link[name] for name in ("from_kind", "from_id", "to_kind", "to_id", "to_name", "type"))


def _take_contradictions(write: Write, keep_id: int, gone: Sequence[int]) -> None:
    """Those between the merged ones are settled; one with a third memory stands against the one that stays."""
    inside = {keep_id, *gone}
    rows = contradictions_of(write.connection, inside)
    both = {row.id: {row.memory_a_id, row.memory_b_id} for row in rows}
    rivals = {one for ends in both.values() if keep_id in ends for one in ends - inside}
    for row in rows:
        ends = both[row.id]
        if ends <= inside:
            settled = {"state": "resolved", "resolution": "merged", "resolved_at": write.at}
            write.update(ContradictionRow, row.id, settled)
        elif keep_id not in ends and not (ends - inside) <= rivals:
            rivals |= ends - inside
            side = "memory_a_id" if row.memory_a_id in inside else "memory_b_id"
            write.update(ContradictionRow, row.id, {side: keep_id})


def _listed(rows: Sequence[AnyRow]) -> str:
    return f"“{short(rows[0].title)}”" if len(rows) == 1 else f"{len(rows)} others"
