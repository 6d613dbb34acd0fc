"""`remanence consolidate`: merges, shortens, links, forgets; first what it would do, and how it is taken back."""

from typing import Annotated, Any

import typer

from app.cli.client import EngineClient, open_client
from app.cli.options import JsonOption, places_of
from app.cli.output import print_json, print_line, print_result, shown_at
from app.errors import NotFoundError

_WORDS = (
    ("deduped", "merged"), ("compressed", "shortened"), ("forgotten", "archived"), ("linked", "linked"),
    ("promoted", "promoted"), ("demoted", "demoted"), ("contradictions_found", "contradictions found"),
    ("episodes_merged", "episodes merged"), ("notes_compacted", "notes compacted"),
    ("patterns_added", "rules added"), ("patterns_reinforced", "rules reinforced"), ("patterns_pruned", "rules pruned"),
)  # fmt: skip
_CONTINUE = "Continue with: remanence consolidate --continue"


def consolidate(
    context: typer.Context,
    is_dry: Annotated[bool, typer.Option("--dry-run", help="Only show what it would do.")] = False,
    shows_runs: Annotated[bool, typer.Option("--runs", help="Only list earlier runs.")] = False,
    shown: Annotated[int | None, typer.Option("--show", metavar="RUN", help="Only show what a run did.")] = None,
    undone: Annotated[int | None, typer.Option("--undo", metavar="RUN", help="Undo a run.")] = None,
    pauses: Annotated[bool, typer.Option("--pause", help="Pause the run in progress.")] = False,
    continues: Annotated[bool, typer.Option("--continue", help="Continue the run that is paused.")] = False,
    stops: Annotated[bool, typer.Option("--cancel", help="End the run that is in progress or paused.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Tidy up memories. Merges duplicates, shortens what is old, archives what is never used. Each run can be undone."""
    with open_client(places_of(context)) as client:
        if pauses or stops:
            _break_off(client, "pause" if pauses else "cancel", as_json=as_json)
        elif continues:
            found = client.ask("POST", "/v1/consolidation/continue", body={})
            _say(found, _ended(found, found["id"]) or "Nothing was left to change.", as_json=as_json)
        elif shows_runs:
            _show_runs(client, as_json=as_json)
        elif shown is not None:
            query = {"limit": 1, "before_id": shown + 1}
            if shown not in {one["id"] for one in client.ask("GET", "/v1/consolidation/runs", query=query)["runs"]}:
                raise NotFoundError(f"There is no run {shown}.", hint="remanence consolidate --runs lists them.")
            _show_actions(client, shown, as_json=as_json)
        elif undone is not None:
            found = client.ask("POST", f"/v1/consolidation/runs/{undone}/undo", body={})
            left = f" {found['left']} were changed since and stay." if found["left"] else ""
            _say(found, f"Undone: {found['undone']}.{left}", as_json=as_json)
        else:
            found = client.ask("POST", "/consolidate", body={"dry_run": is_dry})
            if is_dry and not as_json:
                _show_actions(client, found["run_id"], as_json=False)
            _say(found, _summary(found, is_dry=is_dry), as_json=as_json)


def _break_off(client: EngineClient, how: str, *, as_json: bool) -> None:
    """Pauses or ends, and says its state."""
    state = client.ask("POST", f"/v1/consolidation/{how}", body={})
    is_there = state["is_pausing"] or state["is_stopping"] or state["paused"]
    if how == "cancel":
        said = "It ends after the current change." if state["is_stopping"] else "No run is in progress any more."
    else:
        said = "It pauses after the current change. " + _CONTINUE if is_there else "No run is in progress."
    _say(state, said, as_json=as_json)


def _summary(found: dict[str, Any], *, is_dry: bool) -> str:
    if is_dry:
        said = _counts(found["report"])
        return f"This would be done: {said}. Nothing was changed." if said else "Everything is tidy."
    return _ended(found, found["run_id"]) or "Everything is tidy."


def _ended(found: dict[str, Any], run_id: int) -> str:
    """How a run ended, "" for one that changed nothing."""
    said = _counts(found["report"])
    if found["state"] == "paused":
        return f"Paused. Until now: {said or 'nothing'}. {_CONTINUE}"
    word = "Stopped. Until then" if found["state"] == "stopped" else "Done"
    return f"{word}: {said}. Undo it with: remanence consolidate --undo {run_id}" if said else ""


def _counts(report: dict[str, Any]) -> str:
    parts = [f"{report[name]:,} {word}" for name, word in _WORDS if report[name]]
    if report["tokens_reclaimed"]:
        parts.append(f"{report['tokens_reclaimed']:,} tokens less")
    return ", ".join(parts)


def _show_runs(client: EngineClient, *, as_json: bool) -> None:
    runs = client.ask("GET", "/v1/consolidation/runs")["runs"]
    if as_json:
        print_json(runs)
        return
    for one in runs:
        said = _counts(one["report"]) or "nothing to do"
        print_line(f"{one['id']}  {shown_at(one['started_at'])}  {one['trigger']}  {one['state']}: {said}")
    if not runs:
        print_line("No run yet.")


def _show_actions(client: EngineClient, run_id: int, *, as_json: bool) -> None:
    found: list[dict[str, Any]] = []
    path = f"/v1/consolidation/runs/{run_id}/actions"
    while page := client.ask("GET", path, query={"after_id": found[-1]["id"] if found else 0})["actions"]:
        found += page
    if as_json:
        print_json(found)
        return
    for one in found:
        print_line(f"{one['id']}  {one['label']} ({one['state']}): {one['why']}")
        for text in one["before"]:
            print_line(f"    - {text}")
        for text in one["after"]:
            print_line(f"    + {text}")


def _say(found: dict[str, Any], sentence: str, *, as_json: bool) -> None:
    print_result(found, sentence, as_json=as_json)
