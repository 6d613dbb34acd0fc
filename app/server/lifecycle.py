"""Starts and stops the capture socket: one non-daemon thread, its files, and nothing left afterwards.

The sockets are bound before it starts, so that a taken port is an answer and not an exit. Owns the life of the server. Knows no route. Source: STACK-UI section 4 "Exit", QUALITY R12, R18.
"""

import asyncio
import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn

from app.api import remove_endpoint, write_endpoint
from app.errors import EnvironmentProblem
from app.places import write_private
from app.server.batcher import CaptureBatcher
from app.server.callers import Callers
from app.server.changes_feed import ChangesFeed
from app.server.context import ServerContext
from app.server.deadline import deadline_protocol
from app.server.front import build_app
from app.server.guard import AsgiApp
from app.server.offload import Offload
from app.values import Changes, DataKind, Endpoint

if TYPE_CHECKING:
    from app.api import Engine
import contextlib

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
        path.unlink(missing_ok=True)  # we own the store, so whatever is there is stale; a link is not followed
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


log = logging.getLogger(__name__)

START_TIMEOUT_S = 60.0  # one that fails says so at once; on a busy machine a start is slow
STOP_TIMEOUT_S = 2.0
GRACE_S = 1  # for answers under way; uvicorn takes whole seconds
KEEP_ALIVE_S = 30
ACCEPTED_AT_ONCE = 8  # then those who are connected get their turn: a thousand at once would take 0.3 s
ADMIN_FILE_NAME = "admin.token"


class _Server(uvicorn.Server):
    """uvicorn without signal handlers, which ends streams before it waits for connections."""

    def __init__(self, config: uvicorn.Config, feed: ChangesFeed) -> None:
        super().__init__(config)
        self._feed = feed
        self.is_up = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._feed.start(asyncio.get_running_loop())
        await super().startup(sockets)
        for listener in sockets or ():  # asyncio has set what it takes at a time, which is far too short a queue
            listener.listen(BACKLOG)
        self.is_up.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._feed.close()
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            connection.transport.abort()


class ServerHandle:
    """A running socket. `stop` may be called more than once and from any thread."""

    def __init__(
        self,
        server: _Server,
        *,
        sockets: list[socket.socket],
        context: ServerContext,
        endpoint: Endpoint,
        prepare: Callable[[], object],
    ) -> None:
        self._server = server
        self._sockets = sockets
        self._context = context
        self._prepare = prepare
        self.endpoint = endpoint
        self._unsubscribe = context.engine.subscribe(self._on_changes)
        self._thread = threading.Thread(target=self._run, name="remanence-server")
        self._stop_lock = threading.Lock()
        self._is_stopped = False

    def start(self) -> None:
        """Returns when requests are answered. Raises EnvironmentProblem when that does not happen in time."""
        self._thread.start()
        end = time.monotonic() + START_TIMEOUT_S
        while self._thread.is_alive() and time.monotonic() < end:
            if self._server.is_up.wait(0.05):
                return
        self.stop()
        raise EnvironmentProblem("The capture socket did not start.", hint="The log file says why.")

    def warm_up(self) -> None:
        """Loads what the routes beside capture need; whoever asks one of them earlier waits for it."""
        if not self._is_stopped:
            self._prepare()

    def stop(self) -> None:
        """Ends listening, streams and threads within two seconds and takes our files away."""
        with self._stop_lock:
            if self._is_stopped:
                return
            self._is_stopped = True
            end = time.monotonic() + STOP_TIMEOUT_S
            places = self._context.engine.places
            remove_endpoint(places.state_dir)
            (places.state_dir / ADMIN_FILE_NAME).unlink(missing_ok=True)
            self._unsubscribe()
            self._server.should_exit = True
            if self._thread.ident is not None:
                self._thread.join(STOP_TIMEOUT_S)
            for listener in self._sockets:
                listener.close()
            if self.endpoint.socket_path:
                Path(self.endpoint.socket_path).unlink(missing_ok=True)
            if not self._context.offload.stop(max(0.0, end - time.monotonic())) or self._thread.is_alive():
                log.warning("The capture socket took longer than %s s to stop.", STOP_TIMEOUT_S)

    def _on_changes(self, changes: Changes) -> None:
        if DataKind.APPS in changes.kinds:
            self._context.callers.forget()
        self._context.feed.publish(changes)

    def _run(self) -> None:
        try:
            self._server.run(self._sockets)
        except SystemExit:  # uvicorn's way to say that it could not start
            log.exception("The capture socket could not start.")


def start_server(engine: "Engine", *, port: int | None = None) -> ServerHandle:
    """The running socket over `engine`. `port` None takes the setting, 0 any free one; a taken port gives way.

    Raises EnvironmentProblem.
    """
    raise_file_limit()
    places = engine.places
    listener = bind_tcp(engine.settings.current.port if port is None else port)
    unix = bind_unix(places.socket_path)
    sockets = [listener] if unix is None else [listener, unix]
    endpoint = Endpoint(
        host=HOST, port=listener.getsockname()[1], socket_path=str(places.socket_path) if unix is not None else ""
    )
    admin_token = secrets.token_urlsafe(32)
    offload = Offload()
    context = ServerContext(
        engine=engine,
        offload=offload,
        batcher=CaptureBatcher(engine, offload),
        feed=ChangesFeed(),
        callers=Callers(engine.check_token, admin_token),
        secret=secrets.token_hex(32),
    )
    app, prepare = build_app(context)
    handle = ServerHandle(_server(context, app), sockets=sockets, context=context, endpoint=endpoint, prepare=prepare)
    handle.start()
    write_private(places.state_dir / ADMIN_FILE_NAME, f"{admin_token}\n".encode())
    write_endpoint(
        places.state_dir,
        socket=places.socket_path if unix is not None else None,
        port=endpoint.port,
        secret=context.secret,
        pid=os.getpid(),
    )
    engine.listens_at(endpoint)
    return handle


def _server(context: ServerContext, app: AsgiApp) -> _Server:
    config = uvicorn.Config(
        app,
        http=deadline_protocol(lambda: context.engine.settings.current.request_deadline_s),
        ws="none",
        loop="asyncio",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="error",  # what strangers send is no news; our own routes log their faults themselves
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        backlog=ACCEPTED_AT_ONCE,
        timeout_graceful_shutdown=GRACE_S,
    )
    return _Server(config, context.feed)
