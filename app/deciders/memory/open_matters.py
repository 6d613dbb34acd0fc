"""Whether a statement says that something is not settled: an open question, a blocker, a known issue.

Words are `rules/memory/open_matters.yaml`. Pure; whether it still holds is not its matter: what is settled is closed or put away.
Source: S4 "Token Budget Examples" (open questions/blockers, known issues).
"""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache

from app.resources import load_rules

_BEFORE_CHARS = 20
_CLAUSE = re.compile(r"[.;:!?,]\s|\s[-–]\s")


class OpenMatter(StrEnum):
    QUESTION = "question"
    BLOCKER = "blocker"
    ISSUE = "issue"


@lru_cache(maxsize=1_024)
def find_open_matter(text: str) -> OpenMatter | None:
    """What of the kind it is; None for what is settled or says nothing of it.

    >>> find_open_matter("The export is blocked by the new API of billing.")
    <OpenMatter.BLOCKER: 'blocker'>
    >>> find_open_matter("The known issue with Safari is fixed.") is None, find_open_matter("We use Safari.") is None
    (True, True)
    >>> find_open_matter("There is no open question about the port.") is None
    True
    """
    lowered = text.lower()
    for kind, pattern in _patterns().items():
        for match in pattern.finditer(lowered):
            before = _CLAUSE.split(lowered[max(0, match.start() - _BEFORE_CHARS) : match.start()])[-1]
            if not _unless().search(before) and not _SETTLED.search(lowered, match.end()):
                return kind
    return None


_SETTLED = re.compile(
    r"\b(?:is|are|was|were|has been|have been|got)\s+(?:now\s+)?(?:fixed|resolved|solved|settled|decided|done|gone|closed)\b"
)


@cache
def _patterns() -> Mapping[OpenMatter, re.Pattern[str]]:
    rules = load_rules("open_matters")
    return {kind: _any_of(rules[kind.value]) for kind in (OpenMatter.BLOCKER, OpenMatter.QUESTION, OpenMatter.ISSUE)}


@cache
def _unless() -> re.Pattern[str]:
    return re.compile(rf"{_any_of(load_rules('open_matters')['unless']).pattern}\s+(?:\w+\s+)?\Z")


def _any_of(phrases: Sequence[object]) -> re.Pattern[str]:
    listed = sorted((str(one).lower() for one in phrases), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, listed))})(?![\w-])")
