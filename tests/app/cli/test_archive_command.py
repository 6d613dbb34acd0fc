"""`remanence archive`: shows how it stands, asks before it deletes, and goes into a file and back."""

from pathlib import Path

import pytest

from tests.app.cli.conftest import Remanence


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
    assert remanence("import", "prompts", str(path)).out.startswith("0 messages imported, 2 known")
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
