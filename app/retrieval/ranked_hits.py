"""The hits of one text, without cards: numbers and scores at once; why, and by which words, only when it is asked.

For callers that take many and show few, as a context does. Knows no store. Source: DESIGN section 5 "recall".
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime

from app.deciders.memory.levels.word_weights import measure_rarity
from app.deciders.recall.ranking.answer_choice import (
    UNSAID,
    UNSAID_BY_NAME,
    choose_answers,
    choose_named,
    choose_related,
    holding_asked_kind,
    make_word_weights,
)
from app.deciders.recall.ranking.explain import explain_hit, list_signals, mark_words
from app.deciders.recall.ranking.query import EXACT, SYNONYM, QueryTerm, list_asked_kinds
from app.deciders.recall.ranking.rank import RankedCandidate, TimeRange, fill_values
from app.deciders.recall.ranking.relevance_gate import RelevanceGate
from app.deciders.recall.rules import load_recall_rules
from app.language.search_words import mark_texts
from app.retrieval.candidate_pool import CandidatePool
from app.store.tables.types import to_microseconds
from app.values import Signal

_DISTINCT_RATIO = 0.1  # of what the words say in English is left in this project
_WORDS_NAMED = 3  # in brief


@dataclass(frozen=True, slots=True)
class RankedHits:
    """`ranked` by memory, best first. Not fitting: what came nearest and was judged not to be meant."""

    ranked: Mapping[int, RankedCandidate]
    pool: CandidatePool
    span: TimeRange | None
    now: datetime
    is_fitting: bool

    def score(self, memory_id: int) -> float:
        return min(1.0, self.ranked[memory_id].score)

    def explain(self, memory_id: int) -> tuple[tuple[Signal, ...], str]:
        """The parts of its score, the largest first, and why it fits, for people."""
        one = self.ranked[memory_id]
        marks = mark_words(self.pool.texts[memory_id], self.pool.query_terms)
        fill_values(one, self.pool.query_terms, span=self.span)
        signals = list_signals(one.parts, one.values)
        candidate, now = one.candidate, to_microseconds(self.now)
        return signals, explain_hit(marks, signals, candidate.recorded_at, now, is_live=candidate.is_live)

    def pass_gate(
        self, message: str, ignored_stems: AbstractSet[str] = frozenset(), stricter: float = 0.0
    ) -> tuple[set[int], set[int]]:
        """Of what was found by `message` those that may be given unasked, and those that it states itself.

        `ignored_stems`: stems that say nothing in this project; `stricter`: how much more must be shared.
        """
        gate = RelevanceGate(message, self.pool.query_terms, rarity_of, ignored_stems, stricter)
        fitting, stated = set[int](), set[int]()
        best = 0.0
        for key, one in self.ranked.items():
            if not one.found:
                continue
            is_about = gate.is_about(one, one.score / best if best else 1.0)
            if (is_about or not best) and gate.repeats(self.pool.texts[key], one.candidate.stems):
                stated.add(key)
                continue
            best = best or one.score
            if is_about:
                fitting.add(key)
        return fitting, stated

    def find_related(
        self,
        text: str,
        total: int,
        ignored_stems: AbstractSet[str],
        givable: AbstractSet[int],
        *,
        tells_past: bool = False,
    ) -> set[int] | None:
        """Those of `givable` that answer a short question, or bear on a task; None where what was found is talk, or all is about what is asked.

        `tells_past`: they say what was done before; `total`: memories of the project; `ignored_stems`: stems that say nothing in this project.
        """
        if self.ranked and all(one.candidate.label for one in self.ranked.values()):
            return None  # said in passing: an answer is spread over many
        weigh = make_word_weights(self.pool.candidates, self.pool.query_terms, total, rarity_of)
        stems = [entry.stem for entry in self.pool.query_terms if entry.stem not in ignored_stems]
        if sum(map(weigh, stems)) < _DISTINCT_RATIO * sum(map(rarity_of, stems)):
            return None  # nearly every memory says all of it: no word tells one from another
        gate = RelevanceGate(text, self.pool.query_terms, weigh, ignored_stems, unsaid=UNSAID)
        shares = {key: gate.measure(one) for key, one in self.ranked.items() if key in givable and one.found}
        if not gate.is_question:
            return choose_related(shares, tells_past=tells_past)
        stems_of = {key: self.ranked[key].candidate.stems for key in shares}
        keys = holding_asked_kind(stems_of, list_asked_kinds(text, load_recall_rules()))
        return choose_answers({key: shares[key] for key in keys})

    def find_named_by_file(self, name_stems: AbstractSet[str], total: int, givable: AbstractSet[int]) -> list[int]:
        """Those of the hits, the best first, that say all that a file is called, as far as any memory of the project says it.

        `name_stems`: of the file's name, without those that say nothing; `total`: memories of the project.
        """
        weigh = make_word_weights(self.pool.candidates, self.pool.query_terms, total, rarity_of)
        said = frozenset([stem for one in self.pool.candidates if one.id in givable for stem in one.stems])
        terms = self.pool.query_terms
        known = name_stems & said
        if not known:  # "db.py" is named by what says "database"
            terms = tuple([_as_exact(entry) if entry.stem in name_stems else entry for entry in terms])
            known = {
                entry.stem for entry in terms if entry.stem in name_stems and not said.isdisjoint(entry.stands_for)
            }
        ignored = {entry.stem for entry in terms if entry.stem not in known}
        gate = RelevanceGate("", terms, weigh, ignored, unsaid=UNSAID_BY_NAME)
        return choose_named(
            {key: gate.measure(one) for key, one in self.ranked.items() if key in givable and one.found}
        )

    def says_itself(self, memory_id: int) -> bool:
        """Whether it says one of the words that were looked for, not only words that mean the same."""
        one = self.ranked[memory_id]
        return any(_is_itself_in(self.pool.query_terms[at], one.candidate.stems) for at in one.found)

    def name_words(self, memory_id: int) -> str:
        """In brief why it fits: what it was found by."""
        one, texts, said = self.ranked[memory_id], self.pool.texts, dict[str, None]()
        stems = one.candidate.stems
        for at in one.found:
            term = self.pool.query_terms[at]
            if term.stem in stems or _is_itself_in(term, stems):
                said[term.word] = None
            else:  # searched for only where it is needed: this is asked of everything that is given
                said.update(dict.fromkeys(mark_texts([texts[memory_id]], term.stands_for.keys())[0].words))
            if len(said) >= _WORDS_NAMED:
                break
        if not said:
            return "said beside one that fits"
        return f"says {', '.join([f'“{word}”' for word in said][:_WORDS_NAMED])}"


def rarity_of(stem: str) -> float:
    """0..1, how rare a word is in English and in code: of those that are cut down to this stem the most usual one counts."""
    words = [stem, f"{stem}e", f"{stem[:-1]}y"] if stem.isalpha() else [stem]
    return min(map(measure_rarity, words))


def _as_exact(entry: QueryTerm) -> QueryTerm:
    """With its synonyms as good as itself."""
    return replace(entry, stands_for=dict.fromkeys(entry.stands_for, (1.0, EXACT)))


def _is_itself_in(term: QueryTerm, stems: Sequence[str]) -> bool:
    return any(one in stems for one, (_, signal) in term.stands_for.items() if signal != SYNONYM)
