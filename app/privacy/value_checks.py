"""Judges whether a captured value is a secret at all: placeholders, references and plain words are not.

Owns the checks that rules name (`check: token | assigned | phrase …`); their words and patterns are data in
`resources/rules/privacy/secrets.yaml`. Knows nothing of where the text comes from. Source: QUALITY S6.
"""

TYPE_CHECKING = False  # `typing` takes longer to import than the hook may
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Ready = Callable[[], Any]  # a pattern, compiled when first asked for

JUDGED_BYTES = 512  # of a value: what is longer is judged by its beginning


class Check:
    """What a kind of value must be. All patterns are matched against bytes, ignoring ASCII case."""

    __slots__ = ("follow", "min_bytes", "min_distinct", "refuse", "strong", "trim")

    def __init__(
        self, trim: bytes, min_bytes: int, min_distinct: int, refuse: "Ready", strong: "Ready", follow: "Ready"
    ) -> None:
        self.trim = trim  # bytes cut off the right end before anything else
        self.min_bytes = min_bytes
        self.min_distinct = min_distinct  # "xxxxxxxx", "00000000", "********" are drawings of a secret
        self.refuse = refuse  # full match: not a secret
        self.strong = strong  # found inside: a secret wherever it stands
        self.follow = follow  # what must come behind a value that is not strong


class ValueCheck:
    """The checks by name, and the words that are never a secret."""

    def __init__(self, checks: "Mapping[str, Check]", plain_words: frozenset[bytes]) -> None:
        self.checks = checks
        self.plain_words = plain_words

    def trim(self, check: str, data: bytes, start: int, end: int) -> tuple[int, int]:
        """The span without what only closes the sentence."""
        trim = self.checks[check].trim
        while end > start and data[end - 1] in trim:
            end -= 1
        return start, end

    def is_secret(self, check: str, data: bytes, start: int, end: int) -> bool:
        """Whether the bytes between start and end can be a secret."""
        rule = self.checks[check]
        value = data[start : min(end, start + JUDGED_BYTES)]
        if len(value) < rule.min_bytes or len(set(value)) < min(rule.min_distinct, len(value)):
            return False
        is_plain = value.lower().split(b" ", 1)[0] in self.plain_words
        if not is_plain:
            is_plain = rule.follow().match(data, end, end + JUDGED_BYTES) is None
        if is_plain and not rule.strong().search(value):
            return False
        return rule.refuse().fullmatch(value) is None  # last, because it is the longest of the patterns


def entropy_bits(value: bytes) -> float:
    """Shannon entropy of the value in bits per byte.

    >>> entropy_bits(b"aabb")
    1.0
    """
    from math import log2  # not every text has a rule that asks

    shares = [value.count(byte) / len(value) for byte in sorted(set(value))]
    return -sum(share * log2(share) for share in shares)
