"""The candidates of one moment, and what it takes to say of each why it is in or out.

A value that the sources in `candidates/` fill and `assembly` reads. Source: S4 "Context Assembly Algorithm", issue 4 "why in, why out".
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from app.context.sources import ExtraLine, extra_candidate
from app.deciders.recall.context import chosen_placement
from app.language.token_counts import count_tokens
from app.retrieval.ranked_hits import RankedHits
from app.store.rows.context import AnyCandidateRow
from app.values import ContextCandidate, Prediction, Signal

NAMED_BY_FILE, _NEAR_FILE_NAME = "named by the file", "close to the file's name"
LIKE_AN_ERROR, _FITS_PROMPT = "like an error just seen", "fits the prompt"


class FoundBy(NamedTuple):
    """What found a memory. `why` it was looked for: "" for the prompt; `others`: the same of what found it besides."""

    why: str
    found: RankedHits
    others: tuple[str, ...] = ()


@dataclass(slots=True)
class CandidateSet:
    """The candidates of one moment."""

    candidates: dict[int, ContextCandidate] = field(default_factory=dict)
    rows: dict[int, AnyCandidateRow] = field(default_factory=dict)
    extras: dict[int, str] = field(default_factory=dict)  # lines that are no memories
    fitting: set[int] = field(default_factory=set)  # keys that fit the task, not merely the project
    relevant: set[int] = field(default_factory=set)  # hits that share much with the task
    # given only where they are of the module at hand, or where the past is asked for
    relevant_episodes: set[int] = field(default_factory=set)
    out: dict[int, tuple[str, str]] = field(default_factory=dict)  # left out before the allocation: title, reason
    withheld: set[int] = field(default_factory=set)
    reasons: dict[int, FoundBy] = field(default_factory=dict)
    topics: Mapping[str, int] = field(default_factory=dict)
    topic_of: Mapping[int, str] = field(default_factory=dict)
    prediction: Prediction | None = None
    lines_given: frozenset[str] = frozenset()  # in this session
    seq: int = 0  # the newest operation when the snapshot was opened, or one before it

    def add(self, row: AnyCandidateRow, candidate: ContextCandidate, *, is_fitting: bool) -> bool:
        """Whether it is the best so far that is known of this memory."""
        key = candidate.key
        known = self.candidates.get(key)
        is_better = known is None or candidate.score > known.score
        if is_better:
            self.candidates[key] = candidate
        self.rows[key] = row
        if is_fitting or candidate.is_pinned:
            self.fitting.add(key)
        return is_better

    def add_line(self, extra: ExtraLine, *, is_fitting: bool) -> None:
        self.candidates[extra.key] = extra_candidate(extra, count_tokens(extra.text))
        self.extras[extra.key] = extra.text
        if is_fitting:
            self.fitting.add(extra.key)

    def leave_out(self, key: int, reason: str) -> None:
        """This candidate is none, and the receipt says why."""
        self.out[key] = (self.title_of(key), reason)
        del self.candidates[key]
        self.fitting.discard(key)

    def title_of(self, key: int) -> str:
        """Of a memory its title, of anything else its line; "" for what is unknown."""
        row = self.rows.get(key)
        return row.title if row is not None else self.extras.get(key, "")

    @property
    def revisions(self) -> dict[int, int]:
        return {key: row.revision for key, row in self.rows.items()}

    def explain(self, key: int, *, is_short: bool = False) -> tuple[tuple[Signal, ...], str]:
        """Why this one is in; worked out only for what is given."""
        signals, reason = self._explain_found(key, is_short=is_short)
        placement = self.candidates[key].placement if key in self.candidates else None
        chosen = chosen_placement.describe_placement(placement) if placement is not None else ""
        return signals, f"{reason}; {chosen}, as you chose" if chosen else reason

    def _explain_found(self, key: int, *, is_short: bool) -> tuple[tuple[Signal, ...], str]:
        found = self.reasons.get(key)
        if found is None:
            return (), self.candidates[key].reason if key in self.candidates else "more is kept about these"
        why, hits, others = found
        if why == NAMED_BY_FILE and not hits.says_itself(key):
            why = _NEAR_FILE_NAME
        signals, reason = ((), hits.name_words(key)) if is_short else hits.explain(key)
        also = "".join(f"; also {other or _FITS_PROMPT}" for other in others)
        return signals, f"{why}: {reason}{also}" if why else f"{reason}{also}"

    def topics_besides(self, given: set[int]) -> Counter[str]:
        """How many memories of each topic are not given."""
        rest, topic_of, candidates = Counter(self.topics), self.topic_of, self.candidates
        new = candidates.keys() - topic_of.keys() - given
        rest.update([candidates[key].topic for key in new if key > 0])
        gone = given & topic_of.keys() & candidates.keys()
        rest.subtract([topic_of[key] for key in (*gone, *(self.withheld & topic_of.keys()))])
        return Counter({topic: count for topic, count in rest.items() if topic and count > 0})
