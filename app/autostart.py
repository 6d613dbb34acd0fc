"""Starts Remanence with the computer: a file in the XDG autostart folder, or a unit of systemd for a desktop without a tray.

Owns these two files and nothing else; who wants them decides elsewhere. A file that somebody else wrote is never removed.
Source: Desktop Application Autostart Specification (freedesktop.org); systemd.unit(5).
"""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from app.errors import EnvironmentProblem

DESKTOP_FILE = "io.github.remanence.Remanence.desktop"
UNIT = "remanence.service"
_MARK = "X-Remanence=true"
_SYSTEMCTL_WAIT_S = 20


def _config_home(env: Mapping[str, str]) -> Path:
    return Path(env.get("XDG_CONFIG_HOME") or Path(env.get("HOME") or Path.home()) / ".config")


def autostart_path(env: Mapping[str, str] = os.environ) -> Path:
    return _config_home(env) / "autostart" / DESKTOP_FILE


def unit_path(env: Mapping[str, str] = os.environ) -> Path:
    return _config_home(env) / "systemd" / "user" / UNIT


def own_program() -> list[str]:
    """The words that start this Remanence: the program beside this Python, else the module."""
    beside = Path(sys.executable).parent / "remanence"
    return [str(beside)] if beside.is_file() else [sys.executable, "-P", "-m", "remanence"]


def desktop_entry(program: list[str], home: str = "") -> str:
    """The text of the autostart file. `home`: the REMANENCE_HOME of this run, which the next one needs too.

    >>> [line for line in desktop_entry(["/opt/a b/remanence"]).splitlines() if line.startswith("Exec")]
    ['Exec="/opt/a b/remanence" gui --in-tray']
    """
    words = ["env", f"REMANENCE_HOME={home}"] if home else []
    command = " ".join(_quote(word) for word in (*words, *program, "gui", "--in-tray"))
    return f"[Desktop Entry]\nType=Application\nName=Remanence\nComment=Captures what you type to your assistants\nExec={command}\nTerminal=false\n{_MARK}\n"


def _quote(word: str) -> str:
    """One word of an Exec line: quoted where it must be, % doubled."""
    escaped = word.replace("%", "%%")
    if not any(sign in word for sign in " \t\"'\\><~|&;$*?#()`"):
        return escaped
    for sign in ("\\", '"', "`", "$"):
        escaped = escaped.replace(sign, f"\\{sign}")
    return f'"{escaped}"'.replace("\\", "\\\\") if "\\" in escaped else f'"{escaped}"'


def set_autostart(*, is_on: bool, env: Mapping[str, str] = os.environ) -> None:
    """Writes the autostart file, or removes ours. Raises EnvironmentProblem where that cannot be."""
    path = autostart_path(env)
    try:
        if is_on:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(desktop_entry(own_program(), env.get("REMANENCE_HOME", "")), encoding="utf-8")
        elif path.is_file() and _MARK in path.read_text(encoding="utf-8", errors="replace"):
            path.unlink()
    except OSError as error:
        raise EnvironmentProblem(
            f"The autostart file cannot be changed: {error.strerror}.", hint=f"Look at {path}."
        ) from error


def unit_text(program: list[str], home: str = "") -> str:
    """The user unit: `remanence serve`, restarted when it fails, not when a window holds the store (exit code 3)."""
    command = " ".join(f'"{word}"' if " " in word else word for word in (*program, "serve")).replace("%", "%%")
    environment = f'Environment="REMANENCE_HOME={home.replace("%", "%%")}"\n' if home else ""
    return f"""[Unit]
Description=Remanence, the memory of coding assistants

[Service]
Type=exec
{environment}ExecStart={command}
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=3
TimeoutStopSec=5
UMask=0077
NoNewPrivileges=true
LockPersonality=true

[Install]
WantedBy=default.target
"""


def install_unit(env: Mapping[str, str] = os.environ) -> str:
    """Writes the unit, switches it on and starts it. Returns what is left to do by hand, "" when nothing is."""
    path = unit_path(env)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(unit_text(own_program(), env.get("REMANENCE_HOME", "")), encoding="utf-8")
    return _systemctl(["daemon-reload"]) or _systemctl(["enable", "--now", UNIT])


def remove_unit(env: Mapping[str, str] = os.environ) -> str:
    """Stops the unit and deletes its file. Returns what is left to do by hand, "" when nothing is."""
    if not unit_path(env).is_file():
        return ""
    left = _systemctl(["disable", "--now", UNIT])
    unit_path(env).unlink()
    return left or _systemctl(["daemon-reload"])


def _systemctl(words: list[str]) -> str:
    """ "" when it was done, else the command to type."""
    program = shutil.which("systemctl")
    typed = shlex.join(["systemctl", "--user", *words])
    if program is None:
        return typed
    try:
        done = subprocess.run([program, "--user", *words], capture_output=True, timeout=_SYSTEMCTL_WAIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return typed
    return typed if done.returncode else ""
