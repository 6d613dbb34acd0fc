"""What OpenCode's plugin hands to our hook, in the names that all others use. Source: INTEROP "Seen in the real clients"."""

from collections.abc import Sequence

from app.interop.safe_json import JsonValue


def read_plugin_call(value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """What a plugin of OpenCode was called with, `{input, output}`, as one object with the words that were typed."""
    given, made = value.get("input"), value.get("output")
    joined = {**(given if isinstance(given, dict) else {}), **value}
    if isinstance(said := joined.get("prompt"), str):
        joined["prompt"] = _unwrapped(said)
    if not isinstance(made, dict):
        return joined
    if (parts := made.get("parts")) and isinstance(parts, list):
        joined["prompt"] = typed_in_parts(parts)
    elif "metadata" in made:
        joined["tool_response"] = {name: made[name] for name in ("metadata", "output") if name in made}
    return joined


def typed_in_parts(parts: Sequence[JsonValue]) -> str:
    """The person's words among the parts of a message of OpenCode; what `opencode run "…"` put around them goes.

    >>> typed_in_parts([{"type": "text", "text": '"make it purple"'}, {"type": "text", "text": "x", "synthetic": True}])
    'make it purple'
    """
    own = [
        part for part in parts if isinstance(part, dict) and part.get("type") == "text" and not part.get("synthetic")
    ]
    return _unwrapped("\n".join(said for part in own if isinstance(said := part.get("text"), str)))


def _unwrapped(text: str) -> str:
    """Without the quotes that `opencode run` puts around the whole of it."""
    is_wrapped = len(text) > 1 and text[0] == text[-1] == '"' and text.count('"') == 2
    return text[1:-1] if is_wrapped else text
