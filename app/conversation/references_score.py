"""Weighs what a mention may stand for: recency, number, type, agreement with the verb, salience.

Points are added per feature with the weights of `references.yaml`; the same thing said several times is one
candidate. Knows no text but the options'. Source: S1 (resolution rules), Lappin and Leass 1994 for salience.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from app.conversation.phrases import Role
from app.conversation.references_rules import ReferenceRules
from app.conversation.references_values import Option, Spot, Type
from app.values import EntityKind, Speaker


@dataclass(frozen=True, slots=True)
class Scored:
    option: Option
    points: float
    share: float  # of the softmax over all candidates
    reason: str


def rank_options(spot: Spot, options: Sequence[Option], focus: Sequence[str], rules: ReferenceRules) -> list[Scored]:
    """Candidates, best first; one per thing. `focus` holds keys that earlier references resolved to, newest first."""
    groups: dict[str, list[tuple[float, Option]]] = {}
    counts: dict[str, int] = {}
    for option in options:
        counts[option.key] = counts.get(option.key, 0) + 1
    for option in options:
        points = _points(spot, option, rules)
        if points is None:
            continue
        if option.key in focus:
            points += rules.weights["focus"]
        points += rules.weights["repeated"] * min(3, counts[option.key] - 1)
        groups.setdefault(option.key, []).append((points, option))
    best = [max(group, key=lambda pair: (pair[0], -pair[1].distance, pair[1].start)) for group in groups.values()]
    best.sort(key=lambda pair: (-pair[0], pair[1].distance, -pair[1].start))
    if not best:
        return []
    top = best[0][0]
    sharp = rules.weights["sharpness"]
    total = sum(math.exp(sharp * (points - top)) for points, _ in best)
    return [
        Scored(option, points, math.exp(sharp * (points - top)) / total, _reason(spot, option))
        for points, option in best
    ]


def _points(spot: Spot, option: Option, rules: ReferenceRules) -> float | None:
    """Points of one option; None when it cannot be meant."""
    if option.distance == 0 and (option.start >= spot.start):
        return None
    type_points = _type_points(spot, option, rules)
    if type_points is None:
        return None
    return (
        type_points
        + _number_points(spot, option, rules)
        + _place_points(spot, option, rules)
        + _salience_points(option, rules)
        + _verb_points(spot, option, rules)
    )


def _type_points(spot: Spot, option: Option, rules: ReferenceRules) -> float | None:
    weights = rules.weights
    if spot.type is Type.PERSON:
        if option.type is Type.PERSON:
            return weights["person_match"]
        return 0.0 if option.type is Type.ANY else None
    if option.type is Type.EVENT:
        return (
            weights["event"]
            if spot.type is Type.EVENT
            else weights["event_for_" + ("demonstrative" if spot.form in ("this", "that") else "it")]
        )
    if spot.type is Type.PLACE:
        return (
            weights["place_match"]
            if option.preposition in ("in", "at", "to", "into", "on", "near", "from")
            else weights["place_other"]
        )
    if option.type is Type.PERSON and spot.type in (Type.THING, Type.KIND):
        return weights["person_for_thing"]
    if spot.type is Type.KIND and option.is_name:
        return weights["name_for_kind"]
    return 0.0


def _number_points(spot: Spot, option: Option, rules: ReferenceRules) -> float:
    weights = rules.weights
    if spot.number == "any" or option.type is Type.EVENT:
        return 0.0
    if spot.type is Type.KIND:
        return 0.0
    if spot.number == "plural":
        if option.is_plural or option.text.endswith("s"):
            return weights["plural_match"]
        return weights["singular_name_for_plural"] if option.is_name else weights["singular_for_plural"]
    return weights["plural_for_singular"] if option.is_plural else 0.0


def _place_points(spot: Spot, option: Option, rules: ReferenceRules) -> float:
    weights = rules.weights
    points = -weights["distance"] * min(option.distance, 8)
    if option.distance == 0:
        points -= weights["sentence"] * (spot.sentence - option.sentence)
        if option.clause == spot.clause and not spot.is_possessive and option.type is not Type.EVENT:
            points -= weights["same_clause"]
    elif option.distance == 1 and option.speaker is Speaker.ASSISTANT:
        points += weights["assistant_before"]
    return points


def _salience_points(option: Option, rules: ReferenceRules) -> float:
    weights = rules.weights
    points = weights[option.role.value]
    if option.kind is not None:
        points += weights["entity"]
        if option.kind in (EntityKind.QUOTED, EntityKind.SYMBOL, EntityKind.COMPONENT, EntityKind.FEATURE):
            points += weights["strong_entity"]
    if option.is_name:
        points += weights["name"]
    if option.determiner in ("a", "an"):
        points += weights["introduced"]
    elif option.determiner in ("any", "no", "each", "every", "what", "which", "another", "some"):
        points += weights["quantified"]
    if option.head in rules.words.get("weak_heads", frozenset()):
        points += weights["weak_head"]
    return points


def _verb_points(spot: Spot, option: Option, rules: ReferenceRules) -> float:
    weights = rules.weights
    points = 0.0
    if spot.verb and spot.verb == option.verb and spot.verb != "be":
        points += weights["same_verb"] if spot.role is option.role else weights["same_verb"] / 2
    elif spot.role is option.role is not Role.FRAGMENT:
        points += weights["parallel_role"]
    wanted = rules.agreement.get(spot.verb) if spot.role is not Role.OBLIQUE else None
    found = rules.classes.get(option.head)
    if wanted is not None and found is not None and option.type is not Type.EVENT:
        points += weights["agrees"] if found in wanted else weights["disagrees"]
    return points


def _reason(spot: Spot, option: Option) -> str:
    where = (
        "in this message"
        if option.distance == 0
        else "in the message before"
        if option.distance == 1
        else f"{option.distance} messages back"
    )
    what = "said" if option.role is not Role.OBJECT or not option.verb else f'object of "{option.verb}"'
    number = "plural" if spot.number == "plural" and option.is_plural else ""
    return f"{what} {where}" + (f", {number}" if number else "")
