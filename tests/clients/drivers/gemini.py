"""Gemini CLI in the harness: hooks and MCP written by hand. Source: INTEROP section 6 and "Seen in the real clients"."""

import json
from pathlib import Path

from tests.clients.client import HandWritten
from tests.clients.fake_model import Ask, FakeModel, Step
from tests.clients.model_dialects import Call
from tests.clients.room import Room

OURS = {
    "SessionStart": "start", "BeforeAgent": "prompt", "AfterAgent": "stop", "AfterTool": "tool", "PreCompress": "compact",
    "SessionEnd": "end",
}  # fmt: skip


class Gemini(HandWritten):
    name = "gemini"
    title = "Gemini CLI"
    program = "gemini"
    history_dir = ".gemini"
    history = "gemini"
    prompt_event = "BeforeAgent"
    stop_event = "AfterAgent"
    ready = r"Type your message"
    compact = "/compress"
    compact_words = "state_snapshot"
    leave = "/quit"
    can_fork = False

    def env(self, model: FakeModel) -> dict[str, str]:
        return {
            "GOOGLE_GEMINI_BASE_URL": model.url, "GEMINI_API_KEY": "fake", "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_TELEMETRY_ENABLED": "false",
        }  # fmt: skip

    def _settings(self, room: Room) -> Path:
        return room.home / ".gemini" / "settings.json"

    def prepare(self, room: Room, model: FakeModel) -> None:
        hooks = {event: [_entry(room.recorder(event))] for event in OURS}
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"disableAutoUpdate": True},
            "privacy": {"usageStatisticsEnabled": False}, "model": {"name": "gemini-2.5-flash"}, "hooks": hooks,
        }  # fmt: skip
        self._settings(room).parent.mkdir(exist_ok=True)
        self._settings(room).write_text(json.dumps(settings, indent=1), encoding="utf-8")

    def config_files(self, room: Room) -> tuple[Path, ...]:
        return (self._settings(room),)

    def write_ours(self, room: Room) -> None:
        settings = json.loads(self._settings(room).read_text(encoding="utf-8"))
        for event, word in OURS.items():
            settings["hooks"][event].append(_entry(room.hook_command(self.name, word)))
        command, args = room.mcp_command(self.name)
        settings["mcpServers"] = {"remanence": {"command": command, "args": args, "trust": True}}
        self._settings(room).write_text(json.dumps(settings, indent=1), encoding="utf-8")

    def words(self, *, resume: str = "", fork: bool = False) -> list[str]:
        return ["gemini", "--approval-mode", "yolo", *(["--resume", resume] if resume else [])]

    def once(self, prompt: str) -> list[str]:
        return ["gemini", "--approval-mode", "yolo", "-p", prompt]

    def shell(self, command: str) -> tuple[Step, ...]:
        return (Ask((Call("run_shell_command", {"command": command}),)),)

    def edit(self, path: Path) -> tuple[Step, ...]:
        change = {
            "file_path": str(path), "instruction": "Apply the tax", "old_string": "return net",
            "new_string": "return net * (1 + TAX)",
        }  # fmt: skip
        return (Ask((Call("replace", change),)),)

    def recall(self, query: str) -> tuple[Step, ...]:
        return (Ask((Call("mcp_remanence_recall", {"query": query}),)),)

    def remember(self, quote: str, statement: str) -> tuple[Step, ...]:
        return (Ask((Call("mcp_remanence_remember", {"quote": quote, "statement": statement}),)),)


def _entry(command: str) -> dict[str, object]:
    return {"matcher": "*", "hooks": [{"type": "command", "command": command, "timeout": 5_000}]}
