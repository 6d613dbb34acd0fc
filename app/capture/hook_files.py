"""Writes the small files that a running engine leaves for the hook: endpoint, token, and when those of the rules are written.

Owns the format of the first two; that of the rules is `privacy.hook_rules`'. `app/hook/remanence_hook.py` reads them. All are private (0600 in a folder 0700) and replaced in one
step. Knows nothing of who calls. Source: QUALITY S4, S5.
"""

import hmac
import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from app.errors import DiskProblem, EnvironmentProblem
from app.places import make_private_dir, write_private
from app.store.store import Store
from app.values import Changes, DataKind

ENDPOINT_NAME = "endpoint"
_log = logging.getLogger(__name__)
_HINT = "It is tried again until the disk takes it. Until then, while the app is closed, hooks leave out what was excluded before."


def write_endpoint(state_dir: Path, *, socket: Path | None, port: int | None, secret: str, pid: int) -> None:
    """Says where the engine listens. Removed by `remove_endpoint` at stop."""
    lines = [f"secret {secret}", f"pid {pid}"]
    if socket is not None:
        lines.append(f"socket {socket}")
    if port is not None:
        lines.append(f"port {port}")
    make_private_dir(state_dir)
    write_private(state_dir / ENDPOINT_NAME, ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape"))


def remove_endpoint(state_dir: Path) -> None:
    (state_dir / ENDPOINT_NAME).unlink(missing_ok=True)


def write_hook_conf(state_dir: Path, app: str, values: Mapping[str, str]) -> None:
    """Writes `hook/<app>.conf`: one `key value` line per entry; the hook reads `token`."""
    lines = "".join(f"{key} {value}\n" for key, value in values.items())
    make_private_dir(state_dir / "hook")
    write_private(state_dir / "hook" / f"{app}.conf", lines.encode("utf-8"))


def hello_proof(secret: str, nonce: str) -> str:
    """What `GET /v1/hello?nonce=` answers behind `proof `: HMAC-SHA256 over the nonce's characters, in hex.

    >>> hello_proof("00" * 32, "ab")[:8]
    'd6b79ceb'
    """
    return hmac.new(bytes.fromhex(secret), nonce.encode("ascii"), sha256).hexdigest()


class HookRuleFiles:
    """Thread-safe. Each of `writes` writes one file if it is missing."""

    def __init__(self, store: Store, *writes: Callable[[], None]) -> None:
        self.notice = ""  # why a file could not be written; "" when all are
        self._store = store
        self._writes = writes
        self._lock = threading.Lock()
        store.subscribe(self._on_changes)

    def begin(self) -> None:
        """Writes them at the start of the app, which continues if that fails."""
        self._write()

    def write(self) -> None:
        """Raises DiskProblem when one could not be written."""
        before, problem = self.notice, self._write()
        if self.notice != before:
            self._store.announce(Changes(seq=0, kinds=frozenset({DataKind.STATE})))
        if problem is not None:
            raise problem

    def try_again(self) -> None:
        """Tries again to write what could not be written before."""
        if self.notice:
            with suppress(DiskProblem):
                self.write()

    def _write(self) -> DiskProblem | None:
        found: DiskProblem | None = None
        with self._lock:
            for write in self._writes:
                try:
                    write()
                except (OSError, EnvironmentProblem) as error:
                    why = (getattr(error, "strerror", None) or str(error)).rstrip(".")
                    found = DiskProblem(
                        f"What is never captured could not be written down for the hooks: {why[:1].lower()}{why[1:]}.",
                        hint=_HINT,
                    )
                    found.__cause__ = error
            if found is not None and not self.notice:
                _log.warning("%s", found)
            self.notice = "" if found is None else f"{found} {found.hint}"
        return found

    def _on_changes(self, changes: Changes) -> None:
        if DataKind.RULES in changes.kinds:
            with suppress(DiskProblem):
                self.write()
