"""Every way of writing a file × every place that it must not be written to (issue 15): nothing is ever lost by an export."""

import json
import os
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.api import DiskProblem, Engine, InvalidError, MemoryDraft, Places, RemanenceError, write_export
from app.server import InProcess
from tests.conftest import Say

Export = Callable[[Engine, Path, bool], object]
OWN = b"precious"


def over_http(kind: str) -> Export:
    def export(engine: Engine, path: Path, is_replacing: bool) -> object:
        body = {"kind": kind, "path": str(path)} | ({"is_replacing": True} if is_replacing else {})
        with InProcess(engine) as wire:
            status, answer = wire.request("POST", "/v1/export", json.dumps(body).encode())
        if status >= 400:
            assert status in {400, 422, 507}, answer
            raise InvalidError(str(json.loads(answer)["detail"]), hint=json.loads(answer)["hint"])
        return answer

    return export


EXPORTERS: dict[str, Export] = {
    **{
        kind: lambda engine, path, yes, kind=kind: engine.transfer.export(kind, path, is_replacing=yes)  # type: ignore[misc]
        for kind in ("history", "context", "memories", "episodes", "conversations", "chunks")
    },
    "chosen memories": lambda engine, path, yes: engine.transfer.export_some(
        engine.memories.ids(), path, is_replacing=yes
    ),
    "one conversation": lambda engine, path, yes: engine.transfer.export_conversation(1, path, is_replacing=yes),
    "over the socket": over_http("history"),
    "a picture": lambda engine, path, yes: write_export(engine.places, path, [b"png"], is_replacing=yes),
}


def a_link_to(target: Callable[[Engine, Path], Path]) -> Callable[[Engine, Path], Path]:
    def make(engine: Engine, folder: Path) -> Path:
        (folder / "link").symlink_to(target(engine, folder))
        return folder / "link"

    return make


def a_folder_link(engine: Engine, folder: Path) -> Path:
    (folder / "harmless").symlink_to(engine.places.state_dir)
    return folder / "harmless" / "new.json"


def a_pipe(_engine: Engine, folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def a_socket(_engine: Engine, folder: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(folder / "sock"))
    return folder / "sock"


def a_folder(_engine: Engine, folder: Path) -> Path:
    (folder / "sub").mkdir()
    return folder / "sub"


def a_dangling_link_into_ours(engine: Engine, folder: Path) -> Path:
    (folder / "link").symlink_to(engine.places.data_dir / "not-yet.db")
    return folder / "link"


# where nothing may be written, whatever is said
NEVER: dict[str, Callable[[Engine, Path], Path]] = {
    "the store": lambda engine, _: engine.places.store_path,
    "the log of the store": lambda engine, _: engine.places.store_path.with_name("remanence.db-wal"),
    "the settings": lambda engine, _: engine.places.config_path,
    "the token": lambda engine, _: engine.places.state_dir / "admin.token",
    "a new file in data": lambda engine, _: engine.places.data_dir / "mine.json",
    "a new file among the backups": lambda engine, _: engine.places.backups_dir / "mine.json",
    "a new file in the spool": lambda engine, _: engine.places.spool_dir / "mine.json",
    "out and in again": lambda engine, _: engine.places.data_dir / ".." / "config" / "mine.json",
    "a link to the store": a_link_to(lambda engine, _: engine.places.store_path),
    "a link to what is not there yet": a_dangling_link_into_ours,
    "a folder that is a link to ours": a_folder_link,
    "a link to itself": a_link_to(lambda _engine, folder: folder / "link"),
    "a device": lambda _engine, _: Path("/dev/null"),
    "a link to a device": a_link_to(lambda _engine, _: Path("/dev/null")),
    "a pipe": a_pipe,
    "a socket": a_socket,
    "a folder": a_folder,
    "no name": lambda _engine, _: Path("/"),
    "no folder": lambda _engine, folder: folder / "missing" / "mine.json",
}


def what_lies_in(places: Places) -> dict[str, tuple[int, bytes]]:
    """All our files but those that the engine itself writes while it is open."""
    folders = (places.config_dir, places.data_dir, places.state_dir)
    listed = [path for folder in folders for path in folder.rglob("*") if path.is_file() and "index" not in path.parts]
    own = {"remanence.db", "remanence.db-wal", "remanence.db-shm", "remanence.log", "store.record"}
    return {str(path): (path.stat().st_ino, b"" if path.name in own else path.read_bytes()) for path in listed}


@pytest.fixture
def full(engine: Engine, say: Say, places: Places) -> Engine:
    say("We decided to use PostgreSQL for the orders")
    engine.memories.create(MemoryDraft("The orders live in PostgreSQL"))
    engine.settings.set("queue_size", 30)
    (places.state_dir / "admin.token").write_bytes(OWN)
    return engine


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    made = tmp_path / "documents"
    made.mkdir()
    yield made
    assert not list(made.glob(".remanence-*")), "half a file stayed behind"


_LONG = {"over the socket"}  # an app of its own for each place


@pytest.mark.parametrize(
    "exporter", [pytest.param(one, marks=pytest.mark.slow) if one in _LONG else one for one in EXPORTERS]
)
def test_no_export_goes_where_it_may_not_whatever_is_said(full: Engine, folder: Path, exporter: str) -> None:
    for number, (name, make) in enumerate(NEVER.items()):
        room = folder / str(number)
        room.mkdir()
        path = make(full, room)
        before = what_lies_in(full.places)
        for is_replacing in (False, True):
            with pytest.raises(RemanenceError) as refused:
                EXPORTERS[exporter](full, path, is_replacing)
            assert isinstance(refused.value, InvalidError | DiskProblem), name
            assert refused.value.hint, name
        assert what_lies_in(full.places) == before, name
        assert not any(stat.S_ISREG(found.lstat().st_mode) for found in room.rglob("*")), name
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    assert full.stats.now().message_count == 1


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_a_file_that_is_there_is_replaced_only_when_that_is_said(full: Engine, folder: Path, exporter: str) -> None:
    export = EXPORTERS[exporter]
    path = folder / "mine.json"
    path.write_bytes(OWN)
    (folder / "also-mine.json").hardlink_to(path)
    with pytest.raises(InvalidError, match="is there already"):
        export(full, path, False)
    assert path.read_bytes() == OWN
    export(full, path, True)
    assert path.read_bytes() != OWN
    assert (folder / "also-mine.json").read_bytes() == OWN, "written beside and renamed, not into the old file"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_to_a_file_of_the_persons_own_is_followed(full: Engine, folder: Path) -> None:
    (folder / "link.json").symlink_to(folder / "real.json")
    full.transfer.export("history", folder / "link.json")
    assert (folder / "link.json").is_symlink()
    assert (folder / "real.json").is_file()
    with pytest.raises(InvalidError, match="is there already"):
        full.transfer.export("history", folder / "link.json")


def test_an_export_that_fails_in_the_middle_leaves_the_old_file(full: Engine, folder: Path) -> None:
    path = folder / "mine.json"
    path.write_bytes(OWN)

    def parts() -> Iterator[bytes]:
        yield b"half"
        raise OSError(28, "No space left on device")

    with pytest.raises(DiskProblem, match="no space left"):
        write_export(full.places, path, parts(), is_replacing=True)
    assert path.read_bytes() == OWN


def test_a_file_that_comes_into_being_while_we_write_is_not_lost(full: Engine, folder: Path) -> None:
    path = folder / "mine.json"

    def parts() -> Iterator[bytes]:
        path.write_bytes(OWN)
        yield b"ours"

    with pytest.raises(InvalidError, match="is there already"):
        write_export(full.places, path, parts())
    assert path.read_bytes() == OWN


def test_memories_to_read_go_the_same_way(full: Engine, folder: Path) -> None:
    path = folder / "mine.md"
    path.write_bytes(OWN)
    with pytest.raises(InvalidError, match="is there already"):
        full.transfer.export_some(full.memories.ids(), path)
    assert full.transfer.export_some(full.memories.ids(), path, is_replacing=True)
    assert "PostgreSQL" in path.read_text()
