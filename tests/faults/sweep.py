"""R2 as a sweep: every write, sync, rename and removal of an act is once the one that fails, and once the one that is never done.

`python -m tests.faults.sweep [ACT…] [--share 1/20] [--minutes N]` counts the calls of each act in one run, then plays it once per call: killed there
(half of a write is done), with that call failing (EIO), and with the disk full from there on (ENOSPC). After each the store opens in
another process and must hold what was acknowledged, be whole, and come to the very content of an act that nobody disturbed; after a
failure the same process must say what failed in words of ours and do the act when the disk is well again. Prints promise, points,
failures. The calls are counted by a library that is put before the system's own (`failing_calls.c`, made with `cc`).
"""

import argparse
import contextlib
import ctypes
import difflib
import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pysqlite3

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, MemoryDraft, Places
from app.errors import RemanenceError
from app.store.backups import check_store_file
from tests.app.consolidation.memories import remember
from tests.benchmarks.material.histories import write_transcripts
from tests.conftest import START
from tests.dump import dump_store

ROOT = Path(__file__).parents[2]
VERSION_1 = ROOT / "tests" / "app" / "store" / "store_v1.sql"
CANARY = "qz77vexwug"
IDLE_S, FAILING_IDLE_S = 120.0, 0.3  # while calls fail nothing is understood, and nobody waits for that
FLAGS: dict[str, object] = {"queue_size": 3, "archive": "forever", "judge": "off"}
Acked = Callable[[str], None]


def open_at(home: Path, flags: dict[str, object] | None = None) -> Engine:
    return Engine.open(Places.under(home), clock=FrozenClock(START), flags=flags or {})


def prompt(number: int) -> CaptureRequest:
    text = f"why does the heron{number} export stop?"
    return CaptureRequest("codex", EventKind.PROMPT, f"k{number}", f"s{number}", text, cwd="/w/app")


def capture(engine: Engine, numbers: Sequence[int], acked: Acked = lambda _key: None) -> None:
    for number in numbers:
        (result,) = engine.events.capture([prompt(number)], wait_s=0)
        assert result.error == "" or result.is_duplicate, result
        acked(f"k{number}")
    until_s = time.monotonic() + IDLE_S
    while not engine.events.wait_idle(FAILING_IDLE_S) and time.monotonic() < until_s:
        if is_preloaded() and calls().is_failing():  # from before, or since understanding began
            return


def differences(wanted: str, found: str) -> str:
    lines = difflib.unified_diff(wanted.splitlines(), found.splitlines(), "wanted", "found", n=0, lineterm="")
    return "\n".join(line[:300] for line in lines)


def said(engine: Engine) -> str:
    """What was said, wherever it is kept now."""
    queued = [each.text for one in engine.conversations.list() for each in engine.conversations.get(one.id).messages]
    return "\n".join(sorted([*queued, *(one.text for one in engine.archive.list())]))


class Act:
    """One act: `prepare` a home, `do` it, and what must hold after a fault in it."""

    flags: dict[str, object] | None = None
    is_one = True  # all or nothing: after a fault the content is the old or the new one
    is_done_again_at_once = True  # in the process that refused it, when the disk is well again

    def prepare(self, home: Path) -> None:
        with contextlib.closing(open_at(home, self.flags)) as engine:
            self.fill(engine)

    def fill(self, engine: Engine) -> None:
        capture(engine, range(2))

    def open(self, home: Path) -> Engine:
        return open_at(home, self.flags)

    def do(self, engine: Engine, acked: Acked) -> None:
        raise NotImplementedError

    def again(self, engine: Engine) -> None:
        """Does what a fault left undone."""
        self.do(engine, lambda _key: None)

    def content(self, engine: Engine) -> str:
        return dump_store(engine.places.store_path)

    def check(self, engine: Engine, acked: set[str], before: str, after: str) -> None:
        """Raises AssertionError for what a fault must not leave behind."""
        found = self.content(engine)
        if self.is_one:
            assert found in {before, after}, "half an act"
            assert not acked or found == after, "acknowledged, and not there"
        if found != after:
            self.again(engine)
            assert engine.events.wait_idle(IDLE_S)
            again = self.content(engine)
            assert again == after, "done again it comes to something else:\n" + differences(after, again)


class Capture(Act):
    is_one = False
    numbers = range(2, 6)

    def do(self, engine: Engine, acked: Acked) -> None:
        capture(engine, self.numbers, acked)

    def content(self, engine: Engine) -> str:
        return said(engine)

    def check(self, engine: Engine, acked: set[str], before: str, after: str) -> None:
        assert engine.events.wait_idle(IDLE_S)
        for number in self.numbers:
            if f"k{number}" in acked:
                (result,) = engine.events.capture([prompt(number)], wait_s=0)
                assert result.is_duplicate, f"acknowledged and lost: {number}"
        super().check(engine, acked, before, after)
        assert engine.stats.now().event_failed_count == 0


class Evict(Capture):
    flags = FLAGS
    numbers = range(3, 6)

    def fill(self, engine: Engine) -> None:
        capture(engine, range(3))

    def check(self, engine: Engine, acked: set[str], before: str, after: str) -> None:
        super().check(engine, acked, before, after)
        assert len(engine.conversations.list()) <= 3


class Backup(Act):
    def do(self, engine: Engine, acked: Acked) -> None:
        acked(engine.backups.create("by hand").path.name)

    def check(self, engine: Engine, acked: set[str], before: str, after: str) -> None:
        super().check(engine, acked, before, after)
        names = {one.path.name for one in engine.backups.list()}
        assert acked <= names, "a backup that was confirmed is not there"
        for one in engine.backups.list():
            check_store_file(one.path)
            assert dump_store(one.path) == before
        assert not list(engine.places.backups_dir.glob("*.partial*")), "half a backup is left"


class Restore(Act):
    def fill(self, engine: Engine) -> None:
        capture(engine, range(1))
        engine.backups.create("by hand")
        capture(engine, range(1, 3))

    def do(self, engine: Engine, acked: Acked) -> None:
        backup = next(one for one in engine.backups.list() if one.reason == "by hand")
        engine.backups.restore(backup.path)
        acked("restored")

    def check(self, engine: Engine, acked: set[str], before: str, after: str) -> None:
        super().check(engine, acked, before, after)
        for one in engine.backups.list():
            check_store_file(one.path)


class Import(Act):
    is_one = False

    def prepare(self, home: Path) -> None:
        super().prepare(home)
        write_transcripts(home / "history", session_count=2, prompts_per_session=4)

    def do(self, engine: Engine, acked: Acked) -> None:
        half = engine.transfer.unfinished()
        path = engine.places.data_dir.parent / "history"
        engine.transfer.import_history("claude-code", path, earlier=half)
        acked("imported")

    def content(self, engine: Engine) -> str:
        return said(engine)


class Migrate(Act):
    def prepare(self, home: Path) -> None:
        places = Places.under(home)
        places.prepare()
        with contextlib.closing(pysqlite3.connect(str(places.store_path))) as connection:
            connection.executescript(VERSION_1.read_text(encoding="utf-8"))

    def open(self, home: Path) -> Engine:
        raise NotImplementedError

    def check(self, engine: Engine, acked: set[str], before: str, after: str) -> None:
        assert self.content(engine) == after, "the migrated store has something else"
        for one in engine.backups.list():
            with contextlib.closing(pysqlite3.connect(str(one.path))) as copy:
                assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)


class Erase(Act):
    def fill(self, engine: Engine) -> None:
        capture(engine, range(1))
        engine.memories.create(MemoryDraft(f"The port of {CANARY} is 8080.", tags=(CANARY,)))
        engine.memories.create(MemoryDraft("Never push to main."))
        engine.backups.create("by hand")

    def do(self, engine: Engine, acked: Acked) -> None:
        ids = [card.id for card in engine.memories.list().cards if "main" not in card.title]
        engine.memories.erase(ids, includes_backups=True)
        acked("erased")

    def check(self, engine: Engine, acked: set[str], before: str, after: str) -> None:
        if acked:
            assert not self.holding(engine), f"acknowledged, and still in {self.holding(engine)}"
        super().check(engine, acked, before, after)
        assert not self.holding(engine), f"still in {self.holding(engine)}"

    def again(self, engine: Engine) -> None:
        if any("main" not in card.title for card in engine.memories.list().cards):  # else the next start does the rest
            super().again(engine)

    @staticmethod
    def holding(engine: Engine) -> list[str]:
        found = []
        for path in engine.places.data_dir.parent.rglob("*"):
            with contextlib.suppress(OSError):  # a folder, or the index took it away meanwhile
                if CANARY.encode() in path.read_bytes().lower():
                    found.append(path.name)
        return found


class Consolidate(Act):
    is_one = False
    is_done_again_at_once = (
        False  # a second run over half of the first finds other links; the next start goes on with the first
    )

    def fill(self, engine: Engine) -> None:
        for number in range(3):
            for ending in (".", "!"):
                remember(engine, f"The service number {number} listens on port {9_000 + number}{ending}")

    def do(self, engine: Engine, acked: Acked) -> None:
        engine.consolidation.run()
        acked("run")

    def check(self, engine: Engine, acked: set[str], before: str, after: str) -> None:
        assert not acked or self.content(engine) == after, "acknowledged, and not there"
        super().check(engine, acked, before, after)
        for one in engine.consolidation.runs():
            if one.is_undoable:
                engine.consolidation.undo(one.id)
        assert self.content(engine) == before, "undo leaves something else"


ACTS: dict[str, Act] = {
    "capture": Capture(), "evict": Evict(), "backup": Backup(), "restore": Restore(), "import": Import(), "migrate": Migrate(),
    "erase": Erase(), "consolidate": Consolidate(),
}  # fmt: skip
MODES = {"killed": (0, 0), "EIO": (errno.EIO, 0), "full": (errno.ENOSPC, 1)}


@dataclass(frozen=True)
class Prepared:
    home: Path
    before: str
    after: str
    call_count: int


def calls() -> ctypes.CDLL:
    library = ctypes.CDLL(None)
    library.calls_seen.restype = ctypes.c_long
    library.fail_at.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_int]
    return library


def in_child(work: Callable[[Callable[[str], None]], None], patience_s: float = 300) -> tuple[int, list[str]]:
    """What a forked child says, line by line, and its status; what is killed is the act, not a start."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        status = 0
        try:
            work(lambda line: os.write(writer, f"{line}\n".encode()) and None)
        except BaseException:
            os.write(writer, f"! {traceback.format_exc(limit=-3, chain=False)}".replace("\n", "\\n").encode() + b"\n")
            status = 1
        os._exit(status)
    os.close(writer)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.alarm(int(patience_s))
    with os.fdopen(reader, encoding="utf-8", errors="replace") as lines:
        given = lines.read().splitlines()
    _, status = os.waitpid(child, 0)
    signal.alarm(0)
    return os.waitstatus_to_exitcode(status), given


def play(act: Act, home: Path, number: int, mode: str, say: Callable[[str], None]) -> None:
    """The act with one call failing; in the child."""
    failing = calls()
    error, is_lasting = MODES[mode]
    is_refused = False
    is_opened = isinstance(act, Migrate)
    engine = None if is_opened else act.open(home)
    failing.fail_at(number, error, is_lasting)
    try:
        if engine is None:
            engine = open_at(home)
            say("ack migrated")
        else:
            act.do(engine, lambda key: say(f"ack {key}"))
    except RemanenceError as problem:
        is_refused = True
        say(f"refused {type(problem).__name__}: {problem}")
    finally:
        failing.disarm()
        say(f"calls {failing.calls_seen()}")
    if engine is not None:
        if is_refused and act.is_done_again_at_once:
            act.again(engine)
        if error and not engine.events.wait_idle(IDLE_S):
            say("! the disk is well again, and what was captured is not understood")
        engine.close()


def verify(act: Act, home: Path, acked: set[str], before: str, after: str) -> None:
    with contextlib.closing(open_at(home, act.flags)) as engine:
        act.check(engine, acked, before, after)
        path = engine.places.store_path
    with contextlib.closing(pysqlite3.connect(str(path))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def prepare(name: str, folder: Path) -> Prepared:
    """The act once without a fault: the content before and after, and how many calls it takes."""
    act, home, whole = ACTS[name], folder / name, folder / f"{name}-whole"
    given: list[str] = []

    def work(say: Callable[[str], None]) -> None:
        act.prepare(home)
        shutil.copytree(home, whole, ignore=shutil.ignore_patterns("*.sock"))
        del say

    for step in (work, lambda say: play(act, whole, 0, "killed", say)):
        status, given = in_child(step)
        assert status == 0, given
    counted = int(next(line for line in given if line.startswith("calls")).split()[1])

    def look(path: Path, into: Path) -> None:
        if name == "migrate" and into.name == "before":
            into.write_text("")
            return
        with contextlib.closing(open_at(path, act.flags)) as engine:
            engine.events.wait_idle(IDLE_S)
            into.write_text(act.content(engine))

    contents = []
    for path, side in ((home, "before"), (whole, "after")):
        copy = folder / "copy"
        shutil.copytree(path, copy, ignore=shutil.ignore_patterns("*.sock"))
        status, given = in_child(lambda _say, copy=copy, side=side: look(copy, folder / side))  # type: ignore[misc]
        assert status == 0, given
        contents.append((folder / side).read_text())
        shutil.rmtree(copy)
    return Prepared(home, contents[0], contents[1], counted)


def sweep(name: str, folder: Path, minutes: float, share: tuple[int, int]) -> tuple[int, int, int]:
    """How many points there are, how many were tried, at how many something was wrong. In no order, so that a part is a sample.

    `share` is which part of how many equal ones: all parts together are the whole.
    """
    found = prepare(name, folder)
    every = [(mode, number) for mode in MODES for number in range(1, found.call_count + 1)]
    random.Random(7).shuffle(every)
    points = every[share[0] - 1 :: share[1]]
    ends: Counter[str] = Counter()
    tried = failure_count = 0
    began_s = time.monotonic()
    for mode, number in points:
        if time.monotonic() - began_s > minutes * 60:
            break
        end, wrong = try_point(ACTS[name], found, folder / f"{name}-try", mode, number)
        ends[end] += 1
        tried += 1
        failure_count += bool(wrong)
        for one in wrong:
            print(f"  FAILED {name} {mode} at call {number}:", one.replace("\\n", "\n    "), flush=True)
    took_s = time.monotonic() - began_s
    counted = f"{found.call_count:4} calls  {tried:5} of {len(every):5} points  {failure_count} failures"
    print(f"R2  {name:12} {counted}  {dict(ends)}  {took_s:.0f} s", flush=True)
    return len(every), tried, failure_count


def try_point(act: Act, found: Prepared, home: Path, mode: str, number: int) -> tuple[str, list[str]]:
    """How the act ended with this call failing, and what was wrong then or at the next start."""
    shutil.copytree(found.home, home, ignore=shutil.ignore_patterns("*.sock"))
    status, given = in_child(lambda say: play(act, home, number, mode, say))
    acked = {line.split()[1] for line in given if line.startswith("ack ")}
    wrong = [line[2:] for line in given if line.startswith("! ")]
    end = "killed" if status < 0 else "refused" if any(line.startswith("refused") for line in given) else "done"
    if status < 0 and mode != "killed":
        wrong.append(f"ended by signal {-status}")
    status, given = in_child(lambda _say: verify(act, home, acked, found.before, found.after))
    wrong += [line[2:] for line in given if line.startswith("! ")]
    if status < 0:
        wrong.append(f"the next start ended by signal {-status}")
    shutil.rmtree(home)
    return end, wrong


def read_share(text: str) -> tuple[int, int]:
    number, _, count = text.partition("/")
    share = int(number), int(count or "1")
    if not 1 <= share[0] <= share[1]:
        raise ValueError(text)
    return share


def is_preloaded() -> bool:
    return "failing_calls" in os.environ.get("LD_PRELOAD", "")


def in_memory() -> Path | None:
    """A folder that is no disk, where there is one: a killed process loses nothing there either, and it is quick."""
    memory = Path("/dev/shm")
    return memory if memory.is_dir() else None


def preload() -> None:
    """Starts this program anew behind the library that fails."""
    if is_preloaded():
        return
    folder = Path(tempfile.mkdtemp(prefix="remanence-sweep-", dir=in_memory()))
    library = folder / "failing_calls.so"
    source = Path(__file__).with_name("failing_calls.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"], check=True)
    env = {**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    env |= {"HOME": str(folder), "REMANENCE_IS_JUDGE_ASKED": "true"}
    done = subprocess.run([sys.executable, "-m", "tests.faults.sweep", *sys.argv[1:]], cwd=ROOT, env=env, check=False)
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit(done.returncode)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("acts", nargs="*")
    parser.add_argument("--minutes", type=float, default=60.0, help="of each act at most; what is left is said")
    parser.add_argument("--share", type=read_share, default=(1, 1), help="which part of how many: 7/20; all is 1/1")
    options = parser.parse_args()
    preload()
    with tempfile.TemporaryDirectory(dir=os.environ["HOME"]) as folder:
        with contextlib.closing(
            open_at(Path(folder) / "warm")
        ) as engine:  # libraries and rules are read once, then forked
            engine.warm_up()
        results = [sweep(name, Path(folder), options.minutes, options.share) for name in options.acts or ACTS]
    points, tried, failures = (sum(column) for column in zip(*results, strict=True))
    print(f"R2  {len(results)} acts, {tried} of {points} points, {failures} failures")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
