"""A field for text keeps the keys of writing, and lets the keys of the window through."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.api import Engine, MemoryDraft
from tests.ui.pages.memories import MemoriesPage
from tests.ui.pages.shell import Shell
from ui.actions.table import ACTIONS
from ui.shell.main_window import MainWindow

Wait = Callable[[Callable[[], object]], None]
TEXT = "The well has a pump."


@pytest.fixture
def page(engine: Engine, window: MainWindow, qtbot: QtBot, wait: Wait) -> MemoriesPage:
    engine.memories.create(MemoryDraft(TEXT, title="Well"))
    made = MemoriesPage(window, qtbot)
    wait(lambda: made.shown_text == TEXT)
    made.settle()
    made.panel.inspector.levels.editor.setFocus()
    return made


def test_what_is_written_stays_in_the_field(page: MemoriesPage, engine: Engine, wait: Wait) -> None:
    editor = page.panel.inspector.levels.editor
    page.key(Qt.Key.Key_End)
    page.type("jnp7 X?")
    page.key(Qt.Key.Key_Delete)
    assert page.shown_text == TEXT + "jnp7 X?"
    page.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert page.shown_text == TEXT
    assert QApplication.focusWidget() is editor
    assert engine.memories.get(1).memory.is_pinned is False


def test_the_screens_are_a_key_away_from_a_text_too(
    page: MemoriesPage, window: MainWindow, qtbot: QtBot, wait: Wait
) -> None:
    (action,) = [one for one in ACTIONS if one.id == "go.context"]
    QTest.keySequence(window, QKeySequence(action.shortcuts[0]))
    shell = Shell(window, qtbot)
    wait(lambda: shell.screen == "context")
