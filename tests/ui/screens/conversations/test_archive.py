"""The prompt archive in the window: found, opened at its place, chosen, asked before it is deleted."""

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from app.api import CaptureRequest, Engine, EventKind
from tests.patience import PATIENCE_S
from tests.ui.pages.shell import Shell
from ui.navigation import Place
from ui.shell.main_window import MainWindow

Wait = Callable[[Callable[[], object]], None]
HERON = "why does the heron export stop after the third page?"


@pytest.fixture
def shell(window: MainWindow, qtbot: QtBot) -> Shell:
    return Shell(window, qtbot)


@pytest.fixture
def archived(engine: Engine, window: MainWindow) -> int:
    """A prompt that left the queue; its number."""
    engine.archive.choose("forever")
    engine.settings.set("queue_size", 3)
    made = 0
    for number, text in enumerate((HERON, "Add a sidebar", "Fix the footer", "Rename the page", "Sort the list")):
        request = CaptureRequest("codex", EventKind.PROMPT, f"arch{number}", f"arch{number}", text, cwd="/w/shop")
        (done,) = engine.events.capture([request], wait_s=PATIENCE_S)
        made = made or done.message_id or 0
    assert engine.archive.get(made).text == HERON
    return made


def test_it_opens_read_only_at_its_place(archived: int, shell: Shell, window: MainWindow, wait: Wait) -> None:
    panel = shell.go("conversations")
    window.navigator.go(Place("conversations", "message", archived))
    wait(lambda: "prompts from the archive" in shell.texts(panel))
    assert "message.copy" in panel.abilities()
    assert "message.split" not in panel.abilities()
    panel.search("heron export")
    wait(lambda: "1 hit for “heron export”" in shell.texts(panel))


def test_settings_choose_and_ask_before_anything_is_deleted(
    archived: int, shell: Shell, engine: Engine, wait: Wait
) -> None:
    shell.go("settings")
    wait(lambda: shell.has("setting.archive.value"))
    box = shell.find("setting.archive.value")
    assert isinstance(box, QComboBox)
    wait(lambda: box.currentText() == "Kept forever")
    count = engine.archive.status().prompt_count
    assert archived
    box.setCurrentIndex(box.findData("off"))
    box.activated.emit(box.currentIndex())
    wait(lambda: shell.has("archive.go") and shell.find("archive.go").isVisible())
    shell.press("archive.cancel")
    wait(lambda: box.currentText() == "Kept forever")
    box.setCurrentIndex(box.findData("off"))
    box.activated.emit(box.currentIndex())
    wait(lambda: shell.find("archive.go").isVisible())
    shell.press("archive.go")
    wait(lambda: engine.archive.status().prompt_count == 0)
    assert engine.settings.current.archive == "off"
    assert count


def test_health_says_how_much_is_kept(archived: int, engine: Engine, window: MainWindow) -> None:
    assert archived
    stats = engine.stats.now()
    assert (stats.archive, stats.archive_prompt_count >= 1, stats.archive_byte_count > 0) == ("forever", True, True)
