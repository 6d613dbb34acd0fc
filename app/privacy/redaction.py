"""Takes secrets out of text before anything is written: text and rules in, marked text and findings out.

Owns the marks `[secret: title]` and what is reported; `detector` finds, `values` judges. Never keeps, returns or logs
a secret. Source: QUALITY S6.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from app.privacy.detector import Span, Work
from app.privacy.secret_rules import SecretRule, SecretRules

__all__ = ["Finding", "Redaction", "SecretRule", "SecretRules", "redact"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One secret that was taken out: where it was in the original text, never what it was."""

    rule_id: str
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Redaction:
    text: str
    findings: tuple[Finding, ...]


def redact(
    text: str, rules: SecretRules, pause: Callable[[], object] | None = None, work: Work | None = None
) -> Redaction:
    """The text with each secret replaced by `[secret: <title>]`, and where the secrets stood.

    Linear in the text. Marks of an earlier run are left alone. `pause` is called every few milliseconds, so that whoever
    redacts a long text lets others by; `work` counts what it cost.

    >>> rules = SecretRules.parse({"rules": [{"id": "demo", "title": "demo key", "keywords": ["demo_"],
    ...     "pattern": "demo_[0-9a-f]{8}"}]})
    >>> redact("use demo_" + "0a1b2c3d now", rules).text
    'use [secret: demo key] now'
    """
    original = text.encode("utf-8", "surrogatepass")
    data, found = rules.redact(original, pause, work)
    if not found:
        return Redaction(text, ())
    return Redaction(data.decode("utf-8", "surrogatepass"), tuple(_findings(original, found, rules)))


def _findings(original: bytes, found: Sequence[Span], rules: SecretRules) -> Iterator[Finding]:
    is_ascii = original.isascii()
    at_byte = at_character = 0
    for start, end, number in found:
        rule = rules.rules[number]
        if is_ascii:
            yield Finding(rule.id, rule.title, start, end)
            continue
        at_character += len(original[at_byte:start].decode("utf-8", "surrogatepass"))
        length = len(original[start:end].decode("utf-8", "surrogatepass"))
        yield Finding(rule.id, rule.title, at_character, at_character + length)
        at_character += length
        at_byte = end
