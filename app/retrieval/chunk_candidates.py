"""Old parts of conversations (chunks) as candidates of a search, each found by its summary. Source: S3 "Retrieval System"."""

import json
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection

from app.deciders.recall.ranking.rank import (
    Candidate,
)
from app.language.search_words import split_stems
from app.retrieval.candidate_pool import CandidatePool
from app.store.rows.prompts import ChunkRow, load_chunks
from app.store.search.memories import find_apps, find_projects
from app.store.tables.types import from_microseconds, to_microseconds
from app.values import MemoryCard, MemoryFilter, MemoryKind, MemoryStatus, Trust

_DAY = 86_400_000_000  # microseconds
_IMPORTANCE = 0.5  # of a plain fact


@dataclass(frozen=True, slots=True)
class ChunkPool:
    """The pool with chunks in it, numbered below zero, and their cards by that number."""

    pool: CandidatePool
    cards: dict[int, MemoryCard]


def with_chunks(
    connection: Connection, pool: CandidatePool, filters: MemoryFilter, now: datetime, half_life_days: float
) -> ChunkPool:
    """The pool and every chunk that the filter lets through."""
    projects = find_projects(connection, filters.projects) if filters.projects else None
    apps = find_apps(connection, filters.apps) if filters.apps else None
    since, until, believed = map(_instant, (filters.from_at, filters.to_at, filters.believed_at))
    rows = [
        row
        for row in load_chunks(connection, filters.conversation_id, since=since, until=until, believed=believed)
        if (projects is None or row[6] in projects) and (apps is None or row[7] in apps)
    ]
    texts = {-int(row[0]): str(row[2]) for row in rows}
    made = tuple(_candidate(row, to_microseconds(now), half_life_days * _DAY) for row in rows)
    known = replace(
        pool,
        candidates=(*pool.candidates, *made),
        texts={**pool.texts, **texts},
        candidate_count=pool.candidate_count + len(made),
    )
    return ChunkPool(known, {-int(row[0]): _card(row) for row in rows})


def _instant(at: datetime | None) -> int | None:
    return None if at is None else to_microseconds(at)


def _candidate(row: ChunkRow, now: int, half_life: float) -> Candidate:
    stems = tuple(split_stems(f"{row[2]} {' '.join(json.loads(row[3]))}"))
    recency = 0.5 ** (max(0, now - row[5]) / half_life)
    return Candidate(-int(row[0]), stems, int(row[5]), importance=_IMPORTANCE, recency=recency)


def _card(row: ChunkRow) -> MemoryCard:
    """A card that is no memory's: number 0."""
    title = f"{row[8]}, part {row[1]}" if row[8] else f"Part {row[1]} of a conversation"
    return MemoryCard(
        id=0,
        kind=MemoryKind.EPISODE,
        type=None,
        title=title,
        summary=str(row[2]),
        status=MemoryStatus.ACTIVE,
        trust=Trust.SPOKEN,
        confidence=1.0,
        importance=_IMPORTANCE,
        is_pinned=False,
        is_live=True,
        token_count=int(row[4]),
        tags=tuple(json.loads(row[3])),
        project=str(row[9]),
        app=str(row[10]),
        updated_at=from_microseconds(int(row[5])),
        last_accessed_at=None,
        retrieved_count=0,
    )
