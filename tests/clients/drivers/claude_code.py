"""Claude Code in the harness. Source: INTEROP sections 1, 2 and "Seen in the real clients"."""

import json
from collections.abc import Sequence
from pathlib import Path

from tests.clients.client import Client
from tests.clients.fake_model import Ask, FakeModel, Step
from tests.clients.model_dialects import Call
from tests.clients.room import Room
from tests.clients.terminal import Terminal

EVENTS = (
    "SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SubagentStart", "SubagentStop",
    "PreCompact", "PostCompact", "SessionEnd",
)  # fmt: skip


class ClaudeCode(Client):
    name = "claude-code"
    title = "Claude Code"
    program = "claude"
    history_dir = ".claude"
    history = "claude-code"
    ready = r"\? for shortcuts|accept edits on"
    paste_mark = "<pasted_content"

    def env(self, model: FakeModel) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_AUTH_TOKEN": "fake", "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }  # fmt: skip

    def prepare(self, room: Room, model: FakeModel) -> None:
        folder = room.home / ".claude"
        folder.mkdir(exist_ok=True)
        hooks = {event: [{"hooks": [{"type": "command", "command": room.recorder(event)}]}] for event in EVENTS}
        allowed = ["Bash", "Edit", "Write", "Read", "Agent", "mcp__remanence"]
        settings = {"permissions": {"allow": allowed, "defaultMode": "acceptEdits"}, "hooks": hooks}
        (folder / "settings.json").write_text(json.dumps(settings, indent=3) + "\n\n", encoding="utf-8")
        known = {"hasCompletedOnboarding": True, "theme": "dark", "hasResetAutoModeOptInForDefaultOffer": True}
        known["projects"] = {str(room.project): {"hasTrustDialogAccepted": True}}
        (room.home / ".claude.json").write_text(json.dumps(known), encoding="utf-8")

    def config_files(self, room: Room) -> Sequence[Path]:
        return (room.home / ".claude" / "settings.json", room.home / ".claude.json")

    def words(self, *, resume: str = "", fork: bool = False) -> list[str]:
        return ["claude", *(["--resume", resume] if resume else []), *(["--fork-session"] if fork else [])]

    def once(self, prompt: str) -> list[str]:
        return ["claude", "-p", prompt]

    def answer_questions(self, terminal: Terminal) -> None:
        if terminal.wait(f"{self.ready}|Make auto mode your default") and "Make auto mode" in terminal.text:
            terminal.press("down", "enter")
            terminal.wait(self.ready)

    def shell(self, command: str) -> tuple[Step, ...]:
        return (Ask((Call("Bash", {"command": command, "description": "Runs a check"}),)),)

    def edit(self, path: Path) -> tuple[Step, ...]:
        change = {"file_path": str(path), "old_string": "return net", "new_string": "return net * (1 + TAX)"}
        return (Ask((Call("Read", {"file_path": str(path)}),)), Ask((Call("Edit", change),)))

    def helper(self, prompt: str) -> tuple[Step, ...]:
        given = {"description": "Counts files", "prompt": prompt, "subagent_type": "general-purpose"}
        return (Ask((Call("Agent", given),)),)

    def recall(self, query: str) -> tuple[Step, ...]:
        return (Ask((Call("mcp__remanence__recall", {"query": query}),)),)

    def remember(self, quote: str, statement: str) -> tuple[Step, ...]:
        load = Ask((Call("ToolSearch", {"query": "select:mcp__remanence__remember", "max_results": 1}),))
        return (load, Ask((Call("mcp__remanence__remember", {"quote": quote, "statement": statement}),)))
