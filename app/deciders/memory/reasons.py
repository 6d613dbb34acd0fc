"""The reason that a person gave beside a statement: "because …", in the same sentence or at the beginning of the next. Pure.

In the person's words, never made. Source: issue 20 ("why do we use X" where the memory is shown).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from app.language.sentences import cut_sentences
from app.resources import load_rules

MAX_REASON_CHARS = 240
_LEAST_WORDS = 3  # "because" alone says nothing


@dataclass(frozen=True, slots=True)
class ReasonRules:
    within: re.Pattern[str]
    next: re.Pattern[str]
    ends: tuple[str, ...]


@cache
def load_reason_rules() -> ReasonRules:
    rules = load_rules("reasons")
    return ReasonRules(
        re.compile(rf"(?<!\w)(?:{_any_of(rules['within'])})(?!\w)", re.IGNORECASE),
        re.compile(rf"\s*(?:{_any_of(rules['next'])})(?![\w?])", re.IGNORECASE),
        tuple(rules["ends"]),
    )


def _any_of(phrases: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))


def find_reason(quote: str, text: str, rules: ReasonRules) -> str:
    """Why what is quoted is so, as the message says it; "" where it does not. `text`: the message, or the quote again.

    >>> rules = load_reason_rules()
    >>> find_reason("We use Ruff", "We use Ruff, because Flake8 took a minute. Fix the tests.", rules)
    'because Flake8 took a minute'
    >>> find_reason("Cache lives in Redis.", "Cache lives in Redis. Otherwise two workers see different prices.", rules)
    'Otherwise two workers see different prices'
    >>> find_reason("Cache lives in Redis.", "Cache lives in Redis. We log to stdout because Docker reads it.", rules)
    ''
    """
    quote, text = " ".join(quote.split()), "\n".join(" ".join(line.split()) for line in text.splitlines())
    first = next(iter(cut_sentences(quote)), "").rstrip(".!;, ")
    if not first:
        return ""
    sentences = [one for one in cut_sentences(text) if one.strip()] if first in text else cut_sentences(quote)
    at = next((n for n, one in enumerate(sentences) if first in one), None)
    if at is None:
        return ""
    found = rules.within.search(sentences[at])
    if found is not None:
        return _cut(sentences[at][found.start() :], rules)
    following = sentences[at + 1] if at + 1 < len(sentences) else ""
    return _cut(following, rules) if rules.next.match(following) and not following.rstrip().endswith("?") else ""


def _cut(reason: str, rules: ReasonRules) -> str:
    for end in rules.ends:
        reason = reason.partition(end)[0]
    reason = reason.strip().rstrip(".!;, ")
    is_said = len(reason.split()) >= _LEAST_WORDS
    return (
        f"{reason[: MAX_REASON_CHARS - 1].rstrip()}…" if len(reason) > MAX_REASON_CHARS else reason if is_said else ""
    )
