"""The hook's other half, loaded only when the engine did not take an event: takes secrets out and spools it.

Owns the spool's line, which `app/capture/spool.py` reads. Secrets are found by `app/privacy`, the one redactor, which loads
nothing that starts slowly; nothing else of ours is imported. `remanence_hook.py` hands itself in. Source: QUALITY R13, S4, S6.
"""

import sys
import time
from binascii import b2a_base64, crc32

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

TYPE_CHECKING = False  # `typing` takes longer to import than all of this may
if TYPE_CHECKING:
    from types import ModuleType

    from app.hook.remanence_hook import Event

LOCK_BUDGET_S = 0.15
RULES_BYTES_MAX = 8 * 1024 * 1024
SPOOL_BYTES_MAX = 1024 * 1024 * 1024
SPOOL_TOOL_BYTES_MAX = 64 * 1024 * 1024  # tool events are worth less than prompts when nobody takes them
O_NOFOLLOW: int = getattr(system, "O_NOFOLLOW", 0)
O_BINARY: int = getattr(system, "O_BINARY", 0)


def spool(event: "Event", state: str, hook: "ModuleType") -> None:
    """Appends the event durably, or keeps it in a file of its own where the lock cannot be had."""
    kept_out = hook.read_own(state + "/hook/exclude.marshal", RULES_BYTES_MAX)
    if kept_out and beside("remanence_exclude").is_excluded(event, kept_out):
        return
    folder = state + "/spool"
    make_private(folder, hook)
    handle = hook.open_own(state + "/hook/rules.marshal", RULES_BYTES_MAX)
    line = spool_line(event, without_secrets(event, handle))
    if not append_locked(folder + "/events.jsonl", line, event.name):
        path = f"{folder}/late-{event.time_ns:020d}-{event.key}.jsonl"
        handle = system.open(path, system.O_RDWR | system.O_CREAT | system.O_EXCL | O_NOFOLLOW | O_BINARY, 0o600)
        write_whole(handle, line)
        system.close(handle)
        sync_folder(folder)


def make_private(folder: str, hook: "ModuleType") -> None:
    """Makes the folder and those above it, for us alone. Raises OSError when it is another's or a link."""
    make_folder(folder)
    status = system.lstat(folder)
    if status.st_mode & 0o170000 != 0o040000 or not hook.is_ours(status):
        raise OSError


def make_folder(folder: str) -> None:
    try:
        system.mkdir(folder, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        parent = folder.replace("\\", "/").rpartition("/")[0]
        if not parent:
            raise
        make_folder(parent)
        system.mkdir(folder, 0o700)


def spool_line(event: "Event", body: bytes) -> bytes:
    """One line of JSON; all that could hold anything is base64, so a torn line is seen and nothing needs escaping."""
    fields = b'{"v":1,"key":"%s","app":"%s","event":"%s","time_ns":%d,"cwd":"%s","body":"%s"' % (
        event.key.encode(),
        event.app.encode(),
        event.name.encode(),
        event.time_ns,
        b2a_base64(event.cwd, newline=False),
        b2a_base64(body, newline=False),
    )
    return fields + b',"crc":"%08x"}\n' % crc32(fields)


def append_locked(path: str, line: bytes, name: str) -> bool:
    """Whether the line is in the file, synced. False without a lock (Windows, or a lock held too long)."""
    try:
        import fcntl
    except ImportError:
        return False
    until_s = time.monotonic() + LOCK_BUDGET_S
    while time.monotonic() < until_s:
        handle = system.open(path, system.O_RDWR | system.O_APPEND | system.O_CREAT | O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if system.fstat(handle).st_ino != system.stat(path).st_ino:
                continue  # the engine took the file away between open and lock
            if append_line(handle, line, name):
                sync_folder(path.rpartition("/")[0])  # a new name
            return True
        except (BlockingIOError, FileNotFoundError):
            time.sleep(0.005)
        finally:
            system.close(handle)
    return False


def sync_folder(folder: str) -> None:
    """A name that is new in it outlives a power cut. Not where folders cannot be opened (Windows)."""
    try:
        handle = system.open(folder, system.O_RDONLY)
    except OSError:
        return
    try:
        system.fsync(handle)
    finally:
        system.close(handle)


def append_line(handle: int, line: bytes, name: str) -> bool:
    """Whether the file had nothing in it before."""
    size = system.fstat(handle).st_size
    if size > (SPOOL_TOOL_BYTES_MAX if name == "tool" else SPOOL_BYTES_MAX):
        return False
    if size and system.pread(handle, 1, size - 1) != b"\n":
        line = b"\n" + line  # a torn line must not take this one with it
    try:
        write_whole(handle, line)
    except OSError:
        system.ftruncate(handle, size)
        raise
    return not size


def write_whole(handle: int, line: bytes) -> None:
    if system.write(handle, line) != len(line):
        raise OSError
    system.fsync(handle)


def without_secrets(event: "Event", handle: int) -> bytes:
    """The event's body, each text in it without secrets; its folder, too. `handle` is the engine's rule file, -1 for none.

    What is no JSON is one text: the engine keeps it aside.
    """
    sys.path.append(__file__.replace("\\", "/").rpartition("/hook/")[0])
    from privacy import json_text, stored_rules  # type: ignore[import-not-found]  # the folder beside this one's

    def take(start: int, end: int) -> bytes:
        system.lseek(handle, start, 0)
        return system.read(handle, end - start)

    detector = stored_rules.read_detector(take if handle >= 0 else None)
    event.cwd = detector.redact(event.cwd)[0]  # before the body narrows what is looked for
    try:
        body: bytes = json_text.without_secrets(event.body, detector)
    except (ValueError, RecursionError):
        detector.narrow(event.body)
        body = detector.redact(event.body)[0]
    return body


def beside(name: str) -> "ModuleType":
    """The file of that name beside this one; the folder is on the path since this one was found there."""
    return __import__(name)
