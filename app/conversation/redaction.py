"""Takes secrets out of text before anything is written: text and rules in, marked text and findings out.

Owns the marks `[secret: title]` and what is reported; `secret_rules` finds, `secret_values` judges. Never keeps,
returns or logs a secret. Source: QUALITY S6.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.conversation.secret_rules import SecretRule, SecretRules, Span, merge_spans

__all__ = ["Finding", "Redaction", "SecretRule", "SecretRules", "redact"]

_ROUNDS_MAX = 16  # each mark changes what stands beside it; two rounds settle all but made-up text
_NEAR_BYTES = 640  # how far from a mark the next round looks


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


def redact(text: str, rules: SecretRules) -> Redaction:
    """The text with each secret replaced by `[secret: <title>]`, and where the secrets stood.

    Linear in the text. Marks of an earlier run are left alone, so redacting twice is redacting once.

    >>> rules = SecretRules.parse({"rules": [{"id": "demo", "title": "demo key", "keywords": ["demo_"],
    ...     "pattern": "demo_[0-9a-f]{8}"}]})
    >>> redact("use demo_" + "0a1b2c3d now", rules).text
    'use [secret: demo key] now'
    """
    original = text.encode("utf-8", "surrogatepass")
    found: list[Span] = []
    data = original
    regions: list[tuple[int, int]] = [(0, len(data))]
    for _ in range(_ROUNDS_MAX):
        spans = rules.find_spans(data, regions)
        if not spans:
            break
        found = merge_spans([*found, *_to_original(spans, found, rules)])
        data, regions = _apply(original, found, rules)
    if not found:
        return Redaction(text, ())
    return Redaction(data.decode("utf-8", "surrogatepass"), tuple(_findings(original, found, rules)))


def _to_original(spans: Sequence[Span], found: Sequence[Span], rules: SecretRules) -> Iterator[Span]:
    """The spans in the original text; they lie in the text in which `found` are already marks."""
    shift = 0
    earlier = iter(found)
    mark = next(earlier, None)
    for span in spans:
        while mark is not None and mark.start + shift < span.start:
            shift += _mark_bytes(mark, rules) - (mark.end - mark.start)
            mark = next(earlier, None)
        yield Span(span.start - shift, span.end - shift, span.number)


def _mark_bytes(span: Span, rules: SecretRules) -> int:
    return len(rules.rules[span.number].mark)  # titles are ASCII


def _apply(original: bytes, found: Sequence[Span], rules: SecretRules) -> tuple[bytes, list[tuple[int, int]]]:
    """The text with marks, and the regions around them, joined where they overlap."""
    parts: list[bytes] = []
    regions: list[tuple[int, int]] = []
    at = shift = 0
    for span in found:
        mark = rules.rules[span.number].mark.encode("utf-8")
        parts += (original[at : span.start], mark)
        start = span.start + shift
        shift += len(mark) - (span.end - span.start)
        at = span.end
        if regions and start - _NEAR_BYTES <= regions[-1][1]:
            regions[-1] = (regions[-1][0], at + shift + _NEAR_BYTES)
        else:
            regions.append((max(0, start - _NEAR_BYTES), at + shift + _NEAR_BYTES))
    parts.append(original[at:])
    return b"".join(parts), [(start, min(end, len(original) + shift)) for start, end in regions]


def _findings(original: bytes, found: Sequence[Span], rules: SecretRules) -> Iterator[Finding]:
    is_ascii = original.isascii()
    at_byte = at_character = 0
    for span in found:
        rule = rules.rules[span.number]
        if is_ascii:
            yield Finding(rule.id, rule.title, span.start, span.end)
            continue
        at_character += len(original[at_byte : span.start].decode("utf-8", "surrogatepass"))
        length = len(original[span.start : span.end].decode("utf-8", "surrogatepass"))
        yield Finding(rule.id, rule.title, at_character, at_character + length)
        at_character += length
        at_byte = span.end
