"""Claude Code."""

from pathlib import Path

from app.assistants.assistant import Assistant, HookAnswers, LiveTranscript


def _is_transcript(path: Path, session: str) -> bool:
    return bool(session) and path.name == f"{session}.jsonl" and "projects" in path.parts


ASSISTANT = Assistant(
    "claude-code",
    "Claude Code",
    __name__,
    HookAnswers(tool="PostToolUse"),
    transcript=LiveTranscript((b'"ai-title"', b'"custom-title"'), _is_transcript),
)
