"""How sure the best candidate of a mention is: the share of right answers that were measured for answers of its kind.

A kind is made of the form of the mention, the type of the antecedent and how far it is away. A kind that was mostly wrong has no
confidence, and its mention stays unresolved.
"""

from collections.abc import Sequence

from app.deciders.conversation.references.rules import ReferenceRules
from app.deciders.conversation.references.score import ScoredCandidate
from app.deciders.conversation.references.values import (
    AntecedentCandidate,
    AntecedentType,
    NamedThing,
    ReferenceMention,
)
from app.language.phrases import Role
from app.values import EntityKind, ReferenceKind

_POINTERS = frozenset({EntityKind.SYMBOL, EntityKind.FILE, EntityKind.PATH, EntityKind.COMMAND, EntityKind.VALUE})
_SURE_SHARE = 0.7
_PREFERRED_SHARE = 0.5


def confidence_of(mention: ReferenceMention, ranked: Sequence[ScoredCandidate], rules: ReferenceRules) -> float:
    """The share (0..1) of right answers among those of this kind; 0 when such an answer is better not given.

    "the export" and "build the export" are one thing brought up twice: each speaks for the other.
    """
    best = ranked[0]
    share = sum(one.share for one in ranked if best.candidate.thing.key in one.candidate.thing.key)
    return rules.accuracy.get(_kind_of(mention, best._replace(share=share)), 0.0)


def _kind_of(mention: ReferenceMention, best: ScoredCandidate) -> str:
    thing, candidate = best.candidate.thing, best.candidate
    place = "here" if not candidate.distance else "before"
    if mention.kind is ReferenceKind.IMPLICIT:
        return f"left_out_{_certainty(mention, best)}" if candidate.distance == 1 else ""
    if mention.type in (AntecedentType.PERSON, AntecedentType.KIND):
        return f"{mention.type}_{place}"
    if mention.noun:
        return (
            f"noun_{place}"
            if is_called(mention, thing) and thing.type is not AntecedentType.EVENT
            else f"noun_other_{place}"
        )
    if thing.type is AntecedentType.EVENT:
        return f"act_{_form_of(mention)}_{_distance(mention, candidate)}"
    if mention.number != "singular":
        return f"{'they' if mention.form == 'they' else 'several'}_{_distance(mention, candidate)}"
    return f"{_form_of(mention)}_{_distance(mention, candidate)}_{_certainty(mention, best)}"


def _form_of(mention: ReferenceMention) -> str:
    return mention.form if mention.form in ("this", "that") else "it"


def is_called(mention: ReferenceMention, thing: NamedThing) -> bool:
    """ "that table" after "a table called jobs"."""
    return thing.head == mention.noun or mention.noun in thing.modifiers


def _distance(mention: ReferenceMention, candidate: AntecedentCandidate) -> str:
    if candidate.distance:
        return "before"
    sentences = mention.sentence - candidate.thing.sentence
    return "here" if sentences == 0 else "next" if sentences == 1 else "later"


def _certainty(mention: ReferenceMention, best: ScoredCandidate) -> str:
    """Whether ranking is sure and the thing is one that stands there as a thing: with an article, a number or a word beside it."""
    thing = best.candidate.thing
    if best.share < _SURE_SHARE:
        return "likely" if best.share >= _PREFERRED_SHARE else "unsure"
    is_bare = not thing.determiner and not thing.modifiers and " " not in thing.text
    is_loose = is_bare if thing.kind is None else thing.kind in _POINTERS and not thing.determiner
    is_several = thing.is_plural and mention.number == "singular"
    is_near = best.candidate.distance or mention.sentence > thing.sentence or 0 < mention.clause - thing.clause < 2
    return "sure" if is_near and not is_loose and not is_several and thing.role is not Role.OBLIQUE else "doubtful"
