"""`remanence stats`: what was learned when, by kind and project, what was given, and how often a judgement was
corrected.

`remanence energy`: how much there is for background work, what used it, what was put off.
"""

from collections import Counter
from typing import Annotated, Any

import typer

from app.cli.client import open_client
from app.cli.nouns.memories import count_memories
from app.cli.options import JsonOption, ask, places_of
from app.cli.output import print_json, print_line, print_table

_WORK = {
    "note": "Writing notes",
    "compaction": "Making room for notes",
    "judge": "Reading along",
    "contradictions": "Looking for contradictions",
    "consolidation": "Consolidating",
    "index": "Updating the search index",
    "upkeep": "Backups and learning",
}


def energy(context: typer.Context, as_json: JsonOption = False) -> None:
    """Show what background work used, and what waits."""
    state: dict[str, Any] = ask(context, "GET", "/v1/energy", as_json=as_json)
    low = " It is low, so background work waits." if state["is_low"] else ""
    print_line(
        f"{state['level']:,.0f} of {state['capacity']:,.0f} units of energy left; "
        f"{state['refill_per_hour']:,.0f} come back each hour.{low}"
    )
    print_line("One unit is 0.1 s of your processor, or 30 tokens of a model that reads along.")
    for use in state["uses"]:
        put_off = f", put off {_many(use['put_off_count'], 'time')}" if use["put_off_count"] else ""
        tokens = f", {use['token_count']:,} tokens" if use["token_count"] else ""
        work = _WORK.get(use["work"], use["work"])
        print_line(f"{work}: {use['units']:,.1f} units, {use['cpu_s']:.1f} s{tokens}{put_off}")
    if not state["uses"]:
        print_line("Nothing was done in the background in the last day.")


_PROJECTS_SHOWN, _KINDS_SHOWN = 12, 5  # what fits beside each other at 80 columns
_JUDGEMENTS = {
    "boundary": "where a conversation begins",
    "question": "what it assumed until you answered",
    "intent": "what a message asks for",
    "reference": "what “it” means",
    "title": "titles of conversations",
    "outcome": "what came of conversations",
    "memory-by-rules": "memories learned by rules",
    "memory-by-reader": "memories worded by a model",
    "contradiction": "contradictions found",
    "consolidation": "proposals of consolidation",
}
_HONEST = "What you never looked at counts as right, so the true shares can only be higher."


def stats(
    context: typer.Context,
    year: Annotated[
        int | None, typer.Option("--year", help="A calendar year, as in 2026; left out: the last 53 weeks.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """A year at a glance. What was learned, given and corrected, with the number of memories."""
    with open_client(places_of(context)) as client:
        found: dict[str, Any] = client.ask("GET", "/v1/statistics", query={} if year is None else {"year": year})
        counts = "" if as_json else count_memories(client)
    if as_json:
        print_json(found)
        return
    print_line(f"Memories: {counts or 'none yet'}.")
    _print_days(found)
    _print_learned(found["learned"])
    _print_judgements(found["judgements"])


def _print_days(found: dict[str, Any]) -> None:
    total = Counter[str]()
    for day in found["days"]:
        total.update({name: count for name, count in day.items() if name != "day"})
    print_line(
        f"{found['from_day']} to {found['to_day']}: {_many(total['learned_count'], 'memory', 'memories')} learned, "
        f"{_many(total['conversation_count'], 'conversation')} with {_many(total['message_count'], 'message')}. "
        f"Memories were given {_many(total['given_count'], 'time')}; "
        f"{total['cited_count']:,} used, {total['ignored_count']:,} not used."
    )


def _many(count: int, one: str, several: str = "") -> str:
    """
    >>> _many(1, "memory", "memories"), _many(2_000, "time")
    ('1 memory', '2,000 times')
    """
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"


def _print_learned(learned: list[dict[str, Any]]) -> None:
    """A table by month, the most frequent kinds side by side; then the projects."""
    if not learned:
        return
    kinds = [kind for kind, _ in _counted(learned, "kind").most_common(_KINDS_SHOWN)]
    months: dict[str, Counter[str]] = {}
    for one in learned:
        months.setdefault(one["month"][:7], Counter())[one["kind"]] += one["count"]
    print_line()
    print_table(
        ("month", *kinds, "other", "all"),
        [
            (month, *found, counts.total() - sum(found), counts.total())
            for month, counts in months.items()
            for found in [[counts[kind] for kind in kinds]]
        ],
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
            _JUDGEMENTS.get(one["judgement"], one["judgement"]),
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
        print_line("Nothing to correct yet.")
        return
    print_table(("what it decided", "times", "corrected by you", "share", ""), rows)
    print_line(_HONEST)
