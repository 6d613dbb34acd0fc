"""`remanence journal|undo|redo`."""

from typing import Annotated

import typer

from app.cli.client import open_desk
from app.cli.options import JsonOption, places_of
from app.cli.output import print_json, print_line, print_table


def journal(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="Only entries that hold these words.")] = "",
    limit: Annotated[int, typer.Option(help="At most this many.", min=1, max=1000)] = 30,
    as_json: JsonOption = False,
) -> None:
    """What happened, newest first."""
    with open_desk(places_of(context)) as desk:
        found = desk.ask("GET", "/v1/journal", query={"limit": limit, "q": query})
    if as_json:
        print_json(found)
        return
    rows = ((part["id"], part["at"], part["origin"], part["is_undone"], part["label"]) for part in found)
    print_table(("id", "at", "by", "undone", "what"), rows)


def undo(
    context: typer.Context,
    operation_id: Annotated[int | None, typer.Argument(help="An id of the journal; else your last change.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Undo your last change, or the one with this id."""
    with open_desk(places_of(context)) as desk:
        done = desk.ask("POST", "/v1/journal/undo", body={"operation_id": operation_id})
    _say(done, as_json=as_json)


def redo(context: typer.Context, as_json: JsonOption = False) -> None:
    """Do again what was undone last."""
    with open_desk(places_of(context)) as desk:
        done = desk.ask("POST", "/v1/journal/redo")
    _say(done, as_json=as_json)


def _say(done: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        print_json(done)
    else:
        print_line(str(done["label"]))
