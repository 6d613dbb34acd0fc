"""R2: an import that was killed midway goes on where it was, and in the end the same is kept."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from app.api import Engine, Places
from tests.benchmarks.material.histories import write_transcripts

SCRIPT = Path(__file__).parent / "children" / "import_until_killed.py"
ROOT = Path(__file__).parents[2]


def kept(engine: Engine) -> list[object]:
    listed = [engine.conversations.get(one.id) for one in reversed(engine.conversations.list())]
    told = [(one.conversation.title, [(each.text, each.expanded_text) for each in one.messages]) for one in listed]
    memories = sorted((card.title, len(engine.memories.get(card.id).sources)) for card in engine.memories.list().cards)
    return [*told, *memories]


def test_killed_midway_it_goes_on_and_keeps_the_same(tmp_path: Path) -> None:
    history = tmp_path / "history"
    write_transcripts(history, session_count=3, prompts_per_session=9)
    whole = Engine.open(Places.under(tmp_path / "whole"))
    first = whole.transfer.import_history("claude-code", history)
    wanted = kept(whole)
    whole.close()
    command = [sys.executable, str(SCRIPT), str(tmp_path / "killed"), str(history), "2"]
    ended = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=tmp_path, check=False)
    assert ended.returncode == -signal.SIGKILL
    again = Engine.open(Places.under(tmp_path / "killed"))
    half = again.transfer.unfinished()
    assert half is not None
    assert 0 < half.message_count < 27
    rest = again.transfer.import_history(half.source, half.path, earlier=half)
    assert first.message_count == rest.message_count == 27
    assert kept(again) == wanted
    again.journal.undo(rest.operation_id)  # one act, although a kill lay in it
    assert again.stats.now().message_count == 0
    again.close()
