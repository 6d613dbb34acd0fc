"""Values near a word for a secret: "the zip is from marketing, password as always Foo", whatever is between.

Owns how far a rule looks around such a word and what it takes for values there; which shapes pass is judged by the
rule's check. Shared with the hook. Source: QUALITY S6.
"""

from .detector import overlaps

TYPE_CHECKING = False  # `typing` takes longer to import than the hook may
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from .detector import Work

    Ready = Callable[[], Any]
    Place = tuple[int, int]

WORD_BYTES_MAX = 64
VALUE_BYTES_MAX = 256
NAME_GOES_ON = frozenset((b"(", b"[", b"{", b"=", b":", b"<", b"\\"))  # behind a value it would be a name
BOUNDS = b" \t\r\n\"'`<>()[]{}=:|,;\\"
IS_BOUND = bytes(byte in BOUNDS for byte in range(256))
CURLY = b"\xe2\x80"  # how curly quotes begin, and dashes
SIGN = rb"[0-9!#$%^&~@*?]"
REST = rb"[^ \t\r\n\"'`<>()\[\]{}=:|,;\\]{0,256}"
BLANKS = b" \t\n\r\x0b\x0c"
VALUE_UNITS, LOOK_UNITS = 2, 20


class NearbyPattern:
    """How a rule looks whose pattern `words` matches words for a secret and not the secret: around them, on the line.

    `unless` is what must not be there, too (a talk about commits or hashes). Compiled by `re`, not re2: its matches
    cost a third, and neither pattern ever sees more than a few hundred bytes.
    """

    __slots__ = ("after_bytes", "before_bytes", "unless", "words")

    def __init__(self, words: "Ready", unless: "Ready", before_bytes: int, after_bytes: int) -> None:
        self.words = words
        self.unless = unless
        self.before_bytes = before_bytes
        self.after_bytes = after_bytes

    def applies_to(self, place: "Place", data: bytes, marks: "Sequence[Place]", work: "Work") -> bool:
        """Whether one of the words is within reach of the value, and nothing beside it speaks against it."""
        first = max(0, place[0] - self.after_bytes - WORD_BYTES_MAX)
        last = place[0] + self.before_bytes + WORD_BYTES_MAX
        work.pay(LOOK_UNITS + (last - first) / 8)
        for match in self.words().finditer(data, first, last):
            if overlaps(marks, *match.span()):  # a mark is named with the very words
                continue
            region = line_around(data, match.span(), self)
            if region[0] <= place[0] < region[1]:
                work.pay(LOOK_UNITS + (region[1] - region[0]) / 8)
                if self.unless().search(data, *region) is None:
                    return True
        return False


def values_in(
    data: bytes, window: "Place", marks: "Sequence[Place]", sign: "Any", rest: "Any", work: "Work"
) -> "Iterator[Place]":
    """The words that hold a digit or a sign, as secrets do; not the names of calls, parameters and fields."""
    end = window[0]
    for match in sign.finditer(data, *window):
        start = match.start()
        if start < end:
            continue
        first = max(end, start - VALUE_BYTES_MAX)
        while start > first and not IS_BOUND[data[start - 1]]:
            start -= 1
        if data[start : start + 2] == CURLY:
            start += 3
        end = max(start, rest.match(data, start).end())  # it matches nothing as well
        work.pay(VALUE_UNITS)
        if data[end : end + 1] not in NAME_GOES_ON and not overlaps(marks, start, end):
            yield start, end


def line_around(data: bytes, word: "Place", near: NearbyPattern) -> "Place":
    """What is within reach of the word on its line, beginning with a whole word of it."""
    start, end = word[0] + 1, word[1] - 1  # what the pattern asks for beside the word may be the end of a line
    begin = max(0, start - near.before_bytes)
    first = max(data.rfind(b"\n", begin, start) + 1, begin)
    if first > 0 and data[first - 1] not in BLANKS:
        while first < start and data[first] not in BLANKS:
            first += 1
    reach = min(len(data), end + near.after_bytes)
    line_end = data.find(b"\n", end, reach)
    return first, reach if line_end < 0 else line_end
