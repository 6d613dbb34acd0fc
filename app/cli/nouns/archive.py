"""`remanence archive`: what happens to prompts that leave the queue, and how much is kept of them."""

from typing import Annotated

import typer

from app.cli.client import open_client
from app.cli.options import JsonOption, places_of
from app.cli.output import print_json, print_line
from app.errors import InvalidError

_CHOICES = {"off": "deleted", "90d": "kept for 90 days", "1y": "kept for a year", "forever": "kept forever"}


def archive(
    context: typer.Context,
    choice: Annotated[str, typer.Argument(help="off, 90d, 1y or forever; left out: show the state.")] = "",
    is_sure: Annotated[
        bool, typer.Option("--yes", help="Delete what the choice does not keep, without asking.")
    ] = False,
    includes_backups: Annotated[bool, typer.Option("--backups", help="Then also remove all backups.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Choose how long your prompts are kept. It counts from when their conversation leaves the queue of 20."""
    if choice and choice not in _CHOICES:
        raise InvalidError(f"Prompts cannot be kept for “{choice}”.", hint="Choose one of: off, 90d, 1y, forever.")
    with open_client(places_of(context)) as client:
        if choice:
            count = client.ask("GET", "/v1/archive")["prompt_count"] if is_sure else 0
            body = {"archive": choice, "confirmed_count": count, "includes_backups": includes_backups}
            done = client.ask("PUT", "/v1/archive", body=body)
        status = client.ask("GET", "/v1/archive")
    if as_json:
        print_json(status | (done if choice else {}))
        return
    if choice and done["deleted_count"]:
        print_line(f"Deleted for good: {counted(done['deleted_count'])}.")
    size = status["byte_count"] + status["index_byte_count"]
    print_line(f"Prompts that leave the queue are {_CHOICES[status['choice']]}.")
    print_line(f"In the archive: {counted(status['prompt_count'])}, {size / 1_000_000:.1f} MB.")


def counted(number: int) -> str:
    """
    >>> counted(1), counted(1200)
    ('1 prompt', '1,200 prompts')
    """
    return f"{number:,} prompt{'' if number == 1 else 's'}"
