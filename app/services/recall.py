"""Recall: query → candidates of the index and of what waits beside it → rank → hits with texts and reasons.

Loads, calls the deciders of `app.recall`, counts the use afterwards. One reading snapshot per query. Source: DESIGN 5 "recall".
"""

from collections.abc import Sequence

from sqlalchemy import Connection, select

from app.recall.plan import choose_terms
from app.recall.query import ParsedQuery, parse_query
from app.services.indexing import Indexing
from app.store import memory_search as rows
from app.store.index_values import Scope, Term
from app.store.journal import table_of
from app.store.memory_tables import MemoryRow
from app.store.store import Store
from app.store.tables import AppRow, ProjectRow
from app.values import (
    FactType,
    MemoryCard,
    MemoryKind,
    MemoryStatus,
    RecallAnswer,
    RecallHit,
    RecallQuery,
    Signal,
    Trust,
)

_CANDIDATES = 200


class Recall:
    def __init__(self, store: Store, indexing: Indexing) -> None:
        self._store = store
        self._indexing = indexing

    def search(self, query: RecallQuery) -> RecallAnswer:
        """Never raises for what a person types."""
        started = self._store.clock.monotonic_s()
        parsed = parse_query(query.text)
        with self._store.read() as connection:
            found = self._candidates(connection, parsed)
            ranked = {row.id: row for row in rows.load_rank_rows(connection, [pair[0] for pair in found])}
            best = [(ranked[memory_id], score) for memory_id, score in found if memory_id in ranked]
            best = [pair for pair in best if pair[0].status == MemoryStatus.ACTIVE][: query.limit]
            cards = load_cards(connection, [row.id for row, _ in best])
        highest = best[0][1] if best else 1.0
        hits = tuple(
            RecallHit(cards[row.id], row.full, score / highest, (Signal("keyword", score / highest, 1.0),), (), (), "")
            for row, score in best
        )
        took_ms = (self._store.clock.monotonic_s() - started) * 1000
        return RecallAnswer(hits, len(found), took_ms, query.recipe or "gated")

    def _candidates(self, connection: Connection, parsed: ParsedQuery) -> list[tuple[int, float]]:
        index = self._indexing.index
        stems = parsed.stems
        counts = index.document_counts([Term(stem) for stem in stems])
        chosen = [Term(stem) for stem in choose_terms(stems, counts, index.count())]
        beside = [(Term(stem), count) for stem, count in zip(stems, counts, strict=True)]
        return self._indexing.find(connection, chosen, beside, Scope(), _CANDIDATES)


def load_cards(connection: Connection, ids: Sequence[int]) -> dict[int, MemoryCard]:
    memory, app, project = table_of(MemoryRow), table_of(AppRow), table_of(ProjectRow)
    statement = (
        select(memory, app.c.name.label("app_name"), project.c.name.label("project_name"))
        .outerjoin(app, app.c.id == memory.c.app_id)
        .outerjoin(project, project.c.id == memory.c.project_id)
        .where(memory.c.id.in_(ids))
    )
    return {
        row.id: MemoryCard(
            id=row.id,
            kind=MemoryKind(row.kind),
            type=FactType(row.type) if row.type else None,
            title=row.title,
            summary=row.summary,
            status=MemoryStatus(row.status),
            trust=Trust(row.trust),
            confidence=row.confidence,
            importance=row.importance,
            is_pinned=row.is_pinned,
            is_live=row.valid_to is None,
            token_count=row.full_tokens,
            tags=tuple(row.tags),
            project=row.project_name or "",
            app=row.app_name or "",
            updated_at=row.updated_at,
            last_accessed_at=row.last_accessed_at,
            retrieved_count=row.retrieved_count,
        )
        for row in connection.execute(statement)
    }
