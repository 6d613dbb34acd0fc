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
MAX_QUALITY_TOKENS = 3
_FULL = frozenset({Tag.VERB, Tag.AUX, Tag.PRON, Tag.WH, Tag.GERUND, Tag.PARTICIPLE})
_CONTENT = NOMINAL | {Tag.ADJ, Tag.NUM}
_CORRECTIONS = frozenset({"no", "actually", "instead", "rather", "nope", "sorry", "hm", "hmm", "ok", "but"})
_OWNERS = frozenset({"of", "for", "from", "on", "in"})
_USE = frozenset({"use", "try", "take", "prefer", "pick"})


def find_left_out(analysis: Analysis, spots: list[Spot], rules: ReferenceRules) -> Spot | None:
    """The first left-out object of a message, None when nothing is missing."""
    if not analysis.tokens or any(spot.kind is not ReferenceKind.DEFINITE for spot in spots):
        return None
    return (
        _attribute(analysis, rules) or _instead(analysis) or _fragment(analysis, rules) or _bare_verb(analysis, rules)
    )


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


def _fragment(analysis: Analysis, rules: ReferenceRules) -> Spot | None:
    """ "server side please, not in the browser", "no, purple", "bigger": a place or quality without the thing."""
    tokens, tags = analysis.tokens, analysis.tags
    if len(tokens) > MAX_FRAGMENT_TOKENS or any(tag in _FULL for tag in tags):
        return None
    content = [i for i, tag in enumerate(tags) if tag in _CONTENT or tokens[i].lower in rules.lexicon.numbers]
    if not content:
        return None
    is_contrast = _CONTRAST.search(analysis.text) is not None
    is_place = is_contrast and len(tokens) > 2 and any(p.preposition for p in analysis.phrases)
    is_quality = len(content) <= MAX_QUALITY_TOKENS and all(_is_quality(analysis, i, rules) for i in content)
    is_correction = tokens[0].lower in _CORRECTIONS or tokens[-1].lower in _CORRECTIONS or is_contrast
    is_comparative = tokens[content[0]].lower.endswith("er") and len(content) == 1
    if is_place or (is_quality and (is_correction or is_comparative)):
        return _spot(analysis, len(tokens), "", analysis.sentences[-1])
    return None


def _is_quality(analysis: Analysis, index: int, rules: ReferenceRules) -> bool:
    """A colour, number, size or other adjective: said of something."""
    token, tag = analysis.tokens[index], analysis.tags[index]
    return (
        tag in (Tag.ADJ, Tag.NUM) or token.lower in rules.words.get("qualities", frozenset()) or token.text[0].isdigit()
    )


def _bare_verb(analysis: Analysis, rules: ReferenceRules) -> Spot | None:
    """ "test again", "rename to load_rows", "make bigger": an order whose object is missing."""
    tags = analysis.tags
    index = next((i for i, tag in enumerate(tags) if tag not in (Tag.INTJ, Tag.ADV, Tag.PUNCT, Tag.CONJ)), 0)
    verb = analysis.tokens[index].lower
    if tags[index] is not Tag.VERB:
        return None
    following = tags[index + 1] if index + 1 < len(tags) else Tag.PUNCT
    if verb == "make" and index + 1 < len(tags) and _is_quality(analysis, index + 1, rules):
        is_whole = index + 2 >= len(tags) or tags[index + 2] in (Tag.PUNCT, Tag.INTJ, Tag.ADV, Tag.CONJ)
        return _spot(analysis, index + 1, verb, analysis.sentences[index]) if is_whole else None
    clause = analysis.clauses[index]
    has_object = any(p.clause == clause and p.role is Role.OBJECT and not p.preposition for p in analysis.phrases)
    is_moved = verb in rules.words.get("moved_objects", frozenset()) and following in (Tag.PREP, Tag.TO)
    is_bare = verb in rules.words.get("drop_objects", frozenset()) and following not in (Tag.PRON, Tag.DET)
    if has_object or not (is_bare or is_moved):
        return None
    return _spot(analysis, index + 1, verb, analysis.sentences[index])


def _spot(analysis: Analysis, after: int, verb: str, sentence: int) -> Spot:
    """An empty place behind token `after - 1`."""
    last = analysis.tokens[after - 1]
    if after == len(analysis.tokens) and not last.is_word and after > 1:
        last = analysis.tokens[after - 2]
    return Spot(
        mention="", start=last.end, end=last.end, kind=ReferenceKind.IMPLICIT, form="", token=after, type=Type.THING,
        number="any", verb=verb, role=Role.OBJECT, sentence=sentence,
    )  # fmt: skip
