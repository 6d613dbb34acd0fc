"""P9 in the window: the Memories screen over a million rows: first cards, jumps, frames while scrolling, filters, typing, lag.

Run: `QT_QPA_PLATFORM=offscreen python -m tests.benchmarks.bench_memories_window [count] [--pictures DIR] [--home DIR]`. The store
is filled below the flows and indexed before anything is measured; `--home` keeps it for the next run. The window is the real
one, arranged as `remanence` arranges it, keys are pressed in it. Prints milliseconds of the clock and of CPU; asserts nothing about time.
"""

import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.api import Engine, Places, SystemClock
from app.cli.process import prefer_latency
from app.store.store import Store
from app.values import MemoryFilter, MemoryStatus
from tests.benchmarks.bench_capture import machine
from tests.benchmarks.bench_capture import tell_quantiles as quantiles
from tests.benchmarks.bench_lists import fill
from tests.benchmarks.material.stolen import tell_stolen_at_exit
from ui.bridge import EngineBridge
from ui.main import make_application
from ui.screens.memories.panel import MemoriesPanel
from ui.screens.registry import import_screens
from ui.shell.main_window import MainWindow
from ui.theme import Theme

TICK_MS = 8
LOOK_MS = 2
REST_S = 0.2
LETTER_S = 0.1
WORDS = ("redis cache", "deploy to staging", "checkout port", "parse the invoice", "zz")  # typed letter by letter


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
    """Milliseconds until something holds, looked at after every round of the event loop."""
    begun = time.perf_counter()
    waker = QTimer()
    waker.start(LOOK_MS)
    while not holds():
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        if time.perf_counter() - begun > timeout_s:
            raise TimeoutError
    waker.stop()
    return (time.perf_counter() - begun) * 1000


def rest(window: MainWindow) -> None:
    """Lets everything come that is still on its way, also what is asked for a little later."""
    for _ in range(2):
        begun = time.perf_counter()
        until(lambda at=begun: time.perf_counter() - at > REST_S)  # type: ignore[misc]
        until(lambda: not window.bridge.is_waiting)


def wait_for_lists(engine: Engine) -> float:
    """Milliseconds until a large store is read: its facets are empty before."""
    begun = time.perf_counter()
    while not engine.memories.facets()["type"]:
        time.sleep(0.5)
    return (time.perf_counter() - begun) * 1000


def wait_for_index(engine: Engine) -> float:
    """Milliseconds until everything that was filled in can be found: a start on a known store waits for nothing."""
    begun = time.perf_counter()
    everything = engine.memories.count(MemoryFilter(statuses=tuple(MemoryStatus)))
    while (status := engine.search.status()).document_count < everything or status.is_rebuilding:
        time.sleep(1.0)
    return (time.perf_counter() - begun) * 1000


def measure(window: MainWindow, engine: Engine) -> None:
    print(f"  index written after                     {wait_for_index(engine):8.1f} ms")
    print(f"  lists in memory after                   {wait_for_lists(engine):8.1f} ms")
    lag = Lag()
    window.prepare_screens()
    until(lambda: window.preparing.is_done)
    rest(window)
    print(f"  window lag while screens are built      {quantiles(lag.late)}")
    lag.reset()
    panel = open_screen(window)
    print(f"  window lag while it came                {quantiles(lag.late)}")
    rest(window)
    lag.reset()
    jump(panel)
    print(f"  window lag while jumping and scrolling  {quantiles(lag.late)}")
    rest(window)
    lag.reset()
    choose_filters(window, panel)
    print(f"  window lag while filtering              {quantiles(lag.late)}")
    lag.reset()
    type_words(window, panel)
    print(f"  window lag while typing                 {quantiles(lag.late)}")


@dataclass(slots=True)
class Spent:
    """Milliseconds from acts until their lists were painted: of the clock, of the window's thread, of all other threads."""

    wall: list[float] = field(default_factory=list)
    window: list[float] = field(default_factory=list)
    others: list[float] = field(default_factory=list)

    @contextmanager
    def one(self) -> Iterator[None]:
        wall, own, everything = time.perf_counter(), time.thread_time(), time.process_time()
        yield
        own = time.thread_time() - own
        self.others.append((time.process_time() - everything - own) * 1000)
        self.window.append(own * 1000)
        self.wall.append((time.perf_counter() - wall) * 1000)

    def tell(self, what: str) -> None:
        for name, took in ((what, self.wall), ("  CPU of the window", self.window), ("  CPU beside it", self.others)):
            print(f"  {name:<40}{quantiles(took)}")


def open_screen(window: MainWindow) -> MemoriesPanel:
    first = Spent()
    begun = time.perf_counter()
    with first.one():
        window.go("memories")
        panel = window.current_panel
        assert isinstance(panel, MemoriesPanel)
        until(lambda: panel.model.card_at(0) is not None)
        panel.list.view.viewport().repaint()
    first.tell("first cards painted")
    until(lambda: not window.bridge.is_waiting)
    print(f"  everything of the screen after          {(time.perf_counter() - begun) * 1000:8.1f} ms")
    again = Spent()
    for _ in range(12):
        window.go("now")
        rest(window)
        with again.one():
            before = panel.asking.reading
            window.go("memories")
            until(lambda read=before: panel.asking.reading is not read or panel.model.card_at(0) is not None)  # type: ignore[misc]
            panel.list.view.viewport().repaint()
        rest(window)
    again.tell("first cards, come back to the screen")
    return panel


def jump(panel: MemoriesPanel) -> None:
    view, model = panel.list.view, panel.model
    chance = random.Random(4)
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


def paint(panel: MemoriesPanel, act: Callable[[], object], spent: Spent) -> None:
    """Notes what went by from an act until its list is painted."""
    with spent.one():
        before = panel.asking.reading
        act()
        until(lambda: panel.asking.reading is not before)
        panel.list.view.viewport().repaint()


def choose_filters(window: MainWindow, panel: MemoriesPanel) -> None:
    """One value after the other, with time for the counts; then the same at once behind each other."""
    values = ("fact", "decision", "goal", "entity", "constraint", "preference")
    slow, quick = Spent(), Spent()
    for value in values:
        paint(panel, partial(panel.filters.toggled.emit, "type", value), slow)
        rest(window)
    for value in values:
        paint(panel, partial(panel.filters.toggled.emit, "type", value), quick)
        paint(panel, partial(panel.filters.toggled.emit, "tag", "api"), quick)
    slow.tell("a filter clicked, until painted")
    quick.tell("filters clicked behind each other")
    panel.list.filters_cleared.emit()
    rest(window)


def type_words(window: MainWindow, panel: MemoriesPanel) -> None:
    """Keys pressed in the search field, a tenth of a second between them."""
    search = panel.header.search
    assert search is not None
    search.setFocus()
    typed, cleared = Spent(), Spent()
    for words in WORDS:
        for letter in words:
            paint(panel, partial(QTest.keyClicks, search, letter), typed)
            begun = time.perf_counter()
            until(lambda at=begun: time.perf_counter() - at > LETTER_S)  # type: ignore[misc]
        rest(window)
        paint(panel, search.clear, cleared)
        rest(window)
    typed.tell("a key pressed, until painted")
    cleared.tell("the words cleared, until painted")


def take_pictures(window: MainWindow, engine: Engine, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for look in ("light", "dark"):
        engine.settings.set("theme", look)
        until(lambda want=look: window.theme.choice.value == want)  # type: ignore[misc]
        until(lambda: not window.bridge.is_waiting)
        window.notices.clear()
        window.grab().save(str(folder / f"memories-million-{look}.png"))


def main(count: int, pictures: Path | None, home: Path | None) -> None:
    print(machine())
    prefer_latency()  # as the window does
    application = make_application()
    with tempfile.TemporaryDirectory() as folder:
        places = Places.under(home or Path(folder))
        if not places.store_path.exists():
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


def after(words: list[str], name: str) -> Path | None:
    return Path(words[words.index(name) + 1]) if name in words else None


if __name__ == "__main__":
    tell_stolen_at_exit()
    said = sys.argv[1:]
    numbers = [int(word) for word in said if word.isdigit()]
    main(numbers[0] if numbers else 1_000_000, after(said, "--pictures"), after(said, "--home"))
