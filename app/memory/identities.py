"""What a clause with "is" says its subject to be: a technology, a measure, a place with a name; and nothing more.

Such a clause ("the api is Go", "the heap is 64k", "the console is on uart2") tells how things are whatever it is about.
Knows clauses and slots; nothing of weights. Source: S3 (subject, attribute, value).
"""

import re
from collections.abc import Iterator

from app.memory.clauses import Clause
from app.memory.rules import MemoryRules
from app.memory.slots import find_technologies

NAME = re.compile(
    r"`[^`]+`|\b[a-z]+[A-Z]\w*|\w_\w|\w\.\w{1,5}\b|\w/|/\w|--\w|\b[A-Z]{2,}s?\b|\"[^\"]+\"|\w\(\)|\*\.\w|\b[a-z]\w*\.[a-z]\w+\b|\b[a-z]{2,}\d+\b"
)
_FEW_REST_WORDS = 4
_AT = re.compile(r"(?:on|in|at|under|behind|inside) (?!this|that|my\b|it\b|line\b|#?\d)", re.IGNORECASE)
_MEASURE_FIRST = re.compile(r"\d[\d.,]* ?(?:k|[kmgt]i?b?|bits?|bytes?|ms|s|v|ma|mhz|ghz|hz|px|fps)\b", re.IGNORECASE)


def identity_features(clause: Clause, rules: MemoryRules) -> Iterator[str]:
    """The names of the weights that speak of what the subject is.

    >>> from app.memory.clauses import parse_clause
    >>> from app.memory.rules import load_memory_rules
    >>> rules = load_memory_rules()
    >>> list(identity_features(parse_clause("the reports are in sales.daily", rules.clauses), rules))
    ['is_at']
    """
    if clause.verb != "be" or clause.form != "plain":
        return
    if _is_named_first(clause.rest, rules):
        yield "is_named"
    if _AT.match(clause.rest) and _is_name_near(clause.rest, rules):
        yield "is_at"


def _is_name_near(rest: str, rules: MemoryRules) -> bool:
    """Whether the place that is said first is a technology, a name or a piece of code."""
    head = " ".join(rest.split()[:_FEW_REST_WORDS])
    return NAME.search(head) is not None or bool(find_technologies(head, (), rules.slots))


def _is_named_first(rest: str, rules: MemoryRules) -> bool:
    """Whether what it is begins with a technology ("is Go") or a measure ("is 64k") and goes on with little."""
    if len(rest.split()) > _FEW_REST_WORDS:
        return False
    starts = (one.start for one in find_technologies(f"to {rest}", (), rules.slots))
    return any(start == len("to ") for start in starts) or _MEASURE_FIRST.match(rest) is not None
