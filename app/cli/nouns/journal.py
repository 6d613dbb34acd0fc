"""`remanence journal|undo|redo`."""

from typing import Annotated

import typer

from app.cli.options import JsonOption, ask
from app.cli.output import print_result, print_table, shown_at


def journal(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="Only entries with these words.")] = "",
    limit: Annotated[int, typer.Option(help="At most this many.", min=1, max=1000)] = 30,
    as_json: JsonOption = False,
) -> None:
    """What happened, newest first."""
    found = ask(context, "GET", "/v1/journal", query={"limit": limit, "q": query}, as_json=as_json)
    rows = ((part["id"], shown_at(part["at"]), part["origin"], part["is_undone"], part["label"]) for part in found)
    print_table(
        ("id", "at", "by", "undone", "what"),
        rows,
        empty="No entry has these words." if query else "Nothing happened yet.",
    )


def undo(
    context: typer.Context,
    operation_id: Annotated[
        int | None, typer.Argument(help="The number, as in remanence journal; left out: your last change.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Undo your last change, or the one with this number."""
    done = ask(context, "POST", "/v1/journal/undo", body={"operation_id": operation_id})
    _say(done, as_json=as_json)


def redo(context: typer.Context, as_json: JsonOption = False) -> None:
    """Redo what was undone last."""
    done = ask(context, "POST", "/v1/journal/redo")
    _say(done, as_json=as_json)


def _say(done: dict[str, object], *, as_json: bool) -> None:
    print_result(done, str(done["label"]), as_json=as_json)
