"""The clients that the harness knows, in the order in which they are played."""

from tests.clients.client import Client
from tests.clients.drivers.claude_code import ClaudeCode
from tests.clients.drivers.codex import Codex
from tests.clients.drivers.copilot import Copilot
from tests.clients.drivers.gemini import Gemini
from tests.clients.drivers.opencode import OpenCode
from tests.clients.drivers.qwen import Qwen

CLIENTS: dict[str, type[Client]] = {
    client.name: client for client in (ClaudeCode, Codex, Gemini, Copilot, Qwen, OpenCode)
}
