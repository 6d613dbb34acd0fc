"""`remanence rules [list|edit|on|off|purge|export|import]`: what conversations taught, and `knowledge-graph.yaml`.

Owns how rules are asked for and shown; every act is one request. Source: S1 Tier 2.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.client import open_client
from app.cli.options import JsonOption, ask, places_of
from app.cli.output import print_done, print_json, print_line, print_result, print_table
from app.errors import InvalidError

KindOption = Annotated[
    str, typer.Option("--kind", help="phrase, pronoun, demonstrative, marker, sign, files, sequence or fix.")
]
RuleId = Annotated[int, typer.Argument(help="The rule's id, as in the list.")]


def list_rules(context: typer.Context, kind: KindOption = "", as_json: JsonOption = False) -> None:
    """List the rules, how sure each is and how often it was used."""
    found = ask(context, "GET", "/v1/rules", query={"kind": kind or None})
    if as_json:
        print_json(found)
    elif found:
        print_table(("id", "kind", "sure", "seen", "changed", "on", "rule"), [_row(one) for one in found])
    else:
        print_line("No rules yet. They are learned when a conversation leaves the queue, and by remanence consolidate.")


def _row(rule: Any) -> tuple[object, ...]:
    wants = f" → {' + '.join(rule['details']['intents'])}" if rule["details"].get("intents") else ""
    on = "yes" if rule["is_on"] else "no"
    sure = f"{rule['confidence']:.2f}"
    return rule["id"], rule["kind"], sure, rule["seen_count"], rule["changed_count"], on, f"{rule['pattern']}{wants}"


def show_rules(context: typer.Context) -> None:
    """What conversations taught; alone it lists the rules."""
    if context.invoked_subcommand is None:
        list_rules(context)


def edit_rule(
    context: typer.Context,
    rule_id: RuleId,
    pattern: Annotated[str, typer.Option(help="The pattern, as in “make it {color}”.")] = "",
    intents: Annotated[str, typer.Option(help="What such a message asks for, as in PLAN,TEST.")] = "",
    confidence: Annotated[float | None, typer.Option(help="0 to 1.")] = None,
    lookback: Annotated[int | None, typer.Option(help="How many messages a pronoun looks back.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Edit a rule. It then stays until you remove it."""
    body: dict[str, Any] = {"pattern": pattern or None, "confidence": confidence, "lookback": lookback}
    body["intents"] = [one.strip().upper() for one in intents.split(",") if one.strip()] or None
    ask(context, "PATCH", f"/v1/rules/{rule_id}", body={name: one for name, one in body.items() if one is not None})
    print_done({"id": rule_id}, f"Edited rule {rule_id}.", as_json=as_json)


def switch_on(context: typer.Context, rule_id: RuleId, as_json: JsonOption = False) -> None:
    """Use a rule again."""
    _switch(context, rule_id, is_on=True, as_json=as_json)


def switch_off(context: typer.Context, rule_id: RuleId, as_json: JsonOption = False) -> None:
    """Keep a rule, but do not use it."""
    _switch(context, rule_id, is_on=False, as_json=as_json)


def _switch(context: typer.Context, rule_id: int, *, is_on: bool, as_json: bool) -> None:
    ask(context, "PATCH", f"/v1/rules/{rule_id}", body={"is_on": is_on})
    print_done({"id": rule_id}, f"Rule {rule_id} is {'on' if is_on else 'off'}.", as_json=as_json)


def purge(
    context: typer.Context,
    rule_id: Annotated[int | None, typer.Argument(help="The rule's id; left out: see --kind and --all.")] = None,
    kind: KindOption = "",
    is_all: Annotated[bool, typer.Option("--all", help="Every rule.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Remove a rule, those of a kind, or all. remanence undo brings them back."""
    if sum((rule_id is not None, bool(kind), is_all)) != 1:
        raise InvalidError("Which rules?", hint="Name a rule's id, a --kind, or --all.")
    with open_client(places_of(context)) as client:
        if rule_id is not None:
            client.ask("DELETE", f"/v1/rules/{rule_id}")
            done = {"purged": 1}
        else:
            done = client.ask("DELETE", "/v1/rules", query={"kind": kind or None})
    count = done["purged"]
    print_done(done, f"Removed {count} rule{'' if count == 1 else 's'}.", as_json=as_json)


def export_rules(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="Where to write it; a folder gets knowledge-graph.yaml.")] = Path(),
    as_json: JsonOption = False,
) -> None:
    """Write knowledge-graph.yaml."""
    target = path / "knowledge-graph.yaml" if path.is_dir() else path
    if target.exists():
        raise InvalidError(f"{target} is there already.", hint="Name another file, or move that one away.")
    written = ask(context, "GET", "/v1/knowledge-graph")
    try:
        target.write_text(str(written), encoding="utf-8")
    except OSError as error:
        raise InvalidError(
            f"{target} cannot be written: {error.strerror}.", hint="Name a file in a folder that exists."
        ) from error
    print_result({"path": str(target)}, f"Wrote {target}.", as_json=as_json)


def import_rules(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="A knowledge-graph.yaml.")],
    as_json: JsonOption = False,
) -> None:
    """Read knowledge-graph.yaml. New rules are added; known ones become as in the file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidError(
            f"{path} cannot be read: {getattr(error, 'strerror', '') or 'it is not text'}.",
            hint="Name a knowledge-graph.yaml.",
        ) from error
    taken = ask(context, "POST", "/v1/knowledge-graph", body={"yaml": text})
    print_done(taken, f"{taken['added']} rules added, {taken['changed']} changed.", as_json=as_json)
