"""What comes of an invented history behind the conversations: connected assistants, contradictions, readings, a run of consolidation.

Who reads along is `ui.demo.judge`, a program with invented answers that stands where Claude Code's would. Nothing is written past the engine.
"""

import os
import shlex
import sys
import time
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.values import MemoryDraft
from app.values.capture import Scope
from ui.demo.when import When

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.api import Engine

_PATIENCE_S = 60.0  # what is not there then is not shown
_LOOK_EVERY_S = 0.02
_ROOT = "/home/demo/src"
_JUDGE = ("-P", "-m", f"{__name__.removesuffix('behind')}judge")
_WRITTEN = (
    (
        When(10, "09:20"),
        "orchard",
        "Labels of the customs office are printed twice, once for the box and once for the file.",
    ),
    (When(9, "08:50"), "orchard", "Releases go out on Mondays."),
    (When(8, "14:10"), "orchard", "A shipment that comes back is counted again before it is put on the shelf."),
    (When(5, "09:00"), "lantern", "The shop is deployed with Docker Compose."),
    (When(4, "16:45"), "orchard", "Every release gets a line in the changelog."),
    (When(3, "11:40"), "orchard", "Releases never go out on Mondays."),
    (
        When(2, "10:10"),
        "orchard",
        "Each release gets a line in the changelog.",
    ),  # says what is known: the run merges it
    # the same words in another order, once with the same meaning and once with another: the run asks
    (
        When(2, "16:30"),
        "orchard",
        "Labels of the customs office are printed twice: once for the file, once for the box.",
    ),
    (When(1, "09:40"), "orchard", "A shipment that comes back is put on the shelf again before it is counted."),
    (When(1, "11:00"), "lantern", "The shop is deployed with Kubernetes instead of Docker Compose."),
    (
        When(minutes_ago=190),
        "orchard",
        "Delivery notes must not be kept longer than ten years.",
    ),  # known too: left for the next run
)
_RUN = When(minutes_ago=240)


def background_steps(now: datetime) -> list[tuple[datetime, "Callable[[Engine], None]"]]:
    """When each was written and when the memory was consolidated, and what does it."""
    steps: list[tuple[datetime, Callable[[Engine], None]]] = [
        (when.before(now), partial(_write, draft=MemoryDraft(text, project_path=f"{_ROOT}/{project}")))
        for when, project, text in _WRITTEN
    ]
    return [*steps, (_RUN.before(now), _consolidate)]


def let_read(engine: "Engine") -> None:
    """From now on the model of the example reads along."""
    _put_on_path("claude", engine.places.state_dir)
    engine.judge.decline()  # the one question was answered
    engine.settings.set_together({"is_judge_noting": False, "judge": "claude-code"}, "Claude Code reads along")


def wait_for_background(engine: "Engine") -> None:
    """Until notes are written and all that was asked for is read."""
    _wait(lambda: not engine.notes.pending_count and not engine.stats.now().judge_pending_count)


def connect_assistants(engine: "Engine", home: Path) -> None:
    """As a person does it: one by its own settings, in a home of the example's own, two by a token."""
    (home / ".claude").mkdir(exist_ok=True)
    engine.apps.connect("claude-code")
    for name, title in (("cursor", "Cursor"), ("copilot", "Copilot")):
        engine.apps.create(name, title, frozenset((Scope.CAPTURE, Scope.READ)))


def _write(engine: "Engine", *, draft: MemoryDraft) -> None:
    engine.memories.create(draft)


def _consolidate(engine: "Engine") -> None:
    engine.contradictions.settle(_PATIENCE_S)
    engine.consolidation.run()


def _put_on_path(name: str, folder: Path) -> None:
    """A program of that name that starts our reader, before any other: nothing is sent to anybody."""
    program = folder / "bin" / name
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f"#!/bin/sh\nexec {shlex.join((sys.executable, *_JUDGE))}\n", encoding="utf-8")
    program.chmod(0o700)
    os.environ["PATH"] = os.pathsep.join((str(program.parent), os.environ.get("PATH", os.defpath)))


def _wait(is_done: "Callable[[], bool]") -> None:
    end_s = time.monotonic() + _PATIENCE_S
    while not is_done() and time.monotonic() < end_s:
        time.sleep(_LOOK_EVERY_S)
