"""`remanence service`: capture without a window, from the start of the session on; a user unit of systemd."""

import os
import sys
from typing import Annotated

import typer

from app.autostart import install_unit, remove_unit, unit_path
from app.cli.options import JsonOption
from app.cli.output import print_json, print_line
from app.errors import InvalidError


def service(
    act: Annotated[str, typer.Argument(help="install, remove or status.")] = "status", as_json: JsonOption = False
) -> None:
    """Capture in the background, without a window (systemd). Install it, remove it, or see whether it is there."""
    if act not in {"install", "remove", "status"}:
        raise InvalidError(f"There is no “{act}” here.", hint="Choose one of: install, remove, status.")
    if act != "status" and not sys.platform.startswith("linux"):
        raise InvalidError(
            "This works on Linux with systemd only.", hint="Switch on “Start with the computer” in Settings instead."
        )
    left = install_unit(os.environ) if act == "install" else remove_unit(os.environ) if act == "remove" else ""
    is_there = unit_path().is_file()
    if as_json:
        print_json({"path": str(unit_path()), "is_installed": is_there, "to_type": left})
        return
    print_line(f"{'Installed' if is_there else 'Not installed'}: {unit_path()}")
    if left:
        print_line(f"systemd did not answer. When it runs, type: {left}")
