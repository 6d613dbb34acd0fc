"""What is left of a budget, given to what could only be asked for: a small project is given whole where somebody asks.

Runs after the allocation, for contexts that are not sent along with a prompt. Moves what the index names, or has no room for,
into the background, best first; takes nothing from anybody. Source: S4 "Tier 3: Background", QUALITY A11 "used when there is enough to say".
"""

from collections.abc import Mapping
from dataclasses import replace

from app.deciders.recall.context.allocation import Allocation, Pick
from app.values import ContextCandidate, Level, Tier, TierUse

_RICHEST_FIRST = (Level.FULL, Level.SUMMARY)


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
