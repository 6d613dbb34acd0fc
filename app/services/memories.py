"""What a person, or a program on their behalf, does to memories: one function per act, each inside one journalled write.

Owns the rules of trust (S7): what an assistant writes is trust 0 and proposed, it may not touch what a person said; what a
person writes, edits or accepts is trust 3. Knows no transaction of its own: the caller hands in the `Write`, with texts that
were cleaned before. Source: UX 4.4, DESIGN section 4, QUALITY S7.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select

from app.errors import ForbiddenError, InvalidError, NotFoundError, StaleError
from app.memory.compare import text_key
from app.memory.compress import compress
from app.memory.naming import make_memory_title
from app.services.learn import Learner, Said
from app.services.memory_guess import fill_draft, reread, standing_after_edit, would_steer
from app.services.memory_queries import slot_of
from app.services.memory_rows import (
    LEVEL_COLUMNS,
    TITLE_CHARS,
    NewMemory,
    clean_tags,
    insert_memory,
    level_columns,
    slot_columns,
)
from app.services.memory_versions import content_of, keep_versions
from app.services.rows import AnyRow
from app.services.streams import Streams, find_project_root
from app.store.journal import Record, Write, table_of
from app.store.memory_tables import ArtifactRow, LinkRow, MemoryRow
from app.store.tables import ProjectRow
from app.values import (
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
)

TEXT_CHARS_MAX = 20_000  # as much as is read of a text: nothing behind it goes unseen
_SLICE = 500
_LABEL_CHARS = 60
_memory = table_of(MemoryRow)


class MemoryCurator:
    def __init__(self, streams: Streams, learner: Learner) -> None:
        self._streams = streams
        self._learner = learner

    # writing -----------------------------------------------------------------------------------------

    def create(self, write: Write, draft: MemoryDraft) -> int:
        """Adds a memory written by hand or by a program; returns its number."""
        _check_draft(draft, write.at)
        filled = fill_draft(draft)
        is_person = write.origin is Origin.PERSON
        waiting = MemoryStatus.PROPOSED if is_person else _waiting(draft)
        memory_id = insert_memory(
            write,
            NewMemory(
                text=draft.text.strip(),
                kind=draft.kind,
                type=filled.type,
                title=_clean_title(draft.title),
                slot=filled.slot,
                value=filled.value,
                is_negated=filled.is_negated,
                details=draft.details,
                tags=draft.tags or filled.tags,
                category=draft.category.strip(),
                importance=draft.importance,
                confidence=(1.0 if is_person else 0.6) if draft.confidence is None else draft.confidence,
                trust=Trust.CONFIRMED if is_person else Trust.AGENT,
                status=MemoryStatus.ACTIVE if is_person else waiting,
                is_pinned=draft.is_pinned and is_person,
                visibility=draft.visibility,
                project_id=self._project(write, draft.project_path),
                app_id=self._streams.ensure_app(write, draft.app) if draft.app else None,
                valid_from=draft.valid_from,
                valid_to=draft.valid_to,
                reason="you wrote it" if is_person else "an assistant asked to remember it",
                edited=_by_hand(draft, filled.texts),
            ),
        )
        if filled.statement is not None:
            row = write.get(MemoryRow, memory_id)
            said = Said(row.full, write.at, row.app_id, row.project_id)
            self._learner.hold_against(write, memory_id, said, filled.statement, Trust(row.trust))
        write.label = f"Added {_named(write, [memory_id])}"
        return memory_id

    def edit(self, write: Write, memory_id: int, edit: MemoryEdit) -> None:
        """Changes what `edit` names; a person's edit makes the memory trusted. Raises StaleError."""
        row = write.get(MemoryRow, memory_id)
        if edit.expected_revision is not None and edit.expected_revision != row.revision:
            raise StaleError(
                f"“{_short(row.title)}” was changed since you opened it.", hint="Look at it again, then edit."
            )
        _check_may_touch(write, [row])
        values = {name: value for name, value in _edited(row, edit).items() if getattr(row, name) != value}
        if not values:
            return
        values |= standing_after_edit(write.origin, row, values)
        write.label = f"Edited “{_short(values.get('title', row.title))}”"
        keep_versions(write, [row], "edited")
        write.update(MemoryRow, memory_id, values | {"updated_at": write.at})

    def restore_version(self, write: Write, memory_id: int, version_id: int) -> None:
        """Brings the content of an earlier version back; the present one becomes a version."""
        row = write.get(MemoryRow, memory_id)
        _check_may_touch(write, [row])
        number, content = content_of(write.connection, memory_id, version_id)
        values = {name: value for name, value in content.items() if getattr(row, name) != value}
        if not values:
            return
        if write.origin is Origin.PERSON:
            values["trust"] = int(Trust.CONFIRMED)
        keep_versions(write, [row], f"restored version {number}")
        write.update(MemoryRow, memory_id, values | {"updated_at": write.at})
        write.label = f"Restored version {number} of “{_short(content['title'])}”"

    # many at once --------------------------------------------------------------------------------------

    def tag(self, write: Write, ids: Sequence[int], *, add: Sequence[str], remove: Sequence[str]) -> None:
        wanted, unwanted = clean_tags(add), set(clean_tags(remove))

        def change(row: AnyRow) -> Record:
            return {"tags": [one for one in dict.fromkeys([*row.tags, *wanted]) if one not in unwanted]}

        self._change(write, ids, "Tagged", change)

    def pin(self, write: Write, ids: Sequence[int], *, is_pinned: bool) -> None:
        rows = _rows(write, ids)
        for row in rows:
            write.update(MemoryRow, row.id, {"is_pinned": is_pinned})
        write.label = f"{'Pinned' if is_pinned else 'Unpinned'} {_named(write, ids)}"

    def archive(self, write: Write, ids: Sequence[int], verb: str = "Archived") -> None:
        """Puts memories away, restorable: from now on they are not believed any more."""
        self._change(write, ids, verb, lambda row: _leave(row, write.at))

    def unarchive(self, write: Write, ids: Sequence[int]) -> None:
        def change(row: AnyRow) -> Record:
            if row.status != MemoryStatus.ARCHIVED:
                return {}
            is_waiting = row.trust == Trust.AGENT  # it was never accepted: back to where it waited
            back = _waiting(MemoryDraft(text=row.full, title=row.title)) if is_waiting else MemoryStatus.ACTIVE
            return {"status": back.value, "retired_at": None}

        self._change(write, ids, "Brought back", change)

    def accept(self, write: Write, ids: Sequence[int]) -> None:
        """Proposed and quarantined memories become active and trusted: a person has read them."""
        if write.origin is not Origin.PERSON:
            raise ForbiddenError("Only a person accepts memories.", hint="Open the review inbox in the window.")
        taken = {"status": MemoryStatus.ACTIVE.value, "trust": int(Trust.CONFIRMED), "retired_at": None}
        self._change(write, ids, "Accepted", lambda _row: taken)

    def _change(
        self, write: Write, ids: Sequence[int], verb: str, change: Callable[[AnyRow], Mapping[str, Any]]
    ) -> None:
        """Changes rows that differ then, keeping a version of each."""
        rows = _rows(write, ids)
        _check_may_touch(write, rows)
        changed = [
            (row, values)
            for row in rows
            if (values := {name: value for name, value in change(row).items() if getattr(row, name) != value})
        ]
        keep_versions(write, [row for row, _ in changed], verb.lower())
        for row, values in changed:
            write.update(MemoryRow, row.id, {**values, "updated_at": write.at})
        write.label = f"{verb} {_named(write, [row.id for row, _ in changed] or ids)}"

    # links and artifacts -------------------------------------------------------------------------------

    def link(self, write: Write, from_id: int, to_id: int, type: LinkType, strength: float) -> int:  # noqa: A002
        """Joins two memories; returns the link's number, the old one's when they were joined so before."""
        if from_id == to_id:
            raise InvalidError("A memory cannot be linked with itself.")
        _check_ratio("strength", strength)
        rows = _rows(write, [from_id, to_id])
        _check_may_touch(write, rows)
        table = table_of(LinkRow)
        known = write.connection.execute(
            select(table.c.id).where(
                table.c.from_kind == "memory", table.c.from_id == from_id, table.c.to_kind == "memory",
                table.c.to_id == to_id, table.c.type == type.value,
            )
        ).scalar()  # fmt: skip
        write.label = f"Linked {_named(write, [from_id])} with {_named(write, [to_id])}"
        if known is not None:
            write.update(LinkRow, known, {"strength": strength})
            return int(known)
        return write.insert(
            LinkRow,
            {
                "from_kind": "memory", "from_id": from_id, "to_kind": "memory", "to_id": to_id, "to_name": "",
                "type": type.value, "strength": strength, "created_at": write.at,
            },
        )  # fmt: skip

    def unlink(self, write: Write, link_id: int) -> None:
        row = write.get(LinkRow, link_id)
        write.delete(LinkRow, link_id)
        write.label = f"Removed a link of {_named(write, [row.from_id])}"

    def attach(self, write: Write, memory_id: int, kind: ArtifactKind, reference: str) -> int:
        clean = " ".join(reference.split())
        if not clean or len(clean) > 500:
            raise InvalidError("A reference needs 1 to 500 characters.", hint="For example ADR-012 or a commit.")
        _rows(write, [memory_id])
        write.label = f"Attached {kind.value} {_short(clean)} to {_named(write, [memory_id])}"
        return write.insert(ArtifactRow, {"memory_id": memory_id, "kind": kind.value, "reference": clean})

    def detach(self, write: Write, artifact_id: int) -> None:
        row = write.get(ArtifactRow, artifact_id)
        write.delete(ArtifactRow, artifact_id)
        write.label = f"Detached {row.kind} {_short(row.reference)} from {_named(write, [row.memory_id])}"

    def _project(self, write: Write, place: str) -> int | None:
        """The project of that path or name; a path that is new becomes one."""
        if not place.strip():
            return None
        if "/" in place or "\\" in place:
            place = find_project_root(place)  # as captures are filed: worktrees and folders inside lead home
        table = table_of(ProjectRow)
        found = write.connection.execute(
            select(table.c.id)
            .where((table.c.path == place) | (table.c.name == place))
            .order_by((table.c.path == place).desc(), table.c.id)
            .limit(1)
        ).scalar()
        return int(found) if found is not None else self._streams.ensure_project(write, place)


# what an edit comes to ---------------------------------------------------------------------------------


def _edited(row: AnyRow, edit: MemoryEdit) -> Record:
    """The columns that the edit sets, with what follows from them: levels, keys, title."""
    _check_ratio("importance", edit.importance)
    _check_ratio("confidence", edit.confidence)
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
    _check_period(valid_from, valid_to)
    return {"valid_from": valid_from, "valid_to": valid_to}


def _edited_texts(row: AnyRow, edit: MemoryEdit, values: Record) -> Record:
    """Title, the four levels and the text's key. A level written by hand stays until it is emptied."""
    full = row.full if edit.full is None else edit.full.strip()
    _check_text(full)
    after = {**row._mapping, **values}
    slot = Slot(after["subject"], after["key"], after["scope"]) if after["slot_key"] else None
    fact_type = FactType(after["type"]) if after["type"] else None
    before = make_memory_title(row.full, slot_of(row), row.value, FactType(row.type) if row.type else None)
    title = row.title
    if edit.title is not None and edit.title.strip():
        title = _clean_title(edit.title)
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
    return {"title": title, "text_key": text_key(full), **level_columns(levels, by_hand)}


def _kept(row: AnyRow, level: Level) -> str:
    """A level's text that was written by hand before; "" for one that follows the full text."""
    return str(getattr(row, LEVEL_COLUMNS[level][0])) if level.value in row.edited_levels else ""


def _by_hand(draft: MemoryDraft, made: Mapping[Level, str]) -> dict[Level, str]:
    """The levels of a draft that somebody wrote: not empty, and not what would be made anyway."""
    given = {Level.SUMMARY: draft.summary, Level.COMPRESSED: draft.compressed, Level.INDEX: draft.index}
    return {level: text.strip() for level, text in given.items() if text.strip() and text.strip() != made[level]}


def _leave(row: AnyRow, at: datetime) -> Record:
    if row.status == MemoryStatus.ARCHIVED:
        return {}
    return {"status": MemoryStatus.ARCHIVED.value, "retired_at": at}


# checks ------------------------------------------------------------------------------------------------


def _rows(write: Write, ids: Sequence[int]) -> list[AnyRow]:
    """The rows in the order of `ids`, each once. Raises NotFoundError for one that is gone."""
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        raise InvalidError("No memory is chosen.", hint="Choose at least one.")
    found: dict[int, AnyRow] = {}
    for start in range(0, len(wanted), _SLICE):
        rows = write.connection.execute(select(_memory).where(_memory.c.id.in_(wanted[start : start + _SLICE])))
        found |= {row.id: row for row in rows}
    missing = [one for one in wanted if one not in found]
    if missing:
        raise NotFoundError(f"There is no memory number {missing[0]}.", hint="It may have been erased.")
    return [found[one] for one in wanted]


def _check_draft(draft: MemoryDraft, at: datetime) -> None:
    _check_text(draft.text)
    _check_ratio("importance", draft.importance)
    _check_ratio("confidence", draft.confidence)
    _check_period(draft.valid_from or at, draft.valid_to)


def _check_may_touch(write: Write, rows: Sequence[AnyRow]) -> None:
    """What a person said or confirmed only a person changes (S7)."""
    if write.origin is Origin.API and any(row.trust > Trust.IMPORTED for row in rows):
        raise ForbiddenError(
            "An assistant may not change what a person said.", hint="Propose a new memory; the person decides."
        )


def _waiting(draft: MemoryDraft) -> MemoryStatus:
    """Where it waits for a person: apart when it would steer an assistant."""
    return MemoryStatus.QUARANTINED if would_steer(draft) else MemoryStatus.PROPOSED


def _check_text(text: str) -> None:
    if not text.strip():
        raise InvalidError("A memory needs a text.", hint="Write one sentence that stands alone.")
    if len(text) > TEXT_CHARS_MAX:
        raise InvalidError(f"A memory holds at most {TEXT_CHARS_MAX:,} characters.", hint="Make several of it.")


def _check_ratio(name: str, value: float | None) -> None:
    if value is not None and not 0 <= value <= 1:
        raise InvalidError(f"The {name} must be between 0 and 1, not {value:g}.")


def _check_period(valid_from: datetime, valid_to: datetime | None) -> None:
    if valid_to is not None and valid_to < valid_from:
        raise InvalidError("It cannot end before it begins.", hint="Check 'valid from' and 'valid to'.")


def _clean_title(title: str) -> str:
    return " ".join(title.split())[:TITLE_CHARS]


def _named(write: Write, ids: Sequence[int]) -> str:
    """How a label speaks of these memories."""
    count = len(dict.fromkeys(ids))
    if count != 1:
        return f"{count} memories"
    title = write.connection.execute(select(_memory.c.title).where(_memory.c.id == ids[0])).scalar()
    return f"“{_short(str(title or 'a memory'))}”"


def _short(title: str) -> str:
    return title if len(title) <= _LABEL_CHARS else title[: _LABEL_CHARS - 1] + "…"
