"""Notes on the page of their app, and the energy of background work in Activity: shown, corrected, deleted, drawn."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.api import Engine, FrozenClock, Scope
from app.values.energy import Work
from tests.ui.pages.shell import Shell
from ui.navigation import Place
from ui.screens.activity.panel import ActivityPanel
from ui.shell.main_window import MainWindow
from ui.widgets.text_area import TextArea

Wait = Callable[[Callable[[], object]], None]


@pytest.fixture
def shell(window: MainWindow, qtbot: QtBot) -> Shell:
    return Shell(window, qtbot)


@pytest.fixture
def noted(engine: Engine) -> int:
    """An app with three notes; the number of the newest."""
    engine.apps.create("my-editor", "My editor", frozenset({Scope.READ}))
    engine.notes.add("my-editor", "Exports are CSV, with a header line.", importance=8)
    engine.notes.add("my-editor", "The user prefers short answers without lists.")
    return engine.notes.add("my-editor", "The build failed because the lock file was stale; deleting it helped.")


def press(shell: Shell, wait: Wait, name: str) -> None:
    """Rows are made anew: what is pressed may be a moment away."""
    wait(lambda: shell.has(name))
    shell.press(name)


def test_an_app_shows_its_notes_and_one_is_changed_in_place(
    shell: Shell, engine: Engine, wait: Wait, noted: int
) -> None:
    panel = shell.go("apps")
    wait(lambda: shell.has("app.my-editor.notes") and shell.find("app.my-editor.notes").text() == "Notes (3)")
    assert "Exports are CSV" not in shell.texts(panel)
    press(shell, wait, "app.my-editor.notes")
    wait(lambda: "Exports are CSV, with a header line." in shell.texts(panel))
    assert "yours · important" in shell.texts(panel)
    press(shell, wait, f"app.my-editor.note{noted}.edit")
    wait(lambda: shell.has("app.my-editor.note.text"))
    area = shell.find("app.my-editor.note.text")
    assert isinstance(area, TextArea)
    wait(area.hasFocus)
    area.setPlainText("x" * 201)
    assert "201 of 200 characters" in shell.texts(panel)
    assert not shell.find("app.my-editor.note.save").isEnabled()
    area.setPlainText("A stale lock file breaks the build; delete it.")
    QTest.keyClick(area, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    wait(lambda: engine.notes.get(noted).content == "A stale lock file breaks the build; delete it.")
    wait(lambda: "A stale lock file" in shell.texts(panel))
    engine.journal.undo()
    wait(lambda: "deleting it helped" in shell.texts(panel))


def test_esc_leaves_a_note_as_it_was_and_a_new_one_is_added(
    shell: Shell, engine: Engine, wait: Wait, noted: int
) -> None:
    panel = shell.go("apps")
    wait(lambda: shell.has("app.my-editor.notes") and shell.find("app.my-editor.notes").text() == "Notes (3)")
    press(shell, wait, "app.my-editor.notes")
    press(shell, wait, f"app.my-editor.note{noted}.edit")
    wait(lambda: shell.has("app.my-editor.note.text"))
    area = shell.find("app.my-editor.note.text")
    assert isinstance(area, TextArea)
    area.setPlainText("never mind")
    QTest.keyClick(area, Qt.Key.Key_Escape)
    wait(lambda: not shell.has("app.my-editor.note.text"))
    wait(lambda: "deleting it helped" in shell.texts(panel))
    press(shell, wait, "app.my-editor.note.add")
    wait(lambda: shell.has("app.my-editor.note.text"))
    area = shell.find("app.my-editor.note.text")
    assert isinstance(area, TextArea)
    area.setPlainText("Releases go out on Mondays.")
    press(shell, wait, "app.my-editor.note.save")
    wait(lambda: len(engine.notes.list()) == 4)
    wait(lambda: shell.has("app.my-editor.notes") and shell.find("app.my-editor.notes").text() == "Notes (4)")


def test_one_is_made_a_memory_one_deleted_all_purged_and_undone(
    shell: Shell, engine: Engine, wait: Wait, noted: int
) -> None:
    panel = shell.go("apps")
    wait(lambda: shell.has("app.my-editor.notes") and shell.find("app.my-editor.notes").text() == "Notes (3)")
    press(shell, wait, "app.my-editor.notes")
    press(shell, wait, f"app.my-editor.note{noted}.promote")
    wait(lambda: engine.notes.get(noted).memory_id is not None)
    wait(lambda: shell.has(f"app.my-editor.note{noted}.memory"))
    press(shell, wait, f"app.my-editor.note{noted}.delete")
    wait(lambda: shell.has("app.my-editor.notes") and shell.find("app.my-editor.notes").text() == "Notes (2)")
    engine.journal.undo()
    wait(lambda: shell.has("app.my-editor.notes") and shell.find("app.my-editor.notes").text() == "Notes (3)")
    press(shell, wait, "app.my-editor.notes.purge")
    wait(lambda: "No note yet." in shell.texts(panel))
    engine.journal.undo()
    wait(lambda: shell.has("app.my-editor.notes") and shell.find("app.my-editor.notes").text() == "Notes (3)")


def test_the_energy_page_says_level_uses_and_what_was_put_off(
    window: MainWindow, shell: Shell, engine: Engine, wait: Wait, clock: FrozenClock, noted: int
) -> None:
    del noted
    energy = engine._core.energy
    for hours, tokens in ((5, 600), (3, 1_500), (2, 450)):
        clock.advance(minutes=60 * (5 - hours))
        energy.book(Work.NOTE, token_count=360)
        energy.book(Work.JUDGE, token_count=tokens)
    energy.book(Work.COMPACTION, token_count=750)
    energy.book(Work.CONSOLIDATION, cpu_s=86.0)
    energy.note_put_off(Work.NOTE, "energy")
    window.go("activity")
    panel = window.current_panel
    assert isinstance(panel, ActivityPanel)
    panel.visit(Place("activity", query="energy"))
    wait(lambda: "is left" in panel.energy.level.text())
    assert "it continues at 20 %" in panel.energy.level.text()
    assert panel.energy.meter.accessibleName().endswith("of 1,000 units, low")
    wait(lambda: "Consolidating" in shell.texts(panel.energy))
    assert "Put off: writing notes, last just now, because energy was low." in panel.energy.put_off.text()
    assert "3 notes" in panel.energy.notes.text()
    clock.advance(minutes=60)
    engine.energy.consumed_since_last_poll()
    energy.book(Work.INDEX, cpu_s=0.2)
    wait(lambda: "Energy is low" not in panel.energy.level.text())
    assert engine.energy.state().full_at is not None
    assert engine.energy.state().full_at <= clock.now() + timedelta(hours=1)
