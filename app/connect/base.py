"""The values of connecting: what a connector is, what it gets, and the plan that it answers with.

A plan is shown before anything is written and holds whole files before and after, so that showing and doing cannot
differ. Knows neither HTTP nor the store. Source: INTEROP rule 9, QUALITY E8.
"""

import difflib
import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from app.connect.launcher import can_launch, launcher_path
from app.errors import UserError
from app.values import FileEdit

HOOK_SCRIPT_NAME = "remanence_hook.py"
CLI_SCRIPT_NAME = "remanence_cli.py"
MCP_SERVER_NAME = "remanence"


class ConnectRefusedError(UserError):
    """A configuration that we do not touch; says which file, where, and what to do."""

    code = "connect_refused"


@dataclass(frozen=True, slots=True)
class ConnectContext:
    """Where things are. `state_dir` is ours; everything else belongs to the person."""

    home: Path
    env: Mapping[str, str]
    state_dir: Path
    python: Path
    hook_script: Path

    @classmethod
    def here(cls, state_dir: Path) -> "ConnectContext":
        """Of the person who runs us."""
        script = Path(__file__).resolve().parent.parent / "hook" / HOOK_SCRIPT_NAME
        return cls(Path.home(), os.environ, state_dir, Path(sys.executable), script)

    def command(self, app: str, event: str) -> "HookCommand":
        """The command that an assistant is to run at an event."""
        if can_launch(self):
            return HookCommand((str(launcher_path(self)), app, event))
        return self.long_command(app, event)

    def long_command(self, app: str, event: str) -> "HookCommand":
        """The same without a file in our state folder, as it was written before there was one.

        A home of ours that was moved is named, since the assistant may not share our environment.
        """
        return HookCommand((str(self.python), "-I", "-S", "-E", str(self.hook_script), *self._home(), app, event))

    def mcp_server(self, app: str) -> "McpServer":
        """The program that an assistant is to start for its memory tools. Every path is whole: hosts have no PATH."""
        script = self.hook_script.parent.parent / "cli" / CLI_SCRIPT_NAME
        return McpServer(str(self.python), ("-P", str(script), "mcp", *self._home(), app))

    def _home(self) -> tuple[str, ...]:
        moved = self.env.get("REMANENCE_HOME", "")
        return ("--home", str(Path(moved).expanduser().absolute())) if moved else ()


@dataclass(frozen=True, slots=True)
class HookCommand:
    """A command as a list of words."""

    words: tuple[str, ...]

    def shell(self) -> str:
        """One line for a shell, with quotes where a path needs them.

        >>> HookCommand(("/opt/my app/python", "-I", "hook.py")).shell()
        "'/opt/my app/python' -I hook.py"
        """
        return shlex.join(self.words)


@dataclass(frozen=True, slots=True)
class McpServer:
    """A program that speaks MCP over stdin and stdout, as a configuration names it."""

    command: str
    args: tuple[str, ...]


def is_own_server(entry: object) -> bool:
    """Does an entry of a configuration start our program, wherever it was installed?

    >>> is_own_server({"command": "/usr/bin/python3", "args": ["-P", "/opt/x/app/cli/remanence_cli.py", "mcp"]})
    True
    """
    args = entry.get("args") if isinstance(entry, dict) else None
    return isinstance(args, list) and any(str(word).endswith(CLI_SCRIPT_NAME) for word in args) and "mcp" in args


def refuse_foreign_server(path: Path) -> ConnectRefusedError:
    return ConnectRefusedError(
        f"{path} has a server called “{MCP_SERVER_NAME}” that is not ours.",
        hint="Rename that server, then connect again. The file was not changed.",
    )


@dataclass(frozen=True, slots=True)
class FoundAssistant:
    """An assistant that is on this computer."""

    name: str
    title: str
    config_dir: Path
    config_paths: tuple[Path, ...]
    is_connected: bool
    problem: str = ""  # "" or a sentence: the configuration cannot be read
    waiting: str = ""  # "" or a sentence: it is connected, and does not run our hooks before the person has done this


@dataclass(frozen=True, slots=True)
class ConfigPlan:
    """What connecting or disconnecting would write. No edits = nothing to do."""

    app: str
    is_removal: bool
    edits: tuple[FileEdit, ...]
    notes: tuple[str, ...] = ()  # for people: what they have to do themselves

    @property
    def diff(self) -> str:
        """The whole change as text, file after file."""
        return "\n".join(edit.diff for edit in self.edits)


class Connector(Protocol):
    """One assistant: where its configuration is, and what our entries in it look like."""

    @property
    def name(self) -> str:
        """The app's name, as in its token and its events."""

    @property
    def title(self) -> str:
        """The name for people."""

    def find(self, ctx: ConnectContext) -> FoundAssistant | None:
        """The assistant as found on this computer; None when it is not there."""

    def plan(self, ctx: ConnectContext) -> ConfigPlan:
        """What connecting would write."""

    def plan_removal(self, ctx: ConnectContext) -> ConfigPlan:
        """What disconnecting would write."""

    def original(self, ctx: ConnectContext, path: Path, now: bytes | None) -> bytes | None:
        """A file of the plan as it would be if we had never been there."""


def file_edit(path: Path, before: bytes | None, after: bytes | None) -> FileEdit:
    """An edit with its unified diff; bytes that are no UTF-8 are shown as such."""
    old, new = (b"" if side is None else side for side in (before, after))
    lines = difflib.unified_diff(
        old.decode("utf-8", "backslashreplace").splitlines(),
        new.decode("utf-8", "backslashreplace").splitlines(),
        fromfile=str(path) if before is not None else "(no file)",
        tofile=str(path) if after is not None else "(no file)",
        lineterm="",
    )
    return FileEdit(path=path, before=before, after=after, diff="\n".join(lines))
