"""`remanence graph [neighbours|path|link|unlink|accept|reject|merge|unmerge|export|rebuild]`: the knowledge graph on the command line.

Owns how things are named and shown; every act is one request, taken back by `remanence undo`. Source: issue 18 "The graph".
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.client import EngineClient, open_client
from app.cli.options import JsonOption, ask, places_of
from app.cli.output import print_done, print_json, print_line, print_result
from app.errors import InvalidError, NotFoundError

_KINDS = ("memory:", "entity:", "conversation:", "file:", "rule:", "app:")
Thing = Annotated[
    str, typer.Argument(help="memory:42, entity:7, conversation:3, rule:5, app:1, file:src/a.py, or words.")
]
Other = Annotated[str, typer.Argument(help="The other one, named in the same way.")]
TypeOption = Annotated[
    str, typer.Option("--type", help="related_to, depends_on, part_of, causes, refines, supersedes …")
]
DepthOption = Annotated[int, typer.Option(min=1, max=4, help="How many links to follow.")]
ProjectOption = Annotated[str, typer.Option(help="Folder or name; left out: all.")]


def show_graph(context: typer.Context) -> None:
    """What matters now; alone it shows what is linked to the active conversation."""
    if context.invoked_subcommand is None:
        neighbours(context)


def neighbours(
    context: typer.Context,
    thing: Annotated[
        str, typer.Argument(help="As memory:42, file:src/a.py, or words; left out: what matters now.")
    ] = "",
    depth: DepthOption = 2,
    project: ProjectOption = "",
    as_json: JsonOption = False,
) -> None:
    """Show what is linked with something."""
    with open_client(places_of(context)) as client:
        key = _key(client, thing) if thing else ""
        if key:
            _look_up(client, key)
        found = client.ask("GET", "/v1/graph", query={"around": key, "project": project, "depth": str(depth)})
    if as_json:
        print_json(found)
    elif not found["nodes"]:
        print_line("Nothing is remembered yet.")
    else:
        _show_around(found)


def path(context: typer.Context, thing: Thing, other: Other, as_json: JsonOption = False) -> None:
    """Show the shortest path between two things."""
    with open_client(places_of(context)) as client:
        ends = [_key(client, one) for one in (thing, other)]
        for key in ends:
            _look_up(client, key)
        found = client.ask("GET", "/v1/graph/path", query={"from": ends[0], "to": ends[1]})
    if as_json:
        print_json(found)
    elif not found["nodes"]:
        print_line("No path between them, except through things that are linked with everything.")
    else:
        _show_links(found)


def export(
    context: typer.Context,
    target: Annotated[Path, typer.Argument(help="A .graphml, .canvas or .json file, or a folder for Markdown notes.")],
    thing: Annotated[str, typer.Option("--around", help="Where to start; left out: what matters now.")] = "",
    depth: DepthOption = 2,
    project: ProjectOption = "",
    is_replacing: Annotated[bool, typer.Option("--replace", help="Replace what is there already.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a part of the graph for other tools."""
    with open_client(places_of(context)) as client:
        key = _key(client, thing) if thing else _centre(client, project)
        body = {"around": key, "depth": depth, "path": str(target.absolute()), "is_replacing": is_replacing}
        done = client.ask("POST", "/v1/graph/export", body=body)
    count = done["file_count"]
    print_result(done, f"Wrote {count:,} file{'' if count == 1 else 's'}.", as_json=as_json)


def link(
    context: typer.Context,
    thing: Thing,
    other: Other,
    relation: TypeOption = "related_to",
    strength: Annotated[float, typer.Option(min=0.0, max=1.0, help="How strongly, 0 to 1.")] = 0.8,
    reason: Annotated[str, typer.Option(help="Why, in your words.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Link one thing with another."""
    with open_client(places_of(context)) as client:
        ends = _ends(client, thing, other)
        done = client.ask(
            "POST", "/v1/graph/links", body={**ends, "relation": relation, "strength": strength, "reason": reason}
        )
    done = {**ends, "relation": relation, **done}
    print_done(done, f"Linked {ends['from_id']} with {ends['to_id']} ({relation}).", as_json=as_json)


def unlink(
    context: typer.Context, thing: Thing, other: Other, relation: TypeOption = "related_to", as_json: JsonOption = False
) -> None:
    """Remove a link. Consolidation may find it again, unlike one that you reject."""
    with open_client(places_of(context)) as client:
        ends = _ends(client, thing, other)
        done = client.ask("DELETE", "/v1/graph/links", query={**_between(ends), "relation": relation})
    print_done({**ends, "relation": relation, **done}, "Removed the link.", as_json=as_json)


def accept(
    context: typer.Context, thing: Thing, other: Other, relation: TypeOption = "related_to", as_json: JsonOption = False
) -> None:
    """Say that a link is right. It then stays."""
    _judge(context, thing, other, relation, is_accepted=True, as_json=as_json)


def reject(
    context: typer.Context, thing: Thing, other: Other, relation: TypeOption = "related_to", as_json: JsonOption = False
) -> None:
    """Say that a link is wrong. It is never suggested again."""
    _judge(context, thing, other, relation, is_accepted=False, as_json=as_json)


def _judge(context: typer.Context, thing: str, other: str, relation: str, *, is_accepted: bool, as_json: bool) -> None:
    with open_client(places_of(context)) as client:
        ends = _ends(client, thing, other)
        body = {**ends, "relation": relation, "is_accepted": is_accepted}
        client.ask("POST", "/v1/graph/verdict", body=body)
    print_done(body, f"{'Accepted' if is_accepted else 'Rejected'} the link.", as_json=as_json)


def merge(
    context: typer.Context,
    keep: Annotated[str, typer.Argument(help="The name that stays: entity:7, or the name itself.")] = "",
    gone: Annotated[str, typer.Argument(help="The name that means the same from now on.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Say that two names mean the same. Without names, list those that may."""
    with open_client(places_of(context)) as client:
        if not keep:
            _show_same(client.ask("GET", "/v1/graph/names"), as_json=as_json)
            return
        if not gone:
            raise InvalidError("Merge it with what?", hint="Name both: remanence graph merge KEEP GONE.")
        ids = {"keep_id": _name_number(client, keep), "gone_id": _name_number(client, gone)}
        client.ask("POST", "/v1/graph/names/merge", body=ids)
    print_done(ids, f"Merged “{gone}” into “{keep}”.", as_json=as_json)


def unmerge(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A name that was merged into another.")],
    as_json: JsonOption = False,
) -> None:
    """Say that two merged names differ after all."""
    done = ask(context, "POST", "/v1/graph/names/unmerge", body={"name": name})
    print_done(done, f"“{name}” is separate again: entity:{done['entity_id']}.", as_json=as_json)


def rebuild(context: typer.Context, as_json: JsonOption = False) -> None:
    """Find links, groups and the map again. What you drew, judged or merged stays."""
    done = ask(context, "POST", "/v1/graph/rebuild")
    print_done(
        done,
        f"Rebuilt: {done['link_count']:,} found links ({done['added_count']:,} new, {done['removed_count']:,} gone), "
        f"{done['thing_count']:,} things on the map.",
        as_json=as_json,
    )


def _ends(client: EngineClient, thing: str, other: str) -> dict[str, str]:
    return {"from_id": _key(client, thing), "to_id": _key(client, other)}


def _between(ends: dict[str, str]) -> dict[str, str]:
    return {"from": ends["from_id"], "to": ends["to_id"]}


def _key(client: EngineClient, thing: str) -> str:
    """What these words name: a thing as it is written, else the best that a search finds."""
    return thing if thing.startswith(_KINDS) else str(_found(client, thing)[0]["id"])


def _look_up(client: EngineClient, key: str) -> None:
    """Raises NotFoundError for what is not in the graph."""
    try:
        client.ask("GET", "/v1/graph", query={"around": key, "depth": "1"})
    except NotFoundError as error:
        raise NotFoundError(f"There is no {key} in the graph.", hint="It may have been erased.") from error


def _name_number(client: EngineClient, name: str) -> int:
    """The number of an entity: as it is written, else the one of exactly that name, else the first that a search finds."""
    if name.startswith("entity:") and name[7:].isdigit():
        return int(name[7:])
    names = [one for one in _found(client, name) if one["kind"] == "entity"]
    same = [one for one in names if one["title"].casefold() == name.casefold()]
    if not names:
        raise NotFoundError(f"No name is “{name}”.", hint="remanence graph merge lists names that may be one.")
    return int((same or names)[0]["id"].partition(":")[2])


def _found(client: EngineClient, words: str) -> list[dict[str, Any]]:
    found = client.ask("GET", "/v1/graph/find", query={"q": words})["nodes"]
    if not found:
        raise NotFoundError(f"Nothing is called “{words}”.", hint="Try fewer words.")
    return list(found)


def _centre(client: EngineClient, project: str) -> str:
    return str(client.ask("GET", "/v1/graph", query={"project": project, "depth": "1"})["centre"])


def _show_same(pairs: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        print_json(pairs)
    elif not pairs:
        print_line("No two names seem to mean the same.")
    for one in pairs if not as_json else ():
        print_line(
            f"  entity:{one['keep_id']} “{one['keep']}”  =  entity:{one['gone_id']} “{one['gone']}”  ({one['evidence']})"
        )


def _show_around(found: dict[str, Any]) -> None:
    titles = _titles(found)
    print_line(f"Around {found['centre']}  {titles.get(found['centre'], '')}")
    for node in found["nodes"]:
        more = f"  (+{node['hidden_count']} not shown)" if node["hidden_count"] else ""
        print_line(f"  {node['id']}  {titles[node['id']]}{more}")
    _show_links(found)


def _show_links(found: dict[str, Any]) -> None:
    titles = _titles(found)
    for one in found["links"]:
        relation = one["relation"].replace("_", " ")
        print_line(f"  {titles[one['from_id']]}  –{relation}→  {titles[one['to_id']]}")


def _titles(found: dict[str, Any]) -> dict[str, str]:
    return {node["id"]: " ".join(node["title"].split()) for node in found["nodes"]}
