"""Qwen Code."""

from app.assistants.assistant import Assistant, HookAnswers

ASSISTANT = Assistant("qwen", "Qwen Code", __name__, HookAnswers(tool="PostToolUse", reads_after_clear=False))
