"""Opens the engine and then the capture socket behind the painted window, and closes both in the right order.

One worker thread does it all: engine, socket, the modules of the first screen, then what can come later: the window's first
reads, its other screens, warming up. Answers come as signals. Source: STYLE "Start", "Stop"; QUALITY P5.
"""

import gc
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from app.errors import EnvironmentProblem, RemanenceError
from app.places import Places
from ui.screens.registry import import_screen, import_screens

if TYPE_CHECKING:
    from app.api import Engine

STOP_WAIT_S = 1.5
FIRST_SCREEN_WAIT_S = 3.0  # then the rest is loaded anyway; what that screen shows is read in about a second
LEAVE_WAIT_S = 1.2  # the longest step of a warm-up on a slow day; the process leaves without it after that
_log = logging.getLogger("remanence.ui")


class RunningServer(Protocol):
    """What `start_server` gives back."""

    def warm_up(self) -> None: ...
    def stop(self) -> None: ...


OpenEngine = Callable[[], "Engine"]
StartServer = Callable[["Engine"], RunningServer]


class Startup(QObject):
    """`engine_opened` carries the Engine, `engine_failed` the error. The socket answers, or has failed, before `engine_opened`."""

    engine_opened = Signal(object)
    engine_failed = Signal(object)
    mended = Signal(str)  # what a way out of the recovery page did, in words; before `engine_opened`
    warmed_up = Signal()  # everything is imported and loaded

    def __init__(
        self, places: Places, open_engine: OpenEngine, start_server: StartServer | None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._places = places
        self._open_engine = open_engine
        self._start_server = start_server
        self.first_screen = ""  # read by the worker before the window builds it
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="ui-startup")
        self._steps: list[Future[None]] = []
        self._engine: Engine | None = None
        self._server: RunningServer | None = None
        self._is_stopping = False
        self._is_starting_server = False
        self._has_first_screen = threading.Event()

    def begin(self) -> None:
        """Opens the engine and the socket in the worker; may be called again after a failure."""
        self._steps.append(self._worker.submit(self._open))

    def restore(self, backup: Path) -> None:
        """Puts a backup in the store's place and opens it, in the worker. Only while no engine is open."""
        self._steps.append(self._worker.submit(self._mend, lambda: self._restore(backup)))

    def start_empty_store(self) -> None:
        """Begins with an empty store, in the worker. Only while no engine is open."""
        self._steps.append(self._worker.submit(self._mend, self._start_empty_store))

    def accept(self) -> None:
        """Continues with the store that is there, in the worker. Only while no engine is open."""
        self._steps.append(self._worker.submit(self._mend, self._accept))

    def stop_server(self) -> None:
        """Waits for what is being opened, then stops the socket."""
        self._is_stopping = True
        self._has_first_screen.set()  # a warm-up that has not begun yet is not waited for
        if self._engine is not None:
            self._engine.leave()
        started = time.monotonic()
        while (self._engine is None or self._is_starting_server) and time.monotonic() - started < STOP_WAIT_S:
            if all(step.done() for step in self._steps):
                break
            time.sleep(0.01)
        if self._server is not None:
            self._server.stop()
            self._server = None

    def close_engine(self) -> bool:
        """Closes the engine; False when the worker still warms up and the process should leave without it."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None
        self._worker.shutdown(wait=False, cancel_futures=True)
        _done, waiting = wait(self._steps, timeout=LEAVE_WAIT_S)
        return not waiting

    def _open(self) -> None:
        gc.disable()  # a full collection over freshly imported libraries stops the window for 150 ms (measured)
        try:
            engine = self._open_engine()
        except Exception as error:  # noqa: BLE001 (whatever it is, the person must see a page and not an empty window)
            if not isinstance(error, RemanenceError):
                _log.exception("the engine did not open")
            self.engine_failed.emit(error)
            return
        if self._is_stopping:  # the person left while it was opening
            engine.close()
            return
        self._engine = engine
        self._serve(engine)
        import_screen(self.first_screen)
        self.engine_opened.emit(engine)
        self._warm_up(engine)

    def _mend(self, way: Callable[[], str]) -> None:
        try:
            said = way()
        except RemanenceError as error:
            self.engine_failed.emit(error)
            return
        self.mended.emit(said)
        self._open()

    def _restore(self, backup: Path) -> str:
        from app.api.doctor import restore_closed_store

        kept = restore_closed_store(self._places, backup)
        return f"Restored from {backup.name}.{_kept_as(kept)}"

    def _start_empty_store(self) -> str:
        from app.api.doctor import start_empty_store

        return f"The store is empty now.{_kept_as(start_empty_store(self._places))}"

    def _accept(self) -> str:
        from app.api.doctor import accept_store

        accept_store(self._places)
        return "The store is used as it is."

    def _serve(self, engine: "Engine") -> None:
        """Before the window reads anything: assistants wait for their answer, a person for the next frame only."""
        self._is_starting_server = True
        try:
            if self._start_server is not None and not self._is_stopping:
                self._server = self._start_server(engine)
        except EnvironmentProblem as problem:
            from app.values.admin import Endpoint

            engine.listens_at(Endpoint(error=f"{problem} {problem.hint}".strip()))
        except Exception:  # noqa: BLE001 (the window works without its socket, and says that nothing listens)
            _log.exception("the socket did not start")
        finally:
            self._is_starting_server = False

    def on_first_screen_shown(self) -> None:
        """From now on the rest may be loaded: it would hold up the building of the screen, and with it the window."""
        self._has_first_screen.set()

    def _warm_up(self, engine: "Engine") -> None:
        self._has_first_screen.wait(FIRST_SCREEN_WAIT_S)
        for step in (import_screens, engine.warm_up, self._warm_up_server):
            if self._is_stopping:
                break
            step()
        else:
            self.warmed_up.emit()
        gc.freeze()  # what is there now stays; later searches need not look at it

    def _warm_up_server(self) -> None:
        if self._server is not None:
            self._server.warm_up()


def _kept_as(kept: Path | None) -> str:
    return f" What was there before is kept as {kept.name}." if kept is not None else ""
