"""The windowed model: rows without pages are asked for, few pages are kept, cursor and marks live by id."""

from dataclasses import replace

from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.values import FacetValue, MemoryCard, MemoryStatus
from tests.ui.made_memories import NOW, memory_card, recall_hit
from ui.screens.memories.filter import FilterState, merged
from ui.screens.memories.listing.model import KEPT_PAGES, PAGE_ROWS, GroupRow, ListedMemory, MemoryModel, RowPlan
from ui.screens.memories.listing.model import ROW_ROLE as ROLE
from ui.screens.memories.listing.text import snippet
from ui.screens.memories.listing.view import MemoryView


def page(number: int) -> list[MemoryCard]:
    first = number * PAGE_ROWS
    return [memory_card(n + 1) for n in range(first, first + PAGE_ROWS)]


def filled(total: int = 1_000_000) -> MemoryModel:
    model = MemoryModel()
    model.set_list(total, {0: page(0)}, NOW, is_other=True)
    return model


def test_a_million_rows_are_a_valid_model(qtmodeltester: ModelTester) -> None:
    model = MemoryModel()
    model.set_list(PAGE_ROWS * 2, {0: page(0), 1: page(1)}, NOW, is_other=True)
    qtmodeltester.check(model)
    assert filled().rowCount() == 1_000_000


def test_all_pages_that_one_paint_missed_are_one_question(qtbot: QtBot) -> None:
    model = filled()
    asked: list[tuple[int, ...]] = []
    model.pages_wanted.connect(asked.append)
    for n in (500_000, 500_001, 500_200, 5):
        model.index(n).data(ROLE)
    qtbot.waitUntil(lambda: bool(asked))
    assert asked == [(500_000 // PAGE_ROWS, 500_200 // PAGE_ROWS)]
    model.index(500_002).data(ROLE)
    qtbot.wait(20)
    assert len(asked) == 1, "what is on its way is not asked for again"
    model.add_pages({number: page(number) for number in asked[0]})
    row = model.index(500_000).data(ROLE)
    assert isinstance(row, ListedMemory)
    assert row.card.id == 500_001


def test_only_the_last_pages_are_kept() -> None:
    model = filled()
    for number in range(1, KEPT_PAGES + 3):
        model.add_pages({number: page(number)})
    assert model.card_at(0) is None
    assert model.card_at((KEPT_PAGES + 2) * PAGE_ROWS) is not None


def test_marks_outlive_a_new_reading_and_end_with_another_list() -> None:
    model = filled()
    model.mark_rows((0, 2))
    model.toggle_mark(0)
    assert model.marked_ids == (3,)
    model.set_list(1_000_001, {0: [memory_card(2_000_000), *page(0)[:-1]]}, NOW, is_other=False)
    assert model.marked_ids == (3,)
    assert model.row_of(3) == 3
    model.set_list(10, {0: page(0)[:10]}, NOW, is_other=True)
    assert model.marked_ids == ()


def test_accepting_several_takes_those_that_wait() -> None:
    model = MemoryModel()
    cards = [memory_card(1), memory_card(2, status=MemoryStatus.PROPOSED), memory_card(3)]
    model.set_list(3, {0: cards}, NOW, is_other=True)
    model.mark_rows((0, 1))
    model.set_marks((*model.marked_ids, 900))  # not here: it may wait
    assert model.marked_waiting_ids() == (2, 900)


def test_a_hit_says_why_to_a_screen_reader() -> None:
    model = MemoryModel()
    model.set_hits([recall_hit(7, "Use pnpm everywhere", "pnpm")], NOW, is_other=True)
    said = model.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert isinstance(said, str)
    assert said.endswith('found because says "pnpm"')
    assert "decision" in said
    assert "86 % sure" in said


def test_new_ones_above_do_not_move_what_is_read(qtbot: QtBot) -> None:
    model = filled(5_000)
    view = MemoryView(model)
    qtbot.addWidget(view)
    view.resize(400, 600)
    view.show()
    view.choose_row(40)
    view.verticalScrollBar().setValue(30 * view.rowHeight(0) + 7)
    top = model.card_at(view.rowAt(0))
    assert top is not None
    before = view.rowViewportPosition(view.rowAt(0))
    model.set_list(5_002, {0: [memory_card(9_001), memory_card(9_002), *page(0)[:-2]]}, NOW, is_other=False)
    moved = model.row_of(top.id)
    assert moved is not None
    assert view.rowViewportPosition(moved) == before
    assert view.current_id == 41
    assert view.currentIndex().row() == 42
    view.hide()


def test_when_the_current_one_goes_the_next_slides_in(qtbot: QtBot) -> None:
    model = filled(3)
    model.set_list(3, {0: page(0)[:3]}, NOW, is_other=True)
    view = MemoryView(model)
    qtbot.addWidget(view)
    view.choose_row(1)
    chosen: list[int] = []
    view.memory_chosen.connect(chosen.append)
    model.set_list(2, {0: [memory_card(1), memory_card(3)]}, NOW, is_other=False)
    assert chosen == [3]
    model.set_list(0, {}, NOW, is_other=False)
    assert chosen == [3, 0]


def test_typed_and_clicked_filters_add_up_within_a_facet_and_else_the_typed_one_wins() -> None:
    state = FilterState().toggled("type", "fact").toggled("tag", "auth").toggled("trust", "3")
    clicked = state.to_filter(NOW, project="shop")
    typed = FilterState().toggled("type", "goal").toggled("tag", "login").toggled("trust", "2").to_filter(NOW)
    both = merged(state, clicked, replace(typed, projects=("till",)))
    assert both.types == (*clicked.types, *typed.types)
    assert both.tags == ("auth", "login")
    assert both.min_trust == 2
    assert both.projects == ("till",)  # the scope beside the title was no choice among the filters


def test_a_long_text_is_shown_where_the_word_is() -> None:
    text = "word " * 40 + "then kubernetes follows"
    at = text.index("kubernetes")
    shown, spans = snippet(text, [(at, at + 10)])
    assert shown.startswith("… ")
    assert shown[spans[0][0] : spans[0][1]] == "kubernetes"


def test_rows_of_a_million_cards_in_groups_are_found_without_walking_them() -> None:
    groups = tuple(FacetValue(str(n), f"Group {n}", 10_000) for n in range(100))
    plan = RowPlan(1_000_000, groups, frozenset({"1"}))
    assert plan.row_count == 990_000 + 100
    assert plan.heading_at(0) == GroupRow("0", "Group 0", 10_000)
    assert plan.heading_at(10_001) == GroupRow("1", "Group 1", 10_000, is_folded=True)
    assert plan.row_of(15_000) is None
    for card in (0, 9_999, 20_000, 999_999):
        row = plan.row_of(card)
        assert row is not None
        assert plan.card_of(row) == card
    assert plan.cards_between(0, 10_001) == (0, 9_999)
    assert plan.card_of(plan.row_count) is None


def test_a_grouped_list_asks_for_the_pages_of_its_cards(qtbot: QtBot) -> None:
    model = MemoryModel()
    asked: list[tuple[int, ...]] = []
    model.pages_wanted.connect(asked.append)
    groups = (FacetValue("a", "A", 200), FacetValue("b", "B", 100))
    model.set_list(300, {0: [memory_card(n) for n in range(1, 129)]}, NOW, is_other=True, groups=groups)
    assert model.rowCount() == 302
    assert model.data(model.index(1), Qt.ItemDataRole.DisplayRole) == "Memory 1"
    assert model.row_of(128) == 128
    model.data(model.index(201), ROLE)  # the heading of B
    model.data(model.index(202), ROLE)
    qtbot.waitUntil(lambda: asked == [(1,)])
    model.add_pages({1: [memory_card(n) for n in range(129, 257)]})
    card = model.card_at(202)
    assert card is not None
    assert card.id == 201
    model.toggle_fold(50)
    assert model.rowCount() == 102
    assert model.row_of(128) is None
