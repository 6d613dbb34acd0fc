"""The allocation: never above the budget, nothing twice, no two that contradict, close to the optimum of small cases."""

import itertools
import random

import pytest

from app.deciders.recall.context.allocation import (
    TIERS,
    Allocation,
    allocate,
    default_shares,
    fidelity,
    tier_budgets,
    worth_of,
)
from app.deciders.recall.context.chosen_placement import choose_level, choose_tier, place
from app.values import Activity, ContextCandidate, Level, Placement, Tier
from tests.table import table

LEVELS = (Level.INDEX, Level.COMPRESSED, Level.SUMMARY, Level.FULL)


def candidate(
    key: int,
    *,
    tier: Tier = Tier.RELEVANT,
    score: float = 0.5,
    full: int = 40,
    level: Level | None = None,
    kept_in: Tier | None = None,
    **more: object,
) -> ContextCandidate:
    """`level` and `kept_in` are what a person chose."""
    sizes = dict(zip(LEVELS, (2, max(3, full // 6), max(4, full // 2), full), strict=True))
    texts = {level: f"{level.value} of {key}" for level in LEVELS}
    made = ContextCandidate(key=key, tier=tier, score=score, texts=texts, tokens=sizes, **more)  # type: ignore[arg-type]
    return place(made, choose_tier(choose_level(Placement(key), level), kept_in)) if level or kept_in else made


def give(candidates: list[ContextCandidate], budget: int, activity: Activity = Activity.GENERAL) -> Allocation:
    return allocate(candidates, budget_tokens=budget, shares=default_shares(activity))


@pytest.mark.seed("S4", "tier.budget", "assemble.shares")
def test_the_shares_of_the_seed() -> None:
    assert list(tier_budgets(8_000, default_shares(Activity.GENERAL)).values()) == [2_000, 3_000, 2_000, 1_000]
    assert list(tier_budgets(8_000, default_shares(Activity.DEBUGGING)).values()) == [3_000, 2_500, 1_500, 1_000]


@table("activity", list(Activity))
@table("budget", [1, 500, 777, 8_000, 32_000])
def test_every_token_of_the_budget_belongs_to_a_tier(activity: Activity, budget: int) -> None:
    assert sum(tier_budgets(budget, default_shares(activity)).values()) == budget


@pytest.mark.seed("S4", "phase.a", "metric.tokens")
def test_never_above_the_budget_and_nothing_twice_whatever_comes() -> None:
    dice = random.Random(3)
    for _ in range(150):
        count = dice.randint(0, 60)
        some = [
            candidate(
                key,
                tier=dice.choice(TIERS),
                score=dice.random(),
                full=dice.randint(4, 300),
                is_pinned=dice.random() < 0.1,
                level=dice.choice([None, None, *Level]),
                kept_in=dice.choice([None, None, None, *TIERS]),
            )
            for key in range(count)
        ]
        budget = dice.choice([50, 500, 2_000, 8_000])
        answer = give(some, budget, dice.choice(list(Activity)))
        assert sum(pick.token_count for pick in answer.picks) <= budget
        assert len({pick.key for pick in answer.picks}) == len(answer.picks)
        assert {pick.key for pick in answer.picks} | {one.key for one in answer.dropped} == set(range(count))
        placed = {one.key: one.placement for one in some if one.placement is not None}
        for pick in answer.picks:
            chosen = placed.get(pick.key, Placement(pick.key))
            assert chosen.level in (None, pick.level)
            assert chosen.tier in (None, pick.tier)


def test_what_fits_whole_is_told_whole() -> None:
    answer = give([candidate(1), candidate(2, tier=Tier.CRITICAL)], 8_000)
    assert {(pick.key, pick.level) for pick in answer.picks} == {(1, Level.FULL), (2, Level.FULL)}


@pytest.mark.seed("S4", "tier3.conventions")
def test_when_room_is_short_levels_shrink_before_anything_is_left_out() -> None:
    answer = give([candidate(key, full=60) for key in range(20)], 600)
    assert len(answer.picks) == 20
    assert Level.COMPRESSED in {pick.level for pick in answer.picks}


def test_a_pinned_one_goes_before_a_better_one() -> None:
    answer = allocate(
        [candidate(1, score=0.9, full=40), candidate(2, score=0.1, full=40, is_pinned=True)],
        budget_tokens=9,
        shares={Tier.RELEVANT: 1.0},
    )
    assert [pick.key for pick in answer.picks] == [2]


def test_what_a_person_placed_comes_first_as_they_want_it() -> None:
    some = [candidate(key, score=0.9) for key in range(40)]
    low = candidate(50, score=0.05, full=200, level=Level.FULL)
    kept = candidate(51, score=0.05, tier=Tier.INDEX, kept_in=Tier.CRITICAL)
    answer = give([*some, low, kept], 1_000)
    placed = {pick.key: (pick.tier, pick.level) for pick in answer.picks if pick.key >= 50}
    assert placed == {50: (Tier.RELEVANT, Level.FULL), 51: (Tier.CRITICAL, Level.FULL)}


def test_what_a_person_wants_short_takes_nothing_from_the_pointers() -> None:
    pointers = [candidate(key, tier=Tier.INDEX, score=0.1) for key in range(100, 140)]
    unwanted = [candidate(key, score=0.12, full=60) for key in range(200, 260)]
    asked = candidate(50, score=0.6, level=Level.COMPRESSED)
    answer = give([*pointers, *unwanted, asked], 2_000)
    assert next(pick.level for pick in answer.picks if pick.key == 50) is Level.COMPRESSED
    assert sum(pick.tier is Tier.INDEX for pick in answer.picks) == 40


def test_what_does_not_fit_as_a_person_wants_it_is_told_nowhere_and_says_so() -> None:
    kept = candidate(1, full=400, level=Level.FULL, kept_in=Tier.CRITICAL)
    answer = give([kept, candidate(2)], 1_000)
    assert [pick.key for pick in answer.picks] == [2]
    assert [one.reason for one in answer.dropped] == ["152 tokens over in full, in the tier Critical, as you chose"]


def test_two_that_say_the_same_or_contradict_are_never_side_by_side() -> None:
    answer = give(
        [
            candidate(1, score=0.9, text_key="a"),
            candidate(2, score=0.8, text_key="a"),
            candidate(3, score=0.7, rivals=frozenset({1})),
        ],
        8_000,
    )
    assert [pick.key for pick in answer.picks] == [1]
    assert {one.key: one.reason for one in answer.dropped} == {
        2: "says the same as another",
        3: "contradicts another that is given",
    }


def test_unused_share_flows_to_the_next_tier() -> None:
    answer = give([candidate(key, full=300) for key in range(30)], 2_000)
    relevant = next(use for use in answer.tiers if use.tier is Tier.RELEVANT)
    assert [use.budget_tokens for use in answer.tiers] == [500, 750, 500, 250]
    assert relevant.room_tokens >= 500 + 750
    assert 0.8 * relevant.room_tokens < relevant.used_tokens <= relevant.room_tokens


def test_pointers_give_way_to_what_is_wanted() -> None:
    pointers = [candidate(key, tier=Tier.INDEX, score=0.1) for key in range(100, 140)]
    wanted = [candidate(key, score=0.6, full=60) for key in range(60)]
    few, many = give([*pointers, *wanted[:8]], 2_000), give([*pointers, *wanted], 1_000)
    assert sum(pick.tier is Tier.INDEX for pick in few.picks) == 40
    given = [pick for pick in many.picks if pick.key < 100]
    assert sum(pick.token_count for pick in given) > 0.93 * 1_000


def test_share_that_no_pointer_needs_flows_back_to_richer_levels() -> None:
    answer = give([candidate(key, full=60) for key in range(31)], 1_930)
    assert {pick.level for pick in answer.picks} == {Level.FULL}


def test_what_was_left_out_says_how_far_it_was_from_fitting() -> None:
    answer = allocate([candidate(1, full=600)], budget_tokens=60, shares={Tier.RELEVANT: 1.0})
    assert [(one.key, one.reason) for one in answer.dropped] == [(1, "42 tokens over")] or answer.picks


def said_of(candidate: ContextCandidate, level: Level) -> float:
    return fidelity(level, candidate.tokens[level], max(candidate.tokens.values()))


def value_of(answer: Allocation, some: list[ContextCandidate]) -> float:
    by_key = {one.key: one for one in some}
    return sum(worth_of(by_key[pick.key]) * said_of(by_key[pick.key], pick.level) for pick in answer.picks)


def optimum(some: list[ContextCandidate], room: int) -> float:
    """By trying everything: one tier, every level of every candidate."""
    best = 0.0
    for levels in itertools.product((None, Level.COMPRESSED, Level.SUMMARY, Level.FULL), repeat=len(some)):
        pairs = [(one, level) for one, level in zip(some, levels, strict=True) if level is not None]
        if sum(one.tokens[level] + 2 for one, level in pairs) <= room:
            best = max(best, sum(worth_of(one) * said_of(one, level) for one, level in pairs))
    return best


def test_the_greedy_choice_is_close_to_the_optimum_of_small_cases() -> None:
    dice = random.Random(7)
    ratios = []
    for _ in range(120):
        some = [candidate(key, score=dice.random(), full=dice.randint(8, 120)) for key in range(6)]
        room = dice.randint(40, 400)
        answer = allocate(some, budget_tokens=room, shares={Tier.RELEVANT: 1.0})
        ratios.append(value_of(answer, some) / optimum(some, room))
    print(f"value of the greedy choice / optimum: mean {sum(ratios) / len(ratios):.4f}, worst {min(ratios):.3f}")
    assert sum(ratios) / len(ratios) > 0.97
    assert min(ratios) > 0.80
