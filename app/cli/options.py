"""Options that several commands share: the home folder, settings for one run; and one question by them. Knows no command."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.client import open_client
from app.cli.output import print_json
from app.errors import InvalidError
from app.places import Places

SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Change a setting for this run; may be repeated."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def places_of(context: typer.Context) -> Places:
    """The folders that `--home` or REMANENCE_HOME name, else the usual ones."""
    home = context.obj if isinstance(context.obj, Path) else None
    return Places.under(home.expanduser().absolute()) if home is not None else Places.find()


def ask(
    context: typer.Context,
    method: str,
    path: str,
    *,
    query: Mapping[str, object] | None = None,
    body: object = None,
    as_json: bool = False,
) -> Any:
    """Sends the command's only request; see `EngineClient.ask`. With `as_json` it prints the answer and ends the command."""
    with open_client(places_of(context)) as client:
        answer = client.ask(method, path, query=query, body=body)
    if as_json:
        print_json(answer)
        raise typer.Exit
    return answer


def read_flags(pairs: Sequence[str] | None) -> Mapping[str, object]:
    """Settings out of `NAME=VALUE` texts. Raises InvalidError for a text without '='."""
    flags: dict[str, object] = {}
    for pair in pairs or ():
        name, mark, value = pair.partition("=")
        if not mark:
            raise InvalidError(f"{pair!r} is not NAME=VALUE.", hint="For example: --set theme=dark")
        flags[name.strip()] = value.strip()
    return flags


def project_of(given: str) -> str:
    """A folder's whole path; what is no folder here and has no path in it is a name."""
    folder = Path(given).expanduser()
    is_name = folder.name == given and not folder.is_dir()
    return given if given and is_name else str(folder.absolute())


def check_choice(what: str, given: str, choices: Iterable[str]) -> None:
    """Raises InvalidError, which names the choices, for what is none of them."""
    known = tuple(choices)
    if given not in known:
        raise InvalidError(f"{what} cannot be “{given}”.", hint=f"Choose one of: {', '.join(known)}.")


def read_instant(said: str) -> str:
    """An instant as the door takes it; without a zone it is this machine's. Raises InvalidError.

    >>> read_instant("2026-03-03T09:00+01:00")
    '2026-03-03T09:00:00+01:00'
    """
    try:
        at = datetime.fromisoformat(said)
    except ValueError as error:
        raise InvalidError(f"“{said}” is not a date.", hint="Write it as 2026-03-03 or 2026-03-03T09:00.") from error
    try:
        return (at if at.tzinfo else at.astimezone()).isoformat()
    except (OverflowError, ValueError) as error:  # a year that has no zone
        raise InvalidError(f"{said} is out of range.", hint="Write a day of this century, as 2026-03-03.") from error
