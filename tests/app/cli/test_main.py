"""Entry, exit codes and the last resort: no display, a bug, a reader that went away, the quick paths."""

import subprocess
import sys

import pytest

from app import __version__
from app.api import Places
from app.cli import info, window
from app.cli.window import need_display
from app.errors import EnvironmentProblem, StoreLockedError
from tests.app.cli.conftest import Remanence
from tests.patience import PATIENCE_S


def test_the_version_needs_no_library() -> None:
    code = (
        "import sys\nfrom app.cli.main import run\nassert run(['--version']) == 0\n"
        "sys.exit(bool({'typer', 'fastapi', 'sqlmodel', 'PySide6', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.stdout == f"remanence {__version__}\n"


def test_without_a_display_it_says_what_works(remanence: Remanence, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    for arguments in ((), ("gui",)):
        shown = remanence(*arguments)
        assert shown.code == 3
        assert shown.err.splitlines() == [
            "There is no display to open the window on.",
            "remanence serve runs without a window.",
        ]


@pytest.mark.parametrize("env", [{"DISPLAY": ":0"}, {"WAYLAND_DISPLAY": "wayland-0"}, {"QT_QPA_PLATFORM": "offscreen"}])
def test_a_display_is_found(env: dict[str, str]) -> None:
    need_display(env, "linux")
    need_display({}, "darwin")
    with pytest.raises(EnvironmentProblem):
        need_display({**env, **dict.fromkeys(env, "")}, "linux")


def test_the_window_is_composed_of_engine_and_socket(remanence: Remanence, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    class Window:
        @staticmethod
        def run(open_engine: object, start_server: object, argv: list[str], *, places: Places) -> int:
            seen.append((callable(open_engine), callable(start_server), argv[1:], places))
            return 7

    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setattr(window, "import_module", lambda name: Window if name == "ui.main" else None)
    assert remanence().code == 7
    assert remanence("gui", "remanence://conversation/1").code == 7
    assert seen == [(True, True, [], Places.find()), (True, True, ["remanence://conversation/1"], Places.find())]


def test_an_environment_problem_exits_3(remanence: Remanence, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise StoreLockedError("The store is in use.", hint="Close the other one.")

    monkeypatch.setattr(info, "_collect", refuse)
    shown = remanence("info")
    assert (shown.code, shown.err) == (3, "The store is in use.\nClose the other one.\n")


def test_a_bug_is_one_sentence_and_the_log_has_the_rest(remanence: Remanence, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("deep inside")

    monkeypatch.setattr(info, "_collect", fail)
    shown = remanence("info")
    assert shown.code == 1
    assert len(shown.err.splitlines()) == 1
    log = Places.find().log_path
    assert str(log) in shown.err
    assert "deep inside" in log.read_text()


def test_a_reader_that_went_away_is_no_error() -> None:
    command = f"{sys.executable} -m app.cli info --settings | head -n 1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert done.stdout == "General\n"
    assert done.stderr == ""
