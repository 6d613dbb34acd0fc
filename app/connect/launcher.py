"""The small program by which assistants run our hook, and whether this machine can use it.

Some assistants print the whole command line of a hook to the person, and Python compiles a script that it runs directly again each
time, a quarter of what the hook costs: so a program in our state folder names the interpreter and imports the hook. It starts no
shell. It is rewritten when we were moved, so that the configuration of the assistant, and a trust that the person gave to its
text, stay as they are. Where it cannot be run, the long command line is used. Source: INTEROP last section, QUALITY P4.
"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from app.places import Places, make_private_dir, write_private

if TYPE_CHECKING:
    from app.connect.base import ConnectContext

LAUNCHER_NAME = "remanence-hook"
_FIRST_LINE_BYTES_MAX = 120  # older kernels cut it at 127
_MODE = 0o700


def launcher_path(ctx: "ConnectContext") -> Path:
    return ctx.state_dir / LAUNCHER_NAME


def can_launch(ctx: "ConnectContext") -> bool:
    """Does the system run a script by its first line, from our folder, with our interpreter?"""
    if sys.platform == "win32":
        return False
    first = _first_line(ctx)
    is_plain = len(os.fsencode(first)) <= _FIRST_LINE_BYTES_MAX and not any(mark.isspace() for mark in str(ctx.python))
    return is_plain and not _is_without_programs(ctx.state_dir)


def is_launcher_there(ctx: "ConnectContext") -> bool:
    return os.access(launcher_path(ctx), os.X_OK)


def write_launcher(ctx: "ConnectContext") -> None:
    """Writes it as it has to be now; a file that is so already stays."""
    path, text = launcher_path(ctx), _text(ctx)
    if is_launcher_there(ctx) and path.read_bytes() == text:
        return
    make_private_dir(path.parent)
    write_private(path, text, mode=_MODE)


def _first_line(ctx: "ConnectContext") -> str:
    return f"#!{ctx.python} -ISE"


def _text(ctx: "ConnectContext") -> bytes:
    home = ctx.state_dir.parent
    is_moved = Places.under(home).state_dir == ctx.state_dir
    lines = (
        _first_line(ctx),
        '"""Sends the hook events of an assistant to Remanence. Remanence wrote this file and rewrites it after a move."""',
        "import sys",
        f"sys.path.insert(0, {str(ctx.hook_script.parent)!r})",
        "try:",
        f"    import {ctx.hook_script.stem} as hook",
        "except ImportError:  # Remanence was taken away: the assistant must not notice",
        "    sys.exit(0)",
        *((f'sys.argv[1:1] = ["--home", {str(home)!r}]',) if is_moved else ()),
        "hook.main()",
    )
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape")


def _is_without_programs(folder: Path) -> bool:
    """Is the disk mounted so that no program is run from it?"""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    return bool(os.statvfs(there).f_flag & os.ST_NOEXEC) if hasattr(os, "ST_NOEXEC") else False
