"""Connects Claude Code: our hook at eight of its events in its user settings, our MCP server among its user servers.

The command is one shell line and not the form with `args`: other programs run the hooks of this file too, and one
that does not know `args` would start Python with nothing but stdin. Source: INTEROP sections 0 and 1.
"""

from pathlib import Path

from app.connect.base import ConnectContext
from app.connect.file_connector import ManagedFile, Recipe, hooks_file
from app.connect.files import read_config
from app.connect.hooks_json import HookEntry, is_switched_on
from app.connect.mcp_json import servers_file

_NAME = "claude-code"
_TIMEOUT_S = 5  # the hook ends itself after 0.4 s, and after 3 s even when a disk hangs
_TOOLS = "Edit|Write|MultiEdit|NotebookEdit|Bash|TodoWrite|TaskCreate|TaskUpdate|ExitPlanMode"
_EVENTS = (  # event, our word for it, matcher, whether the assistant continues without waiting
    ("SessionStart", "start", "", False),
    ("UserPromptSubmit", "prompt", "", False),
    ("PostToolUse", "tool", f"{_TOOLS}|Read", True),  # of what is read the name is taken, in memory alone
    (
        "PostToolUseFailure",
        "tool",
        _TOOLS,
        False,
    ),  # a command that failed comes here; its known fix goes back the same way
    ("Stop", "stop", "", False),
    ("PreCompact", "compact", "", False),
    ("PostCompact", "compact", "", True),
    ("SessionEnd", "end", "", False),
)


def _folder(ctx: ConnectContext) -> Path:
    return Path(ctx.env.get("CLAUDE_CONFIG_DIR") or ctx.home / ".claude")


def _files(ctx: ConnectContext) -> tuple[ManagedFile, ...]:
    entries = tuple(
        HookEntry(event, ctx.command(_NAME, word).shell(), _TIMEOUT_S, matcher, is_async)
        for event, word, matcher, is_async in _EVENTS
    )
    servers = servers_file(_servers_path(ctx), ctx.mcp_server(_NAME))
    return (hooks_file(_folder(ctx) / "settings.json", entries, ctx, _NAME), servers)


def _servers_path(ctx: ConnectContext) -> Path:
    """Where the servers of all projects are: beside the folder, but inside one that was chosen."""
    chosen = ctx.env.get("CLAUDE_CONFIG_DIR")
    return (Path(chosen) if chosen else ctx.home) / ".claude.json"


def _obstacle(ctx: ConnectContext) -> str:
    path = _folder(ctx) / "settings.json"
    if not is_switched_on(path, read_config(path), "disableAllHooks"):
        return ""
    return f"Claude Code runs no hooks now: “disableAllHooks” is on in {path}. Take it out to let messages through."


CONNECTOR = Recipe(
    name=_NAME,
    title="Claude Code",
    program="claude",
    folder=_folder,
    files=_files,
    notes=(
        "Restart open sessions to use Remanence there.",
        (
            "Claude Code asks you before it calls a memory tool for the first time: “Yes, and don't ask again” allows that tool in "
            "that folder. To allow the search everywhere, type /permissions in Claude Code, add the rule mcp__remanence__recall and "
            "save it in your user settings."
        ),
    ),
    obstacle=_obstacle,
)
