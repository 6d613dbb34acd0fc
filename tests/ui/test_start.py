"""Start and stop as processes: light imports, one instance, signals, a smoke walk, a memory that is taken."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api import Engine, Places
from tests.patience import PATIENCE_S

_ROOT = Path(__file__).resolve().parents[2]
_TIMEOUT_S = 60
_RUN = """
import sys
from ui.main import run

def open_engine():
    from app.api import Engine, Places
    engine = Engine.open(Places.find(), owner="window")
    print("open", flush=True)
    return engine

class Server:
    def warm_up(self):
        pass

    def stop(self):
        print("server stopped", flush=True)

def start_server(engine):
    print("serving", flush=True)
    return Server()

status = run(open_engine, start_server, ["remanence", *sys.argv[1:]])
print("left", status, flush=True)
sys.exit(status)
"""


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    person = tmp_path / "person"
    person.mkdir()
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(person),
        "REMANENCE_HOME": str(tmp_path / "r"),
        "QT_QPA_PLATFORM": "offscreen",
        "PYTHONPATH": str(_ROOT),
    }


@pytest.fixture
def running(env: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A window that serves."""
    process = _start(env)
    _read_until(process, "serving")
    yield process
    if process.poll() is None:
        process.kill()
    process.communicate()


def _start(env: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _RUN, *arguments],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=_ROOT,
    )


def _read_until(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if word in line:
            return
    assert process.stderr is not None
    pytest.fail(f"it ended without saying {word!r}: {process.stderr.read()[-2000:]}")


def test_no_source_is_read_and_kept_for_the_names_that_pyside_offers(env: dict[str, str]) -> None:
    """PySide does so for each module that is imported after it: 30 MB with all that a window loads."""
    ours = (f"{_ROOT}/ui/", f"{_ROOT}/app/")  # not "/app/" anywhere: the checkout itself may be called so
    code = f"import linecache, ui.main; print([name for name in linecache.cache if name.startswith({ours!r})])"
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_nothing_heavy_is_imported_before_the_first_paint(env: dict[str, str]) -> None:
    code = "import ui.main, ui.screens.now.panel"
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code],
        env=env,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
        cwd=_ROOT,
    )
    imported = {line.rsplit("|", 1)[-1].strip().split(".")[0] for line in done.stderr.splitlines() if "|" in line}
    heavy = {"sqlmodel", "sqlalchemy", "fastapi", "uvicorn", "sklearn", "numpy", "scipy", "pydantic", "alembic", "mcp"}
    assert imported & heavy == set()
    assert "app.api" not in {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()}


def test_the_smoke_walk_visits_every_screen_and_leaves_with_0(env: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _RUN, "--offscreen-smoke"],
        env=env,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        cwd=_ROOT,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.split("\n")[0] == "open"
    assert done.stdout.endswith(("left 0\n", "server stopped\n"))  # while its warm-up computes it leaves at once


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_ends_it_cleanly(running: subprocess.Popen[str], number: signal.Signals) -> None:
    running.send_signal(number)
    out, err = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 0, err
    assert out.startswith("server stopped\n")
    assert "Traceback" not in err


def test_a_second_start_hands_over_and_leaves_with_0(running: subprocess.Popen[str], env: dict[str, str]) -> None:
    seconds = [_start(env, "remanence://settings") for _number in range(3)]
    for second in seconds:
        out, err = second.communicate(timeout=PATIENCE_S)
        assert second.returncode == 0, err
        assert out.split() == ["left", "0"]
    assert running.poll() is None
    running.send_signal(signal.SIGTERM)
    running.communicate(timeout=PATIENCE_S)
    saved = (Path(env["REMANENCE_HOME"]) / "state" / "window.json").read_text(encoding="utf-8")
    assert "remanence://settings" in saved


def test_a_window_that_was_killed_does_not_lock_the_next_one_out(env: dict[str, str]) -> None:
    first = _start(env)
    _read_until(first, "serving")
    first.kill()
    first.communicate()
    second = _start(env)
    _read_until(second, "serving")
    second.send_signal(signal.SIGTERM)
    second.communicate(timeout=PATIENCE_S)
    assert second.returncode == 0


def test_a_memory_that_is_damaged_leaves_the_window_usable(env: dict[str, str]) -> None:
    places = Places.under(Path(env["REMANENCE_HOME"]))
    Engine.open(places).close()
    places.store_path.write_bytes(b"this is no database" * 400)
    process = _start(env)
    end = time.monotonic() + PATIENCE_S
    while not (places.state_dir / "window.lock").exists() and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(2.0)  # long enough for the worker to have tried
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    assert out.split() in (["left", "0"], [])  # while its warm-up computes it leaves at once
