"""`remanence gui` with options: the window as the command line asks for it. What opens it is `app.cli.window`.

A home of its own for the example: nothing of the person's is read or changed, and nothing of it stays.

Source: UX section 6 `--demo`.
"""

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from app.cli.options import SetOption, places_of, read_flags
from app.cli.process import prefer_latency
from app.cli.window import need_display, open_window
from app.places import Places

_PREFIXES = ("REMANENCE_", "XDG_", "CLAUDE_", "CODEX_", "CURSOR_", "COPILOT_")
_KEPT = frozenset({"XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS"})  # the desktop's


@contextmanager
def example_home() -> Iterator[Places]:
    """Places in an empty folder that is this process's home until the block ends; then the folder is gone."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="remanence-example-", ignore_cleanup_errors=True) as folder:
        _enter(Path(folder), before)
        try:
            yield Places.under(Path(folder) / "remanence")
        finally:
            os.environ.clear()
            os.environ.update(before)


def _enter(home: Path, environment: Mapping[str, str]) -> None:
    for name in environment:
        if name.startswith(_PREFIXES) and name not in _KEPT:
            del os.environ[name]
    for name in ("HOME", "USERPROFILE"):
        os.environ[name] = str(home)


def gui(
    context: typer.Context,
    link: Annotated[str, typer.Argument(help="A remanence:// link to open in it.")] = "",
    set_: SetOption = None,
    smoke: Annotated[
        bool, typer.Option("--offscreen-smoke", help="For tests: show each screen once, then exit.")
    ] = False,
    pictures: Annotated[
        Path | None,
        typer.Option("--screenshot-all", metavar="DIR", help="Save a picture of every screen here, then exit."),
    ] = None,
    size: Annotated[str, typer.Option("--size", metavar="WxH", help="Size of these pictures.")] = "1280x800",
    is_replacing: Annotated[bool, typer.Option("--force", help="Replace pictures that are there already.")] = False,
    is_in_tray: Annotated[bool, typer.Option("--in-tray", help="Start in the tray, without the window.")] = False,
    is_demo: Annotated[bool, typer.Option("--demo", help="Show invented data; nothing of yours is touched.")] = False,
) -> None:
    """Open the window."""
    asked = [link] if link else []
    asked += ["--offscreen-smoke"] if smoke else []
    asked += ["--screenshot-all", str(pictures.absolute()), "--size", size] if pictures is not None else []
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
