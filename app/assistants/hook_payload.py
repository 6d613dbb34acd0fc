"""Reads what an assistant's hook got on stdin: bytes in, one CaptureRequest or nothing out.

Tolerant: the assistants' fields differ and drift, so each is looked up under all names it is known by and ignored
when it has the wrong type. Knows neither settings nor store. Source: INTEROP sections 1 and 3 to 6, 13.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from app.assistants.registry import find_assistant
from app.errors import InvalidError
from app.interop.safe_json import JsonValue, parse_json
from app.interop.tool_calls import status_in, tool_key
from app.values.capture import CaptureRequest, EventKind
from app.values.repeated_prompts import hook_key

MAX_BYTES = 12 * 1024 * 1024
MAX_DEPTH = 64
_NAME_CHARS_MAX = 512  # ids, names, reasons
_PATH_CHARS_MAX = 4_096
_ERROR_CHARS = 2_000  # the status is at the beginning

_KINDS = {
    "prompt": EventKind.PROMPT,
    "start": EventKind.SESSION_START,
    "stop": EventKind.ANSWER,
    "tool": EventKind.TOOL,
    "compact": EventKind.COMPACTION,
    "end": EventKind.SESSION_END,
}
_TEXTS: Mapping[EventKind, tuple[str, ...]] = {
    EventKind.PROMPT: ("prompt", "initialPrompt", "transformedPrompt"),
    EventKind.ANSWER: ("last_assistant_message", "prompt_response", "text", "lastAssistantMessage"),
    EventKind.COMPACTION: ("compact_summary",),
}
_SESSIONS = ("session_id", "sessionId", "conversation_id", "conversationId", "sessionID")
_TURNS = ("prompt_id", "turn_id", "generation_id", "promptId", "turnId")
_RESPONSES = ("tool_response", "tool_result", "toolResult", "tool_output", "result_json")
_PAYLOAD_NAMES: Mapping[EventKind, tuple[tuple[str, tuple[str, ...]], ...]] = {
    EventKind.SESSION_START: (("source", ("source",)), ("model", ("model",))),
    EventKind.SESSION_END: (("reason", ("reason",)),),
    EventKind.COMPACTION: (("trigger", ("trigger",)),),
    EventKind.ANSWER: (("status", ("status",)),),
}


def parse_hook_payload(
    app: str, event: str, raw: bytes, *, key: str, cwd: str, at: datetime | None
) -> CaptureRequest | None:
    """The event that the hook's stdin describes; None when there is nothing to keep (no text, unknown event).

    `key` is the invocation's. A prompt keeps it: ids of assistants name a turn, and more than one prompt may be typed in a
    turn (which of them is one and the same says `app/values/repeated_prompts.py`). Raises InvalidError when the bytes are no JSON object.
    """
    kind = _KINDS.get(event)
    if kind is None:
        return None
    value = _parse_tolerant(raw)
    if not isinstance(value, dict):
        raise InvalidError(
            f"The hook of {app} sent {type(value).__name__}, not a JSON object.",
            hint="A hook passes on one JSON object from its assistant.",
        )
    if (assistant := find_assistant(app)) is not None:
        value = assistant.read_payload(value)
    text = _first_text(value, _TEXTS.get(kind, ()))
    if kind in {EventKind.PROMPT, EventKind.ANSWER} and not text.strip():
        return None
    session = _first_name(value, _SESSIONS)
    return CaptureRequest(
        app=app,
        kind=kind,
        key=_event_key(kind, value, session=session, text=text, fallback=key),
        session=session,
        text=text,
        at=_instant(value.get("timestamp")) or at,
        cwd=_working_folder(value) or cwd[:_PATH_CHARS_MAX],
        project_root=_first_path(value, ("project_root", "projectRoot")),
        git_branch=_first_name(value, ("git_branch", "gitBranch")),
        transcript_path=_first_path(value, ("transcript_path", "transcriptPath")),
        agent_id=_first_name(value, ("agent_id", "agentId")),
        payload=_payload(kind, value),
    )


def _parse_tolerant(raw: bytes) -> JsonValue:
    """Broken UTF-8 costs the broken characters, not the message."""
    repaired = raw.decode("utf-8-sig", "replace").encode("utf-8")
    return parse_json(repaired, max_bytes=2 * MAX_BYTES, max_depth=MAX_DEPTH)


def _event_key(kind: EventKind, value: dict[str, JsonValue], *, session: str, text: str, fallback: str) -> str:
    if kind is EventKind.PROMPT:
        return hook_key(fallback)
    if kind is EventKind.TOOL:
        use = _first_name(value, ("tool_use_id", "toolUseId", "tool_call_id", "callID"))
        return tool_key(session, use) if use else fallback
    turn = _first_name(value, _TURNS)
    if not turn or kind is not EventKind.ANSWER:
        return fallback
    # a turn can stop more than once, each time with another answer
    return f"{session}:answer:{turn}:{sha256(text.encode('utf-8')).hexdigest()[:16]}"


def _payload(kind: EventKind, value: dict[str, JsonValue]) -> dict[str, Any]:
    payload: dict[str, Any] = {}
    for name, sources in _PAYLOAD_NAMES.get(kind, ()):
        if found := _first_name(value, sources):
            payload[name] = found
    if kind is EventKind.TOOL:
        payload["tool_name"] = _first_name(value, ("tool_name", "toolName", "tool"))
        payload["tool_input"] = _parsed(_first_of(value, ("tool_input", "toolArgs", "arguments", "args")))
        payload["tool_response"] = _first_of(value, _RESPONSES)
    if kind is EventKind.ANSWER and (turn := _first_name(value, _TURNS)):
        payload["turn_id"] = turn
    if host := _first_name(value, ("hook_event_name", "hookEventName")):
        payload["hook_event_name"] = host
        if kind is EventKind.TOOL and host.lower().endswith("failure"):
            payload["tool_response"] = _failed_response(value)
    return payload


def _parsed(given: JsonValue) -> JsonValue:
    """Arguments that came as JSON in a text."""
    if not isinstance(given, str) or not given.startswith("{"):
        return given
    try:
        return parse_json(given.encode("utf-8", "surrogatepass"), max_bytes=MAX_BYTES, max_depth=MAX_DEPTH)
    except InvalidError:
        return given


def _failed_response(value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """What a failure event says instead of a response; a tool that the person interrupted did not fail."""
    if value.get("is_interrupt") is True:
        return {}
    said = _first_text(value, ("error",))
    status = status_in(said[:_ERROR_CHARS])
    failed: dict[str, JsonValue] = {"is_error": True, "error": said}
    return failed | ({} if status is None else {"exit_code": status})


def _working_folder(value: dict[str, JsonValue]) -> str:
    if found := _first_path(value, ("cwd",)):
        return found
    roots = value.get("workspace_roots")
    if isinstance(roots, list) and roots and isinstance(roots[0], str):
        return roots[0][:_PATH_CHARS_MAX]
    return ""


def _first_of(value: dict[str, JsonValue], names: tuple[str, ...]) -> JsonValue:
    return next((value[name] for name in names if value.get(name) is not None), None)


def _first_text(value: dict[str, JsonValue], names: tuple[str, ...]) -> str:
    return next((found for name in names if isinstance(found := value.get(name), str) and found), "")


def _first_name(value: dict[str, JsonValue], names: tuple[str, ...]) -> str:
    for name in names:
        found = value.get(name)
        if isinstance(found, str) and found:
            return found[:_NAME_CHARS_MAX]
        if isinstance(found, int) and not isinstance(found, bool):
            return str(found)
    return ""


def _first_path(value: dict[str, JsonValue], names: tuple[str, ...]) -> str:
    return _first_text(value, names)[:_PATH_CHARS_MAX]


def _instant(stamp: JsonValue) -> datetime | None:
    """An instant from ISO text, or from seconds or milliseconds since 1970; None when it is neither."""
    try:
        if isinstance(stamp, str):
            parsed = datetime.fromisoformat(stamp)
            return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        if isinstance(stamp, int | float) and not isinstance(stamp, bool):
            seconds = stamp / 1000 if stamp > 100_000_000_000 else stamp
            return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None
