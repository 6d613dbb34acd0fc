"""Opens the window: composes engine, socket and window; the only place that names `ui`.

Owns telling, before Qt is loaded, that there is no display: Qt itself would abort. Imports no command line: reading that takes as
long as half of the first paint. Source: DESIGN section 3, QUALITY P5.
"""

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from app.cli.process import give_back_memory, prefer_latency
from app.errors import EnvironmentProblem
from app.places import Places

if TYPE_CHECKING:
    from app.api import Engine
    from app.server import ServerHandle

_HEADLESS_PLATFORMS = {"offscreen", "minimal", "vnc", "linuxfb", "eglfs"}


def run_window(links: Sequence[str]) -> int:
    """The exit status of the window that `remanence` or `remanence gui [LINK]` opens."""
    need_display(os.environ, sys.platform)
    prefer_latency()
    gc.disable()  # a tenth of the way to the first paint; from then on the window searches on its own thread
    try:
        return open_window(Places.find(), {}, [link for link in links if link])
    finally:
        gc.enable()


def open_window(places: Places, flags: Mapping[str, object], asked: Sequence[str], *, is_demo: bool = False) -> int:
    """The exit status of the window."""

    def open_engine() -> "Engine":
        give_back_memory()
        from app.api import Engine  # in the window's worker: store and rules are read behind the first paint

        if not is_demo:
            return Engine.open(places, flags=flags, owner="window", is_whole=False)
        demo = _import_ui("demo.history")
        engine = Engine.open(places, clock=demo.demo_clock(), flags=flags, owner="window", is_whole=False)
        demo.open_with_demo(engine, home=Path.home())  # the example's own: `example_home`
        return engine

    def start(engine: "Engine") -> "ServerHandle":
        from app.server import start_server

        return start_server(engine)

    status: int = _import_ui("main").run(open_engine, start, [sys.argv[0], *asked], places=places)
    return status


def _import_ui(name: str) -> ModuleType:
    """A module of the window: `ui` is beside `app`, in the checkout and in the wheel."""
    return import_module(f"{__name__.removesuffix('app.cli.window')}ui.{name}")


def need_display(env: Mapping[str, str], platform: str) -> None:
    """Raises EnvironmentProblem where no window can open."""
    chosen = env.get("QT_QPA_PLATFORM", "").split(":")[0]
    has_display = env.get("DISPLAY") or env.get("WAYLAND_DISPLAY") or chosen in _HEADLESS_PLATFORMS
    if platform.startswith("linux") and not has_display:
        raise EnvironmentProblem(
            "There is no display to open the window on.", hint="remanence serve runs without a window."
        )
