"""Answers a query from memories: retrieve candidates, rank them by a recipe, and give hits with reasons, or nothing where nothing fits.

One reading snapshot per query; the use of what was returned is counted later, by the thread that keeps the index. Owns the order of
the steps, none of their rules. Source: DESIGN section 5 "recall", S3 "Retrieval System".
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from sqlalchemy import Connection

from app.deciders.recall.ranking.abstention import find_abstention_reason
from app.deciders.recall.ranking.conflicting_hits import move_newer_above
from app.deciders.recall.ranking.explain import explain_hit, list_match_stems, list_signals, mark_title_or_terms
from app.deciders.recall.ranking.query import ParsedQuery, parse_query
from app.deciders.recall.ranking.rank import (
    RankedCandidate,
    TimeRange,
    add_meaning,
    add_to_signals,
    fill_values,
    lift_by_meaning,
    lift_by_surroundings,
    rank_candidates,
    sum_rarity,
)
from app.deciders.recall.ranking.recipes import Recipe, check_weights, choose_recipe, parse_weights, weigh
from app.deciders.recall.rules import RecallRules
from app.language.search_words import mark_texts, split_words
from app.memories.queries import as_believed, load_cards
from app.retrieval.candidate_pool import CandidatePool, CandidateRetriever, with_chunks
from app.retrieval.indexing import Indexing, make_document
from app.retrieval.ranked_hits import RankedHits
from app.settings import Settings
from app.store.search.memories import load_documents
from app.store.search.overlay import Overlay
from app.store.search.values import WORDS, Scope, Term
from app.store.store import Store
from app.store.tables.types import to_microseconds
from app.values import MemoryCard, MemoryFilter, MemoryStatus, RecallAnswer, RecallHit, RecallQuery
from app.values.fast_values import maker

_make_hit = maker(RecallHit)
_ALIKE_MOST = 20
_ALIKE_WORDS = 200
_COMPLETED_MORE = 64  # so many words more are looked at than were asked for: some stand only in what was put away
_PLAIN = RecallQuery("")
_IN_USE = Scope(((f"status:{MemoryStatus.ACTIVE}",),))
_SUGGESTED_READ = 30  # memories that a word of a suggestion is looked for in


@dataclass(frozen=True, slots=True)
class _HitExtras:
    """What hits are made from besides their pool: the time asked about, boosts by surroundings and by meaning, cards of chunks."""

    span: TimeRange | None
    lifts: Mapping[int, float]
    alike: Mapping[int, float]  # in meaning
    chunks: Mapping[int, MemoryCard]


Likeness = Callable[[Connection, str, Sequence[int]], Mapping[int, float]]


def _no_likeness(connection: Connection, text: str, memory_ids: Sequence[int]) -> Mapping[int, float]:
    del connection, text, memory_ids
    return {}


class Recall:
    """Thread-safe."""

    def __init__(
        self,
        store: Store,
        indexing: Indexing,
        settings: Callable[[], Settings],
        rules: RecallRules,
        recipes: Mapping[str, Recipe],
    ) -> None:
        self._store = store
        self._indexing = indexing
        self._settings = settings
        self._rules = rules
        self.recipes = recipes
        self._retriever = CandidateRetriever(indexing, rules)
        self.likeness: Likeness = _no_likeness  # in meaning, where the person named a model for it

    def search(self, query: RecallQuery) -> RecallAnswer:
        """The answer. Raises InvalidError for a recipe that does not exist; never for what a person types as text."""
        clock, settings = self._store.clock, self._settings()
        started, now = clock.monotonic_s(), clock.now()
        recipe = self._recipe_of(query, settings)
        parsed = parse_query(query.text, now, self._rules)
        limit = max(1, settings.recall_limit if query.limit is None else query.limit)
        with self._store.read() as connection:
            pool = self._retriever.retrieve(
                connection, parsed, query.filters, now, limit=limit, half_life_days=settings.decay_half_life_days
            )
            chunks: dict[int, MemoryCard] = {}
            if query.filters.includes_chunks:
                with (
                    self._store.read_for_caller() as seen
                ):  # a filter names memories; whose conversations, the wall says
                    widened = with_chunks(seen, pool, query.filters, now, settings.decay_half_life_days)
                pool, chunks = widened.pool, widened.cards
            ranked, note = self.rank(parsed, pool, recipe)
            alike = self.likeness(connection, parsed.text, [one.candidate.id for one in ranked]) if ranked else {}
            ranked = lift_by_meaning(ranked, alike) if alike else ranked
            around = self._retriever.rarity_around(query.context, parsed) if query.context.strip() else {}
            ranked, lifts = lift_by_surroundings(ranked, around) if around else (ranked, {})
            made = self._hits(
                connection, ranked[:limit], pool, query.filters, _HitExtras(_span_of(parsed), lifts, alike, chunks)
            )
        hits = () if note else tuple(hit for hit in made if hit.score >= settings.recall_threshold)
        if query.is_counted and hits:
            self._indexing.usage.note([hit.card.id for hit in hits if hit.card.id], now)
        return RecallAnswer(
            hits=hits,
            candidate_count=pool.candidate_count,
            took_ms=(clock.monotonic_s() - started) * 1000,
            recipe=recipe.name,
            suggestion=self._suggest(parsed, query.filters) if query.is_suggesting and not hits else "",
            is_complete=self._indexing.is_whole,
            note=note,
            nearest=made if note else (),
        )

    def _recipe_of(self, query: RecallQuery, settings: Settings) -> Recipe:
        """What the query says, before what the settings say; weights before a name."""
        named = choose_recipe(self.recipes, query.recipe or settings.recall_recipe)
        if query.weights or query.recipe:
            return weigh(named, check_weights(query.weights))
        return weigh(named, parse_weights(settings.recall_weights))

    def retrieve(
        self,
        connection: Connection,
        text: str,
        filters: MemoryFilter,
        limit: int,
        *,
        is_literal: bool = False,
        has_rows: bool = False,
    ) -> RankedHits:
        """As `search`, in the caller's snapshot, without cards and explanations; counts nothing.

        `is_literal`: the text is a path, a branch or an error; nobody misspelt it. `has_rows`: the pool holds the best rows whole.
        """
        now, settings = self._store.clock.now(), self._settings()
        parsed = parse_query(text, now, self._rules)
        half_life = settings.decay_half_life_days
        pool = self._retriever.retrieve(
            connection,
            parsed,
            filters,
            now,
            limit=limit,
            half_life_days=half_life,
            is_literal=is_literal,
            has_rows=has_rows,
        )
        ranked, note = self.rank(parsed, pool, self._recipe_of(_PLAIN, settings))
        kept = {one.candidate.id: one for one in ranked[:limit]}
        return RankedHits(kept, pool, _span_of(parsed), now, not note)

    def rank(self, parsed: ParsedQuery, pool: CandidatePool, recipe: Recipe) -> tuple[list[RankedCandidate], str]:
        """The pool in order, or nothing with the reason why."""
        if not pool.query_terms and parsed.span is not None:
            return [
                RankedCandidate(one, 1.0, {"time": 1.0}, {"time": 1.0}) for one in pool.candidates
            ], "Nothing was recorded then."
        idf = {} if recipe.is_gated else {entry.stem: entry.idf for entry in pool.query_terms}
        ranked = rank_candidates(
            pool.candidates, pool.query_terms, recipe, span=_span_of(parsed), phrases=parsed.phrases, idf=idf
        )
        return move_newer_above(ranked, self._rules, pool.query_terms), find_abstention_reason(ranked, pool.query_terms)

    def _hits(
        self,
        connection: Connection,
        ranked: Sequence[RankedCandidate],
        pool: CandidatePool,
        filters: MemoryFilter,
        beside: "_HitExtras",
    ) -> tuple[RecallHit, ...]:
        now = self._store.clock.now()
        cards = load_cards(connection, [one.candidate.id for one in ranked if one.candidate.id > 0], now)
        if filters.believed_at is not None:
            cards = as_believed(connection, cards, filters.believed_at)
        by_id = {**{card.id: card for card in cards}, **beside.chunks}
        shown = [one for one in ranked if one.candidate.id in by_id]
        query_terms, texts, instant, hits = pool.query_terms, pool.texts, to_microseconds(now), []
        match_stems, total = list_match_stems(query_terms), sum_rarity(query_terms)
        marked = mark_texts([texts[one.candidate.id] if one.found else "" for one in shown], match_stems)
        for one, said in zip(shown, marked, strict=True):
            candidate = one.candidate
            memory_id = candidate.id
            card, text = by_id[memory_id], texts[memory_id]
            is_unsaid = one.found and not said.words
            marks = mark_title_or_terms(card.title, query_terms, match_stems, one.found) if is_unsaid else said
            fill_values(one, query_terms, span=beside.span, total=total)
            if memory_id in beside.alike:
                add_meaning(one, beside.alike[memory_id])
            if memory_id in beside.lifts:
                add_to_signals(one, beside.lifts[memory_id])
            signals = list_signals(one.parts, one.values)
            reason = explain_hit(
                marks, signals, candidate.recorded_at, instant, is_live=candidate.is_live, query_terms=query_terms
            )
            chunk_id = -memory_id if memory_id < 0 else None
            hits.append(_make_hit(card, text, min(1.0, one.score), signals, marks.words, marks.spans, reason, chunk_id))
        return tuple(hits)

    def _suggest(self, parsed: ParsedQuery, filters: MemoryFilter) -> str:
        """What was probably meant, if every word that it brings stands in what the filter lets through: else it would disclose the rest."""
        said = self._retriever.suggest(parsed)
        brought = set(split_words(said)) - set(split_words(parsed.text))
        known: set[str] = set()
        with self._store.read() as connection:
            for word in sorted(brought):
                now = self._store.clock.now()
                asked = parse_query(word, now, self._rules)
                pool = self._retriever.retrieve(
                    connection, asked, filters, now, limit=_SUGGESTED_READ, half_life_days=1, is_literal=True
                )
                held = load_documents(connection, [one.id for one in pool.candidates])
                known.update(*(make_document(row).words for row in held))
        return said if brought and brought <= known else ""

    def complete(self, prefix: str, limit: int) -> tuple[str, ...]:
        """Words as written in memories that are in use and begin with `prefix`, the most frequent first."""
        begun = prefix.strip().lower()
        if not begun or limit < 1:
            return ()
        with self._store.read() as connection:
            overlay, total = self._indexing.refresh(connection)
        indexed = [word for word, _ in self._indexing.index.words_with_prefix(begun, limit + _COMPLETED_MORE)]
        words = dict.fromkeys([*indexed, *overlay.words_with_prefix(begun)])
        said = (word for word in words if self._is_in_use(word, overlay, total))
        return tuple(islice(said, limit))

    def _is_in_use(self, word: str, overlay: Overlay, total: int) -> bool:
        term = Term(word, field=WORDS)
        return bool(
            self._indexing.find(overlay, [term], [(term, 1)], _IN_USE, 1 + total)
        )  # what waits is not taken from the index

    def find_alike(self, connection: Connection, text: str, project_id: int | None) -> tuple[int, ...]:
        """Memories that share rare words with a statement, most alike first: for whoever compares it with what is known."""
        del project_id
        parsed = parse_query(" ".join(text.split()[:_ALIKE_WORDS]), self._store.clock.now(), self._rules)
        pool = self._retriever.retrieve(
            connection, parsed, MemoryFilter(), self._store.clock.now(), limit=_ALIKE_MOST, half_life_days=30
        )
        ranked = rank_candidates(pool.candidates, pool.query_terms, self.recipes["gated"])
        return tuple(one.candidate.id for one in ranked[:_ALIKE_MOST])


def _span_of(parsed: ParsedQuery) -> TimeRange | None:
    if parsed.span is None:
        return None
    first, last = parsed.span.from_at, parsed.span.to_at
    return TimeRange(to_microseconds(first) if first else None, to_microseconds(last) if last else None)
