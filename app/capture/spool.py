"""Takes in what hooks wrote while nobody was listening: in order, once, and nothing lost on the way.

Owns the spool's file names and its line format (the hook writes it, `app/hook/remanence_spool.py`). A take renames
the file under its lock, so that hooks go on into a new one; the renamed file is deleted by `finish`, after the caller
has committed, so a crash in between means it is read again, and the events' keys keep them single. What the app refuses
is set aside as it is, and comes with a later take. Source: QUALITY R13, issue 15 "a prompt is never dropped".
"""

import binascii
import contextlib
import json
import logging
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

LOG = logging.getLogger(__name__)

EVENTS_NAME = "events.jsonl"
TORN_NAME = "events.torn"  # lines that are no event any more
ASIDE_NAME = "events.aside"  # events that the app refused
_TAKING_SUFFIX = ".taking"
_LATE_PREFIX = "late-"
_LINE_BYTES_MAX = 24 * 1024 * 1024
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SpooledEvent:
    """One line of the spool. `raw` is the assistant's stdin, secrets already taken out."""

    key: str
    app: str
    event: str
    at: datetime
    cwd: str
    raw: bytes
    line: bytes = field(default=b"", repr=False, compare=False)


class SpoolTake:
    """What was in the spool when it was taken. Iterate, commit, then `finish`."""

    def __init__(self, folder: Path, files: tuple[Path, ...]) -> None:
        self._folder = folder
        self._files = files
        self._torn: list[bytes] = []
        self._aside: dict[str, bytes] = {}

    @property
    def is_empty(self) -> bool:
        return not self._files

    def __iter__(self) -> Iterator[SpooledEvent]:
        self._torn.clear()
        self._aside.clear()
        for path in self._files:
            yield from self._read(path)

    def set_aside(self, event: SpooledEvent) -> None:
        """Keeps an event that was refused; it is written down by `finish`."""
        self._aside[event.key] = event.line

    def finish(self) -> None:
        """Deletes what was read. Lines that could not be read, and events that were refused, are kept first."""
        if self._torn:
            LOG.warning("%d spooled lines could not be read; kept in %s", len(self._torn), self._folder / TORN_NAME)
            _append(self._folder / TORN_NAME, self._torn)
        kept = {event.key for event in _events_in(self._folder / ASIDE_NAME)} if self._aside else set()
        if new := [line for key, line in self._aside.items() if key not in kept]:
            _append(self._folder / ASIDE_NAME, new)
        for path in self._files:
            path.unlink(missing_ok=True)
        if self._files:
            _sync_folder(self._folder)

    def _read(self, path: Path) -> Iterator[SpooledEvent]:
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as lines:
            while line := lines.readline(_LINE_BYTES_MAX):
                event = parse_spool_line(line)
                if event is not None:
                    yield event
                elif line.strip():
                    self._torn.append(line)


def _append(path: Path, lines: list[bytes]) -> None:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(path, flags, 0o600), "ab") as kept:
        kept.writelines(line if line.endswith(b"\n") else line + b"\n" for line in lines)
        kept.flush()
        os.fsync(kept.fileno())
    _sync_folder(path.parent)  # before the lines it holds are deleted elsewhere


def _events_in(path: Path) -> Iterator[SpooledEvent]:
    with contextlib.suppress(OSError), os.fdopen(_open_plain(path), "rb") as lines:
        while line := lines.readline(_LINE_BYTES_MAX):
            event = parse_spool_line(line)
            if event is not None:
                yield event


def _open_plain(path: Path) -> int:
    return os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))


def count_aside(spool_dir: Path) -> int:
    """How many events and lines are kept aside because they were refused or could not be read."""
    count = 0
    for name in (ASIDE_NAME, TORN_NAME):
        with contextlib.suppress(OSError), os.fdopen(_open_plain(spool_dir / name), "rb") as lines:
            while part := lines.read(1 << 20):
                count += part.count(b"\n")
    return count


def take_spool(spool_dir: Path, *, with_aside: bool = False) -> SpoolTake:
    """All spooled events in the order in which they were written, also those of a take that a crash cut short.

    `with_aside`: those that were refused before come first, to be tried again.

    Only one process may take at a time (the owner of the store). An absent folder is an empty spool.
    """
    if not spool_dir.is_dir():
        return SpoolTake(spool_dir, ())
    left = sorted(spool_dir.glob(f"events.*{_TAKING_SUFFIX}"))
    aside = _rename_aside(spool_dir, _next_number(left)) if with_aside else ()
    left = [*left, *aside]
    taken = _rename_under_lock(spool_dir, _next_number(left))
    late = sorted(path for path in spool_dir.glob(f"{_LATE_PREFIX}*.jsonl") if path.is_file())
    return SpoolTake(spool_dir, (*left, *taken, *late))


def parse_spool_line(line: bytes) -> SpooledEvent | None:
    """The event on the line; None when the line is torn or damaged (its checksum does not fit)."""
    body, mark, tail = line.rstrip(b"\r\n").rpartition(b',"crc":"')
    if not mark or tail[8:] != b'"}' or f"{binascii.crc32(body):08x}".encode() != tail[:8]:
        return None
    try:
        fields = json.loads(line)
        return SpooledEvent(
            key=str(fields["key"]),
            app=str(fields["app"]),
            event=str(fields["event"]),
            at=_EPOCH + timedelta(microseconds=int(fields["time_ns"]) // 1000),
            cwd=binascii.a2b_base64(fields["cwd"]).decode("utf-8", "replace"),
            raw=binascii.a2b_base64(fields["body"]),
            line=line,
        )
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def _next_number(left: list[Path]) -> int:
    numbers = [int(part) for path in left if (part := path.name.split(".")[1]).isdigit()]
    return max([time.time_ns(), *(number + 1 for number in numbers)])


def _rename_aside(spool_dir: Path, number: int) -> tuple[Path, ...]:
    aside = spool_dir / ASIDE_NAME
    if aside.is_symlink() or not aside.is_file():
        return ()
    target = spool_dir / f"events.{number:020d}{_TAKING_SUFFIX}"
    aside.rename(target)
    _sync_folder(spool_dir)
    return (target,)


def _rename_under_lock(spool_dir: Path, number: int) -> tuple[Path, ...]:
    events = spool_dir / EVENTS_NAME
    target = spool_dir / f"events.{number:020d}{_TAKING_SUFFIX}"
    try:
        handle = os.open(events, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return ()
    try:
        _lock(handle)
        events.rename(target)
        _sync_folder(spool_dir)
    finally:
        os.close(handle)  # closing unlocks; a hook that waited sees another inode and starts again
    return (target,)


def _lock(handle: int) -> None:
    with contextlib.suppress(ImportError):  # Windows: hooks write files of their own there
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX)


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):  # not every file system can
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
