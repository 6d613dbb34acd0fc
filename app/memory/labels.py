"""What a sentence says about the one before it: "that's the hard limit", "that's what we aim for", "legal signed off on that".

Owns recognising such a label and the memory that both make together; a label alone points elsewhere and says nothing.
Knows nothing of messages and references. Source: S4 (a fact stands alone).
"""

import re
from dataclasses import replace

from app.memory.clauses import parse_clause
from app.memory.matching import BARE, Match
from app.memory.phrasing import points_outside, strip_edges
from app.memory.rules import MemoryRules, compiled
from app.memory.slots import find_attributes, find_technologies
from app.values import FactType

_POINTS = (
    r"^(?:and |so |yes,? |again,? )?(?:that(?: one)?(?:'s| is| was)|this (?:is|was)|thats|it(?:'s| is| was)|those are) "
)
_GOAL = (
    r"(?:the|our|my) (?:[\w-]+ )?(?:goal|target|aim|objective|plan|bar|milestone|deadline)\b|"
    r"what (?:we|i)(?:'re| are|'m| am)? (?:shooting|aiming|going|hoping|targeting|after|want|promised)\b"
)
_LIMIT = (
    r"(?:the|our|a|an) (?:[\w-]+ )?(?:limit|cap|budget|ceiling|maximum|minimum|requirement|constraint|must|rule|policy|law)\b|"
    r"(?:non-negotiable|mandatory|a must|required by|fixed by|written in(?:to)? the|in the contract)\b"
)
_DECIDED = (
    r"(?:decided|settled|final|agreed|approved|signed off|what (?:we|they) (?:decided|agreed|settled)|"
    r"the (?:decision|plan|call|deal|agreement))\b"
)
_KINDS = ((FactType.GOAL, _GOAL), (FactType.CONSTRAINT, _LIMIT), (FactType.DECISION, _DECIDED))
_LABELS = tuple((type_, re.compile(_POINTS + f"(?:{body})", re.IGNORECASE)) for type_, body in _KINDS)
_SIGNED = re.compile(
    r"^(?!i\b|you\b)(?:[\w-]+ ){1,4}?(?:(?:has|have|already|just|all|both) )*(?:signed off on|approved|agreed (?:to|on)|okayed|green-?lit|decided|settled on) (?:that|this|it)(?: (?:one|already|yesterday|today|last \w+|on \w+|in \w+))?$",
    re.IGNORECASE,
)
_TAKEN = re.compile(
    r"^(?:ok(?:ay)?,? |yes,? |so |then |right,? |alright,? )*(?:let's|lets|we'll|i'll|we should) (?:do|go with|go for|take|use|stick with|keep) (?:that|it|this)(?: one)?(?: then| please)?$",
    re.IGNORECASE,
)
_ASKS = re.compile(r"^(?:can|could|should|shall|may|do) (?:we|you|i) (?:please |just |try to |maybe )?", re.IGNORECASE)
_TAIL = re.compile(r",? (?:or(?: else)?|otherwise) .+$", re.IGNORECASE)
_MAX_LABEL_WORDS, _MAX_TOLD_WORDS, _LEAST_TOLD_WORDS = 14, 24, 3
_PATTERN = replace(BARE, id="labelled before", confidence=0.74, reason="was called so by the sentence behind it")


def read_label(text: str) -> FactType | None:
    """What the sentence calls the one before it; None when it is no such label.

    >>> read_label("that's the hard limit for the sim step").value
    'constraint'
    >>> read_label("that's the wrong file") is None
    True
    """
    said = text.strip().rstrip(".! ")
    if len(said.split()) > _MAX_LABEL_WORDS:
        return None
    if _SIGNED.match(said) or _TAKEN.match(said):
        return FactType.DECISION
    return next((type_ for type_, label in _LABELS if label.match(said)), None)


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
