"""`remanence apps [list|create|token|pause|resume|revoke]`: who may talk to us."""

import re
from typing import Annotated

import typer

from app.cli.client import open_client
from app.cli.options import JsonOption, ask, check_choice, places_of
from app.cli.output import print_json, print_line, print_table, shown_at
from app.errors import InvalidError

UNHEARD = (
    "{title}: nothing was captured for an hour although a session is open. Restart that session; "
    "if that does not help, run remanence doctor."
)
_NO_APP = "No assistant is connected. remanence connect lists those that can be."
_SCOPES = ("capture", "read", "write", "admin")
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
NameArgument = Annotated[str, typer.Argument(help="The app, as in the list.")]


def list_apps(context: typer.Context, as_json: JsonOption = False) -> None:
    """List them, with what each may do and when it was last seen."""
    with open_client(places_of(context)) as client:
        found = client.ask("GET", "/v1/apps")
        assistants = [] if as_json else client.ask("GET", "/v1/assistants")
    if as_json:
        print_json(found)
        return
    rows = (
        (
            card["name"],
            sorted(card["scopes"]),
            card["projects"] or "all projects",
            card["is_paused"],
            card["is_revoked"],
            card["message_count"],
            shown_at(card["last_seen_at"]),
        )
        for card in found
    )
    print_table(("app", "may", "reads", "paused", "revoked", "messages", "last seen"), rows, empty=_NO_APP)
    for card in assistants:
        if card["is_connected"]:
            for said in (
                UNHEARD.format(title=card["title"]) if card["is_unheard"] else "",
                card["problem"],
                card["waiting"],
            ):
                print_line(said) if said else None


def show_apps(context: typer.Context, as_json: JsonOption = False) -> None:
    """Who may talk to us; alone it lists them."""
    if context.invoked_subcommand is None:
        list_apps(context, as_json)


def create_app(
    context: typer.Context,
    name: NameArgument,
    scope: Annotated[
        list[str] | None,
        typer.Option("--scope", help="What it may do: capture, read, write or admin; may be repeated."),
    ] = None,
    title: Annotated[str, typer.Option(help="The name that you see; left out: the same.")] = "",
) -> None:
    """Add an app of your own. Its token is printed once."""
    if not _NAME.fullmatch(name):
        raise InvalidError(
            f"An app cannot be called “{name}”.", hint="Use a-z, 0-9, dot, hyphen and underscore, as in my-editor."
        )
    for one in scope or ():
        check_choice("--scope", one, _SCOPES)
    body = {"name": name, "title": title or name, "scopes": scope or ["capture"]}
    print_line(ask(context, "POST", "/v1/apps", body=body)["token"])


def renew_token(context: typer.Context, name: NameArgument) -> None:
    """Make a new token; the old one stops working. It is printed once."""
    print_line(ask(context, "POST", f"/v1/apps/{name}/token")["token"])


def bind_app(
    context: typer.Context,
    name: NameArgument,
    project: Annotated[list[str] | None, typer.Argument(help="Folders or names of projects.")] = None,
    is_all: Annotated[bool, typer.Option("--all", help="Let it read every project again.")] = False,
) -> None:
    """Limit an app to some projects. What is shared between projects it can still read."""
    if bool(project) is is_all:
        raise InvalidError("Which projects?", hint="Name them, or add --all for every project.")
    card = ask(context, "PUT", f"/v1/apps/{name}/projects", body={"projects": project or []})
    if card["projects"]:
        print_line(
            f"{name} may read and change {', '.join(card['projects'])}, and what is shared between projects. remanence undo takes it back."
        )
    else:
        print_line(f"{name} may read and change every project.")


def pause_app(context: typer.Context, name: NameArgument) -> None:
    """Capture nothing from an app until you resume it."""
    ask(context, "POST", f"/v1/apps/{name}/pause")
    print_line(f"{name} is paused.")


def resume_app(context: typer.Context, name: NameArgument) -> None:
    """Capture from a paused app again."""
    ask(context, "POST", f"/v1/apps/{name}/resume")
    print_line(f"{name} is resumed.")


def revoke_app(context: typer.Context, name: NameArgument) -> None:
    """End an app's access for good."""
    ask(context, "DELETE", f"/v1/apps/{name}")
    print_line(f"{name} no longer has access.")
