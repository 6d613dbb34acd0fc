"""The assistants whose histories can be read, one line each, and which reader reads what.

`reader(source)` gives it; `discover` says what to hand it and what source a file is of. Knows neither store nor flow.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from app.assistants.copilot import history as copilot
from app.assistants.gemini import history as gemini
from app.assistants.opencode import history as opencode
from app.assistants.qwen import history as qwen
from app.errors import NotFoundError
from app.interop import chatgpt, claude_ai, claude_code, codex
from app.interop.prompts import ReadItem, first_instant


class ReadEvents(Protocol):
    """What every reader of a history is."""

    def __call__(self, path: Path, *, start_offset: int = 0) -> Iterator[ReadItem]:
        """The file's events; reading again from an item's `end_offset` loses nothing."""


def _oldest_first(path: Path, listed: Callable[[Path], tuple[Path, ...]]) -> tuple[Path, ...]:
    return tuple(sorted(listed(path), key=lambda file: (first_instant(file), file.name)))


class History(NamedTuple):
    """What an assistant leaves on disk. `names_uses`: its hooks and its transcript give a tool's use the same name."""

    name: str
    title: str
    config_dir: Callable[[Path, Mapping[str, str]], Path]
    listed_files: Callable[[Path], tuple[Path, ...]]
    read_events: ReadEvents
    names_uses: bool
    ordered_files: Callable[[Path], tuple[Path, ...]] | None = None
    is_entry: Callable[[Mapping[str, object]], bool] = lambda _entry: False

    def files(self, path: Path) -> tuple[Path, ...]:
        """The files below a path in the order to read them."""
        return self.ordered_files(path) if self.ordered_files else _oldest_first(path, self.listed_files)


HISTORIES = (
    History(
        claude_code.NAME,
        "Claude Code transcripts",
        claude_code.config_dir,
        claude_code.listed_files,
        claude_code.read_events,
        names_uses=True,
        ordered_files=claude_code.history_files,
    ),
    History(
        codex.NAME,
        "Codex sessions",
        codex.config_dir,
        codex.listed_files,
        codex.read_events,
        names_uses=True,
        ordered_files=codex.history_files,
    ),
    *(
        History(
            one.NAME,
            one.TITLE,
            one.config_dir,
            one.listed_files,
            one.read_events,
            names_uses=False,
            is_entry=one.is_entry,
        )
        for one in (copilot, gemini, qwen)
    ),
    History(
        opencode.NAME,
        opencode.TITLE,
        opencode.config_dir,
        opencode.listed_files,
        opencode.read_events,
        names_uses=True,
    ),
)
READERS: dict[str, ReadEvents] = {
    **{one.name: one.read_events for one in HISTORIES},
    chatgpt.NAME: chatgpt.read_events,
    claude_ai.NAME: claude_ai.read_events,
}


def reader(source: str) -> ReadEvents:
    """The reader of a source's files. Raises NotFoundError, naming the sources there are."""
    if source not in READERS:
        known = ", ".join(READERS)
        raise NotFoundError(f"There is no reader for “{source}”.", hint=f"Choose one of: {known}.")
    return READERS[source]


def names_uses(source: str) -> bool:
    """Whether hooks and transcript of this source give a tool's use one name."""
    return all(one.names_uses for one in HISTORIES if one.name == source)
