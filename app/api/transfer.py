"""Bringing histories in, and writing ours out.

Owns the choice of the way for each kind of file; reading is `app.interop`'s, keeping the flow's. Knows neither HTTP
nor Qt. Source: DESIGN section 2 (files are exports that read back), INTEROP section 2.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from sqlalchemy import Connection

from app.api.clean_arguments import cleans_arguments
from app.api.core import Core
from app.api.events import Events
from app.assistants import discover
from app.assistants.histories import READERS
from app.errors import InvalidError
from app.interop.seed3_files import Row, chunk_row, conversation_row, read_array, write_array
from app.interop.seed_files import write_context, write_history
from app.memories.queries import episodes_of, get_memory, of_conversation
from app.places import check_path
from app.store.rows.conversation import ConversationQuery
from app.transfer.archive_file import archive_lines, import_archive
from app.transfer.conversation_files import conversation_markdown, ended_lines
from app.transfer.export_file import write_export
from app.transfer.import_positions import forget_unfinished, load_unfinished
from app.transfer.import_run import measure_history, run_import
from app.transfer.memory_files import export_rows, import_rows, memories_markdown, rule_entries
from app.transfer.seed_import import (
    FOUR_FILES,
    Cleaner,
    import_context,
    import_history,
    project_memory_files,
    take_project_memory,
)
from app.understanding.conversations.chunking import list_chunks
from app.understanding.conversations.queries import get_conversation, list_conversations
from app.values import FoundSource, HistorySize, ImportReport, Origin, Progress

MEMORIES_SOURCE, OWN_MEMORIES_SOURCE = "seed-memories", "own-memories"


@cleans_arguments
class Transfer:
    def __init__(self, core: Core, events: Events) -> None:
        self._core = core
        self._events = events

    def found(self) -> tuple[FoundSource, ...]:
        """Histories that assistants left on this disk."""
        return discover.find_histories(Path.home(), os.environ)

    def recognise(self, path: Path) -> FoundSource:
        """What a dropped file or folder is; source "unknown" when we cannot read it."""
        check_path(path)
        return discover.recognise_drop([path])[0]

    def import_history(
        self,
        source: str,
        path: Path,
        *,
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
        earlier: ImportReport | None = None,
    ) -> ImportReport:
        """Takes in what is new; again is free. One undo takes the whole import back, with `earlier`, which it continues with."""
        check_path(path)
        if not path.exists():
            raise InvalidError(f"There is nothing at {path}.", hint="Check the path.")
        try:
            return self._import(source, path, progress, cancel, earlier)
        except OSError as error:  # of the file: a disk of ours that fails is a DiskProblem by now
            raise InvalidError(
                f"{path} cannot be read: {(error.strerror or 'not allowed').lower()}.",
                hint="Choose the file itself, and one that you are allowed to read.",
            ) from error

    def _import(
        self,
        source: str,
        path: Path,
        progress: Callable[[Progress], None] | None,
        cancel: threading.Event | None,
        earlier: ImportReport | None,
    ) -> ImportReport:
        if source == discover.SEED_HISTORY:
            return self._import_own_history(path)
        if source == discover.OWN_ARCHIVE:
            return self._import_archive(path)
        if source == discover.SEED_CONTEXT:
            return import_context(self._events.capture, path)
        if source in discover.PROJECT_MEMORY_SOURCES or (path.is_dir() and source == OWN_MEMORIES_SOURCE):
            return self.import_project_memory(path, is_own=source == OWN_MEMORIES_SOURCE)
        if source in {MEMORIES_SOURCE, OWN_MEMORIES_SOURCE}:
            return self.import_memories(path, is_own=source == OWN_MEMORIES_SOURCE)
        core = self._core
        return run_import(core.importer, source, path, core.current, progress=progress, cancel=cancel, earlier=earlier)

    def measure(self, source: str, path: Path, *, cancel: threading.Event | None = None) -> HistorySize | None:
        """How many messages a history has that are not taken in yet; None of a file that is no history of an assistant."""
        check_path(path)
        if source not in READERS or not path.exists():
            return None
        return measure_history(self._core.importer, source, path, self._core.current, cancel=cancel)

    def unfinished(self) -> ImportReport | None:
        """The import that was stopped, or that a kill ended: hand it to `import_history` as `earlier` to go on."""
        with self._core.store.read() as connection:
            found = load_unfinished(connection)
        if found is None:
            return None
        return ImportReport(
            source=found.source,
            path=found.path,
            message_count=found.message_count,
            duplicate_count=0,
            skipped_count=0,
            failed_count=0,
            conversation_count=0,
            is_cancelled=True,
            took_s=0.0,
            operation_id=found.operation_id,
        )

    def leave_unfinished(self) -> None:
        """What came in stays as it is; nothing offers to go on."""
        with self._core.store.database.transaction() as connection:
            forget_unfinished(connection)

    def _import_own_history(self, path: Path) -> ImportReport:
        core = self._core
        return import_history(core.store, core.streams, path, core.current, core.queue, cleaner=self._cleaner())

    def _import_archive(self, path: Path) -> ImportReport:
        """Prompts of an archive go into the archive, in one undoable act. Raises InvalidError while it is off."""
        core, started_s = self._core, time.monotonic()
        if not core.archive.is_on:
            raise InvalidError("The prompt archive is off.", hint="Switch it on first: remanence archive forever")
        with path.open("rb") as stream, core.store.write(origin=Origin.IMPORT, kind="import", label="") as write:
            taken, known, failed = import_archive(
                write,
                stream,
                core.streams,
                clean=lambda text: core.inbox.clean_text(text, core.current),
                is_excluded=core.excluded.excludes,
                keep=core.archive.keep_past,
            )
            write.label = f"Imported {taken:,} archived prompts from {path.name}"
        core.streams.forget()
        return ImportReport(
            source=discover.OWN_ARCHIVE,
            path=path,
            message_count=taken,
            duplicate_count=known,
            skipped_count=0,
            failed_count=failed,
            conversation_count=0,
            is_cancelled=False,
            took_s=time.monotonic() - started_s,
            operation_id=write.operation_id,
        )

    def import_memories(self, path: Path, *, is_own: bool = False) -> ImportReport:
        """Takes in a long-term-memory.json or episodic-memory.json; one undo reverts it.

        What a file says of its own trust is believed only when the person says that it is their own export.
        """
        if not path.is_file():
            what = "is a folder" if path.is_dir() else "is not a file"
            raise InvalidError(f"{path} {what}.", hint="Choose the file that was exported.")
        core, started_s = self._core, time.monotonic()
        with path.open("rb") as stream, core.store.write(origin=Origin.IMPORT, kind="import", label="") as write:
            taken = import_rows(
                write,
                read_array(stream),
                core.streams,
                lambda text: core.inbox.clean_text(text, core.current),
                keeps_trust=is_own,
                promote_at=core.current.promote_at,
            )
            write.label = f"Imported {_named(len(taken.added), taken.rule_count)} from {path.name}"
        core.streams.forget()
        return ImportReport(
            source="seed-memories",
            path=path,
            message_count=len(taken.added),
            duplicate_count=taken.known_count,
            skipped_count=taken.skipped_count,
            failed_count=0,
            conversation_count=0,
            is_cancelled=False,
            took_s=time.monotonic() - started_s,
            operation_id=write.operation_id,
            notes=(f"Saved searches and rules imported: {taken.rule_count}.",) if taken.rule_count else (),
        )

    def import_project_memory(self, path: Path, *, is_own: bool = False) -> ImportReport:
        """Takes in the four files of a `.project-memory` folder of [S3], or one of them; one undo reverts all of it.

        Conversations come first, so that what memories and episodes say of them reaches them.
        """
        core, started_s = self._core, time.monotonic()
        files = project_memory_files(path)
        if not files:
            raise InvalidError(f"None of the four files is in {path}.", hint=f"They are {', '.join(FOUR_FILES)}.")
        with core.store.write(origin=Origin.IMPORT, kind="import", label="") as write:
            taken = take_project_memory(
                write,
                files,
                core.streams,
                self._cleaner(),
                lambda text: core.inbox.clean_text(text, core.current),
                keeps_trust=is_own,
                promote_at=core.current.promote_at,
            )
            core.queue.make_room(write, core.current, newest_id=0)
            memories, talks = taken.memories, taken.talks
            write.label = f"Imported {_named(len(memories.added), memories.rule_count)} and {talks.count} conversations"
        core.streams.forget()
        return ImportReport(
            source=discover.PROJECT_MEMORY,
            path=path,
            message_count=talks.message_count + len(memories.added),
            duplicate_count=talks.known_count + memories.known_count,
            skipped_count=memories.skipped_count + taken.skipped_count,
            failed_count=0,
            conversation_count=talks.count,
            is_cancelled=False,
            took_s=time.monotonic() - started_s,
            operation_id=write.operation_id,
        )

    def export_project_memory(self, folder: Path, *, is_replacing: bool = False) -> int:
        """Writes the four files of [S3] into a folder; returns how many things are in them."""
        folder.mkdir(parents=True, exist_ok=True)
        kinds = ("memories", "episodes", "conversations", "chunks")
        return sum(
            self.export(kind, folder / name, is_replacing=is_replacing)
            for kind, name in zip(kinds, FOUR_FILES, strict=True)
        )

    def _cleaner(self) -> Cleaner:
        inbox, settings = self._core.inbox, self._core.current
        return Cleaner(lambda text: inbox.without_secrets(text, settings), inbox.clean_id)

    def export_memories(self, path: Path, *, episodes: bool = False, is_replacing: bool = False) -> int:
        """Writes long-term-memory.json, the person's rules before it, or episodic-memory.json; returns how many memories."""
        with self._core.store.read_for_caller() as connection:
            rules = [] if episodes else rule_entries(connection)
            rows = chain(rules, self._rows(connection, is_episodes=episodes))
            return self._write(path, write_array(rows), is_replacing=is_replacing) - 2 - len(rules)

    def _rows(
        self, connection: Connection, *, is_episodes: bool = False, ids: Sequence[int] | None = None
    ) -> Iterator[Row]:
        now, half_life_days = self._core.clock.now(), self._core.current.decay_half_life_days
        return export_rows(connection, now, half_life_days, is_episodes=is_episodes, ids=ids)

    def export_some(self, memory_ids: Sequence[int], path: Path, *, is_replacing: bool = False) -> int:
        """Writes these memories: as Markdown where the name ends so, else as a file that reads back. Returns how many."""
        ids = list(dict.fromkeys(memory_ids))
        if not ids:
            raise InvalidError("No memory is chosen.", hint="Choose at least one.")
        if path.suffix.lower() == ".md":
            self._write(path, [self.as_markdown(ids).encode()], is_replacing=is_replacing)
            return len(ids)
        with self._core.store.read_for_caller() as connection:
            return self._write(path, write_array(self._rows(connection, ids=ids)), is_replacing=is_replacing) - 2

    def as_markdown(self, memory_ids: Sequence[int]) -> str:
        """What these memories say, with what they are about and where they come from, to be read."""
        now, half_life_days = self._core.clock.now(), self._core.current.decay_half_life_days
        with self._core.store.read_for_caller() as connection:
            return memories_markdown([get_memory(connection, one, now, half_life_days) for one in memory_ids])

    def export_conversations(self, path: Path, *, chunks: bool = False, is_replacing: bool = False) -> int:
        """Writes conversations.json of [S3], or conversation-chunks.json; returns how many of them."""
        size, now = self._core.current.queue_size, self._core.clock.now()
        with self._core.store.read_for_caller() as connection:
            rows = []
            for one in reversed(list_conversations(connection, size, ConversationQuery())):
                detail, listed = get_conversation(connection, one.id, size), list_chunks(connection, one.id)
                if chunks:
                    rows += [chunk_row(chunk, detail.messages) for chunk in listed]
                else:
                    learned = (*of_conversation(connection, one.id, now), *episodes_of(connection, one.id, now))
                    rows.append(conversation_row(detail, listed, learned))
        return self._write(path, write_array(rows), is_replacing=is_replacing) - 2

    def export_conversation(self, conversation_id: int, path: Path, *, is_replacing: bool = False) -> None:
        """Writes one conversation as Markdown, to be read."""
        detail = self._core.read(get_conversation, conversation_id, self._core.current.queue_size)
        self._write(path, [conversation_markdown(detail).encode()], is_replacing=is_replacing)

    def export(self, kind: str, path: Path, *, is_replacing: bool = False) -> int:
        """Writes a file; returns how many things are in it. Unless `is_replacing`, never over one that is there.

        `history` (conversation-history.jsonl), `context` (conversation-context.jsonl), and of [S3] `memories`, `episodes`,
        `conversations`, `chunks`, `project-memory` (a folder with all four); `prompts`: the archive.
        """
        size = self._core.current.queue_size
        if kind == "project-memory":
            return self.export_project_memory(path, is_replacing=is_replacing)
        if kind in {"memories", "episodes"}:
            return self.export_memories(path, episodes=kind == "episodes", is_replacing=is_replacing)
        if kind in {"conversations", "chunks"}:
            return self.export_conversations(path, chunks=kind == "chunks", is_replacing=is_replacing)
        if kind == "prompts":
            with self._core.store.read_for_caller() as connection:
                return self._write(path, archive_lines(connection), is_replacing=is_replacing)
        if kind not in {"history", "context"}:
            raise InvalidError(
                f"“{kind}” cannot be exported.",
                hint="history, context, memories, episodes, conversations, chunks, project-memory or prompts.",
            )
        with self._core.store.read_for_caller() as connection:
            listed = list_conversations(connection, size, ConversationQuery())
            if kind == "history":
                details = (get_conversation(connection, one.id, size) for one in reversed(listed))
                return self._write(path, write_history(details), is_replacing=is_replacing)
            sessions = {one.id: one.session for one in listed}
            messages = [message for one in listed for message in get_conversation(connection, one.id, size).messages]
            newest = sorted(messages, key=lambda message: message.id)[-self._core.current.window_messages :]
            return self._write(path, write_context(newest, sessions), is_replacing=is_replacing)

    def _write(self, path: Path, lines: Iterable[bytes], *, is_replacing: bool) -> int:
        return write_export(self._core.places, path, ended_lines(lines), is_replacing=is_replacing)


def _named(memory_count: int, rule_count: int) -> str:
    """What an import brought, in words.

    >>> _named(3, 1), _named(0, 2), _named(1, 0), _named(0, 0)
    ('3 memories and 1 rule', '2 rules', '1 memory', '0 memories')
    """
    memories = f"{memory_count} {'memory' if memory_count == 1 else 'memories'}"
    rules = f"{rule_count} {'rule' if rule_count == 1 else 'rules'}"
    if not rule_count:
        return memories
    return f"{memories} and {rules}" if memory_count else rules
