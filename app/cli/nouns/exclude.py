"""`remanence exclude [list|folder|words|remove|test]`: what is never captured, whoever sends it.

Owns how the rules are asked for and shown; every act is one request. Source: UX 4.10 "exclusion rules".
"""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.options import JsonOption, ask
from app.cli.output import print_done, print_json, print_line, print_result, print_table
from app.errors import InvalidError


def list_exclusions(context: typer.Context, as_json: JsonOption = False) -> None:
    """List what is never captured, and how often it was."""
    found = ask(context, "GET", "/v1/exclusions")
    if as_json:
        print_json(found)
    elif found:
        rows = ((one["id"], one["kind"], one["text"], one["hit_count"]) for one in found)
        print_table(("id", "kind", "what", "kept out"), rows)
    else:
        print_line(
            "Everything is captured. To keep something out: remanence exclude folder PATH, or remanence exclude words TEXT."
        )


def show_exclusions(context: typer.Context) -> None:
    """What is never captured; alone it lists the rules."""
    if context.invoked_subcommand is None:
        list_exclusions(context)


def exclude_folder(
    context: typer.Context,
    path: Annotated[str, typer.Argument(help="A folder; * and ** match parts of a path, as in “*/private”.")],
    as_json: JsonOption = False,
) -> None:
    """Never capture from a folder. What was captured before stays."""
    if not path.strip():
        raise InvalidError("Which folder?", hint="For example: remanence exclude folder ~/work/private")
    is_pattern = path.startswith(("~", "*"))
    _add(context, "folder", path if is_pattern else str(Path(path).absolute()), as_json=as_json)


def exclude_words(
    context: typer.Context,
    words: Annotated[str, typer.Argument(help="Words that occur together; * matches the rest of a word.")],
    as_json: JsonOption = False,
) -> None:
    """Never capture what has these words. What was captured before stays."""
    _add(context, "words", words, as_json=as_json)


def remove_exclusion(
    context: typer.Context,
    rule_id: Annotated[int, typer.Argument(help="The rule's id, as in the list.")],
    as_json: JsonOption = False,
) -> None:
    """Remove a rule: what it kept out is captured again."""
    ask(context, "DELETE", f"/v1/exclusions/{rule_id}")
    print_done({"id": rule_id}, f"Removed exclusion rule {rule_id}.", as_json=as_json)


def check_text(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="A message, as it would be typed.")],
    folder: Annotated[str, typer.Option(help="Where it is typed; left out: this folder.")] = "",
    as_json: JsonOption = False,
) -> None:
    """See whether a message would be captured. Nothing of it is stored."""
    body = {"text": text, "folder": str(Path(folder).absolute())}
    found = ask(context, "POST", "/v1/exclusions/test", body=body)
    print_result(found, "It would be kept out." if found["is_excluded"] else "It would be captured.", as_json=as_json)


def _add(context: typer.Context, kind: str, text: str, *, as_json: bool) -> None:
    made = ask(context, "POST", "/v1/exclusions", body={"kind": kind, "text": text})
    what = f"in {text}" if kind == "folder" else f"with “{text}”"
    note = "What was captured before stays; remanence erase removes it."
    print_done(made, f"Rule {made['id']}: from now on, nothing {what} is captured. {note}", as_json=as_json)
