"""Each command does what it says, through the running app and on its own alike."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.cli.commands import COMMANDS, GROUPS
from tests.app.cli.conftest import Remanence

ROOT = Path(__file__).parents[3]


@pytest.mark.usefixtures("way")
def test_what_is_logged_is_listed_shown_found_and_undone(remanence: Remanence) -> None:
    assert remanence("window", "log", "add a dark mode to the settings page").code == 0
    assert "dark mode" in remanence("window", "load").out
    (card,) = remanence("conversations", "list", "--json").value
    assert str(card["id"]) in remanence("conversations", "list").out
    assert "dark mode" in remanence("conversations", "show", str(card["id"])).out
    shown = remanence("conversations", "show", str(card["id"]), "--json").value
    assert shown["messages"][0]["text"] == "add a dark mode to the settings page"
    assert remanence("conversations", "search", "dark", "--json").value[0]["conversation_id"] == card["id"]
    assert "left the window" in remanence("window", "clear").out
    assert remanence("window", "load", "--json").value == []
    assert remanence("undo").code == 0
    assert len(remanence("window", "load", "--json").value) == 1
    assert remanence("redo").code == 0
    assert remanence("window", "load", "--json").value == []
    assert "dark mode" in remanence("journal").out


@pytest.mark.usefixtures("way")
def test_errors_are_a_sentence_a_next_step_and_a_code(remanence: Remanence) -> None:
    for arguments in (
        ("conversations", "show", "4711"),
        ("undo", "4711"),
        ("connect", "nobody"),
        ("apps", "token", "x"),
    ):
        shown = remanence(*arguments)
        assert shown.code == 2, arguments
        assert shown.err.splitlines()[0].rstrip().endswith((".", "?"))
        assert shown.out == ""


@pytest.mark.usefixtures("way")
def test_apps_are_made_listed_paused_and_revoked(remanence: Remanence) -> None:
    token = remanence("apps", "create", "editor", "--scope", "capture", "--scope", "read").out.strip()
    assert len(token) > 20
    assert remanence("apps", "token", "editor").out.strip() != token
    assert remanence("apps", "pause", "editor").code == 0
    (card,) = remanence("apps", "list", "--json").value
    assert (card["is_paused"], sorted(card["scopes"])) == (True, ["capture", "read"])
    assert remanence("apps", "resume", "editor").code == 0
    assert remanence("apps", "revoke", "editor").code == 0
    listed = remanence("apps", "list")
    assert "editor" in listed.out
    assert remanence("apps") == listed
    assert remanence("apps", "--json").value == remanence("apps", "list", "--json").value


@pytest.mark.usefixtures("way")
def test_backup_and_restore(remanence: Remanence) -> None:
    remanence("window", "log", "kept in the backup")
    assert remanence("backup").code == 0
    remanence("window", "log", "came later")
    assert len(remanence("backup", "--list", "--json").value) >= 1
    path = remanence("backup", "--list", "--json").value[-1]["path"]
    assert remanence("restore", path).code == 0
    assert [part["text"] for part in remanence("window", "load", "--json").value] == ["kept in the backup"]
    assert remanence("restore").code == 2
    assert remanence("restore", "/nowhere.db").code == 2


@pytest.mark.usefixtures("way")
def test_export_and_import(remanence: Remanence, tmp_path: Path) -> None:
    remanence("window", "log", "add a dark mode")
    path = tmp_path / "conversation-history.jsonl"
    done = remanence("export", "history", str(path), "--json")
    assert done.value["line_count"] == len(path.read_text().splitlines()) == 1
    report = remanence("import", "auto", str(path), "--json")
    assert report.code == 0, report.err
    assert report.value["failed_count"] == 0
    assert remanence("import").code == 0
    assert remanence("import", "codex").code == 2
    assert remanence("import", "codex", str(tmp_path / "nothing")).code == 2
    assert remanence("export", "poem", str(path)).code == 2


@pytest.mark.usefixtures("way")
def test_an_assistant_is_connected_after_the_change_was_shown(remanence: Remanence) -> None:
    settings = Path.home() / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{\n  "model": "best"\n}\n')
    before = settings.read_bytes()
    preview = remanence("connect", "claude-code", "--dry-run")
    assert "settings.json" in preview.out
    assert "UserPromptSubmit" in preview.out
    assert settings.read_bytes() == before
    assert remanence("connect", "claude-code").code == 2  # nobody there to say yes
    assert settings.read_bytes() == before
    assert remanence("connect", "claude-code", "--yes").code == 0
    assert b"UserPromptSubmit" in settings.read_bytes()
    listed = {card["name"]: card["is_connected"] for card in remanence("connect", "--json").value}
    assert listed["claude-code"] is True
    assert remanence("disconnect", "claude-code", "--yes").code == 0
    assert settings.read_bytes() == before


def test_every_command_explains_itself(remanence: Remanence) -> None:
    top = remanence("--help").out
    names = [(name,) for name, _ in COMMANDS] + [(noun, name) for noun, _, parts in GROUPS for name, _ in parts]
    for path in names:
        assert path[0] in top
        shown = remanence(*path, "--help")
        assert shown.code == 0
        assert "Usage: remanence " + " ".join(path) in shown.out


def test_everything_that_reads_speaks_json(remanence: Remanence) -> None:
    readers = [
        ("info",),
        ("info", "--settings"),
        ("doctor",),
        ("conversations", "list"),
        ("window", "load"),
        ("journal",),
        ("apps", "list"),
        ("connect",),
        ("import",),
        ("backup", "--list"),
    ]
    for reader in readers:
        shown = remanence(*reader, "--json")
        assert (shown.code, isinstance(shown.value, list | dict)) == (0, True), reader


def test_home_moves_everything(remanence: Remanence, tmp_path: Path) -> None:
    home = tmp_path / "elsewhere"
    assert remanence("--home", str(home), "window", "log", "add a dark mode").code == 0
    assert (home / "data" / "remanence.db").is_file()
    assert remanence("window", "load", "--json").value == []


@pytest.mark.parametrize(
    "arguments", [("nonsense",), ("eval",), ("info", "--nonsense"), ("conversations", "show", "x")]
)
def test_a_wrong_command_line_is_said_and_exits_2(remanence: Remanence, arguments: tuple[str, ...]) -> None:
    shown = remanence(*arguments)
    assert shown.code == 2
    assert "--help" in shown.err


def test_settings_of_one_run_are_checked(remanence: Remanence) -> None:
    assert remanence("serve", "--set", "queue_size").code == 2
    shown = remanence("serve", "--set", "queue_size=1")
    assert shown.code == 2
    assert "queue_size" in shown.err


def test_info_shows_where_settings_come_from(remanence: Remanence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMANENCE_QUEUE_SIZE", "30")
    cards = {card["name"]: card for card in remanence("info", "--settings", "--json").value}
    assert (cards["queue_size"]["value"], cards["queue_size"]["set_by"]) == (30, "environment")
    assert "REMANENCE_QUEUE_SIZE" in remanence("info", "--settings").out


def test_a_command_reads_the_files_of_no_other() -> None:
    """Whoever runs one command does not wait for the rest."""
    said = (
        "import sys\nfrom app.cli.main import run\nrun(['info'])\n"
        "print(sorted(one for one in sys.modules if one.startswith('app.cli.')))"
    )
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = done.stdout.splitlines()[-1]
    assert "app.cli.info" in loaded, "the control"
    assert not [name for name in ("memories", "serve", "gui", "transfer", "context") if f"'app.cli.{name}'" in loaded]
