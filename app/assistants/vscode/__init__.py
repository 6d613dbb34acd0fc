"""VS Code."""

from app.assistants.assistant import Assistant, HookAnswers

ASSISTANT = Assistant("vscode", "VS Code", __name__, HookAnswers())
