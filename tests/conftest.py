"""What every test shares: a frozen clock, an engine over a real SQLite file in the test's own folder."""

import gc
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import hypothesis
import pytest

from app.api import CaptureRequest, CaptureResult, Engine, EventKind, FrozenClock, Places
from app.cli.process import GC_THRESHOLDS
from app.consolidation import automatic_runs
from app.upkeep import housekeeping
from tests.guard import Guard
from tests.patience import PATIENCE_S

_IN_MEMORY = "/dev/shm"
_ROOM_BYTES = 4_000_000_000


def has_room(folder: str) -> bool:
    """Whether the folders of a whole run fit there and programs may be started in them."""
    try:
        return shutil.disk_usage(folder).free >= _ROOM_BYTES and not os.statvfs(folder).f_flag & os.ST_NOEXEC
    except OSError:
        return False


if "PYTEST_DEBUG_TEMPROOT" not in os.environ and has_room(_IN_MEMORY):
    # every store of a test waits for its disk; what is on it after a power cut is asked by no test
    os.environ["PYTEST_DEBUG_TEMPROOT"] = _IN_MEMORY
_TESTS = Path(__file__).parent
gc.disable()  # until all is collected: what is made till then stays
GUARD = Guard()
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background by a shell: children would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)
automatic_runs._LOOK_EVERY_S = 86_400.0  # a test that lasts a minute would get a run that it did not ask for,
housekeeping._ROUND_S = 86_400.0  # and one whose clock was set ahead a new day in its midst
hypothesis.settings.register_profile(  # its own deadline of 200 ms is a time asserted, and a busy machine breaks it
    "patient", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("patient")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Windows and processes first: a file is one worker's, and the last ones must be short."""
    items.sort(key=lambda item: item.path.is_relative_to(_TESTS / "app"))


def pytest_collection_finish() -> None:
    """As the app does once all is loaded: later searches for cycles are rarer and pass over what stays (an eighth of a window test)."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing outside the test's folder is read or written."""
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("REMANENCE_HOME", str(tmp_path / "home"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "user").mkdir()


def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of this run, whose workers have one each in it: what all of them need is made there once."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(autouse=True)
def guard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guard]:
    """No connection but to this machine, no file outside the folder of this run (QUALITY R19, S13)."""
    GUARD.start(run_folder(tmp_path_factory), tmp_path_factory.getbasetemp())
    yield GUARD
    refused = GUARD.stop()
    assert not refused, refused


@pytest.fixture(autouse=True)
def _no_thread_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before and thread.name.startswith("remanence")]
    assert not left, f"threads left behind: {left}"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(START)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places.under(tmp_path / "home")


@pytest.fixture
def engine(places: Places, clock: FrozenClock) -> Iterator[Engine]:
    opened = Engine.open(places, clock=clock)
    yield opened
    opened.close()


Say = Callable[..., CaptureResult]


@pytest.fixture
def say(engine: Engine, clock: FrozenClock) -> Say:
    """`say("Make it purple", session="a", minutes=4)`: time passes, the message is captured and understood."""
    numbers = iter(range(1, 1_000_000))

    def capture(
        text: str, *, session: str = "s1", minutes: float = 1, app: str = "claude-code", cwd: str = "/w/app"
    ) -> CaptureResult:
        clock.advance(minutes=minutes)
        key = f"{session}:{next(numbers)}"
        request = CaptureRequest(app=app, kind=EventKind.PROMPT, key=key, session=session, text=text, cwd=cwd)
        return engine.events.capture([request], wait_s=PATIENCE_S)[0]

    return capture
