"""`remanence connect|disconnect APP`: shows the exact change to an assistant's configuration, then makes it."""

import sys
from typing import Annotated, Any

import typer

from app.cli.client import EngineClient, open_client
from app.cli.options import JsonOption, places_of
from app.cli.output import print_json, print_line, print_table
from app.errors import InvalidError

YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Make the change without asking.")]
DryOption = Annotated[bool, typer.Option("--dry-run", help="Only show the change.")]
NameArgument = Annotated[str, typer.Argument(help="The assistant, for example claude-code or codex.")]


def connect(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The assistant, as in claude-code; without one, all are listed.")] = "",
    yes: YesOption = False,
    dry_run: DryOption = False,
    as_json: JsonOption = False,
) -> None:
    """Connect an assistant. You see what changes first."""
    with open_client(places_of(context)) as client:
        if not name:
            _list(client, as_json=as_json)
        elif _agree(client, f"/v1/assistants/{name}/connect", yes=yes, dry_run=dry_run, as_json=as_json):
            notes = client.ask("GET", f"/v1/assistants/{name}/notes")
            card = client.ask("POST", f"/v1/assistants/{name}/connect")
            print_line(f"{card['title']} is connected. Say something to it; remanence apps shows when it arrives.")
            print_line(_reach(card))
            for note in notes:
                print_line(note)


def _reach(card: dict[str, Any]) -> str:
    """What its token may read, and how to change that."""
    if card["projects"]:
        return f"It may read only {', '.join(card['projects'])}, and what is shared between projects."
    return f"It may read every project. To limit it: remanence apps bind {card['name']} FOLDER."


def disconnect(
    context: typer.Context,
    name: NameArgument,
    yes: YesOption = False,
    dry_run: DryOption = False,
    purges_notes: Annotated[bool, typer.Option("--purge-memories", help="Also delete its notes.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Disconnect an assistant. Only our entries leave its configuration; you see what changes first."""
    with open_client(places_of(context)) as client:
        if _agree(client, f"/v1/assistants/{name}/disconnect", yes=yes, dry_run=dry_run, as_json=as_json):
            query = {"purgeMemories": "true"} if purges_notes else None
            client.ask("POST", f"/v1/assistants/{name}/disconnect", query=query)
            print_line(f"{name} is disconnected.")


def _list(client: EngineClient, *, as_json: bool) -> None:
    cards = client.ask("GET", "/v1/assistants")
    if as_json:
        print_json(cards)
        return
    rows = (
        (card["name"], card["title"], card["is_found"], card["is_connected"], card["problem"] or card["waiting"])
        for card in cards
    )
    print_table(("name", "assistant", "found", "connected", "to do"), rows)


def _agree(client: EngineClient, path: str, *, yes: bool, dry_run: bool, as_json: bool) -> bool:
    """Shows the edits; True when they are to be made."""
    edits: list[dict[str, Any]] = client.ask("GET", path)
    if as_json:
        print_json(edits)
    else:
        _show(edits)
    if dry_run or not edits:
        return False
    if yes:
        return True
    if not sys.stdin.isatty():
        raise InvalidError(
            "Nothing was changed: no answer can be typed here.",
            hint="Add --yes to make the change, or --dry-run to look at it.",
        )
    return typer.confirm("Make this change?", default=True, err=True)


def _show(edits: list[dict[str, Any]]) -> None:
    if not edits:
        print_line("There is nothing to change.")
    for edit in edits:
        note = " (new file)" if edit["is_new"] else " (removed)" if edit["is_removed"] else ""
        print_line(f"{edit['path']}{note}")
        print_line(edit["diff"].rstrip("\n"))
