"""Reads an assistant's history into the store: streaming, with progress, cancel, resume, each prompt once.

Each batch is one short transaction; all of them together are one act that one undo takes back. Nothing waits
long for the write lock: a batch ends early when a live prompt wants in. Source: issue "Import", QUALITY P10, S12.
"""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import delete, insert, select, update

from app.errors import InvalidError
from app.interop import ReadEvents, discover, reader
from app.interop.prompts import ReadItem, SkippedLine
from app.services.inbox import Inbox
from app.services.queue import Queue
from app.services.streams import Streams, title_of_app
from app.services.talks import Talks
from app.services.understanding import Understanding
from app.settings import Settings
from app.store.journal import Write, table_of
from app.store.store import Store
from app.store.tables import ConversationRow, EventRow, MetaRow, OperationRow, StreamRow
from app.values import CaptureRequest, EventKind, EventState, ImportReport, Origin, Progress

Report = Callable[[Progress], None]
_BATCH_S = 0.030  # so long a batch may keep a live prompt waiting
_STILL_OPEN = timedelta(minutes=30)  # a session this fresh may still be going on


@dataclass(slots=True)
class _Count:
    messages: int = 0
    duplicates: int = 0
    skipped: int = 0
    failed: int = 0
    bytes_done: int = 0
    bytes_before: int = 0  # of the files that are finished
    conversations: set[int] = field(default_factory=set)
    reasons: dict[str, int] = field(default_factory=dict)


class Importer:
    def __init__(
        self, store: Store, inbox: Inbox, understanding: Understanding, streams: Streams, talks: Talks, queue: Queue
    ) -> None:
        self._store = store
        self._inbox = inbox
        self._understanding = understanding
        self._streams = streams
        self._talks = talks
        self._queue = queue

    def run(
        self,
        source: str,
        path: Path,
        settings: Settings,
        *,
        progress: Report | None = None,
        cancel: threading.Event | None = None,
    ) -> ImportReport:
        """Takes in what is new below `path`. Raises InvalidError for a source or path that cannot be read."""
        read = reader(source)
        files = discover.history_files(source, path)
        if not files:
            raise InvalidError(
                f"There is no {discover.TITLES[source]} at {path}.", hint="Choose the folder or file itself."
            )
        run = _Run(self, settings, progress or (lambda _one: None), cancel or threading.Event(), source, files)
        return run.go(read, path)

    # used by _Run -----------------------------------------------------------------------------------

    def take(self, write: Write, request: CaptureRequest, settings: Settings, count: _Count) -> None:
        """One event: kept, understood, counted, inside the batch's transaction."""
        row, known = self._inbox.prepare(write, request, settings)
        if known is not None:
            count.duplicates += request.kind is EventKind.PROMPT
            return
        table = table_of(EventRow)
        event_id = write.insert(EventRow, row)
        if row["state"] != EventState.PENDING.value:
            count.skipped += 1
            return
        event = write.connection.execute(select(table).where(table.c.id == event_id)).one()
        result = self._understanding.understand(write, event, settings)
        write.connection.execute(
            update(table)
            .where(table.c.id == event_id)
            .values(state=result.state.value, error=result.note, payload=None, message_id=result.message_id)
        )
        if result.message_id is not None and result.conversation_id is not None:
            count.messages += 1
            count.conversations.add(result.conversation_id)

    def close_session(self, write: Write, session: str, settings: Settings) -> None:
        """A session that was read to its end is over: its conversation pauses, unless it is fresh."""
        conversation, stream = table_of(ConversationRow), table_of(StreamRow)
        rows = write.connection.execute(
            select(conversation.c.id, conversation.c.last_message_at)
            .join(stream, stream.c.id == conversation.c.stream_id)
            .where(stream.c.session == session, conversation.c.state == "active")
        ).all()
        for row in rows:
            if row.last_message_at < write.at - _STILL_OPEN:
                self._queue.pause(write, row.id)
        del settings

    @property
    def store(self) -> Store:
        return self._store

    @property
    def has_waiting(self) -> bool:
        return self._inbox.has_waiting

    def forget(self) -> None:
        self._streams.forget()
        self._talks.forget()


@dataclass(slots=True)
class _Run:
    """One import from its first to its last byte."""

    importer: Importer
    settings: Settings
    progress: Report
    cancel: threading.Event
    source: str
    files: tuple[Path, ...]
    count: _Count = field(default_factory=_Count)
    group_id: int | None = None
    session: str = ""
    started_s: float = field(default_factory=time.monotonic)
    reported_s: float = 0.0

    def go(self, read: ReadEvents, path: Path) -> ImportReport:
        total = sum(file.stat().st_size for file in self.files)
        for file in self.files:
            if self.cancel.is_set():
                break
            self._read_file(read, file, total)
        self._finish_label(path)
        notes = tuple(f"{number} × {reason}" for reason, number in sorted(self.count.reasons.items()))
        return ImportReport(
            source=self.source,
            path=path,
            message_count=self.count.messages,
            duplicate_count=self.count.duplicates,
            skipped_count=self.count.skipped,
            failed_count=self.count.failed,
            conversation_count=len(self.count.conversations),
            is_cancelled=self.cancel.is_set(),
            took_s=time.monotonic() - self.started_s,
            operation_id=self.group_id,
            notes=notes[:20],
        )

    def _read_file(self, read: ReadEvents, file: Path, total: int) -> None:
        size = file.stat().st_size
        mark = discover.resume_mark(self.source, file)
        offset = _position(self.importer.store, file, mark)
        items = read(file, start_offset=offset)
        is_more = True
        while is_more and not self.cancel.is_set():
            is_more, offset = self._batch(items, file, offset, mark)
            self.count.bytes_done = self.count.bytes_before + min(offset, size)
            self._report(file, total)
        self.count.bytes_before += size

    def _batch(self, items: Iterator[ReadItem], file: Path, offset: int, mark: str) -> tuple[bool, int]:
        """One short transaction; says whether there is more, and how far the file is read."""
        is_more = True
        try:
            with self.importer.store.write(origin=Origin.IMPORT, kind="import", label=self._label()) as write:
                write.group_id = self.group_id
                deadline = time.monotonic() + _BATCH_S
                for _number in range(self.settings.import_batch):
                    item = next(items, None)
                    if item is None:
                        is_more = False
                        break
                    offset = item.end_offset
                    self._take(write, item.item)
                    if time.monotonic() > deadline or self.importer.has_waiting or self.cancel.is_set():
                        break
                if not is_more and self.session:
                    self.importer.close_session(write, self.session, self.settings)
                    self.session = ""
                _keep_position(write, file, offset, mark)
                write.conversation_id = write.message_id = None
                write.label = self._label()
        except BaseException:
            self.importer.forget()
            raise
        if self.group_id is None and write.operation_id is not None:
            self._open_group(write.operation_id)
        return is_more, offset

    def _take(self, write: Write, item: CaptureRequest | SkippedLine) -> None:
        if isinstance(item, SkippedLine):
            self.count.skipped += 1
            self.count.reasons[item.reason] = self.count.reasons.get(item.reason, 0) + 1
            return
        if item.session != self.session:
            if self.session:
                self.importer.close_session(write, self.session, self.settings)
            self.session = item.session
        try:
            self.importer.take(write, item, self.settings, self.count)
        except InvalidError as error:
            self.count.failed += 1
            self.count.reasons[str(error)] = self.count.reasons.get(str(error), 0) + 1

    def _report(self, file: Path, total: int) -> None:
        now = time.monotonic()
        if now - self.reported_s < 0.1:
            return
        self.reported_s = now
        done = self.count.bytes_done
        rate = done / max(now - self.started_s, 1e-6)
        remaining_s = (total - done) / rate if done else None
        step = f"Reading {file.name} · {self.count.messages:,} messages"
        self.progress(Progress(f"import:{self.source}", step, done, total, remaining_s))

    def _label(self) -> str:
        return f"Imported {self.count.messages:,} messages from {title_of_app(self.source)}"

    def _open_group(self, operation_id: int) -> None:
        self.group_id = operation_id
        table = table_of(OperationRow)
        with self.importer.store.database.transaction() as connection:
            connection.execute(update(table).where(table.c.id == operation_id).values(group_id=operation_id))

    def _finish_label(self, path: Path) -> None:
        if self.group_id is None:
            return
        del path
        table = table_of(OperationRow)
        with self.importer.store.database.transaction() as connection:
            connection.execute(update(table).where(table.c.id == self.group_id).values(label=self._label()))


def _position(store: Store, file: Path, mark: str) -> int:
    """How far this very file was read before; 0 when another one lies there now."""
    with store.read() as connection:
        table = table_of(MetaRow)
        kept = connection.execute(select(table.c.value).where(table.c.name == f"import:{file}")).scalar()
    offset, _, known = (kept or "").partition(" ")
    return int(offset) if kept and known == mark else 0


def _keep_position(write: Write, file: Path, offset: int, mark: str) -> None:
    table = table_of(MetaRow)
    name = f"import:{file}"
    write.connection.execute(delete(table).where(table.c.name == name))
    values: dict[str, Any] = {"name": name, "value": f"{offset} {mark}"}
    write.connection.execute(insert(table), values)


def read_offsets(store: Store) -> tuple[tuple[str, int], ...]:
    """(file, bytes read) of every history that was taken in."""
    table = table_of(MetaRow)
    with store.read() as connection:
        rows = connection.execute(select(table).where(table.c.name.startswith("import:")).order_by(table.c.name)).all()
    return tuple((row.name.removeprefix("import:"), int(row.value.split()[0])) for row in rows)


def forget_positions(write: Write) -> None:
    """After an import was undone its files may be read again."""
    table = table_of(MetaRow)
    write.connection.execute(delete(table).where(table.c.name.startswith("import:")))
