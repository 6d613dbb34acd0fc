"""Gemini CLI."""

from app.assistants.assistant import Assistant, HookAnswers

ASSISTANT = Assistant(
    "gemini", "Gemini", __name__, HookAnswers(prompt="BeforeAgent", tool="AfterTool", reads_after_clear=False)
)
