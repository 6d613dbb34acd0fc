"""R18: how long window and `serve` take to end at SIGTERM, also in the middle of an import, of a run, with a dialog or a menu open.

Run `python -m tests.benchmarks.bench_stop [--repeat 3]` (the window opens offscreen). Each is a process of its own; beside the seconds
stands what it cost of the processor, because on a busy machine the wall says little. Prints figures, asserts nothing.
"""

import argparse
import contextlib
import http.client
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

from app.api import Engine, MemoryDraft, Places
from tests.benchmarks.material.histories import write_transcripts
from tests.flows.processes import ROOT, wait_for

MEMORIES, SESSIONS, PROMPTS = 60, 20, 40
WINDOW = ("still", "import", "run", "file dialog", "folder dialog", "menu", "busy write")
SERVE = ("still", "import", "run")
LATEST_S = 60.0


def fill(home: Path) -> None:
    engine = Engine.open(Places.under(home))
    engine.settings.set("first_start_done", value=True)
    for number in range(MEMORIES):
        engine.memories.create(
            MemoryDraft(f"The service number {number // 2} listens on port {9_000 + number // 2}{'.!'[number % 2]}")
        )
    engine.close()
    write_transcripts(home / "history", session_count=SESSIONS, prompts_per_session=PROMPTS)


def live(home: Path, what: str) -> None:
    """In the child: the window, in the midst of `what`; says "ready" then."""
    from PySide6.QtCore import QObject, QTimer

    from app.cli.process import prefer_latency
    from app.server import start_server
    from app.values.admin import FoundSource
    from ui.main import WindowSession, make_application
    from ui.startup import Startup

    prefer_latency()
    places = Places.under(home)
    application = make_application()
    startup = Startup(
        places, lambda: Engine.open(places, owner="window", is_whole=False), lambda one: start_server(one, port=0)
    )
    session = WindowSession(application, places, startup, None)
    window = session.window

    def ready(*_: object) -> None:
        print("ready", flush=True)

    class Beginning(QObject):
        """Of the window's thread: a plain function would run in the worker that tells of the warm-up."""

        def begin(self) -> None:
            begin()

    def begin() -> None:
        soon = QTimer(window)
        soon.setSingleShot(True)
        soon.timeout.connect(ready)
        if what in {"import", "run"}:
            window.bridge.progressed.connect(ready)
            window.bridge.changed.connect(ready)
        else:
            soon.start(300)
        if what == "import":
            window.imports.start([FoundSource("claude-code", "", home / "history", 0, 0, None)])
        elif what == "run":
            window.actions_table.run("consolidation.now")
        elif what == "file dialog":
            window.actions_table.run("file.import")
        elif what == "folder dialog":
            from PySide6.QtWidgets import QFileDialog

            QTimer.singleShot(0, lambda: QFileDialog.getExistingDirectory(window, "Exclude a folder"))
        elif what == "menu":
            QTimer.singleShot(0, window.rail.menu_button.showMenu)
        elif what == "busy write":
            for _ in range(50):
                window.bridge.do("backup", lambda engine: engine.backups.create("by hand"))

    beginning = Beginning()
    startup.warmed_up.connect(beginning.begin)
    session.show()
    status = application.exec()
    if not session.close():
        os._exit(status)
    sys.exit(status)


def post(home: Path, path: str, body: object) -> threading.Thread:
    """A request to `serve` that nobody waits for the end of."""
    lines = (home / "state" / "endpoint").read_text().splitlines()
    port = next(int(line.split()[1]) for line in lines if line.startswith("port "))
    token = (home / "state" / "admin.token").read_text().strip()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def send() -> None:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=LATEST_S)
        with contextlib.suppress(OSError, http.client.HTTPException):
            line.request("POST", path, json.dumps(body), headers)
            line.getresponse().read()

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    return thread


def stop(program: str, home: Path, what: str) -> tuple[float, float, int]:
    """Seconds until the process was gone, of its processor, and its status; minus one second where it had to be killed."""
    env = {
        **os.environ,
        "HOME": str(home.parent),
        "REMANENCE_HOME": str(home),
        "REMANENCE_PORT": "18765",
        "PYTHONPATH": str(ROOT),
    }
    env |= {"QT_QPA_PLATFORM": "offscreen", "REMANENCE_IS_JUDGE_ASKED": "true"}
    words = (
        ["-m", "app.cli", "serve"]
        if program == "serve"
        else ["-m", "tests.benchmarks.bench_stop", "--child", what, "--home", str(home)]
    )
    with subprocess.Popen([sys.executable, *words], env=env, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        if program == "serve":
            wait_for(lambda: (home / "state" / "admin.token").exists() and (home / "state" / "endpoint").exists())
            time.sleep(2)
            if what != "still":
                path, body = (
                    ("/v1/import", {"path": str(home / "history")}) if what == "import" else ("/consolidate", {})
                )
                post(home, path, body)
                time.sleep(1.0)
        else:
            while process.stdout.readline().strip() not in {"ready", ""}:
                pass
        seen = psutil.Process(process.pid)
        spent_s, began_s = sum(seen.cpu_times()[:2]), time.monotonic()
        process.send_signal(signal.SIGTERM)
        last_s = spent_s
        while process.poll() is None and time.monotonic() - began_s < LATEST_S:
            with contextlib.suppress(psutil.Error):
                last_s = sum(seen.cpu_times()[:2])
            time.sleep(0.005)
        took_s = time.monotonic() - began_s
        if process.poll() is None:
            process.kill()
            return -1.0, last_s - spent_s, -9
        return took_s, last_s - spent_s, process.returncode


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        live(options.home, options.child)
        return
    with tempfile.TemporaryDirectory(prefix="remanence-stop-", ignore_cleanup_errors=True) as folder:
        import shutil

        fill(Path(folder) / "filled")
        for program, cases in (("window", WINDOW), ("serve", SERVE)):
            for what in cases:
                if options.only and options.only not in f"{program} {what}":
                    continue
                found = []
                for number in range(options.repeat):
                    home = Path(folder) / f"home-{number}"
                    shutil.copytree(Path(folder) / "filled", home, ignore=shutil.ignore_patterns("*.sock"))
                    found.append(stop(program, home, what))
                    shutil.rmtree(home)
                walls, cpus, statuses = zip(*found, strict=True)
                wall = f"median {statistics.median(walls):5.2f} s, most {max(walls):5.2f} s"
                print(
                    f"R18  {program:6} {what:14} {wall}, processor {max(cpus):5.2f} s, status {set(statuses)}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
