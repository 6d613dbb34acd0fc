"""How sure the best candidate is: a fitted sum of signs, as a probability that it is what was meant.

Reads the outcome of ranking, never the text. The coefficients are learned by `reference_training` and shipped in
`resources/references/weights.json`; below the threshold of `references.yaml` a reference is asked, not answered.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from app.conversation.phrases import Role
from app.conversation.references_rules import ReferenceRules
from app.conversation.references_score import Scored
from app.conversation.references_values import Spot, Type
from app.values import ReferenceKind

_MAX_POINTS = 6.0
_MAX_GAP = 3
_OPENING_TOKENS = 3


class Ground(NamedTuple):
    """What surrounds a mention."""

    is_alone: bool  # nothing of what the assistant said is known
    is_asked: bool  # the message before wanted an answer or a draft: what is meant may stand in there
    focus: frozenset[str]  # what earlier references stood for
    crowd: int  # how many things the message names


def trust_features(spot: Spot, ranked: Sequence[Scored], ground: Ground, rules: ReferenceRules) -> dict[str, float]:
    """Signs for and against the first of `ranked`; absent signs are 0."""
    best = ranked[0]
    said, distance = best.option.said, best.option.distance
    second = ranked[1].share if len(ranked) > 1 else 0.0
    signs = {
        "share": best.share,
        "margin": best.share - second,
        "points": max(-_MAX_POINTS, min(_MAX_POINTS, best.points)) / _MAX_POINTS,
        "rivals": math.log(1 + len(ranked)),
        "crowd": math.log(1 + ground.crowd),
        "here": distance == 0,
        "gap": min(_MAX_GAP, spot.sentence - said.sentence) if distance == 0 else 0,
        "older": distance > 1 and ground.is_alone,
        "alone": ground.is_alone,
        "alone_before": ground.is_alone and distance > 0,
        "asked": ground.is_asked and distance > 0,
        "handed": ground.is_alone and distance > 0 and spot.verb in rules.words.get("handed_verbs", frozenset()),
        "focus": distance > 0 and said.key in ground.focus,
        "fits": bool(said.acts_on) and said.acts_on in rules.agreement.get(spot.verb, ()),
        "named": said.kind is not None,
        "event": said.type is Type.EVENT,
        "label": said.is_label,
        "opens": spot.token < _OPENING_TOKENS and distance > 0,
        "subject": spot.role is Role.SUBJECT,
        "agrees": spot.number == "plural" and said.is_plural,
        "differs": spot.number == "plural" and not said.is_plural and not said.text.endswith("s"),
        _form_of(spot): 1.0,
    }
    return {name: float(value) for name, value in signs.items() if value}


def _form_of(spot: Spot) -> str:
    if spot.kind is ReferenceKind.IMPLICIT:
        return "form_left_out"
    if spot.noun:
        return "form_noun"
    if spot.type in (Type.PERSON, Type.KIND, Type.PLACE):
        return f"form_{spot.type}"
    return f"form_{spot.form}" if spot.form in ("it", "this", "that") else f"form_{spot.number}"


def trust(features: Mapping[str, float], coefficients: Mapping[str, float]) -> float:
    """The probability (0..1) that the answer is right.

    >>> round(trust({"share": 0.9}, {"bias": -1.0, "share": 2.0}), 2)
    0.69
    """
    total = coefficients.get("bias", 0.0)
    total += sum(coefficients.get(name, 0.0) * value for name, value in features.items())
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))
