"""`remanence` and `remanence gui`: the window. Composes engine, socket and window; the only place that names `ui`.

Owns telling, before Qt is loaded, that there is no display: Qt itself would abort. Source: DESIGN section 3.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.example_home import example_home
from app.cli.options import SetOption, places_of, read_flags
from app.cli.process import prefer_latency
from app.errors import EnvironmentProblem

if TYPE_CHECKING:
    from app.api import Engine, Places
    from app.server import ServerHandle

_HEADLESS_PLATFORMS = {"offscreen", "minimal", "vnc", "linuxfb", "eglfs"}


def gui(
    context: typer.Context,
    link: Annotated[str, typer.Argument(help="A remanence:// link to open.")] = "",
    set_: SetOption = None,
    smoke: Annotated[bool, typer.Option("--offscreen-smoke", help="Start, walk all screens, leave.")] = False,
    pictures: Annotated[
        Path | None, typer.Option("--screenshot-all", metavar="DIR", help="Pictures of every screen.")
    ] = None,
    is_demo: Annotated[
        bool, typer.Option("--demo", help="Open it on invented data in a folder that is gone afterwards.")
    ] = False,
) -> None:
    """Open the window."""
    asked = [link] if link else []
    asked += ["--offscreen-smoke"] if smoke else []
    asked += ["--screenshot-all", str(pictures.absolute())] if pictures is not None else []
    if smoke or pictures is not None:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    need_display(os.environ, sys.platform)
    flags = read_flags(set_)
    prefer_latency()
    asked += ["--demo"] if is_demo else []
    if is_demo or pictures is not None:
        with example_home() as places:
            status = _run(places, flags, asked, is_demo=is_demo)
        raise typer.Exit(status)
    raise typer.Exit(_run(places_of(context), flags, asked, is_demo=False))


def _run(places: "Places", flags: Mapping[str, object], asked: Sequence[str], *, is_demo: bool) -> int:
    """The exit status of the window."""

    def open_engine() -> "Engine":
        from app.api import Engine  # in the window's worker: store and rules are read behind the first paint

        engine = Engine.open(places, flags=flags, owner="window", is_whole=False)
        if is_demo:
            import_module("ui.demo").open_with_demo(engine)
        return engine

    def start(engine: "Engine") -> "ServerHandle":
        from app.server import start_server

        return start_server(engine)

    status: int = import_module("ui.main").run(open_engine, start, [sys.argv[0], *asked], places=places)
    return status


def need_display(env: Mapping[str, str], platform: str) -> None:
    """Raises EnvironmentProblem where no window can open."""
    chosen = env.get("QT_QPA_PLATFORM", "").split(":")[0]
    has_display = env.get("DISPLAY") or env.get("WAYLAND_DISPLAY") or chosen in _HEADLESS_PLATFORMS
    if platform.startswith("linux") and not has_display:
        raise EnvironmentProblem(
            "There is no display to open the window on.", hint="remanence serve runs without a window."
        )
