"""Makes text storable without changing what was said, and takes out what assistants wrapped into a prompt.

Changes only what SQLite and Qt cannot hold: lone surrogates and NUL. Everything else, line ends included, stays as
it came. Knows nothing of secrets or messages. Source: QUALITY R9, INTEROP section 2.
"""

import re
from dataclasses import dataclass

_REPLACEMENT = "\ufffd"
_NUL_PICTURE = "\u2400"
_SURROGATE = re.compile("[\ud800-\udfff]")
INJECTED_TAGS = (
    "system-reminder",
    "command-name",
    "command-message",
    "command-args",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "task-notification",
    "user-prompt-submit-hook",
    "persisted-output",
    "hook_output",
    "remanence-context",
)
_TAG = re.compile(r"<(/?)(" + "|".join(map(re.escape, INJECTED_TAGS)) + r")(?=[\s>/])[^<>]*>")


@dataclass(frozen=True, slots=True)
class Normalised:
    """`notes` says in words what was changed; empty when the text is as it came."""

    text: str
    was_cut: bool
    notes: tuple[str, ...]


def normalise_text(raw: str, *, max_bytes: int) -> Normalised:
    """The text as the store and the window can hold it, at most `max_bytes` of UTF-8.

    >>> normalise_text("a\\x00b", max_bytes=100).text
    'a\u2400b'
    >>> normalise_text("häuser", max_bytes=2)
    Normalised(text='h', was_cut=True, notes=('cut to 2 bytes',))
    """
    notes: list[str] = []
    text = raw
    if not _is_encodable(text):
        text, count = _SURROGATE.subn(_REPLACEMENT, text)
        notes.append(f"{count} broken characters replaced by {_REPLACEMENT}")
    if "\x00" in text:
        notes.append(f"{text.count(chr(0))} NUL characters shown as {_NUL_PICTURE}")
        text = text.replace("\x00", _NUL_PICTURE)
    encoded = text.encode("utf-8")
    if len(encoded) <= max_bytes:
        return Normalised(text, was_cut=False, notes=tuple(notes))
    notes.append(f"cut to {max_bytes} bytes")
    cut = encoded[:max_bytes].decode("utf-8", "ignore")  # drops the torn last character only
    return Normalised(cut, was_cut=True, notes=tuple(notes))


def strip_injected(text: str) -> str:
    """The text without the wrappers that assistants and our own hook put into a prompt.

    A wrapper goes from its opening tag to its closing one, nested ones included; a tag that is never closed
    stays, for then it is something the person wrote. Text without wrappers comes back unchanged.

    >>> strip_injected("<system-reminder>be brief</system-reminder>\\nmake it purple")
    'make it purple'
    """
    if "<" not in text:
        return text
    spans = _wrapped_spans(text)
    if not spans:
        return text
    parts: list[str] = []
    at = 0
    for start, end in spans:
        parts.append(text[at:start])
        at = end
    parts.append(text[at:])
    return "".join(parts).strip()


def _wrapped_spans(text: str) -> list[tuple[int, int]]:
    """Outermost wrapped spans in order. One pass: each closing tag meets the nearest open tag of its name."""
    open_at: dict[str, list[int]] = {}
    spans: list[tuple[int, int]] = []
    for match in _TAG.finditer(text):
        is_closing, name = bool(match[1]), match[2]
        if match[0].endswith("/>"):
            spans.append(match.span())
        elif not is_closing:
            open_at.setdefault(name, []).append(match.start())
        elif open_at.get(name):
            start = open_at[name].pop()
            while spans and spans[-1][0] >= start:
                spans.pop()
            spans.append((start, match.end()))
    return _outermost(spans)


def _outermost(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _is_encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
