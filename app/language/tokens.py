"""Tokens of a message: words, technical words, quoted code and punctuation, with their places.

Owns the one regular expression that cuts text; it is linear in the text's length. Knows no word
lists: what a token *is* decides `lexicon`, what it *names* decides `entities`.
"""

import re
from typing import NamedTuple

MAX_ANALYSED_CHARS = 4_000  # a message is read this far, a log or file pasted behind it is not
_LONG_LINE_CHARS = 400

_TOKEN = re.compile(
    r"`[^`\n]{1,200}`"  # code in backticks is one token
    r"|https?://[^\s<>\"')\]}]+"
    r"|(?:'s|'re|'ve|'ll|'d|'m|n't)(?!\w)|’(?:s|re|ve|ll|d|m)(?!\w)"
    r"|[A-Za-z]{1,8}[nN]['’][tT](?!\w)"
    r"|(?:--?|[@#.~$/]+|\*{1,2}[./]+)?\w+(?:[-./:\\+@*=]+\w+)*(?:\(\)|/(?!\w)|[+#]{1,2}(?!\w))?"
    r"|\n[ \t\r\n]*"  # a line break ends a clause
    r"|[^\w\s]"
)
_FENCE = re.compile(r"^[ \t]*(```|~~~)", re.MULTILINE)
_HARD_SHAPE = re.compile(r"[=_()\\@#$*~/]|\w\.\w|\w::\w|^[-.]|\d|[a-z][A-Z]|[+#]$")


class Token(NamedTuple):
    text: str
    lower: str
    start: int
    end: int

    @property
    def is_code(self) -> bool:
        return self.text[0] == "`" and len(self.text) > 2

    @property
    def is_word(self) -> bool:
        return self.text[0].isalnum() or len(self.text) > 1


def split_tokens(text: str, offset: int = 0) -> list[Token]:
    """The tokens of `text`; `offset` is added to every place.

    >>> [token.text for token in split_tokens("don't touch app/main.py, it's `x y`.")]
    ["don't", 'touch', 'app/main.py', ',', 'it', "'s", '`x y`', '.']
    """
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        word = match.group()
        if word[0] == "\n":
            word = "\n"
        tokens.append(Token(word, word.lower().replace("’", "'"), match.start() + offset, match.end() + offset))
    return tokens


def is_technical(word: str) -> bool:
    """Does the shape alone say that this is no ordinary word: snake_case, camelCase, a.b, 1.2, /x, --y?"""
    return _HARD_SHAPE.search(word) is not None


def prose_spans(text: str) -> list[tuple[int, int]]:
    """Where a person wrote: the text's beginning without fenced blocks and very long lines.

    Looks at the first `MAX_ANALYSED_CHARS` only, so that a pasted log costs nothing.
    """
    end = min(len(text), MAX_ANALYSED_CHARS)
    if "```" not in text[:end] and "~~~" not in text[:end] and end <= _LONG_LINE_CHARS:
        return [(0, end)]
    spans: list[tuple[int, int]] = []
    start, fenced_by, position = 0, "", 0
    while position < end:
        line_end = text.find("\n", position, end)
        line_end = end if line_end < 0 else line_end + 1
        fence = _FENCE.match(text, position, line_end)
        is_blob = line_end - position > _LONG_LINE_CHARS and text.count(" ", position, position + _LONG_LINE_CHARS) < 20
        is_skipped = bool(fenced_by) or fence is not None or is_blob
        if fence is not None:
            mark = fence.group(1)
            fenced_by = "" if fenced_by == mark else (fenced_by or mark)
        if is_skipped:
            if start < position:
                spans.append((start, position))
            start = line_end
        position = line_end
    if start < end:
        spans.append((start, end))
    return spans
