"""The documented example of a router runs as it stands and hands over what S2 prints."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.processes import PATIENCE_S, ROOT


@pytest.mark.seed("S2", "example.follow-up", "router.hand-over")
def test_the_router_hands_over_the_words_and_what_they_mean(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "nobody")}
    done = subprocess.run(
        [sys.executable, "-m", "resources.examples.intent_router", str(tmp_path)],
        cwd=ROOT, env=env, capture_output=True, text=True, timeout=4 * PATIENCE_S,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    first, second, third = done.stdout.split(" receives\n")[1:4]
    assert done.stdout.startswith("planner receives\n  original: I want to add a FAB button\n")
    assert first.endswith("before:   []\nexecutor")
    assert "original: Make it purple\n  expanded: Make the FAB button purple\n" in second
    assert "context:  The user is refining the FAB button.\n" in second
    assert "before:   ['I want to add a FAB button']" in second
    assert second.endswith("\ntester")
    assert "expanded: Add tests for the FAB button" in third
    assert done.stdout.endswith("cleared: 3 messages\n")
