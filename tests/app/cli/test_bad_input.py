"""Whatever is handed to a command by mistake: one sentence what is wrong, one what to do, an exit code, nothing changed."""

import json
from contextlib import closing
from pathlib import Path

import pysqlite3
import pytest

from app.api import Engine, Places
from app.cli.output import print_json, print_line
from app.server import start_server
from tests.app.cli.conftest import Remanence, Shown
from tests.patience import PATIENCE_S


def assert_told(shown: Shown, case: object) -> None:
    assert shown.code in {2, 3}, case
    assert shown.out == "", case
    told = shown.err.strip().splitlines()
    assert len(told) >= 2, case
    assert told[0].endswith((".", "?", ":")), case
    assert "openapi" not in shown.err, case
    assert "Errno" not in shown.err, case


@pytest.fixture
def strange(tmp_path: Path) -> dict[str, str]:
    """Files of a wrong kind, by kind."""
    made = {name: tmp_path / "strange" / name for name in ("folder", "empty", "binary", "text", "other.db", "missing")}
    made["folder"].mkdir(parents=True)
    made["empty"].touch()
    made["binary"].write_bytes(bytes(range(256)) * 9)
    made["text"].write_text("hello\n")
    with closing(pysqlite3.connect(str(made["other.db"]))) as other:
        other.execute("CREATE TABLE t(a)")
        other.execute("PRAGMA user_version=3")
    return {name: str(path) for name, path in made.items()}


def test_through_the_running_app(remanence: Remanence, places: Places, strange: dict[str, str]) -> None:
    cases: list[tuple[str, ...]] = [
        *(("import", source, strange[kind]) for source in ("history", "context", "memories") for kind in ("folder", "empty", "binary")),
        *(("import", "claude-code", strange[kind]) for kind in ("folder", "empty", "binary", "missing")),
        *(("restore", path) for path in strange.values()),
        ("export", "history", strange["folder"]),
        ("export", "memories", f"{strange['text']}/x"),
        ("export", "poem", strange["missing"]),
        *((noun, act, number) for noun, act in (("conversations", "end"), ("memories", "pin"), ("messages", "show"))
          for number in ("4711", "-1", "two", str(2**63))),
        ("conversations", "rename", "1", ""),
        ("conversations", "merge", "1", "--into", "1"),
        ("messages", "correct-intents", "1", "SHOUT"),
        ("memories", "tag", "1", "--tag", ""),
        ("context", "place", "1", "--level", "high"),
        ("erase", "--since", "soon", "--yes"),
        ("exclude", "folder", ""),
        ("expand", "4711"),
        ("apps", "create", "Bad Name"),
    ]  # fmt: skip
    with closing(Engine.open(Places.find(), flags={"understand_wait_s": PATIENCE_S})) as engine:
        server = start_server(engine, port=0)
        try:
            before = engine.journal.list()
            for case in cases:
                assert_told(remanence(*case), case)
            assert engine.journal.list() == before
        finally:
            server.stop()


@pytest.mark.parametrize("kind", ["folder", "empty", "binary", "text", "other.db", "missing"])
def test_what_needs_no_store(remanence: Remanence, strange: dict[str, str], kind: str) -> None:
    assert_told(remanence("eval", "intent", strange[kind]), kind)
    assert_told(remanence("restore", strange[kind]), kind)


def test_a_store_that_is_a_folder_is_found(remanence: Remanence) -> None:
    Places.find().store_path.mkdir(parents=True)
    assert_told(remanence("memories", "list"), "list")
    found = remanence("doctor")
    assert found.code == 1
    assert "not a readable store" in found.out


def test_nothing_printed_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    text = "a\x1b]0;x\x07b\u202ec\x9bd\u2066e"
    print_line(text)
    print_json({"text": text})
    line, _, document = capsys.readouterr().out.partition("\n")
    assert line == "a ]0;x b c d e"
    assert json.loads(document) == {"text": text}
    assert not set(document) & set("\x1b\x07\u202e\x9b\u2066")
