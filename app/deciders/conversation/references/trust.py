"""How sure the best candidate is: by what kind of mention takes up what kind of thing, and how far away.

Owns the kinds; their shares of right answers are measured and stand in `references.yaml` as `right`: they are the confidence. A kind
that is not listed there was wrong too often: it is left alone. Reads the outcome of ranking and tokens, never weighs words.
"""

from collections.abc import Sequence

from app.deciders.conversation.references.rules import ReferenceRules
from app.deciders.conversation.references.score import Scored
from app.deciders.conversation.references.values import Option, Said, Spot, Type
from app.language.phrases import Role
from app.values import EntityKind, ReferenceKind

_POINTERS = frozenset({EntityKind.SYMBOL, EntityKind.FILE, EntityKind.PATH, EntityKind.COMMAND, EntityKind.VALUE})
_SURE_SHARE = 0.7
_PREFERRED_SHARE = 0.5


def confidence_of(spot: Spot, ranked: Sequence[Scored], rules: ReferenceRules) -> float:
    """The share (0..1) of right answers among those of this kind; 0 when such an answer is better not given.

    "the export" and "build the export" are one thing brought up twice: each speaks for the other.
    """
    best = ranked[0]
    share = sum(one.share for one in ranked if best.option.said.key in one.option.said.key)
    return rules.right.get(_kind_of(spot, best._replace(share=share)), 0.0)


def _kind_of(spot: Spot, best: Scored) -> str:
    said, option = best.option.said, best.option
    place = "here" if not option.distance else "before"
    if spot.kind is ReferenceKind.IMPLICIT:
        return f"left_out_{_certainty(spot, best)}" if option.distance == 1 else ""
    if spot.type in (Type.PERSON, Type.KIND):
        return f"{spot.type}_{place}"
    if spot.noun:
        return f"noun_{place}" if is_called(spot, said) and said.type is not Type.EVENT else f"noun_other_{place}"
    if said.type is Type.EVENT:
        return f"act_{_form_of(spot)}_{_distance(spot, option)}"
    if spot.number != "singular":
        return f"{'they' if spot.form == 'they' else 'several'}_{_distance(spot, option)}"
    return f"{_form_of(spot)}_{_distance(spot, option)}_{_certainty(spot, best)}"


def _form_of(spot: Spot) -> str:
    return spot.form if spot.form in ("this", "that") else "it"


def is_called(spot: Spot, said: Said) -> bool:
    """ "that table" after "a table called jobs"."""
    return said.head == spot.noun or spot.noun in said.modifiers


def _distance(spot: Spot, option: Option) -> str:
    if option.distance:
        return "before"
    sentences = spot.sentence - option.said.sentence
    return "here" if sentences == 0 else "next" if sentences == 1 else "later"


def _certainty(spot: Spot, best: Scored) -> str:
    """Whether ranking is sure and the thing is one that stands there as a thing: with an article, a number or a word beside it."""
    said = best.option.said
    if best.share < _SURE_SHARE:
        return "likely" if best.share >= _PREFERRED_SHARE else "unsure"
    is_bare = not said.determiner and not said.modifiers and " " not in said.text
    is_loose = is_bare if said.kind is None else said.kind in _POINTERS and not said.determiner
    is_several = said.is_plural and spot.number == "singular"
    is_near = best.option.distance or spot.sentence > said.sentence or 0 < spot.clause - said.clause < 2
    return "sure" if is_near and not is_loose and not is_several and said.role is not Role.OBLIQUE else "doubtful"
