"""Values near a word for a secret: "the zip is from marketing, password as always Foo", whatever stands between.

Owns how far a rule looks around such a word and what it takes for values there; which shapes pass is judged by the
rule's check. The hook carries the same few lines, because it may import nothing of ours: change both.
Source: QUALITY S6.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter

_WORD_BYTES_MAX = 64
_NAME_GOES_ON = frozenset((b"(", b"[", b"{", b"=", b":", b"<", b"\\"))  # behind a value it would be a name
_BOUNDS = b" \t\r\n\"'`<>()[]{}=:|,;\\"
_SIGN = re.compile(rb"[0-9!#$%^&~@*?]")
_REST = re.compile(rb"[^%s]{0,256}" % re.escape(_BOUNDS))
_CURLY = b"\xe2\x80"  # how curly quotes begin, and dashes
_VALUE_BYTES_MAX = 256
_NEVER = r"[^\s\S]"
_BLANK = re.compile(rb"\s")

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Near:
    """How a rule looks whose pattern `words` matches words for a secret and not the secret: around them, on the line.

    `unless` is what must not stand there, too (a talk about commits or hashes). Compiled by `re`, not re2: its matches
    cost a third, and neither pattern ever sees more than a few hundred bytes.
    """

    words: str
    unless: str
    before_bytes: int
    after_bytes: int

    def is_said_of(self, place: Place, data: bytes, marks: Sequence[Place]) -> bool:
        """Whether one of the words is within reach of the value, and nothing beside it speaks against it."""
        first = max(0, place[0] - self.after_bytes - _WORD_BYTES_MAX)
        last = place[0] + self.before_bytes + _WORD_BYTES_MAX
        for match in _compiled(self.words).finditer(data, first, last):
            if overlaps(marks, *match.span()):  # a mark is named with the very words
                continue
            region = line_around(data, match.span(), self)
            if region[0] <= place[0] < region[1] and _compiled(self.unless).search(data, *region) is None:
                return True
        return False


def parse_near(entry: Mapping[str, str], words: str) -> Near | None:
    """What the entry of a rule says about looking around; None for a rule that matches the secret itself."""
    if "after" not in entry:
        return None
    near = Near(words, entry.get("unless", "") or _NEVER, int(entry.get("before", 0)), int(entry["after"]))
    _compiled(near.unless)
    return near


@cache
def _compiled(pattern: str) -> re.Pattern[bytes]:
    return re.compile(pattern.encode("utf-8"))


def values_in(data: bytes, window: Place, marks: Sequence[Place]) -> Iterator[Place]:
    """The words that hold a digit or a sign, as secrets do; not the names of calls, parameters and fields.

    >>> text = b"user=bob, Foo-12! sha1(x)"
    >>> [text[start:end] for start, end in values_in(text, (0, len(text)), ())]
    [b'Foo-12!']
    """
    end = window[0]
    for match in _SIGN.finditer(data, *window):
        start = match.start()
        if start < end:
            continue
        first = max(end, start - _VALUE_BYTES_MAX)
        while start > first and data[start - 1] not in _BOUNDS:
            start -= 1
        if data[start : start + 2] == _CURLY:
            start += 3
        end = _REST.match(data, start).end()  # type: ignore[union-attr]  # it matches nothing as well
        if data[end : end + 1] not in _NAME_GOES_ON and not overlaps(marks, start, end):
            yield start, end


def overlaps(places: Sequence[Place], start: int, end: int) -> bool:
    """Whether one of the sorted, separate places has a byte in common with start to end.

    >>> overlaps([(0, 4), (8, 9)], 4, 8), overlaps([(0, 4), (8, 9)], 3, 5)
    (False, True)
    """
    at = bisect_left(places, end, key=itemgetter(0))
    return at > 0 and places[at - 1][1] > start


def line_around(data: bytes, word: Place, near: Near) -> Place:
    """What lies within reach of the word on its line, beginning with a whole word of it."""
    start, end = word[0] + 1, word[1] - 1  # what the pattern asks for beside the word may be the end of a line
    first = max(data.rfind(b"\n", 0, start) + 1, start - near.before_bytes)
    if first > 0 and not data[first - 1 : first].isspace():
        blank = _BLANK.search(data, first, start)
        first = blank.start() if blank else start
    reach = min(len(data), end + near.after_bytes)
    line_end = data.find(b"\n", end, reach)
    return first, reach if line_end < 0 else line_end
