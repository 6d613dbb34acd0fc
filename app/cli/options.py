"""Options that several commands share: the home folder, settings for one run. Knows no command."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from app.errors import InvalidError
from app.places import Places

SetOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting for this run; may be repeated.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]


def places_of(context: typer.Context) -> Places:
    """The folders that `--home` or REMANENCE_HOME name, else the usual ones."""
    home = context.obj if isinstance(context.obj, Path) else None
    return Places.under(home.expanduser().absolute()) if home is not None else Places.find()


def read_flags(pairs: Sequence[str] | None) -> Mapping[str, object]:
    """Settings out of `NAME=VALUE` texts. Raises InvalidError for a text without '='."""
    flags: dict[str, object] = {}
    for pair in pairs or ():
        name, mark, value = pair.partition("=")
        if not mark:
            raise InvalidError(f"{pair!r} is not NAME=VALUE.", hint="For example: --set theme=dark")
        flags[name.strip()] = value.strip()
    return flags
