"""Values near a word for a secret, loaded by `remanence_spool.py` where an event holds such a word.

The same as `app/conversation/secret_near.py`, for the hook, which may import nothing of ours: change both.
Source: QUALITY S6.
"""

TYPE_CHECKING = False  # `typing` takes longer to import than all of this may
if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.hook.remanence_spool import Judges, NearTuple, Rule

WORD_BYTES_MAX = 64
VALUE_BYTES_MAX = 256
BOUNDS = b" \t\r\n\"'`<>()[]{}=:|,;\\"
SIGNS = frozenset(b"0123456789!#$%^&~@*?")
NAME_GOES_ON = frozenset((b"(", b"[", b"{", b"=", b":", b"<", b"\\"))


def find_near(text: bytes, rule: "Rule", windows: list[tuple[int, int]], judges: "Judges") -> list[tuple[int, int]]:
    """What `app/conversation/secret_near.py` finds near a word that the rule's pattern matches."""
    assert rule[7] is not None
    judge = judges.get(rule[4])
    spans: list[tuple[int, int]] = []
    for window in windows:
        for value in values_in(text, *window):
            start, end = judge.trim(text, *value)
            is_one = judge.is_secret(text, start, end, rule[5]) and not judges.touches_mark(text, start, end)
            if is_one and is_near(text, rule, start, judges):
                spans.append((start, end))
    return spans


def values_in(text: bytes, at: int, last: int) -> "Iterator[tuple[int, int]]":
    """The words that hold a digit or a sign; not the names of calls, parameters and fields."""
    while at < last:
        at += 3 if text.startswith(b"\xe2\x80", at) else 0  # a curly quote
        end = at
        while end < last and text[end] not in BOUNDS:
            end += 1
        while end < len(text) and text[end] not in BOUNDS and end - at < VALUE_BYTES_MAX:
            end += 1
        if text[end : end + 1] not in NAME_GOES_ON and not SIGNS.isdisjoint(text[at:end]):
            yield at, end
        at = max(end, at + 1)


def is_near(text: bytes, rule: "Rule", at: int, judges: "Judges") -> bool:
    assert rule[7] is not None
    unless, before, after = judges.compile_source(rule[7][0]), *rule[7][1:]
    first = max(0, at - after - WORD_BYTES_MAX)
    for word in judges.compile_source(rule[1]).finditer(text, first, at + before + WORD_BYTES_MAX):
        pos, last = around(text, word.start() + 1, word.end() - 1, rule[7])
        is_within = pos <= at < last and not judges.touches_mark(text, *word.span())
        if is_within and not unless.search(text, pos, last):
            return True
    return False


def around(text: bytes, start: int, end: int, near: "NearTuple") -> tuple[int, int]:
    """What lies within reach on the line and in the same JSON string: no field beside it is looked at."""
    first = max(text.rfind(b"\n", 0, start) + 1, text.rfind(b'":"', 0, start) + 3, start - near[1])
    while first < start and first > 0 and text[first - 1] not in b' \n"':
        first += 1
    reach = min(len(text), end + near[2])
    ends = [at for at in (text.find(b"\n", end, reach), text.find(b'","', end, reach)) if at >= 0]
    return first, min(ends, default=reach)
