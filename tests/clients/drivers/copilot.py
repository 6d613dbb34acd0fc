"""Copilot CLI in the harness: hooks and MCP written by hand. Source: INTEROP section 3 and "Seen in the real clients"."""

import json
from pathlib import Path

from tests.clients.client import HandWritten
from tests.clients.fake_model import Ask, FakeModel, Step
from tests.clients.model_dialects import Call
from tests.clients.room import Room
from tests.clients.terminal import Terminal

OURS = {
    "sessionStart": "start", "userPromptSubmitted": "prompt", "postToolUse": "tool", "agentStop": "stop",
    "preCompact": "compact", "sessionEnd": "end",
}  # fmt: skip


class Copilot(HandWritten):
    name = "copilot"
    title = "Copilot CLI"
    program = "copilot"
    history_dir = ".copilot"
    history = "copilot"
    prompt_event = "userPromptSubmitted"
    start_event = "sessionStart"
    stop_event = "agentStop"
    ready = r"fake-model\s*$"
    can_fork = False

    def env(self, model: FakeModel) -> dict[str, str]:
        return {
            "COPILOT_PROVIDER_BASE_URL": f"{model.url}/v1", "COPILOT_PROVIDER_TYPE": "openai",
            "COPILOT_PROVIDER_API_KEY": "fake", "COPILOT_MODEL": "fake-model", "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
        }  # fmt: skip

    def prepare(self, room: Room, model: FakeModel) -> None:
        folder = room.home / ".copilot"
        (folder / "hooks").mkdir(parents=True, exist_ok=True)
        hooks = {event: [_entry(room.recorder(event))] for event in OURS}
        (folder / "hooks" / "own.json").write_text(json.dumps({"version": 1, "hooks": hooks}), encoding="utf-8")
        known = {"trusted_folders": [str(room.project)], "banner": "never"}
        (folder / "config.json").write_text(json.dumps(known), encoding="utf-8")

    def config_files(self, room: Room) -> tuple[Path, ...]:
        folder = room.home / ".copilot"
        return (folder / "hooks" / "remanence.json", folder / "mcp-config.json")

    def write_ours(self, room: Room) -> None:
        hooks_path, servers_path = self.config_files(room)
        hooks = {event: [_entry(room.hook_command(self.name, word))] for event, word in OURS.items()}
        hooks_path.write_text(json.dumps({"version": 1, "hooks": hooks}), encoding="utf-8")
        command, args = room.mcp_command(self.name)
        server = {"type": "local", "command": command, "args": args, "tools": ["*"]}
        servers_path.write_text(json.dumps({"mcpServers": {"remanence": server}}), encoding="utf-8")

    def words(self, *, resume: str = "", fork: bool = False) -> list[str]:
        return ["copilot", "--allow-all-tools", "--allow-all-paths", *([f"--resume={resume}"] if resume else [])]

    def once(self, prompt: str) -> list[str]:
        return ["copilot", "--allow-all-tools", "-p", prompt]

    def answer_questions(self, terminal: Terminal) -> None:
        terminal.wait(self.ready)
        terminal.settle(2.5)  # it shows its line before it takes the Enter key

    def say(self, terminal: Terminal, text: str) -> None:
        terminal.type(text)
        terminal.settle(0.7, 3)
        terminal.press("enter")
        terminal.settle(0.7, 2)
        terminal.press("enter")  # the first one is missed now and then; a second one on an empty line does nothing

    def shell(self, command: str) -> tuple[Step, ...]:
        return (Ask((Call("bash", {"command": command, "description": "Runs a check"}),)),)

    def edit(self, path: Path) -> tuple[Step, ...]:
        change = {"path": str(path), "old_str": "return net", "new_str": "return net * (1 + TAX)"}
        return (Ask((Call("edit", change),)),)

    def helper(self, prompt: str) -> tuple[Step, ...]:
        given = {"description": "Counts files", "prompt": prompt, "agent_type": "general-purpose", "name": "counter"}
        return (Ask((Call("task", given),)),)

    def recall(self, query: str) -> tuple[Step, ...]:
        return (Ask((Call("remanence-recall", {"query": query}),)),)

    def remember(self, quote: str, statement: str) -> tuple[Step, ...]:
        return (Ask((Call("remanence-remember", {"quote": quote, "statement": statement}),)),)


def _entry(command: str) -> dict[str, object]:
    return {"type": "command", "bash": command, "timeoutSec": 5}
