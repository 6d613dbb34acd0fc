"""Words that were typed and not saved: there again after the window was left, gone with the memory, whatever the file says."""

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.api import Engine, FrozenClock, MemoryDraft, Places
from app.values import MemoryEdit
from tests.ui.pages.memories import MemoriesPage
from tests.ui.pages.shell import Shell
from tests.ui.test_session import _House, house
from ui.main import WindowSession
from ui.screens.memories.panel import MemoriesPanel
from ui.screens.memories.sheets.new import NewMemorySheet
from ui.screens.review.panel import ReviewPanel
from ui.shell.main_window import MainWindow
from ui.unsaved import FILE_NAME, UnsavedTexts

Wait = Callable[[Callable[[], object]], None]
__all__ = ["house"]
OLD, NEW = "Backups run at night.", "Backups run at noon,\nand on Sundays, too – “both”."


def shown(session: WindowSession, memory_id: int, qtbot: QtBot) -> MemoriesPanel:
    window = session.window
    qtbot.waitUntil(lambda: window.state is not None)
    window.open_link(f"remanence://memory/{memory_id}")
    panel = window.current_panel
    assert isinstance(panel, MemoriesPanel)
    qtbot.waitUntil(lambda: panel.inspector.memory is not None and panel.inspector.memory.id == memory_id)
    return panel


def notices(session: WindowSession) -> list[str]:
    return [one.text for one in session.window.notices.notices]


def test_what_was_typed_is_there_again_after_quitting(
    qtbot: QtBot, house: _House, places: Places, clock: FrozenClock
) -> None:
    engine = Engine.open(places, clock=clock)
    number = engine.memories.create(MemoryDraft(OLD, title="Backups"))
    other = engine.memories.create(MemoryDraft("The warehouse is in Graz."))
    engine.close()
    session = house.open()
    shown(session, number, qtbot).inspector.levels.editor.setPlainText(NEW)
    shown(session, other, qtbot).inspector.levels.editor.setPlainText("The warehouse is in Linz.")
    session.window.quit()
    house.close(session)

    session = house.open()
    qtbot.waitUntil(lambda: any("not saved yet" in text for text in notices(session)))
    assert (
        notices(session)[-1]
        == "What you typed into “Backups” and into 1 other memory is not saved yet. It is kept there until you save or discard it."
    )
    levels = shown(session, number, qtbot).inspector.levels
    assert levels.editor.toPlainText() == NEW
    assert levels.save.isVisibleTo(levels)
    qtbot.waitUntil(lambda: "not saved yet" in levels.count.text() and not levels.count.text().startswith("5 tokens"))
    levels.save_typed()
    qtbot.waitUntil(lambda: session.window.unsaved.memory_ids == (other,))
    qtbot.waitUntil(lambda: any("Graz" in text and "not saved yet" in text for text in notices(session)))
    assert not any("“Backups”" in text and "not saved yet" in text for text in notices(session))
    shown(session, other, qtbot).inspector.levels.take_back()
    assert not any("not saved yet" in text for text in notices(session))
    house.close(session)
    assert not (places.state_dir / FILE_NAME).exists(), "nothing waits any more"

    session = house.open()
    assert shown(session, number, qtbot).inspector.levels.editor.toPlainText() == NEW
    assert not any("not saved yet" in text for text in notices(session))


def test_the_text_of_a_new_memory_is_there_again(
    qtbot: QtBot, house: _House, places: Places, engine_texts: Callable[[], list[str]]
) -> None:
    session = house.open()
    qtbot.waitUntil(lambda: session.window.state is not None)
    session.window.commands.new_memory()
    sheet = session.window.findChild(NewMemorySheet)
    assert sheet is not None
    sheet.text.setPlainText("Deploys wait for Ada.")
    sheet.close_sheet()
    session.window.commands.new_memory()
    assert sheet.typed == "Deploys wait for Ada."
    house.close(session)

    session = house.open()
    qtbot.waitUntil(lambda: session.window.state is not None)
    session.window.commands.new_memory()
    sheet = session.window.findChild(NewMemorySheet)
    assert sheet is not None
    assert sheet.typed == "Deploys wait for Ada."
    sheet.create_button.click()
    qtbot.waitUntil(lambda: not session.window.bridge.is_waiting)
    session.window.commands.new_memory()
    assert sheet.typed == ""
    house.close(session)
    assert engine_texts() == ["Deploys wait for Ada."]


@pytest.fixture
def engine_texts(places: Places, clock: FrozenClock) -> Callable[[], list[str]]:
    def read() -> list[str]:
        with closing(Engine.open(places, clock=clock)) as engine:
            return [engine.memories.get(card.id).memory.levels.full.text for card in engine.memories.list().cards]

    return read


def test_words_for_an_erased_memory_go_with_it(engine: Engine, window: MainWindow, qtbot: QtBot, wait: Wait) -> None:
    number = engine.memories.create(MemoryDraft(OLD, title="Backups"))
    page = MemoriesPage(window, qtbot)
    wait(lambda: page.titles == ["Backups"])
    page.choose("Backups")
    page.panel.inspector.levels.editor.setPlainText("The secret is 1234.")
    assert window.unsaved.memory_ids == (number,)
    window.bridge.do("memory.erase", lambda opened: opened.memories.erase((number,)))
    wait(lambda: window.unsaved.memory_ids == ())


def test_words_typed_in_the_review_wait_in_the_memory(
    engine: Engine, window: MainWindow, qtbot: QtBot, wait: Wait
) -> None:
    from app.api import Origin

    number = engine.memories.create(MemoryDraft(OLD, project_path="/src/cortex"), origin=Origin.API)
    window.go("now")
    window.actions_table.run("memory.review")
    panel = window.current_panel
    assert isinstance(panel, ReviewPanel)
    wait(lambda: panel.current is not None)
    shell, card = Shell(window, qtbot), panel.pair.memory
    assert not card.unsaved_line.isVisibleTo(card)
    shell.key(Qt.Key.Key_E)
    card.editor.setPlainText(NEW)
    window.go("now")
    assert window.unsaved.memory_ids == (number,)
    window.go("review")
    wait(lambda: card.unsaved_line.isVisibleTo(card))
    shell.key(Qt.Key.Key_E)
    assert QApplication.focusWidget() is card.editor
    assert card.editor.toPlainText() == NEW
    shell.key(Qt.Key.Key_Escape)
    assert window.unsaved.memory_ids == (), "Esc discards it"
    assert not card.unsaved_line.isVisibleTo(card)


def test_after_a_restore_another_memory_may_have_the_number(engine: Engine, places: Places) -> None:
    memory = engine.memories.get(engine.memories.create(MemoryDraft(OLD))).memory
    unsaved = UnsavedTexts(places.state_dir)
    unsaved.keep(memory, {"full": NEW}, memory.revision)
    unsaved.write()
    again = UnsavedTexts(places.state_dir)
    waiting = again.of(memory)
    assert waiting is not None
    assert waiting.texts == {"full": NEW}
    other = replace(memory, recorded_at=memory.recorded_at.replace(year=2001))
    assert again.of(other) is None
    again.forget_gone({memory.id: other})
    assert again.memory_ids == ()
    engine.memories.edit(memory.id, MemoryEdit(full=NEW))
    unsaved.forget_saved({memory.id: engine.memories.get(memory.id).memory})
    assert unsaved.memory_ids == ()
    unsaved.write()
    again.write()


BROKEN = (
    "",
    "[]",
    "{" * 4_000,
    '{"memories": 7}',
    '{"memories": [{"id": "x"}, 5, null], "new_memory": 3}',
    json.dumps({"memories": [{"id": 1, "revision": 1, "recorded_at": "never", "texts": {}}]}),
)


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_file_is_as_good_as_none(places: Places, text: str) -> None:
    places.prepare()
    (places.state_dir / FILE_NAME).write_text(text, encoding="utf-8")
    unsaved = UnsavedTexts(places.state_dir)
    assert (unsaved.memory_ids, unsaved.new_memory) == ((), "")
