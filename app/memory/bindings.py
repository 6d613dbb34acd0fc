"""Which pointing words are understood inside their own sentence: "phones report their position", "one queue a tenant".

Such a sentence stands alone as it was typed. Knows references and where a sentence stands, nothing of statements.
Source: S4 (a fact stands alone).
"""

import re
from collections.abc import Sequence

from app.memory.phrasing import stays_inside
from app.values import Reference

_COUNTED = re.compile(
    r" (?!(?:of|with|that|which|is|are|was|and|or|but|for|to|in|on|at|we|i|you|has|as|by|from)\b)[a-z`]"
)
_CONTENT = re.compile(r"[\w`./-]{4,}")
_LEAST_CONTENT_WORDS = 3
_LATE = frozenset({"there", "one", "ones", "it", "them", "they", "its", "their"})


def stand_alone(references: Sequence[Reference], text: str, start: int) -> bool:
    """Whether all that is pointed at by the references of a sentence that begins at `start` stands in it."""
    inside = [one for one in references if not stays_inside(one.mention.lower())]
    return bool(inside) and all(is_bound(one, text, start) for one in inside)


def is_bound(one: Reference, text: str, start: int) -> bool:
    """Whether what it stands for was said earlier in the sentence, or it is a number: "one Mac mini"."""
    if is_number(one, text):
        return True
    said = text[start : max(start, one.start)].lower()
    if one.antecedent:
        return one.antecedent.lower() in said
    return one.mention.lower() in _LATE and len(_CONTENT.findall(said)) >= _LEAST_CONTENT_WORDS


def is_number(one: Reference, text: str) -> bool:
    """Whether "one" counts something."""
    return one.mention.lower() == "one" and _COUNTED.match(text, one.end) is not None
