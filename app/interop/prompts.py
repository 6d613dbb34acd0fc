"""What every history reader shares: the values it yields and the bounded scanning of JSON lines.

A reader turns bytes into `CaptureRequest` values, one at a time, holding one line and nothing more. It
never writes, never follows what a line says, and skips what it does not understand with a reason. Knows
neither store nor clock. Source: INTEROP sections 2, 5 and 8.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from app.errors import UserError
from app.values import CaptureRequest

LINE_LIMIT_BYTES = 32 * 1024 * 1024  # longer lines are stepped over, never held; above the largest message we take
_CHUNK_BYTES = 256 * 1024
_HEAD_BYTES = 16 * 1024
_TIMESTAMP = re.compile(rb'"timestamp"\s*:\s*"([^"]{10,40})"')
_OBJECT = re.compile(rb"\{[^\x00]")  # UTF-8 for certain: the library need not guess
_decode = json.JSONDecoder().decode
_EPOCH_MS_FROM = 100_000_000_000  # as seconds this would be the year 5138: a larger number counts milliseconds
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ImportRefusedError(UserError):
    """A file that cannot be taken in as it is; says which and what to do."""

    code = "import_refused"


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """Something in the file that is no event; `reason` is for people."""

    reason: str


class ReadItem(NamedTuple):
    """One thing that was read. Reading again from `end_offset` loses nothing; it may repeat keys."""

    item: CaptureRequest | SkippedLine
    end_offset: int  # bytes of the (unpacked) file; only ever grows


class RawLine(NamedTuple):
    """One line: `body` is None when it is longer than the limit."""

    body: bytes | None
    start: int
    end: int
    is_torn: bool  # no line feed at its end: the writer may still be at it


def read_lines(stream: BinaryIO, start_offset: int, *, limit_bytes: int = LINE_LIMIT_BYTES) -> Iterator[RawLine]:
    """Lines from a stream that is at `start_offset`; never more than one line in memory."""
    offset = start_offset
    while head := stream.readline(limit_bytes):
        start, offset = offset, offset + len(head)
        if head.endswith(b"\n") or len(head) < limit_bytes:
            yield RawLine(head, start, offset, is_torn=not head.endswith(b"\n"))
            continue
        tail = head
        while tail and not tail.endswith(b"\n"):
            tail = stream.readline(_CHUNK_BYTES)
            offset += len(tail)
        yield RawLine(None, start, offset, is_torn=not tail)


def parse_object(line: RawLine) -> dict[str, Any] | SkippedLine | None:
    """The line's JSON object; a reason when it is none; None for a blank or a torn last line."""
    if line.body is None:
        return SkippedLine("The line is too long.")
    body = line.body.strip(b" \t\r\n\x00\xef\xbb\xbf")
    if not body:
        return None
    try:
        parsed = _decode(body.decode("utf-8", "surrogatepass")) if _OBJECT.match(body) else json.loads(body)
    except (ValueError, RecursionError):
        return None if line.is_torn else SkippedLine("The line is not valid JSON.")
    return parsed if isinstance(parsed, dict) else SkippedLine("The line is not a JSON object.")


def parse_instant(value: object) -> datetime | None:
    """An aware UTC instant from ISO text or from epoch seconds or milliseconds; None when it is neither.

    >>> parse_instant("2026-08-20T09:00:00Z") == parse_instant(1787216400) == parse_instant(1787216400000)
    True
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            at = datetime.fromisoformat(value)
        except ValueError:
            return None
        if at.tzinfo is UTC:  # what assistants write
            return at
        return at.replace(tzinfo=UTC) if at.tzinfo is None else _to_utc(at)
    if isinstance(value, int | float):
        seconds = value / 1000 if abs(value) >= _EPOCH_MS_FROM else value
        try:
            return _EPOCH + timedelta(seconds=seconds)
        except (OverflowError, ValueError):
            return None
    return None


def _to_utc(at: datetime) -> datetime | None:
    try:
        return at.astimezone(UTC)
    except OverflowError:
        return None


def file_time(path: Path) -> datetime:
    """When the file was last written: the time of lines that carry none."""
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def first_instant(path: Path) -> datetime:
    """The first time that a file of JSON lines names near its beginning; else when it was last written."""
    with path.open("rb") as stream:
        head = stream.read(_HEAD_BYTES)
    named = (parse_instant(found[1].decode("ascii", "replace")) for found in _TIMESTAMP.finditer(head))
    return next((at for at in named if at is not None), None) or file_time(path)


def text_of(content: object) -> str:
    """The typed text of a message's content: the string itself, or its text blocks joined by line feeds."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [block if isinstance(block, str) else _block_text(block) for block in content]
    return "\n".join(text for text in texts if text)


def _block_text(block: object) -> str:
    if not isinstance(block, dict) or str_of(block, "type") not in {"text", "input_text"}:
        return ""
    return str_of(block, "text")


def str_of(mapping: object, *keys: str) -> str:
    """The first of the keys that holds a non-empty string; "" when none does."""
    if isinstance(mapping, dict):
        for key in keys:
            value = mapping.get(key)
            if isinstance(value, str) and value:
                return value
    return ""


def dict_of(mapping: object, key: str) -> dict[str, Any]:
    """The mapping under a key; an empty one when there is none."""
    value = mapping.get(key) if isinstance(mapping, dict) else None
    return value if isinstance(value, dict) else {}


def digest(*parts: str) -> str:
    """A short stable name for texts that carry no id of their own."""
    joined = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(joined).hexdigest()[:24]
