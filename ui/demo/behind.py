"""What comes of an invented history behind the conversations: notes, contradictions, readings, a run of consolidation.

Waits for what works in the background, so that each screen has something to show; who reads along is `ui.demo.judge`, a program with
invented answers. Nothing is written past the engine.
"""

import os
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from app.values import MemoryDraft

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.api import Engine

_PATIENCE_S = 60.0  # what is not there then is not shown
_LOOK_EVERY_S = 0.02
_ROOT = "/home/demo/src"
_JUDGE = ("-P", "-m", f"{__name__.removesuffix('behind')}judge")
_DISAGREEING = (  # with each other
    ("orchard", "Releases go out on Mondays.", "Releases never go out on Mondays."),
    (
        "lantern",
        "The shop is deployed with Docker Compose.",
        "The shop is deployed with Kubernetes instead of Docker Compose.",
    ),
)
_AGAIN = ("orchard", "Every release gets a line in the changelog.", "Each release gets a line in the changelog.")


def fill_with_what_came_of_it(engine: "Engine") -> None:
    """Notes, open contradictions, readings, one run that was applied; then the energy that all of it took."""
    _wait(lambda: not engine.notes.pending_count)
    for project, *texts in (*_DISAGREEING, _AGAIN):
        for text in texts:
            engine.memories.create(MemoryDraft(text, project_path=f"{_ROOT}/{project}"))
    _let_read(engine)
    engine.consolidation.run()
    engine.settings.set("judge", "command")


def _let_read(engine: "Engine") -> None:
    values = {"is_judge_noting": False, "judge_command": _reader_command(engine.places.state_dir), "judge": "command"}
    engine.settings.set_together(values, "An example model reads along")
    engine.judge.decline()  # the one question was answered
    engine.judge.read()
    _wait(lambda: not engine.stats.now().judge_pending_count)
    engine.settings.set("judge", "off")  # so that contradictions are opened by rules, at once


def _reader_command(folder: Path) -> str:
    """The name of a program that starts our reader: Settings and Activity show it, and a path of this machine is no example."""
    program = folder / "bin" / "example-model"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f"#!/bin/sh\nexec {shlex.join((sys.executable, *_JUDGE))}\n", encoding="utf-8")
    program.chmod(0o700)
    os.environ["PATH"] = os.pathsep.join((str(program.parent), os.environ.get("PATH", os.defpath)))
    return program.name


def _wait(is_done: "Callable[[], bool]") -> None:
    end_s = time.monotonic() + _PATIENCE_S
    while not is_done() and time.monotonic() < end_s:
        time.sleep(_LOOK_EVERY_S)
