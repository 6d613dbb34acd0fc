"""`remanence energy`: how much there is for background work, what used it, what was put off."""

from typing import Any

import typer

from app.cli.client import open_desk
from app.cli.options import JsonOption, places_of
from app.cli.output import print_json, print_line


def energy(context: typer.Context, as_json: JsonOption = False) -> None:
    """Show what background work takes, and what waits."""
    with open_desk(places_of(context)) as desk:
        state: dict[str, Any] = desk.ask("GET", "/v1/energy")
    if as_json:
        print_json(state)
        return
    low = ", low: what can wait waits" if state["is_low"] else ""
    refill = f"{state['refill_per_hour']:,.0f} an hour come back"
    print_line(f"{state['level']:,.0f} of {state['capacity']:,.0f} units{low}; {refill}.")
    for use in state["uses"]:
        put_off = f", put off {use['put_off_count']} times" if use["put_off_count"] else ""
        tokens = f", {use['token_count']:,} tokens" if use["token_count"] else ""
        print_line(f"{use['work']}: {use['units']:,.1f} units, {use['cpu_s']:.1f} s{tokens}{put_off}")
    if not state["uses"]:
        print_line("Nothing was done in the background in the last day.")
