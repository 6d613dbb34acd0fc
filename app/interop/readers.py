"""Which reader reads the histories of which assistant.

`reader(source)` gives it; `discover` says what to hand it and what source a file is of. Knows neither store nor services.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from app.errors import NotFoundError
from app.interop import chatgpt, claude_ai, claude_code, codex
from app.interop.prompts import ReadItem


class ReadEvents(Protocol):
    """What every reader of a history is."""

    def __call__(self, path: Path, *, start_offset: int = 0) -> Iterator[ReadItem]:
        """The file's events; reading again from an item's `end_offset` loses nothing."""


READERS: dict[str, ReadEvents] = {
    claude_code.NAME: claude_code.read_events,
    codex.NAME: codex.read_events,
    chatgpt.NAME: chatgpt.read_events,
    claude_ai.NAME: claude_ai.read_events,
}


def reader(source: str) -> ReadEvents:
    """The reader of a source's files. Raises NotFoundError, naming the sources there are."""
    if source not in READERS:
        known = ", ".join(READERS)
        raise NotFoundError(f"There is no reader for “{source}”.", hint=f"Choose one of: {known}.")
    return READERS[source]
