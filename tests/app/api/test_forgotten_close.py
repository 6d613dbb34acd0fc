"""Whoever forgets to close an engine ends all the same, with everything that was acknowledged in the store."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from app.api import Engine, Places
from app.values import MemoryFilter
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[3]
MESSAGES = 12
SCRIPT = f"""
import sys
from pathlib import Path
from app.api import Engine, Places
from app.values import CaptureRequest, EventKind, MemoryDraft

engine = Engine.open(Places.under(Path(sys.argv[1])))
engine.memories.create(MemoryDraft("The harbour door is painted yearly."))
requests = [CaptureRequest("codex", EventKind.PROMPT, str(n), "s", f"paint door {{n}}") for n in range({MESSAGES})]
print(sum(one.event_id > 0 for one in engine.events.capture(requests)), flush=True)
if sys.argv[2] == "fails":
    raise ValueError("a bug of the caller")
"""


@pytest.mark.parametrize(("how", "status"), [("ends", 0), ("fails", 1)])
def test_a_process_that_never_closes_its_engine_ends_and_loses_nothing(tmp_path: Path, how: str, status: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path), how],
        capture_output=True, text=True, check=False, timeout=PATIENCE_S, cwd=ROOT,
    )  # fmt: skip
    assert (done.returncode, done.stdout.strip()) == (status, str(MESSAGES))
    assert done.stderr.count("Traceback") == status, done.stderr
    with closing(Engine.open(Places.under(tmp_path))) as engine:
        assert engine.events.wait_idle(PATIENCE_S)
        assert engine.memories.count(MemoryFilter()) == 1
        (conversation,) = engine.conversations.list()
        assert conversation.message_count == MESSAGES
