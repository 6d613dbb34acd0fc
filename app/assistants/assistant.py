"""What one assistant is: its names, where it reads what our hook prints, what its own transcript says. Values; no I/O.

An assistant is a folder: `__init__.py` has its `ASSISTANT`; `history.py` (HISTORY) and `connect.py` (CONNECTOR) are read only when they are needed.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from app.interop.safe_json import JsonValue

if TYPE_CHECKING:
    from app.interop.prompts import ReadItem

WriteAnswer = Callable[[str, str, str], dict[str, object]]


def nested_answer(event: str, name: str, context: str) -> dict[str, object]:
    """What Claude Code began and most hosts read: the host's own name of the event beside the context."""
    del event
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": context}}


def flat_answer(event: str, name: str, context: str) -> dict[str, object]:
    """The context alone."""
    del event, name
    return {"additionalContext": context}


@dataclass(frozen=True, slots=True)
class HookAnswers:
    """The host's name for each event whose output it reads as context; None = it reads nothing there."""

    prompt: str | None = "UserPromptSubmit"
    start: str | None = "SessionStart"
    tool: str | None = None
    write: WriteAnswer = nested_answer
    reads_after_clear: bool = True  # some run the hook of the session that `/clear` begins, and drop its answer

    def name_of(self, event: str) -> str | None:
        """The host's name for one of our events."""
        return {"prompt": self.prompt, "start": self.start, "tool": self.tool}.get(event)


class LiveTranscript(NamedTuple):
    """What is worth reading at the end of a transcript while it is being written. `marks`: bytes, one of which a line of interest has."""

    marks: tuple[bytes, ...]
    is_transcript: Callable[[Path, str], bool]  # of this session


@dataclass(frozen=True, slots=True)
class Assistant:
    """`name` is the app's name in events and tokens, `title` is for people, `package` the folder with its other parts."""

    name: str
    title: str
    package: str
    answers: HookAnswers
    read_payload: Callable[[dict[str, JsonValue]], dict[str, JsonValue]] = lambda given: given
    transcript: LiveTranscript | None = None

    def part(self, name: str) -> Any:
        """A module of its folder, imported now; None where it has none of that name."""
        module = f"{self.package}.{name}"
        return import_module(module) if find_spec(module) else None


class ReadEvents(Protocol):
    """What every reader of a history is."""

    def __call__(self, path: Path, *, start_offset: int = 0) -> "Iterator[ReadItem]":
        """The file's events; reading again from an item's `end_offset` loses nothing."""


class History(NamedTuple):
    """What an assistant leaves on disk. `names_uses`: its hooks and its transcript give a tool's use the same name."""

    name: str
    title: str
    config_dir: Callable[[Path, Mapping[str, str]], Path]
    listed_files: Callable[[Path], tuple[Path, ...]]
    read_events: ReadEvents
    names_uses: bool = False
    ordered_files: Callable[[Path], tuple[Path, ...]] | None = None
    is_entry: Callable[[Mapping[str, object]], bool] = lambda _entry: False  # a JSON line of it
    is_file: Callable[[Path], bool] = lambda _path: False  # a file of it that is no JSON
    folder_glob: str = ""  # what its own folder has; "" = whatever `listed_files` finds
