"""Takes secrets out of text before anything is written: rules in, marked text and findings out.

Owns how rules are run: one pass over all keywords (an re2 set), then only the rules whose keyword occurs, each in
linear time. What a credential looks like is data (`resources/rules/secrets.yaml`); what no secret looks like is in
`secret_values`. Never keeps, returns or logs a secret. Source: QUALITY S6, STACK "secrets".
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import re2

from app.conversation.secret_values import Judge
from app.errors import InvalidError

_MARK_START = "[secret: "
_TITLE = re2.compile(r"[A-Za-z0-9 .&_-]{1,40}")  # stands inside JSON strings and marks
_ROUNDS_MAX = 4  # each mark changes what stands beside it; two rounds settle all but made-up text


@dataclass(frozen=True, slots=True)
class Finding:
    """One secret that was taken out: where it stood in the original text, never what it was."""

    rule_id: str
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Redaction:
    text: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class SecretRule:
    """One credential format. `pattern` is common to re2 and `re`, over UTF-8 bytes; `group` is the secret."""

    id: str
    title: str
    keywords: tuple[str, ...]
    pattern: str
    group: int
    min_entropy: float
    check: str
    compiled: Any  # re2 ships no types


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    priority: int


class SecretRules:
    """Rules ready to run. Built once by `parse`; safe to share between threads."""

    def __init__(self, rules: Sequence[SecretRule], judge: Judge) -> None:
        self.rules = tuple(rules)
        self.judge = judge
        self._keywords, self._rules_of_keyword = _index_keywords(self.rules)
        self._marks = _compile(
            "|".join(re2.escape(f"{_MARK_START}{title}]") for title in sorted({r.title for r in self.rules}))
        )

    @classmethod
    def parse(cls, rules: Mapping[str, Any]) -> "SecretRules":
        """Rules ready to run, from the mapping of `secrets.yaml`.

        Raises InvalidError naming the rule that cannot be used.
        """
        judge = Judge.parse(rules)
        macros = {f"<<{name}>>": str(text) for name, text in rules.get("macros", {}).items()}
        parsed = [_parse_rule(entry, judge, macros) for entry in rules.get("rules", ())]
        for first, second in pairwise(sorted(rule.id for rule in parsed)):
            if first == second:
                raise InvalidError(f"The secret rule {first!r} is defined twice.")
        if not parsed:
            raise InvalidError("There are no secret rules: `rules` is empty.")
        return cls(parsed, judge)

    def find_spans(self, data: bytes) -> list[_Span]:
        """Byte spans of secrets in `data`, sorted and merged where they touch each other."""
        hits = self._keywords.Match(data.lower())
        if not hits:
            return []
        chosen = sorted({number for hit in hits for number in self._rules_of_keyword[hit]})
        marks = [match.span() for match in self._marks.finditer(data)] if _MARK_START.encode() in data else []
        spans = [span for number in chosen for span in self._run(number, data, marks)]
        return _merge(spans)

    def _run(self, number: int, data: bytes, marks: Sequence[tuple[int, int]]) -> Iterator[_Span]:
        rule = self.rules[number]
        pos = 0
        mark_at = 0
        while (match := rule.compiled.search(data, pos)) is not None:
            start, end = match.span(rule.group)
            pos = max(end, pos + 1)
            while mark_at < len(marks) and marks[mark_at][1] <= match.start():
                mark_at += 1
            if start < 0 or (mark_at < len(marks) and marks[mark_at][0] < match.end()):
                continue
            start, end = self.judge.trim(rule.check, data, start, end)
            if self._is_secret(rule, data, start, end):
                yield _Span(*_whole_characters(data, start, end), number)
            else:
                # a refused value may itself be the cue of the next one ("token: password: …")
                pos = max(match.start() + 1, match.start(rule.group))

    def _is_secret(self, rule: SecretRule, data: bytes, start: int, end: int) -> bool:
        if end - start < 1 or not self.judge.is_secret(rule.check, data, start, end):
            return False
        return rule.min_entropy <= 0 or entropy_bits(data[start:end]) >= rule.min_entropy


def redact(text: str, rules: SecretRules) -> Redaction:
    """The text with each secret replaced by `[secret: <title>]`, and where the secrets stood.

    Linear in the text. Marks of an earlier run are left alone, so redacting twice is redacting once.

    >>> rules = SecretRules.parse({"rules": [{"id": "demo", "title": "demo key", "keywords": ["demo_"],
    ...     "pattern": "demo_[0-9a-f]{8}"}]})
    >>> redact("use demo_" + "0a1b2c3d now", rules).text
    'use [secret: demo key] now'
    """
    original = text.encode("utf-8", "surrogatepass")
    found: list[_Span] = []
    data = original
    for _ in range(_ROUNDS_MAX):
        spans = rules.find_spans(data)
        if not spans:
            break
        found = _merge([*found, *(_to_original(span, found, rules) for span in spans)])
        data = _apply(original, found, rules)
    if not found:
        return Redaction(text, ())
    findings = tuple(_findings(original, found, rules))
    return Redaction(data.decode("utf-8", "surrogatepass"), findings)


def mark_of(rule: SecretRule) -> str:
    return f"{_MARK_START}{rule.title}]"


def entropy_bits(value: bytes) -> float:
    """Shannon entropy of the value in bits per byte.

    >>> entropy_bits(b"aabb")
    1.0
    """
    total = len(value)
    return -sum(n / total * math.log2(n / total) for n in Counter(value).values())


def _compile(pattern: str) -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1  # bytes in, bytes out: spans are byte offsets
    options.log_errors = False
    return re2.compile(pattern.encode("utf-8"), options)


def _index_keywords(rules: Sequence[SecretRule]) -> tuple[Any, list[list[int]]]:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    keywords = re2.Set.SearchSet(options)
    numbers_of: dict[str, list[int]] = {}
    for number, rule in enumerate(rules):
        for keyword in rule.keywords:
            numbers_of.setdefault(keyword, []).append(number)
    for keyword in numbers_of:
        keywords.Add(re2.escape(keyword.encode("utf-8")))
    keywords.Compile()
    return keywords, list(numbers_of.values())


def _parse_rule(entry: Mapping[str, Any], judge: Judge, macros: Mapping[str, str]) -> SecretRule:
    try:
        pattern = str(entry["pattern"])
        for name, text in macros.items():
            pattern = pattern.replace(name, text)
        compiled = _compile(pattern)
        rule = SecretRule(
            id=str(entry["id"]),
            title=str(entry["title"]),
            keywords=tuple(str(keyword) for keyword in entry["keywords"]),
            pattern=pattern,
            group=int(entry.get("group", 0)),
            min_entropy=float(entry.get("min_entropy", 0.0)),
            check=str(entry.get("check", "token")),
            compiled=compiled,
        )
    except (KeyError, TypeError, ValueError, re2.error) as error:
        raise InvalidError(f"The secret rule {entry!r} cannot be used: {error}") from error
    if not rule.keywords or any(k != k.lower() or not k for k in rule.keywords):
        raise InvalidError(f"The secret rule {rule.id!r} needs keywords in lower case.")
    if not 0 <= rule.group <= compiled.groups:
        raise InvalidError(f"The secret rule {rule.id!r} has no group {rule.group}.")
    if not _TITLE.fullmatch(rule.title):
        raise InvalidError(f"The title of the secret rule {rule.id!r} may hold letters, digits and spaces only.")
    if not judge.knows(rule.check):
        raise InvalidError(f"The secret rule {rule.id!r} names an unknown check {rule.check!r}.")
    return rule


def _merge(spans: Sequence[_Span]) -> list[_Span]:
    """Sorted spans; overlapping ones become one, named by the rule that stands first in the file."""
    merged: list[_Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = _Span(last.start, max(last.end, span.end), min(last.priority, span.priority))
        else:
            merged.append(span)
    return merged


def _to_original(span: _Span, found: Sequence[_Span], rules: SecretRules) -> _Span:
    """The span in the original text; `span` is in the text in which `found` are already marks."""
    shift = 0
    for earlier in found:
        mark_bytes = len(mark_of(rules.rules[earlier.priority]).encode("utf-8"))
        if span.start < earlier.start + shift + mark_bytes:
            break
        shift += mark_bytes - (earlier.end - earlier.start)
    return _Span(span.start - shift, span.end - shift, span.priority)


def _apply(original: bytes, found: Sequence[_Span], rules: SecretRules) -> bytes:
    parts: list[bytes] = []
    at = 0
    for span in found:
        parts += (original[at : span.start], mark_of(rules.rules[span.priority]).encode("utf-8"))
        at = span.end
    parts.append(original[at:])
    return b"".join(parts)


def _findings(original: bytes, found: Sequence[_Span], rules: SecretRules) -> Iterator[Finding]:
    is_ascii = original.isascii()
    at_byte = at_character = 0
    for span in found:
        rule = rules.rules[span.priority]
        if is_ascii:
            yield Finding(rule.id, rule.title, span.start, span.end)
            continue
        at_character += len(original[at_byte : span.start].decode("utf-8", "surrogatepass"))
        length = len(original[span.start : span.end].decode("utf-8", "surrogatepass"))
        yield Finding(rule.id, rule.title, at_character, at_character + length)
        at_character += length
        at_byte = span.end


def _whole_characters(data: bytes, start: int, end: int) -> tuple[int, int]:
    while start > 0 and data[start] & 0xC0 == 0x80:
        start -= 1
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    return start, end
