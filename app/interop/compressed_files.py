"""Opens packed files without trusting them: `.zst` streams and `.zip` exports, read in memory-sized pieces.

Nothing is ever unpacked to disk. A file that swells beyond its limits, hides a path that climbs out of its
folder, or is locked with a password is refused with a sentence. Source: QUALITY S12.
"""

import errno
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from app.interop.prompts import ImportRefusedError

PACKED_LIMIT_BYTES = 8 * 1024**3  # of unpacked chats; more is taken for an attack
RATIO_LIMIT = 200  # our generated chats pack 6 times; deflate cannot exceed 1,032
_RATIO_FREE_BYTES = 16 * 1024**2  # a small file may be as repetitive as it likes
_WINDOW_LIMIT_BYTES = 128 * 1024**2
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_UNPACK_FIRST = "Unpack it first and import the JSON file."
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_SYMLINK_MODE = 0o120000
# what zipfile and the unpackers beneath it raise for damaged bytes
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, ValueError, OverflowError)


class _Metered(io.RawIOBase):
    """Counts what comes out of an unpacker and refuses what swells too far."""

    def __init__(self, unpacked: BinaryIO, packed_bytes: Callable[[], int], path: Path) -> None:
        self._unpacked = unpacked
        self._packed_bytes = packed_bytes
        self._path = path
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        piece = self._unpacked.read(len(view))
        view[: len(piece)] = piece
        self._count += len(piece)
        allowed = max(_RATIO_FREE_BYTES, self._packed_bytes() * RATIO_LIMIT)
        if self._count > min(allowed, PACKED_LIMIT_BYTES):
            raise bomb(self._path)
        return len(piece)


def bomb(path: Path) -> ImportRefusedError:
    return ImportRefusedError(
        f"{path.name} unpacks to far more than it should, so it was not read.",
        hint="Unpack it yourself, look at what it holds, and import the JSON file.",
    )


@contextmanager
def open_zst(path: Path) -> Iterator[BinaryIO]:
    """The unpacked bytes of a Zstandard file."""
    import zstandard  # read late: only packed rollouts need it

    with path.open("rb") as packed:
        unpacker = zstandard.ZstdDecompressor(max_window_size=_WINDOW_LIMIT_BYTES)
        with unpacker.stream_reader(packed, read_across_frames=True) as unpacked:
            metered = _Metered(cast(BinaryIO, unpacked), packed.tell, path)
            try:
                yield cast(BinaryIO, io.BufferedReader(metered, 256 * 1024))
            except zstandard.ZstdError as error:
                raise ImportRefusedError(
                    f"{path.name} is not a whole Zstandard file: {error}.",
                    hint="Copy the file again and import the copy.",
                ) from error


@contextmanager
def open_zip(path: Path, is_wanted: Callable[[zipfile.ZipInfo], bool]) -> Iterator[zipfile.ZipFile]:
    """A checked archive: no path that climbs out, no link; what is wanted of it has no password and does not swell."""
    try:
        with zipfile.ZipFile(path) as archive:
            _check_members(archive, path, is_wanted)
            yield archive
    except _DAMAGE as error:
        raise _unreadable(path, error) from error
    except OSError as error:
        if error.errno != errno.EINVAL:  # what a place before the beginning gives; others are the disk's
            raise
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> ImportRefusedError:
    return ImportRefusedError(f"{path.name} is not a readable zip file: {error}.", hint="Download the export again.")


@contextmanager
def open_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> Iterator[BinaryIO]:
    """The unpacked bytes of one member."""
    with archive.open(member) as unpacked:
        metered = _Metered(cast(BinaryIO, unpacked), lambda: member.compress_size, path)
        yield cast(BinaryIO, io.BufferedReader(metered, 256 * 1024))


def _check_members(archive: zipfile.ZipFile, path: Path, is_wanted: Callable[[zipfile.ZipInfo], bool]) -> None:
    members = archive.infolist()
    for member in members:
        if _climbs_out(member.filename) or (member.external_attr >> 16) & 0o170000 == _SYMLINK_MODE:
            raise ImportRefusedError(
                f"{path.name} holds the entry “{member.filename[:80]}”, which points outside of it.",
                hint="This is no export that an assistant writes. Import only files that you asked for yourself.",
            )
    wanted = [member for member in members if is_wanted(member)]
    for member in wanted:
        _check_wanted(member, path)
    if sum(member.file_size for member in wanted) > PACKED_LIMIT_BYTES:
        raise bomb(path)


def _check_wanted(member: zipfile.ZipInfo, path: Path) -> None:
    if member.flag_bits & 0x1:
        raise ImportRefusedError(f"{path.name} is locked with a password.", hint=_UNPACK_FIRST)
    if member.compress_type not in _METHODS:
        raise ImportRefusedError(f"{path.name} is packed in an unusual way.", hint=_UNPACK_FIRST)
    if member.file_size > max(_RATIO_FREE_BYTES, member.compress_size * RATIO_LIMIT):
        raise bomb(path)


def _climbs_out(name: str) -> bool:
    parts = PurePosixPath(name.replace("\\", "/"))
    return parts.is_absolute() or ".." in parts.parts or _DRIVE.match(name) is not None
