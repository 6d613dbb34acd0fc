"""Recognises questions about the work itself: what was done last, what is left, why something was done.

They hold hardly a word that could be looked for, so that the newest episodes answer them. A question asks, and is short: what is
ordered in the same breath, or pasted, is none. Pure; the patterns are data. Source: issue 16 point 9.
"""

import re
from enum import StrEnum
from functools import cache

from app.resources import load_rules

_MOST_WORDS = 16


class WorkQuestion(StrEnum):
    LAST = "last"
    LEFT = "left"
    WHY = "why"


def read_work_question(text: str) -> WorkQuestion | None:
    """What of the past is asked for; None when it is something else.

    >>> read_work_question("What did we do last?").value, read_work_question("what's left to do?").value
    ('last', 'left')
    >>> read_work_question("Why did we drop Redis?").value, read_work_question("add a last column to the table")
    ('why', None)
    """
    asked = " ".join(text[:400].lower().replace("’", "'").split())
    if not asked or len(asked.split()) > _MOST_WORDS:
        return None
    return next((kind for kind in WorkQuestion if any(one.search(asked) for one in _patterns()[kind])), None)


@cache
def _patterns() -> dict[WorkQuestion, tuple[re.Pattern[str], ...]]:
    rules = load_rules("past_questions")
    return {kind: tuple(re.compile(str(one)) for one in rules[kind.value]) for kind in WorkQuestion}
