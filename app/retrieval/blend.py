"""Hits of memories and of messages as one list. Pure. Source: issue 16 point 13."""

from collections.abc import Sequence
from datetime import datetime
from itertools import islice

from app.retrieval.messages import FoundMessage
from app.store.types import from_microseconds
from app.values import FoundAnswer, FoundHit, MemoryKind, RecallAnswer, RecallHit

_MEMORIES_FIRST = 2  # then a message, a memory, and so on: both rank by their own measure


def blend(answer: RecallAnswer, messages: Sequence[FoundMessage], limit: int, now: datetime) -> FoundAnswer:
    """At most `limit` hits: two memories, then messages and memories in turn."""
    known, said = iter(map(of_memory, answer.hits)), iter([of_message(one, now) for one in messages])
    hits = list(islice(known, _MEMORIES_FIRST))
    while len(hits) < limit:
        pair = [*islice(said, 1), *islice(known, 1)]
        if not pair:
            break
        hits += pair
    return FoundAnswer(
        tuple(hits[:limit]),
        answer.candidate_count + len(messages),
        answer.took_ms,
        answer.recipe,
        answer.suggestion if not hits else "",
        answer.is_complete,
        answer.note if not hits else "",
        tuple(map(of_memory, answer.nearest)) if not hits else (),
    )


def of_memory(hit: RecallHit) -> FoundHit:
    """As a hit of everything; what a conversation or a part of it came to is an episode."""
    is_episode = hit.chunk_id is not None or hit.card.kind is MemoryKind.EPISODE
    kind = "episode" if is_episode else "memory"
    return FoundHit(kind, hit.card, hit.text, hit.score, hit.reason, hit.signals, hit.matched, hit.spans, hit.chunk_id)


def of_message(found: FoundMessage, now: datetime) -> FoundHit:
    """What the person typed, and when."""
    at = from_microseconds(found.at).astimezone()
    year = "" if at.year == now.astimezone().year else f" {at.year}"
    return FoundHit(
        "message",
        None,
        found.text,
        found.score,
        f"you typed this on {at.day} {at:%B}{year}",
        matched=found.matched,
        message_id=found.message_id,
        conversation_id=found.conversation_id,
    )
