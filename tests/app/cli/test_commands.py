"""Each command does what it says, through the running app and on its own alike.

`remanence notes`: added, found, and written to a file as JSON.

`remanence stats`: a year in a few lines, as JSON, and a year that is none.

`remanence exclude …`: rules made, tested, listed and taken away, alone and through the running app.

`remanence workflows`: listed, shown, edited, switched, put away; the empty list says where they come from.

`remanence archive`: shows how it stands, asks before it deletes, and goes into a file and back.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app.api import Engine, MemoryDraft, MemoryKind
from app.cli.commands import COMMANDS, GROUPS
from app.places import Places
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
    assert "1 message is no longer searched" in remanence("window", "clear").out
    assert remanence("window", "load", "--json").value == []
    assert remanence("undo").code == 0
    assert len(remanence("window", "load", "--json").value) == 1
    assert remanence("redo").code == 0
    assert remanence("window", "load", "--json").value == []
    assert "dark mode" in remanence("journal").out
    assert remanence("journal", "heron").out == "No entry has these words.\n", "not that nothing happened"
    assert remanence("episodes", "list", "heron").out == "No episodes match.\n"
    assert remanence("notes", "search", "heron").out == "No note has these words.\n"
    assert remanence("conversations", "list", "--app", "heron").out == "No conversations match.\n"


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
    assert "  queue_size = 30  (3 to 100; default 20, set by environment)" in remanence("info", "--settings").out


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


@pytest.mark.seed("S5", "later.export")
@pytest.mark.usefixtures("way")
def test_notes_are_exported_as_json(remanence: Remanence, tmp_path: Path) -> None:
    remanence("window", "log", "Add an export button")
    (app,) = [one["name"] for one in remanence("apps", "list", "--json").value][:1]
    assert remanence("notes", "add", app, "Exports are CSV.").code == 0
    path = tmp_path / "notes.json"
    assert remanence("notes", "export", str(path)).out == f"Wrote 1 note to {path}.\n"
    (note,) = json.loads(path.read_text())["notes"]
    assert (note["app"], note["content"], note["worded_by"]) == (app, "Exports are CSV.", "person")
    assert remanence("notes", "search", "csv").out.endswith("Exports are CSV.\n")


@pytest.mark.usefixtures("way")
def test_a_year_in_words_and_as_json(remanence: Remanence) -> None:
    assert "0 memories learned" in remanence("stats").out
    remanence("memories", "add", "Exports are CSV.")
    remanence("memories", "add", "Never deploy on Fridays.")
    told = remanence("stats").out
    assert "2 memories learned, 0 conversations" in told
    assert any(line.split()[1:] == ["2"] for line in told.splitlines()), "its project"
    assert next(line for line in told.splitlines() if line.startswith("month")).endswith("all")
    found = remanence("stats", "--json").value
    assert sum(day["learned_count"] for day in found["days"]) == 2
    assert {one["judgement"] for one in found["judgements"]} >= {"intent", "boundary", "memory-by-rules"}
    assert told.startswith("Memories: 2 in use.\n"), "the one count of every screen"
    assert remanence("memories", "list").out.endswith("2 of 2 shown. In all: 2 in use.\n")
    assert remanence("memories", "list", "--limit", "1").out.endswith("1 of 2 shown. In all: 2 in use.\n")
    year = found["years"][0]
    assert remanence("stats", "--year", str(year), "--json").value["from_day"] == f"{year}-01-01"
    assert remanence("stats", "--year", str(year + 1)).code != 0


@pytest.mark.usefixtures("way")
def test_folders_and_words_are_excluded(remanence: Remanence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "Everything is captured" in remanence("exclude").out
    assert "remanence undo" in remanence("exclude", "folder", "secret").out
    made = remanence("exclude", "words", "project zeus", "--json").value["id"]
    assert "kept out" in remanence("exclude", "test", "hello", "--folder", "secret/app").out
    assert remanence("exclude", "test", "hello", "--json").value == {"is_excluded": False}
    assert "Not kept" in remanence("window", "log", "Project Zeus is late").out
    rules = {one["kind"]: one for one in remanence("exclude", "list", "--json").value}
    assert rules["folder"]["text"] == str(tmp_path / "secret")
    assert rules["words"]["hit_count"] == 1
    assert remanence("exclude", "remove", str(made)).code == 0
    missing = remanence("exclude", "remove", str(made))
    assert (missing.code, "exclude list" in missing.err) == (2, True)
    assert remanence("exclude", "words", "*").code == 2


def test_the_empty_list_says_where_they_come_from(remanence: Remanence) -> None:
    assert "remanence consolidate" in remanence("workflows").out
    assert "No patterns yet" in remanence("patterns", "list").out


def test_shown_edited_switched_and_put_away(remanence: Remanence, places: Places) -> None:
    details = {"trigger": "deploy_request", "steps": ["test", "prod"], "details": {"test": "pnpm test"}}
    engine = Engine.open(places)
    number = str(
        engine.memories.create(
            MemoryDraft("For a deploy: test, prod.", kind=MemoryKind.WORKFLOW, title="Deploy", details=details)
        )
    )
    engine.close()
    assert "deploy: test→prod" in remanence("workflows").out
    assert "pnpm test" in remanence("workflows", "show", number).out
    remanence("workflows", "edit", number, "--step", "test: make test", "--step", "ship")
    remanence("workflows", "off", number)
    (one,) = json.loads(remanence("workflows", "list", "--json").out)
    assert (one["hint"], one["is_on"]) == ("deploy: test→ship", False)
    remanence("workflows", "purge", number)
    assert json.loads(remanence("workflows", "list", "--json").out) == []


@pytest.mark.usefixtures("way")
def test_it_is_off_and_is_switched_on_and_off(remanence: Remanence) -> None:
    assert remanence("archive").out.startswith("Prompts that leave the queue are deleted.\nIn the archive: 0 prompts")
    assert remanence("archive", "sometimes").code == 2
    assert remanence("archive", "1y").out.startswith("Prompts that leave the queue are kept for a year.")
    assert remanence("archive", "--json").value["choice"] == "1y"
    assert remanence("archive", "off").code == 0


@pytest.mark.usefixtures("way")
def test_what_would_be_deleted_is_asked_for_with_its_number(
    remanence: Remanence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remanence("archive", "forever")
    path = tmp_path / "prompts.jsonl"
    line = (
        '{{"kind": "archived_prompt", "at": "2026-01-0{0}T09:00:00+00:00", "app": "codex", "text": "about heron{0}"}}\n'
    )
    path.write_text("".join(line.format(number) for number in (1, 2)))
    assert remanence("import", "auto", str(path)).out.startswith("2 messages imported")
    assert remanence("import", "prompts", str(path)).out.startswith("0 messages imported, 2 already there")
    copy = tmp_path / "copy.jsonl"
    assert remanence("export", "prompts", str(copy)).code == 0
    assert "about heron2" in copy.read_text()
    assert "2 prompts" in remanence("info").out
    refused = remanence("archive", "off")
    assert refused.code == 2
    assert "deletes 2 prompts" in refused.err
    assert remanence("archive", "off", "--yes").out.startswith("Deleted for good: 2 prompts.")
    assert remanence("import", "prompts", str(copy)).code == 2, "an archive that is off takes nothing in"
    remanence("archive", "forever")
    assert remanence("import", "prompts", str(copy)).out.startswith("2 messages imported")
    assert remanence("search", "heron2").out


@pytest.mark.usefixtures("way")
def test_what_a_run_would_do_and_did_is_shown(remanence: Remanence) -> None:
    for _ in range(2):
        remanence("memories", "add", "Exports are CSV.")
    assert remanence("consolidate", "--runs").out == "No run yet.\n"
    assert remanence("consolidate", "--dry-run").code == 0
    assert remanence("consolidate").code == 0
    number = remanence("consolidate", "--runs", "--json").value[0]["id"]
    assert remanence("consolidate", "--show", "4711").err.startswith("There is no run 4711.")
    assert remanence("consolidate", "--show", str(number)).code == 0
    assert isinstance(remanence("consolidate", "--show", str(number), "--json").value, list)


@pytest.mark.usefixtures("way")
def test_a_file_that_cannot_be_written_is_said(remanence: Remanence, tmp_path: Path) -> None:
    target = tmp_path / "gone" / "file"
    for words in (("rules", "export"), ("notes", "export")):
        shown = remanence(*words, str(target))
        assert shown.code == 2
        assert shown.err.startswith(f"{target} cannot be written: No such file or directory.")
