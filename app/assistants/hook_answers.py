"""What a hook prints so that its host puts our context into the prompt: one JSON object per host and event, or nothing.

Owns the shapes and the largest value a host takes inline; knows no engine. Source: INTEROP rules 2 and 3, sections 1, 4, 5, and
"Seen in the real clients".
"""

import json

from app.assistants.registry import find_assistant

MAX_CHARS = 10_000  # Claude Code and Cursor put longer values into a file that is hardly ever read

_FAILED_EVENT = "PostToolUseFailure"  # of Claude Code: a command that failed comes there and nowhere else


def takes_context(app: str, event: str, source: str = "") -> bool:
    """Whether this host reads a context from this event. `source`: what it says a session start came of.

    >>> takes_context("claude-code", "prompt"), takes_context("claude-code", "tool"), takes_context("unknown", "prompt")
    (True, True, False)
    >>> takes_context("gemini", "start", "startup"), takes_context("gemini", "start", "clear"), takes_context("opencode", "start")
    (True, False, False)
    """
    assistant = find_assistant(app)
    if assistant is None or assistant.answers.name_of(event) is None:
        return False
    return not (event == "start" and source == "clear" and not assistant.answers.reads_after_clear)


def write_hook_answer(app: str, event: str, context: str, *, is_failure: bool = False) -> bytes:
    """The bytes for stdout; empty when there is nothing to say, the host takes nothing, or it would be too long.

    `is_failure`: the host reports a failed tool by an event of its own.

    >>> write_hook_answer("codex", "prompt", "- [1] DB: PostgreSQL").decode()
    '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"- [1] DB: PostgreSQL"}}'
    """
    assistant = find_assistant(app)
    if assistant is None or not context or len(context) > MAX_CHARS or not takes_context(app, event):
        return b""
    name = _FAILED_EVENT if is_failure and event == "tool" else assistant.answers.name_of(event) or ""
    value = assistant.answers.write(event, name, context)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
