"""One import from its first to its last byte: streaming, with progress, cancel, resume; one undo reverts it.

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

from sqlalchemy import Connection

from app.assistants import discover
from app.assistants.assistant import ReadEvents
from app.assistants.histories import names_uses, reader
from app.capture.streams import title_of_app
from app.errors import InvalidError
from app.interop.prompts import ReadItem, SkippedLine, first_instant
from app.settings import Settings
from app.store.journal import Write, set_columns, table_of
from app.store.tables.core import OperationRow
from app.store.tables.types import to_microseconds
from app.transfer.archived_history import ImportCounts
from app.transfer.event_import import Importer, ReadyEvent, is_long
from app.transfer.import_positions import forget_unfinished, keep_positions, load_positions, note_unfinished
from app.values import CaptureRequest, EventKind, HistorySize, ImportReport, Origin, Progress

Report = Callable[[Progress], None]
_REPORT_S = 0.1  # between two words of progress
_PACE_S = 20.0  # of late, by which the time left is guessed: old conversations go much faster than those that stay
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
    earlier: ImportReport | None = None,
) -> ImportReport:
    """Takes in what is new below `path`; `earlier`, which was stopped, continues in the same act.

    Raises InvalidError for a source or path that cannot be read.
    """
    read = reader(source)
    files = _history_files(source, path)
    with importer.one_at_a_time, ExitStack() as always, ExitStack() as unless_done:
        always.callback(importer.earlier.forget)
        unless_done.callback(importer.forget)  # rows that were rolled back are remembered by their numbers
        run = _Run(importer, settings, progress or (lambda _one: None), cancel or threading.Event(), source, path)
        run.names_uses = names_uses(source)
        if earlier is not None:
            run.earlier, run.group_id = earlier, earlier.operation_id
        report = run.go(read, files, path)
        unless_done.pop_all()
        return report


def measure_history(
    importer: Importer, source: str, path: Path, settings: Settings, *, cancel: threading.Event | None = None
) -> HistorySize:
    """How much there is to take in: a look at the lines, without any lock."""
    run = _Run(importer, settings, lambda _one: None, cancel or threading.Event(), source, path)
    return run.measure(reader(source), run.open(_history_files(source, path)))


def _history_files(source: str, path: Path) -> Sequence[Path]:
    files = discover.history_files(source, path)
    if not files:
        raise InvalidError(
            f"There is no {discover.TITLES[source]} at {path}.", hint="Choose the folder or file itself."
        )
    return files


@dataclass(slots=True)
class _File:
    path: Path
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
    path: Path
    names_uses: bool = True  # hooks and transcript give a tool's use one name
    tally: ImportCounts = field(default_factory=ImportCounts)
    earlier: ImportReport | None = None  # of the same act, stopped before its end
    prompt_count: int = 0  # that were met so far
    size: HistorySize = field(default_factory=lambda: HistorySize(0, 0))
    recent: deque[tuple[float, int]] = field(default_factory=deque)  # when how many were met: the pace is of late
    group_id: int | None = None
    session: str = ""
    full_session: str = ""  # is being read in full, to its end
    known_keys: set[tuple[str, str]] = field(default_factory=set)
    live: set[str] = field(default_factory=set)
    horizon: int | None = None
    is_horizon_old: bool = True
    waiting: deque[ReadyEvent] = field(default_factory=deque)  # are read in full, and saved together
    moved: dict[Path, tuple[int, str]] = field(default_factory=dict)
    started_s: float = field(default_factory=time.monotonic)
    reported_s: float = 0.0

    def go(self, read: ReadEvents, files: Sequence[Path], path: Path) -> ImportReport:
        opened = self.open(files)
        self.size = self.measure(read, opened)
        items = self._read(read, opened)
        is_more = True
        while is_more and not self.is_stopped:
            ahead, is_more = self._read_some(items)
            with self.importer.gates.turn:
                self._take_in(ahead)
            self.importer.store.database.move_log_if_long()
        self._finish()
        notes = tuple(f"{number} × {reason}" for reason, number in sorted(self.tally.reasons.items()))
        before = self.earlier
        return ImportReport(
            source=self.source,
            path=path,
            message_count=self.message_count,
            duplicate_count=self.tally.duplicates + (before.duplicate_count if before else 0),
            skipped_count=self.tally.skipped + (before.skipped_count if before else 0),
            failed_count=self.tally.failed + (before.failed_count if before else 0),
            conversation_count=len(self.tally.conversations),
            is_cancelled=self.is_stopped,
            took_s=time.monotonic() - self.started_s + (before.took_s if before else 0.0),
            operation_id=self.group_id,
            notes=notes[:20],
        )

    @property
    def is_stopped(self) -> bool:
        """By the person, or because the engine is about to be closed: heard between two messages."""
        return self.cancel.is_set() or self.importer.is_leaving

    @property
    def message_count(self) -> int:
        """Taken in by this act, also before it was stopped."""
        return self.tally.messages + (self.earlier.message_count if self.earlier else 0)

    def open(self, files: Sequence[Path]) -> list[_File]:
        """The files in the order in which they are read, each where it continues."""
        with self.importer.store.read() as connection:
            known = load_positions(connection)
        opened = []
        for path in _in_groups(files, self.settings.queue_size):
            mark = discover.resume_mark(self.source, path)
            offset, of = known.get(str(path), (0, mark))
            opened.append(_File(path, mark, offset if of == mark else 0))
        return opened

    def measure(self, read: ReadEvents, files: Sequence[_File]) -> HistorySize:
        """Counts the prompts first: whoever waits sees how many there are, and how long it takes still."""
        sessions: set[str] = set()
        prompt_count = 0
        for file in files:
            for one in read(file.path, start_offset=file.offset):
                if self.is_stopped:
                    return HistorySize(prompt_count, len(sessions))
                if not isinstance(one.item, CaptureRequest) or one.item.kind is not EventKind.PROMPT:
                    continue
                self.importer.gates.capture.yield_to_foreground()
                sessions.add(one.item.session)
                prompt_count += 1
                self._report("Counting", prompt_count, None)
        return HistorySize(prompt_count, len(sessions))

    def _read(self, read: ReadEvents, files: Sequence[_File]) -> Iterator[_Ahead]:
        for file in files:
            for one in read(file.path, start_offset=file.offset):
                yield file, one
            yield file, None

    def _read_some(self, items: Iterator[_Ahead]) -> tuple[list[_Ahead], bool]:
        """The next few items, read without any lock; says whether there is more."""
        ahead: list[_Ahead] = []
        chars = 0
        deadline = time.monotonic() + _READ_S
        while len(ahead) < self.settings.import_batch and chars < _READ_CHARS and time.monotonic() < deadline:
            self.importer.gates.capture.yield_to_foreground()
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
            requests = [one.item for _, one in ahead if one is not None and self._may_be_known(one.item)]
            self.known_keys = self.importer.known_keys_of(connection, requests)
            self.live = self.importer.live_sessions(connection, requests)
        for file, one in ahead:
            if self.is_stopped:
                break
            self._stand_aside()
            if one is None:
                self._end_session()
                continue
            self._take(one.item)
            self.prompt_count += isinstance(one.item, CaptureRequest) and one.item.kind is EventKind.PROMPT
            file.offset = one.end_offset
            self.moved[file.path] = (file.offset, file.mark)
            self._report(f"Importing from {title_of_app(self.source)}", self.prompt_count, self.size.message_count)
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
        if self._may_be_known(item):
            name = (item.app, item.key)
            if name in self.known_keys:
                self.tally.duplicates += item.kind is EventKind.PROMPT
                return
            self.known_keys.add(name)
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

    def _may_be_known(self, item: CaptureRequest | SkippedLine) -> TypeGuard[CaptureRequest]:
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
            self._save()  # a long prompt is judged before the write, by what is in the store
        self.waiting.append(self.importer.ready(item, self.settings, self.importer.gates.capture.yield_to_foreground))

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
                self._note_unfinished(write.connection)
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
            with self._change_operation(group_id=self.group_id) as connection:
                self._note_unfinished(connection)

    def _stand_aside(self) -> None:
        gates = self.importer.gates
        while gates.capture.is_busy and not self.is_stopped:
            gates.capture.yield_to_foreground()
        if gates.understanding.is_busy:  # let the worker have its turn
            gates.turn.release()
            gates.understanding.yield_to_foreground()
            gates.turn.acquire()

    def _report(self, step: str, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now - self.reported_s < _REPORT_S:
            return
        self.reported_s = now
        remaining_s = None
        if total is not None:
            self.recent.append((now, done))
            while self.recent[0][0] < now - _PACE_S:
                self.recent.popleft()
            since_s, before = self.recent[0]
            remaining_s = (total - done) * (now - since_s) / (done - before) if done > before else None
        self.progress(Progress(f"import:{self.source}", step, done, total, remaining_s, unit="messages"))

    def _label(self) -> str:
        return f"Imported {self.message_count:,} messages from {title_of_app(self.source)}"

    def _note_unfinished(self, connection: Connection) -> None:
        if self.group_id is not None:
            note_unfinished(connection, self.source, self.path, self.group_id, self.message_count)

    def _finish(self) -> None:
        """The act is named by what came in; one that was stopped stays noted, so that it can go on."""
        if self.group_id is not None:
            with self._change_operation(label=self._label()) as connection:
                if not self.is_stopped:
                    forget_unfinished(connection)

    @contextmanager
    def _change_operation(self, **values: object) -> Iterator[Connection]:
        """A durable commit, and so all before it is durable too."""
        with self.importer.store.database.transaction() as connection:
            set_columns(connection, table_of(OperationRow), self.group_id or 0, dict(values))
            yield connection


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
