"""Closing the window with and without a tray, in a real session: asked once, hidden, brought back, never left unseen."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.api import Engine, FrozenClock, MemoryDraft, Places
from app.autostart import autostart_path
from tests.ui.pages.shell import Shell
from ui.main import WindowSession
from ui.shell.main_window import MainWindow
from ui.shell.tray import NoteKind, TrayNote, choose_notes
from ui.startup import Startup


class _Desktop:
    """A session on a desktop whose tray comes and goes."""

    def __init__(self, application: QApplication, places: Places, clock: FrozenClock) -> None:
        places.prepare()
        self.has_tray = True
        self.startup = Startup(places, lambda: Engine.open(places, clock=clock), None)
        self.session = WindowSession(application, places, self.startup, None)
        self.window = self.session.window
        self.window.tray.is_available = lambda: self.has_tray
        self.left: list[bool] = []
        self.window.leaving.connect(lambda: self.left.append(True))

    def open(self, qtbot: QtBot, *, in_tray: bool = False) -> Shell:
        self.session.show(in_tray=in_tray)
        qtbot.waitUntil(lambda: self.window.state is not None)
        return Shell(self.window, qtbot)

    def set(self, qtbot: QtBot, name: str, value: object) -> None:
        self.window.bridge.do("settings", lambda engine: engine.settings.set(name, value))
        qtbot.waitUntil(lambda: getattr(self.window.state, name) == value)


@pytest.fixture
def desktop(qapp: QApplication, places: Places, clock: FrozenClock) -> Iterator[_Desktop]:
    made = _Desktop(qapp, places, clock)
    yield made
    made.session.close()
    made.startup._worker.shutdown()  # a process would leave while it still warms up; a test waits
    made.session.deleteLater()


def test_the_first_close_asks_in_the_window_and_the_answer_is_kept(qtbot: QtBot, desktop: _Desktop) -> None:
    shell, window = desktop.open(qtbot), desktop.window
    assert window.tray.icon.isVisible()
    assert not window.close()
    assert window.isVisible()
    assert "Keep capturing when the window is closed?" in shell.texts(window.close_bar)
    shell.press("close.tray")
    assert not window.isVisible()
    assert not desktop.left
    qtbot.waitUntil(lambda: window.state is not None and window.state.closing == "tray")
    window.tray.bring_back()
    assert window.isVisible()
    window.close()
    assert not window.isVisible()
    assert not window.close_bar.isVisible()
    assert not desktop.left


def test_who_closes_again_instead_of_answering_leaves(qtbot: QtBot, desktop: _Desktop) -> None:
    desktop.open(qtbot)
    desktop.window.close()
    desktop.window.close()
    assert desktop.left


def test_quit_ends_it_from_the_window_and_from_the_tray(qtbot: QtBot, desktop: _Desktop) -> None:
    desktop.open(qtbot)
    desktop.set(qtbot, "closing", "tray")
    desktop.window.close()
    assert not desktop.left
    next(one for one in desktop.window.tray.menu.actions() if one.objectName() == "tray.quit").trigger()
    assert desktop.left
    assert not desktop.window.tray.icon.isVisible()


def test_without_a_tray_closing_quits_and_the_wish_is_answered_plainly(qtbot: QtBot, desktop: _Desktop) -> None:
    desktop.has_tray = False
    desktop.open(qtbot)
    desktop.set(qtbot, "closing", "tray")
    assert any("no tray" in notice.text for notice in desktop.window.notices.notices)
    assert not desktop.window.tray.icon.isVisible()
    desktop.window.close()
    assert desktop.left


def test_a_tray_that_goes_away_gives_the_window_back(qtbot: QtBot, desktop: _Desktop) -> None:
    desktop.open(qtbot)
    desktop.set(qtbot, "closing", "tray")
    desktop.window.close()
    desktop.window.tray.check()
    assert not desktop.window.isVisible()
    desktop.has_tray = False
    desktop.window.tray.check()
    assert desktop.window.isVisible()


def test_started_with_the_computer_it_captures_without_a_window(qtbot: QtBot, desktop: _Desktop) -> None:
    desktop.open(qtbot, in_tray=True)
    assert desktop.session.bridge.is_open
    assert not desktop.window.isVisible()
    desktop.window.tray.bring_back()
    qtbot.waitUntil(lambda: desktop.window.current_panel is not None)


def test_started_with_the_computer_without_a_tray_it_is_minimised_till_one_comes(
    qtbot: QtBot, desktop: _Desktop
) -> None:
    desktop.has_tray = False
    desktop.open(qtbot, in_tray=True)
    assert desktop.window.isVisible()
    assert desktop.window.isMinimized()
    desktop.has_tray = True
    desktop.window.tray.check()
    assert not desktop.window.isVisible()


def test_quick_add_pause_and_state(qtbot: QtBot, desktop: _Desktop) -> None:
    shell, window = desktop.open(qtbot), desktop.window
    desktop.set(qtbot, "closing", "tray")
    window.close()
    actions = {one.objectName(): one for one in window.tray.menu.actions()}
    window.commands.pause_capture(15)
    qtbot.waitUntil(lambda: window.state is not None and window.state.health.is_paused)
    assert actions["tray.status"].text().startswith("Paused until")
    assert "Paused" in window.tray.icon.toolTip()
    actions["tray.add"].trigger()
    assert window.isVisible()
    assert shell.screen == "memories"


def test_few_notifications_and_only_while_nobody_looks(qtbot: QtBot, desktop: _Desktop) -> None:
    shell, window = desktop.open(qtbot), desktop.window
    notes: list[TrayNote] = []
    window.tray.noted.connect(notes.append)
    desktop.set(qtbot, "closing", "tray")

    def disagree(text: str, other: str, count: int) -> None:
        for one in (text, other):
            window.bridge.do("add", lambda engine, one=one: engine.memories.create(MemoryDraft(one)))
        qtbot.waitUntil(lambda: window.state is not None and window.state.needs.contradiction_count == count)

    disagree("The shop uses PostgreSQL.", "The shop uses MySQL instead of PostgreSQL.", 1)
    assert not notes, "the window says it itself"
    window.close()
    disagree("Releases go out on Mondays.", "Releases never go out on Mondays.", 2)
    assert [(note.kind, note.text) for note in notes] == [
        (NoteKind.CONTRADICTION, "“Releases go out on Mondays” and “Releases never go out on Mondays”")
    ]
    qtbot.waitUntil(lambda: "need you" in window.tray.icon.toolTip())
    disagree("Tests run on every push.", "Tests never run on every push.", 3)
    assert len(notes) == 1, "once an hour"
    window.tray.icon.messageClicked.emit()
    assert shell.screen == "contradictions"
    assert window.isVisible()


def test_that_capturing_stopped_is_a_notification(
    window: MainWindow, wait: Callable[[Callable[[], object]], None]
) -> None:
    wait(lambda: window.state is not None)
    state = window.state
    assert state is not None
    broken = replace(state, health=replace(state.health, disk_problem="The disk is full."))
    assert [(note.title, note.text) for note in choose_notes(state, broken)] == [
        ("Capturing stopped: disk problem", "The disk is full.")
    ]
    assert not choose_notes(broken, broken)


def test_the_autostart_file_follows_the_switch_and_its_undo(qtbot: QtBot, desktop: _Desktop) -> None:
    desktop.open(qtbot)
    desktop.set(qtbot, "starts_with_computer", value=True)
    written = autostart_path().read_text(encoding="utf-8")
    assert "gui --in-tray" in written
    assert "REMANENCE_HOME=" in written
    desktop.window.commands.undo()
    qtbot.waitUntil(lambda: not autostart_path().exists())
    autostart_path().write_text("[Desktop Entry]\nName=mine\n", encoding="utf-8")
    desktop.session._on_autostart(False)
    assert autostart_path().exists()
