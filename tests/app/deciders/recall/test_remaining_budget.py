"""What is left of a budget: best first, never above it, and nothing that a person placed or the moment did not leave open."""

from app.deciders.recall.context.allocation import Allocation, allocate, default_shares, spend_remaining_budget
from app.values import Activity, ContextCandidate, Level, Placement, Tier
from tests.table import table

HEADING, LINE = 3, 2


def candidate(
    key: int, *, tier: Tier = Tier.INDEX, score: float = 0.1, chosen: Level | None = None
) -> ContextCandidate:
    texts = {
        Level.FULL: f"full {key}",
        Level.SUMMARY: f"summary {key}",
        Level.COMPRESSED: "short",
        Level.INDEX: f"no {key}",
    }
    tokens = {Level.FULL: 40, Level.SUMMARY: 18, Level.COMPRESSED: 9, Level.INDEX: 5}
    placement = Placement(key, level=chosen) if chosen is not None else None
    return ContextCandidate(
        key=key, tier=tier, score=score, texts=texts, tokens=tokens, reason="", text_key=str(key), placement=placement
    )


def fill(candidates: list[ContextCandidate], budget: int, left: int | None = None) -> tuple[Allocation, Allocation]:
    headings = dict.fromkeys(Tier, HEADING)
    before = allocate(
        candidates,
        budget_tokens=budget,
        shares=default_shares(Activity.GENERAL),
        line_tokens=LINE,
        tier_tokens=headings,
        is_filled_up=True,
    )
    left = budget - sum(use.used_tokens for use in before.tiers) if left is None else left
    by_key = {one.key: one for one in candidates}
    return before, spend_remaining_budget(before, by_key, left_tokens=left, line_tokens=LINE, heading_tokens=HEADING)


def test_a_small_project_is_told_whole() -> None:
    before, after = fill([candidate(1), candidate(2), candidate(3, tier=Tier.BACKGROUND, score=0.25)], 1_000)
    assert {pick.key for pick in before.picks if pick.tier is Tier.INDEX} == {1, 2}
    assert {(pick.key, pick.tier, pick.level) for pick in after.picks} == {
        (key, Tier.BACKGROUND, Level.FULL) for key in (1, 2, 3)
    }


@table("budget", [60, 90, 130, 400])
def test_it_stays_within_the_budget_and_its_tiers_say_what_stands_in_them(budget: int) -> None:
    _, after = fill([candidate(key, score=0.1 + key / 1_000) for key in range(1, 9)], budget)
    assert sum(use.used_tokens for use in after.tiers) <= budget
    for use in after.tiers:
        mine = [pick.token_count for pick in after.picks if pick.tier is use.tier]
        assert use.item_count == len(mine)
        assert sum(mine) <= use.used_tokens <= sum(mine) + HEADING
        assert use.used_tokens <= use.room_tokens


def test_the_best_come_first_and_shorter_where_the_whole_does_not_fit() -> None:
    _, after = fill([candidate(1, score=0.1), candidate(2, score=0.2)], 1_000, left=HEADING + 35 + 13)
    levels = {pick.key: (pick.tier, pick.level) for pick in after.picks}
    assert levels == {2: (Tier.BACKGROUND, Level.FULL), 1: (Tier.BACKGROUND, Level.SUMMARY)}


def test_what_a_person_wants_short_stays_so() -> None:
    _, after = fill([candidate(1, chosen=Level.INDEX)], 1_000)
    assert [(pick.tier, pick.level) for pick in after.picks] == [(Tier.INDEX, Level.INDEX)]


def test_the_index_names_no_more_than_its_share_takes_and_the_rest_is_told() -> None:
    before, after = fill([candidate(key, score=0.1 + key / 1_000) for key in range(1, 40)], 400)
    named = sum(pick.token_count for pick in before.picks)
    assert 0 < named <= 400 * default_shares(Activity.GENERAL)[Tier.INDEX]
    given = {pick.key for pick in after.picks if pick.tier is Tier.BACKGROUND}
    assert given == set(range(40 - len(given), 40)), "the best of them"
    assert len(given) >= 7
