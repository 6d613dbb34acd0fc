"""What the person typed into a memory and neither saved nor discarded: kept by memory, over restarts and crashes too.

One file in the state folder, for its owner alone. Holds texts and ids, no values of the engine; whoever shows a memory asks
here. Written a moment after the last key, and when the window is left.
"""

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

if TYPE_CHECKING:
    from app.values import Memory


FILE_NAME = "unsaved.json"
WRITE_AFTER_MS = 700
_LEVELS = ("full", "summary", "compressed", "index")


@dataclass(frozen=True, slots=True)
class UnsavedText:
    """Unsaved texts by level, and the memory with its revision when typing began."""

    revision: int
    recorded_at: datetime  # after a restore another memory may have the number
    texts: Mapping[str, str]  # by the name of a level

    def is_of(self, memory: "Memory") -> bool:
        return self.recorded_at == memory.recorded_at

    def is_saved(self, memory: "Memory") -> bool:
        """Whether the memory now has all of these texts."""
        from app.values import Level  # late: the first paint waits for no value of the engine

        return all(text.strip() == memory.levels.at(Level(level)).text.strip() for level, text in self.texts.items())


class UnsavedTexts(QObject):
    """`new_memory` holds what is typed in the sheet for a new memory; `dropped` carries the number of a memory without unsaved text from now on."""

    dropped = Signal(int)

    def __init__(self, state_dir: Path | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = state_dir / FILE_NAME if state_dir is not None else None
        self._texts, self._new_memory = _load(self._path)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(WRITE_AFTER_MS)
        self._pause.timeout.connect(self.write)

    @property
    def memory_ids(self) -> tuple[int, ...]:
        return tuple(self._texts)

    @property
    def new_memory(self) -> str:
        return self._new_memory

    def of(self, memory: "Memory") -> UnsavedText | None:
        """The unsaved texts of a memory, or None."""
        found = self._texts.get(memory.id)
        return found if found is not None and found.is_of(memory) else None

    def keep(self, memory: "Memory", texts: Mapping[str, str], revision: int) -> None:
        """Replaces the unsaved texts of a memory; with none they are dropped. `revision`: of the memory when typing began."""
        kept = UnsavedText(revision, memory.recorded_at, dict(texts))
        if not texts:
            self.drop(memory.id)
        elif self._texts.get(memory.id) != kept:
            self._texts[memory.id] = kept
            self._pause.start()

    def drop(self, memory_id: int) -> None:
        if self._texts.pop(memory_id, None) is not None:
            self._pause.start()
            self.dropped.emit(memory_id)

    def forget_gone(self, found: "Mapping[int, Memory | None]") -> None:
        """Drops texts of memories that were erased, or replaced by a restore."""
        for memory_id, memory in found.items():
            if memory is None or self.of(memory) is None:
                self.drop(memory_id)

    def forget_saved(self, found: "Mapping[int, Memory | None]") -> None:
        """Drops texts that the memories themselves have by now."""
        for memory in found.values():
            waiting = self.of(memory) if memory is not None else None
            if memory is not None and waiting is not None and waiting.is_saved(memory):
                self.drop(memory.id)

    def keep_new_memory(self, text: str) -> None:
        if text != self._new_memory:
            self._new_memory = text
            self._pause.start()

    def write(self) -> None:
        """Writes the file. If the disk is full or read-only, the texts stay in the window only."""
        self._pause.stop()
        if self._path is None:
            return
        from app.places import write_private

        memories = [
            {
                "id": memory_id,
                "revision": one.revision,
                "recorded_at": one.recorded_at.isoformat(),
                "texts": dict(one.texts),
            }
            for memory_id, one in self._texts.items()
        ]
        with contextlib.suppress(OSError):
            if memories or self._new_memory:
                written = json.dumps(
                    {"memories": memories, "new_memory": self._new_memory}, ensure_ascii=False, indent=1
                )
                write_private(self._path, written.encode("utf-8", "surrogatepass"))
            else:
                self._path.unlink(missing_ok=True)


def _load(path: Path | None) -> tuple[dict[int, UnsavedText], str]:
    """Reads the file; entries that cannot be read are left out."""
    try:
        loaded = json.loads(path.read_text(encoding="utf-8", errors="replace")) if path is not None else {}
    except (OSError, ValueError, RecursionError):
        return {}, ""
    if not isinstance(loaded, dict):
        return {}, ""
    texts, new_memory, rows = {}, loaded.get("new_memory"), loaded.get("memories")
    for row in rows if isinstance(rows, list) else ():
        try:
            levels = {str(name): str(text) for name, text in row["texts"].items() if name in _LEVELS}
            one = UnsavedText(int(row["revision"]), datetime.fromisoformat(row["recorded_at"]), levels)
            texts[int(row["id"])] = one
        except (KeyError, TypeError, ValueError, AttributeError):
            continue
    return texts, new_memory if isinstance(new_memory, str) else ""
