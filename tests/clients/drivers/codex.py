"""Codex in the harness. Source: INTEROP section 5 and "Seen in the real clients"."""

import json
from collections.abc import Sequence
from pathlib import Path

from tests.clients.client import Client
from tests.clients.fake_model import Ask, FakeModel, Step
from tests.clients.model_dialects import Call
from tests.clients.room import Room
from tests.clients.terminal import Terminal

EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStart", "SubagentStop",
    "PreCompact", "PostCompact", "SessionEnd",
)  # fmt: skip
CONFIG = """\
# my own
model = "fake-model"
model_provider = "fake"
approval_policy = "never"
sandbox_mode   = "danger-full-access"
check_for_update_on_startup = false

[model_providers.fake]
name = "Fake"
base_url = "{url}/v1"
wire_api = "responses"
requires_openai_auth = false

[projects."{project}"]
trust_level = "trusted"
"""
PATCH = """\
*** Begin Patch
*** Update File: prices.py
@@
-    return net
+    return net * (1 + TAX)
*** End Patch
"""


class Codex(Client):
    name = "codex"
    title = "Codex"
    program = "codex"
    history_dir = ".codex"
    history = "codex"
    ready = r"Ask Codex to do anything|\? for shortcuts"
    leave = "/quit"

    def env(self, model: FakeModel) -> dict[str, str]:
        return {}

    def prepare(self, room: Room, model: FakeModel) -> None:
        folder = room.home / ".codex"
        folder.mkdir(exist_ok=True)
        hooks = {event: [{"hooks": [{"type": "command", "command": room.recorder(event)}]}] for event in EVENTS}
        (folder / "hooks.json").write_text(json.dumps({"hooks": hooks}, indent=3), encoding="utf-8")
        (folder / "config.toml").write_text(CONFIG.format(url=model.url, project=room.project), encoding="utf-8")

    def config_files(self, room: Room) -> Sequence[Path]:
        return (room.home / ".codex" / "hooks.json", room.home / ".codex" / "config.toml")

    def words(self, *, resume: str = "", fork: bool = False) -> list[str]:
        # without the daemon: it would outlive the session and the room
        verb = ["fork" if fork else "resume", resume] if resume else []
        return ["codex", *verb, "--no-daemon"]

    def once(self, prompt: str) -> list[str]:
        return ["codex", "exec", prompt]

    def answer_questions(self, terminal: Terminal) -> None:
        if terminal.wait(r"Hooks need review", patience_s=6):
            terminal.settle()
            terminal.press("down", "enter")  # Trust all and continue
            terminal.wait(lambda text: "Hooks need review" not in text)
        terminal.wait(self.ready)
        terminal.settle(1.0)

    def shell(self, command: str) -> tuple[Step, ...]:
        return (Ask((Call("exec_command", {"cmd": command}),)),)

    def edit(self, path: Path) -> tuple[Step, ...]:
        # a model that Codex does not know patches by a command, as its instructions say
        return (Ask((Call("exec_command", {"cmd": f"apply_patch <<'EOF'\n{PATCH}EOF\n"}),)),)

    def helper(self, prompt: str) -> tuple[Step, ...]:
        spawn = Ask((Call("spawn_agent", {"message": prompt}, "multi_agent_v1"),))
        return (spawn,)

    def recall(self, query: str) -> tuple[Step, ...]:
        return (Ask((Call("recall", {"query": query}, "mcp__remanence"),)),)

    def remember(self, quote: str, statement: str) -> tuple[Step, ...]:
        return (Ask((Call("remember", {"quote": quote, "statement": statement}, "mcp__remanence"),)),)
