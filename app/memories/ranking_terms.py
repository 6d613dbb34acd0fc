"""Works out beforehand what a memory is ranked by and what its lines cost, and keeps it beside the memory.

Cutting words and counting tokens is half of what a context of memories takes that nobody asked for lately. Derived: whoever finds
no cut works it out in passing. Called by the thread that keeps the search index. Source: QUALITY P2.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from app.deciders.recall.context.render import neutralise
from app.deciders.recall.ranking.memory_terms import split_into_terms
from app.language.token_counts import count_tokens
from app.store.search.memories import count_memories
from app.store.search.memory_terms import (
    RankingTerms,
    TermsSource,
    count_terms,
    load_terms_sources,
    load_without_terms,
    put_terms,
)
from app.store.store import Store

_AT_ONCE = 100  # some 10 ms of work
_GIVING_WAY = 1.0  # rests as long as it worked


@lru_cache(maxsize=8_192)
def body_tokens(text: str) -> int:
    """Tokens of a text as the rest of a line, behind its mark: exact, because no token reaches over the "]" before it."""
    return count_tokens(f" {neutralise(text)}\n")


def mark_tokens(key: int) -> int:
    """Tokens of what is before the body: "- [12]", or "-" for a key of 0. Up to three digits are one token.

    >>> mark_tokens(7), mark_tokens(1234), mark_tokens(0)
    (4, 5, 1)
    """
    return 3 + (len(str(key)) + 2) // 3 if key else 1


def make_cut(source: TermsSource) -> RankingTerms | None:
    """The cut of a memory; None for one whose stems cannot be told apart again."""
    stems, speaker = split_into_terms(source.full, source.title)
    joined = " ".join(stems)
    if split_cut(joined) != stems:
        return None
    levels = (source.full, source.summary, source.compressed, source.index_text)
    full, summary, compressed, index = (count_tokens(f" {neutralise(text)}\n") for text in levels)
    return RankingTerms(source.id, source.revision, joined, speaker, full, summary, compressed, index)


def split_cut(joined: str) -> tuple[str, ...]:
    """The stems of a cut."""
    return tuple(joined.split(" ")) if joined else ()


def cut_some(store: Store, memory_ids: Sequence[int]) -> None:
    """Makes the cuts of these memories."""
    for start in range(0, len(memory_ids), _AT_ONCE):
        with store.read() as connection:
            found = load_terms_sources(connection, memory_ids[start : start + _AT_ONCE])
        _put(store, found)


def make_missing_terms(store: Store, is_stopping: Callable[[], bool], *, is_waited_for: bool = False) -> int:
    """Makes what is missing, newest first; returns how many. Rests in between unless somebody waits for it."""
    with store.read() as connection:
        if count_terms(connection) >= count_memories(connection):
            return 0
    done = 0
    for found in _uncut(store):
        begun = time.perf_counter()
        _put(store, found)
        done += len(found)
        if is_stopping():
            break
        if not is_waited_for:
            time.sleep((time.perf_counter() - begun) * _GIVING_WAY)
    return done


def _uncut(store: Store) -> Iterator[list[TermsSource]]:
    before = sys.maxsize
    while True:
        with store.read() as connection:
            found = load_without_terms(connection, before, _AT_ONCE)
        if not found:
            return
        yield found
        before = found[-1].id


def _put(store: Store, sources: Sequence[TermsSource]) -> None:
    made = [cut for cut in map(make_cut, sources) if cut is not None]
    if made:
        with store.database.transaction(is_durable=False) as connection:
            put_terms(connection, made)
