"""Watches the whole suite: no connection but to this machine, no file written outside the tests' own folder.

An audit hook of Python sees what our code asks for; what libraries in C do by themselves is seen by `tests/faults`
with strace. Source: QUALITY R19, S13.
"""

import ipaddress
import os
import sys
import tempfile
from pathlib import Path

CACHES = ("__pycache__", ".pytest_cache", ".hypothesis", ".import_linter_cache", ".mypy_cache", ".ruff_cache")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.link", "os.chmod", "os.truncate"}


class Guard:
    """What was refused since the last look; refuses only between `start` and `stop`."""

    def __init__(self) -> None:
        self.refused: list[str] = []
        self._roots: tuple[str, ...] = ()
        sys.addaudithook(self._on_event)

    def start(self, root: Path, own: Path) -> None:
        """From now on nothing is written but below `root` (and to what is no file)."""
        self.refused.clear()
        tempfile.tempdir = str(own)  # what asks for a temporary file gets it here
        self._roots = (str(root), str(root.resolve()), "/proc/", "/sys/fs/")

    def stop(self) -> list[str]:
        self._roots = ()
        tempfile.tempdir = None
        return self.refused

    def _on_event(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self._roots:
            return
        if event == "socket.connect":
            self._check_connect(arguments[1])
        elif event in {"socket.getaddrinfo", "socket.gethostbyname"}:
            self._check_connect((arguments[0] or "",))
        elif event == "open":
            path, _mode, flags = arguments
            if isinstance(flags, int) and flags & WRITING and not is_folder(path):
                self._check_path(event, path)
        elif event in CHANGES and not is_within_open_folder(arguments):
            self._check_path(event, arguments[1 if event in {"os.symlink", "os.link"} else 0])

    def _check_connect(self, address: object) -> None:
        if isinstance(address, tuple) and not is_loopback(text_of(address[0])):
            self._refuse(f"connects to {address[0]}")

    def _check_path(self, event: str, path: object) -> None:
        if not isinstance(path, str | bytes | os.PathLike):
            return  # a number: something that is open already
        text = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 (pathlib would ask the disk)
        if not text.startswith(self._roots) and not is_device(text) and not any(name in text for name in CACHES):
            self._refuse(f"{event} of {text}")

    def _refuse(self, what: str) -> None:
        self.refused.append(what)
        raise PermissionError(f"a test {what}")


def is_within_open_folder(arguments: tuple[object, ...]) -> bool:
    """A name relative to a folder that is open already, as `shutil.rmtree` uses them: the last number is its handle."""
    return isinstance(arguments[-1], int) and arguments[-1] >= 0 and not os.path.isabs(os.fsdecode(str(arguments[0])))  # noqa: PTH117


def is_device(path: str) -> bool:
    """Such as /dev/null; files that only lie in memory are files, and a run has its folder among them."""
    return path.startswith("/dev/") and not path.startswith("/dev/shm/")


def is_folder(path: object) -> bool:
    """A folder is opened for writing only for a file without a name, which is gone with its last handle."""
    return isinstance(path, str | bytes | os.PathLike) and os.path.isdir(path)  # noqa: PTH112 (called very often)


def text_of(host: object) -> str:
    return host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)


def is_loopback(host: str) -> bool:
    if host in {"", "localhost"}:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def outside() -> Path:
    """A place that no test may write to: the common folder for temporary files."""
    return Path(os.environ.get("TMPDIR", "/tmp")) / f"remanence-guard-{os.getpid()}"
