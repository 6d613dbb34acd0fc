"""The unit of systemd by command: a false `systemctl` on the path hears what is asked of it."""

import os
from pathlib import Path

import pytest

from app.autostart import desktop_entry, install_unit, remove_unit, unit_path


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    (tmp_path / "bin").mkdir()
    return {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config"), "REMANENCE_HOME": str(tmp_path / "a b")}


def _systemctl(tmp_path: Path, status: int) -> Path:
    program, heard = tmp_path / "bin" / "systemctl", tmp_path / "heard"
    program.write_text(f'#!/bin/sh\necho "$@" >> "{heard}"\nexit {status}\n', encoding="utf-8")
    program.chmod(0o755)
    return heard


def test_installed_started_and_removed(tmp_path: Path, env: dict[str, str]) -> None:
    heard = _systemctl(tmp_path, 0)
    assert install_unit(env) == ""
    text = unit_path(env).read_text(encoding="utf-8")
    assert "serve\n" in text
    assert f'Environment="REMANENCE_HOME={tmp_path}/a b"' in text
    assert remove_unit(env) == ""
    assert not unit_path(env).exists()
    assert heard.read_text(encoding="utf-8").splitlines() == [
        "--user daemon-reload",
        "--user enable --now remanence.service",
        "--user disable --now remanence.service",
        "--user daemon-reload",
    ]


def test_where_systemd_does_not_answer_the_command_to_type_is_said(tmp_path: Path, env: dict[str, str]) -> None:
    _systemctl(tmp_path, 1)
    assert install_unit(env) == "systemctl --user daemon-reload"
    assert unit_path(env).exists()


@pytest.mark.parametrize(
    ("program", "line"),
    [
        (["/usr/bin/remanence"], "Exec=/usr/bin/remanence gui --in-tray"),
        (["/a b/100%/remanence"], 'Exec="/a b/100%%/remanence" gui --in-tray'),
    ],
)
def test_the_command_of_the_autostart_file_is_quoted(program: list[str], line: str) -> None:
    assert line in desktop_entry(program).splitlines()
