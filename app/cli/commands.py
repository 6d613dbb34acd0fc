"""The table of commands and the global options. Each command's code is in the file of its name, imported when it is asked for:
whoever runs one command does not wait for the others.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

# (name, file:function) in the order in which --help lists them; the second table is of commands with a noun before them.
COMMANDS: tuple[tuple[str, str], ...] = (
    ("gui", "gui:gui"),
    ("serve", "serve:serve"),
    ("connect", "connect:connect"),
    ("disconnect", "connect:disconnect"),
    ("import", "transfer:import_"),
    ("export", "transfer:export"),
    ("search", "memories:search"),
    ("expand", "telling:expand"),
    ("timeline", "telling:timeline"),
    ("reindex", "memories:reindex"),
    ("reembed", "reembed:reembed"),
    ("erase", "memories:erase"),
    ("scan-secrets", "memories:scan_secrets"),
    ("archive", "archive:archive"),
    ("judge", "judge:judge"),
    ("consolidate", "consolidate:consolidate"),
    ("energy", "energy:energy"),
    ("stats", "statistics:stats"),
    ("journal", "journal:journal"),
    ("undo", "journal:undo"),
    ("redo", "journal:redo"),
    ("backup", "transfer:backup"),
    ("restore", "transfer:restore"),
    ("doctor", "doctor:doctor"),
    ("eval", "eval:evaluate"),
    ("info", "info:info"),
)
GROUPS: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
    (
        "conversations",
        "The queue of conversations.",
        (
            ("list", "conversations:list_conversations"),
            ("show", "conversations:show_conversation"),
            ("search", "conversations:search_conversations"),
            ("record", "conversations:show_record"),
            ("rename", "conversation_acts:rename"),
            ("outcome", "conversation_acts:set_outcome"),
            ("end", "conversation_acts:end"),
            ("reopen", "conversation_acts:reopen"),
            ("split", "conversation_acts:split"),
            ("merge", "conversation_acts:merge"),
            ("move", "conversation_acts:move"),
            ("questions", "conversation_acts:list_questions"),
            ("clarify", "conversation_acts:clarify"),
        ),
    ),
    (
        "messages",
        "What was typed and how it was understood; every judgement can be corrected.",
        (
            ("list", "messages:list_messages"),
            ("show", "messages:show_message"),
            ("correct-intents", "messages:correct_intents"),
            ("correct-reference", "messages:correct_reference"),
            ("dismiss-reference", "messages:dismiss_reference"),
        ),
    ),
    (
        "memories",
        "What is remembered for good.",
        (
            ("list", "memories:list_memories"),
            ("inbox", "memories:inbox"),
            ("show", "memories:show"),
            ("add", "memories:add"),
            ("edit", "memory_acts:edit"),
            ("restore", "memory_acts:restore_version"),
            ("merge", "memory_acts:merge"),
            ("pin", "memory_acts:pin"),
            ("unpin", "memory_acts:unpin"),
            ("tag", "memory_acts:tag"),
            ("untag", "memory_acts:untag"),
            ("accept", "memory_acts:accept"),
            ("reject", "memory_acts:reject"),
            ("archive", "memory_acts:archive"),
            ("unarchive", "memory_acts:unarchive"),
            ("rules", "memories:rules"),
        ),
    ),
    (
        "contradictions",
        "Memories that cannot both hold.",
        (
            ("list", "contradictions:list_contradictions"),
            ("show", "contradictions:show_contradiction"),
            ("resolve", "contradictions:resolve_contradiction"),
            ("reopen", "contradictions:reopen_contradiction"),
        ),
    ),
    (
        "episodes",
        "What conversations came to, by project and time.",
        (("list", "episodes:list_episodes"), ("show", "episodes:show_episode")),
    ),
    (
        "context",
        "What an assistant would be told now, and why.",
        (("place", "context:place"), ("placements", "context:list_placements"), ("dismiss", "context:dismiss")),
    ),
    (
        "window",
        "The messages that references may look at.",
        (
            ("load", "conversations:load_window"),
            ("log", "conversations:log_window"),
            ("hand-over", "conversations:hand_over"),
            ("clear", "conversations:clear_window"),
        ),
    ),
    (
        "exclude",
        "What is never captured: folders and words.",
        (
            ("list", "exclude:list_exclusions"),
            ("folder", "exclude:exclude_folder"),
            ("words", "exclude:exclude_words"),
            ("remove", "exclude:remove_exclusion"),
            ("test", "exclude:check_text"),
        ),
    ),
    (
        "rules",
        "What conversations taught, and knowledge-graph.yaml.",
        (
            ("list", "rules:list_rules"),
            ("edit", "rules:edit_rule"),
            ("on", "rules:switch_on"),
            ("off", "rules:switch_off"),
            ("purge", "rules:purge"),
            ("export", "rules:export_rules"),
            ("import", "rules:import_rules"),
        ),
    ),
    (
        "graph",
        "What hangs together with what.",
        (
            ("neighbours", "graph:neighbours"),
            ("path", "graph:path"),
            ("link", "graph:link"),
            ("unlink", "graph:unlink"),
            ("accept", "graph:accept"),
            ("reject", "graph:reject"),
            ("merge", "graph:merge"),
            ("unmerge", "graph:unmerge"),
            ("export", "graph:export"),
            ("rebuild", "graph:rebuild"),
        ),
    ),
    (
        "workflows",
        "What is done again and again in the same order.",
        (
            ("list", "practices:list_workflows"),
            ("show", "practices:show_one"),
            ("edit", "practices:edit_one"),
            ("on", "practices:switch_on"),
            ("off", "practices:switch_off"),
            ("purge", "practices:purge"),
        ),
    ),
    (
        "patterns",
        "Shapes that recur in the code of a project.",
        (
            ("list", "practices:list_patterns"),
            ("show", "practices:show_one"),
            ("edit", "practices:edit_one"),
            ("on", "practices:switch_on"),
            ("off", "practices:switch_off"),
            ("purge", "practices:purge"),
        ),
    ),
    (
        "notes",
        "What the conversations of an app left for the next one.",
        (
            ("list", "notes:list_notes"),
            ("search", "notes:search_notes"),
            ("add", "notes:add_note"),
            ("edit", "notes:edit_note"),
            ("delete", "notes:delete_note"),
            ("purge", "notes:purge_notes"),
            ("promote", "notes:promote_note"),
            ("expiry", "notes:set_expiry"),
            ("context", "notes:show_context"),
            ("export", "notes:export_notes"),
            ("stats", "notes:show_stats"),
        ),
    ),
    (
        "apps",
        "Who may talk to us.",
        (
            ("list", "apps:list_apps"),
            ("create", "apps:create_app"),
            ("token", "apps:renew_token"),
            ("bind", "apps:bind_app"),
            ("pause", "apps:pause_app"),
            ("resume", "apps:resume_app"),
            ("revoke", "apps:revoke_app"),
        ),
    ),
)
DEFAULTS: Mapping[str, str] = {
    "apps": "apps:show_apps",
    "context": "context:show_context",
    "exclude": "exclude:show_exclusions",
    "graph": "graph:show_graph",
    "patterns": "practices:show_patterns",
    "rules": "rules:show_rules",
    "workflows": "practices:show_workflows",
}  # what a noun alone does


def build_commands() -> Any:
    """The click command of everything, without click's own error texts."""
    app = typer.Typer(
        name="remanence",
        help="The memory of your coding assistants: local, visible, correctable, undoable.",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(_global_options)
    app.command("hook", help="What an assistant runs: hook APP EVENT, with its JSON on stdin.")(_hook)
    app.command("mcp", help="The memory for an assistant, over stdin and stdout (Model Context Protocol).")(_mcp)
    group: Any = typer.main.get_command(app)
    group.commands = _LateCommands(group.commands)
    return group


class _LateCommands(Mapping[str, Any]):
    """The commands by name, in order; each is made when it is asked for."""

    def __init__(self, last: Mapping[str, Any]) -> None:
        self._places = dict(COMMANDS)
        self._nouns = {noun: (text, parts) for noun, text, parts in GROUPS}
        self._made = dict(last)
        self._names = tuple(dict.fromkeys([*self._places, *last, *self._nouns]))

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
    app.command(name)(_load(place))
    return typer.main.get_command(app)


def _make_group(noun: str, text: str, parts: tuple[tuple[str, str], ...]) -> Any:
    group = typer.Typer(
        name=noun, help=text, no_args_is_help=noun not in DEFAULTS, add_completion=False, rich_markup_mode=None
    )
    if noun in DEFAULTS:
        group.callback(invoke_without_command=True)(_load(DEFAULTS[noun]))
    for name, place in parts:
        group.command(name)(_load(place))
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
    app: Annotated[str, typer.Argument(help="The connected assistant whose token is used.")] = "",
    project: Annotated[str, typer.Option(help="Folder or name of the project; left out: this folder.")] = "",
) -> None:
    """For --help and --home: without them `main` serves before any command line is parsed."""
    from app.cli.mcp import run_mcp

    home = ["--home", str(context.obj.expanduser().absolute())] if isinstance(context.obj, Path) else []
    raise typer.Exit(run_mcp([*home, *(["--project", project] if project else []), *([app] if app else [])]))


def _global_options(
    context: typer.Context,
    home: Annotated[
        Path | None, typer.Option("--home", metavar="PATH", help="Keep everything below this folder (REMANENCE_HOME).")
    ] = None,
    is_version: Annotated[bool, typer.Option("--version", "-V", help="Show the version.")] = False,
) -> None:
    context.obj = home
    if is_version:
        from app import __version__

        typer.echo(f"remanence {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        _load("gui:gui")(context)
