"""Peeking, merging, filing, never telling, writing to a file: on the real window, by keys, each with its undo."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from app.api import Engine, MemoryDraft, MemoryEdit, MemoryFilter, MemoryStatus, Origin, Visibility
from app.values.graph import NodeId, NodeKind, Relation
from tests.ui.pages.memories import MemoriesPage
from tests.ui.pages.shell import Shell
from ui.screens.memories.sheets.merge import MergeSheet
from ui.shell.main_window import MainWindow
from ui.widgets.memories.peek import PeekSheet

Wait = Callable[[Callable[[], object]], None]
SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
LONG = "Every night the warehouse is copied to the second site. " * 40


@pytest.fixture
def ids(engine: Engine) -> list[int]:
    drafts = (
        MemoryDraft("Backups run at night.", title="Backups", project_path="/w/shop"),
        MemoryDraft("The warehouse is backed up at two.", title="Warehouse", tags=("ops",), project_path="/w/till"),
        MemoryDraft(LONG, title="Second site"),
    )
    return [engine.memories.create(draft) for draft in drafts]


@pytest.fixture
def page(ids: list[int], window: MainWindow, qtbot: QtBot, wait: Wait) -> MemoriesPage:
    made = MemoriesPage(window, qtbot)
    wait(lambda: len(made.titles) == 3)
    made.settle()
    window.notices.clear()
    return made


def sheet(page: MemoriesPage) -> PeekSheet:
    found = page.window.findChild(PeekSheet)
    assert found is not None
    return found


def mark(page: MemoriesPage, *titles: str) -> None:
    page.panel.model.mark_rows([page.titles.index(title) for title in titles])
    page.take_focus()


def test_space_looks_the_same_keys_go_on_and_the_list_has_the_focus_again(page: MemoriesPage, wait: Wait) -> None:
    page.choose("Backups")
    page.take_focus()
    page.key(Qt.Key.Key_Space)
    peek = sheet(page)
    wait(lambda: "by hand" in peek.quotes.text())
    assert peek.text.text() == "Backups run at night."
    row = page.titles.index("Backups")
    page.key(Qt.Key.Key_K if row else Qt.Key.Key_J)
    assert page.current != "Backups"
    assert page.current in peek.text.text() or peek.text.text().startswith("The warehouse")
    page.key(Qt.Key.Key_Space)
    assert not peek.is_open
    assert QApplication.focusWidget() is page.panel.list.view


def test_a_long_one_scrolls_and_enter_goes_into_it(page: MemoriesPage, wait: Wait) -> None:
    page.choose("Second site")
    page.take_focus()
    page.key(Qt.Key.Key_Space)
    peek = sheet(page)
    wait(lambda: peek.long.isVisible() and len(peek.long.toPlainText()) > 2_000)
    assert not peek.text.isVisible()
    assert peek.sheet.height() <= page.window.height()
    page.key(Qt.Key.Key_Return)
    wait(lambda: QApplication.focusWidget() is page.panel.inspector.levels.editor)


def test_two_are_merged_with_the_effect_told_before(
    page: MemoriesPage, ids: list[int], engine: Engine, wait: Wait
) -> None:
    page.choose("Warehouse")
    mark(page, "Backups", "Warehouse")
    page.key(Qt.Key.Key_M)
    wait(lambda: page.window.findChild(MergeSheet) is not None and page.window.findChild(MergeSheet).is_open)
    merge = page.window.findChild(MergeSheet)
    assert merge is not None
    assert merge.text.toPlainText() == "The warehouse is backed up at two."
    assert "It belongs to till" in merge.effect.text()
    assert "Tags: ops." in merge.effect.text()
    page.press(f"memory.merge.keep.{ids[0]}")
    assert merge.text.toPlainText() == "Backups run at night."
    merge.text.setPlainText("Backups run at night, the warehouse at two.")
    wait(lambda: merge.tokens.text() == "10 tokens" or merge.tokens.text().endswith("tokens"))
    page.key(Qt.Key.Key_Return, CTRL)
    wait(lambda: len(page.titles) == 2)
    kept = engine.memories.get(ids[0])
    assert kept.memory.levels.full.text == "Backups run at night, the warehouse at two."
    assert engine.memories.get(ids[1]).memory.status is MemoryStatus.ARCHIVED
    assert page.panel.model.marked_ids == ()
    wait(lambda: any("Merged 2 memories" in one for one in Shell(page.window, page._qtbot).notices))
    page.key(Qt.Key.Key_Z, CTRL)
    wait(lambda: len(page.titles) == 3)
    assert engine.memories.get(ids[0]).memory.levels.full.text == "Backups run at night."


def test_the_merge_sheet_is_as_high_as_what_it_shows(page: MemoriesPage, wait: Wait) -> None:
    page.window.resize(1280, 800)
    for other in ("Warehouse", "Second site"):
        mark(page, "Backups", other)
        page.key(Qt.Key.Key_M)
        wait(lambda: page.window.findChild(MergeSheet) is not None and page.window.findChild(MergeSheet).is_open)
        merge = page.window.findChild(MergeSheet)
        assert merge is not None
        page.settle()
        column = merge.listed.column  # a stretch stands below the last one
        room = merge.listed.content.height() - column.itemAt(column.count() - 2).geometry().bottom()
        assert 0 <= room <= 20, "no empty room below the last one"
        assert merge.listed.verticalScrollBar().maximum() == 0, "and none is hidden"
        merge.close_sheet()


def test_what_waits_cannot_be_merged_and_says_so(page: MemoriesPage, engine: Engine, wait: Wait) -> None:
    engine.memories.create(MemoryDraft("Deploys run on Fridays.", title="Deploys"), origin=Origin.API)
    wait(lambda: "Deploys" in page.titles)
    mark(page, "Deploys", "Backups")
    page.key(Qt.Key.Key_M)
    wait(lambda: page.window.findChild(MergeSheet) is not None)
    page.key(Qt.Key.Key_Return, CTRL)
    wait(lambda: any("is not in use. Accept it first." in one for one in Shell(page.window, page._qtbot).notices))
    assert engine.memories.count(MemoryFilter()) == 4


def test_n_withholds_the_card_says_so_and_n_again_takes_it_back(page: MemoriesPage, engine: Engine, wait: Wait) -> None:
    page.choose("Backups")
    page.take_focus()
    page.key(Qt.Key.Key_N)
    wait(lambda: (card := page.panel.list.view.current_card()) is not None and card.is_withheld)
    wait(lambda: "never given" in page.panel.inspector.meta.text())
    page.key(Qt.Key.Key_N)
    wait(lambda: (card := page.panel.list.view.current_card()) is not None and not card.is_withheld)
    assert engine.context.placements() == ()


def test_several_are_filed_under_a_project_and_shared(
    page: MemoriesPage, ids: list[int], engine: Engine, wait: Wait
) -> None:
    mark(page, "Warehouse", "Second site")
    page.key(Qt.Key.Key_T, SHIFT)
    shell = Shell(page.window, page._qtbot)
    wait(lambda: shell.has("memory.scope.project.0"))
    names = {shell.button(f"memory.scope.project.{n}").accessibleName(): n for n in (0, 1)}
    page.press(f"memory.scope.project.{names['shop']}")
    wait(lambda: engine.memories.get(ids[1]).memory.project == "shop")
    assert engine.memories.get(ids[2]).memory.project == "shop"
    page.take_focus()
    page.key(Qt.Key.Key_T, SHIFT)
    wait(lambda: shell.has("memory.scope.all"))
    page.press("memory.scope.all")
    wait(lambda: engine.memories.get(ids[1]).memory.visibility is Visibility.PROJECT_SHARED)


def test_the_selected_ones_go_to_a_file(page: MemoriesPage, tmp_path: Path, wait: Wait) -> None:
    mark(page, "Warehouse")
    page.key(Qt.Key.Key_E, CTRL | SHIFT)
    dialog = next(one for one in QApplication.topLevelWidgets() if isinstance(one, QFileDialog))
    wait(dialog.isVisible)
    assert not dialog.testOption(QFileDialog.Option.DontConfirmOverwrite), "it asks before a file is replaced"
    assert dialog.testOption(QFileDialog.Option.ReadOnly), "it cannot delete"
    dialog.fileSelected.emit(str(tmp_path / "some.md"))
    dialog.close()
    wait(lambda: (tmp_path / "some.md").is_file())
    assert (tmp_path / "some.md").read_text().startswith("- The warehouse is backed up at two.")
    wait(lambda: "Wrote 1 memory to some.md" in Shell(page.window, page._qtbot).notices)


def test_the_bar_shows_only_what_can_be_done(page: MemoriesPage, wait: Wait) -> None:
    mark(page, "Warehouse")
    shell = Shell(page.window, page._qtbot)
    wait(lambda: shell.has("button.memory.tag"))
    assert not shell.has("button.memory.merge")
    assert not shell.has("button.memory.accept")
    mark(page, "Backups")
    wait(lambda: shell.has("button.memory.merge"))


def test_words_that_were_not_saved_wait_in_their_memory(page: MemoriesPage, wait: Wait) -> None:
    page.choose("Backups")
    page.take_focus()
    page.key(Qt.Key.Key_E)
    editor = page.panel.inspector.levels.editor
    wait(lambda: QApplication.focusWidget() is editor and editor.toPlainText() == "Backups run at night.")
    editor.setPlainText("Backups run at noon.")
    page.choose("Warehouse")
    wait(lambda: editor.toPlainText().startswith("The warehouse"))
    (told,) = [one for one in page.window.notices.notices if "not saved yet" in one.text]
    assert told.on_action is not None
    told.on_action()
    wait(lambda: editor.toPlainText() == "Backups run at noon.")
    assert page.panel.inspector.levels.save.isVisible()
    assert "not saved yet" in page.panel.inspector.levels.count.text()


def test_what_is_saved_is_no_draft_and_what_could_not_be_saved_is_one_again(
    page: MemoriesPage, ids: list[int], engine: Engine, wait: Wait
) -> None:
    page.choose("Backups")
    page.take_focus()
    levels = page.panel.inspector.levels
    before = page.panel.inspector.memory
    assert before is not None
    levels.editor.setPlainText("Backups run at noon.")
    engine.memories.edit(ids[0], MemoryEdit(full="Backups run at dawn."))  # somebody else was faster
    levels.save_typed()
    wait(lambda: levels.is_dirty)
    wait(lambda: engine.memories.get(ids[0]).memory.levels.full.text == "Backups run at dawn.")
    assert levels.editor.toPlainText() == "Backups run at noon."
    levels.take_back()
    wait(lambda: levels.editor.toPlainText() == "Backups run at dawn.")
    levels.editor.setPlainText("Backups run at noon.")
    levels.save_typed()
    levels.set_memory(page.panel.inspector.memory or before)  # a reading that was on its way
    assert not levels.is_dirty
    assert levels.editor.toPlainText() == "Backups run at noon."
    wait(lambda: engine.memories.get(ids[0]).memory.levels.full.text == "Backups run at noon.")


def test_a_save_that_is_refused_at_once_leaves_the_text_unsaved(page: MemoriesPage) -> None:
    page.choose("Backups")
    levels = page.panel.inspector.levels
    levels.editor.setPlainText("Backups run at noon.")
    levels.saved.disconnect()
    levels.saved.connect(lambda _: levels.give_back())
    levels.save_typed()
    assert levels.is_dirty
    assert levels.save.isVisibleTo(levels)


def test_after_saving_ctrl_z_undoes_what_was_saved(
    page: MemoriesPage, ids: list[int], engine: Engine, wait: Wait
) -> None:
    page.choose("Backups")
    page.take_focus()
    page.key(Qt.Key.Key_E)
    editor = page.panel.inspector.levels.editor
    wait(lambda: QApplication.focusWidget() is editor)
    editor.setPlainText("Backups run at noon.")
    page.key(Qt.Key.Key_Return, CTRL)
    wait(lambda: engine.memories.get(ids[0]).memory.levels.full.text == "Backups run at noon.")
    assert QApplication.focusWidget() is page.panel.list.view
    wait(lambda: "Edited" in page.window.actions_table.action("edit.undo").text())
    page.key(Qt.Key.Key_Z, CTRL)
    wait(lambda: engine.memories.get(ids[0]).memory.levels.full.text == "Backups run at night.")
    wait(lambda: editor.toPlainText() == "Backups run at night.")


def test_the_inspector_says_why_it_is_so(page: MemoriesPage, ids: list[int], engine: Engine, wait: Wait) -> None:
    reasons = page.panel.inspector.reasons
    page.choose("Backups")
    assert not reasons.isVisibleTo(page.panel.inspector)
    a, b = NodeId(NodeKind.MEMORY, ids[0]), NodeId(NodeKind.MEMORY, ids[1])
    engine.graph.draw(a, b, Relation.SUPERSEDES, reason="two copies a day filled the disk")
    wait(lambda: reasons.text() == "It replaced “Warehouse”: two copies a day filled the disk.")
    assert reasons.isVisibleTo(page.panel.inspector)
    engine.memories.edit(ids[0], MemoryEdit(full="Backups run at night, because the disks are idle then."))
    wait(lambda: "disks are idle" in page.shown_text)
    assert reasons.text() == "It replaced “Warehouse”: two copies a day filled the disk.", (
        "the text says the other itself"
    )
