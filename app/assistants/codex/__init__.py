"""Codex."""

from pathlib import Path

from app.assistants.assistant import Assistant, HookAnswers, LiveTranscript


def is_rollout(path: Path, session: str = "") -> bool:
    """Whether a file is named as Codex names a session's, whichever session's."""
    del session
    return path.name.startswith("rollout-") and path.suffix == ".jsonl" and "sessions" in path.parts


ASSISTANT = Assistant(
    "codex",
    "Codex",
    __name__,
    HookAnswers(tool="PostToolUse"),
    transcript=LiveTranscript((b'"thread_name_updated"', b'"update_plan"'), is_rollout),
)
