"""The documented example of Python use runs as it stands, keeps what it was told, and leaves the files that it names."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.processes import PATIENCE_S, ROOT


def run_example(folder: Path) -> list[str]:
    """Its lines, from a process without an environment of ours."""
    env = {"PATH": os.environ["PATH"], "HOME": str(folder / "nobody")}
    done = subprocess.run(
        [sys.executable, "-m", "resources.examples.memory_system", str(folder)],
        cwd=ROOT, env=env, capture_output=True, text=True, timeout=4 * PATIENCE_S,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.seed("S3", "example.usage", "config.dir")
def test_the_example_of_the_seed_runs_and_remembers(tmp_path: Path) -> None:
    lines = run_example(tmp_path)
    assert "user: We decided to use PostgreSQL." in lines
    assert "assistant: I recommend PostgreSQL for this use case." in lines
    assert "found: Use PostgreSQL." in lines
    assert any(line.startswith("retrieved: Use PostgreSQL.") for line in lines), "asked by what it decides"
    written = [line.removeprefix("written: ") for line in lines if line.startswith("written: ")]
    kept = {name: json.loads((tmp_path / ".project-memory" / name).read_text()) for name in written}
    assert sorted(kept) == [
        "conversation-chunks.json", "conversations.json", "episodic-memory.json", "long-term-memory.json",
    ]  # fmt: skip
    assert "PostgreSQL" in json.dumps(kept["long-term-memory.json"])
    assert [one["status"] for one in kept["conversations.json"]] == ["ended"]
    assert not (tmp_path / "nobody").exists(), "everything lies in the folder that was given"
    again = run_example(tmp_path)
    assert again.count("found: Use PostgreSQL.") == 1, "said again is one memory"
