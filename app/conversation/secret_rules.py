"""Finds secrets in bytes: one pass over all keywords, then each rule only near the keywords that it asks for.

Owns the rules' shape and how they are run, in time linear in the text. What a credential looks like is data
(`resources/rules/secrets.yaml`), what no secret looks like is judged in `secret_values`. Knows nothing of marks'
meaning beyond leaving them alone. Source: QUALITY S6, STACK "secrets".
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import re2

from app.conversation.secret_near import Near, overlaps, parse_near, values_in
from app.conversation.secret_told import parse_lexicon, told_in
from app.conversation.secret_values import Judge
from app.errors import InvalidError
from app.hook.remanence_line import Lexicon

MARK_START = "[secret: "
_HINT = "Correct it in your own secrets.yaml, or move the file away, then start again."

_TITLE = re2.compile(r"[A-Za-z0-9 .&_-]{1,40}")  # stands inside JSON strings and marks
_CHUNK_BYTES = 1024  # keywords are looked for chunk by chunk, so that a rule runs only where it may match
_KEYWORD_BYTES_MAX = 40
_BEFORE_BYTES = 192  # how far a match may begin before its keyword
_AFTER_BYTES = 512  # how far behind the keyword a match's secret may begin; its end is not limited
_WINDOW_BYTES_MAX = 4096
_ANY_PATTERN_BYTES_MAX = 64 * 1024 * 1024  # re2's limit for the automaton of a joined pattern; used as needed


class LazyPattern:
    """A pattern compiled at its first use: all of them take a tenth of a second, a text needs a handful."""

    __slots__ = ("_compiled", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._compiled: Any = None  # re2 ships no types

    def ready(self) -> Any:
        if self._compiled is None:
            self._compiled = compile_bytes(self._text)
        return self._compiled


@dataclass(frozen=True, slots=True)
class SecretRule:
    """One credential format. `pattern` is common to re2 and `re`, over UTF-8 bytes; `group` is the secret.

    `is_long`: a match may go on for any length behind its keyword before it is complete (key blocks).
    """

    id: str
    title: str
    keywords: tuple[str, ...]
    pattern: str
    group: int
    min_entropy: float
    check: str
    is_long: bool
    compiled: "LazyPattern"
    near: Near | None
    is_told: bool

    @property
    def mark(self) -> str:
        return f"{MARK_START}{self.title}]"


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes `start` to `end`, and the number of the rule that marked them."""

    start: int
    end: int
    number: int


class SecretRules:
    """Rules ready to run. Built once by `parse`; safe to share between threads."""

    def __init__(self, rules: Sequence[SecretRule], judge: Judge, lexicon: Lexicon | None = None) -> None:
        self.rules = tuple(rules)
        self.judge = judge
        self.lexicon = lexicon
        self._groups: dict[tuple[str, ...], list[int]] = {}  # rules with the same keywords share their windows
        for number, rule in enumerate(self.rules):
            self._groups.setdefault(rule.keywords, []).append(number)
        self._any_of: dict[tuple[str, ...], Any] = {}
        groups_of: dict[str, list[tuple[str, ...]]] = {}
        for group in self._groups:
            for keyword in group:
                groups_of.setdefault(keyword, []).append(group)
        self._keywords = [keyword.encode("utf-8") for keyword in groups_of]
        self._groups_of = list(groups_of.values())
        self._keyword_set = _keyword_set(self._keywords)
        self._marks = compile_bytes("|".join(re2.escape(mark) for mark in sorted({rule.mark for rule in self.rules})))

    @classmethod
    def parse(cls, rules: Mapping[str, Any], *, is_proven: bool = False) -> "SecretRules":
        """Rules ready to run, from the mapping of `secrets.yaml`. `is_proven`: the shipped ones alone, known to compile.

        Raises InvalidError naming the rule that cannot be used.
        """
        judge = Judge.parse(rules)
        macros = _macros(rules.get("macros", {}))
        parsed = [_parse_rule(entry, macros) for entry in rules.get("rules", ())]
        for rule in () if is_proven else parsed:
            _check_rule(rule, judge)
        for first, second in pairwise(sorted(rule.id for rule in parsed)):
            if first == second:
                raise InvalidError(f"The secret rule {first!r} is defined twice.", hint=_HINT)
        if not parsed:
            raise InvalidError("There are no secret rules: `rules` is empty.", hint=_HINT)
        return cls(parsed, judge, parse_lexicon(rules, judge.plain_words))

    def prepare(self) -> None:
        """Compiles what the first texts would have to wait for."""
        for rule in self.rules:
            rule.compiled.ready()
        for group in self._groups:
            self._one_of(group)

    def find_spans(self, data: bytes, regions: Sequence[tuple[int, int]]) -> list[Span]:
        """Byte spans of secrets that lie in or near the regions, sorted, overlapping ones merged."""
        windows = self._windows(data, regions)
        if not windows:
            return []
        marks = [match.span() for match in self._marks.finditer(data)] if MARK_START.encode() in data else []
        spans = [
            span
            for group, found in self._promising(data, windows)
            for number in self._groups[group]
            for span in self._look(number)(number, data, found, marks)
        ]
        return merge_spans(spans)

    def _windows(self, data: bytes, regions: Sequence[tuple[int, int]]) -> dict[tuple[str, ...], list[tuple[int, int]]]:
        """Where the rules of each group are to look: around the first to the last keyword of each chunk."""
        lowered = data.lower()
        windows: dict[tuple[str, ...], list[tuple[int, int]]] = {}
        for region_start, region_end in regions:
            for start in range(region_start, region_end, _CHUNK_BYTES):
                chunk = lowered[start : min(start + _CHUNK_BYTES + _KEYWORD_BYTES_MAX, region_end)]
                for hit in self._keyword_set.Match(chunk) or ():
                    keyword = self._keywords[hit]
                    first = max(0, start + chunk.find(keyword) - _BEFORE_BYTES)
                    last = min(len(data), start + chunk.rfind(keyword) + len(keyword) + _AFTER_BYTES)
                    for group in self._groups_of[hit]:
                        windows.setdefault(group, []).append((first, last))
        return {group: _join(found) for group, found in windows.items()}

    def _promising(
        self, data: bytes, windows: Mapping[tuple[str, ...], list[tuple[int, int]]]
    ) -> Iterator[tuple[tuple[str, ...], list[tuple[int, int]]]]:
        """The windows in which at least one rule of the group matches: one search instead of one for each rule."""
        for group, found in windows.items():
            one_of = self._one_of(group)
            if one_of is None:
                yield group, found
            elif kept := [(start, end) for start, end in found if one_of.search(data, start, end) is not None]:
                yield group, kept

    def _one_of(self, group: tuple[str, ...]) -> Any:
        if group not in self._any_of:
            self._any_of[group] = _any_pattern([self.rules[number] for number in self._groups[group]])
        return self._any_of[group]

    def _look(self, number: int) -> Callable[..., Iterator[Span]]:
        rule = self.rules[number]
        return self._look_told if rule.is_told else self._run if rule.near is None else self._look_near

    def _run(
        self, number: int, data: bytes, windows: Sequence[tuple[int, int]], marks: Sequence[tuple[int, int]]
    ) -> Iterator[Span]:
        rule = self.rules[number]
        pattern = rule.compiled.ready()
        pos = 0
        mark_at = 0
        for window_start, window_end in windows:
            pos = max(pos, window_start)
            limit = len(data) if rule.is_long else window_end
            while pos < window_end:
                match = pattern.search(data, pos, limit)
                if match is None:
                    pos = limit  # also ends the other windows of a rule that looks to the end of the text
                    break
                start, end = match.span(rule.group)
                pos = max(end, pos + 1)
                while mark_at < len(marks) and marks[mark_at][1] <= match.start():
                    mark_at += 1
                if start < 0 or (mark_at < len(marks) and marks[mark_at][0] < match.end()):
                    continue
                span = self._judged(rule, data, start, end)
                if span is None:
                    # a refused value may itself be the cue of the next one ("token: password: …")
                    pos = max(match.start() + 1, start)
                    continue
                if match.end() == limit < len(data):  # cut off by the window: the rest belongs to it
                    whole = pattern.match(data, match.start())
                    span = self._judged(rule, data, *whole.span(rule.group)) if whole else span
                    pos = max(pos, span[1] if span else pos)
                if span is not None:
                    yield Span(*_whole_characters(data, *span), number)

    def _look_near(
        self, number: int, data: bytes, windows: Sequence[tuple[int, int]], marks: Sequence[tuple[int, int]]
    ) -> Iterator[Span]:
        rule = self.rules[number]
        assert rule.near is not None
        for window in windows:
            for place in values_in(data, window, marks):  # few look like a secret, many words stand for one
                span = self._judged(rule, data, *place)
                if span is not None and rule.near.is_said_of(place, data, marks):
                    yield Span(*_whole_characters(data, *span), number)

    def _look_told(
        self, number: int, data: bytes, windows: Sequence[tuple[int, int]], marks: Sequence[tuple[int, int]]
    ) -> Iterator[Span]:
        rule = self.rules[number]
        if self.lexicon is None:
            return

        def judged(start: int, end: int) -> bool:
            return self.judge.is_secret(rule.check, data, start, end)

        for start, end in told_in(data, windows, self.lexicon, judged):
            if not overlaps(marks, start, end):
                yield Span(*_whole_characters(data, start, end), number)

    def _judged(self, rule: SecretRule, data: bytes, start: int, end: int) -> tuple[int, int] | None:
        """The span without what only closes the sentence; None when it is no secret."""
        start, end = self.judge.trim(rule.check, data, start, end)
        if end <= start or not self.judge.is_secret(rule.check, data, start, end):
            return None
        if rule.min_entropy > 0 and entropy_bits(data[start:end]) < rule.min_entropy:
            return None
        return start, end


def entropy_bits(value: bytes) -> float:
    """Shannon entropy of the value in bits per byte.

    >>> entropy_bits(b"aabb")
    1.0
    """
    total = len(value)
    return -sum(n / total * math.log2(n / total) for n in Counter(value).values())


def merge_spans(spans: Sequence[Span]) -> list[Span]:
    """Sorted spans; overlapping ones become one, named by the rule that stands first in the file.

    >>> merge_spans([Span(5, 9, 2), Span(0, 6, 7)])
    [Span(start=0, end=9, number=2)]
    """
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Span(last.start, max(last.end, span.end), min(last.number, span.number))
        else:
            merged.append(span)
    return merged


def compile_bytes(pattern: str) -> Any:
    """The pattern over bytes: spans are byte offsets, and no text is converted."""
    return re2.compile(pattern.encode("utf-8"), _bytes_options())


def _bytes_options() -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return options


def _join(windows: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted windows; overlapping ones joined up to a size that keeps a refused match cheap."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(windows):
        if joined and start <= joined[-1][1] and end - joined[-1][0] <= _WINDOW_BYTES_MAX:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _any_pattern(rules: Sequence[SecretRule]) -> Any:
    """One pattern for all rules of a group; None where it saves nothing or a window is not enough to tell."""
    if len(rules) < 3 or any(rule.is_long or rule.is_told or rule.near is not None for rule in rules):
        return None
    options = _bytes_options()
    options.never_capture = True
    options.max_mem = _ANY_PATTERN_BYTES_MAX
    return re2.compile("|".join(f"(?:{rule.pattern})" for rule in rules).encode("utf-8"), options)


def _keyword_set(keywords: Sequence[bytes]) -> Any:
    found = re2.Set.SearchSet(_bytes_options())
    for keyword in keywords:
        found.Add(re2.escape(keyword))
    found.Compile()
    return found


def _macros(texts: Mapping[str, object]) -> dict[str, str]:
    """The macros by how patterns name them; each may use those that stand before it."""
    macros: dict[str, str] = {}
    for name, text in texts.items():
        macros[f"<<{name}>>"] = _expanded(str(text), macros)
    return macros


def _expanded(pattern: str, macros: Mapping[str, str]) -> str:
    for name, text in macros.items():
        pattern = pattern.replace(name, text)
    return pattern


def _parse_rule(entry: Mapping[str, Any], macros: Mapping[str, str]) -> SecretRule:
    try:
        pattern = _expanded(str(entry["pattern"]), macros)
        return SecretRule(
            id=str(entry["id"]),
            title=str(entry["title"]),
            keywords=tuple(str(keyword) for keyword in entry["keywords"]),
            pattern=pattern,
            group=int(entry.get("group", 0)),
            min_entropy=float(entry.get("min_entropy", 0.0)),
            check=str(entry.get("check", "token")),
            is_long=bool(entry.get("is_long", False)),
            compiled=LazyPattern(pattern),
            near=parse_near({key: _expanded(str(text), macros) for key, text in entry.items()}, pattern),
            is_told=bool(entry.get("is_told", False)),
        )
    except (KeyError, TypeError, ValueError, re.error) as error:
        raise InvalidError(f"The secret rule {entry!r} cannot be used: {error}.", hint=_HINT) from error


def _check_rule(rule: SecretRule, judge: Judge) -> None:
    try:
        group_count = rule.compiled.ready().groups
    except re2.error as error:
        raise InvalidError(f"The secret rule {rule.id!r} cannot be used: {error}.", hint=_HINT) from error
    if not rule.keywords or any(k != k.lower() or not 0 < len(k) < _KEYWORD_BYTES_MAX for k in rule.keywords):
        raise InvalidError(f"The secret rule {rule.id!r} needs short keywords in lower case.", hint=_HINT)
    if not 0 <= rule.group <= group_count:
        raise InvalidError(f"The secret rule {rule.id!r} has no group {rule.group}.", hint=_HINT)
    if not _TITLE.fullmatch(rule.title):
        raise InvalidError(
            f"The title of the secret rule {rule.id!r} may hold letters, digits and spaces only.", hint=_HINT
        )
    if not judge.knows(rule.check):
        raise InvalidError(f"The secret rule {rule.id!r} names an unknown check {rule.check!r}.", hint=_HINT)


def _whole_characters(data: bytes, start: int, end: int) -> tuple[int, int]:
    while start > 0 and data[start] & 0xC0 == 0x80:
        start -= 1
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    return start, end
