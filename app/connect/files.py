"""Reads and replaces an assistant's configuration files with care, and remembers what they were before us.

A file is replaced in one step, keeps its mode, and only if it still is what was shown. Links are followed to the
real file first. For each file we keep the bytes from before and the hash of what we wrote, so that taking out is
exact to the byte. Knows nothing of hooks. Source: QUALITY E8, S4.
"""

import contextlib
import hashlib
import json
import os
import shlex
import stat
from dataclasses import dataclass
from pathlib import Path

from app.connect.base import ConnectRefusedError
from app.errors import DiskProblem, StaleError
from app.values import FileEdit

_FILE_LIMIT_BYTES = 16 * 1024 * 1024
_RECORD_NAME = "record.json"


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """What we know of one file that we wrote: its bytes before us, and what we made of them."""

    path: Path
    before: bytes | None
    written_sha256: str
    made_folders: tuple[Path, ...] = ()  # that did not exist before us, outermost first


def real_file(path: Path) -> Path:
    """The file that a path means, links followed. Raises ConnectRefusedError for what is no file of the person's."""
    try:
        target = path.resolve(strict=path.is_symlink())
        state = target.stat()
    except FileNotFoundError as error:
        if path.is_symlink():
            raise _refused(path, "points to a file that does not exist") from error
        return target
    except (RuntimeError, OSError) as error:
        raise _refused(path, f"cannot be followed ({error.__class__.__name__})") from error
    if not stat.S_ISREG(state.st_mode):
        raise _refused(path, "is not a regular file")
    if state.st_uid != os.getuid():
        raise _refused(path, "belongs to another user")
    if state.st_size > _FILE_LIMIT_BYTES:
        raise _refused(path, "is far larger than a configuration can be")
    return target


def read_config(path: Path) -> bytes | None:
    """The bytes of a configuration file; None when there is no such file."""
    try:
        return real_file(path).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DiskProblem(f"{path} cannot be read: {error.strerror}.", hint="Check its permissions.") from error


def check_writable(path: Path) -> None:
    """Raises ConnectRefusedError for a file whose owner may not write it: replacing it would pass over that."""
    target = real_file(path)
    if target.exists() and not target.stat().st_mode & stat.S_IWUSR:
        raise ConnectRefusedError(
            f"{path} is write-protected, so it was not touched.",
            hint=f"Allow writing to it, then try again: chmod u+w {shlex.quote(str(target))}",
        )


def check_unchanged(edit: FileEdit) -> None:
    """Raises StaleError when the file is no longer what the edit was planned on."""
    if read_config(edit.path) != edit.before:
        raise StaleError(
            f"{edit.path} was changed by another program in the meantime. It was left as it is.",
            hint="Look at the change again and repeat it.",
        )


def write_edit(edit: FileEdit) -> None:
    """Does an edit in one step, making the folders that it needs. Raises StaleError, DiskProblem."""
    target = real_file(edit.path)
    check_unchanged(edit)
    try:
        if edit.after is None:
            target.unlink(missing_ok=True)
            return
        for folder in missing_folders(edit.path):
            folder.mkdir(mode=0o700)
        _replace(target, edit.after)
    except OSError as error:
        raise DiskProblem(
            f"{edit.path} cannot be written: {error.strerror}.", hint="Check the disk and the file's permissions."
        ) from error


def missing_folders(path: Path) -> tuple[Path, ...]:
    """The folders that a new file needs and that are not there yet, outermost first."""
    parent = path.resolve().parent
    return tuple(place for place in (parent, *parent.parents) if not place.exists())[::-1]


def remove_empty_folders(folders: tuple[Path, ...]) -> None:
    """Removes the folders that we made, innermost first, as long as they are empty."""
    for folder in reversed(folders):
        with contextlib.suppress(OSError):  # not empty, or gone: then it is not ours any more
            folder.rmdir()


def load_records(folder: Path) -> dict[Path, WrittenFile]:
    """What we wrote for an app, by path. A record that cannot be read counts as none."""
    records: dict[Path, WrittenFile] = {}
    try:
        stored = json.loads((folder / _RECORD_NAME).read_bytes())
        for entry in stored["files"]:
            kept = None if entry["before"] is None else (folder / entry["before"]).read_bytes()
            made = tuple(Path(name) for name in entry["made_folders"])
            records[Path(entry["path"])] = WrittenFile(Path(entry["path"]), kept, entry["written_sha256"], made)
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return records


def save_records(folder: Path, records: dict[Path, WrittenFile]) -> None:
    """Keeps the records in a private folder; no records = no folder. Raises DiskProblem."""
    try:
        if records:
            _write_records(folder, records)
        else:
            _drop_records(folder)
    except OSError as error:
        raise DiskProblem(f"{folder} cannot be written: {error.strerror}.", hint="Check the disk.") from error


def _drop_records(folder: Path) -> None:
    for leftover in (folder / _RECORD_NAME, *folder.glob("before-*")):
        leftover.unlink(missing_ok=True)
    if folder.is_dir():
        folder.rmdir()


def _write_records(folder: Path, records: dict[Path, WrittenFile]) -> None:
    for place in missing_folders(folder / _RECORD_NAME):
        place.mkdir(mode=0o700)
    listed: list[dict[str, object]] = []
    for record in records.values():
        name = None if record.before is None else f"before-{sha256(record.before)[:32]}"
        if name is not None and record.before is not None:
            _replace(folder / name, record.before)
        listed.append(
            {
                "path": str(record.path),
                "before": name,
                "written_sha256": record.written_sha256,
                "made_folders": [str(made) for made in record.made_folders],
            }
        )
    _replace(folder / _RECORD_NAME, json.dumps({"files": listed}, indent=1).encode("utf-8", "surrogateescape"))


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _refused(path: Path, why: str) -> ConnectRefusedError:
    return ConnectRefusedError(f"{path} {why}, so it was not touched.", hint="Put a file of your own there.")


def _replace(target: Path, content: bytes) -> None:
    """Puts new content in place of a file in one step, with the file's mode (0600 for a new one)."""
    old = target.stat() if target.exists() else None
    mode = 0o600 if old is None else stat.S_IMODE(old.st_mode)
    temporary = target.with_name(f".{target.name}.remanence-new")  # one name, so that what a crash left goes
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    temporary.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            if old is not None:
                with contextlib.suppress(PermissionError):  # a group that we are not in
                    os.fchown(file.fileno(), -1, old.st_gid)
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
