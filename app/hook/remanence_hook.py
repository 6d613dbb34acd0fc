"""What an assistant runs at each event: hands its JSON to the running engine, or keeps it for later.

Run as `python -I -S -E remanence_hook.py [--home PATH] <app> <event>`. Standard library only, and of that only what
starts fast: the assistant waits for this process. Reads stdin, prints the engine's answer or nothing, always ends
with 0. What the usual run does not need is in files beside this one, so that it need not compile them: `remanence_tcp.py`
where there is no Unix socket, `remanence_spool.py` for what the engine did not take, `remanence_late.py` for a stdin that
comes late. Source: INTEROP section 0, QUALITY P4, S5.
"""

import sys
import time

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

TYPE_CHECKING = False  # `typing` takes longer to import than the whole hook may
if TYPE_CHECKING:
    import _socket
    from types import ModuleType

POST_BUDGET_S = 0.36  # leaves 40 ms of the 400 for the spool
ALIVE_BUDGET_S = (
    0.1  # for the engine's first sign of life; it says at once that it has an event, and then looks for a context
)
SLOW_MACHINE_MAX = 2.5  # so many times as long where more processes wait than there are processors
QUICK_BYTES_MAX = 16 * 1024  # a longer text takes the engine longer before it can say anything
CONNECT_BUDGET_S = 0.08
SILENCE_S = 0.3  # without a byte; assistants write at once, and from then on a child waits for what comes late
PAUSE_S = 0.05  # after which an input that was never closed is looked at: is it whole?
WATCHDOG_S = 3.0  # for a disk or a pipe that hangs
STDIN_BYTES_MAX = 12 * 1024 * 1024
TOOL_BYTES_MAX = 256 * 1024
ANSWER_BYTES_MAX = 1024 * 1024
HEAD_BYTES_MAX = 64 * 1024
BACKGROUND_BYTES = 16 * 1024  # longer texts are spooled by a child, so that the assistant need not wait
SMALL_FILE_BYTES_MAX = 64 * 1024
EVENTS = ("prompt", "start", "stop", "tool", "compact", "end")
NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
PLAIN_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-_.~")
O_NOFOLLOW: int = getattr(system, "O_NOFOLLOW", 0)
O_BINARY: int = getattr(system, "O_BINARY", 0)


class StopSignal(BaseException):
    """The host wants us gone, or something hung."""


class Wait:
    """When the assistant began to wait for us: at its first byte, since before that we wait for it."""

    since_s = time.monotonic()
    budget_s = POST_BUDGET_S


class Event:
    """One invocation. The same key goes to the socket and, if that fails, to the spool: it is stored once."""

    def __init__(self, app: str, name: str) -> None:
        self.app = app
        self.name = name
        # its end tells which command line ran: an assistant runs each once a prompt (`app/values/repeated_prompts.py`)
        self.key = f"{system.urandom(12).hex()}{command_mark():08x}"
        self.time_ns = time.time_ns()
        self.parts: list[bytes] = []  # of stdin, as they came
        self.byte_count = 0
        self.body = b""
        self.is_reading = False  # of a file: its name goes to the engine while that runs, and nothing is spooled
        try:
            self.cwd = system.getcwd().encode("utf-8", "surrogateescape")
        except OSError:
            self.cwd = b""


def command_mark() -> int:
    """Of the command line that ran; by hand, because a module for it is a file to load."""
    mark = 0
    for letter in "\0".join(sys.orig_argv):
        mark = (mark * 1_000_003 ^ ord(letter)) & 0xFFFFFFFF
    return mark


def environment(name: str) -> str:
    for key, value in system.environ.items():  # bytes on POSIX, text on Windows
        if key in {name, name.encode()}:
            return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value
    return ""


def user_folder() -> str:
    home = environment("HOME")
    if not home and sys.platform != "win32":
        import pwd

        home = pwd.getpwuid(system.getuid()).pw_dir
    return home


def state_folder(home: str) -> str:
    """Our state folder, where `app/places.py` has it; empty when there is no home."""
    home = home or environment("REMANENCE_HOME")
    if home:
        return (user_folder() + home[1:] if home.startswith("~/") else home).rstrip("/\\") + "/state"
    if sys.platform == "win32":
        base = environment("LOCALAPPDATA")
        return base + "\\remanence" if base else ""
    if sys.platform == "darwin":
        return user_folder() + "/Library/Application Support/remanence"
    return (environment("XDG_STATE_HOME") or user_folder() + "/.local/state") + "/remanence"


def is_ours(status: system.stat_result) -> bool:
    """Owned by us and writable by nobody else."""
    if sys.platform == "win32":
        return True
    return status.st_uid == system.getuid() and not status.st_mode & 0o022


def open_own(path: str, bytes_max: int) -> int:
    """A handle to read the file; -1 when it is absent, a link, too large, or could be another user's."""
    try:
        handle = system.open(path, system.O_RDONLY | O_NOFOLLOW | O_BINARY)
    except OSError:
        return -1
    status = system.fstat(handle)
    if is_ours(status) and status.st_size <= bytes_max:
        return handle
    system.close(handle)
    return -1


def read_own(path: str, bytes_max: int) -> bytes:
    """The file's bytes; empty where `open_own` refuses it."""
    handle = open_own(path, bytes_max)
    if handle < 0:
        return b""
    try:
        parts = []
        while part := system.read(handle, 65536):
            parts.append(part)
        return b"".join(parts)
    finally:
        system.close(handle)


def read_pairs(path: str) -> dict[bytes, bytes]:
    """The `key value` lines of a small file."""
    lines = (line.partition(b" ") for line in read_own(path, SMALL_FILE_BYTES_MAX).splitlines())
    return {name: value.strip() for name, _, value in lines}


def read_stdin(event: Event, silence_s: float) -> bool:
    """Fills `event.body`; False when nothing came for `silence_s` and what came so far is not whole.

    The body stays empty when stdin is a terminal, without a byte to its end, or larger than we take.
    """
    if system.isatty(0):
        return True
    while (state := has_input(event, silence_s)) == "more" and (part := system.read(0, 1 << 20)):
        if not event.byte_count:
            Wait.since_s = time.monotonic()
        event.byte_count += len(part)
        if event.byte_count <= STDIN_BYTES_MAX:
            event.parts.append(part)
        else:
            event.parts.clear()  # read on, so that the host's write does not fail
    body = b"".join(event.parts)
    if event.name == "tool":
        event.is_reading = tells_of_reading(body)
        if event.is_reading or len(body) >= TOOL_BYTES_MAX:
            body = without_response(body)
    event.body = body if body.strip() else b""
    return state != "late"


def has_input(event: Event, silence_s: float) -> str:
    """ "more" when bytes or the end can be read, "whole" when all came and the pipe stays open, "late" after silence."""
    if sys.platform == "win32":
        return "more"
    import select

    until_s = time.monotonic() + silence_s
    while not select.select([0], [], [], PAUSE_S)[0]:
        if event.parts and event.parts[-1].rstrip()[-1:] == b"}" and is_whole(b"".join(event.parts)):
            return "whole"
        if time.monotonic() >= until_s:
            return "late"
    return "more"


def is_whole(body: bytes) -> bool:
    import json  # slow to import, and only for hosts that leave the pipe open

    try:
        json.loads(body)
    except ValueError:
        return False
    return True


def tells_of_reading(body: bytes) -> bool:
    """Whether the tool only read a file. Inside strings the quotes of such a key would be escaped."""
    said = body[body.find(b'"tool_name":') + 12 :][:12].lstrip()
    return said.startswith(b'"Read"')


def without_response(body: bytes) -> bytes:
    """The tool event without what the tool said; empty when it is still too large.

    Inside strings the quotes of such a key would be escaped, so the bytes found are a real key.
    """
    at = body.find(b'"tool_response":')
    cut = body[:at] + b'"tool_response":"[left out]"}' if at > 0 else b""
    return cut if len(cut) < TOOL_BYTES_MAX else b""


def post(event: Event, state: str) -> tuple[bytes, bytes]:
    """(status, body) of the engine's answer. Raises OSError, ValueError or KeyError when there is none in time."""
    endpoint = read_pairs(state + "/endpoint")
    token = read_pairs(f"{state}/hook/{event.app}.conf")[b"token"]
    if not all(32 < byte < 127 for byte in token):
        raise ValueError
    import _socket

    if len(event.body) <= QUICK_BYTES_MAX:
        Wait.budget_s = ALIVE_BUDGET_S * slowness()
    port, secret = int(endpoint.get(b"port", b"0")), endpoint[b"secret"].decode()
    host = b"127.0.0.1:%d" % port if port else b"localhost"
    connection = connect_unix(_socket, endpoint.get(b"socket", b"")) or helper("remanence_tcp").connect_proven(
        sys.modules[__name__], port, host, secret
    )
    key, cwd = event.key.encode(), percent(event.cwd)
    head = (
        b"POST /v1/hook/%s/%s?key=%s&cwd=%s&time_ns=%d&early=1 HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"
        b"Content-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
    ) % (
        event.app.encode(),
        event.name.encode(),
        key,
        cwd,
        event.time_ns,
        host,
        token,
        len(event.body),
    )
    connection.settimeout(left_s())
    try:
        connection.sendall(head + event.body)
    except OSError:
        pass  # an early refusal closes the door while we speak; its answer may still be there
    return read_answer(connection)


def percent(value: bytes) -> bytes:
    """Safe in a header and in a query: what is not plain in a path is percent-encoded."""
    return b"".join(b"%c" % byte if byte in PLAIN_BYTES else b"%%%02X" % byte for byte in value)


def slowness() -> float:
    """How much longer everything takes on this machine just now, 1 and more."""
    try:
        waiting = system.getloadavg()[0] / (system.cpu_count() or 1)
    except (AttributeError, OSError):  # Windows has none
        return 1.0
    return max(1.0, min(SLOW_MACHINE_MAX, waiting))


def left_s() -> float:
    left = Wait.since_s + Wait.budget_s - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def connect_unix(sockets: "ModuleType", path: bytes) -> "_socket.socket | None":
    """A connection to the engine's own socket file, or None. Nobody else can put one into our folder."""
    if not path or not hasattr(sockets, "AF_UNIX"):
        return None
    try:
        if not is_ours(system.lstat(path.rpartition(b"/")[0])) or system.lstat(path).st_uid != system.getuid():
            return None
        connection: _socket.socket = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM)
        connection.settimeout(min(CONNECT_BUDGET_S, left_s()))
        connection.connect(path)
    except OSError:
        return None
    return connection


def read_answer(connection: "_socket.socket") -> tuple[bytes, bytes]:
    """(status, body) of one HTTP answer. Once the status stands, a missing body is an empty one."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += receive(connection)
        if len(data) > HEAD_BYTES_MAX + ANSWER_BYTES_MAX:
            raise ValueError
    head, _, body = data.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1."):
        raise ValueError
    Wait.budget_s = POST_BUDGET_S  # it lives: what it looks for may take longer
    try:
        if b"\r\ntransfer-encoding: chunked" in head.lower():
            while not body.endswith(b"0\r\n\r\n"):
                body += receive(connection)
            return head[9:12], only_chunk(body)
        length = content_length(head)
        while len(body) < length <= ANSWER_BYTES_MAX:
            body += receive(connection)
    except (OSError, ValueError):
        length, body = 0, b""
    return head[9:12], body[:length] if length <= ANSWER_BYTES_MAX else b""


def only_chunk(body: bytes) -> bytes:
    """The engine's early answer: its body, once it is there, comes in one piece."""
    size, _, rest = body.partition(b"\r\n")
    length = int(size, 16)
    return rest[:length] if rest[length:] == b"\r\n0\r\n\r\n" and length <= ANSWER_BYTES_MAX else b""


def receive(connection: "_socket.socket") -> bytes:
    connection.settimeout(left_s())
    part = connection.recv(65536)
    if not part:
        raise ValueError
    return part


def content_length(head: bytes) -> int:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


def keep(event: Event, state: str) -> None:
    """Hands the event to `remanence_spool.py`, which is beside this file.

    Taking secrets out of a long text lasts; the assistant does not wait for it, a child does it alone.
    """
    if event.is_reading:
        return
    ignore_signals()
    if len(event.body) > BACKGROUND_BYTES and hasattr(system, "fork") and not fork_child():
        return
    helper("remanence_spool").spool(event, state, sys.modules[__name__])


def wait_on(event: Event, state: str) -> None:
    """Hands an event whose input comes late to `remanence_late.py` in a child; the assistant does not wait for it."""
    if fork_child(keeps_stdin=True):
        helper("remanence_late").finish(event, state, sys.modules[__name__])


def fork_child(*, keeps_stdin: bool = False) -> bool:
    """Forks. True in the child, which the assistant neither waits for nor hears."""
    if system.fork():
        return False
    system.setsid()
    null = system.open("/dev/null", system.O_RDWR)
    for handle in (1, 2) if keeps_stdin else (0, 1, 2):
        system.dup2(null, handle)
    return True


def helper(name: str) -> "ModuleType":
    sys.path.append(__file__.replace("\\", "/").rpartition("/")[0])
    return __import__(name)


def parse_arguments(arguments: list[str]) -> tuple[str, str, str]:
    """(app, event, home). Raises ValueError or IndexError for anything else."""
    home = ""
    if "--home" in arguments:
        at = arguments.index("--home")
        home = arguments[at + 1]
        arguments = arguments[:at] + arguments[at + 2 :]
    app, event = arguments
    if event not in EVENTS or not 0 < len(app) <= 40 or not NAME_CHARACTERS.issuperset(app):
        raise ValueError
    return app, event, home


def fill_closed_handles() -> None:
    """A closed stdin, stdout or stderr becomes the null device, so that no file or socket lands on its number."""
    for handle in (0, 1, 2):
        try:
            system.fstat(handle)
        except OSError:
            system.open("/dev/null" if sys.platform != "win32" else "NUL", system.O_RDWR)


def listen_to_signals() -> None:
    import _signal  # type: ignore[import-not-found]  # `signal` costs an enum import

    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGALRM"):
        if hasattr(_signal, name):
            _signal.signal(getattr(_signal, name), stop)
    if hasattr(_signal, "setitimer"):
        _signal.setitimer(_signal.ITIMER_REAL, WATCHDOG_S)


def ignore_signals() -> None:
    """From here on the event is only with us; just the watchdog may still end the run."""
    import _signal

    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if hasattr(_signal, name):
            _signal.signal(getattr(_signal, name), _signal.SIG_IGN)


def stop(_number: int, _frame: object) -> None:
    raise StopSignal


def run(event: Event, state: str) -> None:
    status, body = b"", b""
    try:
        listen_to_signals()
        if not read_stdin(event, SILENCE_S):
            wait_on(event, state)
            return
        if event.body:
            status, body = post(event, state)
    except (StopSignal, OSError, ValueError, LookupError):
        pass  # no answer: the spool
    if status[:1] == b"2":
        if status == b"200" and body.lstrip()[:1] == b"{":
            print_whole(body)
    elif event.body:
        keep(event, state)  # also what the engine refuses: it may take it when its rules are mended


def print_whole(body: bytes) -> None:
    while body:
        body = body[system.write(1, body) :]


def main() -> None:
    try:
        if ("REMANENCE_JUDGE_CHILD" if sys.platform == "win32" else b"REMANENCE_JUDGE_CHILD") in system.environ:
            return  # a model that we ask ourselves: it must not be heard as the person
        fill_closed_handles()
        app, name, home = parse_arguments(sys.argv[1:])
        state = state_folder(home)
        if state:
            run(Event(app, name), state)
    except BaseException:  # noqa: BLE001, S110 (whatever happens, the assistant must not notice)
        pass
    finally:
        system._exit(0)  # noqa: SLF001 (no interpreter shutdown: it costs time and may print)


if __name__ == "__main__":
    main()
