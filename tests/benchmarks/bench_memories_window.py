"""P9 in the window: the Memories screen over a million rows: first cards, jumps, frames while scrolling, a filter, lag.

Run: `QT_QPA_PLATFORM=offscreen python -m tests.benchmarks.bench_memories_window [count] [--pictures DIR]`. The store is filled
below the services, the window is the real one. Prints milliseconds; asserts nothing about time.
"""

import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer

from app.api import Engine, Places, SystemClock
from app.store.store import Store
from tests.benchmarks.bench_capture_engine import machine, quantiles
from tests.benchmarks.bench_lists import fill
from ui.bridge import EngineBridge
from ui.main import make_application
from ui.main_window import MainWindow
from ui.panels import import_screens
from ui.panels.memories import MemoriesPanel
from ui.theme import Theme

TICK_MS = 8


class Lag(QObject):
    """How late the event loop answers a timer."""

    def __init__(self) -> None:
        super().__init__()
        self.late: list[float] = []
        self._last = time.perf_counter()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start(TICK_MS)

    def _tick(self) -> None:
        now = time.perf_counter()
        self.late.append(max(0.0, (now - self._last) * 1000 - TICK_MS))
        self._last = now

    def reset(self) -> None:
        self.late.clear()
        self._last = time.perf_counter()


def until(holds: Callable[[], object], timeout_s: float = 60.0) -> float:
    """Milliseconds until something holds, with the event loop running."""
    begun = time.perf_counter()
    while not holds():
        loop = QEventLoop()
        QTimer.singleShot(1, loop.quit)
        loop.exec()
        if time.perf_counter() - begun > timeout_s:
            raise TimeoutError
    return (time.perf_counter() - begun) * 1000


def wait_for_lists(engine: Engine) -> float:
    """Milliseconds until a large store is read: its facets are empty before."""
    begun = time.perf_counter()
    while not engine.memories.facets()["type"]:
        time.sleep(0.5)
    return (time.perf_counter() - begun) * 1000


def measure(window: MainWindow, engine: Engine) -> None:
    print(f"  lists in memory after                   {wait_for_lists(engine):8.1f} ms")
    lag = Lag()
    begun = time.perf_counter()
    window.go("memories")
    panel = window.current_panel
    assert isinstance(panel, MemoriesPanel)
    until(lambda: panel.model.card_at(0) is not None)
    panel.list.view.viewport().repaint()
    print(f"  first cards painted, panel built now    {(time.perf_counter() - begun) * 1000:8.1f} ms")
    until(lambda: not window.bridge.is_waiting)
    print(f"  everything of the screen after          {(time.perf_counter() - begun) * 1000:8.1f} ms")
    print(f"  window lag while it came                {quantiles(lag.late)}")
    view, model = panel.list.view, panel.model
    chance = random.Random(4)
    lag.reset()
    jumps = []
    for _ in range(30):
        row = chance.randrange(model.rowCount())
        begun = time.perf_counter()
        view.verticalScrollBar().setValue(row * view.rowHeight(0))
        view.viewport().repaint()
        until(lambda: model.card_at(view.rowAt(0)) is not None)
        view.viewport().repaint()
        jumps.append((time.perf_counter() - begun) * 1000)
    print(f"  jump anywhere, until painted            {quantiles(jumps)}")
    frames = []
    for _ in range(120):
        bar = view.verticalScrollBar()
        bar.setValue(bar.value() + 60)
        begun = time.perf_counter()
        view.viewport().repaint()
        frames.append((time.perf_counter() - begun) * 1000)
        until(lambda: True)
    print(f"  a frame while scrolling                 {quantiles(frames)}")
    print(f"  window lag while jumping and scrolling  {quantiles(lag.late)}")
    lag.reset()
    filters = []
    for value in ("fact", "decision", "goal", "entity", "constraint", "preference"):
        begun = time.perf_counter()
        before = panel.list.count.text()
        panel.filters.toggled.emit("type", value)
        until(lambda was=before: panel.list.count.text() != was and model.card_at(0) is not None)  # type: ignore[misc]
        view.viewport().repaint()
        filters.append((time.perf_counter() - begun) * 1000)
        until(lambda: not window.bridge.is_waiting)
    print(f"  a filter clicked, until painted         {quantiles(filters)}")
    print(f"  window lag while filtering              {quantiles(lag.late)}")
    panel.list.filters_cleared.emit()
    until(lambda: not window.bridge.is_waiting)


def take_pictures(window: MainWindow, engine: Engine, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for look in ("light", "dark"):
        engine.settings.set("theme", look)
        until(lambda want=look: window.theme.choice.value == want)  # type: ignore[misc]
        until(lambda: not window.bridge.is_waiting)
        window.notices.clear()
        window.grab().save(str(folder / f"memories-million-{look}.png"))


def main(count: int, pictures: Path | None) -> None:
    print(machine())
    application = make_application()
    with tempfile.TemporaryDirectory() as folder:
        places = Places.under(Path(folder))
        store = Store(places, SystemClock(), owner="command")
        fill(store, count)
        store.close()
        engine = Engine.open(places)
        engine.settings.set("first_start_done", value=True)
        bridge = EngineBridge()
        window = MainWindow(bridge, Theme())
        window.begin_at("")
        window.show()
        bridge.attach(engine)
        until(lambda: window.state is not None)
        until(lambda: not bridge.is_waiting)
        import_screens()  # as the window does behind its first paint
        print(f"\n{engine.memories.count():,} memories in a window of {window.width()}x{window.height()}")
        measure(window, engine)
        if pictures is not None:
            take_pictures(window, engine, pictures)
        bridge.detach()
        window.close()
        engine.close()
        application.processEvents()


if __name__ == "__main__":
    words = sys.argv[1:]
    target = Path(words[words.index("--pictures") + 1]) if "--pictures" in words else None
    numbers = [int(word) for word in words if word.isdigit()]
    main(numbers[0] if numbers else 1_000_000, target)
