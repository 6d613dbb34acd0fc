"""What the Context screen is made of, without a window: tiers as a picture, rows, the map of the text, differences."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QMimeData
from pytestqt.modeltest import ModelTester

from app.values import Activity, LeftOut, Level, Placement, Prediction, Tier
from tests.ui.made_contexts import NOW, context, item, receipt
from ui.screens.context.page import ReceiptModel
from ui.screens.context.reading import compare_contexts
from ui.screens.context.rows import MEMORY_MIME, ContextRows, RowKind, build_rows, dragged_memory
from ui.screens.context.text_view import map_text
from ui.screens.context.tiers import TIERS, frame_tokens, move_border, own_shares, view_tiers
from ui.wording.contexts import activity_line, delivery_words, given_line, notes_of, spoken_item, spoken_receipt

OVER = LeftOut(9, "The brand colour is plum", Tier.RELEVANT, 0.3, 46, 1, "46 tokens over")
TWICE = LeftOut(8, "Dialogs by keyboard", Tier.RELEVANT, 0.0, 0, 0, "given in this session already")


def test_own_shares_are_without_what_flowed_in() -> None:
    made = context([item(1, "a", token_count=100), item(2, "b", Tier.RELEVANT, token_count=50)])
    assert [use.room_tokens for use in made.tiers] == [250, 525, 725, 850]
    assert list(own_shares(made).values()) == [250, 375, 250, 125]


def test_a_full_tier_borrows_from_the_nearest_before_it_and_the_sum_stays() -> None:
    """With the 30 tokens of the headings the tiers have the whole budget."""
    items = [item(1, "a", token_count=100), *(item(n, f"b{n}", Tier.BACKGROUND, token_count=100) for n in range(2, 9))]
    views = {view.tier: view for view in view_tiers(context(items))}
    assert views[Tier.BACKGROUND].used_tokens == views[Tier.BACKGROUND].room_tokens == 700
    assert views[Tier.BACKGROUND].borrowed_tokens == 450
    assert views[Tier.RELEVANT].room_tokens == 0
    assert views[Tier.CRITICAL].room_tokens == 145
    assert sum(view.room_tokens for view in views.values()) == 1_000 - 30


def test_blocks_stand_in_the_order_told() -> None:
    made = context([item(5, "first"), item(3, "second"), item(7, "third", Tier.INDEX)])
    views = view_tiers(made)
    assert [block.memory_id for block in views[0].blocks] == [5, 3]
    assert [block.number for block in views[3].blocks] == [2]
    assert frame_tokens(made) == 30


@pytest.mark.parametrize(("border", "steps"), [(0, 1), (0, -3), (1, 5), (2, -2), (0, 99), (2, -99)])
def test_a_border_never_takes_more_than_there_is(border: int, steps: int) -> None:
    moved = move_border(
        {Tier.CRITICAL: 488, Tier.RELEVANT: 735, Tier.BACKGROUND: 488, Tier.INDEX: 244}, border, steps, 2_000
    )
    assert sum(moved.values()) == pytest.approx(2_000)
    assert min(moved.values()) >= 0
    others = [tier for n, tier in enumerate(TIERS) if n not in (border, border + 1)]
    still = move_border(
        {Tier.CRITICAL: 488, Tier.RELEVANT: 735, Tier.BACKGROUND: 488, Tier.INDEX: 244}, border, 0, 2_000
    )
    assert [moved[tier] for tier in others] == [still[tier] for tier in others]


def test_rows_are_headings_items_the_line_and_what_is_out() -> None:
    made = context([item(1, "Use PostgreSQL"), item(2, "Port 8443", Tier.RELEVANT)], [TWICE, OVER])
    rows = build_rows(made, {1: "cited"})
    assert [row.kind for row in rows] == [
        RowKind.HEADING, RowKind.ITEM, RowKind.HEADING, RowKind.ITEM, RowKind.LINE, RowKind.OUT, RowKind.OUT,
    ]  # fmt: skip
    assert [row.text for row in rows[4:]] == ["budget ends here", "The brand colour is plum", "Dialogs by keyboard"]
    assert rows[1].usage == "cited"
    assert rows[5].spoken == "The brand colour is plum, not given: 46 tokens over, rank 1 of what was left out"


def test_rows_of_one_tier_and_rows_that_say_a_word() -> None:
    made = context([item(1, "Use PostgreSQL"), item(2, "Port 8443", Tier.RELEVANT)], [OVER])
    assert [row.text for row in build_rows(made, {}, tier=Tier.CRITICAL)][1:] == ["Use PostgreSQL"]
    assert [row.text for row in build_rows(made, {}, needle="PLUM")] == ["budget ends here", "The brand colour is plum"]
    assert [row.text for row in build_rows(context([], [TWICE]), {})] == ["not given", "Dialogs by keyboard"]
    assert build_rows(made, {}, needle="giraffe") == ()


def test_a_line_says_its_level_what_is_left_out_the_chosen_one_and_a_topic_none() -> None:
    out = (LeftOut(3, "Redis", Tier.RELEVANT, 0.2, 9, 1, "9 tokens over in full, as you chose"),)
    topic = item(4, "Ask about: ports (3)", Tier.INDEX, memory_id=None)
    given = context([item(1, "DB: PostgreSQL"), item(2, "Debian"), topic], out)
    chosen = {1: Placement(1, Level.FULL), 2: Placement(2, tier=Tier.CRITICAL), 3: Placement(3, Level.FULL)}
    rows = [row for row in build_rows(given, {}, chosen) if row.kind in {RowKind.ITEM, RowKind.OUT}]
    assert [(row.level_words, row.is_level_chosen) for row in rows] == [
        ("Full", True),
        ("Full", False),
        ("", False),
        ("Full", True),
    ]
    assert [row.text for row in build_rows(given, {}, chosen) if row.kind is RowKind.LINE] == ["budget ends here"]


def test_only_memories_are_carried_and_nothing_foreign_is_taken_for_one() -> None:
    topic = item(4, "Ask about: ports (3)", Tier.INDEX, memory_id=None)
    model = ContextRows()
    model.set_rows(build_rows(context([item(7, "DB: PostgreSQL"), topic]), {}))
    carried = [dragged_memory(model.mimeData([model.index(n)])) for n in range(model.rowCount())]
    assert carried == [0, 7, 0, 0], "heading, memory, heading, topic"
    foreign = QMimeData()
    foreign.setData(MEMORY_MIME, b"seven")
    assert dragged_memory(foreign) == 0


def test_the_model_keeps_qts_rules_and_headings_cannot_be_chosen(qtmodeltester: ModelTester) -> None:
    model = ContextRows()
    model.set_rows(build_rows(context([item(1, "a"), item(2, "b", Tier.INDEX)], [OVER]), {}))
    qtmodeltester.check(model)
    selectable = [bool(model.flags(model.index(n)).value & 1) for n in range(model.rowCount())]
    assert selectable == [False, True, False, True, False, True]
    assert model.row_of(("memory", 2)) == 3
    assert model.row_of_item(1) == 3
    assert model.row_of(("memory", 77)) is None


def test_receipts_keep_qts_rules(qtmodeltester: ModelTester) -> None:
    model = ReceiptModel()
    model.set_receipts([receipt(2), receipt(1)], NOW)
    qtmodeltester.check(model)
    assert model.row_of(1) == 1
    assert model.receipt_at(5) is None


def test_the_map_of_a_text_leads_both_ways_also_past_long_lines_and_odd_characters() -> None:
    long = "x" * 2_500
    made = context([item(1, long), item(2, "café 🙂 naïve\u2066"), item(3, "last", Tier.INDEX)])
    mapped = map_text(made.text, made.items)
    shown = mapped.text.split("\n")
    assert mapped.blocks[0] == (2, 4)
    assert shown[mapped.blocks[1][0]] == "- [2] café 🙂 naïve"
    assert [mapped.item_of(n) for n in range(len(shown))] == [-1, -1, 0, 0, 0, 1, -1, 2, -1]
    assert mapped.item_of(99) == -1
    assert map_text("", ()).text == ""


def test_a_difference_tells_what_came_went_and_moved() -> None:
    older = context([item(1, "a"), item(2, "b", Tier.RELEVANT), item(3, "long form of c", Tier.INDEX)])
    newer = context([item(1, "a"), item(2, "b"), item(3, "c", Tier.INDEX), item(4, "d", Tier.INDEX)])
    text, came, went, moved = compare_contexts(older, newer)
    assert text.splitlines() == ["- [3] long form of c", "+ [3] c", "+ [4] d", "  [2] b (Critical, was Relevant)"]
    assert (came, went, moved) == (2, 1, 1)
    assert compare_contexts(older, older)[0] == ""


def test_lines_of_receipts_say_how_much_to_whom_where_and_when() -> None:
    one = receipt(1, cited_count=3)
    assert given_line(one, NOW) == "1,980 of 8,000 tokens · Claude Code · hearth · given 12 min ago"
    assert spoken_receipt(one, NOW).endswith("with a prompt, 2 items · 3 used, Fix the login")
    assert delivery_words("hook:something-new") == "asked over the API"


def test_an_item_is_spoken_with_its_reason_and_state() -> None:
    one = item(1, "Use PostgreSQL", is_pinned=True, is_stale=True)
    said = spoken_item(one, "Use PostgreSQL.", "ignored")
    assert said == (
        "Use PostgreSQL, Critical, 20 tokens · full · fits 60 %, given because says “Use”, pinned, may be outdated, not used"
    )


def test_nothing_is_said_of_an_activity_that_nothing_points_to() -> None:
    assert activity_line(context([item(1, "a")])) == ""


def test_warnings_and_what_is_expected_are_said_and_the_activity_is_said_once() -> None:
    made = replace(
        context([item(1, "a")]),
        activity=Activity.DEBUGGING,
        warnings=("debugging: says “why”", "one memory may be outdated"),
        prediction=Prediction((1,), 0.7, ("auth.ts and session.ts change together",)),
    )
    assert activity_line(made) == "you seem to look for an error"
    assert notes_of(made) == (
        "one memory may be outdated",
        "expected next: auth.ts and session.ts change together (70 %)",
    )
