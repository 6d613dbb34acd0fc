"""Memories on a real engine: list, filters, inspector, changes with undo, bulk acts, erasing, as a person does them."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from app.api import (
    CaptureRequest,
    ContextRequest,
    ContextSignals,
    Engine,
    EventKind,
    FactType,
    LinkType,
    MemoryDraft,
    MemoryEdit,
    MemoryFilter,
    MemoryKind,
    MemoryStatus,
    Slot,
)
from app.values import Tier
from tests.patience import PATIENCE_S
from tests.ui.conftest import NOW
from tests.ui.pages.memories import MemoriesPage
from tests.ui.pages.shell import Shell
from ui.navigation import Place, parse_link
from ui.screens.memories.filter_pane import FacetRow
from ui.shell.main_window import MainWindow
from ui.widgets.buttons import Button

Wait = Callable[[Callable[[], object]], None]

PORT = MemoryDraft(
    "The staging server answers on port 8443.", type=FactType.FACT, title="Staging port", tags=("infra",)
)
PNPM = MemoryDraft(
    "Prefer pnpm over npm.", type=FactType.PREFERENCE, title="Package manager", slot=Slot("", "package manager"),
    value="pnpm", tags=("tooling",),
)  # fmt: skip
DUMP = MemoryDraft("Never migrate without a dump.", type=FactType.CONSTRAINT, title="Dump first", is_pinned=True)

OLD_WIKI = MemoryDraft(
    "The wiki was on the old server.", valid_from=NOW - timedelta(days=9), valid_to=NOW - timedelta(days=2)
)


@pytest.fixture
def ids(engine: Engine) -> list[int]:
    return [engine.memories.create(draft) for draft in (PORT, PNPM, DUMP)]


@pytest.fixture
def page(ids: list[int], window: MainWindow, qtbot: QtBot, wait: Wait) -> MemoriesPage:
    made = MemoriesPage(window, qtbot)
    wait(lambda: len(made.titles) == 3)
    made.settle()
    window.notices.clear()
    return made


def full(engine: Engine, memory_id: int) -> str:
    return engine.memories.get(memory_id).memory.levels.full.text


def test_an_empty_screen_says_what_will_be_here(window: MainWindow, qtbot: QtBot, wait: Wait) -> None:
    page = MemoriesPage(window, qtbot)
    wait(lambda: page.is_empty)
    page.press("memories.empty.new")
    assert Shell(window, qtbot).has("memory.new.text")


def test_the_list_the_count_and_the_first_one(page: MemoriesPage) -> None:
    assert set(page.titles) == {"Staging port", "Package manager", "Dump first"}
    assert page.count == "3 listed"
    assert page.current == page.titles[0]
    assert page.panel.header.status == "3 in use"


def test_a_card_says_in_which_tier_and_when_it_was_told(
    page: MemoriesPage, ids: list[int], engine: Engine, wait: Wait
) -> None:
    view = page.panel.list.view

    def spoken() -> str:
        return str(view.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole))

    wanted = page.panel.list.view.current_id
    assert "given" not in spoken()
    before = view.grab(view.visualRect(view.currentIndex())).toImage()
    signals = ContextSignals(project_path="/w/none", app="claude-code", session="s", prompt=page.current)
    engine.context.place_in_tier((wanted,), Tier.CRITICAL)
    wait(lambda: "in the tier Critical" in spoken())
    engine.context.assemble(ContextRequest(signals, delivery="hook:prompt"))
    wait(lambda: "given just now" in spoken())
    assert view.grab(view.visualRect(view.currentIndex())).toImage() != before


def test_j_and_k_walk_and_the_inspector_follows(page: MemoriesPage, wait: Wait) -> None:
    page.take_focus()
    page.key(Qt.Key.Key_J)
    assert page.current == page.titles[1]
    wait(lambda: page.panel.inspector.memory is not None and page.panel.inspector.memory.title == page.titles[1])
    page.key(Qt.Key.Key_K)
    assert page.current == page.titles[0]


def test_facets_toggle_show_as_chips_and_can_be_taken_out(page: MemoriesPage, wait: Wait) -> None:
    page.facet("type", "fact").click()
    page.settle()
    assert page.titles == ["Staging port"]
    assert page.count == "1 of 3"
    wait(lambda: page.chips == ["Remove the filter Fact"])
    assert page.facet("type", "fact").isChecked()
    page.press("memories.chip.type.fact")
    page.settle()
    assert len(page.titles) == 3
    assert page.chips == []


def test_the_filter_counts_what_the_title_line_counts(page: MemoriesPage, engine: Engine, wait: Wait) -> None:
    engine.memories.create(OLD_WIKI)
    wait(lambda: len(page.titles) == 4)
    page.settle()
    assert page.panel.header.status == "3 in use · 1 no longer true"
    for value, count in (("active", 3), ("over", 1)):
        row = page.facet("status", value)
        assert row.accessibleName().endswith(f", {count}")
        row.click()
        page.settle()
        assert len(page.titles) == count
        row.click()
        page.settle()
    assert page.facet("status", "over").title == "No longer true"
    page.panel.header.set_query("wiki")
    page.settle()
    assert page.facet("status", "over").accessibleName().endswith(", 1"), "the same of what a search found"


def test_what_is_no_statement_stands_in_the_list_of_types_and_takes_its_place(
    page: MemoriesPage, engine: Engine, wait: Wait
) -> None:
    number = engine.memories.create(MemoryDraft("To ship: tag it, wait for green.", kind=MemoryKind.WORKFLOW))
    wait(lambda: len(page.titles) == 4)
    page.settle()
    rows = [one for one in page.panel.filters.findChildren(FacetRow) if one.isVisible()]
    words = [one.accessibleName().split(",")[0] for one in rows]
    assert "Type: Workflow" in words
    assert not [one for one in words if one.startswith("Kind")], "one word for one thing"
    assert "Type: Statement" not in words, "its types say it"
    page.facet("type", "fact").click()
    page.settle()
    assert page.facet("kind", "workflow").count_text == "1", "still to be chosen"
    page.facet("kind", "workflow").click()
    page.settle()
    assert page.panel.model.rowCount() == 1
    assert page.titles == [engine.memories.get(number).memory.title]
    assert page.chips == ["Remove the filter Workflow"]


def test_the_keys_stay_in_the_list_when_the_inspector_they_were_in_is_closed(page: MemoriesPage, wait: Wait) -> None:
    page.window.resize(1440, 900)
    page.panel.list.view.choose_row(0)
    wait(lambda: page.panel.inspector.isVisible() and page.panel.inspector.memory is not None)
    page.panel.inspector.edit_text()
    focus = QApplication.focusWidget()
    assert focus is not None
    assert page.panel.inspector.isAncestorOf(focus)
    page.window.actions_table.run("memory.details")
    assert not page.panel.inspector.isVisible()
    assert page.panel.list.view.hasFocus()


def test_an_empty_result_offers_the_one_filter_to_remove(page: MemoriesPage) -> None:
    page.facet("type", "fact").click()
    page.settle()
    page.panel.filters.toggled.emit("tag", "tooling")
    page.settle()
    assert page.why == "Nothing fits all these filters."
    assert page.panel.list.without.accessibleName() in ("Without “Fact”: 1", "Without “#tooling”: 1")
    page.press("memories.why.without")
    page.settle()
    assert len(page.titles) == 1


def test_the_text_is_edited_in_place_with_live_tokens_and_undo(
    page: MemoriesPage, ids: list[int], engine: Engine, wait: Wait
) -> None:
    page.choose("Staging port")
    page.take_focus()
    page.key(Qt.Key.Key_E)
    levels = page.panel.inspector.levels
    assert QApplication.focusWidget() is levels.editor
    before = levels.count.text()
    page.type(" It moved there in March.")
    wait(lambda: levels.count.text() != before)
    assert levels.is_dirty
    page.key(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    wait(lambda: "March" in full(engine, ids[0]))
    wait(lambda: not levels.is_dirty and page.window.notices.notices)
    assert page.window.notices.notices[-1].action_text == "Undo"
    engine.journal.undo()
    wait(lambda: page.shown_text == PORT.text)


def test_esc_takes_back_what_was_typed_and_then_leaves(page: MemoriesPage, ids: list[int], engine: Engine) -> None:
    page.choose("Staging port")
    page.take_focus()
    page.key(Qt.Key.Key_E)
    page.type("xyz")
    page.key(Qt.Key.Key_Escape)
    assert page.shown_text == PORT.text
    page.key(Qt.Key.Key_Escape)
    assert page.panel.list.view.hasFocus()
    assert full(engine, ids[0]) == PORT.text


def test_what_is_being_typed_outlives_a_change_from_elsewhere(
    page: MemoriesPage, ids: list[int], engine: Engine, wait: Wait
) -> None:
    page.choose("Staging port")
    page.panel.run("memory.edit")
    page.type(" mine")
    engine.memories.edit(ids[0], MemoryEdit(importance=0.11))
    wait(lambda: "changed in the meantime" in page.panel.inspector.levels.count.text())
    assert page.shown_text.endswith(" mine")


def test_a_size_written_by_hand_stays_and_can_be_rewritten(
    page: MemoriesPage, ids: list[int], engine: Engine, wait: Wait, qtbot: QtBot
) -> None:
    page.choose("Staging port")
    page.press("memory.level.summary")
    levels = page.panel.inspector.levels
    made = page.shown_text
    levels.editor.setPlainText("staging: 8443")
    page.press("memory.save")
    wait(lambda: engine.memories.get(ids[0]).memory.levels.summary.text == "staging: 8443")
    wait(lambda: "written by hand" in levels.count.text())
    page.press("memory.rewrite")
    wait(lambda: engine.memories.get(ids[0]).memory.levels.summary.text == made)


def test_fields_are_told_at_once_and_a_wrong_date_is_not(
    page: MemoriesPage, ids: list[int], engine: Engine, wait: Wait, qtbot: QtBot
) -> None:
    page.choose("Package manager")
    fields = page.panel.inspector.fields
    fields.valid_to.setText("soon")
    fields.valid_to.editingFinished.emit()
    assert fields.valid_to.property("wrong") is True
    fields.valid_to.setText("2030-01-01")
    fields.valid_to.editingFinished.emit()
    wait(lambda: engine.memories.get(ids[1]).memory.valid_to is not None)
    fields.importance.slider.setValue(33)
    wait(lambda: engine.memories.get(ids[1]).memory.importance == pytest.approx(0.33))
    index = fields.type.findData(FactType.CONSTRAINT)
    fields.type.setCurrentIndex(index)
    fields.type.activated.emit(index)
    wait(lambda: engine.memories.get(ids[1]).memory.type is FactType.CONSTRAINT)
    fields.tags.field.setText("node, web")
    fields.tags.field.returnPressed.emit()
    wait(lambda: set(engine.memories.get(ids[1]).memory.tags) == {"tooling", "node", "web"})
    fields.value.setText("npm")
    fields.value.editingFinished.emit()
    wait(lambda: engine.memories.get(ids[1]).memory.value == "npm")
    assert engine.memories.get(ids[1]).memory.slot == Slot("", "package manager")


def test_a_title_and_the_steps_of_a_workflow_can_be_changed(
    page: MemoriesPage, engine: Engine, wait: Wait, ids: list[int]
) -> None:
    draft = MemoryDraft("Format, then test.", kind=MemoryKind.WORKFLOW, title="Before", details={"steps": ["format"]})
    workflow = engine.memories.create(draft)
    wait(lambda: "Before" in page.titles)
    page.choose("Before")
    steps = page.panel.inspector.details.findChild(QLineEdit, "memory.detail.steps")
    assert steps is not None
    assert steps.text() == "format"
    steps.setText("format; test")
    steps.editingFinished.emit()
    wait(lambda: engine.memories.get(workflow).memory.details["steps"] == ["format", "test"])
    page.panel.inspector.fields.title.setText("Before a pull request")
    page.panel.inspector.fields.title.editingFinished.emit()
    wait(lambda: "Before a pull request" in page.titles)
    page.choose("Staging port")
    assert not page.panel.inspector.details.isVisible()


def test_an_old_version_shows_what_changed_and_comes_back(
    page: MemoriesPage, ids: list[int], engine: Engine, wait: Wait
) -> None:
    engine.memories.edit(ids[0], MemoryEdit(full="The staging server answers on port 9443."))
    page.choose("Staging port") if "Staging port" in page.titles else page.panel.show_memory(ids[0])
    wait(lambda: "9443" in page.shown_text)
    (version,) = engine.memories.get(ids[0]).versions
    button = page.panel.inspector.history.findChild(
        type(page.panel.inspector.levels.save), f"memory.version.{version.id}"
    )
    assert button is not None
    button.click()
    page.settle()
    change = page.panel.inspector.history.findChild(
        type(page.panel.inspector.history._change), f"memory.diff.{version.id}"
    )
    assert change is not None
    assert "8443" in change.toPlainText()
    assert "9443" in change.toPlainText()
    page.panel.inspector.history.restore_wanted.emit(version.id)
    wait(lambda: full(engine, ids[0]) == PORT.text)
    wait(lambda: page.shown_text == PORT.text)


def test_who_archives_the_last_one_is_shown_where_it_is_and_the_keys_go_on(
    page: MemoriesPage, ids: list[int], engine: Engine, wait: Wait
) -> None:
    engine.memories.archive(ids[1:])
    page.settle()
    page.choose("Staging port")
    page.take_focus()
    page.key(Qt.Key.Key_Delete)
    wait(lambda: page.panel.list.why_text.isVisible())
    assert page.panel.list.why_text.text() == "Nothing is in use."
    assert page.panel.list.why_note.text().startswith(f"{len(ids)} memories are archived")
    page.press("memories.why.archived")
    wait(lambda: page.panel.model.rowCount() == len(ids))
    page.panel.header.set_query("")
    wait(lambda: page.panel.list.why_text.isVisible())
    page.window.actions_table.run("edit.undo")
    wait(lambda: page.titles == ["Staging port"])
    page.settle()


def test_the_focus_is_in_the_list_when_the_first_memory_comes_back(
    page: MemoriesPage, ids: list[int], engine: Engine, wait: Wait
) -> None:
    """It went to the notice: the next Enter would have taken the undo back."""
    engine.memories.erase(ids[1:])
    page.settle()
    engine.memories.erase(ids[:1])
    wait(lambda: page.panel.pages.currentWidget() is page.panel.empty)
    page.panel.empty.findChild(QAbstractButton, "memories.empty.new").setFocus()
    engine.memories.create(MemoryDraft("Logs go to syslog."))
    wait(lambda: len(page.titles) == 1)
    page.settle()
    assert page.panel.list.view.hasFocus()


def test_pin_tag_archive_on_several_and_undo(
    page: MemoriesPage, ids: list[int], engine: Engine, wait: Wait, qtbot: QtBot
) -> None:
    page.take_focus()
    page.key(Qt.Key.Key_X)
    page.key(Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert len(page.panel.model.marked_ids) == 2
    marked = set(page.panel.model.marked_ids)
    assert page.panel.list.bulk_count.text() == "2 selected"
    page.key(Qt.Key.Key_T)
    field = page.window.findChild(QLineEdit, "memory.tags.field")
    assert field is not None
    page.type("later")
    page.key(Qt.Key.Key_Return)
    wait(lambda: all("later" in engine.memories.get(one).memory.tags for one in marked))
    page.take_focus()
    page.key(Qt.Key.Key_Delete)
    wait(lambda: len(page.titles) == 1)
    assert all(engine.memories.get(one).memory.status is MemoryStatus.ARCHIVED for one in marked)
    notice = page.window.notices.notices[-1]
    assert notice.action_text == "Undo"
    assert notice.on_action is not None
    notice.on_action()
    wait(lambda: len(page.titles) == 3)


def test_ctrl_a_marks_all_that_the_list_shows_and_esc_none(page: MemoriesPage, ids: list[int], wait: Wait) -> None:
    page.take_focus()
    page.key(Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    wait(lambda: set(page.panel.model.marked_ids) == set(ids))
    page.key(Qt.Key.Key_Escape)
    assert page.panel.model.marked_ids == ()


def test_only_erasing_asks_and_nothing_is_left(page: MemoriesPage, ids: list[int], engine: Engine, wait: Wait) -> None:
    page.choose("Staging port")
    page.take_focus()
    page.key(Qt.Key.Key_Delete, Qt.KeyboardModifier.ShiftModifier)
    shell = Shell(page.window, page._qtbot)
    assert "Staging port" in shell.texts()
    assert "Erase 1 memory for good?" in shell.texts()
    page.key(Qt.Key.Key_P)  # keys of the screen do not work through the sheet
    page.key(Qt.Key.Key_Escape)
    assert engine.memories.count() == 3
    assert not engine.memories.get(ids[0]).memory.is_pinned
    page.key(Qt.Key.Key_Delete, Qt.KeyboardModifier.ShiftModifier)
    page.window.findChild(Button, "memory.erase.go").setFocus()
    page.key(Qt.Key.Key_Return)
    wait(lambda: engine.memories.count(MemoryFilter(statuses=tuple(MemoryStatus))) == 2)
    wait(lambda: [text for text in shell.notices if "Erased" in text] == ["Erased 1 memory"])
    wait(lambda: len(page.titles) == 2)


def test_erasing_takes_the_message_along_when_it_is_ticked_and_nothing_suggests_its_words(
    page: MemoriesPage, engine: Engine, wait: Wait
) -> None:
    said = "The staging server is called quillfeather."
    request = CaptureRequest(app="claude-code", kind=EventKind.PROMPT, key="k9", session="s9", text=said)
    engine.events.capture([request], wait_s=PATIENCE_S)
    wait(lambda: any("quillfeather" in title for title in page.titles))
    page.search("quillf")
    page.choose(next(title for title in page.titles if "quillfeather" in title))
    page.take_focus()
    page.key(Qt.Key.Key_Delete, Qt.KeyboardModifier.ShiftModifier)
    wait(lambda: Shell(page.window, page._qtbot).has("memory.erase.messages"))  # once it is known that it was said
    page.press("memory.erase.messages")
    page.press("memory.erase.go")
    wait(lambda: "Erased 1 memory and 1 message" in Shell(page.window, page._qtbot).notices)
    wait(lambda: page.titles == [] and not page.panel.list.did_you_mean.isVisible())
    assert engine.conversations.search("quillfeather") == ()


def test_links_lead_on_and_can_be_made_and_removed(
    page: MemoriesPage, ids: list[int], engine: Engine, wait: Wait
) -> None:
    engine.memories.link(ids[0], ids[1], LinkType.DEPENDS_ON)
    page.choose("Staging port")
    page.settle()
    (link,) = engine.memories.get(ids[0]).links
    page.panel.inspector.links.memory_wanted.emit(link.other_id)
    wait(lambda: page.shown_text == PNPM.text)
    page.panel.inspector.links.unlink_wanted.emit(link.id)
    wait(lambda: engine.memories.get(ids[0]).links == ())
    page.panel.inspector.links.reference.setText("#214")
    page.panel.inspector.links.reference.returnPressed.emit()
    wait(lambda: [one.reference for one in engine.memories.get(ids[1]).artifacts] == ["#214"])


def test_the_keys_work_at_once_on_arrival_by_key(page: MemoriesPage, wait: Wait) -> None:
    page.window.go("settings")
    page.key(Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    assert page.window.current_panel is page.panel
    assert page.panel.list.view.hasFocus()
    page.key(Qt.Key.Key_X)
    assert len(page.panel.model.marked_ids) == 1


def test_a_memory_has_a_link_and_the_link_shows_it(page: MemoriesPage, ids: list[int], wait: Wait) -> None:
    link = Place("memories", "memory", ids[1]).link
    assert link == f"remanence://memory/{ids[1]}"
    assert parse_link(link) == Place("memories", "memory", ids[1])
    page.window.go("now")
    assert page.window.open_link(link)
    wait(lambda: page.shown_text == PNPM.text)


def test_the_order_can_be_chosen(page: MemoriesPage, engine: Engine, ids: list[int], wait: Wait) -> None:
    sort = page.panel.list.sort
    assert isinstance(sort, QComboBox)
    sort.activated.emit(sort.findText("Oldest first"))
    page.settle()
    assert page.titles[0] == "Staging port"
    assert sort.currentText() == "Oldest first"


def test_where_from_leads_to_the_message(window: MainWindow, qtbot: QtBot, engine: Engine, wait: Wait) -> None:
    request = CaptureRequest(
        app="claude-code", kind=EventKind.PROMPT, key="k1", session="s1", text="We decided to use Postgres 16 for the orders.",
        cwd="/src/shop", project_root="/src/shop",
    )  # fmt: skip
    engine.events.capture([request], wait_s=PATIENCE_S)
    wait(lambda: engine.memories.count() >= 1)
    page = MemoriesPage(window, qtbot)
    wait(lambda: page.titles)
    page.settle()
    assert "memory.source" in page.panel.abilities()
    page.take_focus()
    page.key(Qt.Key.Key_C)
    assert window.current_panel is window.panel("conversations")
    panel = window.panel("conversations")
    assert panel is not None
    wait(lambda: "memory learned" in Shell(window, qtbot).texts(panel))
    assert "message.memories" in panel.abilities()
    panel.run("message.memories")
    assert window.current_panel is page.panel


def test_in_a_narrow_window_the_filters_give_way_before_the_list(page: MemoriesPage, wait: Wait) -> None:
    panel = page.panel
    page.window.resize(1024, 700)
    page.settle()
    assert panel.filter_card.isVisible()
    assert not panel.inspector.isVisible()
    page.take_focus()
    page.key(Qt.Key.Key_Return)
    wait(panel.inspector.isVisible)
    assert not panel.filter_card.isVisible()
    inspector = panel.inspector.mapTo(panel, QPoint(0, 0)).x()
    assert panel.list.mapTo(panel, QPoint(panel.list.width(), 0)).x() <= inspector, "the list is not covered"
    page.press("memories.filters")  # whoever wants them all the same has them
    assert panel.filter_card.isVisible()
    page.press("memories.filters")
    page.take_focus()
    page.key(Qt.Key.Key_Escape)
    panel.list.view.setFocus()
    page.window.resize(1280, 800)
    wait(lambda: not panel.room.is_over)


def test_an_inspector_put_away_where_it_is_narrow_comes_back_by_a_click_and_with_the_room(
    page: MemoriesPage, wait: Wait, qtbot: QtBot
) -> None:
    panel, view = page.panel, page.panel.list.view
    page.window.resize(1024, 700)
    page.settle()
    assert not panel.inspector.isVisible()

    def click(row: int) -> None:
        where = view.visualRect(view.model().index(row, 0)).center()
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=where)

    click(1)
    wait(panel.inspector.isVisible)
    page.key(Qt.Key.Key_Escape)
    panel.inspector.closed.emit()
    assert not panel.inspector.isVisible()
    click(0)
    wait(panel.inspector.isVisible)
    panel.inspector.closed.emit()
    page.window.resize(1440, 900)
    wait(panel.inspector.isVisible)


def test_a_narrow_window_lays_the_inspector_over_the_list(page: MemoriesPage, wait: Wait) -> None:
    page.window.resize(900, 600)
    assert page.panel.room.is_over
    assert not page.panel.inspector.isVisible()
    page.take_focus()
    page.key(Qt.Key.Key_Return)
    assert page.panel.inspector.isVisible()
    page.key(Qt.Key.Key_Escape)
    assert not page.panel.inspector.isVisible()
    assert page.panel.list.view.hasFocus()
    page.window.resize(1280, 800)
    assert not page.panel.room.is_over


def test_a_search_that_was_saved_by_return_asks_for_no_second_name(
    page: MemoriesPage, engine: Engine, wait: Wait
) -> None:
    page.search("port")
    page.press("memories.saved.save")
    wait(lambda: page.window.findChild(QLineEdit, "memories.saved.name.field") is not None)
    page.type("ports")
    page.key(Qt.Key.Key_Return)
    wait(lambda: [one.name for one in engine.saved_searches.list()] == ["ports"])
    page.settle()
    popups = page.window.findChildren(QLineEdit, "memories.saved.name.field")
    assert not [one for one in popups if one.isVisible()]


def test_what_a_person_confirmed_is_as_sure_as_the_person(engine: Engine, page: MemoriesPage) -> None:
    number = engine.memories.create(MemoryDraft("The mill runs on port 9090.", confidence=0.6))
    engine.memories.reject((number,))
    engine.journal.undo()
    assert engine.memories.get(number).memory.confidence == pytest.approx(0.6)
    engine.memories.accept((number,))
    assert engine.memories.get(number).memory.confidence == 1.0
    engine.journal.undo()
    assert engine.memories.get(number).memory.confidence == pytest.approx(0.6)


def test_a_notice_takes_the_focus_only_by_its_key(page: MemoriesPage, qtbot: QtBot, wait: Wait) -> None:
    page.take_focus()
    page.key(Qt.Key.Key_P)
    bar = page.window.notices
    wait(lambda: bar.notices)
    focus = QApplication.focusWidget()
    assert focus is not None
    for _ in range(60):  # Tab goes round the whole window
        page.key(Qt.Key.Key_Tab)
        assert (focus := QApplication.focusWidget()) is not None
        assert not bar.isAncestorOf(focus)
    page.window.commands.cycle_focus(1)
    steps = 0
    while not bar.isAncestorOf(QApplication.focusWidget()) and steps < 3:
        page.window.commands.cycle_focus(1)
        steps += 1
    assert bar.isAncestorOf(QApplication.focusWidget()), "F6 leads there"
