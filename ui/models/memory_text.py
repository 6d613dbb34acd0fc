"""Which part of a memory's text a card shows, and where the found words stand in it. Pure; offsets are code points."""

import difflib
import re
from collections.abc import Sequence

Span = tuple[int, int]
BEFORE_CHARS = 36
MAX_CHARS = 400
_WORD = re.compile(r"\w+|\W")


def flat(text: str) -> str:
    """`text` on one line, every character where it was.

    >>> flat("a\\n\\tb")
    'a  b'
    """
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
        cut, lead = (space + 1 if space >= 0 else cut), "… "
    shown = lead + flat(text[cut : cut + MAX_CHARS])
    moved = [(a - cut + len(lead), b - cut + len(lead)) for a, b in spans]
    return shown, tuple((a, min(b, len(shown))) for a, b in moved if len(lead) <= a < len(shown))


def spans_of_words(text: str, words: Sequence[str]) -> tuple[Span, ...]:
    """Where `words` stand in `text`, upper or lower case.

    >>> spans_of_words("Port 80 and port 81", ["port"])
    ((0, 4), (12, 16))
    """
    wanted = sorted({word for word in words if word}, key=len, reverse=True)
    if not wanted:
        return ()
    found = re.finditer("|".join(re.escape(word) for word in wanted), text, re.IGNORECASE)
    return tuple(match.span() for match in found)


def word_diff(before: str, after: str) -> str:
    """How one text became the other, a run of words a line: "-" gone, "+" new, " " kept.

    >>> word_diff("use npm here", "use pnpm here").splitlines()
    [' use ', '-npm', '+pnpm', '  here']
    """
    old, new = _WORD.findall(before), _WORD.findall(after)
    lines: list[str] = []
    for tag, a1, a2, b1, b2 in difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += _signed(" ", "".join(old[a1:a2]))
            continue
        lines += _signed("-", "".join(old[a1:a2])) + _signed("+", "".join(new[b1:b2]))
    return "\n".join(lines)


def _signed(sign: str, text: str) -> list[str]:
    return [sign + line for line in text.splitlines()]
