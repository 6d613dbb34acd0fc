"""Whether of two memories about one thing, one says why the other is so, or what was done about it. Pure: words of people in, a verdict out.

It is asked only of pairs that other evidence has joined already, so that it decides the kind of a link, never whether there is one.
Source: S4 "Link discovery" (cause and fix), issue 18 "The graph".
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from app.resources import load_rules
from app.values.graph import LinkBasis


@dataclass(frozen=True, slots=True)
class CauseRules:
    trouble: re.Pattern[str]
    cause: re.Pattern[str]
    fix: re.Pattern[str]


@cache
def load_cause_rules() -> CauseRules:
    rules = load_rules("links")
    return CauseRules(*(_any_of(rules[name]) for name in ("trouble", "cause", "fix")))


def _any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    ordered = sorted(phrases, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, ordered))})(?!\w)", re.IGNORECASE)


def causal_link(first: str, second: str, rules: CauseRules) -> tuple[LinkBasis, bool] | None:
    """How a cause or a cure among the two stands to the trouble in the other, and whether it is the first; None for neither.

    A memory that tells of trouble and of its cure in one breath is no trouble that another explains.

    >>> rules = load_cause_rules()
    >>> causal_link("The login test is flaky on CI", "The fix for the login test is to freeze the clock", rules)
    (<LinkBasis.FIX: 'fix'>, False)
    >>> causal_link("We use Postgres for orders", "Orders are exported nightly", rules) is None
    True
    """
    kinds = [_kind_of(text, rules) for text in (first, second)]
    if None in kinds or kinds.count("trouble") != 1:
        return None
    other = 1 - kinds.index("trouble")
    return LinkBasis(str(kinds[other])), other == 0


def _kind_of(text: str, rules: CauseRules) -> str | None:
    """What it tells of: "fix", "cause", "trouble", or nothing of these."""
    if rules.fix.search(text):
        return "fix"
    if rules.cause.search(text):
        return "cause"
    return "trouble" if rules.trouble.search(text) else None
