"""`remanence` and `remanence gui`: the window. Composes engine, socket and window; the only place that names `ui`.

Owns telling, before Qt is loaded, that there is no display: Qt itself would abort. Source: DESIGN section 3.
"""

import os
import sys
from collections.abc import Mapping
from importlib import import_module

import typer

from app.cli.options import SetOption, places_of, read_flags
from app.errors import EnvironmentProblem

_HEADLESS_PLATFORMS = {"offscreen", "minimal", "vnc", "linuxfb", "eglfs"}


def gui(context: typer.Context, set_: SetOption = None) -> None:
    """Open the window."""
    need_display(os.environ, sys.platform)
    from app.api import Engine
    from app.server import start_server

    places, flags = places_of(context), read_flags(set_)
    window = import_module("ui.main")
    raise typer.Exit(
        window.run(
            open_engine=lambda: Engine.open(places, flags=flags, owner="window"),
            start_server=start_server,
            argv=[sys.argv[0]],
        )
    )


def need_display(env: Mapping[str, str], platform: str) -> None:
    """Raises EnvironmentProblem where no window can open."""
    chosen = env.get("QT_QPA_PLATFORM", "").split(":")[0]
    has_display = env.get("DISPLAY") or env.get("WAYLAND_DISPLAY") or chosen in _HEADLESS_PLATFORMS
    if platform.startswith("linux") and not has_display:
        raise EnvironmentProblem(
            "There is no display to open the window on.", hint="remanence serve runs without a window."
        )
