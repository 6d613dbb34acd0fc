"""The real programs as judges, against a fake model: nobody hears them, nothing is left behind, the answer and its cost are read.

Our hooks and the person's own are connected. Needs the harness of real clients (`tests/clients`) and the pinned programs there;
skipped without. Source: JUDGE "Adapters", "What went wrong".
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.judge.adapter import CHILD_MARK, Adapter, Call, JudgeCancelledError, JudgeError
from app.judge.answer import parse_answer, parse_task_answer
from app.judge.claude_code import ClaudeCodeAdapter
from app.judge.codex import CodexAdapter
from app.judge.endpoint import EndpointAdapter
from app.judge.gemini import GeminiAdapter
from app.judge.request import instructions, request_json
from app.judge.tasks import ContradictionsRequest, Pair, PairVerdict, Verdict
from app.judge.values import JudgeMessage, JudgeRequest
from app.judge.verification import find_foreign, verify

fake_model = pytest.importorskip("tests.clients.fake_model")
dialects = pytest.importorskip("tests.clients.model_dialects")
installing = pytest.importorskip("tests.clients.installing")
pytestmark = pytest.mark.slow

HOOK = Path(__file__).parents[3] / "app" / "hook" / "remanence_hook.py"
AT = datetime(2026, 3, 2, tzinfo=UTC)
REQUEST = JudgeRequest("shop", (JudgeMessage(12, 1, "s", AT, "please, exports are always CSV here"),))
PAIRS = ContradictionsRequest((Pair("p1", "Exports are CSV.", "Exports are XML.", AT, AT),))
ANSWER = {
    "memories": [
        {"message": "m12", "quote": "exports are always CSV", "statement": "Exports are always CSV.", "type": "decision",
         "scope": "project", "worth": 2, "replaces": []},
        {"message": "m12", "quote": "exports are XML", "statement": "Exports are XML.", "type": "decision", "scope": "project",
         "worth": 2, "replaces": []},
    ],
    "changes": [], "topics": [],
}  # fmt: skip
VERDICTS = {"verdicts": [{"id": "p1", "verdict": "contradict", "why": "Another format.", "holds": "b"}]}
LAST_WORDS = "Answer with the JSON object alone"
OWN_BYTES = {"claude-code": 4_000, "codex": 2_500, "gemini": 2_500}  # that a program may add to what we send
CODEX = """#!/bin/sh
verb=$1; shift
exec {real} "$verb" -c model=fake-model -c model_provider=fake \
-c 'model_providers.fake={{name="Fake",base_url="{url}/v1",wire_api="responses",requires_openai_auth=false}}' "$@"
"""


@dataclass
class Bench:
    """A home with hooks connected, a fake model, and the call of one program."""

    adapter: Adapter
    model: Any
    home: Path
    folder: Path
    env: dict[str, str]
    heard: Path
    remanence: Path

    def call(self, **more: Any) -> Call:
        return Call(self.folder, env=self.env, hands_keys=True, **more)  # the fake model's key is handed on

    def answers(self, answer: dict[str, Any]) -> None:
        said = fake_model.Say(json.dumps(answer))
        if self.adapter.name == "claude-code":
            asked = fake_model.Ask((dialects.Call("StructuredOutput", answer),))
            self.model.script.on(LAST_WORDS, asked, fake_model.Say("done"))
        else:
            self.model.script.on(LAST_WORDS, said)

    def left_behind(self) -> list[str]:
        """What tells of the call: events of ours, calls of the person's hook, transcripts, files in our folder."""
        found = [path for path in self.remanence.rglob("*") if path.is_file()]
        found += self.heard.parent.glob("heard*")
        found += [path for path in self.home.rglob("*.jsonl") if "history" not in path.name or path.stat().st_size]
        found += self.home.glob(".gemini/tmp/*/*")
        return [str(path) for path in (*found, *self.folder.iterdir())]

    def running(self) -> list[int]:
        """Programs that this call started and that still run."""
        mark = f"HOME={self.home}".encode()
        found = []
        for place in Path("/proc").iterdir():
            if place.name.isdigit():
                try:
                    words = (place / "environ").read_bytes().split(b"\0")
                except OSError:
                    continue
                if mark in words and f"{CHILD_MARK}=1".encode() in words:
                    found.append(int(place.name))
        return found


@pytest.fixture(params=["claude-code", "codex", "gemini"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    folder, pins = installing.clients_folder(), installing.load_pins()
    bins = [folder / f"{name}-{pins[name].version}" / "node_modules" for name in (request.param, "node")]
    if not all(one.exists() for one in bins):
        pytest.skip(f"the pinned {request.param} is not installed")
    adapters: dict[str, Callable[[], Adapter]] = {
        "claude-code": ClaudeCodeAdapter, "codex": CodexAdapter, "gemini": GeminiAdapter
    }  # fmt: skip
    home, mine = tmp_path / "home", tmp_path / "bin"
    mine.mkdir()
    with fake_model.FakeModel() as model:
        env = {
            "HOME": str(home), "LANG": "C.UTF-8",
            "PATH": os.pathsep.join(
                [str(mine), str(bins[0] / ".bin"), str(bins[1] / "node" / "bin"), "/usr/bin:/bin"]
            ),
            "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_AUTH_TOKEN": "fake", "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "GOOGLE_GEMINI_BASE_URL": model.url,
            "GEMINI_API_KEY": "fake", "GEMINI_TELEMETRY_ENABLED": "false",
        }  # fmt: skip
        if request.param == "codex":  # a provider is settings of the person's, which the call passes over
            script = CODEX.format(real=bins[0] / ".bin" / "codex", url=model.url)
            (mine / "codex").write_text(script)
            (mine / "codex").chmod(0o755)
        made = Bench(
            adapters[request.param](), model, home, tmp_path / "empty", env, tmp_path / "heard", tmp_path / "rem"
        )
        connect(made, tmp_path)
        yield made


def connect(bench: Bench, folder: Path) -> None:
    """Our hook and one of the person's at every event that the program knows."""

    def hooks(events: dict[str, str], **more: object) -> dict[str, object]:
        return {
            event: [more | {"hooks": [{"type": "command", "command": command} for command in commands(event, word)]}]
            for event, word in events.items()
        }

    def commands(event: str, word: str) -> list[str]:
        ours = f"{sys.executable} -I -S -E {HOOK} --home {bench.remanence} {bench.adapter.name} {word}"
        return [ours, f"touch {folder / f'heard-{event}'}"]

    common = {"SessionStart": "start", "UserPromptSubmit": "prompt", "Stop": "stop", "SessionEnd": "end"}
    claude, codex, gemini = (bench.home / name for name in (".claude", ".codex", ".gemini"))
    for place in (claude, codex, gemini):
        place.mkdir(parents=True)
    (claude / "settings.json").write_text(json.dumps({"hooks": hooks(common)}))
    (bench.home / ".claude.json").write_text(json.dumps({"hasCompletedOnboarding": True, "theme": "dark"}))
    (codex / "hooks.json").write_text(json.dumps({"hooks": hooks(common)}))
    words = {"SessionStart": "start", "BeforeAgent": "prompt", "AfterAgent": "stop", "SessionEnd": "end"}
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"disableAutoUpdate": True},
        "privacy": {"usageStatisticsEnabled": False}, "model": {"name": "gemini-2.5-flash"},
        "hooks": hooks(words, matcher="*"), "mcpServers": {"mine": {"command": "touch", "args": [str(folder / "heard-mcp")]}},
    }  # fmt: skip
    (gemini / "settings.json").write_text(json.dumps(settings))


def test_a_program_answers_and_nobody_hears_it(bench: Bench) -> None:
    bench.answers(ANSWER)
    reply = bench.adapter.ask(REQUEST, bench.call())
    found = verify(parse_answer(reply.text), REQUEST, find_foreign)
    assert [one.statement for one in found.memories] == ["Exports are always CSV."]
    assert found.dropped == ("words that the person did not say",)
    assert reply.prompt_tokens
    assert reply.answer_tokens
    (sent,) = bench.model.requests
    body = json.dumps(sent.body, ensure_ascii=False)
    for ours in (request_json(REQUEST, is_cut=True), instructions(REQUEST)):
        assert json.dumps(ours, ensure_ascii=False)[1:-1] in body  # to the byte
    added = len(body) - len(bench.adapter.sent_text(REQUEST)) - 2_000  # the schema, and how JSON writes our text
    assert added < OWN_BYTES[bench.adapter.name], f"{added} bytes of its own"
    assert bench.left_behind() == []


def test_another_task_goes_the_same_way(bench: Bench) -> None:
    bench.answers(VERDICTS)
    reply = bench.adapter.ask(PAIRS, bench.call())
    found = parse_task_answer(reply.text, PAIRS)
    assert found.found == (PairVerdict("p1", Verdict.CONTRADICT, "Another format.", "b"),)
    assert bench.left_behind() == []


def test_who_cancels_ends_the_whole_group(bench: Bench) -> None:
    let_go, cancelled = threading.Event(), threading.Event()
    bench.model.script.on(LAST_WORDS, fake_model.Say("wait", until=let_go))
    failures: list[Exception] = []

    def ask() -> None:
        try:
            bench.adapter.ask(REQUEST, bench.call(cancelled=cancelled))
        except JudgeError as error:
            failures.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    assert bench.model.wait(lambda _: True) is not None
    assert bench.running()
    cancelled.set()
    thread.join()
    let_go.set()
    assert isinstance(failures[0], JudgeCancelledError)
    while bench.running():  # a killed process is gone only when its turn comes
        time.sleep(0.02)
    assert bench.left_behind() == []


def test_an_endpoint_on_this_machine_answers(tmp_path: Path) -> None:
    with fake_model.FakeModel() as model:
        model.script.on(LAST_WORDS, fake_model.Say(json.dumps(ANSWER)))
        reply = EndpointAdapter(f"{model.url}/v1").ask(REQUEST, Call(tmp_path / "empty"))
        (sent,) = model.requests
    assert parse_answer(reply.text).memories[0].statement == "Exports are always CSV."
    assert [one["role"] for one in sent.body["messages"]] == ["system", "user"]
    assert request_json(REQUEST, is_cut=True) in sent.body["messages"][1]["content"]
