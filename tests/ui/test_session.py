"""One life of the window in this process: order of start and stop, a damaged memory put right by a backup, what is kept."""

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.api import Engine, EnvironmentProblem, FrozenClock, Places
from tests.patience import PATIENCE_S
from tests.ui.pages.shell import Shell
from ui.main import WindowSession
from ui.shell.window_state import WindowState, load_window_state, save_window_state
from ui.startup import Startup
from ui.widgets.capture_light import LightColor


class _Server:
    def __init__(self, story: list[str]) -> None:
        self._story = story

    def warm_up(self) -> None:
        """Nothing here is loaded late."""

    def stop(self) -> None:
        self._story.append("server stopped")


class _House:
    """Sessions on one folder, with a story of what happened in which order."""

    def __init__(self, application: QApplication, places: Places, clock: FrozenClock) -> None:
        self.application = application
        self.places = places
        self.clock = clock
        self.story: list[str] = []
        self.server_problem: EnvironmentProblem | None = None
        self.sessions: list[WindowSession] = []

    def open(self) -> WindowSession:
        places = self.places
        places.prepare()
        session = WindowSession(self.application, places, Startup(places, self._engine, self._server), None)
        session.painted.connect(self._on_painted)
        session.bridge.opened.connect(self._on_opened)
        self.sessions.append(session)
        session.show()
        return session

    def close(self, session: WindowSession) -> None:
        self.sessions.remove(session)
        session.close()
        session.deleteLater()

    def _on_painted(self) -> None:
        self.story.append("painted")

    def _on_opened(self) -> None:
        self.story.append("window reads")

    def _engine(self) -> Engine:
        self.story.append("engine")
        engine = Engine.open(self.places, clock=self.clock)
        close = engine.close

        def told() -> None:
            self.story.append("engine closed")
            close()

        engine.close = told  # type: ignore[method-assign]
        return engine

    def _server(self, _engine: Engine) -> _Server:
        self.story.append("server")
        if self.server_problem is not None:
            raise self.server_problem
        return _Server(self.story)


@pytest.fixture
def house(qapp: QApplication, places: Places, clock: FrozenClock) -> Iterator[_House]:
    made = _House(qapp, places, clock)
    yield made
    for session in list(made.sessions):
        made.close(session)
    for thread in threading.enumerate():
        if thread.name.startswith("ui-startup"):
            thread.join(PATIENCE_S)


def test_the_title_is_painted_first_and_who_went_elsewhere_meanwhile_stays_there(qtbot: QtBot, house: _House) -> None:
    session = house.open()
    window = session.window
    assert window.stack.currentWidget() is window.blank
    assert Shell(window, qtbot).texts(window.blank).startswith("Now")
    assert not window.blank.opening.isVisible()  # who waits longer is told for what
    window.blank.opening.show()
    assert "Opening" in Shell(window, qtbot).texts(window.blank)
    window.go("settings")
    qtbot.waitUntil(lambda: window.state is not None)
    walked = [place.screen for place in (*window.navigator.recent, window.navigator.place) if place is not None]
    assert walked == ["settings", "first-start"]  # and not back to where it would have begun


def test_nothing_of_the_window_runs_any_more_while_it_ends(qtbot: QtBot, house: _House) -> None:
    session = house.open()
    qtbot.waitUntil(lambda: session.window.state is not None)
    late: list[str] = []
    timer = QTimer(session.window)
    timer.setInterval(0)
    timer.timeout.connect(lambda: late.append("a screen is built"))
    timer.start()
    house.close(session)
    assert late == []


def test_it_is_painted_then_answers_then_reads_and_is_left_in_the_opposite_order(qtbot: QtBot, house: _House) -> None:
    session = house.open()
    assert not session.bridge.is_open
    assert session.window.isVisible()
    qtbot.waitUntil(lambda: session.window.state is not None)
    house.close(session)
    assert house.story == ["painted", "engine", "server", "window reads", "server stopped", "engine closed"]


def test_place_and_look_are_there_again(qtbot: QtBot, house: _House) -> None:
    session = house.open()
    qtbot.waitUntil(lambda: session.window.state is not None)
    session.window.commands.set_theme("dark")
    qtbot.waitUntil(lambda: session.theme.is_dark)
    session.window.go("settings")
    session.window.resize(900, 640)
    house.close(session)
    again = house.open()
    assert again.theme.is_dark  # before the engine could say so
    qtbot.waitUntil(lambda: again.window.current_panel is not None)
    assert again.window.current_panel is not None
    assert again.window.current_panel.screen_id == "settings"
    assert again.window.size().height() == 640


@pytest.mark.parametrize(
    "text", ["", "[]", '{"theme": 7, "font_percent": "x"}', '{"theme": "pink"}', '{"font_percent": 900}', "{" * 5_000]
)
def test_a_broken_memory_of_the_window_is_as_good_as_none(places: Places, text: str) -> None:
    places.prepare()
    (places.state_dir / "window.json").write_text(text, encoding="utf-8")
    assert load_window_state(places.state_dir) == WindowState()


def test_what_the_window_remembers_comes_back(places: Places) -> None:
    places.prepare()
    state = WindowState("dark", 120, is_motion_reduced=True, geometry="QUJD", link="remanence://apps")
    save_window_state(places.state_dir, state)
    assert load_window_state(places.state_dir) == state
    assert state.geometry_bytes == b"ABC"


def test_a_taken_port_is_said_by_the_light(qtbot: QtBot, house: _House) -> None:
    house.server_problem = EnvironmentProblem("No port can be opened.", hint="Check the firewall.")
    session = house.open()
    light = session.window.rail.light
    qtbot.waitUntil(lambda: light.state.color is LightColor.BROKEN)
    assert "Fix" in light.accessibleName()
    shell = Shell(session.window, qtbot)
    shell.press("rail.light")
    assert shell.screen == "activity"
    qtbot.waitUntil(lambda: "Check the firewall." in shell.texts(session.window.stack))


def test_a_damaged_memory_is_put_right_from_the_recovery_page(qtbot: QtBot, house: _House) -> None:
    engine = Engine.open(house.places, clock=house.clock)
    engine.settings.set("queue_size", 12)
    backup = engine.backups.create()
    engine.close()
    house.places.store_path.write_bytes(b"this is no database" * 400)
    session = house.open()
    shell = Shell(session.window, qtbot)
    qtbot.waitUntil(lambda: shell.has("recovery"))
    assert "damaged" in shell.texts(session.window.recovery)
    qtbot.waitUntil(lambda: shell.has(f"recovery.restore.{backup.path.name}"))
    shell.press(f"recovery.restore.{backup.path.name}")
    qtbot.waitUntil(lambda: session.window.state is not None)
    assert not shell.has("recovery")
    shell.go("settings")
    shell.press("settings.tab.advanced")
    qtbot.waitUntil(lambda: shell.has("setting.queue_size.reset"))


WAIT_MS = 60_000


def lose_store(house: _House, *, has_backup: bool) -> None:
    engine = Engine.open(house.places, clock=house.clock)
    engine.settings.set("queue_size", 12)
    if has_backup:
        engine.backups.create()
    engine.close()
    house.places.store_path.unlink()


@pytest.mark.parametrize("has_backup", [True, False], ids=["with a backup", "without"])
def test_a_memory_that_is_gone_is_said_and_one_may_begin_anew(qtbot: QtBot, house: _House, has_backup: bool) -> None:
    lose_store(house, has_backup=has_backup)
    session = house.open()
    shell = Shell(session.window, qtbot)
    qtbot.waitUntil(lambda: shell.has("recovery"), timeout=WAIT_MS)
    shown = shell.texts(session.window.recovery)
    assert "The memory is not where it was" in shown
    assert ("there is no backup" in shown) is not has_backup
    assert not house.places.store_path.exists(), "nothing is made in its place unasked"
    assert shell.has("recovery.anew")
    assert not shell.has("recovery.asItIs")
    shell.press("recovery.anew")
    qtbot.waitUntil(lambda: session.window.state is not None, timeout=WAIT_MS)
    assert not shell.has("recovery")
    assert any("The store is empty now." in notice.text for notice in session.window.notices.notices)


def test_a_memory_whose_newest_part_is_gone_is_restored_or_used_as_it_is(qtbot: QtBot, house: _House) -> None:
    engine = Engine.open(house.places, clock=house.clock)
    engine.settings.set("queue_size", 12)
    older = engine.backups.create().path.read_bytes()
    engine.settings.set("queue_size", 13)
    engine.close()
    house.places.store_path.write_bytes(older)
    session = house.open()
    shell = Shell(session.window, qtbot)
    qtbot.waitUntil(lambda: shell.has("recovery"), timeout=WAIT_MS)
    assert "The newest part of the memory is missing" in shell.texts(session.window.recovery)
    shell.press("recovery.asItIs")
    qtbot.waitUntil(lambda: session.window.state is not None, timeout=WAIT_MS)
    assert any("used as it is" in notice.text for notice in session.window.notices.notices)


def test_a_store_taken_away_under_the_window_is_told_once(qtbot: QtBot, house: _House) -> None:
    session = house.open()
    qtbot.waitUntil(lambda: session.window.state is not None, timeout=WAIT_MS)
    house.places.store_path.unlink()

    def told() -> int:
        return sum("was moved or deleted" in notice.text for notice in session.window.notices.notices)

    qtbot.waitUntil(lambda: told() == 1, timeout=WAIT_MS)
    assert house.places.store_path.is_file()
    session.window.refresh_state()
    qtbot.waitUntil(lambda: not session.bridge.is_waiting, timeout=WAIT_MS)
    assert told() == 1


class _Stumbler(QObject):
    def stumble(self) -> None:
        raise ZeroDivisionError("in a slot")


def test_a_fault_in_a_slot_or_a_thread_is_told_and_the_window_lives_on(qtbot: QtBot, house: _House) -> None:
    session = house.open()
    qtbot.waitUntil(lambda: session.window.state is not None)
    stumbler = _Stumbler()
    QTimer.singleShot(0, stumbler.stumble)
    qtbot.waitUntil(lambda: "ZeroDivisionError: in a slot" in session.crashes.last_report)
    thread = threading.Thread(target=stumbler.stumble)
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: len(session.window.notices.notices) == 1)  # the same sentence is shown once
    shell = Shell(session.window, qtbot)
    shell.press("notice.action")
    copied = QGuiApplication.clipboard().text()
    assert "PySide6" in copied
    assert "Traceback" in copied
    shell.go("settings")
    assert shell.screen == "settings"


def test_a_name_in_an_own_rule_file_that_nothing_reads_is_told_once_all_is_there(house: _House, qtbot: QtBot) -> None:
    house.places.prepare()
    house.places.rules_dir.mkdir(parents=True, exist_ok=True)
    (house.places.rules_dir / "outcomes.yaml").write_text("gap_curve: [[1, 0.5]]\ncompleted: [it flies]")
    session = house.open()
    qtbot.waitUntil(lambda: bool(session.window.notices.notices))
    (told,) = session.window.notices.notices
    assert "outcomes.yaml has “gap_curve”, which is not used. Compare it with" in told.text
    assert told.stays


def test_who_leaves_before_the_first_screen_stands_waits_for_no_warm_up(
    qtbot: QtBot, places: Places, clock: FrozenClock
) -> None:
    places.prepare()
    startup = Startup(places, lambda: Engine.open(places, clock=clock), None)
    with qtbot.waitSignal(startup.engine_opened):
        startup.begin()
    startup.stop_server()
    assert startup.close_engine()
