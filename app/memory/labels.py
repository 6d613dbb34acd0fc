"""What a sentence says about the one before it: "that's the hard limit", "that's what we aim for", "legal signed off on that".

Owns the memory that both make together; a label alone points elsewhere and says nothing. What a label may be stands in
`statements.yaml`. Knows nothing of messages and references. Source: S4 (a fact stands alone).
"""

import re
from dataclasses import replace

from app.memory.clauses import parse_clause
from app.memory.matching import BARE, Match
from app.memory.phrasing import points_outside, strip_edges
from app.memory.rules import MemoryRules, compiled
from app.memory.slots import find_attributes, find_technologies
from app.values import FactType

_ASKS = re.compile(r"^(?:can|could|should|shall|may|do) (?:we|you|i) (?:please |just |try to |maybe )?", re.IGNORECASE)
_TAIL = re.compile(r",? (?:or(?: else)?|otherwise) .+$", re.IGNORECASE)
_MAX_LABEL_WORDS, _MAX_TOLD_WORDS, _LEAST_TOLD_WORDS = 14, 24, 3
_PATTERN = replace(BARE, id="labelled before", confidence=0.74, reason="was called so by the sentence behind it")


def read_label(text: str, rules: MemoryRules) -> FactType | None:
    """What the sentence calls the one before it; None when it is no such label.

    >>> from app.memory.rules import load_memory_rules
    >>> read_label("that's the hard limit for the sim step", load_memory_rules()).value
    'constraint'
    >>> read_label("that's the wrong file", load_memory_rules()) is None
    True
    """
    said = text.strip().rstrip(".! ")
    if len(said.split()) > _MAX_LABEL_WORDS:
        return None
    return next((type_ for type_, expression in rules.labels if compiled(expression).match(said)), None)


def labelled(text: str, type_: FactType, rules: MemoryRules) -> Match | None:
    """The sentence as the memory that its label makes of it; None when it names nothing or cannot stand alone.

    >>> from app.memory.rules import load_memory_rules
    >>> labelled("can we get cold start below 900ms?", FactType.GOAL, load_memory_rules()).text
    'Goal: get cold start below 900ms'
    """
    said = strip_edges(text.strip().rstrip("?!. "), rules)
    is_question = text.rstrip().endswith("?")
    asked = _ASKS.match(said)
    if is_question and (asked is None or type_ is FactType.DECISION):
        return None
    core = _TAIL.sub("", said[asked.end() :] if asked is not None else said)
    if not _LEAST_TOLD_WORDS <= len(core.split()) <= _MAX_TOLD_WORDS or points_outside(core, rules):
        return None
    has_value = compiled(rules.clauses.units).search(core) is not None or re.search(r"\d", core) is not None
    is_told = has_value or bool(find_technologies(f"to {core}", (), rules.slots) or find_attributes(core, rules.slots))
    if not is_told and (type_ is not FactType.DECISION or parse_clause(core, rules.clauses) is None):
        return None
    lead = "Goal: " if type_ is FactType.GOAL and parse_clause(core, rules.clauses) is None else ""
    return Match(replace(_PATTERN, type=type_), f"{lead}{core}", {}, None)
