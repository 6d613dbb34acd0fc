"""`remanence exclude …`: rules made, tested, listed and taken away, alone and through the running app."""

from pathlib import Path

import pytest

from tests.app.cli.conftest import Remanence


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
