"""Makes text storable without changing what was said.

Changes only what SQLite and Qt cannot hold: lone surrogates and NUL. Everything else, line ends included, stays as
it came. Knows nothing of secrets or messages. Source: QUALITY R9.
"""

import re
from dataclasses import dataclass

from app.injected_text import strip_injected

__all__ = ["Normalised", "normalise_text", "strip_injected"]

_REPLACEMENT = "\ufffd"
_NUL_PICTURE = "\u2400"
_SURROGATE = re.compile("[\ud800-\udfff]")


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


def _is_encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
