"""Looks for expressions that ignore case in text in lower case: found in a third of the time, and the same is found.

Owns when that may be done. Knows no rule.
"""

import re
from functools import lru_cache

_CAPITAL = re.compile(r"(?<!\\)[A-Z]")


def is_found(expression: re.Pattern[str], text: str, low: str, *, is_at_start: bool = False) -> bool:
    """Whether an expression that ignores case is found in the text, of which `low` is the lower case.

    >>> said = "I am NOT sure"
    >>> is_found(re.compile(r"\\bnot sure\\b", re.IGNORECASE), said, said.lower())
    True
    """
    plain = _plain(expression.pattern) if text.isascii() else None
    if plain is None:
        plain, low = expression, text
    return (plain.match(low) if is_at_start else plain.search(low)) is not None


@lru_cache(maxsize=512)
def _plain(expression: str) -> re.Pattern[str] | None:
    """The expression for text in lower case; None when it names capitals, so that it has to ignore case itself."""
    return None if _CAPITAL.search(expression) else re.compile(expression)
