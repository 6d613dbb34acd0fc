"""Table, columns, groups and saved searches on the real window: by keys and mouse, kept, undone, at their limits."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.api import Engine, FactType, MemoryDraft, MemoryGroup, SavedSearch
from tests.ui.pages.memories import MemoriesPage
from tests.ui.pages.shell import Shell
from ui.navigation import Place, parse_link
from ui.screens.memories.listing.look import MemoryLook, parse_look
from ui.screens.memories.listing.table import places_of
from ui.shell.main_window import MainWindow
from ui.shell.window_state import WindowState, load_window_state, save_window_state

Wait = Callable[[Callable[[], object]], None]
SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def page(engine: Engine, window: MainWindow, qtbot: QtBot, wait: Wait) -> MemoriesPage:
    for text, kind, project in (
        ("Ports are odd.", FactType.FACT, "/w/shop"),
        ("We chose Redis.", FactType.DECISION, "/w/till"),
        ("We chose Go.", FactType.DECISION, "/w/shop"),
        ("We chose Kafka.", FactType.DECISION, ""),
    ):
        engine.memories.create(MemoryDraft(text, type=kind, title=text.rstrip("."), project_path=project))
    made = MemoriesPage(window, qtbot)
    wait(lambda: len(made.titles) == 4)
    made.settle()
    window.notices.clear()
    return made


def group(page: MemoriesPage, by: MemoryGroup | None) -> None:
    page.panel.list.group_chosen.emit(by)
    page.settle()


def rows(page: MemoriesPage) -> list[str]:
    """What stands in each row: headings with their counts, else titles."""
    model, said = page.panel.model, []
    for n in range(model.rowCount()):
        heading = model.plan.heading_at(n)
        card = model.card_at(n)
        said.append(f"[{heading.title} {heading.count}]" if heading else card.title if card else "…")
    return said


def test_the_table_has_lines_heads_and_sorts_by_them(page: MemoriesPage) -> None:
    view = page.panel.list.view
    cards_px = view.rowHeight(0)
    page.choose("We chose Go")
    page.take_focus()
    page.key(Qt.Key.Key_T, CTRL | SHIFT)
    assert view.rowHeight(0) < cards_px / 2
    assert page.current == "We chose Go"
    page.panel.room.set_inspector(is_shown=False)
    page.settle()
    page.press("memories.column.confidence")
    page.settle()
    assert page.panel.asking.query.sort.value == "confidence"
    shell = Shell(page.window, page._qtbot)
    assert shell.button("memories.column.confidence").accessibleName() == "Sort by sure, sorted so now"
    page.take_focus()
    page.key(Qt.Key.Key_T, CTRL | SHIFT)
    assert view.rowHeight(0) == cards_px
    assert not shell.has("memories.column.confidence")


def test_columns_are_chosen_in_the_menu_and_never_take_the_titles_room(page: MemoriesPage) -> None:
    menu = page.panel.list.look_menu
    page.panel.list.open_look()
    columns = next(action.menu() for action in menu.actions() if action.menu() is not None)
    tokens = next(action for action in columns.actions() if action.text() == "Tokens")
    assert not tokens.isChecked()
    tokens.trigger()
    menu.close()
    look = page.window.selection.memory_look
    assert look.is_table
    assert "tokens" in look.columns
    for width in (200, 400, 900):
        places = places_of(look.columns, width)
        assert places[0].column is None
        assert places[0].width >= min(200, width - 60)
    assert len(places_of(look.columns, 1_200)) == 1 + len(look.columns)


def test_columns_are_made_wider_by_mouse_and_keys_and_stay_so(page: MemoriesPage, qtbot: QtBot) -> None:
    page.take_focus()
    page.key(Qt.Key.Key_T, CTRL | SHIFT)
    page.panel.room.set_inspector(is_shown=False)
    page.settle()
    shell = Shell(page.window, page._qtbot)
    head, picture = shell.find("memories.column.confidence"), page.panel.list.view.grab().toImage()
    was_px = head.width()
    grip = shell.find("memories.grip.confidence")
    qtbot.mousePress(grip, Qt.MouseButton.LeftButton, pos=QPoint(6, 8))
    qtbot.mouseMove(grip, QPoint(-34, 8))
    qtbot.mouseRelease(grip, Qt.MouseButton.LeftButton, pos=QPoint(-34, 8))
    assert head.width() == was_px + 40
    assert page.panel.list.view.grab().toImage() != picture
    head.setFocus()
    page.key(Qt.Key.Key_Right, CTRL)
    assert head.width() < was_px + 40
    look = page.window.selection.memory_look
    again = parse_look(is_table=True, columns=look.written_columns(), group="")
    assert again.widths_em == look.widths_em != ()
    for _ in range(99):  # no further than there is room
        page.key(Qt.Key.Key_Left, CTRL)
    assert all(shell.has(f"memories.grip.{name}") for name in look.columns)
    qtbot.mouseDClick(grip, Qt.MouseButton.LeftButton)
    assert head.width() == was_px


def test_groups_have_headings_that_fold_by_keys_and_mouse(page: MemoriesPage, qtbot: QtBot) -> None:
    group(page, MemoryGroup.TYPE)
    assert rows(page) == [
        "[Decision 3]",
        "We chose Kafka",
        "We chose Go",
        "We chose Redis",
        "[Fact 1]",
        "Ports are odd",
    ]
    view = page.panel.list.view
    assert view.rowHeight(0) < view.rowHeight(1)
    page.choose("We chose Redis")
    page.take_focus()
    page.key(Qt.Key.Key_Down)
    assert page.current == "Ports are odd"  # over the heading of an open group
    page.key(Qt.Key.Key_K)
    page.key(Qt.Key.Key_Left)
    assert rows(page) == ["[Decision 3]", "[Fact 1]", "Ports are odd"]
    assert view.currentIndex().row() == 0
    assert view.current_id == 0
    assert "folded" in str(view.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole))
    page.key(Qt.Key.Key_Return)
    assert len(rows(page)) == 6
    where = view.visualRect(page.panel.model.index(4)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(where))
    assert rows(page)[-1] == "[Fact 1]"


def test_rows_are_as_high_as_ever_once_groups_are_gone(page: MemoriesPage) -> None:
    view = page.panel.list.view
    card_px = view.rowHeight(0)
    group(page, MemoryGroup.TYPE)
    assert view.rowHeight(0) < card_px
    group(page, None)
    assert [view.rowHeight(n) for n in range(4)] == [card_px] * 4


def test_marks_and_select_all_leave_headings_out(page: MemoriesPage) -> None:
    group(page, MemoryGroup.PROJECT)
    assert [one for one in rows(page) if one.startswith("[")] == ["[shop 2]", "[till 1]", "[No project 1]"]
    page.take_focus()
    page.key(Qt.Key.Key_A, CTRL)
    page.settle()
    assert len(page.panel.model.marked_ids) == 4
    page.panel.model.set_marks(())
    page.panel.list.view.range_wanted.emit(0, 3)  # heading, two of shop, heading
    page.settle()
    assert {card.title for card in page.panel.model.marked_cards()} == {"Ports are odd", "We chose Go"}


def test_a_change_keeps_groups_and_cursor(page: MemoriesPage, engine: Engine, wait: Wait) -> None:
    group(page, MemoryGroup.TYPE)
    page.choose("Ports are odd")
    engine.memories.create(MemoryDraft("Names are short.", type=FactType.FACT, title="Names are short"))
    wait(lambda: "[Fact 2]" in rows(page))
    assert page.current == "Ports are odd"


def test_hits_of_a_search_are_grouped_too(page: MemoriesPage) -> None:
    group(page, MemoryGroup.PROJECT)
    page.search("chose")
    assert sorted(one for one in rows(page) if one.startswith("[")) == ["[No project 1]", "[shop 1]", "[till 1]"]
    group(page, None)
    assert len(rows(page)) == 3


def test_a_search_is_saved_by_keys_gone_to_renamed_removed_and_undone(
    page: MemoriesPage, engine: Engine, wait: Wait
) -> None:
    shell = Shell(page.window, page._qtbot)
    assert not shell.has("memories.saved.save")  # nothing to keep yet
    page.facet("type", "decision").click()
    page.settle()
    page.search("Go")
    page.take_focus()
    page.key(Qt.Key.Key_S, CTRL)
    assert shell.find("memories.saved.name.field").hasFocus()
    page.type("Go choices")
    page.key(Qt.Key.Key_Return)
    wait(lambda: [one.name for one in engine.saved_searches.list()] == ["Go choices"])
    number = engine.saved_searches.list()[0].id
    wait(lambda: shell.has(f"memories.saved.{number}"))
    wait(lambda: shell.button(f"memories.saved.{number}").isChecked())
    assert not shell.has("memories.saved.save")
    page.panel.header.set_query("")
    page.press("memories.chip.type.decision")
    page.settle()
    assert not shell.button(f"memories.saved.{number}").isChecked()
    page.press(f"memories.saved.{number}")
    page.settle()
    assert (page.panel.header.query, page.titles) == ("Go", ["We chose Go"])
    saved = shell.find(f"memories.saved.{number}")
    saved.setFocus()
    page.key(Qt.Key.Key_F2)
    page.type("Language")
    page.key(Qt.Key.Key_Return)
    wait(lambda: [one.name for one in engine.saved_searches.list()] == ["Language"])
    wait(
        lambda: shell.has(f"memories.saved.{number}") and shell.button(f"memories.saved.{number}").text() == "Language"
    )
    shell.find(f"memories.saved.{number}").setFocus()
    page.key(Qt.Key.Key_Delete)
    wait(lambda: engine.saved_searches.list() == ())
    wait(lambda: "Removed the search “Language”" in shell.notices)
    page.take_focus()
    page.key(Qt.Key.Key_Z, CTRL)
    wait(lambda: shell.has(f"memories.saved.{number}"))
    assert engine.memories.list().total == 4  # Del was for the search alone


def test_a_link_leads_to_a_saved_search_with_groups(page: MemoriesPage, engine: Engine, wait: Wait) -> None:
    number = engine.saved_searches.save(SavedSearch(0, "Shops", group="project", sort="oldest"))
    link = Place("memories", "search", number).link
    assert parse_link(link) == Place("memories", "search", number)
    page.window.go("now")
    page.window.open_link(link)
    wait(lambda: "[shop 2]" in rows(page))
    assert page.panel.asking.query.sort.value == "oldest"


def test_the_palette_knows_saved_searches(page: MemoriesPage, engine: Engine, wait: Wait) -> None:
    engine.saved_searches.save(SavedSearch(0, "Wonderful decisions", choices=(("type", "decision"),)))
    shell = Shell(page.window, page._qtbot)
    shell.ctrl(Qt.Key.Key_K)
    shell.type("wonderf")
    wait(lambda: any("Wonderful decisions" in line for line in shell.palette_lines))
    shell.key(Qt.Key.Key_Return)
    wait(lambda: len(page.titles) == 3)


def test_the_look_is_kept_between_starts(tmp_path: Path) -> None:
    save_window_state(tmp_path, WindowState(memories_table=True, memories_columns="type", memories_group="topic"))
    state = load_window_state(tmp_path)
    assert (state.memories_table, state.memories_columns, state.memories_group) == (True, "type", "topic")
    assert MemoryLook().toggled("type").columns[0] in ("state", "type")


def test_focus_is_in_the_list_after_folding(page: MemoriesPage) -> None:
    group(page, MemoryGroup.TYPE)
    page.take_focus()
    page.key(Qt.Key.Key_Left)
    page.key(Qt.Key.Key_Right)
    assert QApplication.focusWidget() is page.panel.list.view


def test_the_rail_has_the_saved_searches_and_hides_them_when_narrow(
    page: MemoriesPage, engine: Engine, wait: Wait
) -> None:
    shell = Shell(page.window, page._qtbot)
    number = engine.saved_searches.save(SavedSearch(0, "Decisions", choices=(("type", "decision"),)))
    wait(lambda: shell.has(f"rail.search.{number}"))
    shell.go("now")
    shell.press(f"rail.search.{number}")
    wait(lambda: len(page.titles) == 3)
    assert shell.screen == "memories"
    page.window.resize(900, 600)
    wait(lambda: not shell.has(f"rail.search.{number}"))
    page.window.resize(1280, 800)
    engine.saved_searches.remove(number)
    wait(lambda: not shell.has("rail.searches"))


def test_the_shortcut_sheet_begins_with_this_screens_and_leaves_those_of_others_out(page: MemoriesPage) -> None:
    shell = Shell(page.window, page._qtbot)
    page.window.commands.show_shortcuts()
    said = shell.texts(page.window.sheets.shortcuts)
    for wanted in ("Look at it", "Space", "Merge…", "Dense table or cards", "Save this search…"):
        assert wanted in said
    assert "End conversation…" not in said
    assert said.index("New memory…") < said.index("Import files…")


@pytest.mark.parametrize(
    ("key", "modifier"),
    [(Qt.Key.Key_Menu, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_F10, SHIFT)],
)
def test_keys_open_the_menu_of_the_chosen_memory(
    page: MemoriesPage, key: Qt.Key, modifier: Qt.KeyboardModifier
) -> None:
    page.take_focus()
    page.key(key, modifier)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert "Open" in menu.actions()[0].text()
    menu.close()
