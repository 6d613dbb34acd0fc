"""What belongs together in one memory: the clauses of one thought, a fragment or a reason behind a statement.

A clause that answers a question of its own (a slot with its value) stays a memory of its own, so that it can be
contradicted alone. Knows nothing of messages. Source: S4 (atomic facts), S3 (a decision and its reason).
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from app.memory.matching import Match
from app.memory.sayings import LEARNED_REASON
from app.memory.splitting import Sentence
from app.values import FactCandidate, FactType

_FRAGMENT = re.compile(r"^(?:no|not|never|only|and|but) [\w`./ -]{2,30}$", re.IGNORECASE)
_BANS = re.compile(r"^no [\w`./ -]{2,30}(?:,| and| or) (?:and |or )?no [\w`./ -]{2,40}$", re.IGNORECASE)
_RULE = re.compile(
    r"\b(?:must|may|never|only|always|don't|let's|we(?:'ll)? want|we will|we'll|should|no one|nobody|at (?:most|least)|max|has to|have to|has no|what we)\b|^no ",
    re.IGNORECASE,
)
_STRICT = re.compile(r"\b(?:must|(?:may|can|shall) ?not|can't|cannot)\b", re.IGNORECASE)
_MAX_FRAGMENT_WORDS = 4
_MAX_JOINED_WORDS = 34
_ENTRIES = frozenset({"labelled", "purposed", "versioned"})  # of a list: "python 3.12, torch 2.3"
_TOLD = frozenset({FactType.FACT, FactType.CONSTRAINT, FactType.DECISION})
_RULES = frozenset({FactType.PREFERENCE, FactType.CONSTRAINT, FactType.DECISION})


def join_clauses(found: Sequence[Match]) -> list[Match]:
    """The statements of one sentence, those without a slot of their own joined to the one before.

    A fact beside a rule belongs to the rule; two rules of different types stay two.
    """
    joined: list[Match] = []
    for match in found:
        before = joined[-1] if joined else None
        if before is None or not _belong_together(before, match):
            joined.append(match)
            continue
        is_stricter = match.pattern.type is FactType.CONSTRAINT and _STRICT.search(match.text) is not None
        leading = match if before.pattern.type is FactType.FACT or is_stricter else before
        more = f"{match.text[:1].lower()}{match.text[1:]}" if match.pattern.text else match.text
        joined[-1] = replace(leading, text=f"{before.text}, {more}", filling=before.filling or match.filling)
    return joined


def _belong_together(before: Match, match: Match) -> bool:
    types = {before.pattern.type, match.pattern.type}
    is_list = {before.pattern.id, match.pattern.id} <= _ENTRIES
    is_apart = len(types) > 1 and FactType.FACT not in types and not types <= _RULES
    if is_list or is_apart:
        return False
    has_both = _has_slot(before) and _has_slot(match)
    return not has_both and len(before.text.split()) + len(match.text.split()) <= _MAX_JOINED_WORDS


def _has_slot(match: Match) -> bool:
    return match.filling is not None and match.filling.slot is not None


def is_reason(last: FactCandidate, candidate: FactCandidate, between: str) -> bool:
    """Whether what no pattern read stands right behind a statement, as its reason does: "Paged by cursor. Offsets are slow"."""
    is_near = last.end <= candidate.start and not between.strip(" \t.;!") and "\n" not in between
    is_rule = candidate.type is not FactType.FACT and _RULE.search(candidate.text) is not None
    is_told = candidate.reason == LEARNED_REASON and candidate.type in _TOLD and not is_rule
    is_brief = len(last.text.split()) + len(candidate.text.split()) <= _MAX_JOINED_WORDS
    return is_near and is_told and is_brief


def add_reason(last: FactCandidate, candidate: FactCandidate) -> FactCandidate:
    """The statement with what was said behind it."""
    more = candidate.text.rstrip(".")
    return replace(last, text=f"{last.text.rstrip('.')}; {more[:1].lower()}{more[1:]}.", end=candidate.end)


def is_appendix(last: FactCandidate, sentence: Sentence) -> bool:
    """A fragment right after a statement ("No paging.") belongs to it; alone it says too little."""
    text = sentence.text.rstrip(".! ")
    near = 0 <= sentence.start - last.end <= 1
    is_brief = len(text.split()) <= _MAX_FRAGMENT_WORDS and _FRAGMENT.match(text) is not None
    return near and (is_brief or _BANS.match(text) is not None)


def append(last: FactCandidate, sentence: Sentence) -> FactCandidate:
    """The statement with the fragment behind it."""
    more = sentence.text.rstrip(".! ")
    return replace(last, text=f"{last.text.rstrip('.')}; {more[0].lower()}{more[1:]}.", end=sentence.end)
