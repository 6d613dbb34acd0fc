"""`remanence episodes list|show`: what conversations came to, by project and time."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from app.cli.options import JsonOption, ask
from app.cli.output import print_json, print_line, print_table
from app.values import EpisodeType


def list_episodes(
    context: typer.Context,
    words: Annotated[
        list[str] | None, typer.Argument(help="Words, and a time: in March, last week, 2026-03.", show_default=False)
    ] = None,
    project: Annotated[str | None, typer.Option("--project", help="Only of this project.")] = None,
    kind: Annotated[EpisodeType | None, typer.Option("--type", help="Only of this type.")] = None,
    file: Annotated[str, typer.Option("--file", help="Only those that changed this file.")] = "",
    is_key: Annotated[bool, typer.Option("--key", help="Only those with a key moment.")] = False,
    limit: Annotated[int, typer.Option(help="At most this many.", min=1, max=500)] = 50,
    as_json: JsonOption = False,
) -> None:
    """List them, the newest first."""
    query = {
        "q": " ".join(words or ()), "project": project, "type": kind.value if kind else None, "file": file or None,
        "is_key": "true" if is_key else None, "limit": limit,
    }  # fmt: skip
    found = ask(context, "GET", "/v1/episodes", query=query)
    if as_json:
        print_json(found)
        return
    rows = ((one["id"], one["began_at"][:10], one["project"], _kind_words(one), one["title"]) for one in found)
    empty = "No episodes match." if words or project or kind or file or is_key else "No episodes yet."
    print_table(("id", "began", "project", "type", "title"), rows, empty=empty)


def show_episode(
    context: typer.Context,
    episode_id: Annotated[int, typer.Argument(help="The id, as in the list.")],
    as_json: JsonOption = False,
) -> None:
    """One episode: its story, what was made and learned."""
    found = ask(context, "GET", f"/v1/episodes/{episode_id}")
    if as_json:
        print_json(found)
        return
    for line in episode_lines(found):
        print_line(line)


def episode_lines(detail: dict[str, Any]) -> Iterator[str]:
    """An episode in plain lines."""
    one, arc = detail["episode"], detail["arc"]
    yield one["title"]
    yield " · ".join(filter(None, (one["began_at"][:10], one["project"], _kind_words(one), one["outcome"])))
    yield f"\n{detail['narrative']}"
    if one["context"]:
        yield one["context"]
    for name in ("beginning", "middle", "end"):
        if arc[name]:
            yield f"\n{name.capitalize()}"
        for moment in arc[name]:
            mark = "*" if moment in arc["key_moments"] else "-"
            yield f"  {mark} {moment['type'].replace('_', ' ')} (turn {moment['turn']}): {moment['text']}"
    if one["artifacts"]:
        yield "\nMade: " + ", ".join(f"{made['kind']} {made['reference']}" for made in one["artifacts"])
    if detail["memories"]:
        yield "\nLearned"
    for card in detail["memories"]:
        yield f"  {card['id']}  {card['summary']}"


def _kind_words(one: dict[str, Any]) -> str:
    return str(one["type"] or "").replace("_", " ")
