"""OpenCode in the harness: a plugin and MCP written by hand. Source: INTEROP "Seen in the real clients"."""

import json
import sys
from pathlib import Path

from tests.clients.client import HandWritten
from tests.clients.fake_model import Ask, FakeModel, Step
from tests.clients.model_dialects import Call
from tests.clients.room import HOOK, RECORDER, Room
from tests.clients.terminal import Terminal

PLUGIN = Path(__file__).with_name("opencode_plugin.js")


class OpenCode(HandWritten):
    name = "opencode"
    title = "OpenCode"
    program = "opencode"
    history_dir = ".local/share/opencode"
    history = "opencode"
    prompt_event = "chat.message"
    start_event = "session.created"
    stop_event = "session.idle"
    ready = r"Ask anything|ctrl\+p commands"
    clear = "/new"
    compact_words = "summary"

    def env(self, model: FakeModel) -> dict[str, str]:
        return {
            "OPENCODE_DISABLE_AUTOUPDATE": "true", "OPENCODE_DISABLE_LSP_DOWNLOAD": "true",
            "OPENCODE_DISABLE_MODELS_FETCH": "true",
        }  # fmt: skip

    def _folder(self, room: Room) -> Path:
        return room.home / ".config" / "opencode"

    def prepare(self, room: Room, model: FakeModel) -> None:
        folder = self._folder(room)
        (folder / "plugins").mkdir(parents=True, exist_ok=True)
        provider = {
            "npm": "@ai-sdk/openai-compatible", "name": "Fake", "models": {"fake-model": {"name": "Fake"}},
            "options": {"baseURL": f"{model.url}/v1", "apiKey": "fake"},
        }  # fmt: skip
        config = {
            "model": "fake/fake-model", "small_model": "fake/fake-model", "autoupdate": False, "share": "disabled",
            "permission": {"*": "allow"}, "provider": {"fake": provider},
        }  # fmt: skip
        (folder / "opencode.json").write_text(json.dumps(config, indent=1), encoding="utf-8")
        record = [sys.executable, "-I", "-S", str(RECORDER), str(room.records_dir)]
        (folder / "plugins" / "own.js").write_text(_plugin([], record), encoding="utf-8")

    def config_files(self, room: Room) -> tuple[Path, ...]:
        folder = self._folder(room)
        return (folder / "opencode.json", folder / "plugins" / "remanence.js")

    def write_ours(self, room: Room) -> None:
        config_path, plugin_path = self.config_files(room)
        config = json.loads(config_path.read_text(encoding="utf-8"))
        command, args = room.mcp_command(self.name)
        config["mcp"] = {"remanence": {"type": "local", "command": [command, *args]}}
        config_path.write_text(json.dumps(config, indent=1), encoding="utf-8")
        hook = [sys.executable, "-I", "-S", "-E", str(HOOK), "--home", str(room.remanence), self.name]
        plugin_path.write_text(_plugin(hook, []), encoding="utf-8")

    def words(self, *, resume: str = "", fork: bool = False) -> list[str]:
        return ["opencode", *(["--session", resume] if resume else []), *(["--fork"] if fork else [])]

    def once(self, prompt: str) -> list[str]:
        return ["opencode", "run", prompt]

    def answer_questions(self, terminal: Terminal) -> None:
        terminal.wait(self.ready)
        terminal.settle(4.0)  # a copied session is shown before it takes keys

    def shell(self, command: str) -> tuple[Step, ...]:
        return (Ask((Call("bash", {"command": command, "description": "Runs a check"}),)),)

    def edit(self, path: Path) -> tuple[Step, ...]:
        change = {"filePath": str(path), "oldString": "return net", "newString": "return net * (1 + TAX)"}
        return (Ask((Call("read", {"filePath": str(path)}),)), Ask((Call("edit", change),)))

    def helper(self, prompt: str) -> tuple[Step, ...]:
        given = {"description": "Counts files", "prompt": prompt, "subagent_type": "general"}
        return (Ask((Call("task", given),)),)

    def recall(self, query: str) -> tuple[Step, ...]:
        return (Ask((Call("remanence_recall", {"query": query}),)),)

    def remember(self, quote: str, statement: str) -> tuple[Step, ...]:
        return (Ask((Call("remanence_remember", {"quote": quote, "statement": statement}),)),)


def _plugin(hook: list[str], record: list[str]) -> str:
    text = PLUGIN.read_text(encoding="utf-8")
    return text.replace("__HOOK__", json.dumps(hook)).replace("__RECORD__", json.dumps(record))
