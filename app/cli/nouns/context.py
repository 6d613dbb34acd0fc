"""`remanence context|expand|timeline`: what an assistant would be given now, line by line with its reasons, how memories are to be given, and
what an assistant that asks reads, word for word.

A preview keeps no receipt. Owns how it is shown; the one request is answered by the running app or an engine of our own. Source: DESIGN section 6 "CLI".
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.client import open_client
from app.cli.options import JsonOption, ask, check_choice, places_of, project_of, read_instant
from app.cli.output import print_json, print_line, print_table
from app.errors import InvalidError, NotFoundError
from app.places import Places
from app.values import Activity, Level, Tier

AUTOMATIC = "automatic"
_LINE_CHARS = 90
_PLACED = ("memory", "level", "tier", "given")
ProjectOption = Annotated[
    str, typer.Option("--project", help="Folder or name of the project asked from; left out: this folder.")
]
AsOfOption = Annotated[str, typer.Option("--as-of", help="As it was known on that day: 2026-03-03.")]


def show_context(
    context: typer.Context,
    prompt: Annotated[str, typer.Option(help="What you are about to ask.")] = "",
    project: Annotated[str, typer.Option(help="Folder or name of the project; left out: this folder.")] = "",
    file: Annotated[str, typer.Option(help="The file that is open.")] = "",
    error: Annotated[list[str] | None, typer.Option(help="The last error; may be repeated.")] = None,
    branch: Annotated[str, typer.Option(help="The branch that is checked out.")] = "",
    collaborator: Annotated[str, typer.Option(help="Whom you work with on this.")] = "",
    activity: Annotated[
        Activity | None, typer.Option(help="What you are doing; left out: judged from the rest.")
    ] = None,
    budget: Annotated[int, typer.Option(help="How many tokens it may take.", min=100, max=32_000)] = 8_000,
    is_window: Annotated[
        bool,
        typer.Option(
            "--window",
            help="The whole context window of a model, messages included, with the budget from the settings.",
        ),
    ] = False,
    total: Annotated[int | None, typer.Option(help="Tokens of the whole window.", min=1_000, max=2_000_000)] = None,
    system: Annotated[str, typer.Option(help="The system prompt of the whole window; @FILE reads it.")] = "",
    active: Annotated[list[str] | None, typer.Option(help="Something else that you work on; may be repeated.")] = None,
    session: Annotated[str, typer.Option(help="The session whose messages are in the window.")] = "",
    text: Annotated[bool, typer.Option("--text", help="Print only the text, exactly as it is given.")] = False,
    as_json: JsonOption = False,
) -> None:
    """What an assistant would be given now, and why. Nothing of it is kept."""
    if context.invoked_subcommand is not None:
        return
    signals = {
        "prompt": prompt, "current_file": file, "recent_errors": error or [], "branch": branch,
        "activity": activity.value if activity else None, "collaborator": collaborator,
    }  # fmt: skip
    where = {"project": project_of(project), "session": session, "signals": signals, "is_preview": True}
    if is_window:
        window = {"total": total, "system_prompt": _read_system(system), "active": active or []}
        _show_window(places_of(context), where | window, as_text=text, as_json=as_json)
        return
    body = {"budget": budget, **where}
    made = ask(context, "POST", "/v1/context/assemble", body=body)
    if as_json:
        print_json(made)
    elif text:
        print_line(made["context"])
    elif not made["items"]:
        print_line("Nothing relevant, so nothing would be given.")
    else:
        heads = ("tier", "level", "tokens", "score", "line", "why")
        print_table(heads, (_row(item) for item in made["items"]))
        tiers = ", ".join(f"{tier.value} {made['tiers'][f'tier{n}']}" for n, tier in enumerate(Tier, 1))
        print_line(f"{made['token_count']} of {budget} tokens ({tiers}). {' '.join(made['warnings'])}".rstrip())


def _show_window(places: Places, body: dict[str, object], *, as_text: bool, as_json: bool) -> None:
    with open_client(places) as client:
        made = client.ask("POST", "/v1/context/window", body=body)
    if as_json:
        print_json(made)
    elif as_text:
        print_line(made["window"])
    else:
        heads = ("part", "priority", "used", "of", "items")
        rows = ((one["name"], one["priority"], one["used_tokens"], one["budget_tokens"], len(one["texts"]))
                for one in made["parts"])  # fmt: skip
        print_table(heads, rows)
        budget = made["budget"]
        said = f"{budget['used']:,} of {budget['total']:,} tokens used, {budget['available']:,} available."
        print_line(" ".join((said, *made["warnings"])))


def _read_system(said: str) -> str:
    """A system prompt as typed, or of the file behind an @."""
    if not said.startswith("@"):
        return said
    try:
        return Path(said[1:]).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidError(f"{said[1:]} cannot be read.", hint="Give a text file after the @.") from error


def place(
    context: typer.Context,
    memory_ids: Annotated[list[int], typer.Argument(help="Ids, as in the list of memories.")],
    level: Annotated[str | None, typer.Option(help=f"{', '.join(Level)}, or {AUTOMATIC}.")] = None,
    tier: Annotated[str | None, typer.Option(help=f"{', '.join(Tier)}, or {AUTOMATIC}.")] = None,
    never: Annotated[bool | None, typer.Option("--never/--again", help="Never give them, or give them again.")] = None,
) -> None:
    """Choose how memories are given, or that they never are. The level is the length of the text, the tier its place."""
    wanted = [(name, value) for name, value in (("tier", tier), ("level", level)) if value is not None]
    if not wanted and never is None:
        raise InvalidError("Nothing was chosen.", hint="Add --level, --tier or both; or --never, or --again.")
    for name, value in wanted:
        check_choice(f"--{name}", value, [*(Tier if name == "tier" else Level), AUTOMATIC])
    with open_client(places_of(context)) as client:
        for name, value in wanted:
            client.ask("POST", f"/v1/context/{name}", body={"ids": memory_ids, name: value})
        if never is not None:
            client.ask("POST", "/v1/context/withhold", body={"ids": memory_ids, "is_withheld": never})
        known = {one["memory_id"]: one for one in client.ask("GET", "/v1/context/placements")}
    print_table(_PLACED, (_placed(known.get(one, {"memory_id": one})) for one in memory_ids))


def list_placements(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the memories for which you chose."""
    found = ask(context, "GET", "/v1/context/placements")
    if as_json:
        print_json(found)
    elif found:
        print_table(_PLACED, map(_placed, found))
    else:
        print_line("No choices yet: every memory is given as it fits best.")


def _placed(one: dict[str, object]) -> tuple[object, ...]:
    when = "never" if one.get("is_withheld") else "when it fits"
    return one["memory_id"], one.get("level") or AUTOMATIC, one.get("tier") or AUTOMATIC, when


def dismiss(
    context: typer.Context,
    line: Annotated[str, typer.Argument(help="The line as it appears in a context, or its command.")],
    project: Annotated[str, typer.Option(help="Folder or name of the project; left out: this folder.")] = "",
) -> None:
    """Give a failed command no more until it runs again."""
    ask(context, "POST", "/v1/context/dismiss", body={"line": line, "project": project_of(project)})
    print_line("Dismissed until it runs again.")


def _row(item: dict[str, object]) -> tuple[object, ...]:
    line = str(item["text"])
    short = line if len(line) <= _LINE_CHARS else f"{line[: _LINE_CHARS - 1]}…"
    return item["tier"], item["level"], item["tokens"], f"{item['score']:.2f}", short, item["reason"]


def expand(
    context: typer.Context,
    ids: Annotated[list[int], typer.Argument(help="Numbers of memories, as they appear in [brackets] in a context.")],
    project: ProjectOption = "",
    as_of: AsOfOption = "",
    as_json: JsonOption = False,
) -> None:
    """Show memories in full, as your assistant reads them."""
    query = {"id": ids, "project": project_of(project), "as_of": read_instant(as_of) if as_of else None}
    found = _ask(context, "/v1/context/expand", query)
    if not found["memory_ids"]:
        raise NotFoundError(
            f"Your assistant is not given {', '.join(map(str, ids))} here.",
            hint="remanence memories show ID shows a memory whether it is given or not.",
        )
    _show(found, as_json=as_json)


def timeline(
    context: typer.Context,
    topic: Annotated[str, typer.Argument(help="Words that must occur; left out: everything.")] = "",
    project: ProjectOption = "",
    limit: Annotated[int, typer.Option(help="At most this many, the newest.", min=1, max=100)] = 30,
    as_of: AsOfOption = "",
    as_json: JsonOption = False,
) -> None:
    """What was learned and when, oldest first. What is no longer true is included. It is what your assistant reads."""
    query = {
        "topic": topic, "project": project_of(project), "limit": limit,
        "as_of": read_instant(as_of) if as_of else None,
    }  # fmt: skip
    _show(_ask(context, "/v1/context/timeline", query), as_json=as_json)


def _ask(context: typer.Context, path: str, query: Mapping[str, object]) -> dict[str, Any]:
    found: dict[str, Any] = ask(context, "GET", path, query=query)
    return found


def _show(found: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    print_line(found["text"] or "No memory matches.")
    if found["note"]:
        print_line(found["note"])
