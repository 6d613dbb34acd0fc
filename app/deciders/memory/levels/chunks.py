"""When older messages of a long conversation become a chunk, and which chunks merge when there are too many.

Owns the counting; the words of a summary are `app.deciders.memory.levels.summarise`. Knows no store and no clock.
Source: S3, "Chunking Strategy" and "Chunk Compression".
"""

from collections.abc import Sequence
from typing import TypeVar

MAX_RECENT_MESSAGES = 20
CHUNK_SIZE = 10
MAX_CHUNKS = 25
MAX_TOPICS = 12

T = TypeVar("T")


def plan_chunks(
    messages: Sequence[T], *, max_recent: int = MAX_RECENT_MESSAGES, chunk_size: int = CHUNK_SIZE
) -> tuple[tuple[T, ...], ...]:
    """The groups of `messages` (not in a chunk yet, oldest first) that become chunks now; the rest stay as they are.

    >>> [len(chunk) for chunk in plan_chunks(range(20))], [len(chunk) for chunk in plan_chunks(range(31))]
    ([], [10, 10])
    """
    if chunk_size < 1 or max_recent < 1:
        raise ValueError("at least one message stays recent, and a chunk holds at least one")
    chunks: list[tuple[T, ...]] = []
    start = 0
    while len(messages) - start > max_recent:
        end = min(start + chunk_size, len(messages) - 1)  # a chunk larger than the recent part leaves the newest out
        chunks.append(tuple(messages[start:end]))
        start = end
    return tuple(chunks)


def plan_merges(chunks: Sequence[T], *, max_chunks: int = MAX_CHUNKS) -> tuple[T, ...]:
    """The oldest of `chunks` (oldest first) that become one, so that `max_chunks` are left; () when none must.

    >>> plan_merges("abcd", max_chunks=3), plan_merges("abc", max_chunks=3)
    (('a', 'b'), ())
    """
    if max_chunks < 1:
        raise ValueError("at least one chunk must be allowed")
    too_many = len(chunks) - max_chunks
    return tuple(chunks[: too_many + 1]) if too_many > 0 else ()


def merge_topics(*topics: Sequence[str], limit: int = MAX_TOPICS) -> tuple[str, ...]:
    """All topics in order of first mention, each once whatever its case, at most `limit`.

    >>> merge_topics(("Login", "cache"), ("login", "tests"))
    ('Login', 'cache', 'tests')
    """
    found: dict[str, str] = {}
    for topic in (topic.strip() for several in topics for topic in several):
        if topic:
            found.setdefault(topic.casefold(), topic)
    return tuple(found.values())[:limit]
