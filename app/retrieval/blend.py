"""Hits of memories and of messages as one list. Pure. Source: issue 16 point 13."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import TypeVar

from app.retrieval.messages import FoundMessage, FoundMessages
from app.store.tables.types import from_microseconds
from app.values import FoundAnswer, FoundHit, MemoryKind, MemoryStatus, RecallAnswer, RecallHit

T = TypeVar("T")
_MEMORIES_FIRST = 2  # then a message, a memory, and so on
_FIRST_LIFT = 10.0  # above any fit
_MEMORY_WEIGHT = 2.0  # a memory was found worth keeping; a proposal only may be, an episode says what was done


def blend(
    answer: RecallAnswer,
    found: FoundMessages,
    sources: Mapping[int, Collection[int]],
    limit: int,
    now: datetime,
    *,
    first: Collection[int] = (),
    is_ranked: bool = False,
) -> FoundAnswer:
    """At most `limit` hits, those that say most of what was asked for first; of equals memories before messages.

    A memory stands for the message that it came from; a message for the proposal that was made of it. `first`: memories that
    stand before everything, whatever they say. `is_ranked`: memories stay in the order that their weights gave them. What recall
    would rather not have meant is held against the prompts too, where some are found: silence is broken already.
    """
    memories = answer.hits or (answer.nearest if found.messages else ())
    own = {one.message_id for one in found.messages}
    kept = {said for hit in memories if not is_unconfirmed(hit) for said in sources.get(hit.card.id, ())}
    rated = [
        (_FIRST_LIFT + hit.score if is_ranked else _fit(hit, found, first), of_memory(hit))
        for hit in memories
        if not (is_unconfirmed(hit) and own.intersection(sources.get(hit.card.id, ())))
    ]
    rated += [(one.fit, of_message(one, now)) for one in found.messages if one.message_id not in kept]
    best = sorted(rated, key=lambda pair: -pair[0])
    hits = list({hit.text.casefold(): hit for _, hit in reversed(best)}.values())[::-1]
    return FoundAnswer(
        tuple(hits[:limit]),
        answer.candidate_count + len(found.messages),
        answer.took_ms,
        answer.recipe,
        answer.suggestion if not hits else "",
        answer.is_complete,
        answer.note if not hits else "",
        tuple(map(of_memory, answer.nearest)) if not hits else (),
    )


def _fit(hit: RecallHit, found: FoundMessages, first: Collection[int]) -> float:
    weight = _weight(hit)
    fit = found.fit(hit.text, is_statement=weight == _MEMORY_WEIGHT)
    return fit * weight + (_FIRST_LIFT if hit.card.id in first else 0.0)


def weight_of(*, is_confirmed: bool) -> float:
    """What a memory counts more than a prompt that fits as well."""
    return _MEMORY_WEIGHT if is_confirmed else 1.0


def _weight(hit: RecallHit) -> float:
    is_episode = hit.chunk_id is not None or hit.card.kind is MemoryKind.EPISODE
    return weight_of(is_confirmed=not is_episode and not is_unconfirmed(hit))


def is_unconfirmed(hit: RecallHit) -> bool:
    """Whether it still waits for the person."""
    return hit.card.status is MemoryStatus.PROPOSED


def interleave(memories: Sequence[T], messages: Sequence[T], limit: int) -> list[T]:
    """Two memories, then messages and memories in turn, as long as there are any.

    >>> interleave([1, 2, 3], [10, 20], 10), interleave([], [10, 20], 1)
    ([1, 2, 10, 3, 20], [10])
    """
    known, said = iter(memories), iter(messages)
    taken = list(islice(known, _MEMORIES_FIRST))
    while len(taken) < limit:
        pair = [*islice(said, 1), *islice(known, 1)]
        if not pair:
            break
        taken += pair
    return taken[:limit]


def of_memory(hit: RecallHit) -> FoundHit:
    """As a hit of everything; what a conversation came to, or a part of one, is an episode."""
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
        is_archived=found.is_archived,
        is_withheld=found.is_withheld,
    )
