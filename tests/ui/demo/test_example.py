"""The example: invented data in a home of its own, said to be one, nothing of the person's in reach, nothing left behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QProcess

from app.cli.gui import example_home
from ui.demo import example
from ui.shell.main_window import MainWindow


def test_the_example_has_a_home_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    with example_home() as places:
        home = Path.home()
        assert home != tmp_path
        assert places.store_path.is_relative_to(home)
        assert "CODEX_HOME" not in os.environ
        assert "REMANENCE_HOME" not in os.environ
    assert Path.home() == tmp_path
    assert os.environ["CODEX_HOME"] == str(tmp_path / "codex")
    assert not home.exists()


def test_the_example_opens_filled_and_leaves_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "TMPDIR": str(tmp_path)}
    command = [sys.executable, *example.EXAMPLE_COMMAND, "--offscreen-smoke"]
    assert subprocess.run(command, env=environment, cwd=tmp_path, check=False, timeout=240).returncode == 0
    assert list(tmp_path.glob("remanence-example-*")) == []


def test_the_action_starts_it_and_says_when_it_cannot(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, list[str]]] = []

    def start(program: str, arguments: list[str]) -> bool:
        started.append((program, arguments))
        return len(started) == 1

    monkeypatch.setattr(QProcess, "startDetached", start)
    window.actions_table.run("help.example")
    window.actions_table.run("help.example")
    assert started == [(sys.executable, list(example.EXAMPLE_COMMAND))] * 2
    said = [notice.text for notice in window.notices.notices]
    assert "opens in a window of its own" in said[0]
    assert "remanence gui --demo" in said[1]
