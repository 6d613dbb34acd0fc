"""P5 and P7: how soon the window is painted and the socket answers, how long the window freezes while importing and re-indexing.

Run `python -m tests.benchmarks.bench_window` (a display or QT_QPA_PLATFORM=offscreen). Each start is a process of its own; the
lag is measured inside the real window by a timer that wants to run every 8 ms. Prints figures, asserts nothing.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

STARTS = 7
SESSIONS, PROMPTS = 60, 20
MEMORIES = 50_000


def measure_start(home: Path) -> None:
    """In the child: seconds from the process' start to paint and socket, by wall and processor; by the command line, as a person does."""
    import importlib

    os.environ["REMANENCE_HOME"] = str(home)
    begun = float(os.environ["REMANENCE_BENCH_BEGUN"])  # the parent's clock when it started this process
    figures: dict[str, float] = {}
    find = importlib.import_module

    def note(what: str) -> None:
        figures.setdefault(f"{what}_s", time.time() - begun)
        figures.setdefault(f"{what}_cpu_s", time.process_time())

    def found(name: str, package: str | None = None) -> object:
        module = find(name, package)
        if name == "ui.main":
            watch_start(module, note, figures)
        return module

    importlib.import_module = found  # type: ignore[assignment]
    from app.cli.main import run

    run([])


def watch_start(module: object, note: Callable[[str], None], figures: dict[str, float]) -> None:
    """Notes when the window of the module `ui.main` is painted and its socket answers, then leaves."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    session_class = module.WindowSession  # type: ignore[attr-defined]
    show = session_class.show
    timer = QTimer()

    def begin(session: Any, link: str = "", **options: Any) -> None:
        def look() -> None:
            if "warm_s" in figures:  # the window was painted and the socket answered before
                QApplication.quit()

        serve = session._startup._serve

        def served(engine: object) -> None:
            serve(engine)
            note("socket")

        session._startup._serve = served
        session.painted.connect(lambda: note("painted"))
        session._startup.warmed_up.connect(lambda: note("warm"))
        timer.timeout.connect(look)
        timer.start(20)
        show(session, link, **options)

    def end(_session: object) -> None:
        print(json.dumps(figures), flush=True)
        os._exit(0)

    session_class.show, session_class.close = begin, end


def measure_lag(home: Path, transcripts: Path) -> None:
    """In the child: the event loop's lateness while starting, while a history is imported and while the index is rewritten."""
    from PySide6.QtCore import QObject, Qt, QTimer

    from ui.main import SWITCH_INTERVAL_S, WindowSession, make_application
    from ui.startup import Startup

    sys.setswitchinterval(SWITCH_INTERVAL_S)
    places, open_engine, start = parts(home)
    application = make_application()
    startup = Startup(places, open_engine, start)
    session = WindowSession(application, places, startup, None)
    late: dict[str, list[float]] = {"warming": [], "importing": [], "filling": [], "consolidating": [], "indexing": []}

    class Watch(QObject):
        phase = "warming"
        last = 0.0
        report = None
        indexed_count: object = 0

        def tick(self) -> None:
            now = time.perf_counter()
            if self.last:
                late[self.phase].append(max(0.0, (now - self.last - 0.008) * 1000))
            self.last = now

        def opened(self, engine: object) -> None:
            self.engine = engine
            QTimer.singleShot(6000, self.begin)

        def begin(self) -> None:
            self.phase = "importing"
            session.bridge.ask("bench", self.work, self.imported)

        def work(self, engine: object) -> object:
            return engine.transfer.import_history("claude-code", transcripts)  # type: ignore[attr-defined]

        def imported(self, report: object) -> None:
            self.report = report
            self.phase = "filling"  # not measured: nobody adds memories at that pace
            session.bridge.ask("bench", self.fill, self.filled)

        def fill(self, engine: object) -> object:
            return add_memories(engine)

        def filled(self, _nothing: object) -> None:
            self.phase = "consolidating"
            session.bridge.ask("bench", self.consolidate, self.consolidated)

        def consolidate(self, engine: object) -> object:
            return engine.consolidation.run()  # type: ignore[attr-defined]

        def consolidated(self, _card: object) -> None:
            self.phase = "indexing"
            session.bridge.ask("bench", self.index, self.indexed)

        def index(self, engine: object) -> object:
            return engine.search.rebuild()  # type: ignore[attr-defined]

        def indexed(self, count: object) -> None:
            self.indexed_count = count
            timer.stop()  # closing waits for the socket's thread: no lag of the window
            application.quit()

    watch = Watch()
    timer = QTimer(watch)
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(watch.tick)
    timer.start(8)
    startup.engine_opened.connect(watch.opened)
    session.show()
    application.exec()
    session.close()
    figures = {
        phase: {"p50_ms": rank(found, 0.5), "p99_ms": rank(found, 0.99), "max_ms": max(found)}
        for phase, found in late.items()
        if phase != "filling"
    }
    report = watch.report
    figures["import"] = {"messages": report.message_count, "per_s": report.message_count / report.took_s}  # type: ignore[attr-defined]
    figures["index"] = {"memories": watch.indexed_count}  # type: ignore[dict-item]
    print(json.dumps(figures), flush=True)
    os._exit(0)


def add_memories(engine: object) -> None:
    """Rows beside the journal; their numbers go on after those that were learned."""
    from tests.benchmarks.bench_recall import fill
    from tests.benchmarks.material.made_texts import make_texts

    fill(engine._core.store, list(make_texts(MEMORIES)), first=1_000_000)  # type: ignore[attr-defined]


def parts(home: Path) -> tuple[object, object, object]:
    from app.places import Places

    places = Places.under(home)

    def open_engine() -> object:
        from app.api import Engine

        return Engine.open(places, owner="window", is_whole=False)  # as the command line does

    def start(engine: object) -> object:
        from app.server import start_server

        return start_server(engine)  # type: ignore[arg-type]

    places.prepare()
    return places, open_engine, start


def rank(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0.0


def child(*words: str) -> dict[str, object]:
    env = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }  # as a person starts it
    env["REMANENCE_BENCH_BEGUN"] = str(time.time())
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.bench_window", *words],
        capture_output=True, text=True, check=True, env=env,
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def main() -> None:
    from tests.benchmarks.material.histories import write_transcripts
    from tests.benchmarks.material.stolen import tell_stolen_at_exit

    tell_stolen_at_exit()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        starts = [child("start", str(home)) for _ in range(STARTS)][1:]
        for name in ("painted_s", "painted_cpu_s", "socket_s", "socket_cpu_s", "warm_s", "warm_cpu_s"):
            found = [float(one[name]) for one in starts]  # type: ignore[arg-type]
            print(
                f"P5 {name}: median {statistics.median(found):.2f}, worst {max(found):.2f} of {len(found)} warm starts"
            )
        transcripts = Path(folder) / "claude"
        write_transcripts(transcripts, session_count=SESSIONS, prompts_per_session=PROMPTS)
        print("P7 lag:", json.dumps(child("lag", str(Path(folder) / "lag"), str(transcripts))))
    print(f"machine: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["start", place]:
            measure_start(Path(place))
        case ["lag", place, history]:
            measure_lag(Path(place), Path(history))
        case _:
            main()
