"""Which part of a memory's text a card shows, and where the found words are in it. Pure; offsets are code points."""

import re
from collections.abc import Sequence

Span = tuple[int, int]
DiffSpan = tuple[int, int, int]  # start, end, -1 gone or 1 new
BEFORE_CHARS = 36
MAX_CHARS = 400
_LEAD = "… "
_CHANGED = re.compile(r"\[-(.*?)-\]|\{\+(.*?)\+\}", re.DOTALL)


def flat(text: str) -> str:
    """`text` on one line, every character where it was.

    >>> flat("a\\n\\tb")
    'a  b'
    """
    if text.isprintable():  # as most are: nothing but plain spaces in it
        return text
    return "".join(" " if char.isspace() else char for char in text)


def snippet(text: str, spans: Sequence[Span]) -> tuple[str, tuple[Span, ...]]:
    """A line of `text` that begins shortly before the first found word, with the spans moved along.

    >>> snippet("Use pnpm", ((4, 8),))
    ('Use pnpm', ((4, 8),))
    """
    start = min((span[0] for span in spans), default=0)
    if start <= BEFORE_CHARS:
        cut, lead = 0, ""
    else:
        cut = start - BEFORE_CHARS
        space = text.find(" ", cut, start)
        cut, lead = (space + 1 if space >= 0 else cut), _LEAD
    shown = lead + flat(text[cut : cut + MAX_CHARS])
    moved = [(a - cut + len(lead), b - cut + len(lead)) for a, b in spans]
    return shown, tuple((a, min(b, len(shown))) for a, b in moved if len(lead) <= a < len(shown))


def continued(drawn: str, text: str, spans: Sequence[Span]) -> tuple[str, tuple[Span, ...]]:
    """`text` without what a title, drawn as far as there was room, says of it already; the spans moved along.

    >>> continued("Retries stop after fi…", "Retries stop after five attempts.", ((8, 12), (24, 32)))
    ('… five attempts.', ((7, 15),))
    >>> continued("Logs", "Logs go to syslog.", ()), continued("Port: 80", "It listens on 80.", ())
    (('Logs go to syslog.', ()), ('It listens on 80.', ()))
    """
    begins = drawn.rstrip("… ")
    if not drawn.endswith("…") or not begins or not text.casefold().startswith(begins.casefold()):
        return text, tuple(spans)
    is_word_cut = text[len(begins) : len(begins) + 1].isalnum()
    cut = begins.rfind(" ") + 1 if is_word_cut else len(begins)
    rest = text[cut:].lstrip()
    cut = len(text) - len(rest)
    moved = tuple((start - cut + len(_LEAD), end - cut + len(_LEAD)) for start, end in spans if start >= cut)
    return (_LEAD + rest, moved) if rest.strip(" .") else ("", ())


def spans_of_words(text: str, words: Sequence[str]) -> tuple[Span, ...]:
    """Where `words` are in `text`, upper or lower case.

    >>> spans_of_words("Port 80 and port 81", ["port"])
    ((0, 4), (12, 16))
    """
    wanted = sorted({word for word in words if word}, key=len, reverse=True)
    if not wanted:
        return ()
    found = re.finditer("|".join(re.escape(word) for word in wanted), text, re.IGNORECASE)
    return tuple(match.span() for match in found)


def diff_parts(diff: str) -> tuple[str, tuple[DiffSpan, ...]]:
    """A diff of words without its signs, and where in it words went (-1) or came (1).

    >>> diff_parts("use [-npm-]{+pnpm+} here")
    ('use npm pnpm here', ((4, 7, -1), (8, 12, 1)))
    """
    text, last = "", 0
    spans: list[DiffSpan] = []
    for found in _CHANGED.finditer(diff):
        text += diff[last : found.start()]
        gone, came = found.group(1), found.group(2)
        if came is not None and spans and spans[-1][1] == len(text):
            text += " "
        said = gone if gone is not None else came
        spans.append((len(text), len(text) + len(said), -1 if gone is not None else 1))
        text += said
        last = found.end()
    return text + diff[last:], tuple(spans)
