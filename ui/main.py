"""Opens the window: log, hooks, one instance, empty window painted; then engine, socket, first reads behind it.

`run` is what the command line calls. Nothing of the store, the web framework or scikit-learn is imported before the
first paint: `app.api` comes with `open_engine`, in the worker.

SIGTERM, SIGINT and SIGHUP end the window cleanly (QUALITY R18): Python hears them while Qt waits.
One window per state folder: the second start hands over what it was asked for, and leaves with 0 (QUALITY R6).

Source: STYLE "Start" and "Stop", STACK-UI section 1.
"""

import argparse
import gc
import hashlib
import logging
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QLockFile, QObject, QSocketNotifier, QTimer, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket
from PySide6.QtWidgets import QApplication

from app.autostart import set_autostart
from app.errors import EnvironmentProblem
from app.log import start_log
from app.places import Places
from app.resources import UNREAD_HINT, unread_names
from ui.bridge import EngineBridge
from ui.crash import CrashReporter
from ui.demo.example import EXAMPLE_MARK, EXAMPLE_OPENING, EXAMPLE_TEXT, EXAMPLE_TITLE
from ui.icons import icon
from ui.notices import Notice, NoticeKind
from ui.screens.memories.listing.look import parse_look
from ui.shell.main_window import MainWindow
from ui.shell.window_state import WindowState, encode_geometry, load_window_state, save_window_state
from ui.startup import OpenEngine, StartServer, Startup
from ui.theme import Theme, ThemeChoice, load_fonts

if TYPE_CHECKING:
    from app.api import Engine


_LOOK_EVERY_MS = 500
_GIVE_BACK_EVERY_MS = 30_000  # it takes 2 ms; rows of a screen that were let go left 15 MB of holes


class CycleCollector(QObject):
    """Searches for cycles, and gives freed memory back to the system. Made and started on the thread of the window."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_EVERY_MS)
        self._timer.timeout.connect(collect_due)
        self._give_back = QTimer(self)
        self._give_back.setInterval(_GIVE_BACK_EVERY_MS)
        self._give_back.timeout.connect(give_back_holes)

    def start(self) -> None:
        gc.disable()
        self._timer.start()
        self._give_back.start()


def give_back_holes() -> None:
    """Freed memory between what is in use goes back to the system too; glibc by itself only gives back the end. Elsewhere nothing."""
    import ctypes  # for this alone, behind the first paint

    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def collect_due() -> int:
    """Searches the oldest generation that is due by Python's own thresholds; returns it, -1 where none is."""
    due = [count > threshold for count, threshold in zip(gc.get_count(), gc.get_threshold(), strict=True)]
    oldest = 2 if all(due) else 1 if all(due[:2]) else 0 if due[0] else -1
    if oldest >= 0:
        gc.collect(oldest)
    return oldest


HANDOVER_MS = 400
HANDOVER_TRIES = 12
MAX_MESSAGE_BYTES = 4_096
_MAX_SOCKET_PATH = 100  # Unix sockets end at 107


def _socket_name(state_dir: Path) -> str:
    name = str(state_dir / "window.sock")
    if len(name.encode()) <= _MAX_SOCKET_PATH:
        return name
    digest = hashlib.sha256(str(state_dir).encode()).hexdigest()[:16]
    return str(Path(tempfile.gettempdir()) / f"remanence-{digest}.sock")


class SingleInstance(QObject):
    """`asked` carries the link that another start was given, "" for "show yourself"."""

    asked = Signal(str)

    def __init__(self, state_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = _socket_name(state_dir)
        self._lock = QLockFile(str(state_dir / "window.lock"))
        self._lock.setStaleLockTime(0)  # only a dead owner makes it stale
        self._server: QLocalServer | None = None

    def claim(self, message: str = "") -> bool:
        """True when this process is the one; False when another took `message` over and this one may leave.

        True also when another holds the lock but never answers: better a second window that says why it
        cannot open the store than none at all.
        """
        for _try in range(HANDOVER_TRIES):
            if self._lock.tryLock(0):
                self._listen()
                return True
            if self._hand_over(message):
                return False
            time.sleep(0.25)
        return True

    def release(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        self._lock.unlock()

    def _hand_over(self, message: str) -> bool:
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(HANDOVER_MS):
            return False
        socket.write(f"show {message}\n".encode()[:MAX_MESSAGE_BYTES])
        is_taken = socket.waitForBytesWritten(HANDOVER_MS) and socket.waitForReadyRead(2_000)
        socket.abort()
        return is_taken

    def _listen(self) -> None:
        QLocalServer.removeServer(self._name)  # we hold the lock: whatever is there is stale
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)
        self._server.listen(self._name)

    def _on_connection(self) -> None:
        if self._server is None:
            return
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            socket.readyRead.connect(self._on_message)
            if socket.bytesAvailable():
                self._read(socket)

    def _on_message(self) -> None:
        socket = self.sender()
        if isinstance(socket, QLocalSocket):
            self._read(socket)

    def _read(self, socket: QLocalSocket) -> None:
        if not socket.canReadLine():
            return
        line = bytes(socket.readLine(MAX_MESSAGE_BYTES).data()).decode("utf-8", "replace").strip()
        if line.startswith("show"):
            socket.write(b"ok\n")
            socket.flush()
            self.asked.emit(line.removeprefix("show").strip())


class StopSignals(QObject):
    """`asked_to_stop` once for each signal."""

    asked_to_stop = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reader, self._writer = socket.socketpair()
        for end in (self._reader, self._writer):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_byte)
        self._old_fd = signal.set_wakeup_fd(self._writer.fileno())
        names = ("SIGINT", "SIGTERM", "SIGHUP")
        self._numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
        self._old = {number: signal.signal(number, _do_nothing) for number in self._numbers}

    def close(self) -> None:
        """Gives the signals back."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._old_fd)
        for number, handler in self._old.items():
            signal.signal(number, handler)
        self._reader.close()
        self._writer.close()

    def _on_byte(self) -> None:
        try:
            received = self._reader.recv(64)
        except BlockingIOError:
            return
        if any(number in received for number in self._numbers):
            self.asked_to_stop.emit()


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    """The wake-up byte does the work; a handler must exist so that the default one does not kill us."""


SWITCH_INTERVAL_S = 0.001  # the window gets its turn five times sooner while workers compute
PAINT_MS = 50  # what a screen needs to be painted for the first time
_log = logging.getLogger("remanence.ui")


def run(
    open_engine: OpenEngine, start_server: StartServer | None, argv: Sequence[str], *, places: Places | None = None
) -> int:
    """The exit status of the window; 0 also when another one took over. `argv` begins with the program's name."""
    options = _parse(argv[1:])
    refusal = refuse_broken_qt(sys.version_info[:2])
    if refusal:
        sys.stderr.write(refusal + "\n")
        return 2
    if options.screenshot_all is not None:
        from ui.pictures.screenshots import take_all

        return take_all(options.screenshot_all, size=options.size, is_replacing=options.force)
    if options.offscreen_smoke:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    places = places or Places.find()
    try:
        places.prepare()
        start_log(places.log_path)
    except EnvironmentProblem as problem:
        _log.warning("%s", problem)  # the recovery page says it again, when the engine meets the same
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    application = make_application()
    instance = SingleInstance(places.state_dir)
    if not instance.claim(options.link):
        return 0
    session = WindowSession(application, places, Startup(places, open_engine, start_server), instance)
    if options.demo:
        session.show_example_notice()
    session.show(options.link, in_tray=options.in_tray)
    if options.offscreen_smoke:
        session.walk_and_leave()
    status = application.exec()
    if not session.close():
        logging.shutdown()
        os._exit(status)  # only the warm-up still computes; all that is to be kept is closed
    gc.freeze()  # the interpreter would search 200,000 objects for cycles on its way out: 0.7 s for nothing
    return status


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="remanence gui", description="The window of Remanence.")
    parser.add_argument("link", nargs="?", default="", help="a remanence:// link to open")
    parser.add_argument("--demo", action="store_true", help="say that what is shown is an example")
    parser.add_argument("--in-tray", action="store_true", help="start in the tray, or minimised where there is none")
    parser.add_argument("--offscreen-smoke", action="store_true", help="start, open every screen, quit")
    parser.add_argument(
        "--screenshot-all", type=Path, metavar="DIR", help="pictures of every screen, both themes, empty and full"
    )
    parser.add_argument("--size", type=parse_size, default=(1280, 800), metavar="WxH", help="size of the pictures")
    parser.add_argument("--force", action="store_true", help="replace pictures that are there already")
    return parser.parse_args(list(argv))


def parse_size(text: str) -> tuple[int, int]:
    """Width and height of a picture. Raises ValueError.

    >>> parse_size("1024x700")
    (1024, 700)
    """
    width, height = (int(part) for part in text.lower().replace("×", "x").split("x"))
    return width, height


def refuse_broken_qt(python: tuple[int, ...], qt_version: str = "") -> str:
    """A sentence when this Qt aborts under this Python, else "".

    >>> refuse_broken_qt((3, 11), "6.11.3")
    ''
    >>> refuse_broken_qt((3, 11), "6.12.0")[:15]
    'PySide6 6.12.0 '
    """
    from PySide6 import __version__

    found = qt_version or __version__
    if python < (3, 12) and found.startswith("6.12."):
        return f"PySide6 {found} aborts under Python {python[0]}.{python[1]}: install PySide6-Essentials below 6.12."
    return ""


def make_application() -> QApplication:
    """The application with name, style and fonts; the running one when there is one."""
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication(["remanence"])
    application.setApplicationName("remanence")
    application.setApplicationDisplayName("Remanence")
    application.setDesktopFileName("remanence")
    application.setStyle("Fusion")
    load_fonts()
    _spare_module_sources()
    return application


def _spare_module_sources() -> None:
    """PySide searches the source of every module imported after it for its own name, to switch `__feature__` there.

    Nobody here uses that; for the engine's 550 modules it takes 0.1 s of the start and keeps all their sources.
    """
    features = sys.modules.get("shibokensupport.feature")
    if hasattr(features, "_mod_uses_pyside"):  # private, so it may go any day
        features._mod_uses_pyside = _uses_no_features  # type: ignore[union-attr]  # noqa: SLF001


def _uses_no_features(_module: object) -> bool:
    return False


class WindowSession(QObject):
    """One life of the window, from the first paint to the last goodbye."""

    painted = Signal()

    def __init__(
        self, application: QApplication, places: Places, startup: Startup, instance: SingleInstance | None
    ) -> None:
        super().__init__()
        self._application = application
        self._places = places
        self._startup = startup
        self._instance = instance
        self._saved = load_window_state(places.state_dir)
        self.theme = Theme(self)
        self.theme.set(
            ThemeChoice(self._saved.theme),
            self._saved.font_percent,
            is_motion_reduced=self._saved.is_motion_reduced,
        )
        self.crashes = CrashReporter(self)
        self.crashes.install()
        self.bridge = EngineBridge(self)
        self.window = MainWindow(self.bridge, self.theme, places=places)
        self.window.selection.memory_look = parse_look(
            is_table=self._saved.memories_table,
            columns=self._saved.memories_columns,
            group=self._saved.memories_group,
        )
        application.setWindowIcon(icon("logo", "accent", 64))
        self.signals = StopSignals(self)
        self._collector = CycleCollector(self)
        self._link = ""
        self._is_painted = False
        self._is_walking = False
        self._is_example = False
        self._connect()

    def _connect(self) -> None:
        startup, window = self._startup, self.window
        window.installEventFilter(self)
        startup.engine_opened.connect(self._on_engine)
        startup.engine_failed.connect(window.show_problem)
        startup.warmed_up.connect(window.prepare_screens)
        startup.warmed_up.connect(self._on_warm)
        startup.warmed_up.connect(self._collector.start)
        startup.engine_failed.connect(self._on_failed)
        window.state_shown.connect(self._on_state_shown)
        window.retry_asked.connect(startup.begin)
        startup.mended.connect(window.show_store_mended)
        window.restore_asked.connect(self._on_restore)
        window.anew_asked.connect(startup.start_empty_store)
        window.as_it_is_asked.connect(startup.accept)
        window.leaving.connect(self._application.quit)
        self.signals.asked_to_stop.connect(self._leave)
        self._application.commitDataRequest.connect(self._on_session_end)
        window.autostart_changed.connect(self._on_autostart)
        self.crashes.crashed.connect(window.show_crash)
        self._application.setQuitOnLastWindowClosed(False)
        if self._instance is not None:
            self._instance.asked.connect(self._on_asked)

    def show(self, link: str = "", *, in_tray: bool = False) -> None:
        """Shows the empty window; the engine is opened after its first paint, or at once where the window stays in the tray."""
        self._link = link or self._saved.link
        self.window.restore_place(self._saved.geometry_bytes)
        self._startup.first_screen = self.window.mark_beginning(self._link)
        if in_tray:
            self._is_painted = True
            self.window.tray.wait_for_tray()
            QTimer.singleShot(0, self._on_painted)
        else:
            self.window.show()

    def show_example_notice(self) -> None:
        """Says in the title and at once that this is an example."""
        self._is_example = True
        self.window.setWindowTitle(EXAMPLE_TITLE)
        self.window.rail.mark_example(EXAMPLE_MARK, EXAMPLE_TEXT)
        self.window.blank.say_opening(EXAMPLE_OPENING)
        self.window.notify(Notice(EXAMPLE_TEXT))

    def close(self) -> bool:
        """Server, bridge, engine, window, in this order. False when a worker is still computing."""
        self._save()
        self._startup.stop_server()
        has_read = self.bridge.detach()
        is_quiet = self._startup.close_engine() and has_read
        self.window.tray.close()
        self.window.hide()
        self.window.deleteLater()
        self.signals.close()
        self.crashes.uninstall()
        if self._instance is not None:
            self._instance.release()
        self._application.sendPostedEvents()  # no timers: one that is due would build the next screen of a window that is gone
        self._application.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        return is_quiet

    def walk_and_leave(self) -> None:
        """Visits every screen once the engine is there, then quits: the smoke test."""
        self._is_walking = True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint and not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self._on_painted)
        return super().eventFilter(watched, event)

    def _on_painted(self) -> None:
        self.window.removeEventFilter(self)
        self.painted.emit()
        self._startup.begin()

    def _on_engine(self, engine: "Engine") -> None:
        self.window.begin_at(self._link)
        self.bridge.attach(engine)
        if self._is_walking:
            self.bridge.ask("smoke", lambda open_engine: open_engine.stats.now(), self._on_first_answer)

    def _on_failed(self, _error: object) -> None:
        self._collector.start()

    def _on_warm(self) -> None:
        if any(self._places.rules_dir.glob("*.yaml")):
            folder = self._places.rules_dir
            self.bridge.ask("rules.unread", lambda _engine: unread_names(folder), self._on_unread)

    def _on_unread(self, said: tuple[str, ...]) -> None:
        """A person's own rule that has no effect: renamed since, or mistyped."""
        if said:
            more = f" {len(said) - 1} more: run remanence doctor." if len(said) > 1 else ""
            self.window.notify(Notice(f"Your rule file {said[0]}{more} {UNREAD_HINT}", NoticeKind.WARN, stays=True))

    def _on_state_shown(self) -> None:
        QTimer.singleShot(PAINT_MS, self._startup.on_first_screen_shown)

    def _on_first_answer(self, _stats: object) -> None:
        for screen in self.window.screens:
            self.window.go(screen.id)
            self._application.processEvents()
        self._leave()

    def _leave(self) -> None:
        """Ends the process: Qt asks the window first, and it would rather hide."""
        self.window.is_quitting = True
        self._application.quit()

    def _on_session_end(self, _manager: object) -> None:
        """The person logs out: nothing is held back for the tray."""
        self.window.is_quitting = True

    def _on_autostart(self, is_on: bool) -> None:
        if self._is_example:
            self.window.notify(Notice("The example does not start with the computer.", NoticeKind.WARN))
            return
        try:
            set_autostart(is_on=is_on)
        except EnvironmentProblem as problem:
            self.window.notify(Notice(f"{problem} {problem.hint}", NoticeKind.DANGER, stays=True))

    def _on_asked(self, link: str) -> None:
        self.window.tray.bring_back()
        if link:
            self.window.open_link(link)

    def _on_restore(self, path: str) -> None:
        self._startup.restore(Path(path))

    def _save(self) -> None:
        self.window.unsaved.write()
        place, look = self.window.navigator.place, self.window.selection.memory_look
        save_window_state(
            self._places.state_dir,
            WindowState(
                theme=self.theme.choice.value,
                font_percent=self.theme.font_percent,
                is_motion_reduced=self.theme.is_motion_reduced,
                geometry=encode_geometry(bytes(self.window.saveGeometry().data())),
                link=place.link if place is not None else self._link,
                memories_table=look.is_table,
                memories_columns=look.written_columns(),
                memories_group=look.group.value if look.group is not None else "",
            ),
        )
