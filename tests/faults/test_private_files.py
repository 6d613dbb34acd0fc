"""S4: whatever the umask, every file is 0600 and every folder 0700 from its creation; a planted link is refused."""

import re
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from app.api import Engine, Places, RemanenceError
from app.server import start_server
from tests.flows.processes import ROOT, environment, run_hook
from tests.flows.test_from_hook_to_store import connect_hook
from tests.patience import PATIENCE_S

A_LIFE = """
import os, sys
os.umask(0)
from pathlib import Path
from app.cli.main import main, run
from app.api import Engine, Places
from app.server import start_server
home = Path(os.environ["REMANENCE_HOME"])
if sys.argv[1] == "window":
    main(["gui", "--offscreen-smoke"])
engine = Engine.open(Places.under(home))
server = start_server(engine, port=0)
engine.window.log("Add a FAB button")
engine.settings.set("queue_size", 30)
engine.backups.create()
engine.transfer.export("history", home / "mine.jsonl")
server.stop()
engine.close()
sys.exit(run(["hook", "claude-code", "prompt"]))
"""


def too_open(home: Path) -> list[str]:
    paths = [home, *home.rglob("*")]
    return [f"{path.name} {stat.S_IMODE(path.lstat().st_mode):o}" for path in paths if path.lstat().st_mode & 0o077]


def live(home: Path, kind: str, *before: str) -> subprocess.CompletedProcess[str]:
    env = {**environment(home), "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.run(
        [*before, sys.executable, "-c", A_LIFE, kind],
        input='{"prompt": "and a spooled one", "session_id": "s"}', env=env, capture_output=True, text=True,
        timeout=PATIENCE_S, cwd=ROOT,
    )  # fmt: skip


@pytest.mark.seed("S2", "privacy.permissions")
@pytest.mark.parametrize("kind", ["engine", "window"])
def test_everything_is_private_under_an_open_umask(tmp_path: Path, kind: str) -> None:
    home = tmp_path / "home"
    done = live(home, kind)
    assert done.returncode == 0, done.stderr
    assert too_open(home) == []
    names = {path.name for path in home.rglob("*")}
    assert {"remanence.db", "remanence.lock"} <= names
    if kind == "engine":
        assert {"events.jsonl", "config.toml", "mine.jsonl", "rules.marshal"} <= names
        assert list((home / "data" / "backups").iterdir())


def created_open(lines: list[str]) -> list[str]:
    """Calls that made something with rights for others; opening again what is there already is none."""
    wide, seen, masked = [], set(), 0
    for line in lines:
        if mask := re.search(r"umask\(0?([0-7]*)\)", line):
            masked = int(mask[1] or "0", 8)
        found = re.search(r'"([^"]+)".*, 0([0-7]{3,4})\) = \d', line)
        if found is None or found[1] in seen:
            continue
        seen.add(found[1])
        if int(found[2], 8) & ~masked & 0o077:
            wide.append(line)
    return wide


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["engine", "window"])
def test_no_file_is_open_to_others_even_for_a_moment(tmp_path: Path, kind: str) -> None:
    home, log = tmp_path / "home", tmp_path / "trace"
    done = live(home, kind, "strace", "-f", "-o", str(log), "-e", "trace=openat,open,creat,mkdir,mkdirat,umask")
    assert done.returncode == 0, done.stderr
    made = [line for line in log.read_text(errors="replace").splitlines() if str(home) in line or " umask(" in line]
    assert created_open(made) == []
    assert any("remanence.db-wal" in line for line in made)


PLANTED: dict[str, Callable[[Places], Path]] = {
    "store": lambda places: places.store_path,
    "log of the store": lambda places: places.data_dir / "remanence.db-wal",
    "index of the log": lambda places: places.data_dir / "remanence.db-shm",
    "journal of the store": lambda places: places.data_dir / "remanence.db-journal",
    "lock": lambda places: places.lock_path,
    "data": lambda places: places.data_dir,
    "state": lambda places: places.state_dir,
    "spool": lambda places: places.spool_dir,
    "hook": lambda places: places.hook_dir,
    "backups": lambda places: places.backups_dir,
    "settings": lambda places: places.config_dir,
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_link_is_refused_in_words(places: Places, tmp_path: Path, name: str) -> None:
    path = PLANTED[name](places)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    victim = tmp_path / "victim"
    if path.suffix or "-" in path.name:
        victim.write_bytes(b"precious")
    else:
        victim.mkdir()
    path.symlink_to(victim)
    with pytest.raises(RemanenceError) as refused:
        Engine.open(places).close()
    assert str(path) in str(refused.value)
    assert refused.value.hint
    assert list(victim.iterdir()) == [] if victim.is_dir() else victim.read_bytes() == b"precious"


@pytest.mark.parametrize("name", ["endpoint", "admin.token", "capture.sock", "hook/rules.marshal", "remanence.log"])
def test_a_link_in_the_place_of_a_state_file_is_replaced_and_not_followed(
    places: Places, tmp_path: Path, name: str
) -> None:
    places.prepare()
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (places.state_dir / name).symlink_to(victim)
    with closing(Engine.open(places)) as engine:
        start_server(engine, port=0).stop()
    assert victim.read_bytes() == b"precious"


@pytest.mark.parametrize("name", ["spool", "spool/events.jsonl"])
def test_the_hook_writes_through_no_link(tmp_path: Path, name: str) -> None:
    home, victim = tmp_path / "home", tmp_path / "victim"
    connect_hook(home)
    path = home / "state" / name
    if path.is_dir():
        path.rmdir()
        victim.mkdir()
    else:
        victim.write_bytes(b"precious")
    path.symlink_to(victim)
    done = run_hook(home, "prompt", b'{"prompt": "a private sentence", "session_id": "s"}')
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert list(victim.iterdir()) == [] if victim.is_dir() else victim.read_bytes() == b"precious"


def test_the_hook_takes_no_token_from_anybody_elses_file(tmp_path: Path) -> None:
    home = tmp_path / "home"
    connect_hook(home)
    conf = home / "state" / "hook" / "claude-code.conf"
    conf.chmod(0o666)
    engine = Engine.open(Places.under(home))
    server = start_server(engine, port=0)
    try:
        run_hook(home, "prompt", b'{"prompt": "hello", "session_id": "s"}')
        assert engine.events.inbox() == ()
        spool = home / "state" / "spool" / "events.jsonl"
        assert spool.exists(), "it is kept for later"
        conf.chmod(0o600)

        def speaks(word: str) -> bool:
            run_hook(home, "prompt", f'{{"prompt": "hello {word}", "session_id": "s"}}'.encode())
            return not spool.exists() or word not in spool.read_text()

        # on a busy machine an answer may come too late for a hook, which then spools as well
        assert any(speaks(word) for word in ("again", "anew", "afresh", "twice", "thrice")), "the control: it speaks"
    finally:
        server.stop()
        engine.close()
