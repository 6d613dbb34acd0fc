"""The assistants, one line each. Light: their parts are imported when they are needed."""

from app.assistants import claude_code, codex, copilot, cursor, gemini, opencode, qwen, vscode
from app.assistants.assistant import Assistant

ASSISTANTS: tuple[Assistant, ...] = (
    claude_code.ASSISTANT,
    codex.ASSISTANT,
    cursor.ASSISTANT,
    copilot.ASSISTANT,
    gemini.ASSISTANT,
    qwen.ASSISTANT,
    opencode.ASSISTANT,
    vscode.ASSISTANT,
)
NAMES = tuple(one.name for one in ASSISTANTS)
# what else events come from: chats that were exported, and programs that use the API
_OTHER_TITLES = {"chatgpt": "ChatGPT", "claude-ai": "Claude.ai", "api": "API"}
TITLES = {**{one.name: one.title for one in ASSISTANTS}, **_OTHER_TITLES}
_BY_NAME = {one.name: one for one in ASSISTANTS}


def find_assistant(name: str) -> Assistant | None:
    """The assistant of that name; None for an app that we know nothing about."""
    return _BY_NAME.get(name)
