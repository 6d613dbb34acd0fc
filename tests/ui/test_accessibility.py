"""Every screen in every state: names on all that takes the focus, targets of 24 px, no text of 0 size, no cut buttons."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.api import Engine
from tests.ui.faults import cut_off, faults_of, out_of_reach, settled
from tests.ui.pages.shell import Shell
from ui.pictures.screenshots import SCENES
from ui.shell.main_window import MainWindow
from ui.theme import font
from ui.widgets.popups.overlay import Overlay

Wait = Callable[[Callable[[], object]], None]
pytestmark = pytest.mark.usefixtures("no_stray_windows")
MEMORY_SCENES = (
    "memories-selected",
    "memories-merge",
    *(pytest.param(one, marks=pytest.mark.slow) for one in ("memories-table", "memories-peek")),
)


@pytest.fixture
def shell(window: MainWindow, qtbot: QtBot) -> Shell:
    return Shell(window, qtbot)


def _walk(shell: Shell, wait: Wait, look: Callable[[MainWindow], list[str]]) -> dict[str, list[str]]:
    """What `look` finds on each screen, screens without a finding left out."""
    found = {}
    for screen in shell.window.screens:
        shell.window.go(screen.id)
        wait(lambda: not shell.window.bridge.is_waiting)
        QApplication.processEvents()
        shell.window.notices.clear()
        found[screen.id] = settled(look, shell.window)
    return {screen: faults for screen, faults in found.items() if faults}


def test_empty_screens_name_everything_and_have_targets_of_24_px(shell: Shell, wait: Wait) -> None:
    assert _walk(shell, wait, faults_of) == {}


@pytest.mark.usefixtures("demo")
def test_full_screens_do_so_too_and_nothing_is_cut_off_at_150_percent_in_the_smallest_window(
    engine: Engine, shell: Shell, wait: Wait
) -> None:
    wait(lambda: shell.window.state is not None and shell.window.state.stats.message_count > 30)
    assert _walk(shell, wait, faults_of) == {}
    assert _walk(shell, wait, cut_off) == {}
    engine.settings.set("font_percent", 150)
    wait(lambda: shell.window.theme.font_percent == 150)
    shell.window.resize(900, 600)
    assert _walk(shell, wait, cut_off) == {}


@pytest.mark.usefixtures("demo")
def test_tab_comes_to_every_control_of_every_screen(shell: Shell, wait: Wait) -> None:
    wait(lambda: shell.window.state is not None and shell.window.state.stats.message_count > 30)
    assert _walk(shell, wait, out_of_reach) == {}


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("scene", MEMORY_SCENES)
def test_every_state_of_memories_is_named_whole_and_in_reach(shell: Shell, wait: Wait, scene: str) -> None:
    window = shell.window
    _, show, _ = next(one for one in SCENES if one[0] == scene)
    window.go("memories")
    wait(lambda: not window.bridge.is_waiting)
    show(window)
    wait(lambda: not window.bridge.is_waiting)
    window.notices.clear()
    assert settled(faults_of, window) == []
    assert settled(cut_off, window) == []
    if not any(sheet.is_open for sheet in window.findChildren(Overlay)):
        assert settled(out_of_reach, window) == []  # a list that is read anew meanwhile takes its rows out of the round


def test_the_rail_grows_with_the_text(engine: Engine, shell: Shell, wait: Wait) -> None:
    rail, before = shell.window.rail, shell.window.rail.width()
    engine.settings.set("font_percent", 150)
    wait(lambda: shell.window.theme.font_percent == 150)
    wait(lambda: rail.width() > before)
    rooms = {
        button.spec.title: button.width() - 39 - 40  # icon before it, count behind it
        for screen in shell.window.screens
        if (button := rail.button(screen.id)) is not None
    }
    assert len(rooms) >= 8
    names = QFontMetricsF(font())
    assert [title for title, room in rooms.items() if names.horizontalAdvance(title) > room] == []
    shell.window.resize(900, 600)
    wait(lambda: rail.is_narrow and rail.width() < before)


def test_sheets_name_everything(shell: Shell) -> None:
    shell.window.commands.open_palette()
    assert faults_of(shell.window) == []
    shell.key(Qt.Key.Key_Escape)
    shell.window.commands.show_shortcuts()
    assert faults_of(shell.window) == []
