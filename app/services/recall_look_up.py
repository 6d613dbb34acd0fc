"""What recall found for one text, without cards: numbers and scores at once, why and in what words only for whom it is asked.

For callers that take many and show few, as a context does. Knows no store. Source: DESIGN section 5 "recall".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from app.recall.explain import explain_hit, list_signals, mark_words
from app.recall.rank import Ranked, Span, fill_values
from app.services.recall_pool import Pool
from app.store.types import from_microseconds
from app.values import Signal


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

    def name_words(self, memory_id: int) -> str:
        """In brief why it fits: what it was found by."""
        said = [self.pool.sought[at].word for at in self.ranked[memory_id].found]
        return f"says {', '.join(f'“{word}”' for word in said[:3])}" if said else "said beside one that fits"
