"""Which memories stand at which level in which tier of a budget: the allocation behind every context.

Each candidate stands once at most, at one level, in its tier or a later one. Steps from level to level are taken in order of gain
per token over all candidates (the relaxation of the multiple-choice knapsack, within one step of the optimum); what a tier does not
use flows on. In a context that was asked for, what is left of the budget then goes to what could only be asked for (a small project is
given whole): it moves what the index names, or has no room for, into the background, best first, and takes nothing from anybody.
Knows no rendering and no store. Source: S4, "Tier 3: Background", DESIGN section 5 "assemble", QUALITY A11.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from app.deciders.recall.context.chosen_placement import describe_placement
from app.values import Activity, ContextCandidate, Level, Tier, TierUse

# What a level still says of its memory: 1 - (1 - its tokens / all tokens) ** 2.5. A summary of 44 % of the tokens keeps 91 % of the
# words of labelled answers (that would be 4.15), but who reads it cannot know that nothing is missing. Measured inside 500
# tokens, with 4.15, 2.5 and 1.5: the evidence stands there whole 0.47, 0.72, 0.74; words of the answers 0.758, 0.763, 0.746.
_FIDELITY_POWER = 2.5
_INDEX_FIDELITY = 0.2
_ALL = tuple(Level)
_LEVEL_COUNT = len(_ALL)
_counts_of = itemgetter(*_ALL)
_LEVELS_OF_TIER: Mapping[Tier, tuple[Level, ...]] = {
    Tier.CRITICAL: (Level.SUMMARY, Level.FULL),
    Tier.RELEVANT: (Level.COMPRESSED, Level.SUMMARY, Level.FULL),
    Tier.BACKGROUND: (Level.COMPRESSED, Level.SUMMARY, Level.FULL),
    Tier.INDEX: (Level.INDEX,),
}
_RICHEST_FIRST = (Level.FULL, Level.SUMMARY)


def levels_of(candidate: ContextCandidate, tier: Tier) -> tuple[Level, ...]:
    """The levels at which it may stand in a tier: those of the tier, or the one that a person chose."""
    level = candidate.placement.level if candidate.placement is not None else None
    if level is None:
        return _LEVELS_OF_TIER[tier]
    return (level,) if tier is not Tier.INDEX or level is Level.INDEX else ()


def fidelity(level: Level, token_count: int, whole: int) -> float:
    if level is Level.INDEX:
        return _INDEX_FIDELITY
    return 1.0 - (1.0 - min(1.0, token_count / whole)) ** _FIDELITY_POWER if whole else 1.0


class LevelStep(NamedTuple):
    """One step of a candidate's options: from what it has to this level, as if giving it whole were worth 1."""

    level: Level
    cost: int
    gain: float
    rate: float  # gain per token
    total: int  # cost from the ground


class LevelOptions(NamedTuple):
    """Levels worth climbing, cheapest first, with falling gain per token."""

    steps: tuple[LevelStep, ...]
    cost: int  # of the top
    is_rising: bool  # each step costs something
    richest: int  # tokens of the level that has most
    is_whole: bool  # its top says as much as there is


def make_level_options(candidate: ContextCandidate, tier: Tier, line_tokens: int) -> LevelOptions:
    """The options of a candidate in a tier; `line_tokens` is what a line costs beside its text."""
    texts, tokens = candidate.texts, candidate.tokens
    if candidate.placement is None and len(tokens) == len(texts) == _LEVEL_COUNT and all(texts.values()):
        return _full_level_options(tier, line_tokens, *_counts_of(tokens))  # nearly all: known by their lengths
    wanted = _LEVELS_OF_TIER[tier] if candidate.placement is None else levels_of(candidate, tier)
    levels = tuple([(level, tokens[level]) for level in wanted if texts.get(level)])
    return _hull(levels, max(tokens.values(), default=0), line_tokens)


@lru_cache(maxsize=16_384)
def _full_level_options(tier: Tier, line_tokens: int, *counts: int) -> LevelOptions:
    """Of one that has a text at every level; `counts` in their order."""
    tokens = dict(zip(_ALL, counts, strict=True))
    return _hull(tuple([(level, tokens[level]) for level in _LEVELS_OF_TIER[tier]]), max(counts), line_tokens)


def _hull(levels: tuple[tuple[Level, int], ...], whole: int, line_tokens: int) -> LevelOptions:
    """The upper hull of (tokens, value) over the levels; what the memory is worth stretches it and bends nothing."""
    points: list[tuple[int, float, Level]] = []
    for level, count in levels:
        cost = count + line_tokens
        if points and cost <= points[-1][0]:
            points.pop()  # the richer level costs no more
        points.append((cost, fidelity(level, count, whole), level))
    hull = [(0, 0.0, Level.INDEX)]
    for point in points:
        while len(hull) > 1 and _slope(hull[-2], hull[-1]) <= _slope(hull[-1], point):
            hull.pop()
        hull.append(point)
    steps = tuple(
        LevelStep(after[2], after[0] - before[0], after[1] - before[1], _slope(before, after), after[0])
        for before, after in pairwise(hull)
    )
    richest = max((count for _, count in levels), default=0)
    cost = hull[-1][0]
    return LevelOptions(steps, cost, all(step.cost > 0 for step in steps), richest, cost - line_tokens >= richest)


def _slope(a: tuple[int, float, Level], b: tuple[int, float, Level]) -> float:
    return (b[1] - a[1]) / max(1, b[0] - a[0])


TIERS = (Tier.CRITICAL, Tier.RELEVANT, Tier.BACKGROUND, Tier.INDEX)

# Shares of the budget [S4]; debugging as its second scenario: 3000/2500/1500/1000 of 8000.
SHARES: Mapping[Activity, tuple[float, float, float, float]] = {
    Activity.GENERAL: (0.25, 0.375, 0.25, 0.125),
    Activity.FEATURE: (0.25, 0.375, 0.25, 0.125),
    Activity.DEBUGGING: (0.375, 0.3125, 0.1875, 0.125),
    Activity.REVIEWING: (0.3125, 0.3125, 0.25, 0.125),
    Activity.TESTING: (0.3125, 0.375, 0.1875, 0.125),
}

# A hit of 0.6 of the best score is a twelfth as often what was needed (measured: 0.6 → 2.4 %, 0.8 → 8 %, the best 37 %).
_WORTH_POWER = 5.0
_LIKE = {tier: Tier.RELEVANT if tier is Tier.BACKGROUND else tier for tier in TIERS}  # which has the same levels
_SHORT = frozenset({Level.COMPRESSED, Level.INDEX})
_PIN_BOOST = 2.0  # a pinned one goes before every score
_StepKey = tuple[
    float, int, int, Level, int, int
]  # gain per token below zero, key, number of the step, level, tokens, tokens in all
_BASE_VALUE = 0.00002  # what scores nothing is still worth a line when there is room
_WANTED_SCORE = 0.15  # what scores so much goes before pointers to what does not
_INDEX_LEAST_RATIO = 0.02  # of the budget stays for naming topics, however much is wanted


class Pick(NamedTuple):
    key: int
    tier: Tier
    level: Level
    token_count: int  # with the line around it


_make_pick = partial(tuple.__new__, Pick)  # of all its values in their order: hundreds are made


@dataclass(frozen=True, slots=True)
class Dropped:
    key: int
    tier: Tier  # the last tier that had no room, or its own
    token_count: int
    reason: str
    is_for_room: bool = False


@dataclass(frozen=True, slots=True)
class Allocation:
    picks: tuple[Pick, ...]  # in order of tiers, best first within one
    dropped: tuple[Dropped, ...]  # best first
    tiers: tuple[TierUse, ...]


def tier_budgets(budget_tokens: int, shares: Mapping[Tier, float]) -> dict[Tier, int]:
    """Whole tokens per tier that add up to the budget; the rounding goes to the relevant tier.

    >>> tier_budgets(8000, default_shares(Activity.DEBUGGING))[Tier.CRITICAL]
    3000
    """
    total = sum(shares.get(tier, 0.0) for tier in TIERS) or 1.0
    budgets = {tier: int(budget_tokens * shares.get(tier, 0.0) / total) for tier in TIERS}
    budgets[Tier.RELEVANT] += budget_tokens - sum(budgets.values())
    return budgets


def default_shares(activity: Activity) -> dict[Tier, float]:
    """The shares of the tiers for an activity.

    >>> sum(default_shares(Activity.TESTING).values())
    1.0
    """
    return dict(zip(TIERS, SHARES[activity], strict=True))


def parse_shares(text: str) -> dict[Tier, float]:
    """The shares that a person set, in order of the tiers; empty where none were, or where all are nought.

    >>> parse_shares("25/40/25/10")[Tier.RELEVANT], parse_shares("")
    (40.0, {})
    """
    parts = [float(part) for part in text.split("/") if part]
    return dict(zip(TIERS, parts, strict=True)) if len(parts) == len(TIERS) and sum(parts) > 0 else {}


def allocate(
    candidates: Sequence[ContextCandidate],
    *,
    budget_tokens: int,
    shares: Mapping[Tier, float],
    line_tokens: int = 2,
    tier_tokens: Mapping[Tier, int] | None = None,
    is_filled_up: bool = False,
) -> Allocation:
    """The picks for a budget: never above it, no two that say the same, no two that contradict each other.

    `line_tokens` is what a line costs beside its text, `tier_tokens` the tiers' headings. Unused share flows to the next
    tier, and what found no room in its tier tries the next ones; `is_filled_up`: the index takes no more than its share, since
    `app.deciders.recall.context.allocation` spends what is left. What a person has placed comes first in its tier, at the level they chose, and
    leaves a tier they chose for no other. Same candidates, same answer. O(n log n).
    """
    kept, dropped = _without_repeats(candidates)
    budgets = tier_budgets(budget_tokens, shares)
    allocator = _AllocationPass(kept, line_tokens, tier_tokens or {}, is_index_bounded=is_filled_up)
    found = allocator.run(budgets)
    if not found.is_all_given:
        spare = {
            Tier.BACKGROUND: budgets[Tier.BACKGROUND] - allocator.background_used(found),
            Tier.INDEX: max(0, found.left - found.into_index),
        }
        if allocator.has_unmet(found):
            spare[Tier.INDEX] = budgets[Tier.INDEX] - int(budget_tokens * _INDEX_LEAST_RATIO)
        for tier, tokens in spare.items():
            given = min(max(0, tokens), budgets[tier])
            budgets[tier] -= given
            budgets[Tier.RELEVANT] += given
        found = allocator.run(budgets)
    dropped.extend(_no_room(found, line_tokens))
    return Allocation(found.picks, tuple(dropped), _inflow_apart(found.uses, tier_budgets(budget_tokens, shares)))


def _inflow_apart(uses: Iterable[TierUse], own: Mapping[Tier, int]) -> tuple[TierUse, ...]:
    """Each tier with its own share, and beside it what flowed in (or, below zero, what it gave to another from the start)."""
    return tuple(
        TierUse(use.tier, own[use.tier], use.used_tokens, use.item_count, use.budget_tokens - own[use.tier])
        for use in uses
    )


@dataclass(frozen=True, slots=True)
class _PassResult:
    picks: tuple[Pick, ...]
    uses: tuple[TierUse, ...]
    waiting: tuple[ContextCandidate, ...]
    over: Mapping[int, int]  # what a placed one lacked in the tier where it lacked least
    into_index: int  # what the tiers before had no use for
    left: int
    is_all_given: bool  # every candidate stands as rich as its tier allows


class _TierFill(NamedTuple):
    """What stands in one tier."""

    chosen: Mapping[int, Pick]
    used_tokens: int
    is_whole: bool  # each of them at its richest level, which says as much as there is


class _AllocationPass:
    """One pass over the tiers, which hand on what they do not use and whom they cannot take. Can be run for several budgets."""

    def __init__(
        self,
        candidates: Sequence[ContextCandidate],
        line_tokens: int,
        tier_tokens: Mapping[Tier, int],
        *,
        is_index_bounded: bool,
    ) -> None:
        """`candidates` by worth, the best first."""
        self._is_index_bounded = is_index_bounded
        self.line_tokens = line_tokens
        self._candidates = candidates
        self._tier_tokens = tier_tokens
        self._own: dict[Tier, list[ContextCandidate]] = {tier: [] for tier in TIERS}
        for one in candidates:
            self._own[one.tier].append(one)
        self.placed = frozenset([one.key for one in candidates if one.placement is not None])
        self._order: dict[int, int] = {}
        self._level_options: dict[Tier, dict[int, LevelOptions]] = {like: {} for like in _LIKE.values()}
        self._steps: dict[Tier, list[_StepKey]] = {}

    def run(self, budgets: Mapping[Tier, int]) -> _PassResult:
        picks: list[Pick] = []
        uses: list[TierUse] = []
        waiting: list[ContextCandidate] = []
        stuck: list[ContextCandidate] = []
        over: dict[int, int] = {}
        flowing = into_index = 0
        is_all_given = True
        for tier in TIERS:
            flows_by = flowing if tier is Tier.INDEX and self._is_index_bounded else 0
            into_index, room, heading = flowing, budgets[tier] + flowing - flows_by, self._tier_tokens.get(tier, 0)
            own = self._in_order(waiting, self._own[tier])
            free = max(0, room - heading)
            filled = _fill(own, tier, free, self)
            chosen = filled.chosen
            used = filled.used_tokens + (heading if chosen else 0)
            waiting = []
            if len(chosen) == len(own):
                picks += [chosen[one.key] for one in own]
            else:
                picks += [chosen[one.key] for one in own if one.key in chosen]
                waiting = out = [one for one in own if one.key not in chosen]
                if self.placed:
                    waiting = [one for one in out if not _is_kept_in_tier(one)]
                    stuck += [one for one in out if _is_kept_in_tier(one)]
                    self._note_over(over, out, tier, free - filled.used_tokens)
            is_all_given = is_all_given and filled.is_whole
            uses.append(TierUse(tier, room, used, len(chosen)))
            flowing = room - used + flows_by
        waiting += stuck
        return _PassResult(tuple(picks), tuple(uses), tuple(waiting), over, into_index, flowing, is_all_given)

    def background_used(self, found: _PassResult) -> int:
        """By what is background by its nature."""
        natural = {one.key for one in self._own[Tier.BACKGROUND]}
        picks = [pick for pick in found.picks if pick.tier is Tier.BACKGROUND and pick.key in natural]
        used = sum(pick.token_count for pick in picks)
        return used + (self._tier_tokens.get(Tier.BACKGROUND, 0) if used else 0)

    def _in_order(self, waiting: list[ContextCandidate], own: list[ContextCandidate]) -> list[ContextCandidate]:
        """Both lists in one, by worth."""
        if not waiting:
            return own
        if not self._order:
            self._order = {one.key: place for place, one in enumerate(self._candidates)}
        return sorted([*waiting, *own], key=lambda one: self._order[one.key])

    def has_unmet(self, found: _PassResult) -> bool:
        """Whether something that fits stands nowhere, or shorter than anybody wants it."""
        short = {pick.key for pick in found.picks if pick.level in _SHORT}
        if self.placed:  # what a person wants short is not in want
            chosen = (one for one in self._candidates if one.key in self.placed)
            short.difference_update(one.key for one in chosen if one.placement and one.placement.level is not None)
        short.update([one.key for one in found.waiting])
        return not short.isdisjoint([one.key for one in self._candidates if one.score >= _WANTED_SCORE])

    def _note_over(
        self, over: dict[int, int], candidates: Iterable[ContextCandidate], tier: Tier, left_tokens: int
    ) -> None:
        """How much the placed ones among these lacked here."""
        for one in candidates:
            if one.placement is None:
                continue
            costs = [one.tokens[level] + self.line_tokens for level in levels_of(one, tier) if one.texts.get(level)]
            if costs:
                over[one.key] = min(over.get(one.key, sys.maxsize), min(costs) - left_tokens)

    def level_options(self, candidates: Iterable[ContextCandidate], tier: Tier) -> dict[int, LevelOptions]:
        """Those of these candidates, and of others that were asked for before."""
        known, line_tokens = self._level_options[_LIKE[tier]], self.line_tokens
        for one in candidates:
            if one.key not in known:
                known[one.key] = make_level_options(one, tier, line_tokens)
        return known

    def all_whole(self, candidates: Sequence[ContextCandidate], tier: Tier, room: int) -> _TierFill | None:
        """All at their richest level, if there is room for that; None when they have to be weighed."""
        if self.placed:
            return None
        known = self.level_options(candidates, tier)
        level_options = [(one.key, known[one.key]) for one in candidates]
        used, is_whole = 0, True
        for _, options in level_options:
            if not options.is_rising:
                return None
            used += options.cost
            is_whole = is_whole and options.is_whole and bool(options.steps)
        if used > room:
            return None
        chosen = {
            key: _make_pick((key, tier, options.steps[-1].level, options.cost))
            for key, options in level_options
            if options.steps
        }
        return _TierFill(chosen, used, is_whole)

    def is_whole(self, candidates: Sequence[ContextCandidate], tier: Tier, chosen: Mapping[int, Pick]) -> bool:
        """Whether each of these stands, and as rich as the tier allows."""
        known = self._level_options[_LIKE[tier]]
        return len(chosen) == len(candidates) and all(
            [one.tokens[chosen[one.key].level] >= known[one.key].richest for one in candidates]  # noqa: C419
        )

    def steps(self, candidates: Sequence[ContextCandidate], tier: Tier) -> list[_StepKey]:
        """At least the steps of these, by gain per token; the steps of one candidate come in their order."""
        if tier is Tier.INDEX:  # who comes there is another one each time
            return self._sorted_steps(candidates, tier)
        like = _LIKE[tier]
        if like not in self._steps:  # asked for up to four times
            some = [one for each in TIERS[:-1] for one in self._own[each]] if like is Tier.RELEVANT else candidates
            self._steps[like] = self._sorted_steps(some, tier)
        return self._steps[like]

    def _sorted_steps(self, candidates: Sequence[ContextCandidate], tier: Tier) -> list[_StepKey]:
        known = self.level_options(candidates, tier)
        steps: list[_StepKey] = []
        for one in candidates:
            key, loss = one.key, -worth_of(one)
            for place, (level, cost, _, rate, total) in enumerate(known[key].steps):
                steps.append((rate * loss, key, place, level, cost, total))
        steps.sort()
        return steps


def _is_kept_in_tier(candidate: ContextCandidate) -> bool:
    return candidate.placement is not None and candidate.placement.tier is not None


def worth_of(candidate: ContextCandidate) -> float:
    """How much it is worth to give this whole: the chance that it is what is needed, up to a factor."""
    return float(candidate.score**_WORTH_POWER) + _BASE_VALUE + (_PIN_BOOST if candidate.is_pinned else 0.0)


def _without_repeats(candidates: Sequence[ContextCandidate]) -> tuple[list[ContextCandidate], list[Dropped]]:
    """The best of those that say the same, and of those that cannot both hold."""
    kept: list[ContextCandidate] = []
    dropped: list[Dropped] = []
    texts: set[str] = set()
    keys: set[int] = set()
    rivals: set[int] = set()
    by_worth = sorted([(not one.is_pinned, -one.score, one.key, at) for at, one in enumerate(candidates)])
    for _, _, key, at in by_worth:
        one = candidates[at]
        text_key, its_rivals = one.text_key, one.rivals
        if key in keys:
            continue
        if text_key and text_key in texts:
            reason = "says the same as another"
        elif key in rivals or (its_rivals and its_rivals & keys):
            reason = "contradicts another that is given"
        else:
            kept.append(one)
            keys.add(key)
            texts.add(text_key)
            rivals |= its_rivals
            continue
        dropped.append(Dropped(key, one.tier, min(one.tokens.values(), default=0), reason))
    return kept, dropped


def _fill(candidates: Sequence[ContextCandidate], tier: Tier, room: int, allocator: _AllocationPass) -> _TierFill:
    """Takes steps in order of gain per token until nothing more fits; what a person placed has its first step before."""
    whole = allocator.all_whole(candidates, tier, room)
    if whole is not None:
        return whole
    open_keys = {one.key for one in candidates}
    reached: dict[int, tuple[Level, int]] = {}
    for one in candidates if allocator.placed else ():
        first = allocator.level_options([one], tier)[one.key].steps[:1] if one.placement is not None else ()
        if first and 0 < first[0].cost <= room:
            reached[one.key] = (first[0].level, first[0].cost)
            room -= first[0].cost
    started = frozenset(reached)
    for _, key, place, level, cost, total in allocator.steps(candidates, tier):
        if key not in open_keys or (not place and key in started):
            continue
        if cost > room or cost <= 0:
            open_keys.remove(key)  # who cannot take this step takes none after it
            continue
        room -= cost
        reached[key] = (level, total)
    chosen = {key: _make_pick((key, tier, level, cost)) for key, (level, cost) in reached.items()}
    _use_the_rest(chosen, candidates, tier, room, allocator.line_tokens)
    used = sum([pick.token_count for pick in chosen.values()])
    return _TierFill(chosen, used, allocator.is_whole(candidates, tier, chosen))


def _use_the_rest(
    chosen: dict[int, Pick], candidates: Sequence[ContextCandidate], tier: Tier, room: int, line_tokens: int
) -> None:
    """Gives what is left, best candidate first, to any richer level that fits: the hull had skipped some."""
    for one in candidates:
        if room <= 0:
            return
        has, levels = chosen.get(one.key), levels_of(one, tier)
        if has is not None and has.level is levels[-1]:
            continue
        for level in reversed(levels):
            if not one.texts.get(level, ""):
                continue
            cost = one.tokens[level] + line_tokens
            extra = cost - (has.token_count if has else 0)
            if 0 < extra <= room:
                chosen[one.key] = Pick(one.key, tier, level, cost)
                room -= extra
                break
            if has is not None and has.level is level:
                break


def _no_room(found: _PassResult, line_tokens: int) -> list[Dropped]:
    dropped = []
    for one in found.waiting:
        level = one.placement.level if one.placement is not None else None
        levels = (level,) if level is not None else tuple(one.tokens)
        needed = min((one.tokens[each] for each in levels if one.texts.get(each)), default=0) + line_tokens
        over = found.over.get(one.key, needed - found.left)
        reason = f"{over} token{'s' if over > 1 else ''} over" if over > 0 else "has no short form for the index"
        if one.placement is not None and over > 0:
            reason += f" {describe_placement(one.placement)}, as you chose"
        dropped.append(Dropped(one.key, one.tier, needed, reason, is_for_room=True))
    return dropped


def spend_remaining_budget(
    allocation: Allocation,
    candidates: Mapping[int, ContextCandidate],
    *,
    left_tokens: int,
    line_tokens: int,
    heading_tokens: int,
) -> Allocation:
    """The allocation with as much more of the project as `left_tokens` take. `heading_tokens`: of the background, if it is empty."""
    named = {pick.key: pick for pick in allocation.picks if pick.tier is Tier.INDEX}
    open_keys = [*named, *(one.key for one in allocation.dropped if one.is_for_room)]
    wanted = (candidates[key] for key in open_keys if _is_of_the_index(candidates[key]))
    is_begun = any(use.item_count for use in allocation.tiers if use.tier is Tier.BACKGROUND)
    heading = 0 if is_begun else heading_tokens
    left = left_tokens - heading
    added: dict[int, Pick] = {}
    for one in sorted(wanted, key=_priority):
        freed = named[one.key].token_count if one.key in named else 0
        pick = _longest_that_fits(one, left + freed, line_tokens)
        if pick is not None and pick.token_count > freed:
            added[one.key] = pick
            left -= pick.token_count - freed
    return _with_added(allocation, added, named, heading) if added else allocation


def _is_of_the_index(candidate: ContextCandidate) -> bool:
    """Whether nothing of the moment asked for it, and no person has placed it."""
    return candidate.key > 0 and candidate.tier is Tier.INDEX and candidate.placement is None


def _priority(candidate: ContextCandidate) -> tuple[float, int, int]:
    return -candidate.score, -(candidate.recorded_at or 0), candidate.key


def _longest_that_fits(one: ContextCandidate, left: int, line_tokens: int) -> Pick | None:
    costs = ((level, one.tokens[level] + line_tokens) for level in _RICHEST_FIRST if one.texts.get(level))
    return next((Pick(one.key, Tier.BACKGROUND, level, cost) for level, cost in costs if cost <= left), None)


def _with_added(
    allocation: Allocation, added_picks: Mapping[int, Pick], named: Mapping[int, Pick], heading: int
) -> Allocation:
    """What the background gets is what was left, and what the index no longer needs."""
    added_tokens = sum(pick.token_count for pick in added_picks.values()) + heading
    moved = [named[key].token_count for key in added_picks if key in named]

    def used(use: TierUse) -> TierUse:
        tokens, count, flow = {
            Tier.BACKGROUND: (added_tokens, len(added_picks), added_tokens),
            Tier.INDEX: (-sum(moved), -len(moved), -sum(moved)),
        }.get(use.tier, (0, 0, 0))
        return replace(
            use,
            used_tokens=use.used_tokens + tokens,
            item_count=use.item_count + count,
            inflow_tokens=use.inflow_tokens + flow,
        )

    picks = [added_picks.get(pick.key, pick) for pick in allocation.picks]
    picks += [pick for key, pick in added_picks.items() if key not in named]
    dropped = tuple(one for one in allocation.dropped if one.key not in added_picks)
    return Allocation(tuple(picks), dropped, tuple(map(used, allocation.tiers)))
