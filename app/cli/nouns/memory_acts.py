"""`remanence memories edit|merge|pin|unpin|tag|untag|accept|reject|archive|unarchive|restore`: what a person does to memories.

Owns how each act is asked for; every one is one request and one entry of the journal. Source: UX 4.4.
"""

from typing import Annotated, Any

import typer

from app.cli.client import open_desk
from app.cli.options import JsonOption, places_of, read_instant
from app.cli.output import print_done
from app.errors import InvalidError, NotFoundError
from app.values import FactType, Visibility

Ids = Annotated[list[int], typer.Argument(help="The ids, as in the list.")]
OneId = Annotated[int, typer.Argument(help="The id, as in the list.")]
TagsOption = Annotated[list[str], typer.Option("--tag", help="A tag; may be repeated.")]
_OPTIONS = "--text, --title, --type, --value, --category, --importance, --valid-from, --valid-to, --told-in"


def edit(
    context: typer.Context,
    memory_id: OneId,
    text: Annotated[str | None, typer.Option(help="The new full text; shorter sizes are written again.")] = None,
    title: Annotated[str | None, typer.Option(help="The new title.")] = None,
    fact_type: Annotated[FactType | None, typer.Option("--type", help="The new type.")] = None,
    value: Annotated[str | None, typer.Option(help="The new value, of what the memory says.")] = None,
    category: Annotated[str | None, typer.Option(help="The new category.")] = None,
    importance: Annotated[float | None, typer.Option(help="0 to 1.", min=0, max=1)] = None,
    valid_from: Annotated[str, typer.Option(help="It holds from this day on: 2026-03-03.")] = "",
    valid_to: Annotated[str, typer.Option(help="It holds until this day; “open” takes the end away.")] = "",
    told_in: Annotated[
        Visibility | None, typer.Option(help="user-private: in its project; project-shared, system: in every one.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Change a memory; the state before is kept as a version."""
    given: dict[str, object | None] = {
        "full": text, "title": title, "type": fact_type.value if fact_type else None, "value": value,
        "category": category, "importance": importance, "visibility": told_in.value if told_in else None,
        "valid_from": read_instant(valid_from) if valid_from else None,
    } | _end_of(valid_to)  # fmt: skip
    body = {name: changed for name, changed in given.items() if changed is not None}
    if not body:
        raise InvalidError("There is nothing to change.", hint=f"Give one of {_OPTIONS}.")
    with open_desk(places_of(context)) as desk:
        desk.ask("PATCH", f"/v1/memories/{memory_id}", body=body)
    print_done({"id": memory_id}, f"Edited memory {memory_id}.", as_json=as_json)


def _end_of(valid_to: str) -> dict[str, object | None]:
    if valid_to == "open":
        return {"is_valid_to_removed": True}
    return {"valid_to": read_instant(valid_to) if valid_to else None}


def restore_version(
    context: typer.Context,
    memory_id: OneId,
    number: Annotated[int, typer.Argument(help="The version's number, as remanence memories show prints it.")],
    as_json: JsonOption = False,
) -> None:
    """Bring an earlier version of a memory back; the present one becomes a version."""
    with open_desk(places_of(context)) as desk:
        versions: list[dict[str, Any]] = desk.ask("GET", f"/v1/memories/{memory_id}/versions")
        found = next((one["id"] for one in versions if one["number"] == number), None)
        if found is None:
            known = ", ".join(str(one["number"]) for one in reversed(versions))
            hint = f"It has {known}." if known else "It was never changed."
            raise NotFoundError(f"Memory {memory_id} has no version {number}.", hint=hint)
        desk.ask("POST", f"/v1/memories/{memory_id}/restore", body={"version_id": found})
    print_done({"id": memory_id}, f"Memory {memory_id} is as in version {number} again.", as_json=as_json)


def pin(context: typer.Context, ids: Ids, as_json: JsonOption = False) -> None:
    """Pin memories: they are never forgotten."""
    _act(context, "pin", ids, "Pinned", as_json=as_json, is_pinned=True)


def unpin(context: typer.Context, ids: Ids, as_json: JsonOption = False) -> None:
    """Take the pin off memories."""
    _act(context, "pin", ids, "Unpinned", as_json=as_json, is_pinned=False)


def tag(context: typer.Context, ids: Ids, tags: TagsOption, as_json: JsonOption = False) -> None:
    """Add tags to memories."""
    if not all(one.strip() for one in tags):
        raise InvalidError("A tag needs a text.", hint="For example: --tag database")
    _act(context, "tag", ids, "Tagged", as_json=as_json, add=tags)


def untag(context: typer.Context, ids: Ids, tags: TagsOption, as_json: JsonOption = False) -> None:
    """Take tags off memories."""
    _act(context, "tag", ids, "Untagged", as_json=as_json, remove=tags)


def archive(context: typer.Context, ids: Ids, as_json: JsonOption = False) -> None:
    """Put memories away; undo or unarchive brings them back."""
    _act(context, "archive", ids, "Archived", as_json=as_json)


def unarchive(context: typer.Context, ids: Ids, as_json: JsonOption = False) -> None:
    """Bring archived memories back."""
    _act(context, "unarchive", ids, "Brought back", as_json=as_json)


def merge(
    context: typer.Context,
    ids: Ids,
    text: Annotated[str, typer.Option(help="The text of the memory that stays; left out: its own text.")] = "",
    keep: Annotated[int | None, typer.Option(help="The id of the memory that stays; left out: the first.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Make one memory of several; undo brings the others back."""
    with open_desk(places_of(context)) as desk:
        made = desk.ask("POST", "/v1/memories/merge", body={"ids": ids, "text": text, "keep_id": keep})
    print_done(made, f"Merged {len(ids)} memories into memory {made['id']}.", as_json=as_json)


def accept(context: typer.Context, ids: Ids, as_json: JsonOption = False) -> None:
    """Say yes to proposed memories: active and trusted from now on."""
    _act(context, "accept", ids, "Accepted", as_json=as_json)


def reject(
    context: typer.Context,
    ids: Ids,
    never: Annotated[str, typer.Option("--never", help="Never again learn what holds these words.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Say no to memories; with --never nothing like them is learned again."""
    rule = {"rule": {"verdict": "never", "phrase": never}} if never else {}
    _act(context, "reject", ids, "Rejected", as_json=as_json, **rule)


def _act(context: typer.Context, act: str, ids: list[int], verb: str, *, as_json: bool, **more: object) -> None:
    with open_desk(places_of(context)) as desk:
        desk.ask("POST", f"/v1/memories/{act}", body={"ids": ids, **more})
    print_done({"ids": ids}, f"{verb} {len(ids)} {'memory' if len(ids) == 1 else 'memories'}.", as_json=as_json)
