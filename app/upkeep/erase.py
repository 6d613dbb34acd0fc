"""Erasing: what a person wants gone is gone from store, journal, search index, log files and, if wanted, the backups.

Not undoable, the only act that is not. Its own entry in the journal says how many, never what. Knows what is chosen; which rows
that means is `store.erasing`. Source: DESIGN section 2 "delete", section 5 "erase", QUALITY S10.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import Connection

from app.deciders.recall.context.render import neutralise
from app.errors import DiskProblem, InvalidError, NotFoundError
from app.places import Places, write_private
from app.store.erase_scope import EraseScope, RowsToErase, find_in_scope, memories_taken_back
from app.store.erasing import (
    episodes_of,
    erase_citations,
    erase_events,
    erase_memories,
    erase_messages,
    erase_notes,
    erase_receipts,
    erase_sources,
    messages_of,
)
from app.store.operations import has_since
from app.store.rows.link import bring_back_parts, merged_into, stories_of
from app.store.rows.unread_prompts import find_events_of_memories, never_read
from app.store.store import Store
from app.store.table_queries import ids_with, newest_id
from app.store.tables.core import OperationRow
from app.store.tables.memory import MemoryRow
from app.values import EraseReport, Origin

_NEEDLE_BYTES = 12
_COVER = b"x"


class Eraser:
    def __init__(self, store: Store, places: Places, clean_index: Callable[..., object]) -> None:
        self._store = store
        self._places = places
        self._clean_index = clean_index
        self._begun_path = places.data_dir / "erase.begun"

    def memories(self, ids: Sequence[int], *, has_messages: bool, includes_backups: bool) -> EraseReport:
        """These memories; with `has_messages` also the messages in which they were said."""
        if not ids:
            raise InvalidError("Erase what?", hint="Choose at least one memory.")
        with self._store.read() as connection:
            wanted = sorted({*ids, *merged_into(connection, ids)})
            known = {*ids_with(connection, MemoryRow, id=wanted), *memories_taken_back(connection, wanted)}
            if len(known) != len(wanted):
                missing = next(one for one in wanted if one not in known)
                raise NotFoundError(f"There is no memory number {missing}.", hint="Nothing was erased.")
            messages = messages_of(connection, wanted) if has_messages else ()
            past = sorted(find_events_of_memories(connection, wanted)) if has_messages else []
            wanted = sorted({*wanted, *episodes_of(connection, messages)})
        found = RowsToErase(memories=wanted, messages=messages, past=past)
        return self._erase(found, includes_backups=includes_backups)

    def everything_of(self, scope: EraseScope, *, includes_backups: bool) -> EraseReport:
        """All messages of the scope, and all memories that belong to it or were learned only there."""
        if scope.is_empty:
            raise InvalidError("Erase what?", hint="Name a conversation, a project, an app or a time span.")
        with self._store.read() as connection:
            found = find_in_scope(connection, scope)
        return self._erase(found, includes_backups=includes_backups)

    def _erase(self, found: RowsToErase, *, includes_backups: bool) -> EraseReport:
        self.finish()
        with self._store.read() as connection:
            memories = sorted({*found.memories, *stories_of(connection, found.memories)})
            self._begin(connection, includes_backups=includes_backups)
        label = f"Erased {_count(len(memories), 'memory', 'memories')}"
        if found.messages:
            label += f" and {_count(len(found.messages), 'message', 'messages')}"
        texts: tuple[str, ...] = ()
        if memories or found != RowsToErase():
            with self._store.write(origin=Origin.PERSON, kind="erase", label=label, is_undoable=False) as write:
                write.is_recorded = True
                erase_receipts(write.connection, found.receipts)
                bring_back_parts(write, memories)
                texts = erase_memories(write, memories, neutralise) if memories else ()
                erase_events(write, found.events)
                never_read(write.connection, found.past)
                erase_citations(write.connection, found.citations)
                texts += erase_sources(write, found.sources)
                texts += tuple(erase_notes(write, note_ids=found.notes)[1])
                texts += erase_messages(
                    write,
                    found.messages,
                    found.conversations,
                    neutralise,
                    partial_ids=found.talks,
                    tool_use_ids=found.tool_uses,
                    answered_ids=found.answered,
                    stream_ids=found.streams,
                )
        self.clean_files(texts, is_gone_only=True)  # also when no row was left: the log keeps what was dropped lately
        removed, kept = self.clean_backups(includes_backups=includes_backups)
        self._begun_path.unlink()
        return EraseReport(len(memories), len(found.messages), removed, kept)

    def _begin(self, connection: Connection, *, includes_backups: bool) -> None:
        """Notes that an erase is under way: once its rows are gone nobody can ask for the rest of it any more."""
        newest = newest_id(connection, OperationRow)
        with disk_errors_reported():
            write_private(self._begun_path, f"{newest} {int(includes_backups)}\n".encode())

    def finish(self) -> None:
        """Does what is left of an erase that a kill or a failing disk broke off after its rows were gone. Raises DiskProblem.

        What the log files would have to be searched for is gone as well: they are emptied.
        """
        try:
            newest, includes_backups = map(int, self._begun_path.read_text(encoding="ascii").split())
        except FileNotFoundError:
            return
        except ValueError:
            newest, includes_backups = 0, 0  # half written: rows were not touched yet
        with self._store.read() as connection:
            is_done = has_since(connection, "erase", newest)
        if is_done:
            self.clean_files(())
            for path in self._places.log_path.parent.glob(f"{self._places.log_path.name}*"):
                os.truncate(path, 0)
            self.clean_backups(includes_backups=bool(includes_backups))
        self._begun_path.unlink(missing_ok=True)

    def clean_files(self, texts: Sequence[str], *, is_gone_only: bool = False) -> None:
        """After the commit: the store's file is rewritten, the search index too, log files are looked through.

        `is_gone_only`: no memory that is still there said any of it.
        """
        self._store.database.scrub()
        needles = [text.encode("utf-8", "surrogatepass") for text in texts]
        with disk_errors_reported():
            self._clean_index(is_gone_only=is_gone_only)
            for path in self._places.log_path.parent.glob(f"{self._places.log_path.name}*"):
                cover(path, [needle for needle in needles if len(needle) >= _NEEDLE_BYTES])

    def clean_backups(self, *, includes_backups: bool) -> tuple[int, int]:
        """Copies removed and kept: backups, and stores that were put aside by a restore."""
        self._store.backups.remove_leftovers()
        aside = sorted(self._places.data_dir.glob("remanence-before-restore-*.db"))
        copies = [backup.path for backup in self._store.backups.list()] + aside
        if not includes_backups:
            return 0, len(copies)
        with disk_errors_reported():
            for path in copies:
                for suffix in ("", "-wal", "-shm"):
                    path.with_name(path.name + suffix).unlink(missing_ok=True)
        return len(copies), 0


@contextmanager
def disk_errors_reported() -> Iterator[None]:
    """Turns a disk error while something is erased into a DiskProblem. The index's library reports it as a ValueError."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise DiskProblem(
            f"The erase could not be finished: {getattr(error, 'strerror', None) or error}.",
            hint="Free some space; the next start, or the next erase, does the rest.",
        ) from error


def cover(path: os.PathLike[str], needles: Sequence[bytes]) -> None:
    """Overwrites each needle where it is in a file, whose length and place stay as they are."""
    with open(path, "r+b") as file:  # noqa: PTH123 (a handler appends to this file: it must not be replaced)
        data = file.read()
        for needle in needles:
            at = data.find(needle)
            while at >= 0:
                file.seek(at)
                file.write(_COVER * len(needle))
                at = data.find(needle, at + len(needle))


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
