"""Writes and reads two JSON files of [S3], `long-term-memory.json` and `episodic-memory.json`, and writes its other two,
`conversations.json` and `conversation-chunks.json`.

The seed's own fields come first and hold what they can; the key `remanence` beside them holds the rest, row by row, so that
reading gives back what was written. Files with the seed's fields only are read too. Source: S3 "Storage Structure", "Memory Types".
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, BinaryIO

from app.errors import InvalidError
from app.interop.json_array import split_array
from app.interop.prompts import parse_instant, str_of
from app.interop.safe_json import parse_json
from app.values import Chunk, ConversationDetail, FactType, MemoryCard, MemoryKind, Message

EXTRA = "remanence"
_MAX_DEPTH = 64
_MAX_BYTES = 16 * 1024 * 1024  # of one memory
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SeedMemory:
    """What a file with the seed's fields only tells of one memory."""

    text: str
    kind: MemoryKind
    type: FactType | None
    title: str = ""
    category: str = ""
    tags: tuple[str, ...] = ()
    importance: float | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    recorded_at: datetime | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


def write_array(rows: Iterable[Row]) -> Iterator[bytes]:
    """A JSON array, one element a line."""
    yield b"["
    before = b""
    for row in rows:
        yield before + json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace")
        before = b","
    yield b"]"


def read_array(stream: BinaryIO) -> Iterator[Row | None]:
    """The objects of the array as the bytes come by; None for an element that is none."""
    for element in split_array(stream, limit_bytes=_MAX_BYTES):
        try:
            found = (
                None if element.body is None else parse_json(element.body, max_bytes=_MAX_BYTES, max_depth=_MAX_DEPTH)
            )
        except InvalidError:
            found = None
        yield found if isinstance(found, dict) else None


def memory_row(columns: Mapping[str, Any], links: Iterable[Mapping[str, Any]], extra: Row) -> Row:
    """One memory as [S3] has it, with everything else under `remanence`."""
    row = _episode(columns) if columns["kind"] == MemoryKind.EPISODE else _long_term(columns)
    return {
        "id": f"mem-{columns['id']}",
        **row,
        "tags": columns["tags"],
        "relationships": [
            {
                "targetId": f"mem-{link['to_id']}",
                "type": link["type"],
                "strength": link["strength"],
                "createdAt": _iso(link["created_at"]),
            }
            for link in links
            if link["to_kind"] == "memory"
        ],
        "metadata": {
            "importance": columns["importance"],
            "accessCount": columns["retrieved_count"],
            "lastAccessedAt": _iso(columns["last_accessed_at"]),
            "tokens": columns["full_tokens"],
        },
        "createdAt": _iso(columns["recorded_at"]),
        "updatedAt": _iso(columns["updated_at"]),
        EXTRA: extra,
    }


def seed_memory(row: Row) -> SeedMemory | None:
    """What a row without `remanence` tells; None when it has no text."""
    is_episode = row.get("type") == "episode"
    text = str_of(row, "content") or str_of(row, "context") or str_of(row, "summary")
    if not text.strip():
        return None
    named = str_of(row, "type")
    metadata = row.get("metadata")
    importance = metadata.get("importance") if isinstance(metadata, dict) else None
    tags = row.get("tags")
    return SeedMemory(
        text=text,
        kind=MemoryKind.EPISODE if is_episode else MemoryKind.FACT,
        type=FactType(named) if named in set(FactType) else None,
        title=str_of(row, "title"),
        category=str_of(row, "category"),
        tags=tuple(one for one in tags if isinstance(one, str)) if isinstance(tags, list) else (),
        importance=float(importance) if isinstance(importance, int | float) and 0 <= importance <= 1 else None,
        valid_from=parse_instant(row.get("validFrom")),
        valid_to=parse_instant(row.get("validUntil")),
        recorded_at=parse_instant(row.get("createdAt")),
        details={name: row[name] for name in _EPISODE_FIELDS if name in row} if is_episode else {},
    )


def conversation_row(detail: ConversationDetail, chunks: Sequence[Chunk], memories: Sequence[MemoryCard]) -> Row:
    """One conversation as [S3] has it: messages that no chunk sums up stand in it whole."""
    one = detail.conversation
    last_chunked = max((chunk.last_message_id for chunk in chunks), default=0)
    return {
        "id": f"conv-{one.id}",
        "projectId": one.project_path,
        "startedAt": one.started_at.isoformat(),
        "endedAt": one.ended_at.isoformat() if one.ended_at else None,
        "status": one.state.value,
        "totalTurns": one.message_count,
        "chunks": [f"chunk-{chunk.id}" for chunk in chunks],
        "recentMessages": [_message(message) for message in detail.messages if message.id > last_chunked],
        "activeFacts": [f"mem-{card.id}" for card in memories if card.is_live and card.kind is not MemoryKind.EPISODE],
        "milestones": [f"mem-{card.id}" for card in memories if card.kind is MemoryKind.EPISODE],
    }


def chunk_row(chunk: Chunk, messages: Iterable[Message]) -> Row:
    """One chunk as [S3] has it, with the messages that it sums up."""
    span = range(chunk.first_message_id, chunk.last_message_id + 1)
    return {
        "id": f"chunk-{chunk.id}",
        "conversationId": f"conv-{chunk.conversation_id}",
        "chunkNumber": chunk.number,
        "messages": [_message(message) for message in messages if message.id in span],
        "summary": chunk.summary,
        "keyTopics": list(chunk.topics),
        "tokenCount": chunk.token_count,
        "createdAt": chunk.created_at.isoformat(),
    }


def _message(message: Message) -> Row:
    at = message.at.isoformat()
    return {"id": f"msg-{message.id}", "role": message.speaker.value, "content": message.text, "timestamp": at}


_EPISODE_FIELDS = ("participants", "outcome", "emotionalValence", "significance", "conversationRef")


def _long_term(columns: Mapping[str, Any]) -> Row:
    return {
        "type": columns["type"] or columns["kind"],
        "content": columns["full"],
        "category": columns["category"],
        "validFrom": _iso(columns["valid_from"]),
        "validUntil": _iso(columns["valid_to"]),
    }


def _episode(columns: Mapping[str, Any]) -> Row:
    details = columns["details"]
    return {
        "type": "episode",
        "title": columns["title"],
        "summary": columns["summary"],
        "context": columns["full"],
        "participants": details.get("participants", []),
        "outcome": details.get("outcome"),
        "emotionalValence": details.get("valence", 0),
        "significance": details.get("significance", columns["importance"]),
        "conversationRef": {"conversationId": details.get("conversation_id"), "turnRange": details.get("turn_range")},
    }


def _iso(microseconds: int | None) -> str | None:
    return None if microseconds is None else (_EPOCH + timedelta(microseconds=microseconds)).isoformat()
