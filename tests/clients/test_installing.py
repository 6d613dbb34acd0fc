"""Without clients the harness is not green: it says what is missing and ends with 0 tests."""

import os
import subprocess
import sys
from pathlib import Path

from tests.clients.installing import NODE, load_pins

ROOT = Path(__file__).parents[2]


def play(tmp_path: Path, *names: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PATH": str(tmp_path / "bin"), "REMANENCE_CLIENTS": str(tmp_path / "clients")}
    return subprocess.run(
        [sys.executable, "-m", "tests.clients", *names], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )


def test_without_npm_nothing_is_green(tmp_path: Path) -> None:
    done = play(tmp_path, "codex")
    assert done.returncode == 5
    assert "npm is not installed" in done.stdout
    assert done.stdout.endswith("0 tests.\n")


def test_a_registry_that_cannot_be_reached_is_named_by_its_error_alone(tmp_path: Path) -> None:
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text("#!/bin/sh\necho 'npm error code ECONNREFUSED' >&2\necho 'npm error http://me@host/' >&2\nexit 1\n")
    npm.chmod(0o700)
    done = play(tmp_path)
    assert done.returncode == 5
    assert "codex 0.169.0 is not here: npm did not bring @openai/codex@0.169.0: ECONNREFUSED" in done.stdout
    assert "host" not in done.stdout
    assert done.stdout.endswith("0 tests.\n")


def test_a_client_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    done = play(tmp_path, "clippy")
    assert done.returncode == 2
    assert "no such client: clippy" in done.stderr


def test_every_pin_is_an_exact_version() -> None:
    pins = load_pins()
    assert NODE in pins
    assert all(pin.version.replace(".", "").isdigit() for pin in pins.values())
