"""`remanence apps [list|create|token|pause|resume|revoke]`: who may talk to us."""

from typing import Annotated

import typer

from app.cli.client import open_client
from app.cli.options import JsonOption, ask, places_of
from app.cli.output import print_json, print_line, print_table

UNHEARD = (
    "{title}: nothing was captured for an hour though a session of it runs. Restart its open sessions; "
    "remanence doctor says what else may be in the way."
)
NameArgument = Annotated[str, typer.Argument(help="The app, as in the list.")]


def list_apps(context: typer.Context, as_json: JsonOption = False) -> None:
    """Every app with its rights and when it was last seen."""
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
            card["last_seen_at"],
        )
        for card in found
    )
    print_table(("app", "may", "reads", "paused", "revoked", "messages", "last seen"), rows)
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
    scope: Annotated[list[str] | None, typer.Option("--scope", help="capture, read, write or admin; repeat.")] = None,
    title: Annotated[str, typer.Option(help="The name for people.")] = "",
) -> None:
    """Make an app of your own; prints its token, once."""
    body = {"name": name, "title": title or name, "scopes": scope or ["capture"]}
    print_line(ask(context, "POST", "/v1/apps", body=body)["token"])


def renew_token(context: typer.Context, name: NameArgument) -> None:
    """Make a new token; the old one ends. Printed once."""
    print_line(ask(context, "POST", f"/v1/apps/{name}/token")["token"])


def bind_app(
    context: typer.Context,
    name: NameArgument,
    project: Annotated[list[str] | None, typer.Argument(help="Folders or names of projects.")] = None,
    is_all: Annotated[bool, typer.Option("--all", help="Every project again.")] = False,
) -> None:
    """Let an app read and change these projects only, beside what is shared. `remanence undo` takes it back."""
    if bool(project) is is_all:
        raise typer.BadParameter("Name the projects, or say --all.")
    card = ask(context, "PUT", f"/v1/apps/{name}/projects", body={"projects": project or []})
    if card["projects"]:
        print_line(f"{name} reads and changes only: {', '.join(card['projects'])}; and what is shared.")
    else:
        print_line(f"{name} reads every project.")


def pause_app(context: typer.Context, name: NameArgument) -> None:
    """Take nothing from an app until resumed."""
    ask(context, "POST", f"/v1/apps/{name}/pause")
    print_line(f"{name} is paused.")


def resume_app(context: typer.Context, name: NameArgument) -> None:
    """Take from a paused app again."""
    ask(context, "POST", f"/v1/apps/{name}/resume")
    print_line(f"{name} is on again.")


def revoke_app(context: typer.Context, name: NameArgument) -> None:
    """End an app's token for good."""
    ask(context, "DELETE", f"/v1/apps/{name}")
    print_line(f"{name} may no longer talk to us.")
