"""The pinned clients, installed from npm into a folder of their own: never into the checkout, never for the whole machine.

Owns `pins.toml` and that folder: `REMANENCE_CLIENTS`, else `remanence-clients` in the user's cache folder. A client that
is there in the pinned version is left alone, so only the first run needs npm. Knows no client's ways.
"""

import json
import os
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

import platformdirs

PINS = Path(__file__).with_name("pins.toml")
NODE = "node"
_NPM_S = 900


@dataclass(frozen=True)
class Pin:
    """One client: its package on npm, its exact version, the program it brings."""

    name: str
    package: str
    version: str
    program: str


@dataclass(frozen=True)
class Installed:
    """A client on this disk, or the sentence why it is not."""

    pin: Pin
    bin_dir: Path | None
    problem: str = ""


def load_pins() -> dict[str, Pin]:
    """The pinned clients by name, in the order in which they are played; `node` stands for itself."""
    return {name: Pin(name, **pin) for name, pin in tomllib.loads(PINS.read_text(encoding="utf-8")).items()}


def clients_folder() -> Path:
    """Where the clients lie: outside the checkout, kept from run to run."""
    chosen = os.environ.get("REMANENCE_CLIENTS")
    return Path(chosen).expanduser() if chosen else Path(platformdirs.user_cache_dir("remanence-clients"))


def install(pin: Pin, folder: Path) -> Installed:
    """The client, fetched by npm when it is not there yet."""
    own = folder / f"{pin.name}-{pin.version}"
    bin_dir = own / "node_modules" / ".bin"
    if pin.name == NODE:
        bin_dir = own / "node_modules" / "node" / "bin"
    if _version_in(own, pin) == pin.version and (bin_dir / pin.program).exists():
        return Installed(pin, bin_dir)
    if shutil.which("npm") is None:
        return Installed(pin, None, "npm is not installed: it comes with Node.js.")
    own.mkdir(parents=True, exist_ok=True)
    (own / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    words = [
        "npm",
        "install",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
        "--fetch-retries=1",
        f"{pin.package}@{pin.version}",
    ]
    try:
        done = subprocess.run(words, cwd=own, capture_output=True, text=True, timeout=_NPM_S, check=False)
    except subprocess.TimeoutExpired:
        return Installed(pin, None, f"npm did not bring {pin.package}@{pin.version} within {_NPM_S} s.")
    if done.returncode or not (bin_dir / pin.program).exists():
        return Installed(pin, None, f"npm did not bring {pin.package}@{pin.version}: {_reason(done.stderr)}")
    return Installed(pin, bin_dir)


def _version_in(own: Path, pin: Pin) -> str:
    try:
        text = (own / "node_modules" / pin.package / "package.json").read_text(encoding="utf-8")
    except OSError:
        return ""
    return str(json.loads(text).get("version", ""))


def _reason(stderr: str) -> str:
    """npm's error code; its other lines name addresses and folders of this machine."""
    codes = [line.split()[-1] for line in stderr.splitlines() if line.startswith(("npm error code", "npm ERR! code"))]
    return codes[0] if codes else "its program is missing."


def node_bin(folder: Path, pins: dict[str, Pin]) -> Installed:
    """A Node that is new enough for all clients."""
    found = shutil.which("node")
    if found is not None:
        said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout.strip()
        major = said.removeprefix("v").partition(".")[0]
        if major.isdigit() and int(major) >= int(pins[NODE].version.partition(".")[0]):
            return Installed(pins[NODE], Path(found).parent)
    return install(pins[NODE], folder)
