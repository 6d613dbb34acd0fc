"""`--screenshot-all DIR`: every screen, both themes, empty and full, 1280×800, on a real engine in a folder of its own.

For golden images and the README. Sets the platform to offscreen unless told otherwise.
"""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QEvent, QEventLoop, QIODevice, QTimer
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication

from app.places import Places
from app.values.admin import Endpoint
from ui.bridge import EngineBridge
from ui.pictures.scenes import SCENES
from ui.shell.main_window import MainWindow
from ui.theme import Theme, ThemeChoice

if TYPE_CHECKING:
    from app.api import Engine

SIZE = (1280, 800)
SETTLE_MS = 350
SETTLE_TIMEOUT_S = 20.0
_THEMES = (ThemeChoice.LIGHT, ThemeChoice.DARK)


def take_all(folder: Path, *, size: tuple[int, int] = SIZE, is_replacing: bool = False) -> int:
    """0 when all pictures were written to `folder`; unless `is_replacing`, none over one that is there."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from app.api import Engine
    from ui.demo.history import demo_clock, open_with_demo
    from ui.main import make_application

    application = make_application()
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("empty", "full"):
        with tempfile.TemporaryDirectory() as home:
            os.environ["HOME"] = home  # no assistant of this machine is in a picture
            engine = Engine.open(Places.under(Path(home) / "remanence"), clock=demo_clock() if name == "full" else None)
            try:
                if name == "full":
                    open_with_demo(engine, home=Path(home))
                _take(application, engine, Album(folder, is_replacing=is_replacing), name, size)
            finally:
                engine.close()
    return 0


class Album:
    """The folder that the pictures go into."""

    def __init__(self, folder: Path, *, is_replacing: bool) -> None:
        self._folder = folder
        self._is_replacing = is_replacing

    def keep(self, picture: QPixmap, name: str) -> None:
        """Raises InvalidError where a file is there already, or where none of ours may be."""
        from app.api import write_export

        data = QBuffer()
        data.open(QIODevice.OpenModeFlag.WriteOnly)
        picture.save(data, "PNG")
        path = self._folder / f"{name}.png"
        write_export(Places.find(), path, [bytes(data.data().data())], is_replacing=self._is_replacing)


def _take(application: QApplication, engine: "Engine", album: Album, name: str, size: tuple[int, int]) -> None:
    theme = Theme()
    bridge = EngineBridge()
    window = MainWindow(bridge, theme)
    window.resize(*size)
    engine.settings.set("first_start_done", value=True)
    engine.listens_at(Endpoint(port=8765))
    bridge.attach(engine)
    window.begin_at("")
    window.show()
    window.rail.focus_current()
    for choice in _THEMES:
        engine.settings.set("theme", choice.value)
        _settle(lambda wanted=choice: theme.choice is wanted)  # type: ignore[misc]  # mypy cannot type the default
        for screen in window.screens:
            window.go(screen.id)
            _settle(lambda: not bridge.is_waiting)
            _settle(lambda: window.current_panel is None or not window.current_panel.is_filling)
            window.notices.clear()
            album.keep(window.grab(), f"{screen.id}-{name}-{choice.value}")
        if name == "full":
            _take_scenes(window, album, choice.value)
    bridge.detach()
    window.close()
    window.deleteLater()
    application.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _take_scenes(window: MainWindow, album: Album, look: str) -> None:
    """States of screens that one does not see by only going there."""
    for name, show, leave in SCENES:
        sheet = show(window)
        _settle(lambda: not window.bridge.is_waiting)
        _settle(lambda: window.current_panel is None or not window.current_panel.is_filling)
        window.notices.clear()
        album.keep(window.grab(), f"{name}-{look}")
        leave(window, sheet)
        _settle(lambda: not window.bridge.is_waiting)


def _settle(until: Callable[[], bool] | None = None) -> None:
    """Runs the event loop until `until` holds, then a little longer, so that reads have come back."""
    end = time.monotonic() + SETTLE_TIMEOUT_S
    while until is not None and not until() and time.monotonic() < end:
        _run_for(20)
    _run_for(SETTLE_MS)


def _run_for(duration_ms: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(duration_ms, loop.quit)
    loop.exec()
