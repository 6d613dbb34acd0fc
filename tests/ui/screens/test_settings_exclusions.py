"""Settings, "Never captured": rules made by field and key, refused, seen at work, undone and removed."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.api import CaptureRequest, Engine, EventKind, EventState
from tests.ui.pages.shell import Shell
from ui.screens.base import Panel
from ui.screens.settings.panel import SettingsPanel
from ui.shell.main_window import MainWindow

Wait = Callable[[Callable[[], object]], None]


@pytest.fixture
def shell(window: MainWindow, qtbot: QtBot) -> Shell:
    return Shell(window, qtbot)


@pytest.fixture
def settings(shell: Shell, wait: Wait) -> Panel:
    panel = shell.go("settings")
    assert isinstance(panel, SettingsPanel)
    panel.show_tab("privacy")
    wait(lambda: shell.has("settings.exclusions") and "Nothing is excluded" in shell.texts(panel))
    return panel


def field(shell: Shell, name: str) -> QLineEdit:
    found = shell.find(name)
    assert isinstance(found, QLineEdit)
    return found


def test_words_and_folders_are_excluded_counted_and_taken_back(
    settings: Panel, shell: Shell, engine: Engine, wait: Wait, qtbot: QtBot
) -> None:
    words, folder = (field(shell, f"settings.exclusions.{name}") for name in ("words", "folder"))
    words.setText("project zeus")
    qtbot.keyClick(words, Qt.Key.Key_Return)
    wait(lambda: "Anything containing “project zeus”" in shell.texts(settings))
    assert words.text() == ""
    request = CaptureRequest(app="codex", kind=EventKind.PROMPT, key="k", session="s", text="Project Zeus is late")
    assert engine.events.capture([request])[0].state is EventState.IGNORED
    folder.setText("/w/secret")
    shell.press("settings.exclusions.folder.add")
    wait(lambda: "Everything in /w/secret" in shell.texts(settings))
    assert "excluded 1 event" in shell.texts(settings)
    assert "excluded 0 events" in shell.texts(settings)
    box = shell.find("settings.secrets.text")
    assert isinstance(box, QPlainTextEdit)
    box.setPlainText("about Project Zeus")
    wait(lambda: "Not stored: you excluded these words." in shell.texts(settings))
    first = engine.rules.exclusions()[0].id
    shell.press(f"settings.exclusions.remove.{first}")
    wait(lambda: len(engine.rules.exclusions()) == 1)
    engine.journal.undo()
    wait(lambda: shell.has(f"settings.exclusions.remove.{first}"))


def test_a_refused_rule_can_be_mended(settings: Panel, shell: Shell, engine: Engine, wait: Wait) -> None:
    folder = field(shell, "settings.exclusions.folder")
    folder.setText("secret")
    shell.press("settings.exclusions.folder.add")
    wait(lambda: "is not a full path" in shell.texts(shell.window))
    assert folder.text() == "secret"
    assert engine.rules.exclusions() == ()
