"""P8: how soon the map of 10,000 and 50,000 things is there, and what a frame costs while the hand moves and when it rests.

Run `QT_QPA_PLATFORM=offscreen python -m tests.benchmarks.bench_graph [size…] [FOLDER]`; a folder gets the pictures: the map and its largest group as it
opens, in both themes. The store is made up (`made_graph`), the window is the real
canvas at 1400 × 900. "made" is the first map of a store, computed behind in a process of its own; "opened" is what a person waits for
from then on: from the call until the whole picture is painted. Median of the frames, processor and wall. Prints figures, asserts nothing.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.api import Engine, MemoryDraft
from tests.benchmarks.material.made_graph import fill_graph
from ui.screens.graph.canvas import GraphCanvas
from ui.screens.graph.map_canvas import MapCanvas
from ui.theme import DARK, LIGHT, apply_theme, load_fonts

_SIZES = (2_000, 10_000, 50_000)
_FRAMES = 60


def main() -> None:
    QApplication.instance() or QApplication([])
    load_fonts()
    apply_theme(LIGHT)
    print(
        "processor/wall: things | links | made s (a child's time is wall only) | one new s | opened s | a part opened s | pan ms | zoom ms | at rest folded ms | all open ms | near ms"
    )
    folder = next((Path(one) for one in sys.argv[1:] if not one.isdigit()), None)
    for size in [int(one) for one in sys.argv[1:] if one.isdigit()] or _SIZES:
        _measure(size, folder)


def _measure(size: int, pictures: Path | None) -> None:
    with tempfile.TemporaryDirectory(prefix="remanence-bench-") as folder:
        engine = Engine.open(fill_graph(Path(folder), size))
        made_s = _seconds(lambda: engine.graph.make_map())
        engine.memories.create(MemoryDraft("The harbour opens at nine", project_path="/src/atlas"))
        new_s = _seconds(lambda: engine.graph.make_map())
        canvas = MapCanvas()
        canvas.names_wanted.connect(lambda nodes: canvas._names.update(engine.graph.cards(nodes)))
        canvas.resize(1400, 900)
        canvas.show()
        QTest.qWaitForWindowExposed(canvas)

        def open_map() -> None:
            kept = engine.graph.map()
            assert kept is not None
            canvas.set_map(kept)
            canvas.repaint()

        opened_s = _seconds(open_map)
        part = GraphCanvas()
        part.resize(1000, 700)

        def open_part() -> None:
            view = engine.graph.start()
            part.set_view(view, engine.graph.lay_out(view), keeps_sight=False)
            part.grab()

        part_s = _seconds(open_part)
        made = canvas.map
        assert made is not None
        canvas.fold_all(is_open=True)
        canvas.repaint()
        canvas._rest.setInterval(60_000)
        pan = _frames(lambda: canvas.pan(3, 2), canvas)
        zoom = _frames(lambda: canvas.zoom(1.01, QPointF(300, 300)), canvas)
        canvas.fit()
        all_open = _frames(canvas.render_now, canvas, 5)
        canvas.fold_all(is_open=False)
        folded = _frames(canvas.render_now, canvas, 5)
        canvas.enter(made.groups[1])
        canvas.zoom(3)
        near = _frames(canvas.render_now, canvas, 5)
        links = len(made.whole.edges)
        if pictures is not None:
            _draw(canvas, pictures, size)
        engine.close()
    ms = [f"{cpu:.1f}/{wall:.1f}" for cpu, wall in (pan, zoom, folded, all_open, near)]
    print(
        f"{made.count:,} | {links:,} | {made_s} | {new_s} | {opened_s} | {part_s} | {' | '.join(ms)}",
        flush=True,
    )


def _draw(canvas: MapCanvas, folder: Path, size: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    assert canvas.map is not None
    largest = max(canvas.map.groups, key=lambda one: one.count)
    for theme, name in ((LIGHT, "light"), (DARK, "dark")):
        apply_theme(theme)
        canvas.fold_all(is_open=False)
        canvas.choose(None)
        for part, go in (("map", canvas.fit), ("group", lambda: canvas.enter(largest))):
            go()
            canvas.repaint()
            QTest.qWait(300)  # names come behind
            canvas.grab().save(str(folder / f"{size}-{part}-{name}.png"))


def _seconds(act: Callable[[], object]) -> str:
    """Seconds, processor and wall."""
    begun = time.process_time(), time.perf_counter()
    act()
    return f"{time.process_time() - begun[0]:.2f}/{time.perf_counter() - begun[1]:.2f}"


def _frames(act: Callable[[], object], canvas: MapCanvas, count: int = _FRAMES) -> tuple[float, float]:
    """Median milliseconds of a frame: processor, wall."""
    cpu, wall = [], []
    for _ in range(count):
        begun = time.process_time(), time.perf_counter()
        act()
        canvas.repaint()
        cpu.append((time.process_time() - begun[0]) * 1_000)
        wall.append((time.perf_counter() - begun[1]) * 1_000)
    return statistics.median(cpu), statistics.median(wall)


if __name__ == "__main__":
    main()
