"""A home of its own for the example: nothing of the person's is read or changed, and nothing of it stays.

Owns the environment of this process while the example runs; knows neither window nor engine. Source: UX section 6 `--demo`.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from app.places import Places

_PREFIXES = ("REMANENCE_", "XDG_", "CLAUDE_", "CODEX_", "CURSOR_", "COPILOT_")
_KEPT = frozenset({"XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS"})  # the desktop's


@contextmanager
def example_home() -> Iterator[Places]:
    """Places in an empty folder that is this process's home until the block ends; then the folder is gone."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="remanence-example-", ignore_cleanup_errors=True) as folder:
        _enter(Path(folder), before)
        try:
            yield Places.under(Path(folder) / "remanence")
        finally:
            os.environ.clear()
            os.environ.update(before)


def _enter(home: Path, environment: Mapping[str, str]) -> None:
    for name in environment:
        if name.startswith(_PREFIXES) and name not in _KEPT:
            del os.environ[name]
    for name in ("HOME", "USERPROFILE"):
        os.environ[name] = str(home)
