"""The lock file: exactly one process owns the store. The window may take over from `serve`, and both from what an assistant's session started.

The lock is an advisory lock of the operating system, so a crash frees it; the text inside only tells who
holds it. Knows nothing of what is in the store. Source: DESIGN section 3, QUALITY R6.
"""

import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.errors import StoreLockedError
from app.places import open_private

OwnerKind = Literal["window", "serve", "session", "command"]  # session: a `serve` that ends with an assistant's session
_LEAVES_FOR: Mapping[str, frozenset[str]] = {"serve": frozenset({"window"}), "session": frozenset({"window", "serve"})}
_NAMES = {
    "window": "The Remanence window",
    "serve": "remanence serve",
    "session": "remanence serve of an assistant's session",
}
_TAKE_OVER_S = 6.0


@dataclass(frozen=True, slots=True)
class Owner:
    pid: int
    kind: str


class StoreLock:
    """Held from `acquire` to `release`, or to the end of the process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def acquire(self, kind: OwnerKind) -> None:
        """Takes the lock. A window asks a `serve` to leave and waits for it, a `serve` one that an assistant's session started.

        Raises StoreLockedError naming the owner.
        """
        if self._try(kind):
            return
        owner = self.read_owner()
        leaves = owner is not None and kind in _LEAVES_FOR.get(owner.kind, ())
        if owner is not None and (leaves or (kind == "window" and owner.kind == "command")):
            if leaves:
                _ask_to_leave(owner.pid)
            deadline = time.monotonic() + _TAKE_OVER_S
            while time.monotonic() < deadline:
                if self._try(kind):
                    return
                time.sleep(0.05)
        name = _NAMES.get(owner.kind if owner else "", "")
        raise StoreLockedError(
            f"{name or 'Another Remanence'} (process {owner.pid if owner else 'unknown'}) is using the store.",
            hint="Use that one, or stop it first.",
        )

    def is_in_place(self) -> bool:
        """Whether the file that is locked is still the one that others would lock."""
        if self._descriptor is None:
            return True
        try:
            return os.path.samestat(os.fstat(self._descriptor), self._path.stat())
        except FileNotFoundError:
            return False

    def renew(self, kind: OwnerKind) -> None:
        """Takes the lock again whose file was deleted. Raises StoreLockedError when another has it by now."""
        if self.is_in_place():
            return
        held, self._descriptor = self._descriptor, None
        if held is not None:
            os.close(held)
        self.acquire(kind)

    def is_held(self) -> bool:
        """Whether anybody holds it now. Makes no file."""
        if not self._path.is_file():
            return False
        descriptor = open_private(self._path, os.O_RDWR)
        try:
            return not _lock(descriptor)
        finally:
            os.close(descriptor)

    def read_owner(self) -> Owner | None:
        """Who wrote the lock file last; None when that cannot be read."""
        try:
            pid, _, kind = self._path.read_text().strip().partition(" ")
            return Owner(int(pid), kind)
        except (OSError, ValueError):
            return None

    def release(self) -> None:
        if self._descriptor is not None:
            with suppress(OSError):  # a disk that fails; the lock itself goes with the descriptor
                os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None

    def _try(self, kind: OwnerKind) -> bool:
        descriptor = open_private(self._path, os.O_RDWR | os.O_CREAT)
        if not _lock(descriptor):
            os.close(descriptor)
            return False
        try:
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()} {kind}\n".encode())
        except OSError:  # no room: whoever tries again must not find it locked by us
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        return True


def _lock(descriptor: int) -> bool:
    if os.name == "nt":
        import msvcrt

        try:
            os.lseek(descriptor, 1024, os.SEEK_SET)  # beyond the text, which others must be able to read
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        os.lseek(descriptor, 0, os.SEEK_SET)
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _ask_to_leave(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGTERM)
    except (ProcessLookupError, PermissionError):
        return
