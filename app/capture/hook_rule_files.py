"""The two files by which the hook knows, while the app is closed, what is a secret and what is never captured.

Writes both at the start and after every change of a rule. What could not be written stops nobody: it is said (`notice`), and
the housekeeper tries again until it could be. Knows no file's format. Source: QUALITY R3, S6.
"""

import logging
import threading
from collections.abc import Callable
from contextlib import suppress

from app.errors import DiskProblem, EnvironmentProblem
from app.store.store import Store
from app.values import Changes, DataKind

_log = logging.getLogger(__name__)
_HINT = "It is tried again until the disk takes it. Until then, while the app is closed, hooks leave out what was excluded before."


class HookRuleFiles:
    """Thread-safe. `writes`: each writes one file where it is not there already."""

    def __init__(self, store: Store, *writes: Callable[[], None]) -> None:
        self.notice = ""  # why a file could not be written; "" when all are
        self._store = store
        self._writes = writes
        self._lock = threading.Lock()
        store.subscribe(self._on_changes)

    def begin(self) -> None:
        """Writes them when the app starts, which goes on where that fails."""
        self._write()

    def write(self) -> None:
        """Raises DiskProblem when one could not be written."""
        before, problem = self.notice, self._write()
        if self.notice != before:
            self._store.announce(Changes(seq=0, kinds=frozenset({DataKind.STATE})))
        if problem is not None:
            raise problem

    def try_again(self) -> None:
        """Once more what could not be written."""
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
