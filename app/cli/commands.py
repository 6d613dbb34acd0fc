"""The table of commands and the global options. Each command's code is in the file of its name, imported when it is asked for:
whoever runs one command does not wait for the others.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

# --help lists the commands under these headings, in this order.
SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Start", ("gui", "connect", "disconnect", "import", "serve", "service")),
    ("Memories", ("search", "memories", "contradictions", "consolidate", "graph", "workflows", "patterns", "rules")),
    ("Conversations", ("conversations", "messages", "episodes", "window", "archive", "exclude")),
    ("What your assistants get", ("context", "expand", "timeline", "notes", "judge", "apps")),
    ("Look back and undo", ("journal", "undo", "redo", "stats", "energy")),
    ("Your data", ("export", "backup", "restore", "erase", "scan-secrets")),
    ("Upkeep", ("doctor", "info", "reindex", "reembed", "eval")),
    ("Run by your assistants, not by you", ("hook", "mcp")),
)
# (name, file:function); the second table is of commands with a noun before them.
COMMANDS: tuple[tuple[str, str], ...] = (
    ("gui", "gui:gui"), ("serve", "serve:serve"), ("service", "nouns.service:service"),
    ("connect", "nouns.connect:connect"), ("disconnect", "nouns.connect:disconnect"),
    ("import", "nouns.transfer:import_"), ("export", "nouns.transfer:export"), ("search", "nouns.memories:search"),
    ("expand", "nouns.context:expand"), ("timeline", "nouns.context:timeline"),
    ("reindex", "nouns.memories:reindex"), ("reembed", "reembed:reembed"), ("erase", "nouns.memories:erase"),
    ("scan-secrets", "nouns.memories:scan_secrets"), ("archive", "nouns.archive:archive"),
    ("judge", "nouns.judge:judge"), ("consolidate", "nouns.consolidate:consolidate"),
    ("energy", "nouns.statistics:energy"), ("stats", "nouns.statistics:stats"), ("journal", "nouns.journal:journal"),
    ("undo", "nouns.journal:undo"), ("redo", "nouns.journal:redo"), ("backup", "nouns.transfer:backup"),
    ("restore", "nouns.transfer:restore"), ("doctor", "info:doctor"), ("eval", "nouns.eval:evaluate"),
    ("info", "info:info"),
)  # fmt: skip
GROUPS: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
    ("conversations", "Your last 20 conversations, and what they led to.", (
        ("list", "nouns.conversations:list_conversations"), ("show", "nouns.conversations:show_conversation"),
        ("search", "nouns.conversations:search_conversations"), ("record", "nouns.conversations:show_record"),
        ("rename", "nouns.conversations:rename"), ("outcome", "nouns.conversations:set_outcome"),
        ("end", "nouns.conversations:end"), ("reopen", "nouns.conversations:reopen"),
        ("split", "nouns.conversations:split"), ("merge", "nouns.conversations:merge"),
        ("move", "nouns.conversations:move"), ("questions", "nouns.conversations:list_questions"),
        ("clarify", "nouns.conversations:clarify"),
    )),
    ("messages", "What you typed and how it was understood. Correct it here.", (
        ("list", "nouns.messages:list_messages"), ("show", "nouns.messages:show_message"),
        ("correct-intents", "nouns.messages:correct_intents"),
        ("correct-reference", "nouns.messages:correct_reference"),
        ("dismiss-reference", "nouns.messages:dismiss_reference"),
    )),
    ("memories", "What is remembered: list, add, edit, review, merge.", (
        ("list", "nouns.memories:list_memories"), ("review", "nouns.memories:review"), ("show", "nouns.memories:show"),
        ("add", "nouns.memories:add"), ("edit", "nouns.memories:edit"),
        ("restore", "nouns.memories:restore_version"), ("merge", "nouns.memories:merge"),
        ("pin", "nouns.memories:pin"), ("unpin", "nouns.memories:unpin"), ("tag", "nouns.memories:tag"),
        ("untag", "nouns.memories:untag"), ("accept", "nouns.memories:accept"), ("reject", "nouns.memories:reject"),
        ("archive", "nouns.memories:archive"), ("unarchive", "nouns.memories:unarchive"),
        ("rules", "nouns.memories:rules"),
    )),
    ("contradictions", "Memories that cannot both be true.", (
        ("list", "nouns.contradictions:list_contradictions"), ("show", "nouns.contradictions:show_contradiction"),
        ("resolve", "nouns.contradictions:resolve_contradiction"),
        ("reopen", "nouns.contradictions:reopen_contradiction"),
    )),
    ("episodes", "What came of your conversations, by project and time.", (
        ("list", "nouns.conversations:list_episodes"), ("show", "nouns.conversations:show_episode"),
    )),
    ("context", "What your assistant would be given now, and why.", (
        ("place", "nouns.context:place"), ("placements", "nouns.context:list_placements"),
        ("dismiss", "nouns.context:dismiss"),
    )),
    ("window", "How far back Remanence looks for what “it” means.", (
        ("load", "nouns.conversations:load_window"), ("log", "nouns.conversations:log_window"),
        ("hand-over", "nouns.conversations:hand_over"), ("clear", "nouns.conversations:clear_window"),
    )),
    ("exclude", "What is never captured: folders and words.", (
        ("list", "nouns.exclude:list_exclusions"), ("folder", "nouns.exclude:exclude_folder"),
        ("words", "nouns.exclude:exclude_words"), ("remove", "nouns.exclude:remove_exclusion"),
        ("test", "nouns.exclude:check_text"),
    )),
    ("rules", "What it learned about your way of talking.", (
        ("list", "nouns.rules:list_rules"), ("edit", "nouns.rules:edit_rule"), ("on", "nouns.rules:switch_on"),
        ("off", "nouns.rules:switch_off"), ("purge", "nouns.rules:purge"), ("export", "nouns.rules:export_rules"),
        ("import", "nouns.rules:import_rules"),
    )),
    ("graph", "How memories, files and conversations are linked.", (
        ("neighbours", "nouns.graph:neighbours"), ("path", "nouns.graph:path"), ("link", "nouns.graph:link"),
        ("unlink", "nouns.graph:unlink"), ("accept", "nouns.graph:accept"), ("reject", "nouns.graph:reject"),
        ("merge", "nouns.graph:merge"), ("unmerge", "nouns.graph:unmerge"), ("export", "nouns.graph:export"),
        ("rebuild", "nouns.graph:rebuild"),
    )),
    ("workflows", "Steps that you repeat in the same order.", (
        ("list", "nouns.practices:list_workflows"), ("show", "nouns.practices:show_one"),
        ("edit", "nouns.practices:edit_one"), ("on", "nouns.practices:switch_on"),
        ("off", "nouns.practices:switch_off"), ("purge", "nouns.practices:purge"),
    )),
    ("patterns", "Code patterns that recur in a project.", (
        ("list", "nouns.practices:list_patterns"), ("show", "nouns.practices:show_one"),
        ("edit", "nouns.practices:edit_one"), ("on", "nouns.practices:switch_on"),
        ("off", "nouns.practices:switch_off"), ("purge", "nouns.practices:purge"),
    )),
    ("notes", "What an assistant noted down for its next conversation.", (
        ("list", "nouns.notes:list_notes"), ("search", "nouns.notes:search_notes"), ("add", "nouns.notes:add_note"),
        ("edit", "nouns.notes:edit_note"), ("delete", "nouns.notes:delete_note"),
        ("purge", "nouns.notes:purge_notes"), ("promote", "nouns.notes:promote_note"),
        ("expiry", "nouns.notes:set_expiry"), ("context", "nouns.notes:show_context"),
        ("export", "nouns.notes:export_notes"), ("stats", "nouns.notes:show_stats"),
    )),
    ("apps", "Which assistants are connected, and what they may do.", (
        ("list", "nouns.apps:list_apps"), ("create", "nouns.apps:create_app"), ("token", "nouns.apps:renew_token"),
        ("bind", "nouns.apps:bind_app"), ("pause", "nouns.apps:pause_app"), ("resume", "nouns.apps:resume_app"),
        ("revoke", "nouns.apps:revoke_app"),
    )),
)  # fmt: skip
DEFAULTS: Mapping[str, str] = {
    "apps": "nouns.apps:show_apps",
    "context": "nouns.context:show_context",
    "exclude": "nouns.exclude:show_exclusions",
    "graph": "nouns.graph:show_graph",
    "patterns": "nouns.practices:show_patterns",
    "rules": "nouns.rules:show_rules",
    "workflows": "nouns.practices:show_workflows",
}  # what a noun alone does


class _Command(TyperCommand):
    """A command whose help names values as people do: QUERY, NUMBER, 1 to 200."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [plain_value(piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _write_parameters(self, ctx, formatter)


class _Group(TyperGroup):
    def format_options(self, ctx: Any, formatter: Any) -> None:
        _write_parameters(self, ctx, formatter)
        self.format_commands(ctx, formatter)


class _Commands(_Group):
    """The commands of `remanence --help` under their headings, each with one whole sentence."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 (the parser calls it)
        width = max(len(name) for name in self.commands)
        for title, names in SECTIONS:
            with formatter.section(title):
                formatter.write_dl(
                    (name.ljust(width), self.commands[name].get_short_help_str(formatter.width - 6 - width))
                    for name in names
                )


def _write_parameters(command: Any, ctx: Any, formatter: Any) -> None:
    rows: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
    for parameter in command.get_params(ctx):
        if (record := parameter.get_help_record(ctx)) is not None:
            name, text = (plain_value(part) for part in record)
            if parameter.param_type_name == "argument":
                name = name.partition(" ")[0].upper()  # its type adds nothing: a number is named as one
            rows[parameter.param_type_name].append((name, text))
    for title, kind in (("Arguments", "argument"), ("Options", "option")):
        if rows[kind]:
            with formatter.section(title):
                formatter.write_dl(rows[kind])


_VALUES = (
    (re.compile(r"<list\[(.*?)\]>"), r"<\1>"),
    (re.compile(r"<str>"), "TEXT"),
    (re.compile(r"<(?:int|float)(?: range)?>"), "NUMBER"),
    (re.compile(r"<path>"), "PATH"),
    (re.compile(r"<datetime>"), "DATE"),
    (re.compile(r"<([\w|-]+)>"), r"\1"),
    (re.compile(r"\{(\w+)\}|^(\[[a-z_]+\])"), lambda found: (found[1] or found[2]).upper()),
    (re.compile(r"\b([\d.]+)<=x<=([\d.]+)"), r"\1 to \2"),
    (re.compile(r"\bx>=([\d.]+)"), r"\1 or more"),
    (re.compile(r"\[REQUIRED\]"), "[required]"),
)


def plain_value(text: str) -> str:
    """What the parser's help says of a value, in words.

    >>> [plain_value(one) for one in ("{memory_id}", "[link]", "--tag <list[str]>", "--sort <updated|oldest>")]
    ['MEMORY_ID', '[LINK]', '--tag TEXT', '--sort updated|oldest']
    >>> plain_value("At most this many.  [default: 20; 1<=x<=500]")
    'At most this many.  [default: 20; 1 to 500]'
    >>> plain_value("As they appear in [brackets].")
    'As they appear in [brackets].'
    """
    for pattern, put in _VALUES:
        text = pattern.sub(put, text)
    return text


def build_commands() -> Any:
    """The click command of everything, without click's own error texts."""
    app = typer.Typer(
        name="remanence",
        help="The memory of your coding assistants: local, visible, correctable, undoable.",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        cls=_Commands,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(_global_options)
    app.command("hook", cls=_Command, help="What a connected assistant runs for each event. It sends JSON on stdin.")(
        _hook
    )
    app.command(
        "mcp",
        cls=_Command,
        help="The MCP server for a connected assistant. It speaks the Model Context Protocol over stdin and stdout.",
    )(_mcp)
    group: Any = typer.main.get_command(app)
    group.commands = _LateCommands(group.commands)
    return group


class _LateCommands(Mapping[str, Any]):
    """The commands by name, in order; each is made when it is asked for."""

    def __init__(self, last: Mapping[str, Any]) -> None:
        self._places = dict(COMMANDS)
        self._nouns = {noun: (text, parts) for noun, text, parts in GROUPS}
        self._made = dict(last)
        self._names = tuple(name for _, names in SECTIONS for name in names)

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            if name in self._nouns:
                self._made[name] = _make_group(name, *self._nouns[name])
            else:
                self._made[name] = _make_command(name, self._places[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _make_command(name: str, place: str) -> Any:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, cls=_Command)(_load(place))
    return typer.main.get_command(app)


def _make_group(noun: str, text: str, parts: tuple[tuple[str, str], ...]) -> Any:
    group = typer.Typer(
        name=noun,
        cls=_Group,
        help=text,
        no_args_is_help=noun not in DEFAULTS,
        add_completion=False,
        rich_markup_mode=None,
    )
    if noun in DEFAULTS:
        group.callback(invoke_without_command=True)(_load(DEFAULTS[noun]))
    for name, place in parts:
        group.command(name, cls=_Command)(_load(place))
    return typer.main.get_command(group)


def _load(place: str) -> Callable[..., None]:
    """The function at "file:function" of this folder."""
    module, _, name = place.partition(":")
    function: Callable[..., None] = getattr(import_module(f".{module}", __package__), name)
    return function


def _hook(context: typer.Context, app: str, event: str) -> None:
    """For --help and --home: without them `main` runs the hook before any command line is parsed."""
    from app.cli.hook import run_hook

    home = ["--home", str(context.obj.expanduser().absolute())] if isinstance(context.obj, Path) else []
    raise typer.Exit(run_hook([*home, app, event]))


def _mcp(
    context: typer.Context,
    app: Annotated[str, typer.Argument(help="The connected assistant that asks.")] = "",
    project: Annotated[str, typer.Option(help="Folder or name of the project; left out: this folder.")] = "",
) -> None:
    """For --help and --home: without them `main` serves before any command line is parsed."""
    from app.cli.mcp import run_mcp

    home = ["--home", str(context.obj.expanduser().absolute())] if isinstance(context.obj, Path) else []
    raise typer.Exit(run_mcp([*home, *(["--project", project] if project else []), *([app] if app else [])]))


def _global_options(
    context: typer.Context,
    home: Annotated[
        Path | None, typer.Option("--home", metavar="PATH", help="Use this folder for everything (REMANENCE_HOME).")
    ] = None,
    is_version: Annotated[bool, typer.Option("--version", "-V", help="Show the version and exit.")] = False,
) -> None:
    context.obj = home
    if is_version:
        from app import __version__

        typer.echo(f"remanence {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        _load("gui:gui")(context)
