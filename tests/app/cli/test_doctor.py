"""`doctor` is content with a new home and names each thing that is wrong; `restore` mends a broken store."""

import contextlib
from pathlib import Path

import pysqlite3
import pytest

from app.api import Places
from app.places import write_private
from tests.app.cli.conftest import Remanence


@pytest.fixture
def home(remanence: Remanence) -> Places:
    """A home in which something was kept and backed up."""
    remanence("window", "log", "add a dark mode")
    remanence("backup")
    return Places.find()


def broken(remanence: Remanence) -> set[str]:
    shown = remanence("doctor", "--json")
    found = {finding["check"] for finding in shown.value if not finding["is_ok"]}
    assert shown.code == (1 if found else 0)
    return found


def test_a_home_never_used_is_well(remanence: Remanence) -> None:
    assert broken(remanence) == set()


@pytest.mark.usefixtures("home")
def test_a_used_home_is_well(remanence: Remanence) -> None:
    assert broken(remanence) == set()
    assert "!!" not in remanence("doctor").out


def test_open_files_and_folders_are_found(remanence: Remanence, home: Places) -> None:
    home.store_path.chmod(0o644)
    assert broken(remanence) == {"places"}
    home.store_path.chmod(0o600)
    home.backups_dir.chmod(0o755)
    assert broken(remanence) == {"places"}


def test_a_damaged_store_is_found_and_mended_by_restore(remanence: Remanence, home: Places) -> None:
    data = bytearray(home.store_path.read_bytes())
    data[4096:60_000] = b"\x55" * (60_000 - 4096)
    home.store_path.write_bytes(data)
    for suffix in ("-wal", "-shm"):
        Path(f"{home.store_path}{suffix}").unlink(missing_ok=True)
    assert "store" in broken(remanence)
    assert remanence("window", "load").code == 3
    assert remanence("restore", "--latest").code == 0
    assert broken(remanence) == set()
    assert "dark mode" in remanence("window", "load").out


def test_a_damaged_backup_is_found(remanence: Remanence, home: Places) -> None:
    next(home.backups_dir.glob("*.db")).write_bytes(b"nothing of a store")
    assert "backups" in broken(remanence)


def test_a_broken_rule_file_is_found(remanence: Remanence, home: Places) -> None:
    home.rules_dir.mkdir()
    (home.rules_dir / "boundary.yaml").write_text("a: [unclosed")
    assert broken(remanence) == {"rules"}
    assert "boundary.yaml" in remanence("doctor").out


def test_a_rule_file_that_does_not_fit_or_that_nothing_reads_is_found(remanence: Remanence, home: Places) -> None:
    home.rules_dir.mkdir()
    unknown = home.rules_dir / "boundaries.yaml"
    unknown.write_text("markers: []")
    assert broken(remanence) == {"rules"}
    assert "boundaries.yaml is not used" in remanence("doctor").out
    unknown = unknown.rename(home.rules_dir / "context.yaml")
    assert "context.yaml is not used" in remanence("doctor").out, "a shipped one that cannot be laid over"
    unknown.rename(home.rules_dir / "boundary.yaml")
    assert broken(remanence) == set()
    (home.rules_dir / "boundary.yaml").write_text("markers: [{phrase: next item please}]")
    assert broken(remanence) == {"rules"}
    assert "confidence" in remanence("doctor").out


def test_a_name_in_an_own_rule_file_that_nothing_reads_is_found(remanence: Remanence, home: Places) -> None:
    """The pause was once a curve; who had their own was told nothing when that went."""
    home.rules_dir.mkdir()
    own = home.rules_dir / "boundary.yaml"
    own.write_text("gap_curve: [[1, 0.5]]\nthresholds: {long_gap_minutes: 90}\nremove_markers: []\nremove_nothing: [a]")
    assert broken(remanence) == {"rules"}
    told = remanence("doctor").out
    assert "boundary.yaml has “gap_curve”, which is not used" in told
    assert "“remove_nothing”" in told
    assert "resources/rules" in told
    assert "thresholds" not in told
    assert "remove_markers" not in told
    own.write_text("thresholds: {long_gap_minutes: 90}")
    assert broken(remanence) == set()


def test_a_broken_settings_file_is_found(remanence: Remanence, home: Places) -> None:
    write_private(home.config_path, b"queue_size = 'many'\n")
    assert broken(remanence) == {"settings"}


def test_an_endpoint_nobody_answers_at_is_found(remanence: Remanence, home: Places) -> None:
    write_private(home.endpoint_path, b"port 1\nsecret abcd\n")
    assert broken(remanence) == {"socket"}


def test_torn_spool_lines_are_found(remanence: Remanence, home: Places) -> None:
    write_private(home.spool_dir / "events.torn", b"half a li")
    assert broken(remanence) == {"spool"}


def test_looking_changes_nothing(remanence: Remanence, home: Places) -> None:
    before = {path: path.stat().st_mtime_ns for path in home.data_dir.rglob("*.db")}
    remanence("doctor")
    assert {path: path.stat().st_mtime_ns for path in home.data_dir.rglob("*.db")} == before


def test_a_newer_store_is_found_and_left_alone(remanence: Remanence, home: Places) -> None:
    with contextlib.closing(pysqlite3.connect(str(home.store_path))) as connection:
        connection.execute("PRAGMA user_version=99")
    before = home.store_path.read_bytes()
    assert "store" in broken(remanence)
    assert "99" in remanence("doctor").out
    assert home.store_path.read_bytes() == before


def test_a_store_that_is_gone_is_said_by_every_command_and_restored_by_one(remanence: Remanence, home: Places) -> None:
    home.store_path.unlink()
    assert broken(remanence) == {"store"}
    for command in (("window", "load"), ("serve",), ("memories", "list")):
        shown = remanence(*command)
        assert shown.code == 3
        assert "is missing, but there is a backup beside it" in shown.err
        assert "remanence restore --latest" in shown.err
        assert "remanence restore --anew" in shown.err
    assert not home.store_path.exists()
    shown = remanence("restore", "--latest")
    assert shown.code == 0
    assert shown.out.startswith("Restored from ")
    assert broken(remanence) == set()
    assert "dark mode" in remanence("window", "load").out
    kept = remanence("restore", "--latest", "--json").value
    assert Path(kept["kept_path"]).is_file()


def test_one_may_begin_anew_or_go_on_with_what_is_there(remanence: Remanence, home: Places) -> None:
    older = next(home.backups_dir.glob("*.db")).read_bytes()
    remanence("window", "log", "and a light one")
    home.store_path.write_bytes(older)
    assert broken(remanence) == {"store"}
    assert "lacks its newest content" in remanence("serve").err
    assert remanence("restore", "--as-it-is", "--anew").code == 2
    assert remanence("restore", "--as-it-is").out == "The store is used as it is.\n"
    assert broken(remanence) == set()
    shown = remanence("restore", "--anew")
    assert shown.out.startswith("The store is empty now. What was there before is kept in ")
    assert broken(remanence) == set()
    assert "dark mode" not in remanence("window", "load").out


def test_an_open_store_needs_no_mending(remanence: Remanence, way: str) -> None:
    remanence("window", "log", "add a dark mode")
    if way == "alone":
        return
    assert broken(remanence) == set()
    shown = remanence("restore", "--anew")
    assert shown.code == 2
    assert "is running" in shown.err
