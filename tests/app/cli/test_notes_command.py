"""`remanence notes`: added, found, and written to a file as JSON."""

import json
from pathlib import Path

import pytest

from tests.app.cli.conftest import Remanence


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
