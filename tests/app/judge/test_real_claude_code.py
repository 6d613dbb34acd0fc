"""The real Claude Code as judge, against a fake model: no hook of the person's runs, nothing is left behind, the answer is read.

Needs the harness of real clients (`tests/clients`) and the pinned program there; skipped without. Source: JUDGE "What went wrong".
"""

import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.judge.answer import parse_answer
from app.judge.claude_code import ClaudeCodeAdapter
from app.judge.ownership import find_foreign
from app.judge.port import Call
from app.judge.values import JudgeMessage, JudgeRequest
from app.judge.verification import verify

fake_model = pytest.importorskip("tests.clients.fake_model")
dialects = pytest.importorskip("tests.clients.model_dialects")
installing = pytest.importorskip("tests.clients.installing")

EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd")
ANSWER = {
    "memories": [
        {"message": "m12", "quote": "exports are always CSV", "statement": "Exports are always CSV.", "type": "decision",
         "scope": "project", "worth": 2, "replaces": []},
        {"message": "m12", "quote": "exports are XML", "statement": "Exports are XML.", "type": "decision", "scope": "project",
         "worth": 2, "replaces": []},
    ],
    "changes": [], "topics": [],
}  # fmt: skip


@pytest.mark.slow
def test_claude_code_answers_and_nobody_hears_it(tmp_path: Path) -> None:
    folder, pins = installing.clients_folder(), installing.load_pins()
    bins = [folder / f"{name}-{pins[name].version}" / "node_modules" for name in ("claude-code", "node")]
    if not all(one.exists() for one in bins):
        pytest.skip("the pinned Claude Code is not installed")
    home, heard = tmp_path / "home", tmp_path / "heard"
    (home / ".claude").mkdir(parents=True)
    note = f"{sys.executable} -I -S -c \"open({str(heard)!r}, 'a').write('heard')\""
    hooks = {event: [{"hooks": [{"type": "command", "command": note}]}] for event in EVENTS}
    (home / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}))
    (home / ".claude.json").write_text(json.dumps({"hasCompletedOnboarding": True, "theme": "dark"}))
    request = JudgeRequest(
        "shop", (JudgeMessage(12, 1, "s", datetime(2026, 3, 2, tzinfo=UTC), "please, exports are always CSV here"),)
    )
    with fake_model.FakeModel() as model:
        step = fake_model.Ask((dialects.Call("StructuredOutput", ANSWER),))
        model.script.on("Answer with the JSON object alone", step, fake_model.Say("done"))
        env = {
            "HOME": str(home), "LANG": "C.UTF-8", "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_AUTH_TOKEN": "fake",
            "PATH": os.pathsep.join([str(bins[0] / ".bin"), str(bins[1] / "node" / "bin"), "/usr/bin:/bin"]),
            "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }  # fmt: skip
        reply = ClaudeCodeAdapter().ask(request, Call(tmp_path / "empty", env=env, hands_keys=True))
        (sent,) = model.requests
    found = verify(parse_answer(reply.text), request, find_foreign)
    assert [one.statement for one in found.memories] == ["Exports are always CSV."]
    assert found.dropped == ("words that the person did not say",)
    assert reply.prompt_tokens
    assert "exports are always CSV" in json.dumps(sent.body)
    assert not heard.exists()
    assert list(home.rglob("*.jsonl")) == []
    assert list((tmp_path / "empty").iterdir()) == []
