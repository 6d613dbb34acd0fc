"""Screens that nobody visited are built while the window rests: one at a time, none of them shown, each of them once."""

from collections.abc import Callable

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from tests.ui.pages.shell import Shell
from ui.shell.main_window import PAUSE_MS, MainWindow, Preparing

Wait = Callable[[Callable[[], object]], None]


def test_every_screen_is_there_before_it_is_asked_for_and_none_is_shown(
    window: MainWindow, qtbot: QtBot, wait: Wait
) -> None:
    shell = Shell(window, qtbot)
    shown = shell.screen
    window.prepare_screens()
    wait(lambda: window.preparing.is_done)
    assert shell.screen == shown
    before = {screen.id: window._panels[screen.id] for screen in window.screens if not screen.is_hidden}
    assert all(not panel.isVisible() for name, panel in before.items() if name != shown)
    window.go("memories")
    assert window.current_panel is before["memories"]
    wait(lambda: not before["memories"].is_dirty)


def test_it_waits_while_answers_are_to_come_and_a_whole_pause_after_the_person(qtbot: QtBot) -> None:
    built: list[str] = []
    is_idle = False
    owner = QObject()
    preparing = Preparing(built.append, lambda: is_idle, owner)
    preparing.put_off()  # nothing was begun: nothing to put off
    preparing.begin(["one", "two"])
    qtbot.wait(2 * PAUSE_MS)
    assert built == []
    is_idle = True
    qtbot.waitUntil(lambda: built == ["one"])
    preparing._timer.setInterval(3_600_000)  # no machine is so busy that it comes meanwhile
    qtbot.wait(1_000)
    left_ms = preparing._timer.remainingTime()
    preparing.put_off()
    assert preparing._timer.remainingTime() > left_ms
    assert built == ["one"]
    preparing._timer.setInterval(0)
    qtbot.waitUntil(lambda: preparing.is_done)
    assert built == ["one", "two"]
