"""One import from its first to its last byte: streaming, with progress, cancel, resume; one undo takes it back.

Newest first, so that the conversations that stay are there at once; what is older than all of them keeps a line each.
The write lock is held for saving only, a few milliseconds at a time, and whoever waits for an acknowledgement goes
first. Source: issue "Import", QUALITY P3, P10, S12.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeGuard

from sqlalchemy import update

from app.assistants import discover
from app.assistants.assistant import ReadEvents
from app.assistants.histories import names_uses, reader
from app.capture.streams import title_of_app
from app.errors import InvalidError
from app.interop.prompts import ReadItem, SkippedLine, first_instant
from app.settings import Settings
from app.store.journal import Write, table_of
from app.store.tables.core import OperationRow
from app.store.tables.types import to_microseconds
from app.transfer.earlier import Tally
from app.transfer.import_positions import keep_positions, load_positions
from app.transfer.importing import Importer, Ready, is_long
from app.values import CaptureRequest, EventKind, ImportReport, Origin, Progress

Report = Callable[[Progress], None]
_READ_S = 0.1  # between two looks at the cancel flag
_READ_CHARS = 2_000_000  # held in memory between reading and keeping
_OLD_AT_ONCE, _FULL_AT_ONCE = 100, 24  # saved in one transaction
_GROUP_BYTES = 32 * 1024 * 1024
_LIST_OF_PROMPTS = "history.jsonl"


def run_import(
    importer: Importer,
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
    with importer.one_at_a_time, ExitStack() as always, ExitStack() as unless_done:
        always.callback(importer.earlier.forget)
        unless_done.callback(importer.forget)  # rows that were rolled back are remembered by their numbers
        run = _Run(
            importer, settings, progress or (lambda _one: None), cancel or threading.Event(), source, names_uses(source)
        )
        report = run.go(read, files, path)
        unless_done.pop_all()
        return report


@dataclass(slots=True)
class _File:
    path: Path
    size: int
    mark: str
    offset: int


_Ahead = tuple[_File, ReadItem | None]  # None: the file ends here


@dataclass(slots=True)
class _Run:
    importer: Importer
    settings: Settings
    progress: Report
    cancel: threading.Event
    source: str
    names_uses: bool = True  # hooks and transcript give a tool's use one name
    tally: Tally = field(default_factory=Tally)
    byte_count: int = 0
    bytes_before: int = 0  # of the files that are finished
    group_id: int | None = None
    session: str = ""
    full_session: str = ""  # is being read in full, to its end
    told: set[tuple[str, str]] = field(default_factory=set)
    live: set[str] = field(default_factory=set)
    horizon: int | None = None
    is_horizon_old: bool = True
    waiting: deque[Ready] = field(default_factory=deque)  # are read in full, and saved together
    moved: dict[Path, tuple[int, str]] = field(default_factory=dict)
    started_s: float = field(default_factory=time.monotonic)
    reported_s: float = 0.0

    def go(self, read: ReadEvents, files: Sequence[Path], path: Path) -> ImportReport:
        self.byte_count = sum(file.stat().st_size for file in files)
        items = self._read(read, files)
        is_more = True
        while is_more and not self.cancel.is_set():
            ahead, is_more = self._read_some(items)
            with self.importer.ways.turn:
                self._take_in(ahead)
            self.importer.store.database.move_log_if_long()
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

    def _read(self, read: ReadEvents, files: Sequence[Path]) -> Iterator[_Ahead]:
        with self.importer.store.read() as connection:
            known = load_positions(connection)
        for path in _in_groups(files, self.settings.queue_size):
            mark = discover.resume_mark(self.source, path)
            offset, of = known.get(str(path), (0, mark))
            file = _File(path, path.stat().st_size, mark, offset if of == mark else 0)
            for one in read(path, start_offset=file.offset):
                yield file, one
            yield file, None

    def _read_some(self, items: Iterator[_Ahead]) -> tuple[list[_Ahead], bool]:
        """The next few items, read without any lock; says whether there is more."""
        ahead: list[_Ahead] = []
        chars = 0
        deadline = time.monotonic() + _READ_S
        while len(ahead) < self.settings.import_batch and chars < _READ_CHARS and time.monotonic() < deadline:
            self.importer.ways.capture.stand_aside()
            found = next(items, None)
            if found is None:
                return ahead, False
            ahead.append(found)
            if found[1] is not None and isinstance(found[1].item, CaptureRequest):
                chars += len(found[1].item.text)
        return ahead, True

    def _take_in(self, ahead: Sequence[_Ahead]) -> None:
        """Everything that was read: judged, saved in short transactions."""
        with self.importer.store.read() as connection:
            self.horizon = self.importer.queue.horizon_key(connection, self.settings)
            self.is_horizon_old = False
            requests = [one.item for _, one in ahead if one is not None and self._can_be_told(one.item)]
            self.told = self.importer.told_keys(connection, requests)
            self.live = self.importer.live_sessions(connection, requests)
        for file, one in ahead:
            if self.cancel.is_set():
                break
            self._stand_aside()
            if one is None:
                self._end_session()
                self.bytes_before += file.size
                self._report(file, 0)
                continue
            self._take(one.item)
            file.offset = one.end_offset
            self.moved[file.path] = (file.offset, file.mark)
            self._report(file, min(file.offset, file.size))
        self._save()

    def _take(self, item: CaptureRequest | SkippedLine) -> None:
        if isinstance(item, SkippedLine):
            self.tally.skipped += 1
            self.tally.note(item.reason)
            return
        if self.importer.is_excluded(item):
            self.tally.skipped += item.kind is EventKind.PROMPT
            self.tally.note("excluded by a rule of yours")
            return
        if item.kind is EventKind.TOOL and item.session in self.live and not self.names_uses:
            return  # the hook told of it under another name
        if self._can_be_told(item):
            name = (item.app, item.key)
            if name in self.told:
                self.tally.duplicates += item.kind is EventKind.PROMPT
                return
            self.told.add(name)
        if item.session != self.session:
            self._end_session()
            self.session = item.session
        try:
            if self._is_old(item):  # and stays so: the horizon only rises
                earlier = self.importer.earlier
                earlier.take(item, self.settings, self.tally, is_live=self._is_live(item))
                if earlier.waiting_count >= _OLD_AT_ONCE:
                    self._save()
            else:
                self._take_fully(item)
        except InvalidError as error:
            self.tally.fail(str(error))

    def _can_be_told(self, item: CaptureRequest | SkippedLine) -> TypeGuard[CaptureRequest]:
        """Whether it may have been taken in before; of old sessions only prompts are remembered."""
        return isinstance(item, CaptureRequest) and (item.kind is EventKind.PROMPT or not self._is_old(item))

    def _is_old(self, item: CaptureRequest) -> bool:
        """Older than all that the queue holds, and not of a conversation that is just being read into it."""
        if self.full_session == item.session or item.at is None:
            return False
        if self.is_horizon_old:
            with self.importer.store.read() as connection:
                self.horizon = self.importer.queue.horizon_key(connection, self.settings)
            self.is_horizon_old = False
        return self.horizon is not None and to_microseconds(item.at) < self.horizon

    def _is_live(self, item: CaptureRequest) -> bool:
        """Whether it may have been heard by a hook, in its own session or in the one that this forked from."""
        return not self.live.isdisjoint({item.session, str(item.payload.get("forked_from", ""))})

    def _take_fully(self, item: CaptureRequest) -> None:
        self.full_session = item.session
        if self.waiting and (is_long(item) or len(self.waiting) >= _FULL_AT_ONCE):
            self._save()  # a long prompt is judged before the write, by what stands in the store
        self.waiting.append(self.importer.ready(item, self.settings, self.importer.ways.capture.stand_aside))

    def _end_session(self) -> None:
        if self.full_session:
            self._save(closing=self.full_session)
        self.session = self.full_session = ""

    def _save(self, *, closing: str = "") -> None:
        """One short transaction with all that waits."""
        importer = self.importer
        if not (self.waiting or importer.earlier.waiting_count or self.moved or closing):
            return
        is_more = True
        while is_more:
            with self._write() as write:
                importer.earlier.save(write, self.tally, self.settings)
                self.is_horizon_old |= importer.keep_some(write, self.waiting, self.settings, self.tally)
                is_more = bool(self.waiting)
                if closing and not is_more:
                    importer.close_session(write, closing, self.settings)
                    self.is_horizon_old = True
                if not is_more:
                    keep_positions(write, self.moved)
            if is_more:
                self._stand_aside()
        self.moved = {}

    @contextmanager
    def _write(self) -> Iterator[Write]:
        """One transaction of this import."""
        store = self.importer.store
        with store.write(origin=Origin.IMPORT, kind="import", label=self._label(), is_durable=False) as write:
            write.group_id = self.group_id
            yield write
            write.conversation_id = write.message_id = None
            write.label = self._label()
        self.importer.note_saved(write)
        if self.group_id is None and write.operation_id is not None:
            self.group_id = write.operation_id
            self._change_operation(group_id=self.group_id)

    def _stand_aside(self) -> None:
        ways = self.importer.ways
        while ways.capture.is_wanted and not self.cancel.is_set():
            ways.capture.stand_aside()
        if ways.understanding.is_wanted:  # let the worker have its turn
            ways.turn.release()
            ways.understanding.stand_aside()
            ways.turn.acquire()

    def _report(self, file: _File, offset: int) -> None:
        now = time.monotonic()
        if now - self.reported_s < 0.1:
            return
        self.reported_s = now
        done = self.bytes_before + offset
        rate = done / max(now - self.started_s, 1e-6)
        remaining_s = (self.byte_count - done) / rate if done else None
        step = f"Reading {file.path.name} · {self.tally.messages:,} messages"
        self.progress(Progress(f"import:{self.source}", step, done, self.byte_count, remaining_s))

    def _label(self) -> str:
        return f"Imported {self.tally.messages:,} messages from {title_of_app(self.source)}"

    def _finish_label(self) -> None:
        if self.group_id is not None:
            self._change_operation(label=self._label())

    def _change_operation(self, **values: object) -> None:
        """A durable commit, and so all before it is durable too."""
        table = table_of(OperationRow)
        with self.importer.store.database.transaction() as connection:
            connection.execute(update(table).where(table.c.id == self.group_id).values(**values))


def _in_groups(files: Sequence[Path], group_size: int) -> Iterator[Path]:
    """Files that come oldest first, in groups from the newest back, each group oldest first.

    So the conversations that stay are read in their order, and what is older than all of them is known to be when it
    is met. A resumed session begins with the lines of the one before it: the two are never parted.
    """
    lists = [file for file in files if file.name == _LIST_OF_PROMPTS]  # of sessions whose transcripts are gone
    rest = [file for file in files if file.name != _LIST_OF_PROMPTS]
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
