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
# What a host reads back from the event after a tool's use, in the same turn.
_TOOL_EVENTS = {
    "claude-code": "PostToolUse",
    "codex": "PostToolUse",
    "qwen": "PostToolUse",
    "gemini": "AfterTool",
    "copilot": "",
}
_FAILED_EVENT = "PostToolUseFailure"  # of Claude Code: a command that failed comes there and nowhere else
_CURSOR = frozenset({"cursor"})
_FLAT = frozenset({"copilot", "opencode"})  # Copilot reads no nested answer; OpenCode's plugin takes one text
_DEAF_AT_START = frozenset({"opencode"})  # it begins a session by an event that nobody can answer
_DEAF_AT_CLEAR = frozenset(
    {"gemini", "qwen"}
)  # they run the hook of the session that `/clear` begins, and drop its answer


def takes_context(app: str, event: str, source: str = "") -> bool:
    """Whether this host reads a context from this event. `source`: what it says a session start came of.

    >>> takes_context("claude-code", "prompt"), takes_context("claude-code", "tool"), takes_context("unknown", "prompt")
    (True, True, False)
    >>> takes_context("gemini", "start", "startup"), takes_context("gemini", "start", "clear"), takes_context("opencode", "start")
    (True, False, False)
    """
    if event == "start" and (app in _DEAF_AT_START or (source == "clear" and app in _DEAF_AT_CLEAR)):
        return False
    if event == "tool":
        return app in _TOOL_EVENTS
    return event in _CLAUDE_LIKE and (app in _EVENTS or app in _CURSOR or app in _FLAT)


def write_hook_answer(app: str, event: str, context: str, *, is_failure: bool = False) -> bytes:
    """The bytes for stdout; empty when there is nothing to tell, the host takes nothing, or it would be too long.

    `is_failure`: the host told of a tool that failed by an event of its own.

    >>> write_hook_answer("codex", "prompt", "- [1] DB: PostgreSQL").decode()
    '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"- [1] DB: PostgreSQL"}}'
    """
    if not context or len(context) > MAX_CHARS or not takes_context(app, event):
        return b""
    tool_event = _FAILED_EVENT if is_failure else _TOOL_EVENTS.get(app, "")
    if app in _FLAT:
        value: dict[str, object] = {"additionalContext": context}
    elif app in _CURSOR:
        value = {"additional_context": context}
        if event == "prompt":
            value["continue"] = True
    else:
        name = tool_event if event == "tool" else _EVENTS[app][event]
        value = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": context}}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
