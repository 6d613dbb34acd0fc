"""Cuts a JSON array into its elements as the bytes come by, so that an export of any size fits in memory.

Only brackets, commas and string borders are looked at; each element goes to `json.loads` whole. An element
over the limit is stepped over. Knows nothing of what the elements mean.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from app.interop.prompts import ImportRefusedError

ELEMENT_LIMIT_BYTES = 64 * 1024 * 1024  # one chat; a longer one is stepped over, so that memory stays bounded
_CHUNK_BYTES = 256 * 1024
_OUTSIDE = re.compile(rb'["{}\[\],]')
_INSIDE = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)  # possessive: never backs up
_BLANK = b" \t\r\n\xef\xbb\xbf"
_OPENERS = b"{["
_CLOSERS = b"}]"


@dataclass(frozen=True, slots=True)
class Element:
    """One element's bytes; `body` is None when it is longer than the limit."""

    body: bytes | None
    start: int
    end: int


@dataclass(slots=True)
class _Cutter:
    limit_bytes: int
    offset: int  # of the first byte of the piece at hand
    depth: int
    is_in_string: bool = False
    is_escaped: bool = False
    is_over: bool = False
    is_done: bool = False
    start: int = 0
    parts: list[bytes] = field(default_factory=list)
    held_bytes: int = 0

    def feed(self, piece: bytes) -> Iterator[Element]:
        at = kept_from = 0
        while at < len(piece) and not self.is_done:
            if self.is_in_string:
                at = self._skip_string(piece, at)
                continue
            found = _OUTSIDE.search(piece, at)
            if found is None:
                break
            at = found.end()
            is_cut = self._note(piece[at - 1])
            if is_cut:
                self._hold(piece[kept_from : at - 1])
                kept_from = at
                yield from self._take(self.offset + at - 1)
                self.start = self.offset + at
            elif self.depth == 1 and piece[at - 1] in _OPENERS:  # the array itself begins
                self.parts, self.held_bytes = [], 0
                kept_from = at
                self.start = self.offset + at
        self._hold(piece[kept_from:])
        self.offset += len(piece)

    def _note(self, byte: int) -> bool:
        """Follows one structural byte; True when it ends an element of the outermost array."""
        if byte == 0x22:
            self.is_in_string = True
        elif byte in _OPENERS:
            self.depth += 1
        elif byte in _CLOSERS:
            self.depth -= 1
            self.is_done = self.depth <= 0
            return self.is_done
        else:
            return self.depth == 1
        return False

    def _skip_string(self, piece: bytes, at: int) -> int:
        if self.is_escaped and at < len(piece):
            at += 1
            self.is_escaped = False
        match = _INSIDE.match(piece, at)
        end = match.end() if match else at
        if end < len(piece):
            self.is_escaped = piece[end] == 0x5C
            self.is_in_string = self.is_escaped
            return end + 1
        return end

    def _hold(self, part: bytes) -> None:
        self.held_bytes += len(part)
        if self.held_bytes > self.limit_bytes:
            self.is_over = True
            self.parts.clear()
        elif part and not self.is_over:
            self.parts.append(part)

    def _take(self, end: int) -> Iterator[Element]:
        body = b"".join(self.parts).strip()
        is_over = self.is_over
        self.parts, self.held_bytes, self.is_over = [], 0, False
        if body or is_over:
            yield Element(None if is_over else body, self.start, end + 1)


def split_array(
    stream: BinaryIO, start_offset: int = 0, *, limit_bytes: int = ELEMENT_LIMIT_BYTES
) -> Iterator[Element]:
    """The elements of the array that the stream holds.

    `start_offset` 0 is before the array; any other is the `end` of an element that was read before, and
    the stream must be there. A missing end of the array is tolerated; what is torn is left out.
    """
    cutter = _Cutter(limit_bytes=limit_bytes, offset=start_offset, depth=1 if start_offset else 0)
    cutter.start = start_offset
    while not cutter.is_done and (piece := stream.read(_CHUNK_BYTES)):
        if not cutter.depth and piece.strip(_BLANK)[:1] not in {b"", b"["}:
            raise ImportRefusedError(
                "The file is not an export that Remanence can read.",
                hint="Choose the export itself: its conversations.json or zip file, or a file of memories.",
            )
        yield from cutter.feed(piece)
