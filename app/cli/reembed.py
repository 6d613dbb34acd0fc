"""`remanence reembed`: compute the vectors of memories again, see how far that is, stop it."""

from typing import Annotated, Any

import typer

from app.cli.client import open_client
from app.cli.options import JsonOption, places_of
from app.cli.output import print_json, print_line


def reembed(
    context: typer.Context,
    is_status: Annotated[bool, typer.Option("--status", help="Only show the state.")] = False,
    is_stopped: Annotated[bool, typer.Option("--stop", help="Stop it; the earlier vectors stay in use.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Prepare search by meaning again. The model that Settings names computes all vectors, in the background."""
    with open_client(places_of(context)) as client:
        if is_status:
            state: dict[str, Any] = client.ask("GET", "/v1/search/meaning")
        else:
            state = client.ask("POST", "/v1/search/meaning/stop" if is_stopped else "/v1/search/meaning")
    if as_json:
        print_json(state)
        return
    for line in _lines(state):
        print_line(line)


def _lines(state: dict[str, Any]) -> list[str]:
    serving, building = state["serving"], state["building"]
    if not state["is_on"]:
        return ["Search uses words only. In Settings, “Search by meaning with” chooses a model."]
    lines = [
        f"Search by meaning uses {_said(serving)}."
        if serving
        else "Search uses words only until the model has read all memories."
    ]
    if building:
        done = f"{building['memory_count']:,} of {state['memory_count']:,} memories"
        lines.append(f"{_said(building)}: {done}{', stopped' if state['is_stopped'] else ''}.")
    return lines + ([f"Waiting: {state['problem']}"] if state["problem"] else [])


def _said(model: dict[str, Any]) -> str:
    return f"{model['model']} at {model['address']}, version {model['version']}"
