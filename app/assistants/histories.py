"""The assistants whose histories can be read, and which reader reads what.

`reader(source)` gives it; `discover` says what to hand it and what source a file is of. Knows neither store nor flow.
"""

from pathlib import Path

from app.assistants.assistant import History, ReadEvents
from app.assistants.registry import ASSISTANTS
from app.errors import NotFoundError
from app.interop import chat_export
from app.interop.prompts import first_instant

HISTORIES: tuple[History, ...] = tuple(part.HISTORY for one in ASSISTANTS if (part := one.part("history")) is not None)
READERS: dict[str, ReadEvents] = {
    **{one.name: one.read_events for one in HISTORIES},
    chat_export.CHATGPT: chat_export.read_chatgpt,
    chat_export.CLAUDE_AI: chat_export.read_claude_ai,
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


def ordered_files(history: History, path: Path) -> tuple[Path, ...]:
    """The files of an assistant below a path in the order to read them."""
    if history.ordered_files is not None:
        return history.ordered_files(path)
    return tuple(sorted(history.listed_files(path), key=lambda file: (first_instant(file), file.name)))
