"""Writes and reads the four JSON files of [S3]: `long-term-memory.json`, `episodic-memory.json`, `conversations.json` and
`conversation-chunks.json`.

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
from app.interop.seed_files import history_row, message_extra, read_detail
from app.values import (
    Chunk,
    ConversationDetail,
    ConversationState,
    FactType,
    LinkType,
    MemoryCard,
    MemoryKind,
    Message,
    Speaker,
)

EXTRA = "remanence"
_MAX_DEPTH = 64
_MAX_BYTES = 16 * 1024 * 1024  # of one memory
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_USUAL_STRENGTH = 0.5
_MOST = 2**48  # no count and no number of ours is larger
_OF_S1 = ("title", "files_modified", "outcome")  # of [S1], without a place in [S3]
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
    key: str = ""  # as links in the file name it
    links: tuple["SeedLink", ...] = ()
    retrieved_count: int = 0
    last_accessed_at: datetime | None = None
    conversation_key: str = ""


@dataclass(frozen=True, slots=True)
class SeedLink:
    """To another memory, by the id that the file gives it."""

    to_key: str
    type: LinkType
    strength: float
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Derived:
    """What a file says of a memory and no column holds."""

    source: Row | None = None
    decay: float = 1.0
    embedding: Sequence[float] = ()
    linked_ids: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class SeedConversation:
    """A conversation with the chunks that sum up its beginning, and the id that the file gives it."""

    key: str
    detail: ConversationDetail
    chunks: tuple[Chunk, ...] = ()


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


def memory_row(columns: Mapping[str, Any], links: Iterable[Mapping[str, Any]], extra: Row, derived: Derived) -> Row:
    """One memory as [S3] has it, with everything else under `remanence`."""
    is_episode = columns["kind"] == MemoryKind.EPISODE
    row = _episode(columns, derived) if is_episode else _long_term(columns)
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
            "source": derived.source,
            "importance": columns["importance"],
            "accessCount": columns["retrieved_count"],
            "lastAccessedAt": _iso(columns["last_accessed_at"]),
            "decayFactor": round(derived.decay, 6),
            "tokens": columns["full_tokens"],
            "embedding": list(derived.embedding),
        },
        "createdAt": _iso(columns["recorded_at"]),
        "updatedAt": _iso(columns["updated_at"]),
        EXTRA: extra,
    }


def seed_memory(row: Row) -> SeedMemory | None:
    """What a row without `remanence` says; None when it has no text."""
    is_episode = row.get("type") == "episode"
    text = str_of(row, "content") or str_of(row, "context") or str_of(row, "summary")
    if not text.strip():
        return None
    named = str_of(row, "type")
    metadata = _object(row.get("metadata"))
    importance = metadata.get("importance", row.get("significance"))
    said = _object(row.get("conversationRef"))
    source = _object(metadata.get("source"))
    return SeedMemory(
        text=text,
        kind=MemoryKind.EPISODE if is_episode else MemoryKind.FACT,
        type=FactType(named) if named in set(FactType) else None,
        title=str_of(row, "title"),
        category=str_of(row, "category"),
        tags=_strings(row.get("tags")),
        importance=float(importance) if isinstance(importance, int | float) and 0 <= importance <= 1 else None,
        valid_from=parse_instant(row.get("validFrom")),
        valid_to=parse_instant(row.get("validUntil")),
        recorded_at=parse_instant(row.get("createdAt")),
        details=_episode_details(row, said) if is_episode else {},
        key=str_of(row, "id"),
        links=tuple(_seed_links(row)),
        retrieved_count=_count(metadata.get("accessCount")),
        last_accessed_at=parse_instant(metadata.get("lastAccessedAt")),
        conversation_key=str_of(said, "conversationId") or str_of(source, "conversationId"),
    )


def _seed_links(row: Row) -> Iterator[SeedLink]:
    listed = row.get("relationships")
    for one in listed if isinstance(listed, list) else ():
        if not isinstance(one, dict) or not str_of(one, "targetId"):
            continue
        named, strength = str_of(one, "type"), one.get("strength")
        is_ratio = isinstance(strength, int | float) and 0 <= strength <= 1
        yield SeedLink(
            str_of(one, "targetId"),
            LinkType(named) if named in set(LinkType) else LinkType.RELATED_TO,
            float(strength) if is_ratio else _USUAL_STRENGTH,  # type: ignore[arg-type]
            parse_instant(one.get("createdAt")),
        )
    for key in _strings(row.get("linkedMemories")):
        yield SeedLink(key, LinkType.RELATED_TO, _USUAL_STRENGTH)


def _episode_details(row: Row, said: Row) -> Row:
    """The seed's fields by our names; what is not what it should be is left out."""
    turns = _object(said.get("turnRange"))
    valence, significance = row.get("emotionalValence"), row.get("significance")
    ends = {name: turns[name] for name in ("start", "end") if isinstance(turns.get(name), int)}
    found: Row = {
        "participants": list(_strings(row.get("participants"))),
        "outcome": str_of(row, "outcome"),
        "context": str_of(row, "context"),
        "valence": valence if isinstance(valence, int | float) and -1 <= valence <= 1 else None,
        "significance": significance if isinstance(significance, int | float) and 0 <= significance <= 1 else None,
        "turn_range": ends if len(ends) == len(("start", "end")) else None,
    }
    return {name: value for name, value in found.items() if value not in (None, "", [])}


def conversation_row(detail: ConversationDetail, chunks: Sequence[Chunk], memories: Sequence[MemoryCard]) -> Row:
    """One conversation as [S3] has it: messages that no chunk sums up are in it whole, the others in their chunks."""
    one = detail.conversation
    whole = history_row(detail)
    last_chunked = max((chunk.last_message_id for chunk in chunks), default=0)
    milestones = [card for card in memories if card.kind is MemoryKind.EPISODE]
    return {
        "id": f"conv-{one.id}",
        "projectId": one.project_path,
        "startedAt": one.started_at.isoformat(),
        "endedAt": one.ended_at.isoformat() if one.ended_at else None,
        "status": one.state.value,
        "totalTurns": one.message_count,
        "chunks": [chunk_row(chunk, detail.messages) for chunk in chunks],
        "recentMessages": [_message(message) for message in detail.messages if message.id > last_chunked],
        "activeFacts": [f"mem-{card.id}" for card in memories if card.is_live and card.kind is not MemoryKind.EPISODE],
        "milestones": [{"id": f"mem-{card.id}", "title": card.title} for card in milestones],
        EXTRA: {name: whole[name] for name in _OF_S1} | whole[EXTRA],
    }  # fmt: skip


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
        EXTRA: {"is_merged": chunk.is_merged, "message_count": chunk.message_count},
    }


def read_conversation(row: Row, number: int) -> SeedConversation:
    """The conversation of a row of `conversations.json`. Raises InvalidError for one that is none."""
    listed = row.get("chunks")
    chunk_rows = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return _conversation(row, sorted(chunk_rows, key=lambda one: _count(one.get("chunkNumber"))), number)


def read_chunks(rows: Sequence[Row], number: int) -> SeedConversation:
    """The conversation that these rows of `conversation-chunks.json` are of: as much of it as they hold."""
    first, last = _messages_of(rows[0]), _messages_of(rows[-1])
    times = [one.get("timestamp") for one in (*first[:1], *last[-1:])] or [rows[0].get("createdAt")]
    row = {"id": rows[0].get("conversationId"), "startedAt": times[0], "endedAt": times[-1], "status": "ended"}
    return _conversation(row, sorted(rows, key=lambda one: _count(one.get("chunkNumber"))), number)


def _conversation(row: Row, chunk_rows: Sequence[Row], number: int) -> SeedConversation:
    own = _object(row.get(EXTRA))
    groups = [*(_messages_of(one) for one in chunk_rows), _messages_of(row, "recentMessages")]
    messages = [_as_s1(one) for group in groups for one in group]
    project, status = str_of(row, "projectId"), str_of(row, "status")
    states = {"state": status} if status in set(ConversationState) else {}
    whole = {
        "conversation_id": row.get("id"),
        "started": row.get("startedAt"),
        "ended": row.get("endedAt"),
        "active": status == ConversationState.ACTIVE,
        "message_count": len(messages),
        "messages": messages,
        EXTRA: {"conversation": {"project_path": project if project.startswith("/") else "", **states}},
        **own,
    }
    if "conversation" in own:
        whole[EXTRA] = {"conversation": own["conversation"], "timeline": own.get("timeline", [])}
    detail = read_detail(whole, number)
    chunks, at = [], 0
    for place, (one, group) in enumerate(zip(chunk_rows, groups, strict=False), start=1):
        summed = detail.messages[at : at + len(group)]
        at += len(group)
        chunks.append(_chunk(one, summed, place, detail))
    return SeedConversation(str_of(row, "id"), detail, tuple(chunks))


def _chunk(row: Row, messages: Sequence[Message], place: int, detail: ConversationDetail) -> Chunk:
    own = _object(row.get(EXTRA))
    return Chunk(
        id=_number(row.get("id")),
        conversation_id=detail.conversation.id,
        number=_count(row.get("chunkNumber")) or place,
        first_message_id=messages[0].id if messages else 0,
        last_message_id=messages[-1].id if messages else 0,
        message_count=len(messages),
        summary=str_of(row, "summary"),
        topics=_strings(row.get("keyTopics")),
        token_count=_count(row.get("tokenCount")),
        created_at=parse_instant(row.get("createdAt")) or detail.conversation.started_at,
        is_merged=own.get("is_merged") is True,
    )


def _messages_of(row: Row, name: str = "messages") -> list[Row]:
    listed = row.get(name)
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _as_s1(message: Row) -> Row:
    """A message of [S3] in the fields of [S1]."""
    role = str_of(message, "role")
    speaker = Speaker.ASSISTANT if role == Speaker.ASSISTANT else Speaker.USER
    row = {"id": message.get("id"), "timestamp": message.get("timestamp"), speaker.value: message.get("content")}
    return row | ({EXTRA: message[EXTRA]} if EXTRA in message else {})


def _message(message: Message) -> Row:
    at = message.at.isoformat()
    return {
        "id": f"msg-{message.id}", "role": message.speaker.value, "content": message.text, "timestamp": at,
        EXTRA: message_extra(message),
    }  # fmt: skip


def _object(value: object) -> Row:
    return value if isinstance(value, dict) else {}


def _strings(value: object) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _count(value: object) -> int:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST
    return value if is_count else 0  # type: ignore[return-value]


def _number(name: object) -> int:
    """The number of "chunk-4"; 0 when there is none."""
    digits = name.rpartition("-")[2] if isinstance(name, str) else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < len(str(_MOST)) else 0


def _long_term(columns: Mapping[str, Any]) -> Row:
    return {
        "type": columns["type"] or columns["kind"],
        "content": columns["full"],
        "category": columns["category"],
        "validFrom": _iso(columns["valid_from"]),
        "validUntil": _iso(columns["valid_to"]),
    }


def _episode(columns: Mapping[str, Any], derived: Derived) -> Row:
    details = columns["details"]
    said = details.get("conversation_id")
    return {
        "type": "episode",
        "title": columns["title"],
        "summary": columns["summary"],
        "context": columns["full"],
        "participants": details.get("participants", []),
        "outcome": details.get("outcome"),
        "emotionalValence": details.get("valence", 0),
        "significance": details.get("significance", columns["importance"]),
        "linkedMemories": [f"mem-{one}" for one in derived.linked_ids],
        "conversationRef": {
            "conversationId": None if said is None else f"conv-{said}",
            "turnRange": details.get("turn_range"),
        },
    }


def _iso(microseconds: int | None) -> str | None:
    return None if microseconds is None else (_EPOCH + timedelta(microseconds=microseconds)).isoformat()
