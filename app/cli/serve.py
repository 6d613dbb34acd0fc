"""`remanence serve`: the app without its window. Ends cleanly on SIGTERM, SIGINT and SIGHUP. Source: DESIGN section 3, R18."""

import gc
import os
import signal
import socket
import sys
import threading
from collections.abc import Mapping
from contextlib import closing, suppress
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.options import SetOption, places_of, read_flags
from app.cli.output import print_line, print_problem
from app.cli.process import give_back_memory, prefer_latency, settle, start_log, stop_log
from app.places import Places
from app.settings_sources import load_settings

if TYPE_CHECKING:
    from app.api import Engine
    from app.server import ServerHandle


class Stop:
    """Waits until it is asked for; may be asked for by a signal handler too. To be made in the main thread.

    Not a `threading.Event`: a signal that comes while the main thread holds its lock would wait for that lock for ever. Not a
    queue either: a signal that comes just before the main thread sleeps, or that another thread gets, wakes nobody. The
    interpreter writes each signal into a socket the moment it comes, and that socket is what is waited for. Source: R18.
    """

    def __init__(self) -> None:
        self._is_asked = False
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self._before = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)

    def ask(self) -> None:
        self._is_asked = True
        with suppress(OSError):  # full of wake-ups already, or closed
            self._writer.send(b"\0")

    def close(self) -> None:
        signal.set_wakeup_fd(self._before)
        self._reader.close()
        self._writer.close()

    def wait(self) -> None:
        """Comes back when it was asked for; each byte only says that it is time to look."""
        while not self._is_asked:
            self._reader.recv(1)


def serve(
    context: typer.Context,
    port: Annotated[
        int | None, typer.Option(help="First choice of port; 0 takes a free one.", min=0, max=65535)
    ] = None,
    set_: SetOption = None,
    while_stdin: Annotated[bool, typer.Option("--while-stdin", hidden=True)] = False,
) -> None:
    """Run without a window: capture and answer until ended."""
    with closing(Stop()) as stop:
        _stop_on_signals(stop)
        if while_stdin:
            threading.Thread(target=_stop_with_stdin, args=(stop,), name="remanence-stdin", daemon=True).start()
        places, flags = places_of(context), read_flags(set_)
        loaded = load_settings(places.config_path, flags=flags)
        if loaded.notice:
            print_problem(loaded.notice)
        log = start_log(places, loaded.settings.log_bytes)
        try:
            _serve(places, flags, port, stop, is_for_mcp=while_stdin)
        finally:
            stop_log(log)
    _leave_at_once_beside_threads()


def _serve(places: Places, flags: Mapping[str, object], port: int | None, stop: Stop, *, is_for_mcp: bool) -> None:
    gc.disable()  # searching what is being imported for cycles costs a tenth of the imports and finds none
    from app.api import Engine
    from app.server import start_server

    prefer_latency()
    give_back_memory()
    engine = Engine.open(places, flags=flags, owner="session" if is_for_mcp else "serve", is_whole=False)
    try:
        server = start_server(engine, port=port)
        try:
            place = server.endpoint
            print_line(f"Listening on http://{place.host}:{place.port}", is_flushed=True)
            if place.socket_path:
                print_line(f"and on {place.socket_path}", is_flushed=True)
            # a daemon: an end that comes while it still imports must not wait for it (R18)
            warm_up = partial(_warm_up, engine, server, is_for_mcp=is_for_mcp)
            threading.Thread(target=warm_up, name="remanence-warm-up", daemon=True).start()
            stop.wait()
            engine.leave()
        finally:
            server.stop()
    finally:
        engine.close()


def _leave_at_once_beside_threads() -> None:
    """Ends the process here where a thread still computes: the store is closed, nothing is left to keep.

    Python's own end stops such a thread inside a library's native code, whose answer is to abort the whole process (measured:
    an end during the warm-up, one of seventy on a busy machine).
    """
    if all(thread is threading.current_thread() for thread in threading.enumerate()):
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # whoever read it is gone
            stream.flush()
    os._exit(0)


def _warm_up(engine: "Engine", server: "ServerHandle", *, is_for_mcp: bool) -> None:
    if is_for_mcp:  # an assistant waits for its tools, nobody yet for a message to be understood
        from app.server.mcp import sdk  # noqa: F401
    try:
        engine.warm_up()
        server.warm_up()
    finally:
        settle()  # no acknowledgement waits for a search through libraries and rules
        gc.enable()


def _stop_with_stdin(stop: Stop) -> None:
    """Ends with whoever holds the other end of our stdin, however that one ends: nothing outlives who started it."""
    while os.read(0, 4096):  # not `sys.stdin`: a thread inside its lock would spoil the exit
        pass
    stop.ask()


def _stop_on_signals(stop: Stop) -> None:
    def on_signal(_number: int, _frame: FrameType | None) -> None:
        stop.ask()

    for name in ("SIGTERM", "SIGINT", "SIGHUP"):  # SIGHUP: the terminal was closed, the person logged out
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # under nohup it continues
            signal.signal(number, on_signal)
