"""Reads an assistant's history into the store: streaming, with progress, cancel, resume, each prompt once.

Each batch is one short transaction; all of them together are one act that one undo takes back. Nothing waits
long for the write lock: a batch ends early when a live prompt wants in. Source: issue "Import", QUALITY P10, S12.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, update

from app.errors import EnvironmentProblem, InvalidError
from app.interop import ReadEvents, discover, reader
from app.interop.prompts import ReadItem, SkippedLine, first_instant
from app.services.earlier import Earlier, Tally
from app.services.giving_way import Ways
from app.services.inbox import Inbox, clean_id
from app.services.queue import Queue
from app.services.rows import TakenEvent
from app.services.streams import Streams, title_of_app
from app.services.talks import Talks
from app.services.understanding import Understanding
from app.settings import Settings
from app.store.journal import Write, table_of
from app.store.store import Store
from app.store.tables import ConversationRow, EventRow, MetaRow, OperationRow, StreamRow
from app.store.types import to_microseconds
from app.values import CaptureRequest, EventKind, EventState, ImportReport, Origin, Progress

_log = logging.getLogger(__name__)
Report = Callable[[Progress], None]
_BATCH_S = 0.15  # a batch ends sooner when a live prompt wants in
_READ_S = 0.1
_READ_CHARS = 2_000_000  # held in memory between reading and keeping
_GROUP_BYTES = 32 * 1024 * 1024
_STILL_OPEN = timedelta(minutes=30)  # a session this fresh may still be going on

_conversation, _stream, _operation = (table_of(row) for row in (ConversationRow, StreamRow, OperationRow))
_ACTIVE_OF_SESSION = (
    select(_conversation.c.id, _conversation.c.last_message_at)
    .join(_stream, _stream.c.id == _conversation.c.stream_id)
    .where(_stream.c.session == bindparam("session"), _conversation.c.state == "active")
)


class Importer:
    def __init__(
        self,
        store: Store,
        inbox: Inbox,
        understanding: Understanding,
        streams: Streams,
        talks: Talks,
        queue: Queue,
        ways: Ways,
        earlier: Earlier,
    ) -> None:
        self.store = store
        self.inbox = inbox
        self.understanding = understanding
        self.streams = streams
        self.talks = talks
        self.queue = queue
        self.ways = ways
        self.earlier = earlier
        self._one_at_a_time = threading.Lock()

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
        with self._one_at_a_time:
            run = _Run(self, settings, progress or (lambda _one: None), cancel or threading.Event(), source, files)
            try:
                return run.go(read, path)
            finally:
                self.earlier.forget()

    def take(self, write: Write, request: CaptureRequest, settings: Settings, tally: Tally) -> None:
        """One event: understood, kept, counted, inside the batch's transaction."""
        row, known = self.inbox.prepare(write, request, settings)
        if known is not None:
            tally.duplicates += request.kind is EventKind.PROMPT
            return
        row["id"] = write.ids.take("event")
        if row["state"] != EventState.PENDING.value:
            write.insert(EventRow, row)
            tally.skipped += 1
            return
        savepoint = write.connection.begin_nested()
        mark = write.mark()
        try:
            taken = TakenEvent(**{name: row[name] for name in TakenEvent.__slots__})
            result = self.understanding.understand(write, taken, settings)
        except EnvironmentProblem:
            raise
        except Exception as error:  # noqa: BLE001 (whatever a decider trips over: the event is kept and shown)
            savepoint.rollback()
            write.rewind(mark)
            self.forget()
            _log.error("an imported event was not understood", exc_info=error)
            said = f"{type(error).__name__}: {error}"[:500]
            write.insert(EventRow, row | {"state": EventState.FAILED.value, "error": said, "attempt_count": 1})
            tally.fail("not understood; kept in the inbox")
            return
        savepoint.commit()
        done = {"state": result.state.value, "error": result.note, "payload": None, "message_id": result.message_id}
        write.insert(EventRow, row | done)
        if result.message_id is not None and result.conversation_id is not None:
            tally.messages += 1
            tally.conversations.add(result.conversation_id)

    def close_session(self, write: Write, session: str, settings: Settings) -> None:
        """A session that was read to its end is over: its conversation pauses, unless it is fresh."""
        self.understanding.settle(write)
        for row in write.connection.execute(_ACTIVE_OF_SESSION, {"session": session}).all():
            if row.last_message_at < write.at - _STILL_OPEN:
                self.queue.pause(write, row.id)
        self.understanding.settle(write)
        self.queue.make_room(write, settings)

    def known_keys(self, write: Write, items: Iterator[ReadItem]) -> set[tuple[str, str]]:
        """Which of the requests ahead were taken in before, by app and key."""
        keys: dict[str, list[str]] = {}
        for one in items:
            if isinstance(one.item, CaptureRequest):
                keys.setdefault(one.item.app, []).append(clean_id(one.item.key))
        return {
            (app, key)
            for app, asked in keys.items()
            for key in self.inbox.known_keys(write.connection, self.streams.ensure_app(write, app), asked)
        }

    def forget(self) -> None:
        self.streams.forget()
        self.talks.forget()


@dataclass(slots=True)
class _Run:
    """One import from its first to its last byte."""

    importer: Importer
    settings: Settings
    progress: Report
    cancel: threading.Event
    source: str
    files: tuple[Path, ...]
    tally: Tally = field(default_factory=Tally)
    bytes_done: int = 0
    bytes_before: int = 0  # of the files that are finished
    group_id: int | None = None
    session: str = ""
    full_session: str = ""  # is being read in full, to its end
    old: list[CaptureRequest] = field(default_factory=list)
    started_s: float = field(default_factory=time.monotonic)
    reported_s: float = 0.0

    def go(self, read: ReadEvents, path: Path) -> ImportReport:
        total = sum(file.stat().st_size for file in self.files)
        for file in _in_groups(self.files, self.settings.queue_size):
            if self.cancel.is_set():
                break
            self._read_file(read, file, total)
        self._finish_label()
        notes = tuple(f"{number} × {reason}" for reason, number in sorted(self.tally.reasons.items()))
        return ImportReport(
            source=self.source,
            path=path,
            message_count=self.tally.messages,
            duplicate_count=self.tally.duplicates,
            skipped_count=self.tally.skipped,
            failed_count=self.tally.failed,
            conversation_count=len(self.tally.conversations),
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
            ahead, is_more = _read_some(items, self.settings.import_batch)
            while (ahead or not is_more) and not self.cancel.is_set():
                offset = self._batch(ahead, file, offset, mark, is_end=not is_more)
                self.bytes_done = self.bytes_before + min(offset, size)
                self._report(file, total)
                if not ahead:
                    break
        self.bytes_before += size

    def _batch(self, ahead: deque[ReadItem], file: Path, offset: int, mark: str, *, is_end: bool) -> int:
        """One short transaction over what was read; says how far the file is taken in."""
        importer = self.importer
        while importer.ways.is_import_to_wait:
            importer.ways.capture.stand_aside()
            importer.ways.understanding.stand_aside()
        try:
            with (
                importer.ways.turn,
                importer.store.write(
                    origin=Origin.IMPORT, kind="import", label=self._label(), is_durable=False
                ) as write,
            ):
                write.group_id = self.group_id
                offset = self._take_some(write, ahead, offset)
                if is_end and not ahead and self.session:
                    self._close_session(write)
                _keep_position(write, file, offset, mark)
                write.conversation_id = write.message_id = None
                write.label = self._label()
        except BaseException:
            importer.forget()
            raise
        if self.group_id is None and write.operation_id is not None:
            self._open_group(write.operation_id)
        return offset

    def _take_some(self, write: Write, ahead: deque[ReadItem], offset: int) -> int:
        importer = self.importer
        known = importer.known_keys(write, iter(ahead))
        horizon = importer.queue.horizon_key(write, self.settings)
        deadline = time.monotonic() + _BATCH_S
        while ahead:
            one = ahead.popleft()
            offset = one.end_offset
            self._take(write, one.item, known, horizon)
            if time.monotonic() > deadline or importer.ways.is_import_to_wait or self.cancel.is_set():
                break
        importer.earlier.take(write, self.old, self.settings, self.tally)
        self.old = []
        return offset

    def _take(
        self, write: Write, item: CaptureRequest | SkippedLine, known: set[tuple[str, str]], horizon: int | None
    ) -> None:
        if isinstance(item, SkippedLine):
            self.tally.skipped += 1
            self.tally.note(item.reason)
            return
        name = (item.app, clean_id(item.key))
        if name in known:
            self.tally.duplicates += item.kind is EventKind.PROMPT
            return
        known.add(name)
        if item.session != self.session:
            if self.session:
                self._close_session(write)
            self.session = item.session
        is_old = horizon is not None and item.at is not None and to_microseconds(item.at) < horizon
        if is_old and self.full_session != item.session:
            self.old.append(item)
            return
        self.full_session = item.session
        try:
            self.importer.take(write, item, self.settings, self.tally)
        except InvalidError as error:
            self.tally.fail(str(error))

    def _close_session(self, write: Write) -> None:
        if self.full_session == self.session:
            self.importer.close_session(write, self.session, self.settings)
        self.session = self.full_session = ""

    def _report(self, file: Path, total: int) -> None:
        now = time.monotonic()
        if now - self.reported_s < 0.1:
            return
        self.reported_s = now
        done = self.bytes_done
        rate = done / max(now - self.started_s, 1e-6)
        remaining_s = (total - done) / rate if done else None
        step = f"Reading {file.name} · {self.tally.messages:,} messages"
        self.progress(Progress(f"import:{self.source}", step, done, total, remaining_s))

    def _label(self) -> str:
        return f"Imported {self.tally.messages:,} messages from {title_of_app(self.source)}"

    def _open_group(self, operation_id: int) -> None:
        self.group_id = operation_id
        with self.importer.store.database.transaction() as connection:
            connection.execute(update(_operation).where(_operation.c.id == operation_id).values(group_id=operation_id))

    def _finish_label(self) -> None:
        """Also the durable commit that makes all of the import's own durable."""
        if self.group_id is None:
            return
        with self.importer.store.database.transaction() as connection:
            connection.execute(update(_operation).where(_operation.c.id == self.group_id).values(label=self._label()))


def _read_some(items: Iterator[ReadItem], count: int) -> tuple[deque[ReadItem], bool]:
    """The next few items, read without any lock; says whether there is more."""
    ahead: deque[ReadItem] = deque()
    chars = 0
    deadline = time.monotonic() + _READ_S
    while len(ahead) < count and chars < _READ_CHARS and time.monotonic() < deadline:
        one = next(items, None)
        if one is None:
            return ahead, False
        chars += len(one.item.text) if isinstance(one.item, CaptureRequest) else 0
        ahead.append(one)
    return ahead, True


def _in_groups(files: tuple[Path, ...], group_size: int) -> Iterator[Path]:
    """Files that come oldest first, in groups from the newest back, each group oldest first.

    So the conversations that stay are there first, in their order, and what is older than all of them is known to be
    when it is met. A resumed session begins with the lines of the one before it: the two are never parted.
    """
    lists = [file for file in files if file.name == "history.jsonl"]  # prompts whose transcripts are gone
    rest = [file for file in files if file.name != "history.jsonl"]
    while rest:
        start = len(rest) - 1
        size = rest[start].stat().st_size
        while start > 0 and len(rest) - start < group_size and size < _GROUP_BYTES:
            start -= 1
            size += rest[start].stat().st_size
        while start > 0 and first_instant(rest[start - 1]) == first_instant(rest[start]):
            start -= 1
        yield from rest[start:]
        del rest[start:]
    yield from lists


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
