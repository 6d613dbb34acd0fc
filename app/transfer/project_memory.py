"""The four files of a `.project-memory` folder of [S3], taken in together: conversations, their chunks, memories, episodes.

Owns the order and which file is which; reading a row is `interop`'s, adding it the flow's. Source: S3 "Storage Structure".
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from app.capture.streams import Streams
from app.errors import InvalidError
from app.interop.prompts import str_of
from app.interop.seed3_files import Row, SeedConversation, read_array, read_chunks, read_conversation
from app.store.journal import Write
from app.transfer.memory_files import Names, Taken, import_rows
from app.transfer.seed_import import Cleaner, TakenConversations, take_conversations

LONG_TERM, EPISODIC, CONVERSATIONS, CHUNKS = FOUR_FILES = (
    "long-term-memory.json", "episodic-memory.json", "conversations.json", "conversation-chunks.json",
)  # fmt: skip


@dataclass(slots=True)
class TakenMemory:
    talks: TakenConversations = field(default_factory=TakenConversations)
    memories: Taken = field(default_factory=Taken)
    skipped_count: int = 0


def project_memory_files(path: Path) -> Mapping[str, Path]:
    """Those of the four that are there, by name: in a folder, or the one that `path` is."""
    if path.is_file():
        return {path.name: path} if path.name in FOUR_FILES else {}
    return {name: path / name for name in FOUR_FILES if (path / name).is_file()}


def take_project_memory(
    write: Write,
    files: Mapping[str, Path],
    streams: Streams,
    cleaner: Cleaner,
    clean: Callable[[str], str],
    *,
    keeps_trust: bool,
    promote_at: float,
) -> TakenMemory:
    """Adds what the files hold and is not here. Chunks stand in their conversations; alone they are conversations of their own."""
    taken, names, known = TakenMemory(), Names(), set[str]()
    for name, read in ((CONVERSATIONS, _whole_conversations), (CHUNKS, _conversations_of_chunks)):
        if name not in files:
            continue
        found = [one for one in read(files[name], taken) if one.key not in known]
        known |= {one.key for one in found}
        added = take_conversations(write, found, streams, cleaner)
        names.conversations |= added.by_key
        conversations = taken.talks
        conversations.count, conversations.message_count = (
            conversations.count + added.count,
            conversations.message_count + added.message_count,
        )
        conversations.known_count += added.known_count
    for name in (LONG_TERM, EPISODIC):
        if name in files:
            with files[name].open("rb") as stream:
                rows = read_array(stream)
                some = import_rows(
                    write, rows, streams, clean, keeps_trust=keeps_trust, promote_at=promote_at, names=names
                )
            memories = taken.memories
            memories.added += some.added
            memories.rule_count += some.rule_count
            memories.known_count += some.known_count
            memories.skipped_count += some.skipped_count
    return taken


def _whole_conversations(path: Path, taken: TakenMemory) -> Iterator[SeedConversation]:
    for number, row in enumerate(_rows(path, taken), start=1):
        yield from _readable(partial(read_conversation, row, number), taken)


def _conversations_of_chunks(path: Path, taken: TakenMemory) -> Iterator[SeedConversation]:
    grouped: dict[str, list[Row]] = defaultdict(list)
    for row in _rows(path, taken):
        grouped[str_of(row, "conversationId")].append(row)
    for number, rows in enumerate(grouped.values(), start=1):
        yield from _readable(partial(read_chunks, rows, number), taken)


def _readable(read: Callable[[], SeedConversation], taken: TakenMemory) -> Iterator[SeedConversation]:
    """What was read, if it is a conversation and says anything."""
    try:
        found = read()
    except InvalidError:
        taken.skipped_count += 1
        return
    if found.detail.messages or found.chunks:
        yield found
    else:
        taken.skipped_count += 1


def _rows(path: Path, taken: TakenMemory) -> Iterator[Row]:
    with path.open("rb") as stream:
        for row in read_array(stream):
            if row is None:
                taken.skipped_count += 1
            else:
                yield row
