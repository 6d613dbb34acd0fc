"""`remanence stats`: what was learned when, by kind and project, what was given, and how often a judgement was
corrected.

`remanence energy`: how much there is for background work, what used it, what was put off.
"""

from collections import Counter
from typing import Annotated, Any

import typer

from app.cli.options import JsonOption, ask
from app.cli.output import print_json, print_line, print_table


def energy(context: typer.Context, as_json: JsonOption = False) -> None:
    """Show what background work takes, and what waits."""
    state: dict[str, Any] = ask(context, "GET", "/v1/energy")
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


_PROJECTS_SHOWN = 12
_HONEST = "What you did not correct counts as right, so the true shares can only be higher."


def stats(
    context: typer.Context,
    year: Annotated[
        int | None, typer.Option("--year", help="A year of the calendar. Default: the last 53 weeks.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """A year at a glance: what was learned, spoken of, given, and corrected."""
    found: dict[str, Any] = ask(context, "GET", "/v1/statistics", query={} if year is None else {"year": year})
    if as_json:
        print_json(found)
        return
    _print_days(found)
    _print_learned(found["learned"])
    _print_judgements(found["judgements"])


def _print_days(found: dict[str, Any]) -> None:
    print_line(f"{found['from_day']} to {found['to_day']}")
    total = Counter[str]()
    for day in found["days"]:
        total.update({name: count for name, count in day.items() if name != "day"})
    print_line(
        f"{total['learned_count']:,} memories learned; {total['conversation_count']:,} conversations with "
        f"{total['message_count']:,} messages; {total['given_count']:,} times a memory was given, "
        f"{total['cited_count']:,} cited, {total['ignored_count']:,} ignored."
    )


def _print_learned(learned: list[dict[str, Any]]) -> None:
    """A table by month, the kinds side by side; then the projects."""
    if not learned:
        return
    kinds = [kind for kind, _ in _counted(learned, "kind").most_common()]
    months: dict[str, Counter[str]] = {}
    for one in learned:
        months.setdefault(one["month"][:7], Counter())[one["kind"]] += one["count"]
    print_line()
    print_table(
        ("month", *kinds, "all"),
        [(month, *(counts[kind] or "" for kind in kinds), counts.total()) for month, counts in months.items()],
    )
    print_line()
    projects = _counted(learned, "project").most_common(_PROJECTS_SHOWN)
    print_table(("project", "learned"), [(name or "everywhere", count) for name, count in projects])


def _counted(learned: list[dict[str, Any]], name: str) -> Counter[str]:
    found = Counter[str]()
    for one in learned:
        found[one[name]] += one["count"]
    return found


def _print_judgements(judgements: list[dict[str, Any]]) -> None:
    rows = [
        (
            one["judgement"],
            one["judged_count"],
            one["corrected_count"],
            f"{one['corrected_count'] / one['judged_count']:.1%}",
            f"since {one['since'][:10]}" if one["since"] else "of all that are kept",
        )
        for one in judgements
        if one["judged_count"]
    ]
    print_line()
    if not rows:
        print_line("Nothing was judged yet that could be corrected.")
        return
    print_table(("judgement", "made", "corrected", "share", ""), rows)
    print_line(_HONEST)
