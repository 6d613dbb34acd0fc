"""`remanence contradictions list|show|resolve|reopen`: memories that cannot both hold, and which of them does."""

from typing import Annotated, Any

import typer

from app.cli.options import JsonOption, ask, check_choice, read_instant
from app.cli.output import print_done, print_line
from app.errors import InvalidError
from app.values import Resolution

OneId = Annotated[int, typer.Argument(help="The number, as in the list.")]
_WORDS = {
    Resolution.A_WINS.value: "keep A",
    Resolution.B_WINS.value: "keep B",
    Resolution.BOTH_VALID.value: "both are true",
    Resolution.MERGED.value: "merged",
    Resolution.DISMISSED.value: "no contradiction",
}
StatusOption = Annotated[str, typer.Option(help="open, resolved, dismissed or all.")]


def list_contradictions(
    context: typer.Context,
    status: StatusOption = "open",
    project: Annotated[str, typer.Option(help="Folder or name; left out: all.")] = "",
    as_json: JsonOption = False,
) -> None:
    """List them, those that matter most first."""
    check_choice("--status", status, ("open", "resolved", "dismissed", "all"))
    found = ask(context, "GET", "/v1/contradictions", query={"status": status, "project": project}, as_json=as_json)
    if not found:
        print_line("No contradictions." if status == "open" else "None.")
    for one in found:
        _print_one(one)


def show_contradiction(context: typer.Context, contradiction_id: OneId, as_json: JsonOption = False) -> None:
    """Both sides, and what each answer would do."""
    found = ask(context, "GET", f"/v1/contradictions/{contradiction_id}", as_json=as_json)
    one = found["contradiction"]
    print_line(f"{one['id']}  {_state(one)}  {one['reason']}")
    for name in ("a", "b"):
        side = found[name]
        print_line(f"{name.upper()}: {side['memory']['levels']['full']['text']}")
        for source in side["sources"][:3]:
            print_line(f"   “{source['quote']}” · {source['app']} · {source['at'][:10]}")
    if found["proposed_text"]:
        print_line(f"Proposed for both: {found['proposed_text']}")
    for answer, lines in found["effects"].items():
        mark = " (suggested: " + found["suggested_because"] + ")" if answer == found["suggested"] else ""
        print_line(f"{answer}{mark}: {' '.join(lines)}")


def resolve_contradiction(
    context: typer.Context,
    contradiction_id: OneId,
    resolution: Annotated[
        Resolution,
        typer.Argument(
            help="a_wins (keep A, the older), b_wins (keep B, the newer), both_valid, merged, dismissed (no contradiction)."
        ),
    ],
    note: Annotated[str, typer.Option(help="Why, for later.")] = "",
    text: Annotated[str, typer.Option(help="With merged: the one text that stays.")] = "",
    scope_a: Annotated[str, typer.Option("--scope-a", help="With both_valid: where A is true, as in “tests”.")] = "",
    scope_b: Annotated[str, typer.Option("--scope-b", help="With both_valid: where B is true.")] = "",
    since: Annotated[str, typer.Option(help="With b_wins: A was true until this day: 2026-03-03.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Say which one is true."""
    body: dict[str, Any] = {
        "resolution": resolution.value, "note": note, "text": text, "scope_a": scope_a, "scope_b": scope_b,
    }  # fmt: skip
    if since:
        if resolution is not Resolution.B_WINS:
            raise InvalidError("--since goes only with b_wins.", hint="Leave --since out.")
        body["since"] = read_instant(since)
    done = ask(context, "POST", f"/v1/contradictions/{contradiction_id}/resolve", body=body)
    said = _WORDS[done["resolution"]]
    print_done(done, f"Contradiction {contradiction_id}: {said}.", as_json=as_json)


def reopen_contradiction(context: typer.Context, contradiction_id: OneId, as_json: JsonOption = False) -> None:
    """Open one again that was resolved."""
    done = ask(context, "POST", f"/v1/contradictions/{contradiction_id}/reopen")
    print_done(done, f"Contradiction {contradiction_id} is open again.", as_json=as_json)


def _print_one(one: dict[str, Any]) -> None:
    print_line(f"{one['id']}  {_state(one)}  {one['reason']}")
    for side in ("a", "b"):
        print_line(f"   {side.upper()}  {' '.join(one[side]['text'].split())}")


def _state(one: dict[str, Any]) -> str:
    return _WORDS[one["resolution"]] if one["resolution"] else "open"
