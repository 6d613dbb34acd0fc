"""What a person, another program or a full disk leaves in our places: said for what it is, and no capture is turned away."""

import contextlib
import resource
import subprocess
import sys
import threading
import time

import pysqlite3
import pytest

from app.api import (
    CaptureRequest,
    Engine,
    EventKind,
    EventState,
    FrozenClock,
    Places,
    StoreCorruptError,
    StoreForeignError,
)
from tests.patience import PATIENCE_S


@pytest.mark.parametrize("version", [0, 7, 99])
def test_a_database_of_another_program_is_refused_and_left_untouched(
    places: Places, clock: FrozenClock, version: int
) -> None:
    places.prepare()
    with contextlib.closing(pysqlite3.connect(str(places.store_path))) as connection:
        connection.execute("CREATE TABLE recipe(name TEXT)")
        connection.execute(f"PRAGMA user_version={version}")
    before = places.store_path.read_bytes()
    with pytest.raises(StoreForeignError, match="another program"):
        Engine.open(places, clock=clock)
    assert places.store_path.read_bytes() == before


def test_a_flipped_version_is_damage_and_no_newer_store(places: Places, clock: FrozenClock) -> None:
    Engine.open(places, clock=clock).close()
    content = bytearray(places.store_path.read_bytes())
    content[60] ^= 0x40  # the highest byte of the version
    places.store_path.write_bytes(content)
    with pytest.raises(StoreCorruptError, match="its header names version"):
        Engine.open(places, clock=clock)


@pytest.mark.parametrize(
    "content",
    [
        "a: [",
        "rules: 3",
        'rules: [{id: x, title: y, keywords: [q], pattern: "("}]',
        "rules: [{id: x, title: y, keywords: [q], pattern: 'q\\pN{6}'}]",  # re2 reads it, the hook's `re` does not
        "told: {a: 3}",
    ],
)
def test_own_secret_rules_that_do_not_fit_turn_nothing_away(places: Places, clock: FrozenClock, content: str) -> None:
    places.prepare()
    places.rules_dir.mkdir()
    (places.rules_dir / "secrets.yaml").write_text(content)
    text = "The key is ghp_16C7e42F292c6912E7710c838347Ae178B4a. We use tabs."
    with contextlib.closing(Engine.open(places, clock=clock)) as engine:
        request = CaptureRequest(
            app="claude-code", kind=EventKind.PROMPT, key="k", session="s", text=text, cwd="/w/app"
        )
        assert engine.events.capture([request], wait_s=PATIENCE_S)[0].state is EventState.DONE
        assert "secrets.yaml is not used" in engine.stats.health().store_notice
        (conversation,) = engine.conversations.list()
        assert "ghp_16C7" not in engine.conversations.get(conversation.id).messages[0].text


@pytest.mark.parametrize(
    "content",
    ['window_messages = "lots"\ntheme = "dark"', "window_messages = \n", f"port = {'9' * 5000}", "x=" + "[" * 9999],
)
def test_settings_that_do_not_fit_are_left_out_and_said(places: Places, clock: FrozenClock, content: str) -> None:
    places.prepare()
    places.config_path.write_text(content)
    with contextlib.closing(Engine.open(places, clock=clock)) as engine:
        assert engine.settings.current.window_messages == 10
        assert (engine.settings.current.theme == "dark") is ("theme" in content)
        assert str(places.config_path) in engine.stats.health().store_notice


_OPEN_WITHOUT_ROOM = """
import resource, sys
from pathlib import Path
from app.api import Engine, Places
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
try:
    Engine.open(Places.under(Path(sys.argv[1])))
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="needs a limit on files")
def test_a_disk_without_room_at_the_start_is_not_called_damage(places: Places, clock: FrozenClock) -> None:
    Engine.open(places, clock=clock).close()
    command = [sys.executable, "-c", _OPEN_WITHOUT_ROOM, str(places.data_dir.parent)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=True).stdout
    assert said.startswith("DiskProblem"), said


def test_a_backup_beside_a_steady_writer_is_made_at_one_stroke(engine: Engine) -> None:
    database, is_over = engine._core.store.database, threading.Event()
    with database.transaction() as connection:
        connection.exec_driver_sql("CREATE TABLE ballast(content BLOB)")
        for _ in range(10):
            connection.exec_driver_sql("INSERT INTO ballast VALUES(randomblob(1000000))")

    def write() -> None:
        while not is_over.wait(0.005):
            with database.transaction() as connection:
                connection.exec_driver_sql("INSERT INTO ballast VALUES(randomblob(2000))")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        began_s = time.monotonic()
        backup = engine.backups.create("by hand")
        took_s = time.monotonic() - began_s
    finally:
        is_over.set()
        writer.join()
    assert backup.path.stat().st_size > 10_000_000
    assert took_s < 5
