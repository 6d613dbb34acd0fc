"""Objects that a message leaves out: "change the color" (of what?), "test again", "server side, not in the browser".

Finds the place where the object is missing. Knows nothing of candidates. Source: S2, implicit references.
"""

import re

from app.conversation.phrases import Analysis, Role
from app.conversation.references_rules import ReferenceRules
from app.conversation.references_values import Spot, Type
from app.conversation.tags import NOMINAL, Tag
from app.values import ReferenceKind

MAX_FRAGMENT_TOKENS = 14
_CONTRAST = re.compile(r"\b(?:not|instead|rather than|please|only)\b", re.IGNORECASE)
_OWNERS = frozenset({"of", "for", "from", "on", "in"})
_USE = frozenset({"use", "try", "take", "prefer", "pick"})


def find_left_out(analysis: Analysis, spots: list[Spot], rules: ReferenceRules) -> Spot | None:
    """The first left-out object of a message, None when nothing is missing."""
    if not analysis.tokens or any(spot.kind is not ReferenceKind.DEFINITE for spot in spots):
        return None
    return _attribute(analysis, rules) or _instead(analysis) or _fragment(analysis) or _bare_verb(analysis, rules)


def _attribute(analysis: Analysis, rules: ReferenceRules) -> Spot | None:
    """ "change the color", "what is the address?": a quality without its owner."""
    attributes = rules.words.get("attributes", frozenset())
    for phrase in analysis.phrases[:6]:
        is_quality = rules.lexicon.singular(phrase.head) in attributes and phrase.last - phrase.first == 1
        if not is_quality or phrase.determiner != "the" or phrase.role is Role.OBLIQUE:
            continue
        following = analysis.tokens[phrase.last].lower if phrase.last < len(analysis.tokens) else ""
        if following in _OWNERS or (phrase.last < len(analysis.tags) and analysis.tags[phrase.last] is Tag.POSS):
            continue
        return _spot(analysis, phrase.last, phrase.verb, phrase.sentence)
    return None


def _instead(analysis: Analysis) -> Spot | None:
    """ "use a toggle switch, not a button": for what?"""
    tokens = analysis.tokens
    if len(tokens) > MAX_FRAGMENT_TOKENS or analysis.verbs[-1] not in _USE or not _CONTRAST.search(analysis.text):
        return None
    chosen = next((p for p in analysis.phrases if p.role is Role.OBJECT and p.verb in _USE), None)
    has_purpose = any(token.lower in ("for", "to", "when", "in") for token in tokens)
    return None if chosen is None or has_purpose else _spot(analysis, chosen.last, chosen.verb, chosen.sentence)


def _fragment(analysis: Analysis) -> Spot | None:
    """ "server side please, not in the browser": a place or manner without the thing."""
    tokens, tags = analysis.tokens, analysis.tags
    is_short = 2 < len(tokens) <= MAX_FRAGMENT_TOKENS
    has_verb = any(tag in (Tag.VERB, Tag.AUX, Tag.PRON, Tag.WH) for tag in tags)
    if not is_short or has_verb or not _CONTRAST.search(analysis.text):
        return None
    where = next((p for p in analysis.phrases if p.preposition), None)
    if where is None or tags[0] not in NOMINAL | {Tag.ADJ, Tag.PREP, Tag.ADV, Tag.INTJ}:
        return None
    return _spot(analysis, len(tokens), "", analysis.sentences[-1])


def _bare_verb(analysis: Analysis, rules: ReferenceRules) -> Spot | None:
    """ "test again", "rename to load_rows": an order whose object is missing."""
    verbs = rules.words.get("drop_objects", frozenset())
    index = next((i for i, tag in enumerate(analysis.tags) if tag not in (Tag.INTJ, Tag.ADV, Tag.PUNCT, Tag.CONJ)), 0)
    if analysis.tags[index] is not Tag.VERB or analysis.tokens[index].lower not in verbs:
        return None
    clause = analysis.clauses[index]
    has_object = any(p.clause == clause and p.role is Role.OBJECT and not p.preposition for p in analysis.phrases)
    following = analysis.tags[index + 1] if index + 1 < len(analysis.tags) else Tag.PUNCT
    if has_object or following in (Tag.PRON, Tag.DET):
        return None
    return _spot(analysis, index + 1, analysis.tokens[index].lower, analysis.sentences[index])


def _spot(analysis: Analysis, after: int, verb: str, sentence: int) -> Spot:
    """An empty place behind token `after - 1`."""
    last = analysis.tokens[after - 1]
    if after == len(analysis.tokens) and not last.is_word and after > 1:
        last = analysis.tokens[after - 2]
    return Spot(
        mention="", start=last.end, end=last.end, kind=ReferenceKind.IMPLICIT, form="", token=after, type=Type.THING,
        number="any", verb=verb, role=Role.OBJECT, sentence=sentence,
    )  # fmt: skip
