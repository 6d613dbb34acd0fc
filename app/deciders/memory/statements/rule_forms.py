"""A sentence that no pattern reads, in a form in which rules are spoken: worth a look, never kept without one.

"If a price changes, update the leaflet": the case and what is to be done, a rejected alternative, what should not be done.
The forms stand in `statements.yaml`. Knows one sentence; nothing of the store. Source: issue 16.
"""

import re

from app.deciders.memory.rules import MemoryRules, compiled
from app.deciders.memory.statements.clauses import parse_clause
from app.deciders.memory.statements.phrasing import MAX_WORDS, straighten, strip_edges, write_sentence
from app.language.sentences import Sentence
from app.values import FactCandidate, FactType

_LEAST_WORDS = 3
_CONFIDENCE = 0.6  # waits for the person
_BANS = re.compile(r"\b(?:not|n't|never|avoid|stay away)\b|n't\b", re.IGNORECASE)
_WONDERS = re.compile(r"\b(?:why|wonder\w*|how come|no idea|supposed to)\b", re.IGNORECASE)
_POINTS = re.compile(r"^(?:it|this|that|these|those|they)\b(?! is an?\b| is not\b)", re.IGNORECASE)
_POINTS_AT_LAST = re.compile(r"\b(?:it|this|that|these|those|them)$", re.IGNORECASE)


def read_rule_form(sentence: Sentence, rules: MemoryRules) -> FactCandidate | None:
    """The whole sentence as a proposal, verbatim; None when it has none of the forms.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> text = "If any price changes, update the leaflet."
    >>> read_rule_form(Sentence(text, 0, len(text), False), load_memory_rules()).text
    'If any price changes, update the leaflet.'
    """
    text = straighten(sentence.text)
    core = strip_edges(text, rules)
    if sentence.is_quoted or text.endswith(("?", "…", ":")) or not _LEAST_WORDS <= len(core.split()) <= MAX_WORDS:
        return None
    if not any(compiled(form).search(core.lower()) for form in rules.durability.rule_forms) or _POINTS.match(core):
        return None
    if _WONDERS.search(core) or _POINTS_AT_LAST.search(core):
        return None
    is_told = _BANS.search(core) is None and parse_clause(core, rules.clauses) is not None
    return FactCandidate(
        FactType.FACT if is_told else FactType.CONSTRAINT, write_sentence(core), _CONFIDENCE, sentence.start,
        sentence.end, "is said as rules are said",
    )  # fmt: skip
