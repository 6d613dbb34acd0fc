"""What an edit of a memory comes to: the columns it sets, with what follows from them: period, keys, title, levels.

Pure: takes the row as it is and the edit, returns columns. Saving them is `memories`'. Source: UX 4.4.
"""

from app.deciders.memory.contradictions.compare import text_key
from app.deciders.memory.levels.compress import compress
from app.deciders.memory.levels.memory_titles import make_memory_title
from app.memories.act_checks import check_period, check_ratio, check_text, clean_title
from app.memories.draft_guess import reread
from app.memories.queries import slot_of
from app.memories.rows import LEVEL_COLUMNS, TITLE_CHARS, clean_tags, level_columns, slot_columns
from app.store.journal import Record
from app.understanding.message_rows import AnyRow
from app.values import FactType, Level, MemoryEdit, MemoryKind, Slot

_LEVELS_FOLLOW = frozenset({"value", "subject", "key", "scope", "type", "is_negated"})  # besides the full text


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
