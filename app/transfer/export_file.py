"""Writes a file where a person or a program asked for it: the only way out of the engine into other folders.

Owns what may be written over: nothing without a yes, nothing inside our own folders, nothing but plain files; and that a
file is there whole or not at all. Knows nothing of what is written. Source: QUALITY S12, R3.
"""

import os
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from app.errors import DiskProblem, InvalidError
from app.places import Places, check_path, open_private, sync_folder

_ELSEWHERE = "Choose a file in a folder of your own."
_WRONG_PLACE = (FileNotFoundError, NotADirectoryError, PermissionError)  # no fault of the disk
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)


def write_export(places: Places, path: Path, parts: Iterable[bytes], *, is_replacing: bool = False) -> int:
    """Writes `parts` as a private file, there whole or not at all; returns how many parts there were.

    Unless `is_replacing`, a file that is there already stays. Raises InvalidError for a place that may not be written, DiskProblem.
    """
    check_path(path)
    try:
        target = check_target(places, path, is_replacing=is_replacing)
        return _write(target, parts, is_replacing=is_replacing)
    except FileExistsError as error:  # it came into being while we wrote
        raise _taken(path) from error
    except OSError as error:
        reason = (error.strerror or "no reason was given").lower()
        family = InvalidError if isinstance(error, _WRONG_PLACE) else DiskProblem
        raise family(
            f"{path} cannot be written: {reason}.", hint="Choose a file in a folder that you may write."
        ) from error


def check_target(places: Places, path: Path, *, is_replacing: bool) -> Path:
    """The file that `path` means, links followed. Raises InvalidError when it may not be written, OSError."""
    if not path.name:
        raise InvalidError(f"{path} is a folder, not a file.", hint="Name a file in it.")
    try:
        target = path.parent.resolve(strict=True) / path.name
        if target.is_symlink():
            target = target.resolve()
    except RuntimeError as error:  # a ring of links, before Python 3.13
        raise InvalidError(f"{path} is a link that leads to itself.", hint=_ELSEWHERE) from error
    if any(_is_within(target, own) for own in (places.config_dir, places.data_dir, places.state_dir)):
        raise InvalidError(f"{path} is in Remanence's own folders.", hint=_ELSEWHERE)
    try:
        mode = target.lstat().st_mode
    except FileNotFoundError:
        return target
    if not stat.S_ISREG(mode):
        kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "no plain file")
        raise InvalidError(f"{path} is {kind}, not a file.", hint=_ELSEWHERE)
    if not is_replacing:
        raise _taken(path)
    return target


def _taken(path: Path) -> InvalidError:
    return InvalidError(
        f"{path} is there already; nothing was written.",
        hint="Choose another name; --force (over the socket: is_replacing) replaces it.",
    )


def _is_within(target: Path, own: Path) -> bool:
    """Compares folders as the disk knows them: names can differ in case, and by links."""
    if not own.exists():
        return False
    return target.is_relative_to(own.resolve()) or any(
        above.exists() and above.samefile(own) for above in target.parents
    )


def _write(target: Path, parts: Iterable[bytes], *, is_replacing: bool) -> int:
    partial = target.with_name(f".remanence-{secrets.token_hex(8)}.partial")
    descriptor = open_private(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        count = 0
        with os.fdopen(descriptor, "wb") as handle:
            for part in parts:
                handle.write(part)
                count += 1
            handle.flush()
            os.fsync(handle.fileno())
        if is_replacing:
            partial.replace(target)
        else:
            _put_in_place(partial, target)
        sync_folder(target.parent)
    finally:
        with suppress(OSError):  # it has its name by now, or never came to be
            partial.unlink(missing_ok=True)
    return count


def _put_in_place(partial: Path, target: Path) -> None:
    """Gives the file its name, if nobody has taken the name meanwhile."""
    try:
        target.hardlink_to(partial)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):  # a disk without second names
        if target.exists() or target.is_symlink():
            raise FileExistsError(target) from None
        partial.rename(target)
