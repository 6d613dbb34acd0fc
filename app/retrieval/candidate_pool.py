"""Retrieves what one query is answered from: its terms, the candidates, their neighbours, and their texts now or then; and old parts of
conversations (chunks), each found by its summary.

Reads the index, what waits beside it, and rows; ranks nothing. It goes only as deep as pays: on the labelled conversations three
times as many candidates find nothing more. Source: STACK 1.1 "two stages", S3 "Retrieval Query", "Retrieval System".
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice

from rapidfuzz import fuzz, process
from sqlalchemy import Connection

from app.deciders.recall.ranking.memory_terms import split_into_terms
from app.deciders.recall.ranking.query import (
    MOST_GUESSED,
    ParsedQuery,
    QueryTerm,
    choose_terms,
    list_asked_kinds,
    list_stand_ins,
    make_query_terms,
    may_be_misspelt,
    parse_query,
    rarity,
)
from app.deciders.recall.ranking.rank import Candidate
from app.deciders.recall.rules import RecallRules
from app.language.search_words import split_stems
from app.retrieval.indexing import Indexing
from app.retrieval.row_filter import RowFilter
from app.store.rows.archived_prompts import ChunkRow, load_chunks
from app.store.rows.memory import state_at
from app.store.search import memories as rows
from app.store.search.memories import find_apps, find_projects
from app.store.search.overlay import Overlay
from app.store.search.values import Scope, Term
from app.store.tables.types import from_microseconds, to_microseconds
from app.values import MemoryCard, MemoryFilter, MemoryKind, MemoryStatus, Trust
from app.values.fast_values import maker

_make_candidate = partial(tuple.__new__, Candidate)  # of all its values in their order, in half the time
_make_term = maker(Term)
_ASKED, _RANKED = 48, 32  # candidates asked for and ranked in full, at least
_SEEDS, _HITS_PER_SEED = 4, 8  # such whose neighbours are looked up: at least, and one for so many hits wanted
_MOST_CANDIDATES = 20_000
_REACH = 4  # messages to either side
_DAY = 86_400_000_000  # microseconds
_ACCESS_STEP, _ACCESS_MOST = 0.1, 0.5  # S3, decay function
_TERMS_KEPT = 2_048  # some 1 MB, of those that have none beside them yet
_LEAST_READ = 32  # rows at a time
_WORDS_NEAR = 400
_MOST_AROUND = 64  # words
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)  # surroundings speak of no time
_IMPORTANCE = 0.5  # of a plain fact


@dataclass(frozen=True, slots=True)
class CandidatePool:
    query_terms: tuple[QueryTerm, ...]
    candidates: tuple[Candidate, ...]
    texts: dict[int, str]
    candidate_count: int
    rows_by_id: Mapping[int, rows.RankRow] = field(
        default_factory=dict
    )  # of the best, whole, when a context is made of them


class CandidateRetriever:
    """Thread-safe."""

    def __init__(self, indexing: Indexing, rules: RecallRules) -> None:
        self._indexing = indexing
        self._rules = rules
        self._terms: dict[int, tuple[int, tuple[tuple[str, ...], str]]] = {}  # memory → hash of its text, its cut

    def retrieve(
        self,
        connection: Connection,
        query: ParsedQuery,
        filters: MemoryFilter,
        now: datetime,
        *,
        limit: int,
        half_life_days: float,
        is_literal: bool = False,
        has_rows: bool = False,
    ) -> CandidatePool:
        """The pool of one query; wide enough that `limit` hits remain after the filter, if there are so many.

        `is_literal`: nobody typed it, no word is taken for a misspelt one. `has_rows`: the rows of the best are wanted too.
        """
        overlay, total = self._indexing.refresh(connection)
        near = _no_words if is_literal else partial(self._words_near, overlay)
        query_terms, terms, beside = self._plan(query, overlay, total, near)
        asked, ranked = max(_ASKED, limit), max(_RANKED, limit)
        row_filter = RowFilter(connection, filters, now)
        scope = Scope() if row_filter.is_wide else row_filter.scope  # without tags the index answers in half the time
        is_trial = (
            row_filter.is_wide and not row_filter.is_plain
        )  # taken when what is left of it is all that would be ranked
        earlier = self._earlier_states(connection, filters, query_terms)
        while True:
            ids = [memory_id for memory_id, _ in self._find(connection, query, overlay, terms, beside, scope, asked)]
            if earlier:
                ids += set(earlier).difference(ids)
            best, left_out_count = _load_best(
                connection, ids, row_filter, ranked, rows.ALL_COLUMNS if has_rows else row_filter.columns
            )
            is_all = len(ids) < asked or asked >= _MOST_CANDIDATES
            if is_all or len(best) >= (ranked if is_trial else min(limit, asked // 2)):
                break
            asked, scope, is_trial = asked if is_trial else asked * 10, row_filter.scope, False
        rows_by_id = {row.id: row for row in best} if has_rows else {}
        best += self._neighbours(connection, best, best[: max(_SEEDS, limit // _HITS_PER_SEED)], row_filter)
        texts = {row.id: row.full for row in best}
        texts |= {memory_id: text for memory_id, text in earlier.items() if memory_id in texts}
        made = self._candidates(best, texts, to_microseconds(now), half_life_days * _DAY)
        return CandidatePool(query_terms, made, texts, len(ids) - left_out_count, rows_by_id)

    # what is looked for -------------------------------------------------------------------------------

    def _plan(
        self, query: ParsedQuery, overlay: Overlay, total: int, words_near: Callable[[str], Sequence[str]]
    ) -> tuple[tuple[QueryTerm, ...], list[Term], list[tuple[Term, int]]]:
        stems = query.stems
        stand_ins = list_stand_ins(stems, self._rules, list_asked_kinds(query.text, self._rules))
        asked = list(dict.fromkeys([*stems, *(other for others in stand_ins.values() for other in others)]))
        counts = self._count(asked, overlay)
        query_terms = make_query_terms(query, counts, total, self._rules, words_near)
        weights: dict[str, float] = {}
        for entry in query_terms:
            for one, (weight, _) in entry.stands_for.items():
                weights[one] = max(weights.get(one, 0.0), weight)
        uncounted = [one for one in weights if one not in counts]
        if uncounted:
            counts |= self._count(uncounted, overlay)
        sure = [one for one in weights if weights[one] > 0.5]
        chosen = list(choose_terms(sure, [counts[one] for one in sure], total))
        unsure = [one for one in weights if weights[one] <= 0.5]
        if unsure:
            chosen += choose_terms(unsure, [counts[one] for one in unsure], total, most=max(0, 12 - len(chosen)))
        made = {one: _make_term(one, weight) for one, weight in weights.items()}
        return query_terms, [made[one] for one in chosen], [(term, counts[one]) for one, term in made.items()]

    def _count(self, stems: Sequence[str], overlay: Overlay) -> dict[str, int]:
        indexed = self._indexing.index.document_counts(list(map(_make_term, stems)))
        return dict(zip(stems, overlay.add_counts(stems, indexed), strict=True))

    def _words_near(self, overlay: Overlay, word: str) -> list[str]:
        """Words as written that begin with `word`, else those that begin as it does."""
        index = self._indexing.index
        for prefix, most in ((word, 8), (word[:3], _WORDS_NEAR), (word[:1], _WORDS_NEAR)):
            found = [known for known, _ in index.words_with_prefix(prefix, most)] + overlay.words_with_prefix(prefix)
            if found and (prefix != word[:3] or any(abs(len(known) - len(word)) <= 2 for known in found)):
                return found
        return []

    def rarity_around(self, text: str, query: ParsedQuery) -> dict[str, float]:
        """Weights of the words that surround a query, but for its own and those that stand nowhere."""
        around = parse_query(text, _ANY_TIME, self._rules)
        stems = [one for one in around.stems if one not in set(query.stems)][:_MOST_AROUND]
        overlay = self._indexing.overlay
        total = self._indexing.index.count() + overlay.new_count
        return {one: rarity(count, total) for one, count in self._count(stems, overlay).items() if count}

    # candidates ---------------------------------------------------------------------------------------

    def _find(
        self,
        connection: Connection,
        query: ParsedQuery,
        overlay: Overlay,
        terms: Sequence[Term],
        beside: Sequence[tuple[Term, int]],
        scope: Scope,
        asked: int,
    ) -> list[tuple[int, float]]:
        if not beside and query.span is not None:
            span = [to_microseconds(at) if at else None for at in (query.span.from_at, query.span.to_at)]
            return [(memory_id, 0.0) for memory_id in rows.load_ids_between(connection, span[0], span[1], asked)]
        return self._indexing.find(overlay, terms, beside, scope, asked)

    def _neighbours(
        self,
        connection: Connection,
        known: Sequence[rows.RankRow],
        seeds: Sequence[rows.RankRow],
        row_filter: RowFilter,
    ) -> list[rows.RankRow]:
        """Memories said near the seeds that are not among those known already."""
        places = [
            (row.conversation_id, row.message_id)
            for row in seeds
            if row.conversation_id is not None and row.message_id is not None
        ]
        if not places:
            return []
        return row_filter.choose(
            rows.load_neighbours(connection, places, _REACH, [row.id for row in known], row_filter.columns)
        )

    def _earlier_states(
        self, connection: Connection, filters: MemoryFilter, query_terms: Sequence[QueryTerm]
    ) -> dict[int, str]:
        """Texts as they were at `believed_at`, of memories that were edited since and hold what is looked for."""
        if filters.believed_at is None:
            return {}
        wanted = {one for entry in query_terms for one in entry.stands_for}
        states = state_at(connection, None, filters.believed_at)
        texts = {memory_id: str(state["full"]) for memory_id, state in states.items()}
        return {one: text for one, text in texts.items() if not wanted or not wanted.isdisjoint(split_stems(text))}

    def _candidates(
        self, found: Sequence[rows.RankRow], texts: Mapping[int, str], instant: int, half_life: float
    ) -> tuple[Candidate, ...]:
        """`instant` is now and `half_life` the time in which a memory fades by half, both in microseconds."""
        made = []
        for row in found:
            (
                memory_id, full, title, _, at, importance, valid_from, valid_to, is_pinned, used_at, used_count, slot_key,
                supersedes_id, conversation_id, message_id, joined, speaker,
            ) = row[:17]  # fmt: skip
            text = texts[memory_id]
            if joined is None or text is not full:
                stems, speaker = self._terms_of(memory_id, text, title)
            else:
                stems = tuple(joined.split(" ")) if joined else ()
            access = 0.0
            latest = at
            if used_count:
                access = max(-_ACCESS_MOST, min(used_count * _ACCESS_STEP, _ACCESS_MOST)) / _ACCESS_MOST
                latest = (
                    max(at, used_at or 0) if used_count > 0 else at
                )  # what was given and ignored does not stay fresh by that
            made.append(
                _make_candidate((
                    memory_id, stems, at, conversation_id, message_id, importance,
                    0.5 ** ((instant - latest) / half_life) if instant > latest else 1.0, access, bool(is_pinned),
                    valid_from <= instant and (valid_to is None or valid_to > instant), slot_key, supersedes_id, speaker or "", text,
                ))
            )  # fmt: skip
        return tuple(made)

    def _terms_of(self, memory_id: int, text: str, title: str) -> tuple[tuple[str, ...], str]:
        """What it is ranked by, remembered: it has no cut beside it, or is asked for as it was once."""
        cuts, said = self._terms, hash((text, title))
        known = cuts.get(memory_id)
        if known is not None and known[0] == said:
            return known[1]
        cut = split_into_terms(text, title)
        if len(self._terms) >= _TERMS_KEPT:
            for oldest in list(islice(self._terms, _TERMS_KEPT // 4)):
                self._terms.pop(oldest, None)
        cuts[memory_id] = said, cut
        return cut

    def suggest(self, query: ParsedQuery) -> str:
        """The query with each unknown word replaced by the known one written most alike; "" when that changes nothing."""
        said, is_changed, overlay = query.text, False, self._indexing.overlay
        if len(query.content) > MOST_GUESSED:  # a whole paragraph is not mistyped
            return ""
        for word in reversed(query.content):
            is_unknown = may_be_misspelt(word.text.lower()) and not any(self._count(word.stems, overlay).values())
            near = self._words_near(overlay, word.text.lower()) if is_unknown else []
            best = _most_alike(word.text.lower(), near)
            if best:
                said = said[: word.start] + best + said[word.start + len(word.text) :]
                is_changed = True
        return said if is_changed else ""


def _most_alike(word: str, words: Sequence[str]) -> str:
    begun = [other for other in words if other.startswith(word)]
    if begun:
        return min(begun, key=len)
    found = process.extractOne(word, words, scorer=fuzz.ratio, score_cutoff=75)  # whole words: "ingress" holds an "in"
    return str(found[0]) if found else ""


def _load_best(
    connection: Connection, ids: Sequence[int], row_filter: RowFilter, most: int, columns: int
) -> tuple[list[rows.RankRow], int]:
    """The first `most` rows that the filter lets through, in the order of `ids`, and how many were seen to be left out."""
    best: list[rows.RankRow] = []
    start = left_out_count = 0
    while start < len(ids) and len(best) < most:
        some = ids[start : start + max(most - len(best), _LEAST_READ)]
        found = {row.id: row for row in row_filter.choose(rows.load_rank_rows(connection, some, columns))}
        best += [found[memory_id] for memory_id in some if memory_id in found]
        left_out_count += len(some) - len(found)
        start += len(some)
    return best[:most], left_out_count


def _no_words(word: str) -> Sequence[str]:
    del word
    return ()


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
