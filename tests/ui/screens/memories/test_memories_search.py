"""Finding memories as one types, why each was found, what an empty result offers; and writing one down by hand."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.api import (
    CaptureRequest,
    Engine,
    EventKind,
    FactType,
    MemoryDraft,
    MemoryFilter,
    MemorySort,
    MemoryStatus,
    Trust,
)
from app.values import MemoryCounts
from tests.crowd import remember_all
from tests.patience import PATIENCE_S
from tests.ui.made_memories import NOW
from tests.ui.pages.memories import MemoriesPage
from tests.ui.pages.shell import Shell
from ui.navigation import Place
from ui.screens.memories.listing.model import ROW_ROLE as ROLE
from ui.screens.memories.listing.model import ListedMemory, MemoryModel
from ui.screens.memories.listing.pane import MemoryList
from ui.screens.memories.reading import FIRST_HITS, ListQuery, ListReading
from ui.screens.memories.sheets.new import NewMemorySheet
from ui.selection import ScopeFilter
from ui.shell.main_window import MainWindow

Wait = Callable[[Callable[[], object]], None]

TEXTS = {
    "Staging port": ("The staging server answers on port 8443.", FactType.FACT),
    "Package manager": ("Prefer pnpm over npm in every front-end project.", FactType.PREFERENCE),
    "Dump first": ("Never run a migration against production without a dump.", FactType.CONSTRAINT),
    "Login timeout": ("Sessions of the login page expire after thirty minutes.", FactType.FACT),
}


@pytest.fixture
def ids(engine: Engine) -> dict[str, int]:
    return {
        title: engine.memories.create(MemoryDraft(text, type=fact_type, title=title))
        for title, (text, fact_type) in TEXTS.items()
    }


@pytest.fixture
def page(ids: dict[str, int], window: MainWindow, qtbot: QtBot, wait: Wait) -> MemoriesPage:
    made = MemoriesPage(window, qtbot)
    wait(lambda: len(made.titles) == len(TEXTS))
    made.settle()
    return made


@pytest.fixture
def herons(ids: dict[str, int], engine: Engine) -> None:
    """There before the window is, which would read all anew with each."""
    text = "The heron service number {} keeps its log for a week."
    remember_all(engine, [MemoryDraft(text.format(number)) for number in range(FIRST_HITS + 5)])


@pytest.fixture
def crowded(herons: None, window: MainWindow, qtbot: QtBot, wait: Wait) -> MemoriesPage:
    made = MemoriesPage(window, qtbot)
    wait(lambda: made.panel.model.rowCount() >= FIRST_HITS)
    made.settle()
    return made


def test_from_the_second_letter_on_the_list_follows(page: MemoriesPage) -> None:
    page.search("p")
    assert len(page.titles) == len(TEXTS)
    page.type("npm")
    page.settle()
    assert page.titles == ["Package manager"]
    assert page.count == "1 of 4"
    assert page.panel.list.sort.currentText() == "Best match"
    page.key(Qt.Key.Key_Escape)
    page.settle()
    assert len(page.titles) == len(TEXTS)
    assert page.panel.list.sort.currentText() == "Last changed"


def test_the_first_hits_are_shown_at_once_and_the_others_when_the_typing_rests(
    engine: Engine, crowded: MemoriesPage, wait: Wait
) -> None:
    page = crowded
    model, told = page.panel.model, page.panel.list.count
    seen: list[tuple[int, str]] = []
    page.panel.asking.list_read.connect(lambda *_: seen.append((model.rowCount(), told.text())))
    page.panel.focus_search()
    page.type("heron")
    wait(lambda: model.rowCount() == FIRST_HITS)
    page.panel.list.view.choose_row(3)
    chosen = page.panel.list.view.current_id
    wait(lambda: model.rowCount() == FIRST_HITS + 5)
    assert page.panel.list.view.current_id == chosen
    everything = engine.memories.count()
    assert seen[-2:] == [
        (FIRST_HITS, f"the best of {everything}"),
        (FIRST_HITS + 5, f"{FIRST_HITS + 5} of {everything}"),
    ]
    page.panel.list.sort_chosen.emit(MemorySort.OLDEST)  # by age the best forty would not be the oldest forty
    page.settle()
    assert seen[-1][0] == FIRST_HITS + 5
    assert (FIRST_HITS, f"the best of {everything}") not in seen[-1:]


def test_counts_that_come_late_are_no_longer_shown(page: MemoriesPage, wait: Wait) -> None:
    row = page.facet("type", "fact")
    assert row.count_text == "2"
    page.panel.filters.expect()
    wait(lambda: row.count_text == "…")
    page.panel.asking.ask_facets()
    wait(lambda: row.count_text == "2")


def test_a_hit_marks_its_words_and_says_why(page: MemoriesPage, wait: Wait) -> None:
    page.search("staging port")
    row = page.panel.model.index(0).data(ROLE)
    assert isinstance(row, ListedMemory)
    assert row.hit is not None
    assert row.card.title == "Staging port"
    words = [row.hit.text[start:end].lower() for start, end in row.hit.spans]
    assert "staging" in words
    assert "port" in words
    assert row.hit.reason
    why = page.panel.inspector.why
    wait(lambda: row.hit is not None and row.hit.reason[1:] in why.found.text())
    assert "%" in why.shares.text()
    assert why.shares.text() == f"What counted: {why.bar.accessibleName()}"
    page.key(Qt.Key.Key_Escape)
    page.settle()
    page.choose("Staging port")
    wait(lambda: not why.bar.isVisible())


def test_down_goes_from_the_field_into_the_list(page: MemoriesPage) -> None:
    page.search("login")
    page.key(Qt.Key.Key_Down)
    assert page.panel.list.view.hasFocus()
    assert page.current == "Login timeout"


def test_filters_can_be_typed(page: MemoriesPage) -> None:
    page.search("type:fact")
    assert set(page.titles) == {"Staging port", "Login timeout"}
    page.search("login type:constraint")
    assert page.titles == []
    page.search("login type:fact")
    assert page.titles == ["Login timeout"]


def test_what_is_clicked_and_what_is_typed_hold_together(page: MemoriesPage) -> None:
    page.facet("type", "constraint").click()
    page.settle()
    page.search("dump")
    assert page.titles == ["Dump first"]
    page.search("login")
    assert page.why == "No memory that fits these filters says “login”."
    assert page.panel.list.without.accessibleName() == "Without “Constraint”: 1"
    page.press("memories.why.without")
    page.settle()
    assert page.titles == ["Login timeout"]


def test_what_is_typed_is_a_chip_and_ticked_in_the_pane(page: MemoriesPage) -> None:
    page.search("expire type:fact tier:1")
    assert page.chips == ["Remove type:fact from the search", "Remove tier:1 from the search", "Clear all"]
    assert page.titles == []
    assert page.panel.list.without.accessibleName() == "Without “tier:1”: 1"
    page.press("memories.why.without")
    page.settle()
    assert page.panel.header.query == "expire type:fact"
    assert page.titles == ["Login timeout"]
    row = page.facet("type", "fact")
    assert row.isChecked()
    row.click()  # the pane takes it out of the text
    page.settle()
    assert page.panel.header.query == "expire"
    assert not page.facet("type", "fact").isChecked()
    assert page.chips == []


def test_chips_go_by_key_and_the_focus_stays_among_them(page: MemoriesPage) -> None:
    page.facet("type", "constraint").click()
    page.settle()
    page.search("type:fact is:pinned")
    assert set(page.titles) == set()
    chip = next(one for one in page.panel.list.chips.findChildren(QAbstractButton) if "pinned" in one.text())
    chip.setFocus()
    page.key(Qt.Key.Key_Space)
    page.settle()
    assert page.panel.header.query == "type:fact"
    assert set(page.titles) == {"Staging port", "Login timeout", "Dump first"}  # typed and clicked types add up
    focus = QApplication.focusWidget()
    assert focus is not None
    assert focus.accessibleName() == "Remove type:fact from the search"
    page.press("memories.chips.clear")
    page.settle()
    assert (page.panel.header.query, page.chips) == ("", [])
    assert len(page.titles) == len(TEXTS)


def test_the_last_chip_gives_the_focus_to_the_list(page: MemoriesPage) -> None:
    page.search("type:fact")
    page.panel.list.chips.findChildren(QAbstractButton)[0].setFocus()
    page.key(Qt.Key.Key_Space)
    page.settle()
    assert page.panel.list.view.hasFocus()


def test_a_project_typed_by_its_name_is_ticked_where_its_path_stands(
    page: MemoriesPage, ids: dict[str, int], engine: Engine
) -> None:
    engine.memories.move([ids["Dump first"]], project="/w/shop")
    page.search("project:shop")
    assert page.titles == ["Dump first"]
    assert page.facet("project", "/w/shop").isChecked()
    page.facet("project", "/w/shop").click()
    page.settle()
    assert len(page.titles) == len(TEXTS)


def test_forgotten_ones_are_found_by_is_trash(page: MemoriesPage, ids: dict[str, int], engine: Engine) -> None:
    engine.memories.archive([ids["Dump first"]])
    page.search("dump")
    assert page.titles == []
    page.search("dump is:trash")
    assert page.titles == ["Dump first"]
    assert page.facet("status", "archived").isChecked()


def test_no_hit_leads_to_the_conversations(
    ids: dict[str, int], engine: Engine, window: MainWindow, qtbot: QtBot, wait: Wait
) -> None:
    request = CaptureRequest(
        app="claude-code", kind=EventKind.PROMPT, key="k1", session="s1", text="Is there a zeppelin in the picture?"
    )
    engine.events.capture([request], wait_s=PATIENCE_S)
    page = MemoriesPage(window, qtbot)
    wait(lambda: page.titles)
    page.settle()
    page.search("zeppelin")
    assert page.why.startswith("No memory says “zeppelin”")
    assert page.panel.list.elsewhere.accessibleName() == "Search the conversations instead (1)"
    page.press("memories.why.conversations")
    panel = window.current_panel
    assert panel is window.panel("conversations")
    assert panel is not None
    assert panel.header.query == "zeppelin"


def test_an_empty_search_is_cleared_by_a_press(page: MemoriesPage) -> None:
    page.search("zeppelin")
    assert "Counting…" not in [label.text() for label in page.panel.filters.findChildren(QLabel) if label.isVisible()]
    page.press("memories.why.clear")
    page.settle()
    assert len(page.titles) == len(TEXTS)
    assert page.facet("type", "fact").count_text == "2"


def test_what_could_be_done_is_looked_for_when_the_typing_pauses(page: MemoriesPage) -> None:
    seen: list[ListReading] = []
    page.panel.asking.list_read.connect(lambda reading, _before: seen.append(reading))
    page.search("zeppelin")
    assert [one.is_explained for one in seen if one.query.text == "zeppelin"] == [False, True]
    assert {one.query.text for one in seen if one.is_explained and not one.total} == {"zeppelin"}
    assert page.why == "No memory says “zeppelin”."


def test_a_slip_of_the_finger_does_no_harm(page: MemoriesPage) -> None:
    page.search("migratoin")
    assert page.titles == ["Dump first"]


def test_what_may_have_been_meant_is_one_press_away(qtbot: QtBot) -> None:
    shown = MemoryList(MemoryModel(), ())
    qtbot.addWidget(shown)
    shown.show()
    reading = ListReading(
        ListQuery(text="kubernets"), 0, 12, MemoryCounts(12), {}, (), "kubernets", "kubernetes", "", True, None, 3, NOW
    )
    shown.set_reading(reading, {})
    assert shown.why_text.text() == "No memory says “kubernets”."
    assert shown.count.text() == "0 of 12"
    assert shown.elsewhere.accessibleName() == "Search the conversations instead (3)"
    with qtbot.waitSignal(shown.query_wanted) as heard:
        shown.did_you_mean.click()
    assert heard.args == ["kubernetes"]
    shown.hide()


def test_nothing_found_keeps_the_filters_in_sight(page: MemoriesPage) -> None:
    page.search("xylophone")
    assert page.titles == []
    assert page.facet("type", "fact").isVisible()
    assert page.facet("type", "fact").accessibleName() == "Type: Fact", "without a count of another list"


def test_the_palette_shows_a_memory_without_going_there(
    page: MemoriesPage, ids: dict[str, int], engine: Engine, qtbot: QtBot, wait: Wait
) -> None:
    engine.memories.create(MemoryDraft("The front-end project is built by pnpm.", title="Build"))
    shell = Shell(page.window, qtbot)
    page.window.go("now")
    shell.ctrl(Qt.Key.Key_K)
    shell.type("pnpm")
    wait(lambda: {"Package manager", "Build"} <= set(shell.palette_lines))
    shell.key(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    first, second = shell.palette_lines[:2]
    texts = {"Package manager": TEXTS["Package manager"][0], "Build": "The front-end project is built by pnpm."}
    sheet = shell.find("memory.peek.sheet")
    wait(lambda: texts[first] in shell.texts(sheet) and "never given yet" in shell.texts(sheet).lower())
    shell.key(Qt.Key.Key_Down)
    wait(lambda: texts[second] in shell.texts(sheet))
    shell.key(Qt.Key.Key_Escape)
    assert shell.screen == "now"
    focus = QApplication.focusWidget()
    assert focus is not None
    assert focus.objectName() == "palette.field"  # back in the palette, its words still there
    shell.key(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    shell.key(Qt.Key.Key_Return)  # from the large card: go there
    assert shell.screen == "memories"
    assert not page.window.sheets.palette.is_open
    wait(lambda: page.shown_text == texts[second])


def test_the_palette_finds_memories(page: MemoriesPage, qtbot: QtBot, wait: Wait) -> None:
    shell = Shell(page.window, qtbot)
    page.window.go("now")
    shell.ctrl(Qt.Key.Key_K)
    shell.type("pnpm")
    wait(lambda: "Package manager" in shell.palette_lines)
    shell.key(Qt.Key.Key_Escape)


def test_a_screen_called_so_stays_first_when_memories_are_found(
    page: MemoriesPage, engine: Engine, qtbot: QtBot, wait: Wait
) -> None:
    engine.memories.create(MemoryDraft("The settings of the kiosk are kept in a drawer.", title="Kiosk drawer"))
    shell = Shell(page.window, qtbot)
    page.window.go("now")
    shell.ctrl(Qt.Key.Key_K)
    shell.type("settings")
    wait(lambda: "Kiosk drawer" in shell.palette_lines)
    assert shell.palette_lines[:2] == ["Settings", "Kiosk drawer"]
    shell.key(Qt.Key.Key_Return)
    place = page.window.navigator.place
    assert place is not None
    assert place.screen == "settings"


def test_the_hit_that_was_read_stays_in_sight_when_the_words_are_cleared(crowded: MemoriesPage, wait: Wait) -> None:
    page = crowded
    page.search("package manager")
    wait(lambda: page.titles[:1] == ["Package manager"])
    page.settle()
    page.panel.header.set_query("")
    wait(lambda: page.panel.model.rowCount() > 40)
    page.settle()
    view = page.panel.list.view
    row = view.currentIndex().row()
    card = page.panel.model.card_at(row)
    assert card is not None
    assert card.title == "Package manager"
    assert row > 30
    assert view.viewport().rect().contains(view.visualRect(view.currentIndex()).center())


def test_ctrl_n_writes_one_down_with_what_was_guessed(
    page: MemoriesPage, engine: Engine, qtbot: QtBot, wait: Wait
) -> None:
    page.window.go("now")
    Shell(page.window, qtbot).ctrl(Qt.Key.Key_N)
    assert page.window.current_panel is page.panel
    sheet = page.window.findChild(NewMemorySheet)
    assert sheet is not None
    assert not sheet.create_button.isEnabled()
    page.type("We decided to use Redis 7 as the cache.")
    wait(lambda: sheet.type.currentText() == "decision" and sheet.attribute.text())
    assert "guessed" in sheet.note.text()
    page.key(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    wait(lambda: engine.memories.count() == len(TEXTS) + 1)
    newest = engine.memories.get(engine.memories.ids()[0]).memory
    assert newest.levels.full.text == "We decided to use Redis 7 as the cache."
    assert newest.type is FactType.DECISION
    assert newest.trust is Trust.CONFIRMED
    assert newest.status is MemoryStatus.ACTIVE
    wait(lambda: page.window.notices.notices and page.window.notices.notices[-1].action_text == "Undo")


def test_what_the_person_chose_is_not_guessed_away(page: MemoriesPage, engine: Engine, wait: Wait) -> None:
    page.window.actions_table.run("memory.new")
    sheet = page.window.findChild(NewMemorySheet)
    assert sheet is not None
    goal = sheet.type.findData(FactType.GOAL)
    sheet.type.setCurrentIndex(goal)
    sheet.type.activated.emit(goal)
    sheet.text.setPlainText("We decided to use Redis 7 as the cache.")
    wait(lambda: "guessed" in sheet.note.text())
    assert sheet.type.currentText() == "goal"
    page.press("memory.new.create")
    wait(lambda: engine.memories.count(MemoryFilter(types=(FactType.GOAL,))) == 1)


def test_a_new_memory_belongs_to_the_project_in_scope_or_to_the_one_chosen(
    page: MemoriesPage, engine: Engine, wait: Wait
) -> None:
    engine.memories.create(MemoryDraft("The till rounds up.", project_path="/w/till"))
    engine.memories.create(MemoryDraft("The shop rounds down.", project_path="/w/shop"))
    page.window.selection.set_scope(ScopeFilter(project="shop"))
    page.window.actions_table.run("memory.new")
    sheet = page.window.findChild(NewMemorySheet)
    assert sheet is not None
    wait(lambda: sheet.project.count() == 3)
    assert sheet.project.currentText() == "shop"
    for text, path in (("Prices are net.", "/w/shop"), ("Receipts are long.", "/w/till"), ("Cash is king.", "")):
        if path != "/w/shop":
            page.window.actions_table.run("memory.new")
            chosen = sheet.project.findData(path)
            sheet.project.setCurrentIndex(chosen)
            sheet.project.activated.emit(chosen)
        sheet.text.setPlainText(text)
        page.press("memory.new.create")
        wait(lambda said=text: any(c.text == said for c in engine.memories.list(limit=99).cards))  # type: ignore[misc]
    filed = {card.text: card.project for card in engine.memories.list(limit=99).cards}
    assert (filed["Prices are net."], filed["Receipts are long."], filed["Cash is king."]) == ("shop", "till", "")


def test_what_is_known_already_is_said_while_typing(page: MemoriesPage, ids: dict[str, int], wait: Wait) -> None:
    page.window.actions_table.run("memory.new")
    page.type(TEXTS["Package manager"][0])
    sheet = page.window.findChild(NewMemorySheet)
    assert sheet is not None
    wait(lambda: sheet.alike.isVisible())
    assert "You already have this" in [label.text() for label in sheet.alike.findChildren(QLabel)]
    page.press(f"memory.new.alike.{ids['Package manager']}")
    assert not sheet.is_open
    wait(lambda: page.shown_text == TEXTS["Package manager"][0])


def test_two_memories_are_linked_by_finding_the_other(
    page: MemoriesPage, ids: dict[str, int], engine: Engine, wait: Wait
) -> None:
    page.choose("Staging port")
    page.take_focus()
    page.key(Qt.Key.Key_L)
    page.type("login")
    name = f"memory.link.to.{ids['Login timeout']}"
    wait(lambda: Shell(page.window, page._qtbot).has(name))
    page.press(name)
    wait(lambda: [link.other_id for link in engine.memories.get(ids["Staging port"]).links] == [ids["Login timeout"]])


def test_where_the_list_ends_one_may_ask_why_a_memory_is_not_in_it(
    page: MemoriesPage, engine: Engine, wait: Wait, window: MainWindow
) -> None:
    hidden = engine.memories.create(MemoryDraft("The invoice printer stands in room 12.", title="Invoice printer"))
    engine.memories.archive((hidden,))
    field = page.panel.list.why_not.field
    assert not field.isVisible(), "a whole list leaves nothing out"
    page.search("printer")
    assert field.isVisible()
    field.setFocus()
    page.type("invoice printer")
    page.key(Qt.Key.Key_Return)

    def is_answered() -> bool:
        shown = [one for one in page.panel.list.why_not.findChildren(QAbstractButton) if one.isVisible()]
        return "“Invoice printer”: archived" in [" ".join(one.accessibleName().split()) for one in shown]

    wait(is_answered)
    page.press("memories.whyNot.answer0")
    wait(lambda: (one := page.panel.inspector.memory) is not None and one.id == hidden)


def test_a_jump_to_a_memory_that_the_search_hides_ends_the_search(
    page: MemoriesPage, ids: dict[str, int], wait: Wait
) -> None:
    page.panel.header.set_query("type:preference pnpm")
    page.settle()
    assert page.titles == ["Package manager"]
    page.window.navigator.go(Place("memories", "memory", ids["Package manager"]))
    assert page.panel.header.query == "type:preference pnpm", "it is there"
    page.window.navigator.go(Place("memories", "memory", ids["Dump first"]))
    wait(lambda: page.current == "Dump first")
    assert page.panel.header.query == ""
    assert len(page.titles) == len(TEXTS)
    page.facet("type", "fact").click()
    page.settle()
    page.window.navigator.go(Place("memories", "memory", ids["Dump first"]))
    wait(lambda: page.current == "Dump first")
    assert page.chips == []
