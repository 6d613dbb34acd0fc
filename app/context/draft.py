"""A context whose bytes stand, before anybody asked why: its text at once, items with their reasons when they are wanted.

Who waits for an assistant's prompt reads the text alone; the reasons are worked out for the receipt, when nobody waits. Pure: the
same draft gives the same items. Source: QUALITY P2, S4 "why in / why out".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from app.context.candidate_set import CandidateSet
from app.deciders.recall.context.allocation import Dropped, Pick
from app.deciders.recall.context.render import Rendered
from app.language.token_counts import count_tokens
from app.values import Activity, Context, ContextCandidate, ContextItem, LeftOut, Level, Tier, TierUse

_LEFT_OUT_KEPT = 60
_EXPLAINED = 40  # the best are explained in full
ROOM_LEFT = "background knowledge, and there is room"
TOPICS_KEY = -3_000_000_000


@lru_cache(maxsize=4_096)
def line_tokens(line: str) -> int:
    return count_tokens(line + "\n")


class Footer(NamedTuple):
    """What a context says below its memories: a line of ours, an app's notes."""

    text: str
    title: str
    reason: str


def footer_tokens(footers: Footer) -> int:
    return sum(map(line_tokens, footers.text.split("\n")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    rendered: Rendered
    costs: Sequence[int]  # tokens of each rendered line
    token_count: int
    budget_tokens: int
    picks: Sequence[Pick]  # as the rendered lines stand
    candidates: Mapping[int, ContextCandidate]
    gathered: CandidateSet
    stale: frozenset[int]
    tiers: Sequence[TierUse]
    dropped: Sequence[Dropped]  # by the allocation
    cut: Sequence[Dropped]  # by the exact size
    activity: Activity
    warnings: tuple[str, ...]
    took_ms: float = 0.0
    footers: tuple[Footer, ...] = ()  # below the frame

    @property
    def memory_ids(self) -> frozenset[int]:
        return frozenset(pick.key for pick in self.picks if pick.key > 0)

    def as_text(self) -> Context:
        """Without items and without what was left out."""
        return Context(
            text="\n".join(filter(None, (self.rendered.text, *(one.text for one in self.footers)))),
            token_count=self.token_count + sum(footer_tokens(one) for one in self.footers),
            budget_tokens=self.budget_tokens,
            tiers=_tiers_after_cut(self.tiers, self.cut),
            items=(),
            left_out=(),
            activity=self.activity,
            warnings=self.warnings,
            prediction=self.gathered.prediction,
            took_ms=self.took_ms,
        )

    def explained(self) -> Context:
        """The whole of it."""
        best = sorted((self.candidates[pick.key].score for pick in self.picks), reverse=True)[:_EXPLAINED]
        least = best[-1] if best else 0.0
        items = tuple(
            self._item(pick, start, end, cost, is_short=self.candidates[pick.key].score < least)
            for pick, (start, end), cost in zip(self.picks, self.rendered.spans, self.costs, strict=True)
        )
        left_out = _left_out([*self.dropped, *self.cut], self.candidates, self.gathered)
        items = (*items, *self._footer_items())
        return replace(self.as_text(), items=items, left_out=left_out)

    def _footer_items(self) -> Iterator[ContextItem]:
        start = len(self.rendered.text) + bool(self.rendered.text)
        for one in self.footers:
            yield ContextItem(
                memory_id=None,
                tier=Tier.INDEX,
                level=Level.INDEX,
                text=one.text,
                token_count=footer_tokens(one),
                score=0.0,
                reason=one.reason,
                title=one.title,
                start=start,
                end=start + len(one.text),
            )
            start += len(one.text) + 1

    def _item(self, pick: Pick, start: int, end: int, cost: int, *, is_short: bool) -> ContextItem:
        candidate = self.candidates[pick.key]
        signals, reason = self.gathered.explain(pick.key, is_short=is_short)
        if candidate.tier is Tier.INDEX and pick.tier is Tier.BACKGROUND and pick.key > 0:
            reason = ROOM_LEFT
        shown = self.rendered.text[start:end]
        return ContextItem(
            memory_id=pick.key if pick.key > 0 else None,
            tier=pick.tier,
            level=pick.level,
            text=shown,
            token_count=cost,
            score=candidate.score,
            reason=reason,
            signals=signals,
            title=self.gathered.title_of(pick.key),
            is_pinned=candidate.is_pinned,
            is_stale=pick.key in self.stale,
            start=start,
            end=start + len(shown),
        )


def _tiers_after_cut(uses: Sequence[TierUse], cut: Sequence[Dropped]) -> tuple[TierUse, ...]:
    """The tiers without what the exact size cut off again; the line of topics was in none of them."""
    kept = []
    for use in uses:
        gone = [one.token_count for one in cut if one.tier is use.tier and one.key != TOPICS_KEY]
        kept.append(replace(use, used_tokens=use.used_tokens - sum(gone), item_count=use.item_count - len(gone)))
    return tuple(kept)


def _left_out(
    dropped: Sequence[Dropped], candidates: Mapping[int, ContextCandidate], gathered: CandidateSet
) -> tuple[LeftOut, ...]:
    kept = [LeftOut(key, title, Tier.RELEVANT, 0.0, 0, 0, reason) for key, (title, reason) in gathered.out.items()]
    by_score = sorted(dropped, key=lambda one: (-candidates[one.key].score, one.key))
    ranked = [
        LeftOut(
            one.key,
            gathered.title_of(one.key),
            one.tier,
            candidates[one.key].score,
            one.token_count,
            rank,
            one.reason,
        )
        for rank, one in enumerate((one for one in by_score if one.key > 0), start=1)
    ]
    return tuple([*kept, *ranked][:_LEFT_OUT_KEPT])
