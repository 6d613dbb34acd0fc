"""`--screenshot-all DIR`: every screen, both themes, empty and full, 1280×800, on a real engine in a folder of its own; then scenes: of
Memories the inbox, a search, the editor, several selected and the sheets; of Context what if, a moment of the past, what was left out.

A scene is what to do to a window that shows the invented history, and how to leave it again. For golden images and the README; development
only. Sets the platform to offscreen unless told otherwise.
"""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QBuffer, QEvent, QEventLoop, QIODevice, QTimer
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication

from app.places import Places
from app.values import MemoryGroup
from app.values.admin import Endpoint
from ui.bridge import EngineBridge
from ui.navigation import Place
from ui.shell.main_window import MainWindow
from ui.theme import Theme, ThemeChoice
from ui.widgets.popups.overlay import Overlay

if TYPE_CHECKING:
    from app.api import Engine
    from ui.screens.context.panel import ContextPanel
    from ui.screens.graph.panel import GraphPanel
    from ui.screens.memories.panel import MemoriesPanel

SIZE = (1280, 800)
SETTLE_MS = 350
SETTLE_TIMEOUT_S = 20.0
_THEMES = (ThemeChoice.LIGHT, ThemeChoice.DARK)


def _context(window: "MainWindow") -> "ContextPanel":
    window.navigator.go(Place("context"))
    return cast("ContextPanel", window.current_panel)


def _what_if(window: "MainWindow") -> None:
    panel = _context(window)
    panel.show_live()
    panel.form.budget.setValue(260)
    panel.form.error.setText("psycopg.errors.LockNotAvailable: could not obtain lock on shipments")


def _told(window: "MainWindow") -> None:
    """The context with the smallest budget: the line, and what is below it."""
    panel = _context(window)
    tightest = min(panel.receipts.receipts, key=lambda receipt: receipt.budget_tokens)
    panel.show_receipt(tightest.id)


def _compare(window: "MainWindow") -> None:
    panel = _context(window)
    panel.show_receipt(panel.receipts.receipts[0].id)
    panel.full.show_text("compare")


def _figures(window: "MainWindow") -> None:
    panel = _context(window)
    panel.full.show_side("figures")
    panel.full.show_text("printed")


def _why_not(window: "MainWindow") -> None:
    panel = _context(window)
    tightest = min(panel.receipts.receipts, key=lambda receipt: receipt.budget_tokens)
    panel.show_receipt(tightest.id)
    panel.header.set_query("tokens over")


def leave_context(window: "MainWindow", _shown: object) -> None:
    panel = _context(window)
    panel.header.set_query("")
    panel.show_live()
    panel.full.show_text("reads")


CONTEXT_SCENES = (
    ("context-what-if", _what_if),
    ("context-told", _told),
    ("context-why-not", _why_not),
    ("context-compare", _compare),
    ("context-figures", _figures),
)
Show = Callable[["MainWindow"], object]
Leave = Callable[["MainWindow", object], None]


def _memories(window: "MainWindow") -> "MemoriesPanel":
    window.navigator.go(Place("memories"))
    return cast("MemoriesPanel", window.current_panel)


def _inbox(window: "MainWindow") -> None:
    _memories(window).show_inbox(True)


def _all(window: "MainWindow", _shown: object) -> None:
    panel = _memories(window)
    panel.header.set_query("")
    panel.model.set_marks(())
    panel.show_inbox(False)


def _search(window: "MainWindow") -> None:
    _memories(window).header.set_query("shipments")


def _nothing(window: "MainWindow") -> None:
    _memories(window).header.set_query("kubernets")


def _selected(window: "MainWindow") -> None:
    _memories(window).model.mark_rows(range(3))


def _edit(window: "MainWindow") -> None:
    panel = _memories(window)
    panel.list.view.choose_row(1)
    panel.inspector.edit_text()


def _new(window: "MainWindow") -> object:
    panel = _memories(window)
    panel.open_new("We store shipments in PostgreSQL 16")
    return _sheet(window)


def _peek(window: "MainWindow") -> object:
    panel = _memories(window)
    panel.list.view.choose_row(2)
    panel.peeking.open()
    return _sheet(window)


def _merge(window: "MainWindow") -> object:
    panel = _memories(window)
    panel.model.mark_rows((0, 1))
    window.update_actions()
    panel.run("memory.merge")
    return None


def _tray(window: "MainWindow") -> None:
    panel = _memories(window)
    panel.model.mark_rows((0, 1, 7))
    panel.traying.put()
    panel.traying.show()


def _leave_tray(window: "MainWindow", _shown: object) -> None:
    panel = _memories(window)
    panel.traying.empty()
    _all(window, None)


def _typed(window: "MainWindow") -> None:
    _memories(window).header.set_query("type:decision tier:critical webhook")


def _leave_sheet(window: "MainWindow", _shown: object) -> None:
    _close(window, _sheet(window))
    _all(window, None)


def _table(window: "MainWindow") -> None:
    panel = _memories(window)
    panel.looking.toggle_table()
    panel.list.group_chosen.emit(MemoryGroup.PROJECT)


def _leave_table(window: "MainWindow", _shown: object) -> None:
    panel = _memories(window)
    panel.looking.toggle_table()
    panel.list.group_chosen.emit(None)


def _reading(window: "MainWindow") -> None:
    window.navigator.go(Place("activity", query="reading"))


def _statistics(window: "MainWindow") -> None:
    window.navigator.go(Place("activity", query="statistics"))


def _energy(window: "MainWindow") -> None:
    window.navigator.go(Place("activity", query="energy"))


def _sheet(window: "MainWindow") -> object:
    return next((sheet for sheet in window.findChildren(Overlay) if sheet.is_open), None)


def _close(_window: "MainWindow", shown: object) -> None:
    if isinstance(shown, Overlay):
        shown.close_sheet()


def _map(window: "MainWindow") -> None:
    window.navigator.go(Place("graph", "map"))


def _why(window: "MainWindow") -> None:
    """The answer to a why: the memory in the middle, with what was typed, what it replaced and what it needs."""
    window.navigator.go(Place("graph"))
    panel = cast("GraphPanel", window.current_panel)
    window.bridge.ask(
        "scene.why", lambda engine: engine.graph.find("why PostgreSQL"), lambda found: panel.focus_on(found[0].id)
    )


def _no_map(window: "MainWindow", _shown: object) -> None:
    window.navigator.go(Place("graph"))


SCENES: tuple[tuple[str, Show, Leave], ...] = (
    ("memories-inbox", _inbox, _all),
    ("memories-search", _search, _all),
    ("memories-nothing", _nothing, _all),
    ("memories-selected", _selected, _all),
    ("memories-edit", _edit, _all),
    ("memories-new", _new, _close),
    ("memories-typed", _typed, _all),
    ("memories-tray", _tray, _leave_tray),
    ("memories-peek", _peek, _leave_sheet),
    ("memories-merge", _merge, _leave_sheet),
    ("memories-table", _table, _leave_table),
    ("activity-reading", _reading, _all),
    ("activity-statistics", _statistics, _all),
    ("activity-energy", _energy, _all),
    ("graph-map", _map, _no_map),
    ("graph-why", _why, _no_map),
    *((name, show, leave_context) for name, show in CONTEXT_SCENES),
)


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


def _take_scenes(window: "MainWindow", album: Album, look: str) -> None:
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
