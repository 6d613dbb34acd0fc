"""The plan that a message hands over to be carried out: its title is what the person is after, its body is a document.

Assistants that plan first open the next session with such a message. Knows nothing of the sentences in it.
Source: S3 (goals).
"""

import re

from app.memory.phrasing import MAX_WORDS, straighten, write_sentence
from app.values import FactCandidate, FactType

_PLAN = re.compile(
    r"\s*(?:please )?(?:implement|execute|carry out|follow|work through|start on)\b[^\n]{0,30}\bplan\b[^\n]{0,20}\n\s*"
    r"#{1,3} (?:(?:implementation |the )?plan(?: for)?(?: ?[:–—-] ?| ))?(?P<title>[^\n]{8,160})",
    re.IGNORECASE,
)
_LEAST_WORDS = 3
_CONFIDENCE = 0.66  # what a plan is called was seldom typed by the person: they are asked


def read_plan(text: str) -> FactCandidate | None:
    """The goal that the plan's title names; None when the message begins with no plan.

    >>> read_plan("Implement the following plan:\\n\\n# Plan: Tide tables for the harbour page").text
    'Tide tables for the harbour page.'
    """
    found = _PLAN.match(text)
    if found is None:
        return None
    title = straighten(found["title"])
    if not _LEAST_WORDS <= len(title.split()) <= MAX_WORDS:
        return None
    start, end = found.span("title")
    return FactCandidate(
        FactType.GOAL, write_sentence(title), _CONFIDENCE, start, end, "is the title of the plan to be carried out"
    )
