"""What comes of an invented history behind the conversations: notes, contradictions, readings, a run of consolidation.

Waits for what works in the background, so that each screen has something to show; who reads along is `ui.demo.judge`, a program with
invented answers. Nothing is written past the engine.
"""

import shlex
import sys
import time
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
_AGAIN = ("orchard", "The api of the warehouse listens on port 8080.", "the API of the warehouse listens on port 8080")


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
    engine.settings.set("is_judge_noting", value=False)
    engine.settings.set("judge_command", shlex.join((sys.executable, *_JUDGE)))
    engine.settings.set("judge", "command")
    engine.judge.decline()  # the one question was answered
    engine.judge.read()
    _wait(lambda: not engine.stats.now().judge_pending_count)
    engine.settings.set("judge", "off")  # so that contradictions are opened by rules, at once


def _wait(is_done: "Callable[[], bool]") -> None:
    end_s = time.monotonic() + _PATIENCE_S
    while not is_done() and time.monotonic() < end_s:
        time.sleep(_LOOK_EVERY_S)
