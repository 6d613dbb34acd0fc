"""Rows of memories: the one place that adds them.

Owns the columns of a memory, the defaults of [S3] and the key of a slot. Knows no flow and no transaction of its own.
Source: DESIGN section 4 `Memory`, S3 "Memory Types".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from app.deciders.memory.contradictions.compare import text_key
from app.deciders.memory.levels.compress import compress
from app.deciders.memory.levels.memory_titles import make_memory_title
from app.language.token_counts import count_tokens
from app.store.journal import Record, Write
from app.store.tables.memory import MemoryRow, MemorySourceRow
from app.values import FactType, Level, Levels, MemoryKind, MemoryStatus, Slot, Trust, Visibility

DEFAULT_IMPORTANCE: Mapping[FactType | None, float] = {
    FactType.FACT: 0.5,
    FactType.DECISION: 0.7,
    FactType.PREFERENCE: 0.6,
    FactType.ENTITY: 0.5,
    FactType.PROCEDURE: 0.5,
    FactType.CONSTRAINT: 0.6,
    FactType.GOAL: 0.8,
}
TITLE_CHARS = 200
_OTHER_IMPORTANCE = 0.5
LEVEL_COLUMNS: Mapping[Level, tuple[str, str]] = {
    Level.FULL: ("full", "full_tokens"),
    Level.SUMMARY: ("summary", "summary_tokens"),
    Level.COMPRESSED: ("compressed", "compressed_tokens"),
    Level.INDEX: ("index_text", "index_tokens"),
}


@dataclass(frozen=True, slots=True)
class NewMemory:
    """What a new memory is made of. None and "" are filled: title and levels from the text, times from the write."""

    text: str
    kind: MemoryKind = MemoryKind.FACT
    type: FactType | None = FactType.FACT
    title: str = ""
    slot: Slot | None = None
    value: str = ""
    is_negated: bool = False
    details: Mapping[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    category: str = ""
    importance: float | None = None
    confidence: float = 0.8
    trust: Trust = Trust.SPOKEN
    status: MemoryStatus = MemoryStatus.ACTIVE
    is_pinned: bool = False
    visibility: Visibility = Visibility.USER_PRIVATE
    user_id: str = ""
    project_id: int | None = None
    app_id: int | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    recorded_at: datetime | None = None
    supersedes_id: int | None = None
    reason: str = ""
    edited: Mapping[Level, str] = field(default_factory=dict)  # levels that were written by hand
    worth: int | None = None
    worded_by: str = "rules"


@dataclass(frozen=True, slots=True)
class NewSource:
    """Where a memory was said; the quote outlives the message."""

    at: datetime
    quote: str
    message_id: int | None = None
    conversation_id: int | None = None
    conversation_title: str = ""
    app: str = ""
    start: int = 0
    end: int = 0


def slot_key(slot: Slot | None) -> str:
    """Subject, attribute and scope in one; "" without a slot.

    >>> slot_key(Slot("", "database")) == slot_key(Slot("", "database", "")), slot_key(None)
    (True, '')
    """
    return f"{slot.subject}\x1f{slot.attribute}\x1f{slot.scope}" if slot is not None else ""


def default_importance(type: FactType | None) -> float:  # noqa: A002 (the word of DESIGN)
    return DEFAULT_IMPORTANCE.get(type, _OTHER_IMPORTANCE)


def insert_memory(write: Write, new: NewMemory) -> int:
    """Adds one memory with its four levels; returns its number. Tags and search index follow at the end of the write."""
    kind_type = new.type if new.kind is MemoryKind.FACT else None
    title = new.title or make_memory_title(new.text, new.slot, new.value, kind_type)
    levels = compress(
        new.text,
        kind=new.kind,
        type=kind_type,
        slot=new.slot,
        value=new.value,
        is_negated=new.is_negated,
        title=title,
        details=new.details,
    )
    return write.insert(MemoryRow, _record(new, title, levels, new.recorded_at or write.at))


def _record(new: NewMemory, title: str, levels: Levels, recorded_at: datetime) -> Record:
    kind_type = new.type if new.kind is MemoryKind.FACT else None
    return {
        "kind": new.kind.value,
        "type": kind_type.value if kind_type else "",
        "title": title[:TITLE_CHARS],
        **level_columns(levels, new.edited),
        **slot_columns(new.slot),
        "value": new.value,
        "text_key": text_key(new.text),
        "is_negated": new.is_negated,
        "details": dict(new.details),
        "tags": clean_tags(new.tags),
        "category": new.category,
        "importance": default_importance(kind_type) if new.importance is None else new.importance,
        "confidence": new.confidence,
        "trust": int(new.trust),
        "status": new.status.value,
        "is_pinned": new.is_pinned,
        "visibility": new.visibility.value,
        "user_id": new.user_id,
        "project_id": new.project_id,
        "app_id": new.app_id,
        "valid_from": new.valid_from or recorded_at,
        "valid_to": new.valid_to,
        "recorded_at": recorded_at,
        "retired_at": None,
        "updated_at": recorded_at,
        "supersedes_id": new.supersedes_id,
        "reason": new.reason,
        "revision": 0,
        "last_accessed_at": None,
        "retrieved_count": 0,
        "cited_count": 0,
        "ignored_count": 0,
        "worth": new.worth,
        "worded_by": new.worded_by,
        "closed_by_message_id": None,
        "given_level": Level.FULL.value,
    }


def insert_source(write: Write, memory_id: int, source: NewSource) -> int:
    """Adds one place where a memory was said; returns its number."""
    return write.insert(
        MemorySourceRow,
        {
            "memory_id": memory_id,
            "message_id": source.message_id,
            "conversation_id": source.conversation_id,
            "conversation_title": source.conversation_title,
            "app": source.app,
            "at": source.at,
            "quote": source.quote,
            "start": source.start,
            "end": source.end,
        },
    )


def slot_columns(slot: Slot | None) -> Record:
    found = slot or Slot("", "")
    return {"subject": found.subject, "key": found.attribute, "scope": found.scope, "slot_key": slot_key(slot)}


def level_columns(levels: Levels, edited: Mapping[Level, str]) -> Record:
    """Texts and token counts of the four levels, those written by hand as they were written."""
    record: Record = {"edited_levels": sorted(level.value for level, text in edited.items() if text)}
    for level, (text_column, count_column) in LEVEL_COLUMNS.items():
        made, written = levels.at(level), edited.get(level, "")
        record[text_column] = written or made.text
        record[count_column] = count_tokens(written) if written else made.token_count
    return record


def clean_tags(tags: Iterable[str]) -> list[str]:
    """Lower case, each once, in the order given."""
    return list(dict.fromkeys(tag for raw in tags if (tag := " ".join(raw.lower().split())[:60])))
