"""Gathers what one query is answered from: what is looked for, the candidates, their neighbours, their texts then or now.

Reads the index, what waits beside it, and rows; ranks nothing. How deep it looks depends on the size of the store: a small one is
ranked nearly whole, a large one by its best hundred. Source: STACK 1.1 "two stages", S3 "Retrieval Query".
"""

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from rapidfuzz import process
from sqlalchemy import Connection, select

from app.recall.plan import choose_terms
from app.recall.query import ParsedQuery
from app.recall.rank import Candidate
from app.recall.rules import RecallRules
from app.recall.sought import Sought, list_stand_ins, make_sought
from app.recall.stems import stem
from app.recall.words import split_stems
from app.services import memory_filters
from app.services.indexing import Indexing
from app.services.memory_versions import state_at
from app.store import memory_search as rows
from app.store.index_values import Scope, Term
from app.store.journal import table_of
from app.store.memory_tables import MemoryRow
from app.store.types import to_microseconds
from app.values import MemoryFilter, MemoryKind, MemoryStatus

_SMALL_STORE = 5_000
_MOST_CANDIDATES = 20_000
_REACH = 4  # messages to either side
_DAY = 86_400_000_000  # microseconds
_ACCESS_STEP, _ACCESS_MOST = 0.1, 0.5  # S3, decay function
_LABEL = re.compile(r"^([A-Z]\w{1,30}): ")
_CUTS_KEPT = 4_096
_WORDS_NEAR = 400
_ANY_STATUS = MemoryFilter()


@dataclass(frozen=True, slots=True)
class Depth:
    """So many candidates are asked for, ranked in full, and have their neighbours looked up."""

    asked: int
    ranked: int
    seeds: int


SMALL, LARGE = Depth(160, 120, 24), Depth(64, 40, 6)


@dataclass(frozen=True, slots=True)
class Pool:
    sought: tuple[Sought, ...]
    candidates: tuple[Candidate, ...]
    texts: dict[int, str]
    candidate_count: int


class Gatherer:
    """Thread-safe."""

    def __init__(self, indexing: Indexing, rules: RecallRules) -> None:
        self._indexing = indexing
        self._rules = rules
        self._cuts: OrderedDict[tuple[int, int], tuple[str, ...]] = OrderedDict()

    def gather(
        self,
        connection: Connection,
        query: ParsedQuery,
        filters: MemoryFilter,
        now: datetime,
        *,
        limit: int,
        half_life_days: float,
    ) -> Pool:
        """The pool of one query; wide enough that `limit` hits remain after the filter, if there are so many."""
        waiting = self._indexing.refresh(connection)
        total = self._indexing.index.count() + len(waiting)
        sought, terms, beside = self._plan(query, total)
        depth = SMALL if total <= _SMALL_STORE else LARGE
        asked = max(depth.asked, limit)
        is_plain = filters == _ANY_STATUS
        scope = Scope() if is_plain else _scope_of(connection, filters)
        earlier = self._earlier_states(connection, filters, sought)
        while True:
            found = self._find(connection, query, terms, beside, scope, asked)
            found += [(memory_id, 0.0) for memory_id in earlier if memory_id not in dict(found)]
            kept = self._load(connection, [pair[0] for pair in found], filters, now)
            is_all = len(found) < asked or asked >= _MOST_CANDIDATES
            if is_all or len(kept) >= min(limit, asked // 2):
                break
            asked, scope = asked * 10, _scope_of(connection, filters)
        order = {memory_id: at for at, (memory_id, _) in enumerate(found)}
        best = sorted(kept, key=lambda row: order[row.id])[: max(depth.ranked, limit)]
        best += self._neighbours(connection, best, best[: depth.seeds], filters, now)
        texts = {row.id: earlier.get(row.id, row.full) for row in best}
        instant, half_life = to_microseconds(now), half_life_days * _DAY
        made = tuple(self._candidate(row, texts[row.id], instant, half_life) for row in best)
        return Pool(sought, made, texts, len(kept))

    # what is looked for -------------------------------------------------------------------------------

    def _plan(self, query: ParsedQuery, total: int) -> tuple[tuple[Sought, ...], list[Term], list[tuple[Term, int]]]:
        stems = query.stems
        stand_ins = list_stand_ins(stems, self._rules)
        asked = list(dict.fromkeys([*stems, *(other for others in stand_ins.values() for other in others)]))
        counts = self._count(asked)
        sought = make_sought(query, counts, total, self._rules, self._words_near)
        weights: dict[str, float] = {}
        for entry in sought:
            for one, (weight, _) in entry.stands_for.items():
                weights[one] = max(weights.get(one, 0.0), weight)
        counts |= self._count([one for one in weights if one not in counts])
        sure = [one for one in weights if weights[one] > 0.5]
        chosen = list(choose_terms(sure, [counts[one] for one in sure], total))
        unsure = [one for one in weights if weights[one] <= 0.5]
        chosen += choose_terms(unsure, [counts[one] for one in unsure], total, most=max(0, 12 - len(chosen)))
        terms = [Term(one, weights[one]) for one in chosen]
        return sought, terms, [(Term(one, weights[one]), counts[one]) for one in weights]

    def _count(self, stems: Sequence[str]) -> dict[str, int]:
        indexed = self._indexing.index.document_counts([Term(one) for one in stems])
        beside = self._indexing.overlay.document_counts(stems)
        return {one: a + b for one, a, b in zip(stems, indexed, beside, strict=True)}

    def _words_near(self, word: str) -> list[str]:
        """Words as written that begin with `word`, else those that begin as it does."""
        index, overlay = self._indexing.index, self._indexing.overlay
        for prefix, most in ((word, 8), (word[:3], _WORDS_NEAR), (word[:1], _WORDS_NEAR)):
            found = [known for known, _ in index.words_with_prefix(prefix, most)] + overlay.words_with_prefix(prefix)
            if found and (prefix != word[:3] or any(abs(len(known) - len(word)) <= 2 for known in found)):
                return found
        return []

    # candidates ---------------------------------------------------------------------------------------

    def _find(
        self,
        connection: Connection,
        query: ParsedQuery,
        terms: Sequence[Term],
        beside: Sequence[tuple[Term, int]],
        scope: Scope,
        asked: int,
    ) -> list[tuple[int, float]]:
        if not beside and query.span is not None:
            span = [to_microseconds(at) if at else None for at in (query.span.from_at, query.span.to_at)]
            return [(memory_id, 0.0) for memory_id in rows.load_ids_between(connection, span[0], span[1], asked)]
        return self._indexing.find(terms, beside, scope, asked)

    def _load(
        self, connection: Connection, ids: Sequence[int], filters: MemoryFilter, now: datetime
    ) -> list[rows.RankRow]:
        """Rows that the filter lets through; active ones only, unless it says otherwise."""
        if filters == _ANY_STATUS:
            return [row for row in rows.load_rank_rows(connection, ids) if row.status == MemoryStatus.ACTIVE]
        memory = table_of(MemoryRow)
        allowed: list[int] = []
        conditions = memory_filters.clauses(connection, _with_status(filters), now)
        for start in range(0, len(ids), 500):
            some = memory.c.id.in_(ids[start : start + 500])
            allowed += connection.execute(select(memory.c.id).where(some, *conditions)).scalars()
        return rows.load_rank_rows(connection, allowed)

    def _neighbours(
        self,
        connection: Connection,
        known_rows: Sequence[rows.RankRow],
        seeds: Sequence[rows.RankRow],
        filters: MemoryFilter,
        now: datetime,
    ) -> list[rows.RankRow]:
        """Memories said near the seeds that are not among those known already."""
        places = [
            (row.conversation_id, row.message_id)
            for row in seeds
            if row.conversation_id is not None and row.message_id is not None
        ]
        if not places:
            return []
        known = {row.id for row in known_rows}
        near = [one for one in rows.load_neighbour_ids(connection, places, _REACH) if one not in known]
        return self._load(connection, near, filters, now) if near else []

    def _earlier_states(
        self, connection: Connection, filters: MemoryFilter, sought: Sequence[Sought]
    ) -> dict[int, str]:
        """Texts as they were at `believed_at`, of memories that were edited since and hold what is looked for."""
        if filters.believed_at is None:
            return {}
        wanted = {one for entry in sought for one in entry.stands_for}
        states = state_at(connection, None, filters.believed_at)
        texts = {memory_id: str(state["full"]) for memory_id, state in states.items()}
        return {one: text for one, text in texts.items() if not wanted or not wanted.isdisjoint(split_stems(text))}

    def _candidate(self, row: rows.RankRow, text: str, instant: int, half_life: float) -> Candidate:
        """`instant` is now and `half_life` the time in which a memory fades by half, both in microseconds."""
        age = max(0, instant - max(row.recorded_at, row.last_accessed_at or 0))
        label = _LABEL.match(text)
        return Candidate(
            row.id,
            self._cut(row.id, text),
            row.recorded_at,
            row.conversation_id,
            row.message_id,
            row.importance,
            0.5 ** (age / half_life),
            min(row.retrieved_count * _ACCESS_STEP, _ACCESS_MOST) / _ACCESS_MOST,
            bool(row.is_pinned),
            row.valid_from <= instant and (row.valid_to is None or row.valid_to > instant),
            row.slot_key,
            row.supersedes_id,
            stem(label.group(1).lower()) if label else "",
        )

    def _cut(self, memory_id: int, text: str) -> tuple[str, ...]:
        key = (memory_id, hash(text))
        found = self._cuts.get(key)
        if found is None:
            found = tuple(split_stems(text))
            self._cuts[key] = found
            while len(self._cuts) > _CUTS_KEPT:
                self._cuts.popitem(last=False)
        return found

    def suggest(self, query: ParsedQuery) -> str:
        """The query with each unknown word replaced by the known one written most alike; "" when that changes nothing."""
        said, is_changed = query.text, False
        for word in reversed(query.content):
            near = self._words_near(word.text.lower()) if not any(self._count(word.stems).values()) else []
            best = _most_alike(word.text.lower(), near)
            if best:
                said = said[: word.start] + best + said[word.start + len(word.text) :]
                is_changed = True
        return said if is_changed else ""


def _most_alike(word: str, words: Sequence[str]) -> str:
    found = process.extractOne(word, words, score_cutoff=75)
    return str(found[0]) if found else ""


def _with_status(filters: MemoryFilter) -> MemoryFilter:
    return filters if filters.statuses else replace(filters, statuses=(MemoryStatus.ACTIVE,))


def _scope_of(connection: Connection, filters: MemoryFilter) -> Scope:
    """What of a filter the index can see to; rows are held against the whole of it anyway."""
    groups: list[tuple[str, ...]] = []
    if filters.believed_at is None:
        groups.append(tuple(f"status:{one.value}" for one in filters.statuses or (MemoryStatus.ACTIVE,)))
    kinds = filters.kinds or tuple(MemoryKind)
    if not filters.includes_episodes:
        kinds = tuple(kind for kind in kinds if kind is not MemoryKind.EPISODE)
    if kinds != tuple(MemoryKind):
        groups.append(tuple(f"kind:{kind.value}" for kind in kinds) or ("kind:none",))
    if filters.types:
        groups.append(tuple(f"type:{one.value}" for one in filters.types))
    if filters.projects:
        ids = memory_filters.ids_of_projects(connection, filters.projects)
        groups.append(tuple(f"project:{one}" for one in ids) or ("project:none",))
    if filters.apps:
        ids = memory_filters.ids_of_apps(connection, filters.apps)
        groups.append(tuple(f"app:{one}" for one in ids) or ("app:none",))
    from_at = to_microseconds(filters.from_at) if filters.from_at else None
    to_at = to_microseconds(filters.to_at) if filters.to_at else None
    return Scope(tuple(groups), from_at, to_at)
