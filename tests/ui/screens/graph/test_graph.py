"""The Graph screen on a real engine: begins with what matters, is walked by keys and by list, searched, filtered, linked, and put back in time."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.api import CaptureRequest, Engine, EventKind, LinkType, MemoryDraft
from app.values.graph import NodeId, NodeKind, NodeLook, Relation
from tests.patience import PATIENCE_S
from tests.ui.pages.shell import Shell
from ui.navigation import Place
from ui.screens.graph.canvas import Moment
from ui.screens.graph.panel import GraphPanel
from ui.screens.graph.twin import _rows_of
from ui.shell.main_window import MainWindow
from ui.widgets.buttons import Button

Wait = Callable[[Callable[[], object]], None]
SAID = (
    "Add a FAB button to the toolbar",
    "From now on the FAB button is purple",
    "We decided to use PostgreSQL for the orders service",
)


def say(engine: Engine, text: str) -> None:
    request = CaptureRequest("claude-code", EventKind.PROMPT, text, session="s1", text=text, cwd="/src/shop")
    engine.events.capture([request], wait_s=PATIENCE_S)


@pytest.fixture
def shell(window: MainWindow, qtbot: QtBot) -> Shell:
    return Shell(window, qtbot)


@pytest.fixture
def panel(engine: Engine, window: MainWindow, wait: Wait) -> GraphPanel:
    for text in SAID:
        say(engine, text)
    window.go("graph")
    made = window.current_panel
    assert isinstance(made, GraphPanel)
    wait(lambda: made.canvas.view.nodes)
    return made


def rows(panel: GraphPanel) -> list[str]:
    return [row.text for row in panel.twin.rows.rows]


def test_empty(window: MainWindow, wait: Wait) -> None:
    window.go("graph")
    panel = window.current_panel
    assert isinstance(panel, GraphPanel)
    wait(lambda: panel.pages.currentWidget() is panel.empty)


def test_it_begins_with_the_active_conversation_and_says_it_in_words(panel: GraphPanel) -> None:
    assert panel.canvas.selected == panel.canvas.view.centre
    assert panel.header.status.startswith("Around “")
    assert rows(panel)[0].endswith("\nlearned from what you typed"), "memories first, and why"
    assert len(rows(panel)) == panel.selected.link_count  # type: ignore[union-attr]
    assert all(re.search(r".\n.", row) for row in rows(panel)), "each says why"
    told = [panel.twin.rows.index(at).data(Qt.ItemDataRole.AccessibleTextRole) for at in range(len(rows(panel)))]
    assert all("strong" in one and "\n" not in one for one in told)


def test_a_change_takes_nothing_out_of_the_first_picture(engine: Engine, window: MainWindow, wait: Wait) -> None:
    for text in (
        "Add a FAB to the start page",
        "The floating action button is purple",
        "Put fab buttons below",
        "Move the FABs up",
    ):
        say(engine, text)
    window.go("graph")
    panel = window.current_panel
    assert isinstance(panel, GraphPanel)
    wait(lambda: panel.canvas.view.nodes)
    before = {node.id for node in panel.canvas.view.nodes}
    assert before == {node.id for node in engine.graph.start().nodes}
    engine.memories.create(MemoryDraft("Nothing that is shown says this.", project_path="/src/other"))
    view = panel.canvas.view
    panel.mark_dirty()
    wait(lambda: panel.canvas.view is not view)
    assert before <= {node.id for node in panel.canvas.view.nodes}


def test_arrows_walk_to_a_neighbour_and_the_list_follows(panel: GraphPanel) -> None:
    start = panel.canvas.selected
    panel.canvas.setFocus()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Down):
        QTest.keyClick(panel.canvas, key)
        if panel.canvas.selected != start:
            break
    assert panel.canvas.selected != start
    assert panel.twin.title.text()
    assert panel.canvas.accessibleDescription().startswith(panel.twin.title.text()[:20])


def test_a_link_leads_to_its_other_end(panel: GraphPanel, wait: Wait) -> None:
    panel.twin.list.setCurrentIndex(panel.twin.rows.index(0))
    link, before = panel.twin.link, panel.canvas.selected
    assert link is not None
    go = panel.findChild(Button, "graph.link.go")
    assert go is not None
    go.click()
    wait(lambda: panel.canvas.selected != before)
    assert panel.canvas.selected in (link.a, link.b)


def test_a_click_selects_and_a_double_click_makes_it_the_middle_and_back_returns(
    panel: GraphPanel, window: MainWindow, wait: Wait
) -> None:
    first = panel.canvas.view.centre
    memory = next(node.id for node in panel.canvas.view.nodes if node.id.kind is NodeKind.MEMORY)
    at = panel.canvas.place_of(memory).toPoint()
    QTest.mouseClick(panel.canvas, Qt.MouseButton.LeftButton, pos=at)
    assert panel.canvas.selected == memory
    QTest.mouseDClick(panel.canvas, Qt.MouseButton.LeftButton, pos=at)
    wait(lambda: panel.canvas.view.centre == memory)
    window.navigator.go_back()
    wait(lambda: panel.canvas.view.centre == first)


def test_return_opens_a_memory_on_its_screen_and_g_comes_back(
    panel: GraphPanel, window: MainWindow, wait: Wait, engine: Engine
) -> None:
    memory = next(node.id for node in panel.canvas.view.nodes if node.id.kind is NodeKind.MEMORY)
    panel.canvas.choose(memory)
    window.actions_table.run("graph.open")
    wait(lambda: window.navigator.place == Place("memories", "memory", memory.number))
    window.navigator.go(Place("graph", query=f"memory:{memory.number}"))
    wait(lambda: panel.canvas.view.centre == memory)


def test_search_finds_and_a_hit_becomes_the_middle(panel: GraphPanel, wait: Wait) -> None:
    panel.header.set_query("PostgreSQL")
    wait(lambda: any("PostgreSQL" in row for row in rows(panel)))
    wanted = panel.twin.first_row()
    panel.twin.list.activated.emit(panel.twin.rows.index(0))
    wait(lambda: panel.canvas.view.centre == wanted)
    panel.header.set_query("kubernets")
    wait(lambda: panel.twin.count.text().startswith("Nothing is called “kubernets”"))


def test_keys_act_on_the_hit_that_is_shown_and_a_click_in_the_picture_ends_the_search(
    panel: GraphPanel, window: MainWindow, wait: Wait, engine: Engine
) -> None:
    in_picture = next(node.id for node in panel.canvas.view.nodes if node.id.kind is NodeKind.CONVERSATION)
    panel.canvas.choose(in_picture)
    panel.header.set_query("PostgreSQL")
    wait(lambda: "PostgreSQL" in panel.twin.title.text() and panel.selected is not None)
    hit = panel.selected
    assert hit is not None
    assert hit.id != in_picture
    window.actions_table.run("graph.edit")
    panel.twin.area.setPlainText("We store orders in PostgreSQL 16.")
    panel.twin.keep.click()
    wait(lambda: engine.memories.get(hit.id.number).memory.levels.full.text == "We store orders in PostgreSQL 16.")
    wait(lambda: "PostgreSQL 16" in panel.twin.title.text())
    panel.canvas.choose(next(node.id for node in panel.canvas.view.nodes if node.id not in (in_picture, hit.id)))
    assert not panel.header.search.text()
    assert panel.selected is not None
    assert panel.selected.id == panel.canvas.selected


def test_return_goes_to_the_best_hit_and_down_to_the_list(panel: GraphPanel, wait: Wait) -> None:
    assert panel.header.search is not None
    panel.header.set_query("PostgreSQL")
    wait(lambda: "PostgreSQL" in panel.twin.title.text() and panel.selected is not None)
    QTest.keyClick(panel.header.search, Qt.Key.Key_Down)
    assert panel.twin.list.currentIndex().row() == 0
    best = panel.selected
    assert best is not None
    QTest.keyClick(panel.header.search, Qt.Key.Key_Return)
    wait(lambda: panel.canvas.view.centre == best.id)
    panel.header.set_query("purple")
    QTest.keyClick(panel.header.search, Qt.Key.Key_Return)  # before the hits are there
    wait(lambda: panel.canvas.view.centre not in (None, best.id))
    assert not panel.header.search.text()


def test_a_search_on_the_map_leaves_its_title(panel: GraphPanel, wait: Wait) -> None:
    panel.context.navigate(Place("graph", "map"))
    wait(lambda: "group" in panel.header.status)
    panel.header.set_query("PostgreSQL")
    wait(lambda: "PostgreSQL" in panel.twin.title.text())
    assert "group" in panel.header.status
    assert panel.abilities() >= {"graph.open", "graph.focus"}


def test_a_kind_is_switched_off_by_its_chip(panel: GraphPanel) -> None:
    before = len(panel.canvas.shown_nodes)
    panel.looks[NodeLook.NAME].setChecked(False)
    assert all(node.id.kind is not NodeKind.ENTITY for node in panel.canvas.shown_nodes)
    panel.looks[NodeLook.NAME].setChecked(True)
    assert len(panel.canvas.shown_nodes) == before


def test_weak_links_and_what_no_longer_holds_are_left_out(panel: GraphPanel, engine: Engine, wait: Wait) -> None:
    view = panel.canvas.view
    node = next(one.id for one in view.nodes if one.id.kind is NodeKind.MEMORY)
    other = next(one.id for one in view.nodes if one.id.kind is NodeKind.ENTITY)
    engine.graph.draw(node, other, Relation.DEPENDS_ON, strength=0.2)
    wait(lambda: any(link.relation is Relation.DEPENDS_ON for link in panel.canvas.shown_links()))
    panel.strong.setChecked(True)
    assert all(link.strength >= 0.5 for link in panel.canvas.shown_links())
    panel.strong.setChecked(False)
    engine.memories.archive([node.number])
    wait(lambda: any(one.is_closed for one in panel.canvas.shown_nodes))
    panel.holding.setChecked(True)
    assert not any(one.is_closed for one in panel.canvas.shown_nodes)
    panel.holding.setChecked(False)


def test_what_was_replaced_is_there_again_at_an_earlier_time(panel: GraphPanel, engine: Engine, wait: Wait) -> None:
    node = next(one for one in panel.canvas.view.nodes if one.id.kind is NodeKind.MEMORY)
    assert node.known_at is not None
    assert Moment(node.known_at).shows(node)
    assert not Moment(node.known_at.replace(year=2000)).shows(node)


def test_dropping_a_memory_on_another_links_them_and_undo_takes_it_back(
    engine: Engine, window: MainWindow, wait: Wait
) -> None:
    first = engine.memories.create(MemoryDraft("Exports are CSV.", project_path="/src/shop"))
    second = engine.memories.create(MemoryDraft("Deploys run at night.", project_path="/src/shop"))
    engine.memories.link(first, second, LinkType.RELATED_TO)
    window.navigator.go(Place("graph", query=f"memory:{first}"))
    panel = window.current_panel
    assert isinstance(panel, GraphPanel)
    wait(lambda: len(panel.canvas.view.nodes) == 2)
    a, b = (panel.canvas.place_of(NodeId(NodeKind.MEMORY, one)).toPoint() for one in (first, second))
    QTest.mousePress(panel.canvas, Qt.MouseButton.LeftButton, pos=a)
    for step in range(1, 11):
        QTest.mouseMove(panel.canvas, a + QPoint((b - a).x() * step // 10, (b - a).y() * step // 10))
    QTest.mouseRelease(panel.canvas, Qt.MouseButton.LeftButton, pos=b)
    menu = panel.findChild(QMenu, "graph.joined")
    assert menu is not None
    menu.hide()
    menu.actions()[1].trigger()
    wait(lambda: any("\ndepends on · you drew it" in row for row in rows(panel)))
    engine.journal.undo()
    wait(lambda: not any("\ndepends on · you drew it" in row for row in rows(panel)))


def test_two_things_are_linked_by_keyboard_and_a_link_is_worded_and_rejected(
    panel: GraphPanel, window: MainWindow, wait: Wait
) -> None:
    view = panel.canvas.view
    memory = next(node.id for node in view.nodes if node.id.kind is NodeKind.MEMORY)
    name = next(node.id for node in view.nodes if node.id.kind is NodeKind.ENTITY)
    panel.canvas.choose(memory)
    window.actions_table.run("graph.second")
    panel.canvas.choose(name)
    window.actions_table.run("graph.link")
    menu = panel.findChild(QMenu, "graph.joined")
    assert menu is not None
    menu.hide()
    next(one for one in menu.actions() if one.text() == "Link: depends on").trigger()
    wait(lambda: any("\nneeded by · " in row for row in rows(panel)))
    panel.twin.list.setCurrentIndex(
        panel.twin.rows.index(next(n for n, row in enumerate(rows(panel)) if "\nneeded by · " in row))
    )
    assert panel.twin.link_card.facts.text() == "You drew it"
    panel.twin.link_card.reason.setText("it says so")
    panel.twin.link_card.reason.editingFinished.emit()
    wait(lambda: any(link.reason == "it says so" for link in panel.canvas.view.links))
    window.actions_table.run("graph.reject_link")
    wait(lambda: not any("\nneeded by · " in row for row in rows(panel)))
    window.actions_table.run("edit.undo")
    wait(lambda: any("\nneeded by · " in row for row in rows(panel)))


def test_pulling_a_line_from_a_thing_leaves_it_where_it_is(panel: GraphPanel) -> None:
    nodes = [node.id for node in panel.canvas.view.nodes]
    a, b = (panel.canvas.place_of(one).toPoint() for one in nodes[:2])
    before = panel.canvas.places()
    QTest.mousePress(panel.canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.AltModifier, a)
    for step in range(1, 11):
        QTest.mouseMove(panel.canvas, a + QPoint((b - a).x() * step // 10, (b - a).y() * step // 10))
    QTest.mouseRelease(panel.canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.AltModifier, b)
    menu = panel.findChild(QMenu, "graph.joined")
    assert menu is not None
    menu.hide()
    assert panel.canvas.places() == before


def test_names_of_one_thing_are_looked_through_and_merged_and_undone(
    panel: GraphPanel, window: MainWindow, engine: Engine, wait: Wait
) -> None:
    say(engine, "Make the fab-button larger")
    window.actions_table.run("graph.names")
    wait(lambda: panel.names.proposal is not None)
    assert panel.names.list.item(0).text() == "“fab-button” = “FAB button”"
    assert panel.names.what.text().startswith("The same letters. “fab-button” goes: its 1 mention")
    assert "fab-button larger" in panel.names.said.text()
    panel.names.merge.click()
    wait(lambda: panel.names.proposal is None)
    assert panel.names.count.text() == "No two names seem to mean the same thing."
    window.actions_table.run("edit.undo")
    wait(lambda: panel.names.proposal is not None)
    panel.names.apart.click()
    wait(lambda: panel.names.proposal is None)
    panel.names.back.click()
    assert panel.side.currentWidget() is panel.twin


def test_dragging_one_name_onto_another_makes_them_one(
    panel: GraphPanel, engine: Engine, window: MainWindow, wait: Wait
) -> None:
    names = [node.id for node in panel.canvas.view.nodes if node.id.kind is NodeKind.ENTITY]
    a, b = (panel.canvas.place_of(one).toPoint() for one in names[:2])
    QTest.mousePress(panel.canvas, Qt.MouseButton.LeftButton, pos=a)
    for step in range(1, 11):
        QTest.mouseMove(panel.canvas, a + QPoint((b - a).x() * step // 10, (b - a).y() * step // 10))
    QTest.mouseRelease(panel.canvas, Qt.MouseButton.LeftButton, pos=b)
    menu = panel.findChild(QMenu, "graph.joined")
    assert menu is not None
    menu.hide()
    next(one for one in menu.actions() if one.text() == "They are one thing").trigger()
    wait(lambda: names[0] not in {node.id for node in panel.canvas.view.nodes})
    engine.journal.undo()
    wait(lambda: names[0] in {node.id for node in panel.canvas.view.nodes})


def test_three_merges_by_dragging_are_undone_one_after_the_other(
    engine: Engine, window: MainWindow, wait: Wait
) -> None:
    for text in (
        "Add a FAB to the start page",
        "The floating action button is purple",
        "Put fab buttons below",
        "Move the FABs up",
    ):
        say(engine, text)
    window.go("graph")
    panel = window.current_panel
    assert isinstance(panel, GraphPanel)

    def names() -> list[NodeId]:
        return sorted(node.id for node in panel.canvas.view.nodes if node.id.kind is NodeKind.ENTITY)

    wait(lambda: len(names()) >= 4)
    merged: list[NodeId] = []
    for _ in range(3):
        kept, gone = names()[:2]
        a, b = (panel.canvas.place_of(one).toPoint() for one in (gone, kept))
        QTest.mousePress(panel.canvas, Qt.MouseButton.LeftButton, pos=a)
        for step in range(1, 11):
            QTest.mouseMove(panel.canvas, a + QPoint((b - a).x() * step // 10, (b - a).y() * step // 10))
        QTest.mouseRelease(panel.canvas, Qt.MouseButton.LeftButton, pos=b)
        menu = panel.findChildren(QMenu, "graph.joined")[-1]
        menu.hide()
        next(one for one in menu.actions() if one.text() == "They are one thing").trigger()
        wait(lambda gone=gone: gone not in names())
        merged.append(gone)
    assert not engine.graph.pins(), "what was dropped on another was not moved"
    while merged:
        engine.journal.undo()
        wait(lambda: merged[-1] in names())
        assert not set(merged[:-1]) & set(names())
        merged.pop()


def test_a_thing_that_was_dragged_stays_there_and_is_let_go(
    panel: GraphPanel, engine: Engine, window: MainWindow, wait: Wait
) -> None:
    node = panel.canvas.view.nodes[-1].id
    at = panel.canvas.place_of(node).toPoint()
    QTest.mousePress(panel.canvas, Qt.MouseButton.LeftButton, pos=at)
    for step in range(1, 6):
        QTest.mouseMove(panel.canvas, at + QPoint(0, -9 * step))
    QTest.mouseRelease(panel.canvas, Qt.MouseButton.LeftButton, pos=at + QPoint(0, -45))
    wait(lambda: engine.graph.pins())
    place = engine.graph.pins()[node]
    panel.canvas.choose(node)
    window.actions_table.run("graph.start")
    wait(lambda: panel.canvas.places().get(node) == place)
    panel.canvas.choose(node)
    wait(lambda: "graph.unpin" in panel.abilities())
    window.actions_table.run("graph.unpin")
    wait(lambda: not engine.graph.pins())


def test_a_memory_is_edited_where_it_is_shown_and_undone(
    panel: GraphPanel, window: MainWindow, engine: Engine, wait: Wait
) -> None:
    node = next(one for one in panel.canvas.view.nodes if one.id.kind is NodeKind.MEMORY)
    panel.canvas.choose(node.id)
    window.actions_table.run("graph.edit")
    assert panel.twin.area.toPlainText() == node.text
    panel.twin.area.setPlainText("The FAB button is green")
    QTest.keyClick(panel.twin.area, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    wait(lambda: engine.graph.cards([node.id])[node.id].text == "The FAB button is green")
    wait(lambda: any("green" in one.text for one in panel.canvas.view.nodes))
    assert panel.twin.area.isHidden()
    window.actions_table.run("graph.edit")
    QTest.keyClick(panel.twin.area, Qt.Key.Key_Escape)
    assert panel.twin.area.isHidden()
    window.actions_table.run("edit.undo")
    wait(lambda: engine.graph.cards([node.id])[node.id].text == node.text)
    talk = next(one for one in panel.canvas.view.nodes if one.id.kind is NodeKind.CONVERSATION)
    panel.canvas.choose(talk.id)
    window.actions_table.run("graph.edit")
    panel.twin.area.setPlainText("The toolbar")
    panel.twin.keep.click()
    wait(lambda: any(one.title == "The toolbar" for one in panel.canvas.view.nodes))


def test_the_card_comes_where_the_mouse_rests(panel: GraphPanel, wait: Wait) -> None:
    node = panel.canvas.view.nodes[0]
    QTest.mouseMove(panel.canvas, panel.canvas.place_of(node.id).toPoint())
    wait(lambda: panel.canvas.card.isVisible())
    assert panel.canvas.card.title.text()


def test_the_way_between_two_is_said_as_a_sentence(panel: GraphPanel, window: MainWindow, wait: Wait) -> None:
    memories = [node.id for node in panel.canvas.view.nodes if node.id.kind is NodeKind.MEMORY]
    assert len(memories) >= 2
    panel.canvas.choose(memories[0])
    window.actions_table.run("graph.second")
    panel.canvas.choose(memories[1])
    window.actions_table.run("graph.path")
    wait(lambda: panel.twin.way.text().endswith("”."))
    assert "learned from" in panel.twin.way.text()


def test_a_node_that_is_no_more_says_so(panel: GraphPanel, window: MainWindow, shell: Shell, wait: Wait) -> None:
    window.navigator.go(Place("graph", query="memory:4711"))
    wait(lambda: any("no longer kept" in text for text in shell.notices))


@pytest.mark.parametrize(
    ("name", "begins"), [("g.png", b"\x89PNG"), ("g.svg", b"<?xml"), ("g.graphml", b"<?xml"), ("g.canvas", b"{")]
)
def test_what_is_seen_is_written_to_a_file(
    panel: GraphPanel, wait: Wait, tmp_path: Path, name: str, begins: bytes
) -> None:
    path = tmp_path / name
    panel.write(str(path))
    wait(path.exists)
    wait(lambda: path.read_bytes().startswith(begins))


def test_a_contradiction_leads_to_where_it_is_decided(engine: Engine, window: MainWindow, wait: Wait) -> None:
    for text in (
        "We decided to use PostgreSQL for the orders database",
        "We decided to use MySQL for the orders database",
    ):
        say(engine, text)
    (found,) = engine.contradictions.list()
    window.navigator.go(Place("graph", query=f"memory:{found.b.id}"))
    panel = window.current_panel
    assert isinstance(panel, GraphPanel)
    wait(lambda: any("\ncontradicts · " in row for row in rows(panel)))
    window.actions_table.run("graph.resolve")
    wait(lambda: window.navigator.place == Place("contradictions", "contradiction", found.id))


def test_why_is_answered_by_a_search_and_by_what_is_selected(
    engine: Engine, window: MainWindow, wait: Wait, shell: Shell
) -> None:
    say(engine, "We decided to use Ruff for linting, because Flake8 took a minute on every commit")
    say(engine, "Add a search field to the toolbar")
    window.go("graph")
    panel = window.current_panel
    assert isinstance(panel, GraphPanel)
    wait(lambda: panel.canvas.view.nodes)
    panel.header.set_query("why not Flake8?")
    wait(lambda: panel.selected is not None and "Ruff" in panel.twin.title.text())
    panel.header.set_query("why do we use Ruff")
    wait(lambda: any("because Flake8 took a minute" in said for said in panel.twin.story.texts()))
    wait(lambda: panel.selected is not None and "Ruff" in panel.twin.title.text())
    ruff = panel.selected
    assert ruff is not None
    assert panel.abilities() >= {"graph.open", "graph.edit", "graph.focus"}
    assert not {"graph.second", "graph.path", "graph.link", "graph.more", "graph.unpin"} & panel.abilities()
    assert any(said.startswith("Claude Code · today ") for said in panel.twin.story.texts())
    window.actions_table.run("graph.open")
    wait(lambda: window.navigator.place == Place("memories", "memory", ruff.id.number))
    window.navigator.go_back()
    panel.header.set_query("why do we use Ruff")
    wait(lambda: panel.twin.rows.rows and "Ruff" in panel.twin.title.text())
    panel.twin.list.activated.emit(panel.twin.rows.index(0))
    wait(lambda: not panel.twin.story.isHidden() and "graph.second" in panel.abilities())
    assert any(said.startswith("You typed: “We decided to use Ruff") for said in panel.twin.story.texts())
    message = panel.findChild(Button, "graph.story.message")
    assert message is not None
    message.click()
    wait(lambda: window.navigator.place.kind == "message")


def test_what_it_replaced_and_what_it_needs_are_said_as_sentences(
    engine: Engine, window: MainWindow, wait: Wait
) -> None:
    old = engine.memories.create(MemoryDraft("Exports are PDF files.", project_path="/src/shop"))
    new = engine.memories.create(MemoryDraft("Exports are CSV files.", project_path="/src/shop"))
    night = engine.memories.create(MemoryDraft("The night job mails reports.", project_path="/src/shop"))
    a, b, c = (NodeId(NodeKind.MEMORY, one) for one in (new, old, night))
    engine.graph.draw(a, b, Relation.SUPERSEDES, reason="nobody could sum up a PDF")
    engine.graph.draw(a, c, Relation.DEPENDS_ON, reason="it attaches them")
    window.navigator.go(Place("graph", query=f"memory:{new}"))
    panel = window.current_panel
    assert isinstance(panel, GraphPanel)
    wait(lambda: len(panel.twin.story.texts()) >= 3)
    told = panel.twin.story.texts()
    assert any(
        one.startswith("It replaced “Exports are PDF files") and "nobody could sum up a PDF." in one for one in told
    )
    assert any(one.startswith("It needs “The night job mails reports") and "it attaches them." in one for one in told)
    assert "You wrote it here, by hand." in told
    panel.canvas.choose(b)
    wait(lambda: any(one.startswith("Replaced by “Exports are CSV files") for one in panel.twin.story.texts()))
    panel.canvas.choose(None)
    assert panel.twin.head.isHidden()


def test_a_long_story_leaves_room_for_the_links(engine: Engine, window: MainWindow, wait: Wait, shell: Shell) -> None:
    window.resize(1024, 700)
    long = " ".join(f"Point {n}: the importer reads one line at a time and keeps none of them." for n in range(30))
    number = engine.memories.create(MemoryDraft(long, project_path="/src/shop"))
    window.navigator.go(Place("graph", query=f"memory:{number}"))
    panel = window.current_panel
    assert isinstance(panel, GraphPanel)
    wait(lambda: not panel.twin.story.isHidden())
    wait(lambda: panel.twin.told.height() > 60)
    assert panel.twin.head.height() < panel.twin.height() * 0.75


def test_a_story_that_fits_is_whole_after_a_shorter_one(
    demo: None, engine: Engine, window: MainWindow, wait: Wait
) -> None:
    window.resize(1024, 700)
    (found, *_) = engine.graph.find("why PostgreSQL")
    window.navigator.go(Place("graph", query=found.id.key))
    panel = window.current_panel
    assert isinstance(panel, GraphPanel)
    told = panel.twin.told
    wait(lambda: any(one.startswith("Written down in") for one in panel.twin.story.texts()))
    for node in [one.id for one in panel.canvas.view.nodes if one.id.kind is NodeKind.MEMORY and one.id != found.id]:
        panel.canvas.choose(node)
        wait(lambda: not panel.twin.story.isHidden())
        panel.canvas.choose(found.id)
        wait(lambda: any(one.startswith("Written down in") for one in panel.twin.story.texts()))
        wait(lambda: told.height() == told.content.heightForWidth(told.content.width()))
        assert told.verticalScrollBar().maximum() == 0


def test_with_nothing_selected_the_list_names_what_the_picture_shows(panel: GraphPanel, wait: Wait) -> None:
    panel.canvas.choose(None)
    shown = panel.canvas.view.nodes
    wait(lambda: len(rows(panel)) == len(shown))
    assert panel.twin.count.text().startswith(f"{len(shown)} things in the picture")
    first = panel.twin.rows.rows[0].node
    panel.twin.take_focus()
    QTest.keyClick(panel.twin.list, Qt.Key.Key_Return)
    wait(lambda: panel.canvas.selected == first)


def test_a_name_with_an_arrow_is_painted_whole(engine: Engine, window: MainWindow, wait: Wait) -> None:
    number = engine.memories.create(MemoryDraft("Run lint → test → push before lunch.", project_path="/src/shop"))
    engine.memories.create(MemoryDraft("Lunch is at noon.", project_path="/src/shop"))
    window.navigator.go(Place("graph", query=f"memory:{number}"))
    panel = window.current_panel
    assert isinstance(panel, GraphPanel)
    panel.header.set_query("lint before lunch")
    wait(lambda: any("push" in row for row in rows(panel)))
    (name, _, _), *_ = _rows_of(panel.twin.list.model().index(0, 0), 300)
    assert name.startswith("Run lint → test → push")


def test_it_is_as_it_was_left_after_a_look_at_another_screen(
    panel: GraphPanel, engine: Engine, window: MainWindow, wait: Wait
) -> None:
    (found, *_) = engine.graph.find("PostgreSQL")
    panel.focus_on(found.id)
    wait(lambda: panel.canvas.view.centre == found.id)
    other = next(node.id for node in panel.canvas.view.nodes if node.id != found.id)
    panel.canvas.choose(other)
    panel.canvas.zoom(1.7)
    panel.holding.setChecked(True)
    scale = panel.canvas._scale
    window.go("memories")
    say(engine, "We decided to use Redis for the sessions of the shop")  # it is read anew when it is seen again
    window.go("graph")
    wait(lambda: not window.bridge.is_waiting and not panel.is_dirty)
    assert panel.canvas.view.centre == found.id
    assert panel.canvas.selected == other
    assert panel.canvas._scale == scale
    assert panel.holding.isChecked()
    assert window.navigator.place == Place("graph", query=found.id.key)
    window.go("graph")  # pressed once more while it is shown: what matters now
    wait(lambda: panel.canvas.view.centre is not None and panel.canvas.view.centre != found.id)


def test_a_search_and_the_map_stay_over_a_look_at_another_screen(
    panel: GraphPanel, window: MainWindow, wait: Wait
) -> None:
    panel.header.set_query("PostgreSQL")
    wait(lambda: panel._is_found)
    window.go("apps")
    window.go("graph")
    assert panel.header.search is not None
    assert panel.header.search.text() == "PostgreSQL"
    panel.header.set_query("")
    window.navigator.go(Place("graph", "map"))
    assert panel.is_map
    window.go("apps")
    window.go("graph")
    assert panel.is_map
    assert window.navigator.place == Place("graph", "map")
