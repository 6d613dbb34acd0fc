"""Judges whether a captured value is a secret at all: placeholders, references and plain words are not.

Owns the checks that rules name (`check: token | assigned | phrase …`); their words and patterns are data in
`resources/rules/secrets.yaml`. Knows nothing of where the text comes from. The hook carries the same few lines,
because it may import nothing of ours: change both.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.errors import InvalidError

_MIN_DISTINCT = 4
_JUDGED_BYTES = 512  # of a value: what is longer is judged by its beginning


@dataclass(frozen=True, slots=True)
class Check:
    """What a kind of value must be. All patterns are matched against bytes, ignoring ASCII case."""

    trim: bytes  # bytes cut off the right end before anything else
    min_bytes: int
    min_distinct: int  # "xxxxxxxx", "00000000", "********" are drawings of a secret
    refuse: re.Pattern[bytes]  # full match: not a secret
    strong: re.Pattern[bytes]  # found inside: a secret wherever it stands
    follow: re.Pattern[bytes]  # what must come behind a value that is not strong


@dataclass(frozen=True, slots=True)
class Judge:
    checks: Mapping[str, Check]
    plain_words: frozenset[bytes]

    @classmethod
    def parse(cls, rules: Mapping[str, Any]) -> "Judge":
        """The checks of `secrets.yaml`. Raises InvalidError for a pattern that does not compile."""
        placeholders = [str(pattern) for pattern in rules.get("placeholders", ())]
        entries = {"token": {}, **rules.get("checks", {})}
        checks = {str(name): _parse_check(entry, placeholders) for name, entry in entries.items()}
        words = frozenset(str(word).lower().encode("utf-8") for word in rules.get("plain_words", ()))
        return cls(checks, words)

    def knows(self, check: str) -> bool:
        return check in self.checks

    def trim(self, check: str, data: bytes, start: int, end: int) -> tuple[int, int]:
        """The span without what only closes the sentence."""
        trim = self.checks[check].trim
        while end > start and data[end - 1] in trim:
            end -= 1
        return start, end

    def is_secret(self, check: str, data: bytes, start: int, end: int) -> bool:
        """Whether the bytes between start and end can be a secret."""
        rule = self.checks[check]
        value = data[start : min(end, start + _JUDGED_BYTES)]
        if len(value) < rule.min_bytes or len(set(value)) < min(rule.min_distinct, len(value)):
            return False
        is_plain = value.lower().split(b" ", 1)[0] in self.plain_words or rule.follow.match(data, end) is None
        if is_plain and not rule.strong.search(value):
            return False
        return rule.refuse.fullmatch(value) is None  # last, because it is the longest of the patterns


def _parse_check(entry: Mapping[str, Any], placeholders: Sequence[str]) -> Check:
    try:
        return Check(
            trim=str(entry.get("trim", "")).encode("utf-8"),
            min_bytes=int(entry.get("min_bytes", 1)),
            min_distinct=int(entry.get("min_distinct", _MIN_DISTINCT)),
            refuse=_pattern("|".join([*placeholders, str(entry.get("refuse", "(?!)"))])),
            strong=_pattern(entry.get("strong", "")),
            follow=_pattern(entry.get("follow", "")),
        )
    except (re.error, TypeError, ValueError) as error:
        raise InvalidError(
            f"The check {entry!r} of the secret rules cannot be used: {error}.",
            hint="Correct it in your own secrets.yaml, or move the file away, then start again.",
        ) from error


def _pattern(pattern: str) -> re.Pattern[bytes]:
    return re.compile(f"(?i){pattern}".encode())  # the flag lies in the pattern, for the hook
