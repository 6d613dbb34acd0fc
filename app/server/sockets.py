"""The sockets of the server, bound before it starts, so that a taken port is an answer and not an exit.

Source: QUALITY R11, R12, S3, S4; STYLE trap "uvicorn on a taken port".
"""

import contextlib
import os
import socket
from pathlib import Path

from app.errors import PortTakenError

HOST = "127.0.0.1"
BACKLOG = 2_048  # a burst of half-open connections must not push an honest one out (R11)
MAX_UNIX_PATH_BYTES = 100  # the kernel takes 107; some systems less
_WANTED_FILE_COUNT = 8_192


def bind_tcp(port: int) -> socket.socket:
    """A listening socket on 127.0.0.1: `port`, else a free one. Raises PortTakenError when there is none."""
    for choice in (port, 0):
        # the protocol is named because asyncio switches Nagle's delay (40 ms an answer) off only where it is
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            if os.name == "posix":
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((HOST, choice))
            listener.listen(BACKLOG)
        except OSError:
            listener.close()
            continue
        listener.setblocking(False)
        return listener
    raise PortTakenError("No port on 127.0.0.1 can be opened.", hint="Check the firewall of this machine.")


def bind_unix(path: Path) -> socket.socket | None:
    """A listening socket at `path`, mode 0600; None where the system or the length of the path forbids it."""
    if not hasattr(socket, "AF_UNIX") or len(os.fsencode(path)) > MAX_UNIX_PATH_BYTES:
        return None
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.unlink(missing_ok=True)  # we own the store, so whatever lies there is stale; a link is not followed
        listener.bind(os.fspath(path))
        path.chmod(0o600)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        return None
    listener.setblocking(False)
    return listener


def raise_file_limit() -> None:
    """Lets the process hold as many connections as R11 asks for, within what the system allows it."""
    if os.name != "posix":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_FILE_COUNT if hard == resource.RLIM_INFINITY else min(hard, _WANTED_FILE_COUNT)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
