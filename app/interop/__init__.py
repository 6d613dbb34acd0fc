"""Readers and writers of foreign formats, one file each: bytes in, values out.

`reader(source)` gives the reader of a source, `history_files` what to hand it, `recognise` the source of a file.
Knows neither store nor services.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from app.errors import NotFoundError
from app.interop import chatgpt, claude_ai, claude_code, codex
from app.interop.discover import (
    SEED_CONTEXT,
    SEED_HISTORY,
    UNKNOWN,
    describe,
    find_histories,
    history_files,
    recognise,
    recognise_drop,
    resume_mark,
)
from app.interop.prompts import ImportRefusedError, ReadItem, SkippedLine


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


__all__ = [
    "READERS",
    "SEED_CONTEXT",
    "SEED_HISTORY",
    "UNKNOWN",
    "ImportRefusedError",
    "ReadEvents",
    "ReadItem",
    "SkippedLine",
    "describe",
    "find_histories",
    "history_files",
    "reader",
    "recognise",
    "recognise_drop",
    "resume_mark",
]
