"""R3: the disk is full in the middle of a restore. What is there is opened again, at once or as soon as there is room."""

import contextlib
import errno
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pysqlite3
import pytest
from sqlalchemy import text

from app.api import Engine
from app.errors import DiskProblem, NotFoundError
from app.retrieval.indexing import Indexing
from app.store.backups import Backups
from app.store.database import Database
from app.store.missing_store import StoreRecord
from app.values import RecallQuery
from tests.app.consolidation.memories import remember
from tests.conftest import Say
from tests.patience import PATIENCE_S

OLD, NEW = "Exports are CSV files.", "Invoices are PDF files."


@contextmanager
def full(monkeypatch: pytest.MonkeyPatch, *places: tuple[type[Any], str]) -> Iterator[None]:
    """No room at these places."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        for owner, name in places:
            patched.setattr(owner, name, fail)
        yield


def texts(engine: Engine) -> set[str]:
    with engine._core.store.read() as connection:
        return set(connection.execute(text("SELECT full FROM memory")).scalars())


def texts_in(path: Path) -> set[str]:
    with contextlib.closing(pysqlite3.connect(str(path))) as connection:
        return {row[0] for row in connection.execute("SELECT full FROM memory")}


def test_a_disk_that_is_full_before_the_swap_leaves_the_present_store_open(
    engine: Engine, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(engine, OLD)
    backup = engine._core.store.backups.create("by hand")
    remember(engine, NEW)
    with full(monkeypatch, (StoreRecord, "begin")), pytest.raises(DiskProblem, match="No space left"):
        engine._core.restore(backup.path)
    assert not engine._core.places.next_store_path.exists(), "the restore is off"
    say("Add a login page")
    assert engine._core.store.database.is_open
    assert texts(engine) >= {OLD, NEW}


def test_a_store_that_could_not_be_opened_again_is_opened_when_there_is_room(
    engine: Engine, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(engine, OLD)
    backup = engine._core.store.backups.create("by hand")
    remember(engine, NEW)
    with full(monkeypatch, (StoreRecord, "begin"), (Database, "open")):
        with pytest.raises(DiskProblem, match="could not be opened again"):
            engine._core.restore(backup.path)
        with pytest.raises(DiskProblem, match="could not be opened again"):
            remember(engine, "This is not kept.")
        assert "Free some space" in engine._core.store.disk_problem
    remember(engine, "There is room again.")
    assert texts(engine) >= {OLD, NEW, "There is room again."}
    say("Add a login page")
    assert engine._core.store.disk_problem == ""


def test_a_restore_that_the_disk_broke_off_is_done_again_at_the_same_instant(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(engine, OLD)
    backup = engine._core.store.backups.create("by hand")
    remember(engine, NEW)
    with full(monkeypatch, (Backups, "finish_restore")), pytest.raises(DiskProblem):
        engine._core.restore(backup.path)
    kept = engine._core.restore(backup.path)
    assert texts(engine) == {OLD}
    again = engine._core.restore(backup.path)
    assert kept != again, "what the first one put aside is not overwritten"
    # a thread that needed the store may have carried the first one to its end: then what was there lies aside since then
    aside = [texts_in(path) for path in engine._core.places.data_dir.glob("remanence-before-restore-*.db")]
    assert {OLD, NEW} in aside
    assert {OLD} in aside


def refuse_to_remove(monkeypatch: pytest.MonkeyPatch, name: str) -> list[Path]:
    """Files of this name cannot be removed any more; returns those of which it was tried, as it goes on."""
    unlink, refused = Path.unlink, list[Path]()

    def fail(path: Path, missing_ok: bool = False) -> None:
        if path.name == name:
            refused.append(path)
            raise OSError(errno.EIO, "Input/output error")
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", fail)
    return refused


def test_rules_that_cannot_be_written_for_the_hooks_are_said_in_words(
    engine: Engine, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(engine, OLD)
    backup = engine._core.store.backups.create("by hand")
    remember(engine, NEW)
    refused = refuse_to_remove(monkeypatch, "exclude.marshal")
    with pytest.raises(DiskProblem, match="could not be written down for the hooks: input/output error"):
        engine._core.restore(backup.path)
    assert refused
    assert texts(engine) == {OLD}
    say("Add a login page")


def test_why_it_was_not_restored_is_said_also_where_nothing_can_be_written_for_the_hooks(
    engine: Engine, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(engine, OLD)
    refused = refuse_to_remove(monkeypatch, "exclude.marshal")
    with pytest.raises(NotFoundError, match="There is no backup"):
        engine._core.restore(engine._core.places.data_dir / "gone.db")
    assert refused
    assert texts(engine) == {OLD}
    say("Add a login page")


def test_an_index_whose_manifest_cannot_be_removed_is_written_anew(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The manifest says that the index is of the store that was there before: it is not believed."""
    remember(engine, OLD)
    backup = engine._core.store.backups.create("by hand")
    engine._core.indexing.rebuild()
    refused = refuse_to_remove(monkeypatch, "manifest.json")
    rebuilt = threading.Event()
    rebuild = Indexing._rebuild

    def rebuild_and_tell(indexing: Indexing, *arguments: Any) -> int:
        done = rebuild(indexing, *arguments)
        rebuilt.set()
        return done

    monkeypatch.setattr(Indexing, "_rebuild", rebuild_and_tell)
    engine._core.restore(backup.path)
    assert refused
    assert rebuilt.wait(PATIENCE_S)
    assert {hit.text for hit in engine.search.search(RecallQuery("CSV exports")).hits} == {OLD}


def test_a_rebuild_that_failed_is_tried_again(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    remember(engine, OLD)
    backup = engine._core.store.backups.create("by hand")
    rebuild = Indexing._rebuild
    tries: list[int] = []
    rebuilt = threading.Event()

    def fail_once(indexing: Indexing, *arguments: Any) -> int:
        tries.append(1)
        if len(tries) == 1:
            raise OSError(errno.EIO, "Input/output error")
        done = rebuild(indexing, *arguments)
        rebuilt.set()
        return done

    monkeypatch.setattr(Indexing, "_rebuild", fail_once)
    engine._core.restore(backup.path)
    assert rebuilt.wait(PATIENCE_S)
    assert "indexing waits" in caplog.text
    caplog.clear()
