"""Run by test_restore_killed under strace, which kills it: one restore, one beginning anew, or one first start."""

import sys
from pathlib import Path

from app.api import Engine, Places
from app.api.doctor import restore_closed_store, start_empty_store


def main(what: str, home: str, backup: str) -> None:
    places = Places.under(Path(home))
    if what == "restore":
        restore_closed_store(places, Path(backup))
    elif what == "anew":
        start_empty_store(places)
    else:
        Engine.open(places, is_whole=False).close()


if __name__ == "__main__":
    main(*sys.argv[1:])
