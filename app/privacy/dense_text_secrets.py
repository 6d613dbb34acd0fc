"""A coarse reading for what is crammed with words for secrets, as no sentence is: better a word too many taken out.

Owns patterns over bytes that are linear by their form: no part can take a run of bytes in two ways. Used where a
text has spent the work that it may cost (`detector`). Shared with the hook. Source: QUALITY S6.
"""

from .detector import overlaps

TYPE_CHECKING = False  # `typing` takes longer to import than the hook may
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from .line_words import Lexicon

    Place = tuple[int, int]

# a word for a secret and the value behind it, in lower case; the password of a URL; anything long enough
CUE = (
    rb"(?:pass\w{0,24}|p/?wd?|psw\w{0,8}|psk|pin|puk|mdp|senha|kennwort|contrase\S{1,4}|wachtwoord|clave|secret\w{0,24}"
    rb"|token\w{0,24}|key|credentials?|creds|pepper|phrase|seed)"
    rb"[\"'\])]{0,3}[ \t]{0,3}([:=]{1,3}>?|->|is\b|ist\b|est\b|es\b|to\b|with\b)?[ \t\r\n]{0,3}[\"'`(<]{0,3}"
    rb"([^\s\"'`<>()\[\]{},;|=:]{4,})"
)
URL = rb"://[^\s:/@\"']{0,256}:([^\s/@\"']{1,256})@"
RUN = rb"([A-Za-z0-9!#$%^&*+/~_.@?-]{8,})"
TRIM = b".,;:?)]}>\"'`*"
DIGITS = b"0123456789"
NO_LETTERS = bytes(byte for byte in range(256) if not (0x41 <= byte <= 0x5A or 0x61 <= byte <= 0x7A))
DISTINCT_MIN = 4


def dense_values(
    data: bytes,
    place: "Place",
    marks: "Sequence[Place]",
    patterns: "Sequence[Any]",
    plain: frozenset[bytes],
    lexicon: "Lexicon | None",
) -> "Iterator[Place]":
    """What may be a secret there: all that is behind a word for one, and all that mixes letters and digits."""
    lowered = data[place[0] : place[1]].lower()
    cue, url, run = patterns
    for match in cue.finditer(lowered):
        start, end = match.span(2)
        start, end = trimmed(data, start + place[0], end + place[0])
        value = lowered[start - place[0] : min(end - place[0], start - place[0] + 256)]
        if value in plain or (lexicon is not None and value in lexicon.kinds):
            continue
        if match.start(1) < 0 and lexicon is not None and value in lexicon.common:
            continue
        if len(set(value)) >= DISTINCT_MIN and not overlaps(marks, start, end):
            yield start, end
    for match in url.finditer(data, *place):
        if not overlaps(marks, *match.span(1)):
            yield match.span(1)
    for match in run.finditer(data, *place):
        start, end = match.span(1)
        value = data[start : min(end, start + 256)]
        if len(value.translate(None, DIGITS)) == len(value) or len(value.translate(None, NO_LETTERS)) < 2:
            continue
        start, end = trimmed(data, start, end)
        if len(set(value)) >= DISTINCT_MIN and not overlaps(marks, start, end):
            yield start, end


def trimmed(data: bytes, start: int, end: int) -> "Place":
    """Without the marks that only close a sentence."""
    while end > start and data[end - 1] in TRIM:
        end -= 1
    return start, end
