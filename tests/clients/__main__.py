"""`packaging/test.sh --clients [NAME…] [--dump FOLDER] [--keep FOLDER]`: plays the real clients, prints what each sent and what came of it.

Exit 0: every check kept. 1: at least one is broken, or a client is missing that was not left out by naming others.
5: no client could be had at all, 0 tests. Owns choice, order and totals.
"""

import argparse
import contextlib
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.clients.checks import Checks, say, table
from tests.clients.client import Client
from tests.clients.drivers import CLIENTS
from tests.clients.fake_model import FakeModel
from tests.clients.installing import NODE, Installed, clients_folder, install, load_pins, node_bin
from tests.clients.play import Play
from tests.clients.recorded import dump
from tests.clients.room import Room

NOTHING_RAN = 5


def main() -> int:
    parser = argparse.ArgumentParser(prog="packaging/test.sh --clients", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CLIENTS)}; without one, all")
    parser.add_argument("--dump", type=Path, help="write what the clients sent here, without paths: NAME/hooks.jsonl …")
    parser.add_argument("--keep", type=Path, help="leave homes, stores and requests of the model in this folder")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.names if name not in CLIENTS]
    if unknown:
        parser.error(f"no such client: {', '.join(unknown)}")
    signal.signal(signal.SIGTERM, _end)
    pins, folder = load_pins(), clients_folder()
    node = node_bin(folder, pins)
    installed = [install(pins[name], folder) for name in chosen.names or CLIENTS if name != NODE]
    playable = [one for one in installed if one.bin_dir is not None and node.bin_dir is not None]
    missing = [one for one in (node, *installed) if one.bin_dir is None]
    for one in missing:
        say(f"{one.pin.name} {one.pin.version} is not here: {one.problem}")
    if not playable:
        say("No client could be had, so nothing was tried: 0 tests.")
        return NOTHING_RAN
    done = [_play(one, node, chosen.dump, chosen.keep) for one in playable]
    return _total(done, missing)


def _end(*_: object) -> None:
    raise SystemExit(130)  # so that every client and every app that was started is ended


def _play(installed: Installed, node: Installed, dump_dir: Path | None, keep: Path | None) -> Checks:
    assert installed.bin_dir is not None
    assert node.bin_dir is not None
    client = CLIENTS[installed.pin.name]()
    checks = Checks(client.name)
    say(f"\n== {client.title} {installed.pin.version}")
    with _folder(client.name, keep) as folder:
        log = folder / "model"
        log.mkdir(parents=True)
        with FakeModel(log=log) as model:
            room = Room(folder, (installed.bin_dir, node.bin_dir), client.env(model))
            play = Play(client, room, model, checks)
            play.run()
            _tables(client, play)
            if dump_dir is not None:
                dump(client.name, installed.pin.version, room, dump_dir / client.name)
    return checks


@contextlib.contextmanager
def _folder(name: str, keep: Path | None) -> Iterator[Path]:
    """Short and outside the checkout: sockets have short names, and clients look for a project above them."""
    if keep is not None:
        folder = keep / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        yield folder.resolve()
        return
    made = Path(tempfile.mkdtemp(prefix=f"rmn-{name}-")).resolve()
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _tables(client: Client, play: Play) -> None:
    records = play.room.records()
    fields: dict[str, set[str]] = {}
    for record in records:
        fields.setdefault(record.event, set()).update(record.payload)
    counts = Counter(record.event for record in records)
    table(
        f"{client.title}: what it sent (event, times, fields)",
        ((event, str(counts[event]), ", ".join(sorted(names))) for event, names in fields.items()),
    )
    kept = {
        one.words: len(play.room.query("SELECT id FROM message WHERE text LIKE ?", f"%{one.words}%"))
        for one in play.typed
    }
    events = play.room.query("SELECT kind, state, count(*) AS n FROM event GROUP BY 1, 2 ORDER BY 1")
    tools = play.room.query("SELECT tool, exit_status, is_error, count(*) AS n FROM tool_use GROUP BY 1, 2, 3")
    memories = play.room.query("SELECT status, trust, count(*) AS n FROM memory GROUP BY 1, 2 ORDER BY 1, 2")
    given = [request for request in play.model.requests if "remanence-memory id=" in play.client.given(request)]
    table(
        f"{client.title}: what we made of it, import included",
        (
            ("prompts typed", _counted(list(kept.values()))),
            ("events", ", ".join(f"{row['kind']} {row['n']} {row['state']}" for row in events)),
            ("tools", ", ".join(f"{row['tool']} ×{row['n']} (status {row['exit_status']})" for row in tools)),
            ("memories", ", ".join(f"{row['n']} {row['status']} at trust {row['trust']}" for row in memories)),
            ("contexts", f"{len(given)} of {len(play.model.requests)} requests to the model carried ours"),
            ("MCP answers", ", ".join(f"{state} {seconds:.2f} s" for state, seconds in play.mcp_s.items())),
        ),
    )  # fmt: skip


def _counted(times: list[int]) -> str:
    more = sum(n > 1 for n in times)
    return f"{len(times)}: {times.count(1)} kept once, {times.count(0)} lost, {more} more than once"


def _total(done: list[Checks], missing: list[Installed]) -> int:
    broken = sum(len(checks.failed) for checks in done)
    rows = [
        (checks.client, f"{len(checks.all) - len(checks.failed)} kept", f"{len(checks.failed)} broken",
         f"{time.monotonic() - checks.started_s:.0f} s since its start")
        for checks in done
    ]  # fmt: skip
    table("Per client", rows + [(one.pin.name, "not here", one.problem, "") for one in missing])
    for checks in done:
        for check in checks.failed:
            say(f"  BROKEN {checks.client} · {check.step}: {check.promise} [{check.found}]")
    count = sum(len(checks.all) for checks in done)
    say(
        f"\n{count} checks with {len(done)} real clients: {count - broken} kept, {broken} broken, {len(missing)} clients missing."
    )
    return 1 if broken or missing else 0


if __name__ == "__main__":
    sys.exit(main())
