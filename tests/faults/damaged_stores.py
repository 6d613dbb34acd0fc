"""R4: a store damaged in a thousand ways opens, or is refused in words; no traceback, no crash, and every whole backup still restores.

`python -m tests.faults.damaged_stores --count 1000 --seed 1`: bytes flipped anywhere, in a page's head or in the file's, pages zeroed or
exchanged, the file cut, its log removed, cut, flipped or taken from another store, files of other programs in its place. Each in a
forked process: it is opened, read through and written to; what is refused is restored from its backup as the recovery page does it.
"""

import argparse
import contextlib
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pysqlite3

from app.api import Engine, FrozenClock, MemoryDraft, Places
from app.api.doctor import accept_store, restore_closed_store
from app.errors import RemanenceError, StoreBehindError
from app.values import RecallQuery
from tests.conftest import START
from tests.dump import dump_store
from tests.faults.sweep import capture, in_child, in_memory, open_at, said

PAGE = 4096
Damage = Callable[[random.Random, Path, Path], None]


def flip(chance: random.Random, path: Path, first: int, last: int, count: int) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(count):
        at = chance.randrange(min(first, len(data) - 1), min(last, len(data)))
        data[at] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def flip_anywhere(chance: random.Random, store: Path, _other: Path) -> None:
    flip(chance, store, 100, store.stat().st_size, chance.choice((1, 2, 8, 64, 500)))


def flip_header(chance: random.Random, store: Path, _other: Path) -> None:
    flip(chance, store, 0, 100, chance.choice((1, 1, 2, 5)))


def flip_page_head(chance: random.Random, store: Path, _other: Path) -> None:
    page = chance.randrange(1, store.stat().st_size // PAGE)
    flip(chance, store, page * PAGE, page * PAGE + 12, chance.choice((1, 2, 4)))


def zero_pages(chance: random.Random, store: Path, _other: Path) -> None:
    data = bytearray(store.read_bytes())
    for _ in range(chance.choice((1, 1, 3))):
        page = chance.randrange(0, len(data) // PAGE)
        data[page * PAGE : (page + 1) * PAGE] = chance.choice((bytes(PAGE), chance.randbytes(PAGE)))
    store.write_bytes(data)


def exchange_pages(chance: random.Random, store: Path, _other: Path) -> None:
    data = bytearray(store.read_bytes())
    one, two = (chance.randrange(1, len(data) // PAGE) * PAGE for _ in range(2))
    data[one : one + PAGE], data[two : two + PAGE] = data[two : two + PAGE], data[one : one + PAGE]
    store.write_bytes(data)


def cut(chance: random.Random, store: Path, _other: Path) -> None:
    size = chance.randrange(store.stat().st_size)
    os.truncate(store, size // PAGE * PAGE if chance.random() < 0.5 else size)


def wal_of(store: Path) -> Path:
    return store.with_name(f"{store.name}-wal")


def remove_log(_chance: random.Random, store: Path, _other: Path) -> None:
    wal_of(store).unlink()


def cut_log(chance: random.Random, store: Path, _other: Path) -> None:
    os.truncate(wal_of(store), chance.randrange(wal_of(store).stat().st_size))


def flip_log(chance: random.Random, store: Path, _other: Path) -> None:
    flip(chance, wal_of(store), 0, wal_of(store).stat().st_size, chance.choice((1, 4, 64)))


def foreign_log(_chance: random.Random, store: Path, other: Path) -> None:
    shutil.copyfile(wal_of(other), wal_of(store))


def foreign_store_beside_log(_chance: random.Random, store: Path, other: Path) -> None:
    shutil.copyfile(other, store)


def foreign_file(chance: random.Random, store: Path, _other: Path) -> None:
    kind = chance.randrange(5)
    if kind < 2:
        store.unlink()
        if kind:
            wal_of(store).unlink()
        with contextlib.closing(pysqlite3.connect(str(store))) as connection:
            connection.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
            if chance.random() < 0.5:
                connection.execute(f"PRAGMA user_version={chance.choice((1, 7, 999))}")
            connection.commit()
    else:
        store.write_bytes((b"", b"not a store at all\n" * 400, chance.randbytes(50_000))[kind - 2])


DAMAGES: dict[str, tuple[int, Damage]] = {
    "bytes": (6, flip_anywhere), "header": (5, flip_header), "page heads": (5, flip_page_head), "pages": (4, zero_pages),
    "exchanged": (2, exchange_pages), "cut": (4, cut), "log removed": (1, remove_log), "log cut": (2, cut_log),
    "log flipped": (2, flip_log), "foreign log": (1, foreign_log), "foreign store": (1, foreign_store_beside_log),
    "foreign file": (2, foreign_file),
}  # fmt: skip


def fill(home: Path, mark: str) -> None:
    """A home with a backup, and what was confirmed since in the log; its process ends without a goodbye."""
    engine = open_at(home)
    engine.memories.create(MemoryDraft(f"Never push {mark} to main."))
    capture(engine, range(8))
    engine.backups.create("by hand")
    capture(engine, range(8, 12))
    os._exit(0)


def use(engine: Engine) -> str:
    """Reads through everything and writes: "" or the words in which the damage was told."""
    try:
        said(engine)
        for card in engine.memories.list().cards:
            engine.memories.get(card.id)
        engine.search.find_messages(RecallQuery("heron export"))
        engine.journal.list()
        capture(engine, [77])
    except RemanenceError as problem:
        return told(problem)
    return ""


def told(problem: RemanenceError) -> str:
    assert str(problem), "refused without words"
    assert problem.hint, f"nothing to do: {problem}"
    return type(problem).__name__


def meet(home: Path, whole_backup: str, say: Callable[[str], None]) -> None:
    """One damaged home, as a person meets it."""
    places = Places.under(home)
    damaged = places.store_path.read_bytes()
    (backup,) = places.backups_dir.glob("*.db")
    try:
        engine = open_at(home)
    except RemanenceError as problem:
        say(f"refused: {told(problem)}")
        if isinstance(problem, StoreBehindError):
            accept_store(places)
            open_at(home).close()
        kept = restore_closed_store(places, backup)
        assert not damaged or kept is None or kept.exists(), "the damaged file is not kept"
        with contextlib.closing(open_at(home)) as restored:
            assert dump_store(restored.places.store_path) == whole_backup, "the backup brings something else"
            assert use(restored) == ""
        return
    words = use(engine)
    try:
        engine.close()
    except RemanenceError as problem:
        words = words or told(problem)
    say(f"opened, then {words}" if words else "opened")
    assert dump_store(backup) == whole_backup, "the backup was harmed"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    ends: dict[str, Counter[str]] = {name: Counter() for name in DAMAGES}
    failures = 0
    with tempfile.TemporaryDirectory(prefix="remanence-damaged-", dir=in_memory()) as name:
        folder = Path(name)
        os.environ["HOME"] = name
        with contextlib.closing(Engine.open(Places.under(folder / "warm"), clock=FrozenClock(START))) as engine:
            engine.warm_up()
        for mark in ("main", "other"):
            status, lines = in_child(lambda _say, mark=mark: fill(folder / mark, mark))  # type: ignore[misc]
            assert status == 0, lines
        backup = next(Places.under(folder / "main").backups_dir.glob("*.db"))
        whole_backup, other = dump_store(backup), Places.under(folder / "other").store_path
        assert wal_of(Places.under(folder / "main").store_path).stat().st_size > 0
        for number in range(options.count):
            kind = chance.choices(list(DAMAGES), [weight for weight, _ in DAMAGES.values()])[0]
            seed = chance.random()
            home = folder / "try"
            shutil.copytree(folder / "main", home, ignore=shutil.ignore_patterns("*.sock"))
            DAMAGES[kind][1](random.Random(seed), Places.under(home).store_path, other)
            status, lines = in_child(lambda say: meet(home, whole_backup, say))  # noqa: B023 (it is called at once)
            wrong = [line[2:] for line in lines if line.startswith("! ")]
            if status < 0:
                wrong.append(f"ended by signal {-status}")
            ends[kind].update([line for line in lines if not line.startswith("! ")])
            for one in wrong:
                failures += 1
                print(f"  FAILED {number} {kind} ({seed}):", one.replace("\\n", "\n    "), flush=True)
            shutil.rmtree(home)
    for kind, counted in ends.items():
        print(f"R4  {kind:14} {sum(counted.values()):5}  {dict(counted.most_common())}")
    print(f"R4  {options.count} damaged stores, {failures} failures")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
