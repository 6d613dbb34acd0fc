"""`remanence expand|timeline`: what an assistant that asks is told, word for word, from a project or from none.

Owns the words around it. What may not be told there is not shown here either: `memories show` is the person's own look.
Source: DESIGN section 6 "MCP".
"""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from app.cli.client import open_desk
from app.cli.options import JsonOption, places_of, project_of, read_instant
from app.cli.output import print_json, print_line
from app.errors import NotFoundError

ProjectOption = Annotated[
    str, typer.Option("--project", help="Folder or name of the project asked from; left out: this folder.")
]
AsOfOption = Annotated[str, typer.Option("--as-of", help="As it was known and held then: 2026-03-03.")]


def expand(
    context: typer.Context,
    ids: Annotated[list[int], typer.Argument(help="Numbers, as they appear in [brackets] in a context.")],
    project: ProjectOption = "",
    as_of: AsOfOption = "",
    as_json: JsonOption = False,
) -> None:
    """Memories whole, as an assistant reads them."""
    query = {"id": ids, "project": project_of(project), "as_of": read_instant(as_of) if as_of else None}
    found = _ask(context, "/v1/context/expand", query)
    if not found["memory_ids"]:
        raise NotFoundError(
            f"An assistant is given nothing of {', '.join(map(str, ids))} here.",
            hint="remanence memories show ID also shows what is not given.",
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
    """What was learned and when, oldest first, what is over included; as an assistant reads it."""
    query = {
        "topic": topic, "project": project_of(project), "limit": limit,
        "as_of": read_instant(as_of) if as_of else None,
    }  # fmt: skip
    _show(_ask(context, "/v1/context/timeline", query), as_json=as_json)


def _ask(context: typer.Context, path: str, query: Mapping[str, object]) -> dict[str, Any]:
    with open_desk(places_of(context)) as desk:
        found: dict[str, Any] = desk.ask("GET", path, query=query)
    return found


def _show(found: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    print_line(found["text"] or "Nothing that is remembered fits.")
    if found["note"]:
        print_line(found["note"])
