"""Values for tests of the memory widgets: a card, a hit, each with only what matters."""

from datetime import UTC, datetime, timedelta

from app.values import (
    FactType,
    MemoryCard,
    MemoryKind,
    MemoryStatus,
    RecallHit,
    Signal,
    Trust,
)

NOW = datetime(2026, 11, 21, 15, 0, tzinfo=UTC)


def memory_card(number: int, title: str = "", **changes: object) -> MemoryCard:
    values: dict[str, object] = {
        "id": number,
        "kind": MemoryKind.FACT,
        "type": FactType.DECISION,
        "title": title or f"Memory {number}",
        "summary": f"What memory {number} says in one sentence",
        "status": MemoryStatus.ACTIVE,
        "trust": Trust.SPOKEN,
        "confidence": 0.86,
        "importance": 0.7,
        "is_pinned": False,
        "is_live": True,
        "token_count": 12,
        "tags": (),
        "project": "hearth",
        "app": "claude-code",
        "updated_at": NOW - timedelta(hours=number % 90),
        "last_accessed_at": None,
        "retrieved_count": 0,
    }
    return MemoryCard(**(values | changes))  # type: ignore[arg-type]


def recall_hit(number: int, text: str, *words: str, **changes: object) -> RecallHit:
    """A hit on a memory with this text; `words` are what matched, where they stand first."""
    spans = tuple((text.index(word), text.index(word) + len(word)) for word in words)
    signals = (Signal("keyword", 0.8, 0.6), Signal("recency", 0.5, 0.4))
    values: dict[str, object] = {
        "card": memory_card(number, text),
        "text": text,
        "score": 0.9,
        "signals": signals,
        "matched": words,
        "spans": spans,
        "reason": "says " + ", ".join(f'"{word}"' for word in words),
    }
    return RecallHit(**(values | changes))  # type: ignore[arg-type]
