"""`remanence gui` with options: the window as the command line asks for it. What opens it is `app.cli.window`."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from app.cli.example_home import example_home
from app.cli.options import SetOption, places_of, read_flags
from app.cli.process import prefer_latency
from app.cli.window import need_display, open_window


def gui(
    context: typer.Context,
    link: Annotated[str, typer.Argument(help="A remanence:// link to open.")] = "",
    set_: SetOption = None,
    smoke: Annotated[bool, typer.Option("--offscreen-smoke", help="Start, walk all screens, leave.")] = False,
    pictures: Annotated[
        Path | None, typer.Option("--screenshot-all", metavar="DIR", help="Pictures of every screen.")
    ] = None,
    is_replacing: Annotated[bool, typer.Option("--force", help="Replace pictures that are there already.")] = False,
    is_in_tray: Annotated[bool, typer.Option("--in-tray", help="Start in the tray, without the window.")] = False,
    is_demo: Annotated[
        bool, typer.Option("--demo", help="Open it on invented data in a folder that is gone afterwards.")
    ] = False,
) -> None:
    """Open the window."""
    asked = [link] if link else []
    asked += ["--offscreen-smoke"] if smoke else []
    asked += ["--screenshot-all", str(pictures.absolute())] if pictures is not None else []
    asked += ["--in-tray"] if is_in_tray else []
    asked += ["--force"] if is_replacing else []
    if smoke or pictures is not None:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    need_display(os.environ, sys.platform)
    flags = read_flags(set_)
    prefer_latency()
    asked += ["--demo"] if is_demo else []
    if is_demo or pictures is not None:
        with example_home() as places:
            status = open_window(places, flags, asked, is_demo=is_demo)
        raise typer.Exit(status)
    raise typer.Exit(open_window(places_of(context), flags, asked))
