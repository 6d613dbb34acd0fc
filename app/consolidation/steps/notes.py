"""Notes of an app that say nearly the same: the older goes; where there are more than an app may have, those that matter least.

Of two that cannot both hold the older waits for a yes; so does what a note says and a newer memory of its project denies. What was
asked, done or open when a note was written is no statement that a later one could deny.

Of notes, not of memories: an action names them by numbers below zero. Source: S5 "Memory Compaction", issue 17 "The run".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from sqlalchemy import Connection, Row

from app.consolidation.snapshot import MemoryFacts
from app.consolidation.step_interface import DiffLines, PlanContext, Proposal, SkipAction, Step, StepAction, Texts
from app.contradictions.finding import judge_texts
from app.deciders.memory.contradictions.compare import Statement, text_key
from app.deciders.memory.note import lasting_contents, without_contents
from app.deciders.memory.note_compaction import KeptNote, find_least, find_repeated_note
from app.deciders.memory.rules import load_memory_rules
from app.errors import NotFoundError
from app.memories.note_sync import take_out
from app.store.journal import Write
from app.store.rows import note as rows
from app.store.tables.core import NoteRow

_OTHERWISE = "a newer memory says otherwise"
_MEMORIES_MOST = 300  # of a first run the newest are held against the notes


@dataclass(frozen=True, slots=True)
class NoteInput:
    kept: tuple[tuple[int, tuple[KeptNote, ...]], ...]  # by app
    memories: tuple[MemoryFacts, ...]  # those that came or changed, the newest first


def _load(connection: Connection, context: PlanContext) -> NoteInput:
    found: dict[int, list[KeptNote]] = {}
    for row in rows.list_notes(connection):
        note = KeptNote(
            int(row.id),
            row.content,
            row.importance,
            row.created_at,
            row.updated_at,
            row.project_id,
            row.worded_by == "person",
        )
        found.setdefault(int(row.app_id), []).append(note)
    memories = context.shared.memories(connection, context.now) if found else ()
    changed = [
        one
        for one in sorted(memories, key=lambda one: -one.id)
        if one.kind == "fact" and not one.is_closed and (context.changed_ids is None or one.id in context.changed_ids)
    ]
    kept = tuple((app_id, tuple(notes)) for app_id, notes in sorted(found.items()))
    return NoteInput(kept, tuple(changed[:_MEMORIES_MOST]))


def plan(loaded: NoteInput, context: PlanContext) -> list[Proposal]:
    """One proposal for each note that has to go; the person's own words go only for want of room."""
    proposals: list[Proposal] = []
    most = context.settings.notes_per_app
    for _, notes in loaded.kept:
        again = {older.id: newer for older, newer in find_repeated_note(notes)}
        why = "a newer note says what this one says"
        proposals.extend(_proposal(one, why, stays=_last(again, one.id)) for one in notes if one.id in again)
        left = [one for one in notes if one.id not in again]
        proposals.extend(_denied(left))
        proposals.extend(_denied_by_memories(left, loaded.memories))
        while len(left) > most:
            gone = find_least(left)
            proposals.append(_proposal(gone, f"more than {most} notes, and this matters least"))
            left.remove(gone)
    return proposals


def _denied(notes: Sequence[KeptNote]) -> Iterator[Proposal]:
    """The older of two notes of a project that cannot both hold, as far as the rules see: it waits for a yes."""
    rules = load_memory_rules()
    by_age = sorted(notes, key=lambda one: (one.updated_at is not None and one.updated_at.timestamp(), one.id))
    for place, older in enumerate(by_age):
        for newer in (one for one in by_age[place + 1 :] if one.project_id == older.project_id):
            sides = product(lasting_contents(older.content), lasting_contents(newer.content))
            if any(judge_texts(Statement(a), Statement(b), rules) is not None for a, b in sides):
                yield _proposal(older, "a newer note says otherwise", stays=newer, is_sure=False)
                break


def _denied_by_memories(notes: Sequence[KeptNote], memories: Sequence[MemoryFacts]) -> Iterator[Proposal]:
    """What a note says and a newer memory of its project denies, as far as the rules see: it waits for a yes."""
    rules = load_memory_rules()
    known = {(one.project_id, one.text_key) for one in memories}
    for note in notes:
        written_at = note.updated_at or note.created_at
        near = [
            one
            for one in memories
            if one.project_id == note.project_id and written_at is not None and one.recorded_at > written_at
        ]
        for note_part, memory in product(lasting_contents(note.content), near):
            statement = Statement(memory.text, memory.slot, memory.value, memory.is_negated)
            if (note.project_id, text_key(note_part)) in known or judge_texts(
                Statement(note_part), statement, rules
            ) is None:
                continue
            text = f"{note.content}\n{note_part}"
            yield Proposal("correct_note", (-note.id, memory.id), _OTHERWISE, {"note_id": note.id}, text, is_sure=False)
            break


def _last(again: Mapping[int, KeptNote], older_id: int) -> KeptNote:
    """What stays of a chain in which each says what the one before says."""
    newer = again[older_id]
    while newer.id in again:
        newer = again[newer.id]
    return newer


def _proposal(note: KeptNote, why: str, *, stays: KeptNote | None = None, is_sure: bool = True) -> Proposal:
    data = {"note_id": note.id, "stays_id": stays.id if stays else 0}
    lines = (note.content, stays.content) if stays else (note.content,)
    ids = (-note.id, -stays.id) if stays else (-note.id,)
    return Proposal("compact_note", ids, why, data=data, text="\n".join(lines), is_sure=is_sure)


def _lines(action: Row[Any]) -> tuple[str, str]:
    """What the note says that goes, and the one that stays: a note is one line."""
    gone, _, stays = str(action.text).partition("\n")
    return gone, stays


def _apply(write: Write, action: Row[Any]) -> None:
    try:
        row = write.get(NoteRow, int(action.data["note_id"]))
    except NotFoundError as error:
        raise SkipAction("The note has gone.") from error
    if row.content != _lines(action)[0]:
        raise SkipAction("The note was changed since.")
    stays_id = int(action.data["stays_id"])
    if stays_id and rows.list_notes(write.connection, note_id=stays_id) == []:
        raise SkipAction("The note that says the same has gone.")
    rows.add_log(
        write.connection,
        {"at": write.at, "kind": "compacted", "app_id": row.app_id, "note_id": row.id, "action": "delete", "reason": action.why},
    )  # fmt: skip
    write.delete(NoteRow, row.id)


def _show(texts: Texts, action: Row[Any]) -> DiffLines:
    del texts
    gone, stays = _lines(action)
    return DiffLines((gone, stays), (stays,)) if stays else DiffLines((gone,), ())


def _correct(write: Write, action: Row[Any]) -> None:
    content, gone_parts = _lines(action)
    try:
        row = write.get(NoteRow, int(action.data["note_id"]))
    except NotFoundError as error:
        raise SkipAction("The note has gone.") from error
    if row.content != content:
        raise SkipAction("The note was changed since.")
    take_out(write, row, lambda one: one == gone_parts, action.why)


def _show_corrected(texts: Texts, action: Row[Any]) -> DiffLines:
    content, gone_parts = _lines(action)
    left = without_contents(content, lambda one: one == gone_parts)
    memory = [texts[one].full for one in action.memory_ids if one in texts]
    return DiffLines((content, *memory), (left, *memory) if left else tuple(memory))


NOTES = Step(
    "notes",
    "Making room among notes",
    _load,
    plan,
    {
        "compact_note": StepAction(
            "notes dropped", _apply, counts_as=("notes_compacted",), show=_show, needs_unchanged=False
        ),
        "correct_note": StepAction("notes corrected", _correct, counts_as=("notes_compacted",), show=_show_corrected),
    },
)
