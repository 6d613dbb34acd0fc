"""What a person, or a program on their behalf, does to memories: one function per act, each inside one journalled write;
and what an edit comes to: the columns that it sets, with what follows from them (period, keys, title, levels).

Owns the rules of trust (S7): what an assistant writes is trust 0 and proposed, it may not touch what a person said; what a
person writes, edits or accepts is trust 3. Knows no transaction of its own: the caller hands in the `Write`, with texts that
were cleaned before. Source: UX 4.4, DESIGN section 4, QUALITY S7.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from app.capture.streams import Streams, find_project_root
from app.deciders.memory.contradictions.compare import text_key
from app.deciders.memory.levels.compress import compress
from app.deciders.memory.levels.memory_titles import make_memory_title
from app.errors import ForbiddenError, InvalidError, StaleError
from app.memories.action_checks import (
    check_may_touch,
    check_period,
    check_ratio,
    check_text,
    clean_title,
    named,
    rows_of,
    short,
)
from app.memories.draft_guess import Filled, danger_in, fill_draft, reread, trust_after_edit, would_steer
from app.memories.learn import Learner, SourceMessage
from app.memories.new_memory import (
    LEVEL_COLUMNS,
    TITLE_CHARS,
    NewMemory,
    clean_tags,
    insert_memory,
    level_columns,
    slot_columns,
)
from app.memories.queries import slot_of
from app.memories.versions import content_of, keep_versions
from app.store.journal import Record, Write
from app.store.rows.link import link_record, memory_links
from app.store.rows.project import projects_called
from app.store.tables.memory import ArtifactRow, LinkRow, MemoryRow
from app.understanding.message_rows import AnyRow
from app.values import (
    WRITTEN_BY_HAND,
    AddedMemory,
    ArtifactKind,
    FactType,
    Level,
    LinkType,
    MemoryDraft,
    MemoryEdit,
    MemoryKind,
    MemoryStatus,
    Origin,
    Slot,
    Trust,
    Visibility,
)

_ARTIFACTS = {ArtifactKind.PR: "pull request", ArtifactKind.ADR: "decision record"}
_LEVELS_FOLLOW = frozenset({"value", "subject", "key", "scope", "type", "is_negated"})  # besides the full text


class MemoryCurator:
    def __init__(self, streams: Streams, learner: Learner) -> None:
        self._streams = streams
        self._learner = learner

    # writing -----------------------------------------------------------------------------------------

    def create(self, write: Write, draft: MemoryDraft) -> int:
        """Adds a memory written by hand or by a program; returns its number."""
        _check_draft(draft, write.at)
        filled = fill_draft(draft)
        memory_id = insert_memory(write, self._new_memory(write, draft, filled))
        row = write.get(MemoryRow, memory_id)
        is_held = row.status == MemoryStatus.QUARANTINED
        if filled.statement is not None and not is_held:
            source = SourceMessage(row.full, write.at, row.app_id, row.project_id)
            self._learner.compare_with_known(write, memory_id, source, filled.statement, Trust(row.trust))
        write.label = f"Added {named(write, [memory_id])}"
        if is_held and write.origin is Origin.PERSON:
            _show_held(write, row)
        return memory_id

    def add(self, write: Write, draft: MemoryDraft) -> AddedMemory:
        """As `create`, but what is known already is not kept twice: its number is returned, and a person's words accept it."""
        is_person = write.origin is Origin.PERSON
        stated = fill_draft(draft).statement if draft.valid_from is None and draft.valid_to is None else None
        project_id = self._project(write, draft.project_path)
        known = None
        if stated is not None:
            known = self._learner.find_same(write.connection, stated, project_id, is_exact=is_person)
        if known is None:
            memory_id = self.create(write, draft)
            return AddedMemory(memory_id, is_waiting=is_person and memory_id in write.held_ids)
        is_held = known.status == MemoryStatus.QUARANTINED
        if is_person and is_held:
            _show_held(write, known)
        elif is_person and (known.status != MemoryStatus.ACTIVE or known.trust < Trust.CONFIRMED):
            self.accept(write, [known.id])
        return AddedMemory(
            int(known.id), is_known=True, is_waiting=is_held or (not is_person and known.status != MemoryStatus.ACTIVE)
        )

    def _new_memory(self, write: Write, draft: MemoryDraft, filled: Filled) -> NewMemory:
        """What a person writes is confirmed and in use; what a program writes waits and is never pinned."""
        is_person = write.origin is Origin.PERSON
        is_held = is_person and would_steer(draft)  # in somebody's own hand too: one click allows it
        return NewMemory(
            text=draft.text.strip(),
            kind=draft.kind,
            type=filled.type,
            title=clean_title(draft.title),
            slot=filled.slot,
            value=filled.value,
            is_negated=filled.is_negated,
            details=draft.details,
            tags=draft.tags or filled.tags,
            category=draft.category.strip(),
            importance=draft.importance,
            confidence=(1.0 if is_person else 0.6) if draft.confidence is None else draft.confidence,
            trust=Trust.SPOKEN if is_held else Trust.CONFIRMED if is_person else Trust.AGENT,
            status=MemoryStatus.ACTIVE if is_person and not is_held else _waiting(draft),
            is_pinned=draft.is_pinned and is_person,
            visibility=draft.visibility,
            project_id=self._project(write, draft.project_path),
            app_id=self._streams.ensure_app(write, draft.app) if draft.app else None,
            valid_from=draft.valid_from,
            valid_to=draft.valid_to,
            reason=WRITTEN_BY_HAND if is_person else draft.reason or "an assistant asked to remember it",
            edited=_by_hand(draft, filled.texts),
            worded_by="person" if is_person else draft.app or "api",
        )

    def edit(self, write: Write, memory_id: int, edit: MemoryEdit) -> None:
        """Changes what `edit` names; a person's edit makes the memory trusted. Raises StaleError."""
        row = write.get(MemoryRow, memory_id)
        if edit.expected_revision is not None and edit.expected_revision != row.revision:
            raise StaleError(
                f"“{short(row.title)}” was changed since you opened it.", hint="Look at it again, then edit."
            )
        check_may_touch(write, [row])
        values = {name: value for name, value in edited_columns(row, edit).items() if getattr(row, name) != value}
        if not values:
            return
        values |= trust_after_edit(write.origin, row, values)
        if write.origin is Origin.PERSON and "full" in values:
            values["worded_by"] = "person"
        write.label = f"Edited “{short(values.get('title', row.title))}”"
        keep_versions(write, [row], "edited")
        write.update(MemoryRow, memory_id, values | {"updated_at": write.at})
        if write.origin is Origin.PERSON and values.get("status") == MemoryStatus.QUARANTINED:
            _show_held(write, write.get(MemoryRow, memory_id))

    def restore_version(self, write: Write, memory_id: int, version_id: int) -> None:
        """Brings the content of an earlier version back; the present one becomes a version."""
        row = write.get(MemoryRow, memory_id)
        check_may_touch(write, [row])
        number, content = content_of(write.connection, memory_id, version_id)
        values = {name: value for name, value in content.items() if getattr(row, name) != value}
        if not values:
            return
        values |= trust_after_edit(write.origin, row, values) if write.origin is Origin.PERSON else {}
        keep_versions(write, [row], f"restored version {number}")
        write.update(MemoryRow, memory_id, values | {"updated_at": write.at})
        write.label = f"Restored version {number} of “{short(content['title'])}”"
        if values.get("status") == MemoryStatus.QUARANTINED:
            _show_held(write, write.get(MemoryRow, memory_id))

    # many at once --------------------------------------------------------------------------------------

    def tag(self, write: Write, ids: Sequence[int], *, add: Sequence[str], remove: Sequence[str]) -> None:
        wanted, unwanted = clean_tags(add), set(clean_tags(remove))

        def change(row: AnyRow) -> Record:
            return {"tags": [one for one in dict.fromkeys([*row.tags, *wanted]) if one not in unwanted]}

        self._change(write, ids, "Tagged", change)

    def pin(self, write: Write, ids: Sequence[int], *, is_pinned: bool) -> None:
        rows = rows_of(write, ids)
        for row in rows:
            write.update(MemoryRow, row.id, {"is_pinned": is_pinned})
        write.label = f"{'Pinned' if is_pinned else 'Unpinned'} {named(write, ids)}"

    def move(self, write: Write, ids: Sequence[int], project: str | None, visibility: Visibility | None) -> None:
        """Files memories under a project ("" = none), or says where they may be given; None leaves as it is."""
        values: Record = {} if visibility is None else {"visibility": visibility.value}
        if project is not None:
            values["project_id"] = self._project(write, project)
        self._change(write, ids, "Changed where it is given" if project is None else "Filed", lambda _row: values)

    def file(self, write: Write, ids: Sequence[int], *, tags: Sequence[str], project: str | None) -> None:
        """Adds tags and files under a project, as one change of each memory."""
        wanted = clean_tags(tags)
        values: Record = {} if project is None else {"project_id": self._project(write, project)}
        self._change(write, ids, "Filed", lambda row: values | {"tags": list(dict.fromkeys([*row.tags, *wanted]))})

    def archive(self, write: Write, ids: Sequence[int], verb: str = "Archived") -> None:
        """Archives memories, restorable: from now on they are not believed any more."""
        self._change(write, ids, verb, lambda row: _leave(row, write.at))

    def unarchive(self, write: Write, ids: Sequence[int]) -> None:
        def change(row: AnyRow) -> Record:
            if row.status != MemoryStatus.ARCHIVED:
                return {}
            waiting = _waiting(MemoryDraft(text=row.full, title=row.title, details=row.details))
            is_held = row.trust < Trust.CONFIRMED and waiting is MemoryStatus.QUARANTINED
            is_waiting = row.trust == Trust.AGENT  # it was never accepted: back to where it waited
            back = waiting if is_waiting or is_held else MemoryStatus.ACTIVE
            return {"status": back.value, "retired_at": None}

        self._change(write, ids, "Brought back", change)

    def accept(self, write: Write, ids: Sequence[int], *, are_alike: bool = False) -> None:
        """Proposed and quarantined memories become active and trusted: a person has read them.

        Of several at once those that are held back stay so, unless they are alike and were read as one: a dangerous order is
        accepted by itself. Raises InvalidError when nothing else is among them.
        """
        if write.origin is not Origin.PERSON:
            raise ForbiddenError("Only a person accepts memories.", hint="Open the review inbox in the window.")
        held: set[int] = set()
        if len(ids) > 1 and not are_alike:
            held = {row.id for row in rows_of(write, ids) if row.status == MemoryStatus.QUARANTINED}
            ids = [one for one in ids if one not in held]
        if held and not ids:
            raise InvalidError(
                "These are blocked: they would tell an assistant what to do.", hint="Read and accept each by itself."
            )
        taken = {"status": MemoryStatus.ACTIVE.value, "trust": int(Trust.CONFIRMED), "retired_at": None}
        self._change(
            write, ids, "Accepted", lambda _row: {**taken, "confidence": 1.0}
        )  # nobody is surer than the person
        if held:
            write.label += f". Blocked and still to review: {len(held)}"

    def _change(
        self, write: Write, ids: Sequence[int], verb: str, change: Callable[[AnyRow], Mapping[str, Any]]
    ) -> None:
        """Changes rows that differ then, keeping a version of each."""
        rows = rows_of(write, ids)
        check_may_touch(write, rows)
        changed = [
            (row, values)
            for row in rows
            if (values := {name: value for name, value in change(row).items() if getattr(row, name) != value})
        ]
        keep_versions(write, [row for row, _ in changed], verb.lower())
        for row, values in changed:
            write.update(MemoryRow, row.id, {**values, "updated_at": write.at})
        write.label = f"{verb} {named(write, [row.id for row, _ in changed] or ids)}"

    # links and artifacts -------------------------------------------------------------------------------

    def link(self, write: Write, from_id: int, to_id: int, type: LinkType, strength: float) -> int:  # noqa: A002
        """Joins two memories; returns the link's number, the old one's when they were joined so before."""
        if from_id == to_id:
            raise InvalidError("A memory cannot be linked with itself.", hint="Name another one.")
        if type is LinkType.MERGED_FROM:
            raise InvalidError("Memories are linked so by merging them.", hint="Merge them, or choose another link.")
        check_ratio("strength", strength)
        rows = rows_of(write, [from_id, to_id])
        check_may_touch(write, rows)
        known = memory_links(write.connection, from_id, to_id, type, is_directed=True)
        write.label = f"Linked {named(write, [from_id])} with {named(write, [to_id])}"
        if known:
            write.update(LinkRow, known[0], {"strength": strength})
            return known[0]
        return write.insert(LinkRow, link_record(from_id, to_id, type, strength, write.at))

    def unlink(self, write: Write, link_id: int) -> None:
        row = write.get(LinkRow, link_id)
        write.delete(LinkRow, link_id)
        write.label = f"Removed a link of {named(write, [row.from_id])}"

    def attach(self, write: Write, memory_id: int, kind: ArtifactKind, reference: str) -> int:
        clean = " ".join(reference.split())
        if not clean or len(clean) > 500:
            raise InvalidError("A reference needs 1 to 500 characters.", hint="For example ADR-012 or a commit.")
        rows_of(write, [memory_id])
        write.label = f"Attached {_ARTIFACTS.get(kind, kind.value)} {short(clean)} to {named(write, [memory_id])}"
        return write.insert(ArtifactRow, {"memory_id": memory_id, "kind": kind.value, "reference": clean})

    def detach(self, write: Write, artifact_id: int) -> None:
        row = write.get(ArtifactRow, artifact_id)
        write.delete(ArtifactRow, artifact_id)
        write.label = f"Detached {row.kind} {short(row.reference)} from {named(write, [row.memory_id])}"

    def _project(self, write: Write, place: str) -> int | None:
        """The project of that path or name; a path that is new becomes one."""
        if not place.strip():
            return None
        if "/" in place or "\\" in place:
            place = find_project_root(place)  # as captures are filed: worktrees and folders inside lead home
        found = projects_called(write.connection, [place])
        return found[0] if found else self._streams.ensure_project(write, place)


def _by_hand(draft: MemoryDraft, made: Mapping[Level, str]) -> dict[Level, str]:
    """The levels of a draft that somebody wrote: not empty, and not what would be made anyway."""
    given = {Level.SUMMARY: draft.summary, Level.COMPRESSED: draft.compressed, Level.INDEX: draft.index}
    return {level: text.strip() for level, text in given.items() if text.strip() and text.strip() != made[level]}


def _leave(row: AnyRow, at: datetime) -> Record:
    if row.status == MemoryStatus.ARCHIVED:
        return {}
    return {"status": MemoryStatus.ARCHIVED.value, "retired_at": at}


def _check_draft(draft: MemoryDraft, at: datetime) -> None:
    check_text(draft.text)
    check_ratio("importance", draft.importance)
    check_ratio("confidence", draft.confidence)
    check_period(draft.valid_from or at, draft.valid_to)


def _show_held(write: Write, row: AnyRow) -> None:
    """Says that the person's own memory waits, and why; the notice carries the one click that allows it."""
    why = danger_in([row.full, row.title, row.details]) or "it would steer an assistant"
    write.held_ids.add(int(row.id))
    write.label = f"Blocked “{short(row.title)}”: it {why}. Assistants get it once you allow it"


def _waiting(draft: MemoryDraft) -> MemoryStatus:
    """Where it waits for a person: apart when it would steer an assistant."""
    return MemoryStatus.QUARANTINED if would_steer(draft) else MemoryStatus.PROPOSED


def edited_columns(row: AnyRow, edit: MemoryEdit) -> Record:
    """The columns that the edit sets, with what follows from them: levels, keys, title."""
    check_ratio("importance", edit.importance)
    check_ratio("confidence", edit.confidence)
    values: Record = {}
    if edit.full is not None and edit.full.strip() != row.full and row.kind == MemoryKind.FACT:
        values |= reread(row, edit.full.strip())
    for name in ("category", "importance", "confidence", "value"):
        if (given := getattr(edit, name)) is not None:
            values[name] = given.strip() if isinstance(given, str) else given
    if edit.tags is not None:
        values["tags"] = clean_tags(edit.tags)
    if edit.visibility is not None:
        values["visibility"] = edit.visibility.value
    if edit.details is not None:
        values["details"] = dict(edit.details)
    if edit.type is not None and row.kind == MemoryKind.FACT:
        values["type"] = edit.type.value
    if edit.slot is not None or edit.is_slot_removed:
        values |= slot_columns(edit.slot if edit.slot is not None and edit.slot.attribute else None)
    return values | _edited_period(row, edit) | _edited_texts(row, edit, values)


def _edited_period(row: AnyRow, edit: MemoryEdit) -> Record:
    valid_from = edit.valid_from or row.valid_from
    valid_to = None if edit.is_valid_to_removed else edit.valid_to or row.valid_to
    check_period(valid_from, valid_to)
    return {"valid_from": valid_from, "valid_to": valid_to}


def _edited_texts(row: AnyRow, edit: MemoryEdit, values: Record) -> Record:
    """Title, the four levels and the text's key. A level written by hand stays until it is emptied."""
    full = row.full if edit.full is None else edit.full.strip()
    check_text(full)
    after = {**row._mapping, **values}
    slot = Slot(after["subject"], after["key"], after["scope"]) if after["slot_key"] else None
    fact_type = FactType(after["type"]) if after["type"] else None
    before = make_memory_title(row.full, slot_of(row), row.value, FactType(row.type) if row.type else None)
    title = row.title
    if edit.title is not None and edit.title.strip():
        title = clean_title(edit.title)
    elif edit.title is not None or row.title == before[:TITLE_CHARS]:
        title = make_memory_title(full, slot, after["value"], fact_type)[:TITLE_CHARS]
    given = {Level.SUMMARY: edit.summary, Level.COMPRESSED: edit.compressed, Level.INDEX: edit.index}
    by_hand = {
        level: text.strip()
        for level, new in given.items()
        if (text := _kept(row, level) if new is None else new) and text.strip()
    }
    levels = compress(
        full,
        kind=MemoryKind(row.kind),
        type=fact_type,
        slot=slot,
        value=after["value"],
        is_negated=after["is_negated"],
        title=title,
        details=after["details"],
    )
    columns = level_columns(levels, by_hand)
    if full == row.full and row.kind == MemoryKind.FACT and values.keys().isdisjoint(_LEVELS_FOLLOW):
        for level in (Level.SUMMARY, Level.COMPRESSED):  # a judge may have worded them
            columns |= {name: getattr(row, name) for name in LEVEL_COLUMNS[level] if given[level] is None}
    return {"title": title, "text_key": text_key(full), **columns}


def _kept(row: AnyRow, level: Level) -> str:
    """A level's text that was written by hand before; "" for one that follows the full text."""
    return str(getattr(row, LEVEL_COLUMNS[level][0])) if level.value in row.edited_levels else ""
