"""The candidates of one moment, with what it takes to say of each why it is in or out, and which of them a session has had.

A value that `gathering` fills and `assembling` reads; reads no store. Source: S4 "Context Assembly Algorithm", issue 4 "why in, why out".
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from app.context.session_deliveries import Deliveries
from app.deciders.memory.rules import load_memory_rules
from app.deciders.memory.sketch import Sketch, is_within, make_sketch
from app.deciders.recall.context import chosen_placement
from app.retrieval.ranked_hits import RankedHits
from app.store.rows.context import AnyCandidateRow
from app.values import ContextCandidate, Level, Prediction, Signal, Tier

NAMED_BY_FILE, _NEAR_FILE_NAME = "named by the file", "close to the file's name"
LIKE_AN_ERROR, _FITS_PROMPT = "like an error just seen", "fits the prompt"
SAID_BY_ANOTHER = "another memory here says it too"
_COMPARED_MOST = 60  # the best: what stands far behind seldom comes in
_SKETCHES_KEPT = 4_096


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
    relevant: set[int] = field(default_factory=set)  # hits that bear on the task
    relevant_episodes: set[int] = field(
        default_factory=set
    )  # episodes that fit it: told where they are of its module, or where the past is asked for
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
        """Why this one is in, worked out only for what is told."""
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
        """How much more there is of each topic than is told."""
        rest, topic_of, candidates = Counter(self.topics), self.topic_of, self.candidates
        new = candidates.keys() - topic_of.keys() - given
        rest.update([candidates[key].topic for key in new if key > 0])
        gone = given & topic_of.keys() & candidates.keys()
        rest.subtract([topic_of[key] for key in (*gone, *(self.withheld & topic_of.keys()))])
        return Counter({topic: count for topic, count in rest.items() if topic and count > 0})


def leave_out_duplicates(gathered: CandidateSet) -> None:
    """Of memories that say one thing in two wordings the one that says more, or is trusted more."""
    best = sorted((key for key in gathered.candidates if key > 0), key=lambda key: -gathered.candidates[key].score)
    sketches = {key: _sketch(gathered.rows[key].full) for key in best[:_COMPARED_MOST]}
    for key, sketch in sketches.items():
        one = gathered.candidates[key]
        if one.is_pinned or one.placement is not None:
            continue
        trust = gathered.rows[key].trust
        for other, said in sketches.items():
            is_there = other != key and other in gathered.candidates and gathered.rows[other].trust >= trust
            if is_there and is_within(sketch, said):
                gathered.leave_out(key, SAID_BY_ANOTHER)
                break


@lru_cache(maxsize=_SKETCHES_KEPT)
def _sketch(text: str) -> Sketch:
    return make_sketch(text, load_memory_rules())


def leave_out_delivered(gathered: CandidateSet, had: Deliveries) -> None:
    gathered.lines_given = had.lines
    for key in gathered.candidates.keys() & gathered.rows.keys() & (had.given.keys() | had.named.keys()):
        revision, one = gathered.rows[key].revision, gathered.candidates[key]
        if had.given.get(key) == revision:
            gathered.leave_out(key, "given in this session already")
        elif had.named.get(key) == revision:
            if one.tier is Tier.INDEX:
                gathered.leave_out(key, "named in this session already")
            else:  # its words may come, its line to ask by not again
                texts: dict[Level, str] = {level: text for level, text in one.texts.items() if level is not Level.INDEX}
                gathered.candidates[key] = one._replace(texts=texts)
    for key in [key for key in gathered.candidates if key < 0 and gathered.extras[key] in had.lines]:
        del gathered.candidates[key]
        gathered.fitting.discard(key)
