"""Copilot CLI: it reads no nested answer."""

from app.assistants.assistant import Assistant, HookAnswers, flat_answer

ASSISTANT = Assistant("copilot", "Copilot", __name__, HookAnswers(prompt="", start="", tool="", write=flat_answer))
