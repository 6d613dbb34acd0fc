"""Holds memories against the project's folder: one that names a file, symbol or version which is no longer there may be outdated.

Never waited for: a thread of its own lists the folder and reads its code, bounded; until it is done nothing is called outdated.
Follows no link, leaves the folder nowhere, keeps names only. Source: issue 4 "Re-check against the code".
"""

import logging
import os
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath

from app.clock import Clock
from app.deciders.recall.context.named_code import NamedCode, find_named_code
from app.interop.manifests import Majors, is_manifest, read_majors
from app.store.tables.types import to_microseconds
from app.values import ContextCandidate, Level

_log = logging.getLogger(__name__)
_FRESH_S = 60.0
_SETTLED = timedelta(days=1)  # what was said today may be about to be written
_FILES_MOST, _READ_MOST, _READ_BYTES, _BYTES_MOST = 20_000, 2_000, 64_000, 8_000_000
_MANIFESTS_MOST = 40
_PROJECTS_KEPT = 4
_PAUSE_S = 0.001  # between two files, so that nobody else waits
_SKIPPED = frozenset(
    {".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", "dist", "build", "target", ".tox", ".mypy_cache",
     ".pytest_cache", ".ruff_cache", ".next", ".cache", "vendor", "coverage"}
)  # fmt: skip
_CODE = frozenset(
    {".py", ".pyi", ".js", ".jsx", ".mjs", ".ts", ".tsx", ".vue", ".svelte", ".rs", ".go", ".java", ".kt", ".swift", ".c", ".h",
     ".cc", ".cpp", ".hpp", ".cs", ".rb", ".php", ".scala", ".sql", ".sh", ".ex", ".exs", ".toml", ".yaml", ".yml", ".json"}
)  # fmt: skip
_SYMBOL = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{3,63}")


@dataclass(frozen=True, slots=True)
class Folder:
    """What is there. `is_whole`: nothing was left out for its size or number; else absence proves nothing."""

    read_at_s: float
    files: frozenset[str]  # inside the project, with "/"
    names: frozenset[str]
    symbols: frozenset[bytes]
    has_all_files: bool
    has_all_symbols: bool
    majors: Mapping[str, tuple[Majors, ...]] = field(default_factory=dict)  # that manifests allow, by dependency

    @property
    def proves_nothing(self) -> bool:
        """Whether nothing can be said to be absent."""
        return not (self.has_all_files or self.has_all_symbols or self.majors)

    def lacks(self, named: NamedCode) -> bool:
        """Whether anything that is named is surely not there."""
        if self.has_all_files and any(self._lacks_file(path) for path in named.files):
            return True
        if self._lacks_version(named):
            return True
        return self.has_all_symbols and any(name.encode() not in self.symbols for name in named.symbols)

    def _lacks_version(self, named: NamedCode) -> bool:
        """Whether of a declared dependency only majors are named that no manifest allows."""
        versions: dict[str, list[int]] = {}
        for name, major in named.versions:
            if name in self.majors:
                versions.setdefault(name, []).append(major)
        return any(
            not any(low <= major <= high for major in majors for low, high in self.majors[name])
            for name, majors in versions.items()
        )

    def _lacks_file(self, path: str) -> bool:
        if path.startswith(("/", "../")):
            return False  # not of this folder: not ours to look at
        return path not in self.files and not (
            PurePosixPath(path).name in self.names
            and ("/" not in path or any(one.endswith(f"/{path}") for one in self.files))
        )


class CodeCheck:
    """Thread-safe."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Folder] = OrderedDict()
        self._thread: threading.Thread | None = None
        self._is_stopping = False

    def find_stale(self, project_path: str, given: Iterable[ContextCandidate], now: datetime) -> frozenset[int]:
        """Those of the memories that name what is no longer there; none while the folder is not known."""
        if self._is_nothing_proved(project_path):
            return frozenset()
        settled_at = to_microseconds(now - _SETTLED)
        texts = {
            one.key: one.texts[Level.FULL]
            for one in given
            if one.key > 0 and one.recorded_at is not None and one.recorded_at <= settled_at
        }
        if not project_path or not texts:
            return frozenset()
        folder = self._folder(project_path)
        if folder is None or folder.proves_nothing:
            return frozenset()
        return frozenset(key for key, text in texts.items() if folder.lacks(find_named_code(text)))

    def _is_nothing_proved(self, project_path: str) -> bool:
        """Whether the last look, which holds still, proved nothing: most are of folders without code, or too large."""
        with self._lock:
            known = self._known.get(project_path)
        return known is not None and known.proves_nothing and not self._is_old(known)

    def _is_old(self, known: Folder) -> bool:
        return self._clock.monotonic_s() - known.read_at_s > _FRESH_S

    def _folder(self, project_path: str) -> Folder | None:
        """What was last seen; looked at again in the background when that is a while ago."""
        with self._lock:
            known = self._known.get(project_path)
            if (known is None or self._is_old(known)) and self._thread is None and not self._is_stopping:
                self._thread = threading.Thread(
                    target=self._look, args=(project_path,), name="remanence-code-check", daemon=True
                )
                self._thread.start()
        return known

    def _look(self, project_path: str) -> None:
        try:
            found = self._read_or_nothing(project_path)
            with self._lock:
                self._known[project_path] = found
                self._known.move_to_end(project_path)
                while len(self._known) > _PROJECTS_KEPT:
                    self._known.popitem(last=False)
        finally:
            with self._lock:
                self._thread = None

    def _read_or_nothing(self, project_path: str) -> Folder:
        """What is there; of a folder that cannot be read nothing, remembered as long: else every context would try again."""
        try:
            return self._read(project_path)
        except OSError as error:
            _log.info("the folder of a project cannot be looked at: %s", type(error).__name__)
            nothing: frozenset[str] = frozenset()
            return Folder(self._clock.monotonic_s(), nothing, nothing, frozenset(), False, False)

    def wait(self) -> None:
        """Until the look that is under way is over."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def stop(self) -> None:
        self._is_stopping = True
        self.wait()

    def _read(self, project_path: str) -> Folder:
        paths: list[str] = []
        has_all = Path(project_path).is_dir()
        for path in _walk(project_path):
            if len(paths) >= _FILES_MOST or self._is_stopping:
                has_all = False
                break
            paths.append(path)
        symbols, has_all_symbols = self._read_symbols(project_path, paths)
        return Folder(
            read_at_s=self._clock.monotonic_s(),
            files=frozenset(paths),
            names=frozenset(PurePosixPath(path).name for path in paths),
            symbols=symbols,
            has_all_files=has_all,
            has_all_symbols=has_all and has_all_symbols,
            majors=_read_manifests(project_path, paths),
        )

    def _read_symbols(self, root: str, paths: Iterable[str]) -> tuple[frozenset[bytes], bool]:
        found: set[bytes] = set()
        left, is_whole = _BYTES_MOST, True
        code = [path for path in paths if PurePosixPath(path).suffix in _CODE]
        for path in code[:_READ_MOST]:
            if left <= 0 or self._is_stopping:
                return frozenset(found), False
            data = _read_plain(Path(root) / path)
            if data is None or len(data) > _READ_BYTES:
                is_whole = False
            found.update(_SYMBOL.findall((data or b"")[:_READ_BYTES]))
            left -= len(data or b"")
            time.sleep(_PAUSE_S)
        return frozenset(found), is_whole and len(code) <= _READ_MOST


def _read_manifests(root: str, paths: Iterable[str]) -> dict[str, tuple[Majors, ...]]:
    """What the manifests allow, those of the outermost folders first: each its own where there are many packages."""
    found: dict[str, tuple[Majors, ...]] = {}
    manifests = sorted(
        (path for path in paths if is_manifest(PurePosixPath(path).name)), key=lambda one: one.count("/")
    )
    for path in manifests[:_MANIFESTS_MOST]:
        data = _read_plain(Path(root) / path)
        if data is None or len(data) > _READ_BYTES:
            return {}  # what it declares is not known: nothing is proved
        for name, majors in read_majors(PurePosixPath(path).name, data).items():
            found[name] = (*found.get(name, ()), majors)
    return found


def _walk(root: str) -> Iterator[str]:
    """Files of the folder, links left alone."""
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        with os.scandir(Path(root) / folder) as entries:
            for entry in sorted(entries, key=lambda one: one.name):
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in _SKIPPED:
                        waiting.append(path)
                elif entry.is_file(follow_symlinks=False):
                    yield path


def _read_plain(path: Path) -> bytes | None:
    """The first bytes of a file, one more than may be read of it; None when it cannot be read or has become a link."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read(_READ_BYTES + 1)
