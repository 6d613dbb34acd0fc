"""Values near a word for a secret: "the zip is from marketing, password as always Foo", whatever stands between.

Owns how far a rule looks around such a word and what it takes for values there; which shapes pass is judged by the
rule's check. The hook carries the same few lines, because it may import nothing of ours: change both.
Source: QUALITY S6.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

VALUE_BYTES_MAX = 256  # how far a value may reach out of the words beside it
_NEVER = r"[^\s\S]"
_BLANK = re.compile(rb"\s")

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Near:
    """How a rule looks that matches a word for a secret and not the secret: around it, on its line.

    Every match of `each` whose group 1 begins within reach is a value, unless `unless` is found there (a talk about
    commits or hashes). Both patterns are common to re2 and `re`.
    """

    each: str
    unless: str
    before_bytes: int
    after_bytes: int


def parse_near(entry: Mapping[str, Any], macros: Mapping[str, str]) -> Near | None:
    """What the entry of a rule says about looking around; None for a rule that matches the secret itself."""
    if "each" not in entry:
        return None
    each, unless = str(entry["each"]), str(entry.get("unless", "")) or _NEVER
    for name, text in macros.items():
        each, unless = each.replace(name, text), unless.replace(name, text)
    return Near(each, unless, int(entry.get("before", 0)), int(entry.get("after", 0)))


def values_near(
    near: Near, data: bytes, word: Place, *, compile_pattern: Callable[[str], Any], marks: Sequence[Place]
) -> Iterator[Place]:
    """Where values stand that are within reach of the word; none where the word belongs to a mark."""
    if overlaps(marks, *word):
        return
    pos, last = line_around(data, word, near)
    if compile_pattern(near.unless).search(data, pos, last) is not None:
        return
    each = compile_pattern(near.each)
    while pos < last and (match := each.search(data, pos, min(len(data), last + VALUE_BYTES_MAX))) is not None:
        start, end = match.span(1)
        pos = max(end, pos + 1)
        if start < last and not overlaps(marks, start, end):
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
    start, end = word
    first = max(data.rfind(b"\n", 0, start) + 1, start - near.before_bytes)
    if first > 0 and not data[first - 1 : first].isspace():
        blank = _BLANK.search(data, first, start)
        first = blank.start() if blank else start
    reach = min(len(data), end + near.after_bytes)
    line_end = data.find(b"\n", end, reach)
    return first, reach if line_end < 0 else line_end
