"""A person's answer to a contradiction, and the way back: validity, supersedes, links, texts, journal, all in one write.

Knows no transaction of its own: the caller hands in the `Write`. What each answer means is `app.deciders.memory.contradictions.resolutions`'s.
Source: S4 "Contradiction Resolution", DESIGN section 5 "resolve".
"""

from collections.abc import Sequence

from app.contradictions.listing import group_open
from app.deciders.memory.contradictions.resolutions import add_scope, closes_at
from app.errors import InvalidError, StaleError
from app.memories.action_checks import check_text, short
from app.memories.actions import MemoryCurator
from app.memories.learn import close_memory
from app.memories.merge import merge_memories
from app.memories.queries import get_memory
from app.memories.versions import keep_versions
from app.store.journal import Write
from app.store.rows.contradiction import load_one
from app.store.rows.link import link_record, memory_links
from app.store.tables.memory import ContradictionRow, LinkRow, MemoryRow
from app.understanding.message_rows import AnyRow
from app.values import LinkType, MemoryEdit, MemoryStatus, Resolution, ResolutionRequest, Slot

_NOTE_CHARS, _SCOPE_CHARS = 1_000, 120
_SAID = {
    Resolution.A_WINS: "Kept “{a}”, not “{b}”",
    Resolution.B_WINS: "“{b}” replaces “{a}”",
    Resolution.BOTH_VALID: "Both hold: “{a}” and “{b}”",
    Resolution.MERGED: "Merged “{a}” with “{b}”",
    Resolution.DISMISSED: "No contradiction: “{a}” and “{b}”",
}


def resolve_contradiction(
    write: Write, curator: MemoryCurator, contradiction_id: int, wanted: ResolutionRequest
) -> None:
    """Carries out the answer. Raises StaleError when it is resolved already or a side is gone, InvalidError for what is missing."""
    row = load_one(write.connection, contradiction_id)
    a, b = write.get(MemoryRow, row.memory_a_id), write.get(MemoryRow, row.memory_b_id)
    _check(row, a, b, wanted)
    note = wanted.note.strip()
    match wanted.resolution:
        case Resolution.A_WINS:
            _let_win(write, curator, winner=a, loser=b, wanted=wanted)
        case Resolution.B_WINS:
            _let_win(write, curator, winner=b, loser=a, wanted=wanted)
        case Resolution.BOTH_VALID:
            note = " ".join(filter(None, (note, _keep_both(write, curator, a, b, wanted))))
        case Resolution.MERGED:
            _merge(write, curator, a, b, wanted.text.strip())
    for link_id in memory_links(write.connection, a.id, b.id, LinkType.CONTRADICTS):
        write.delete(LinkRow, link_id)
    is_dismissed = wanted.resolution is Resolution.DISMISSED
    write.update(
        ContradictionRow,
        contradiction_id,
        {
            "state": "dismissed" if is_dismissed else "resolved",
            "resolution": wanted.resolution.value,
            "resolution_note": note,
            "resolved_at": write.at,
            "resolved_by": "person",
        },
    )
    write.label = _SAID[wanted.resolution].format(a=short(a.title), b=short(b.title))


def resolve_all(
    write: Write, curator: MemoryCurator, contradiction_ids: Sequence[int], wanted: ResolutionRequest
) -> None:
    """The same answer to several, the first of them first; of those of which a side is gone by then nothing is left to decide.

    The label says how many other questions are settled by that: one of their sides is no longer true.
    """
    label = ""
    asked = [frozenset(int(row.id) for row in group) for group in group_open(write.connection, write.at)]
    for place, number in enumerate(dict.fromkeys(contradiction_ids)):
        try:
            resolve_contradiction(write, curator, number, wanted)
        except StaleError:
            if not place:
                raise
            continue
        label = label or write.label
    others = len(set(contradiction_ids)) - 1
    label = f"{label}, and {others} like it" if others > 0 else label
    left = {int(row.id) for group in group_open(write.connection, write.at) for row in group}
    settled = sum(group.isdisjoint(left) and group.isdisjoint(contradiction_ids) for group in asked)
    if settled:
        label = f"{label}. This settles {settled} other question{'s' if settled > 1 else ''}, too"
    write.label = label


def _check(row: AnyRow, a: AnyRow, b: AnyRow, wanted: ResolutionRequest) -> None:
    if row.state != "open":
        raise StaleError("This contradiction is resolved already.", hint="Open it again to decide otherwise.")
    for side in (a, b):
        if side.valid_to is not None or side.status == MemoryStatus.ARCHIVED:
            raise StaleError(
                f"“{short(side.title)}” is no longer true, so there is nothing to decide.",
                hint="Bring it back first, in Memories.",
            )
        if side.status == MemoryStatus.QUARANTINED:
            raise InvalidError(f"“{short(side.title)}” is blocked.", hint="Allow it first, in the review.")
    if len(wanted.note) > _NOTE_CHARS:
        raise InvalidError(f"A note has at most {_NOTE_CHARS:,} characters.", hint="Write less.")
    scopes = (wanted.scope_a.strip(), wanted.scope_b.strip())
    if max(map(len, scopes)) > _SCOPE_CHARS:
        raise InvalidError(f"A scope has at most {_SCOPE_CHARS} characters.", hint="For example: tests")
    if wanted.resolution is Resolution.BOTH_VALID and not any(scopes):
        raise InvalidError(
            "Say where one of them holds, so that your assistant knows which to follow.", hint="For example: tests"
        )
    if wanted.resolution is Resolution.MERGED:
        check_text(wanted.text)


def _let_win(write: Write, curator: MemoryCurator, *, winner: AnyRow, loser: AnyRow, wanted: ResolutionRequest) -> None:
    """The loser is closed in time and stays in the history; who was only proposed is accepted by being chosen."""
    if winner.status == MemoryStatus.PROPOSED:
        curator.accept(write, [winner.id])
    is_newer = wanted.resolution is Resolution.B_WINS
    now = write.at
    older, newer = (loser, winner) if is_newer else (winner, loser)
    a, b = (get_memory(write.connection, one.id, now, 1.0).memory for one in (older, newer))
    at = closes_at(a, b, wanted.since, now) if is_newer else now
    close_memory(write, loser, winner.id, at, None)
    if winner.supersedes_id is None:
        write.update(MemoryRow, winner.id, {"supersedes_id": loser.id})


def _keep_both(write: Write, curator: MemoryCurator, a: AnyRow, b: AnyRow, wanted: ResolutionRequest) -> str:
    """Each side says where it holds, in its text and in its slot; returns that for the note."""
    scope_texts = []
    for name, row, scope in (("A", a, wanted.scope_a), ("B", b, wanted.scope_b)):
        text = add_scope(row.full, scope)
        if text == row.full:
            continue
        if row.status == MemoryStatus.PROPOSED:
            curator.accept(write, [row.id])
        slot = Slot(row.subject, row.key, " ".join(scope.lower().split())) if row.slot_key else None
        curator.edit(write, row.id, MemoryEdit(full=text, slot=slot))
        scope_texts.append(f"{name}: {' '.join(scope.split())}.")
    return " ".join(scope_texts)


def _merge(write: Write, curator: MemoryCurator, a: AnyRow, b: AnyRow, text: str) -> None:
    """The newer one stays, with the edited text; the other is archived with its own words."""
    waiting = [row.id for row in (a, b) if row.status == MemoryStatus.PROPOSED]
    if waiting:
        curator.accept(write, waiting)
    merge_memories(write, [a.id, b.id], text, b.id)


def reopen_contradiction(write: Write, contradiction_id: int) -> None:
    """Back to open, also where no undo leads: what was closed by it holds again. Raises StaleError when it is open."""
    row = load_one(write.connection, contradiction_id)
    if row.state == "open":
        raise StaleError("This contradiction is open.", hint="Choose which side is true.")
    a, b = write.get(MemoryRow, row.memory_a_id), write.get(MemoryRow, row.memory_b_id)
    if row.resolution == Resolution.MERGED:
        raise InvalidError(
            "The two were merged, and newer changes depend on that.", hint="Bring the other back in Memories."
        )
    for side, other in ((a, b), (b, a)):
        if side.valid_to is not None and memory_links(
            write.connection, other.id, side.id, LinkType.SUPERSEDES, is_directed=True
        ):
            keep_versions(write, [side], "opened again")
            write.update(MemoryRow, side.id, {"valid_to": None, "closed_by_message_id": None, "updated_at": write.at})
            if other.supersedes_id == side.id:
                write.update(MemoryRow, other.id, {"supersedes_id": None})
    for link_id in memory_links(write.connection, a.id, b.id, LinkType.SUPERSEDES):
        write.delete(LinkRow, link_id)
    write.insert(LinkRow, link_record(b.id, a.id, LinkType.CONTRADICTS, row.confidence, write.at))
    opened = {"state": "open", "resolution": "", "resolution_note": "", "resolved_at": None, "resolved_by": ""}
    write.update(ContradictionRow, contradiction_id, opened)
    write.label = f"Opened again: “{short(a.title)}” or “{short(b.title)}”"
