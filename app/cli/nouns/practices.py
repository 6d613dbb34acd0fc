"""`remanence workflows` and `remanence patterns`: what recurs in the work and in the code. Every act is one request. Source: S4."""

from typing import Annotated, Any

import typer

from app.cli.options import JsonOption, ask
from app.cli.output import print_done, print_json, print_line, print_table
from app.errors import InvalidError

PracticeId = Annotated[int, typer.Argument(help="Its id, as in the list.")]


def list_workflows(context: typer.Context, as_json: JsonOption = False) -> None:
    """List workflows: steps that you repeat in the same order."""
    _list(context, "workflows", as_json=as_json)


def list_patterns(context: typer.Context, as_json: JsonOption = False) -> None:
    """List patterns that recur in the code of a project."""
    _list(context, "patterns", as_json=as_json)


def _list(context: typer.Context, what: str, *, as_json: bool) -> None:
    found = ask(context, "GET", f"/v1/{what}")
    if as_json:
        print_json(found)
    elif found:
        print_table(("id", "seen", "well", "on", "trigger", "hint"), [_row(one) for one in found])
    else:
        print_line(f"No {what} yet. remanence consolidate finds what was done at least three times.")


def _row(one: Any) -> tuple[object, ...]:
    well = f"{one['succeeded'] / one['times']:.0%}" if one["times"] and one["kind"] == "workflow" else ""
    return one["id"], one["times"] or "", well, "yes" if one["is_on"] else "no", one["trigger"], one["hint"]


def show_workflows(context: typer.Context) -> None:
    """What is done again and again; alone it lists the workflows."""
    if context.invoked_subcommand is None:
        list_workflows(context)


def show_patterns(context: typer.Context) -> None:
    """Shapes that recur in the code; alone it lists the patterns."""
    if context.invoked_subcommand is None:
        list_patterns(context)


def show_one(context: typer.Context, practice_id: PracticeId, as_json: JsonOption = False) -> None:
    """Show one in full, step by step."""
    one = ask(context, "GET", f"/v1/practices/{practice_id}", as_json=as_json)
    print_line(f"{one['title']}   {one['trigger']}   {one['hint']}")
    print_table(("part", "is"), [(part["name"], part["content"]) for part in one["parts"]])
    for example in one["examples"]:
        print_line(example)


def edit_one(
    context: typer.Context,
    practice_id: PracticeId,
    title: Annotated[str, typer.Option(help="What it is called.")] = "",
    trigger: Annotated[str, typer.Option(help="When it is given, as in deploy_request or new_endpoint.")] = "",
    step: Annotated[list[str] | None, typer.Option(help="A part as “name: command”; all of them, in order.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Edit one. Its steps then stay as you wrote them."""
    body: dict[str, Any] = {"title": title or None, "trigger": trigger or None}
    if step:
        pairs = [one.partition(":") for one in step]
        body["parts"] = [{"name": name.strip(), "content": content.strip()} for name, _, content in pairs]
    body = {name: one for name, one in body.items() if one is not None}
    if not body:
        raise InvalidError("There is nothing to change.", hint="Name a --title, a --trigger, or each --step.")
    ask(context, "PATCH", f"/v1/practices/{practice_id}", body=body)
    print_done({"id": practice_id}, f"Edited {practice_id}.", as_json=as_json)


def switch_on(context: typer.Context, practice_id: PracticeId, as_json: JsonOption = False) -> None:
    """Give it to your assistants again."""
    _switch(context, practice_id, is_on=True, as_json=as_json)


def switch_off(context: typer.Context, practice_id: PracticeId, as_json: JsonOption = False) -> None:
    """Keep it, but never give it."""
    _switch(context, practice_id, is_on=False, as_json=as_json)


def _switch(context: typer.Context, practice_id: int, *, is_on: bool, as_json: bool) -> None:
    ask(context, "PATCH", f"/v1/practices/{practice_id}", body={"is_on": is_on})
    print_done({"id": practice_id}, f"{practice_id} is {'on' if is_on else 'off'}.", as_json=as_json)


def purge(context: typer.Context, practice_id: PracticeId, as_json: JsonOption = False) -> None:
    """Archive it: it is not learned again."""
    ask(context, "DELETE", f"/v1/practices/{practice_id}")
    print_done({"purged": 1}, f"Archived {practice_id}.", as_json=as_json)
