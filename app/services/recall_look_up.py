"""What recall found for one text, without cards: numbers and scores at once, why and in what words only for whom it is asked.

For callers that take many and show few, as a context does. Knows no store. Source: DESIGN section 5 "recall".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.recall.aboutness import is_about
from app.recall.explain import explain_hit, list_signals, mark_stems, mark_words
from app.recall.rank import Ranked, Span, fill_values
from app.recall.sought import SYNONYM, Sought
from app.services.recall_pool import Pool
from app.store.types import from_microseconds
from app.values import Signal

_WORDS_NAMED = 3  # in brief


@dataclass(frozen=True, slots=True)
class LookUp:
    """`ranked` by memory, best first. Not fitting: what came nearest and was judged not to be meant."""

    ranked: Mapping[int, Ranked]
    pool: Pool
    span: Span | None
    now: datetime
    is_fitting: bool

    def score(self, memory_id: int) -> float:
        return min(1.0, self.ranked[memory_id].score)

    def explain(self, memory_id: int) -> tuple[tuple[Signal, ...], str]:
        """The parts of its score, the largest first, and why it fits, for people."""
        one = self.ranked[memory_id]
        marks = mark_words(self.pool.texts[memory_id], self.pool.sought)
        fill_values(one, self.pool.sought, span=self.span)
        signals = list_signals(one.parts, one.values)
        recorded_at = from_microseconds(one.candidate.recorded_at)
        return signals, explain_hit(marks, signals, recorded_at, self.now, is_live=one.candidate.is_live)

    def is_about(self, memory_id: int) -> bool:
        """Whether it is near enough to what was looked for to be told unasked."""
        return is_about(self.ranked[memory_id], self.pool.sought)

    def says_itself(self, memory_id: int) -> bool:
        """Whether it says one of the words that were looked for, not only words that mean the same."""
        one = self.ranked[memory_id]
        return any(_is_itself_in(self.pool.sought[at], one.candidate.stems) for at in one.found)

    def name_words(self, memory_id: int) -> str:
        """In brief why it fits: what it was found by."""
        one, texts, said = self.ranked[memory_id], self.pool.texts, dict[str, None]()
        stems = one.candidate.stems
        for at in one.found:
            sought = self.pool.sought[at]
            if sought.stem in stems or _is_itself_in(sought, stems):
                said[sought.word] = None
            else:  # looked for only where it is needed: this is asked of everything that is told
                said.update(dict.fromkeys(mark_stems(texts[memory_id], sought.stands_for.keys()).words))
            if len(said) >= _WORDS_NAMED:
                break
        if not said:
            return "said beside one that fits"
        return f"says {', '.join([f'“{word}”' for word in said][:_WORDS_NAMED])}"


def _is_itself_in(sought: Sought, stems: Sequence[str]) -> bool:
    return any(one in stems for one, (_, signal) in sought.stands_for.items() if signal != SYNONYM)
