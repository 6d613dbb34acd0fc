"""Random clicks, keys, drags, sizes and themes over the real window, from a seed: no crash, no Qt warning, no error nobody caught.

`python -m tests.faults.random_input --seed 7 --minutes 20` opens the window offscreen on the example (store, socket and all) in a
child process, captures a prompt a second beside it, and prints RSS every half minute. It ends with 1 at a crash, at a warning, at an
unexpected error, or when SIGTERM does not end the child within two seconds; each gesture is written down in `--keep`.

The child lives where it can write nothing but its own folder (a mount namespace; where there is none it does not start): a file
dialog of Qt deletes whole folders at Delete and Yes, and random keys find that within minutes. Source: QUALITY R18, issue 20.
"""

import argparse
import errno
import faulthandler
import logging
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import ui  # noqa: F401 (as in the program: first, so that PySide does not keep the source of all that comes after)
from app.api import CaptureRequest, Engine, EventKind, Places
from app.cli.process import give_back_memory, prefer_latency
from app.server import start_server
from ui.main import WindowSession, make_application
from ui.shell.main_window import MainWindow
from ui.startup import Startup

ROOT = Path(__file__).parents[2]
STEP_MS = 15
RSS_EVERY_S = 30.0
MOST_RSS_MB = 400
END_WITHIN_S = 2.0
KEYS = (
    *range(Qt.Key.Key_A, Qt.Key.Key_Z + 1), *range(Qt.Key.Key_0, Qt.Key.Key_9 + 1), Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Return,
    Qt.Key.Key_Escape, Qt.Key.Key_Space, Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left,
    Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_F1, Qt.Key.Key_F2,
    Qt.Key.Key_F6, Qt.Key.Key_Slash, Qt.Key.Key_Question, Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_Comma, Qt.Key.Key_Period,
)  # fmt: skip
MODIFIERS = (
    *[Qt.KeyboardModifier.NoModifier] * 6, *[Qt.KeyboardModifier.ControlModifier] * 3, Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
)  # fmt: skip
MODIFIER_KEYS = {
    Qt.KeyboardModifier.ShiftModifier: Qt.Key.Key_Shift, Qt.KeyboardModifier.ControlModifier: Qt.Key.Key_Control,
    Qt.KeyboardModifier.AltModifier: Qt.Key.Key_Alt,
}  # fmt: skip
WORDS = (
    "invoice",
    "session",
    "is:pinned",
    "type:decision",
    "we never use tabs",
    "ü ß 漢字 🙂",
    "\u202eabc",
    "a" * 300,
    "-",
    '"',
)
LEAVES = frozenset({"file.quit", "help.example"})  # the run would be over, or a second window be there
SHUT_IN = (
    'mount --make-rprivate / && mount --bind "$1" "$1" && mount -o remount,bind,ro / && cd "$1" && shift && exec "$@"'
)
FILL = """
import sys
from pathlib import Path
from app.api import Engine, Places
from ui.demo.history import fill_with_demo
engine = Engine.open(Places.under(Path(sys.argv[1])))
fill_with_demo(engine)
engine.settings.set("first_start_done", value=True)
engine.settings.set("closing", "quit")
engine.close()
"""
NOT_OURS = (
    "This plugin does not",
    " did not read along: ",
)  # the hand chose a model that is not there, and was told so


class Watch(logging.Handler):
    """What was logged at WARNING and above: Qt's messages come as `remanence.qt`."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.heard: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if any(part in text for part in NOT_OURS):
            return
        error = record.exc_info[1] if record.exc_info else None
        told = f"{record.name} {record.levelname}: {text[:300]}" + (f" [{error!r:.300}]" if error else "")
        if told not in self.heard:
            print(f"SAID {told}", flush=True)  # at once: a crash would take it along
        self.heard[told] += 1


class Hand(QObject):
    """One small event a step. Clicks are posted, so that a menu's or a drag's own loop goes on being fed.

    Keys go the way of the window system, because only that asks for shortcuts; while one of them is being handled, no second.
    """

    def __init__(self, window: MainWindow, seed: int, log: TextIO) -> None:
        super().__init__(window)
        self._window = window
        self._chance = random.Random(seed)
        self._waiting: deque[Iterator[None]] = deque()
        self._log = log
        self._is_inside = False
        self.count = 0
        self.by_screen: Counter[str] = Counter()

    def begin(self) -> None:
        QTimer.singleShot(STEP_MS, self, self._step)

    def _step(self) -> None:
        self.begin()  # before anything that may not come back soon
        self.count += 1
        # taken out meanwhile: a key of it may open a menu, whose own loop comes here again and needs another one
        gesture = self._waiting.popleft() if self._waiting else self._gesture()
        try:
            next(gesture)
        except StopIteration:
            return
        except RuntimeError as error:  # the menu or dialog that it was meant for is gone
            if "already deleted" not in str(error):
                raise
            return
        self._waiting.appendleft(gesture)

    def _note(self, text: str) -> None:
        panel = self._window.current_panel
        where = panel.screen_id if panel is not None else "-"
        self.by_screen[where] += 1
        self._log.write(f"{self.count} {rss_mb():.0f} MB {where} {text}\n")

    def _target(self) -> QWindow | None:
        """Where input goes now: a menu or combo that is open, a dialog, else the window."""
        top = QApplication.activePopupWidget() or QApplication.activeModalWidget() or self._window
        others = [one for one in QApplication.topLevelWidgets() if one.isVisible() and one.windowHandle() is not None]
        if top is self._window and others and self._chance.random() < 0.3:
            top = self._chance.choice(others)
        return top.windowHandle()

    def _place(self, target: QWindow) -> QPointF:
        """Anywhere; as often on something that can be pressed, or the small things would hardly ever be hit."""
        anywhere = QPoint(
            self._chance.randrange(max(1, target.width())), self._chance.randrange(max(1, target.height()))
        )
        if target is self._window.windowHandle() and self._chance.random() < 0.5:
            for _ in range(8):
                widget = self._window.childAt(anywhere)
                if widget is not None and widget.focusPolicy() & Qt.FocusPolicy.ClickFocus:
                    break
                anywhere = QPoint(
                    self._chance.randrange(max(1, target.width())), self._chance.randrange(max(1, target.height()))
                )
        return QPointF(anywhere)

    def _gesture(self) -> Iterator[None]:
        kinds = [
            self._click,
            self._key,
            self._type,
            self._drag,
            self._wheel,
            self._act,
            self._resize,
            self._right_click,
        ]
        return self._chance.choices(kinds, [30, 25, 5, 8, 6, 12, 2, 6])[0]()

    def _post(
        self, target: QWindow, kind: QEvent.Type, at: QPointF, button: Qt.MouseButton, held: Qt.MouseButton,
        modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    ) -> None:  # fmt: skip
        event = QMouseEvent(kind, at, QPointF(target.mapToGlobal(at.toPoint())), button, held, modifier)
        QCoreApplication.postEvent(target, event)

    def _click(self, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> Iterator[None]:
        target = self._target()
        if target is None:
            return
        at, modifier = self._place(target), self._chance.choice(MODIFIERS)
        self._note(f"{button.name} {at.toTuple()} {modifier.name} on {target.objectName()}")
        none = Qt.MouseButton.NoButton
        self._post(target, QEvent.Type.MouseMove, at, none, none)
        yield
        for number in range(2 if self._chance.random() < 0.15 else 1):
            kind = QEvent.Type.MouseButtonDblClick if number else QEvent.Type.MouseButtonPress
            self._post(target, kind, at, button, button, modifier)
            yield
            self._post(target, QEvent.Type.MouseButtonRelease, at, button, none, modifier)
            yield

    def _right_click(self) -> Iterator[None]:
        return self._click(Qt.MouseButton.RightButton)

    def _drag(self) -> Iterator[None]:
        target = self._target()
        if target is None:
            return
        left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
        start, end = self._place(target), self._place(target)
        self._note(f"drag {start.toTuple()} {end.toTuple()}")
        self._post(target, QEvent.Type.MouseButtonPress, start, left, left)
        yield
        for part in range(1, 9):
            self._post(target, QEvent.Type.MouseMove, start + (end - start) * (part / 8), none, left)
            yield
        if self._chance.random() < 0.1:
            QCoreApplication.postEvent(
                target, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
            )
            yield
        self._post(target, QEvent.Type.MouseButtonRelease, end, left, none)
        yield

    def _wheel(self) -> Iterator[None]:
        target = self._target()
        if target is None:
            return
        at = self._place(target)
        modifier = self._chance.choice(MODIFIERS)
        for _ in range(self._chance.randrange(1, 12)):
            turn = QPoint(0, self._chance.choice((-120, 120, 240, -480)))
            where = QPointF(target.mapToGlobal(at.toPoint()))
            event = QWheelEvent(
                at, where, QPoint(), turn, Qt.MouseButton.NoButton, modifier, Qt.ScrollPhase.NoScrollPhase, False
            )
            QCoreApplication.postEvent(target, event)
            yield

    def _press(self, key: int, modifier: Qt.KeyboardModifier) -> None:
        target = self._target()
        if target is None or (key == Qt.Key.Key_Q and modifier & Qt.KeyboardModifier.ControlModifier):
            return
        # a menu closes when Alt is pressed, and QTest goes on with its window: a crash that is not ours
        is_closing_menu = modifier & Qt.KeyboardModifier.AltModifier and QApplication.activePopupWidget() is not None
        if self._is_inside or is_closing_menu:
            QCoreApplication.postEvent(target, QKeyEvent(QEvent.Type.KeyPress, key, modifier))
            QCoreApplication.postEvent(target, QKeyEvent(QEvent.Type.KeyRelease, key, modifier))
            return
        # QTest sends Ctrl and its like before a press and after a release, to a window that the key itself may have closed: one by one
        held = [one for kind, one in MODIFIER_KEYS.items() if modifier & kind]
        self._is_inside = True
        try:
            for one in held:
                self._send(QTest.keyPress, target, one)
            self._send(QTest.keyPress, target, Qt.Key(key), modifier)
            self._send(QTest.keyRelease, target, Qt.Key(key))
            for one in reversed(held):
                self._send(QTest.keyRelease, target, one)
        finally:
            self._is_inside = False

    def _send(
        self,
        send: Callable[..., None],
        target: QWindow,
        key: Qt.Key,
        modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    ) -> None:
        if shiboken6.isValid(target):  # not a dialog that a key before has closed
            send(target, key, modifier)

    def _key(self) -> Iterator[None]:
        key, modifier = self._chance.choice(KEYS), self._chance.choice(MODIFIERS)
        self._note(f"key {Qt.Key(key).name} {modifier.name}")
        for _ in range(self._chance.choice((1, 1, 1, 2, 6))):
            self._press(key, modifier)
            yield

    def _type(self) -> Iterator[None]:
        text = self._chance.choice(WORDS)
        self._note(f"type {text[:20]!r}")
        for sign in text[:40]:
            target = self._target()
            if target is not None:
                QCoreApplication.postEvent(
                    target, QKeyEvent(QEvent.Type.KeyPress, 0, Qt.KeyboardModifier.NoModifier, sign)
                )
        yield

    def _act(self) -> Iterator[None]:
        table = self._window.actions_table
        from ui.actions.table import ACTIONS

        possible = [one.id for one in ACTIONS if table.action(one.id).isEnabled() and one.id not in LEAVES]
        if not possible or self._is_inside:
            return
        chosen = self._chance.choice(possible)
        if self._chance.random() < 0.4:
            screen = self._chance.choice(self._window.screens)
            self._note(f"go {screen.id}")
            self._window.go(screen.id)
        else:
            self._note(f"act {chosen}")
            table.action(chosen).trigger()
        yield

    def _resize(self) -> Iterator[None]:
        if self._chance.random() < 0.3:
            self._window.commands.set_theme(self._chance.choice(("light", "dark", "system")))
            self._note("theme")
        else:
            width, height = self._chance.randrange(900, 1_921), self._chance.randrange(600, 1_081)
            self._note(f"resize {width} {height}")
            self._window.resize(width, height)
        yield


def rss_mb(name: str = "Rss") -> float:
    """Of this process, megabytes; "Anonymous" leaves out the libraries' files."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(f"{name}:")) * 1024 / 1_000_000


def is_shut_in(folder: Path) -> bool:
    """Whether nothing beside `folder` can be written to."""
    for outside in (ROOT, Path("/tmp"), Path("/"), folder.parent):
        try:
            (outside / f"not-shut-in-{os.getpid()}").touch()
        except OSError as error:
            if error.errno != errno.EROFS:
                return False
        else:
            return False
    return True


def live(home: Path, seed: int, minutes: float, log: TextIO) -> int:
    """The child: 0 when nothing was said while it lived."""
    if not is_shut_in(home.parent):
        print("not shut in: this would let random keys write anywhere")
        return 2
    faulthandler.enable()
    prefer_latency()
    give_back_memory()
    places = Places.under(home)
    subprocess.run(
        [sys.executable, "-c", FILL, str(home)], cwd=ROOT, check=True
    )  # another process: its memory is not the window's
    watch = Watch()
    logging.getLogger().addHandler(watch)
    logging.getLogger("remanence").addHandler(watch)
    application = make_application()
    opened: list[Engine] = []

    def open_engine() -> Engine:
        opened.append(Engine.open(places, owner="window", is_whole=False))
        return opened[0]

    session = WindowSession(
        application, places, Startup(places, open_engine, lambda engine: start_server(engine, port=0)), None
    )
    window = session.window
    window.commands.open_example = lambda: None  # type: ignore[method-assign]
    window.leaving.disconnect(application.quit)  # a closed window is opened again: the process is what is watched
    hand = Hand(window, seed, log)
    is_over = threading.Event()
    keeper = QTimer(window)
    keeper.setInterval(1_000)
    began_s, told_s = time.monotonic(), [0.0]

    def keep() -> None:
        if not window.isVisible() or window.isMinimized():
            window.is_quitting = False
            window.showNormal()
        if not window.isActiveWindow() and QApplication.activeModalWidget() is None:
            window.activateWindow()
        passed_s = time.monotonic() - began_s
        if passed_s - told_s[0] >= RSS_EVERY_S:
            told_s[0] = passed_s
            heard = sum(watch.heard.values())
            widgets = len(QApplication.allWidgets())
            sizes = f"RSS {rss_mb():4.0f} MB, of it anonymous {rss_mb('Anonymous'):4.0f}"
            print(
                f"{passed_s / 60:5.1f} min  {sizes}  {hand.count:6} steps  {widgets} widgets  {heard} said", flush=True
            )
        if passed_s > minutes * 60 and not is_over.is_set():
            is_over.set()
            print("over", flush=True)

    def speak() -> None:
        number = 0
        while not is_over.wait(1.0):
            if opened:
                number += 1
                request = CaptureRequest(
                    app="claude-code", kind=EventKind.PROMPT, key=f"r{number}", session=f"r{number // 7}",
                    text=f"Make report {number} faster, we always cache {number % 50} rows", cwd="/home/demo/src/orchard",
                )  # fmt: skip
                opened[0].events.capture((request,), wait_s=0)

    def begin() -> None:
        hand.begin()
        threading.Thread(target=speak, name="speaks", daemon=True).start()

    session._startup.warmed_up.connect(
        begin
    )  # before it nothing is collected, and at its end all there is stays for good
    keeper.timeout.connect(keep)
    keeper.start()
    session.show()
    application.exec()
    is_over.set()
    session.close()
    print(f"steps by screen: {dict(hand.by_screen.most_common())}", flush=True)
    for text, count in watch.heard.most_common():
        print(f"SAID {count} x {text}", flush=True)
    sys.stdout.flush()
    os._exit(1 if watch.heard else 0)


def watch_child(seed: int, minutes: float, keep: Path) -> int:
    """The exit status of the run: 0 crash, warning, error and late end each are none."""
    keep.mkdir(parents=True, exist_ok=True)
    with (
        (keep / f"gestures-{seed}.log").open("w") as log,
        tempfile.TemporaryDirectory(prefix="remanence-random-", ignore_cleanup_errors=True) as folder,
    ):
        environment = {
            name: text
            for name, text in os.environ.items()
            if not name.startswith(("REMANENCE_", "CLAUDE_", "CODEX_", "XDG_"))
        }
        environment |= {
            "HOME": folder, "QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": "1", "PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin",
            "REMANENCE_IS_JUDGE_ASKED": "true", "REMANENCE_HOME": f"{folder}/remanence", "TMPDIR": folder, "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip
        most_mb, ended_s = 0.0, -1.0
        command = [
            "unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-c", SHUT_IN, "sh", folder, sys.executable,
            "-m", "tests.faults.random_input", "--child", f"{folder}/remanence", "--seed", str(seed), "--minutes", str(minutes),
            "--log", str(log.fileno()),
        ]  # fmt: skip
        with subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            pass_fds=(log.fileno(),),
        ) as child:  # fmt: skip
            assert child.stdout is not None
            for line in child.stdout:
                print(line, end="", flush=True)
                if " RSS " in line:
                    most_mb = max(most_mb, float(line.split("RSS")[1].split()[0]))
                if line == "over\n":
                    began_s = time.monotonic()
                    child.send_signal(signal.SIGTERM)
                    threading.Timer(60, child.kill).start()
            status = child.wait()
            if "began_s" in locals():
                ended_s = time.monotonic() - began_s
    print(
        f"seed {seed}, {minutes:g} min: status {status}, most RSS {most_mb:.0f} MB, SIGTERM to end {ended_s:.2f} s",
        flush=True,
    )
    return int(status != 0 or most_mb > MOST_RSS_MB or not 0 <= ended_s <= END_WITHIN_S)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "remanence-random-input")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--log", type=int, default=1, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        with os.fdopen(options.log, "w", buffering=1) as log:
            return live(options.child, options.seed, options.minutes, log)
    return watch_child(options.seed, options.minutes, options.keep)


if __name__ == "__main__":
    sys.exit(main())
