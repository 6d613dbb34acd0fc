"""What a hook prints so that its host puts our context into the prompt: one JSON object per host and event, or nothing.

Owns the shapes and the largest value a host takes inline; knows no engine. Source: INTEROP rules 2 and 3, sections 1, 4, 5, and
"Seen in the real clients".
"""

import json

MAX_CHARS = 10_000  # Claude Code and Cursor put longer values into a file that is hardly ever read

# our word for the event -> the host's name for it; these are the events whose output hosts read as context
_CLAUDE_LIKE = {"prompt": "UserPromptSubmit", "start": "SessionStart"}
_EVENTS: dict[str, dict[str, str]] = {
    "claude-code": _CLAUDE_LIKE,
    "codex": _CLAUDE_LIKE,
    "vscode": _CLAUDE_LIKE,
    "qwen": _CLAUDE_LIKE,
    "gemini": {"prompt": "BeforeAgent", "start": "SessionStart"},
}
_CURSOR = frozenset({"cursor"})
_FLAT = frozenset({"copilot", "opencode"})  # Copilot reads no nested answer; OpenCode's plugin takes one text
_DEAF_AT_START = frozenset({"opencode"})  # it begins a session by an event that nobody can answer
_DEAF_AT_CLEAR = frozenset(
    {"gemini", "qwen"}
)  # they run the hook of the session that `/clear` begins, and drop its answer


def takes_context(app: str, event: str, source: str = "") -> bool:
    """Whether this host reads a context from this event. `source`: what it says a session start came of.

    >>> takes_context("claude-code", "prompt"), takes_context("claude-code", "tool"), takes_context("unknown", "prompt")
    (True, False, False)
    >>> takes_context("gemini", "start", "startup"), takes_context("gemini", "start", "clear"), takes_context("opencode", "start")
    (True, False, False)
    """
    if event == "start" and (app in _DEAF_AT_START or (source == "clear" and app in _DEAF_AT_CLEAR)):
        return False
    return event in _CLAUDE_LIKE and (app in _EVENTS or app in _CURSOR or app in _FLAT)


def write_hook_answer(app: str, event: str, context: str) -> bytes:
    """The bytes for stdout; empty when there is nothing to tell, the host takes nothing, or it would be too long.

    >>> write_hook_answer("codex", "prompt", "- [1] DB: PostgreSQL").decode()
    '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"- [1] DB: PostgreSQL"}}'
    """
    if not context or len(context) > MAX_CHARS or not takes_context(app, event):
        return b""
    if app in _FLAT:
        value: dict[str, object] = {"additionalContext": context}
    elif app in _CURSOR:
        value = {"additional_context": context}
        if event == "prompt":
            value["continue"] = True
    else:
        value = {"hookSpecificOutput": {"hookEventName": _EVENTS[app][event], "additionalContext": context}}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
