"""Which files hang together with those at hand by their imports, read where they lie at the time; no code is kept, only which file names which.

A question reads few files anew, since a hook waits for it; what was read stays until the file changes, so the files that import one become
known as they are worked on. What is excluded, outside its project or too large is not read. Source: issue 18 "Prediction with the graph".
"""

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from app.deciders.learning.endpoint_shapes import BYTES_MOST, can_read
from app.deciders.learning.imports import find_imports
from app.settings import Settings

Linked = Mapping[str, Mapping[str, bool]]
"""Of a file: the files that it imports, and with True those that import it."""
FindLinked = Callable[[str, Sequence[str], Iterable[str]], Linked]

_READ_MOST = 4  # files a question; 6 ms of processor time each
_KEPT_MOST = 2_000
_LISTED_MOST = 4_000  # names of a folder


class ImportReader:
    """Thread-safe. `is_excluded`: whether a person keeps nothing from this path."""

    def __init__(self, settings: Callable[[], Settings], is_excluded: Callable[[str], bool]) -> None:
        self._settings = settings
        self._is_excluded = is_excluded
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], tuple[tuple[int, int], frozenset[str]]] = OrderedDict()

    def find(self, root: str, files: Sequence[str], others: Iterable[str]) -> Linked:
        """Of each of these files of the project, newest last; `others` may import them, and are read as far as there is time."""
        if not (root and files and self._settings().is_reading_code):
            return {}
        base, left, folders = Path(root), _READ_MOST, dict[str, frozenset[str]]()
        own: dict[str, frozenset[str]] = {}
        for name in dict.fromkeys((*reversed(files), *others)):
            state = self._state_of(base, name)
            if state is None:
                continue
            with self._lock:
                kept = self._kept.get((root, name))
            if (kept is None or kept[0] != state) and left:
                left -= 1
                kept = state, _read(base, name, folders)
                self._keep((root, name), kept)
            if kept is not None:
                own[name] = kept[1]
        return {
            file: {
                **{other: True for other, names in own.items() if file in names},
                **dict.fromkeys(own.get(file, ()), False),
            }
            for file in files
        }

    def _state_of(self, base: Path, name: str) -> tuple[int, int] | None:
        """What changes when the file does; None for one that is not read."""
        if Path(name).is_absolute() or not can_read(name) or self._is_excluded(str(base / name)):
            return None
        try:
            real = (base / name).resolve(strict=True)
            state = real.stat()
            is_ours = real.is_relative_to(base.resolve()) and real.is_file() and state.st_size <= BYTES_MOST
        except (OSError, RuntimeError):
            return None  # gone, or not for us
        return (state.st_mtime_ns, state.st_size) if is_ours else None

    def _keep(self, key: tuple[str, str], value: tuple[tuple[int, int], frozenset[str]]) -> None:
        with self._lock:
            self._kept[key] = value
            while len(self._kept) > _KEPT_MOST:
                self._kept.popitem(last=False)


def _read(base: Path, name: str, folders: dict[str, frozenset[str]]) -> frozenset[str]:
    def list_folder(folder: str) -> frozenset[str]:
        if folder not in folders:
            try:
                with os.scandir(base / folder) as found:
                    folders[folder] = frozenset(
                        one.name for one, _ in zip(found, range(_LISTED_MOST), strict=False) if one.is_file()
                    )
            except OSError:
                folders[folder] = frozenset()
        return folders[folder]

    try:
        return find_imports((base / name).read_bytes(), name, list_folder)
    except OSError:
        return frozenset()
