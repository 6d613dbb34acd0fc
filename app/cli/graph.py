"""`remanence graph`: what hangs together with what, the way between two things, and the graph in files for other tools."""

from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.client import Desk, open_desk
from app.cli.options import JsonOption, places_of
from app.cli.output import print_json, print_line
from app.errors import NotFoundError

_KINDS = ("memory:", "entity:", "conversation:", "file:")


def graph(
    context: typer.Context,
    thing: Annotated[str, typer.Argument(help="memory:42, file:src/a.py, or words; left out: what matters now.")] = "",
    to: Annotated[str, typer.Option(help="Say how it hangs together with this thing.")] = "",
    depth: Annotated[int, typer.Option(min=1, max=4, help="Links from the middle to the edge.")] = 2,
    export: Annotated[
        Path | None, typer.Option(help="Write it: .graphml, .canvas, .json, or a folder for Markdown notes.")
    ] = None,
    project: Annotated[str, typer.Option(help="Folder or name; left out: all.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Show what hangs together with what."""
    with open_desk(places_of(context)) as desk:
        key = _key(desk, thing) if thing else ""
        if to:
            query = {"from": key or _centre(desk, project), "to": _key(desk, to)}
            found = desk.ask("GET", "/v1/graph/path", query=query)
        else:
            found = desk.ask("GET", "/v1/graph", query={"around": key, "project": project, "depth": str(depth)})
        if export is not None:
            body = {"around": key or found["centre"], "depth": depth, "path": str(export.absolute())}
            done = desk.ask("POST", "/v1/graph/export", body=body)
            print_line(f"Wrote {done['file_count']:,} file{'' if done['file_count'] == 1 else 's'}.")
            return
    if as_json:
        print_json(found)
    elif to and not found["nodes"]:
        print_line("There is no way between them that is not by way of everything.")
    elif not found["nodes"]:
        print_line("Nothing is known yet.")
    else:
        _show(found, is_way=bool(to))


def _key(desk: Desk, thing: str) -> str:
    """What these words name: a thing as it is written, else the best that a search finds."""
    if thing.startswith(_KINDS):
        return thing
    found = desk.ask("GET", "/v1/graph/find", query={"q": thing})
    if not found["nodes"]:
        raise NotFoundError(f"Nothing is called “{thing}”.", hint="Try fewer words.")
    return str(found["nodes"][0]["id"])


def _centre(desk: Desk, project: str) -> str:
    return str(desk.ask("GET", "/v1/graph", query={"project": project, "depth": "1"})["centre"])


def _show(found: dict[str, Any], *, is_way: bool) -> None:
    titles = {node["id"]: " ".join(node["title"].split()) for node in found["nodes"]}
    if not is_way:
        print_line(f"Around {found['centre']}  {titles.get(found['centre'], '')}")
        for node in found["nodes"]:
            more = f"  (+{node['hidden_count']} not shown)" if node["hidden_count"] else ""
            print_line(f"  {node['id']}  {titles[node['id']]}{more}")
    for link in found["links"]:
        relation = link["relation"].replace("_", " ")
        print_line(f"  {titles[link['from_id']]}  –{relation}→  {titles[link['to_id']]}")
