"""What every test of the window stands on: offscreen, our fonts, a real engine in a folder of its own, leak guards.

Sets the platform before anything imports Qt. A test that leaves a thread, a window or a running timer behind fails.
"""

import fcntl
import os
import shutil

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QT_SCALE_FACTOR"] = "1"
os.environ["LC_ALL"] = "C.UTF-8"
os.environ["TZ"] = "UTC"

import gc
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partialmethod
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.api import Engine, FrozenClock, Places
from tests.conftest import run_folder
from tests.patience import PATIENCE_MS, PATIENCE_S
from ui.bridge import EngineBridge
from ui.demo.history import fill_with_demo
from ui.main import collect_due
from ui.screens.registry import SCREENS
from ui.shell.main_window import MainWindow
from ui.theme import LIGHT, Theme, ThemeChoice, apply_theme, load_fonts

time.tzset()
NOW = datetime(2026, 11, 21, 15, 0, tzinfo=UTC)
_SCREENS = {screen.id for screen in SCREENS}
_NO_SIZE_HINTS = "This plugin does not support"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The offscreen plugin says at each first window that it cannot hint sizes; that is no fault of ours."""
    for item in items:
        if "qapp" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.qt_log_ignore(_NO_SIZE_HINTS, extend=True))


@pytest.fixture(scope="session", autouse=True)
def dressed(qapp: QApplication) -> None:
    """Style, fonts and the light theme, once."""
    qapp.setStyle("Fusion")
    qapp.setQuitOnLastWindowClosed(False)
    assert load_fonts()
    apply_theme(LIGHT)


@pytest.fixture(autouse=True)
def nothing_left(qapp: QApplication) -> Iterator[None]:
    """No thread, no window, no running timer of a window outlives its test."""
    before = set(threading.enumerate())
    yield
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.processEvents()
    ending = [thread for thread in threading.enumerate() if thread not in before]
    for thread in ending:  # a window that closed does not wait for a read that is under way
        thread.join(PATIENCE_S)
    left = [thread.name for thread in ending if thread.is_alive()]
    assert not left, f"threads left behind: {left}"
    windows = [widget.objectName() or type(widget).__name__ for widget in qapp.topLevelWidgets() if widget.isVisible()]
    assert not windows, f"windows left behind: {windows}"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home that is empty: no assistant of this machine is seen or touched."""
    folder = tmp_path / "person"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("REMANENCE_IS_JUDGE_ASKED", "true")  # what is installed on this machine asks nothing
    monkeypatch.setenv("REMANENCE_HOME", str(tmp_path / "remanence"))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that holds the example, filled once a run: filling takes longer than most of what is then looked at."""
    folder = run_folder(tmp_path_factory) / "demo"
    folder.mkdir(exist_ok=True)
    with open(folder / "filled", "a") as filled, pytest.MonkeyPatch.context() as patch:  # noqa: PTH123
        fcntl.flock(filled, fcntl.LOCK_EX)  # the other workers wait for the one that fills it
        if os.fstat(filled.fileno()).st_size:  # as it is now, not when it was opened
            return folder / "remanence"
        patch.setenv("HOME", str(folder))
        patch.setenv("REMANENCE_IS_JUDGE_ASKED", "true")
        engine = Engine.open(Places.under(folder / "remanence"), clock=FrozenClock(NOW))
        fill_with_demo(engine)
        engine.close()
        filled.write("yes")
    return folder / "remanence"


@pytest.fixture
def demo() -> None:
    """Asked for by a test: its engine opens on a copy of the filled store."""


@pytest.fixture
def places(tmp_path: Path, home: Path, request: pytest.FixtureRequest) -> Places:
    if "demo" in request.fixturenames:
        folder = request.getfixturevalue("demo_folder")
        shutil.copytree(folder, tmp_path / "remanence", ignore=shutil.ignore_patterns("*.sock"))
    return Places.under(tmp_path / "remanence")


@pytest.fixture(autouse=True)
def _cycles_are_searched_here() -> Iterator[None]:
    """As in the window: a search on a thread of the engine's destroys widgets while Qt walks over them."""
    gc.disable()
    yield
    collect_due()
    gc.enable()


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOW)


@pytest.fixture
def engine(places: Places, clock: FrozenClock) -> Iterator[Engine]:
    opened = Engine.open(places, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def bridge(qapp: QApplication) -> Iterator[EngineBridge]:
    made = EngineBridge()
    yield made
    made.detach()
    made.deleteLater()


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    made = Theme()
    made.set(ThemeChoice.LIGHT)
    yield made
    made.set(ThemeChoice.LIGHT)
    made.deleteLater()


class _WindowWatch(QObject):
    """Remembers what was shown as a window of its own: a widget shown before it has a parent flashes and takes focus.

    It sees every event of the application, an eighth of a test's time: only the files that walk all screens use it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.strays: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 (Qt names it)
        is_shown = event.type() is QEvent.Type.Show and isinstance(watched, QWidget)
        if is_shown and watched.windowType() is Qt.WindowType.Window and not isinstance(watched, MainWindow):
            self.strays.append(f"{type(watched).__name__}({watched.objectName()})")
        return False


@pytest.fixture
def no_stray_windows(qapp: QApplication) -> Iterator[None]:
    watch = _WindowWatch()
    qapp.installEventFilter(watch)
    yield
    qapp.removeEventFilter(watch)
    assert watch.strays == []


class PatientQtBot(QtBot):
    """Waits as long as `tests/patience.py` says where a test names no time: five seconds are short on a busy machine."""

    waitUntil = partialmethod(QtBot.waitUntil, timeout=PATIENCE_MS)  # noqa: N815
    waitSignal = partialmethod(QtBot.waitSignal, timeout=PATIENCE_MS)  # noqa: N815
    waitSignals = partialmethod(QtBot.waitSignals, timeout=PATIENCE_MS)  # noqa: N815
    waitActive = partialmethod(QtBot.waitActive, timeout=PATIENCE_MS)  # noqa: N815
    waitExposed = partialmethod(QtBot.waitExposed, timeout=PATIENCE_MS)  # noqa: N815
    waitCallback = partialmethod(QtBot.waitCallback, timeout=PATIENCE_MS)  # noqa: N815


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> PatientQtBot:
    return PatientQtBot(request)


@pytest.fixture
def begins_at(request: pytest.FixtureRequest) -> str:
    """The link that the window begins at: the screen that the folder or the file is named after. Another one, built for
    nothing, is a fifth of a test."""
    names = (request.path.parent.name, request.path.stem.removeprefix("test_"))
    return next((f"remanence://{name}" for name in names if name in _SCREENS and name != "conversations"), "")


@pytest.fixture
def window(
    qtbot: QtBot, engine: Engine, bridge: EngineBridge, theme: Theme, places: Places, begins_at: str
) -> Iterator[MainWindow]:
    """The real window on the real engine, first steps done, shown."""
    engine.settings.set("first_start_done", value=True)
    engine.settings.set("theme", "light")
    made = MainWindow(bridge, theme, places=places)
    made.begin_at(begins_at)
    made.show()
    with qtbot.waitActive(made):
        made.activateWindow()
    bridge.attach(engine)
    qtbot.waitUntil(lambda: made.state is not None)
    made.notices.clear()
    yield made
    for timer in made.findChildren(QTimer):
        timer.stop()
    bridge.detach()
    made.close()
    made.deleteLater()


Wait = Callable[[Callable[[], object]], None]


@pytest.fixture
def wait(qtbot: QtBot) -> Wait:
    """Runs the event loop until something holds; gives up late, for a machine that is busy with other tests."""

    def until(holds: Callable[[], object]) -> None:
        qtbot.waitUntil(lambda: bool(holds()))

    return until
