"""Weighs what a mention may stand for: recency, number, type, agreement with the verb, salience.

Points are added per feature with the weights of `references.yaml`; the same thing said several times is one
candidate. Knows no text but the options'. Source: S1 (resolution rules), Lappin and Leass 1994 for salience.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from app.conversation.phrases import OWNER, Role
from app.conversation.references_rules import ReferenceRules
from app.conversation.references_values import Option, Said, Spot, Type
from app.values import EntityKind

_CREATOR_WORDS = frozenset({"by", "featuring", "feat", OWNER})
_PLACE_PREPOSITIONS = frozenset({"in", "at", "to", "into", "on", "near", "from", "inside", "under"})
_STRONG_KINDS = frozenset({EntityKind.QUOTED, EntityKind.SYMBOL, EntityKind.COMPONENT, EntityKind.FEATURE})
_CODE_KINDS = frozenset(
    {EntityKind.SYMBOL, EntityKind.FILE, EntityKind.PATH, EntityKind.COMMAND, EntityKind.TECHNOLOGY, EntityKind.VALUE}
)
_QUANTIFIERS = frozenset({"any", "no", "each", "every", "what", "which", "another", "some", "all"})
_MAX_AGE = 8.0
_FADE_AGE = 4.0


class Scored(NamedTuple):
    option: Option
    points: float
    share: float  # of the softmax over all candidates
    reason: str


def rank_options(spot: Spot, options: Sequence[Option], focus: Sequence[str], rules: ReferenceRules) -> list[Scored]:
    """Candidates, best first; one per thing. `focus` holds keys that earlier references resolved to, newest first."""
    spoken: dict[str, float] = {}  # how much each thing is spoken of, fading with age
    for option in options:
        spoken[option.said.key] = spoken.get(option.said.key, 0.0) + max(0.0, 1.0 - option.age / _FADE_AGE)
    creators = {option.said.key for option in options if option.said.preposition in _CREATOR_WORDS}
    best: dict[str, tuple[float, Option]] = {}
    weights = rules.weights
    for option in options:
        points = _points(spot, option, rules)
        if points is None:
            continue
        key = option.said.key
        if key in creators:
            points += weights[_creator(spot)]
        others = spoken[key] - max(0.0, 1.0 - option.age / _FADE_AGE)
        points += weights["repeated"] * min(3.0, others) + (weights["focus"] if key in focus else 0.0)
        if key not in best or points > best[key][0]:
            best[key] = (points, option)
    ranked = sorted(best.values(), key=lambda pair: (-pair[0], pair[1].distance, -pair[1].said.start))
    if not ranked:
        return []
    top, sharp = ranked[0][0], weights["sharpness"]
    total = sum(math.exp(sharp * (points - top)) for points, _ in ranked)
    return [
        Scored(option, points, math.exp(sharp * (points - top)) / total, _reason(spot, option))
        for points, option in ranked[:8]
    ]


def _points(spot: Spot, option: Option, rules: ReferenceRules) -> float | None:
    """Points of one option; None when it cannot be meant."""
    said = option.said
    if option.distance == 0 and said.end > spot.start:
        return None
    type_points = _type_points(spot, said, rules)
    if type_points is None:
        return None
    return (
        type_points
        + _number_points(spot, said, rules)
        + _place_points(spot, option, rules)
        + said.salience
        + _embedding_points(spot, said, rules)
        + _verb_points(spot, said, rules)
    )


def _type_points(spot: Spot, said: Said, rules: ReferenceRules) -> float | None:
    weights = rules.weights
    if spot.type is Type.PERSON:
        return _person_points(spot, said, rules)
    if said.type is Type.EVENT:
        return _event_points(spot, said, rules)
    if spot.type is Type.PLACE:
        return weights["place_match"] if said.preposition in _PLACE_PREPOSITIONS else weights["place_other"]
    if said.type is Type.PERSON and spot.type is not Type.ANY:
        return weights["person_for_thing"]
    if spot.type is Type.EVENT and said.role is Role.SUBJECT:
        return weights["subject_for_act"]
    return _kind_points(said, rules) if spot.type is Type.KIND else 0.0


def _kind_points(said: Said, rules: ReferenceRules) -> float:
    """ "one" is one of a kind: a common noun, above all one that is missing ("there is no button")."""
    if said.determiner in ("no", "any"):
        return rules.weights["missing_kind"]
    is_proper = said.is_name and not said.text.rsplit(" ", 1)[-1].islower()
    return rules.weights["name_for_kind"] if is_proper else 0.0


def _person_points(spot: Spot, said: Said, rules: ReferenceRules) -> float | None:
    weights = rules.weights
    is_other_gender = bool(said.gender) and bool(spot.gender) and said.gender != spot.gender
    if said.type not in (Type.PERSON, Type.ANY) or is_other_gender or said.is_title or " and " in said.text:
        return None
    points = weights["person_match"] if said.type is Type.PERSON else 0.0
    if said.role is Role.OBJECT and "media" in rules.agreement.get(said.verb, ()):
        points += weights["media_for_person"]
    return points + (weights["gender_match"] if said.gender else 0.0)


def _event_points(spot: Spot, said: Said, rules: ReferenceRules) -> float:
    weights = rules.weights
    if spot.type is Type.EVENT:
        return weights["event"]
    is_pointed = spot.form in ("this", "that")
    is_effect = spot.verb in rules.words.get("effect_verbs", frozenset())
    if is_pointed and spot.role is Role.SUBJECT and (is_effect or said.sentence == spot.sentence - 1):
        return weights["event_for_subject"]
    return weights["event_for_demonstrative" if is_pointed else "event_for_it"]


def _number_points(spot: Spot, said: Said, rules: ReferenceRules) -> float:
    weights = rules.weights
    if spot.number == "any" or said.type is Type.EVENT or spot.type is Type.KIND:
        return weights["group_for_one"] if said.joined_by == "all" else 0.0
    if spot.number == "plural":
        if said.is_plural or said.text.endswith("s"):
            return weights["plural_match"]
        return weights["singular_name_for_plural" if said.is_name else "singular_for_plural"]
    if said.joined_by == "all":
        return weights["group_for_one"]
    if said.is_plural:
        return weights["plural_for_singular"]
    is_plural_symbol = said.kind is EntityKind.SYMBOL and said.text.endswith("s") and not said.text.endswith("ss")
    return weights["plural_symbol"] if is_plural_symbol else 0.0


def _place_points(spot: Spot, option: Option, rules: ReferenceRules) -> float:
    weights, said = rules.weights, option.said
    points = -weights["age"] * min(option.age, _MAX_AGE)
    if option.distance == 0:
        points -= weights["sentence"] * (spot.sentence - said.sentence)
        if said.clause == spot.clause and not spot.is_possessive and said.type is not Type.EVENT:
            points -= weights["same_clause"]
        elif said.sentence == spot.sentence and said.clause == spot.clause - 1 and said.role is Role.OBJECT:
            points += weights["next_verb"] if spot.role is Role.OBJECT else 0.0
    return points


def with_salience(said: Said, rules: ReferenceRules) -> Said:
    """The thing with the points that its own form gives it; computed once per message."""
    weights = rules.weights
    is_predicate = said.role is Role.OBJECT and said.verb == "be"
    points = weights["predicate" if is_predicate else said.role.value]
    if said.kind is not None:
        points += weights["entity"] + (weights["strong_entity"] if said.kind in _STRONG_KINDS else 0.0)
    if said.role is Role.SUBJECT and said.is_name:
        points += weights["subject_name"]
    if said.is_name:
        points += weights["name_of_code" if said.kind in _CODE_KINDS else "name"]
    if said.is_rejected:
        points += weights["rejected"]
    if said.is_renamed:
        points += weights["renamed"]
    if said.determiner in ("a", "an"):
        points += weights["introduced"]
    elif said.determiner in _QUANTIFIERS:
        points += weights["quantified"]
    if said.head in rules.words.get("weak_heads", frozenset()):
        points += weights["weak_head"]
    return replace(said, salience=points, acts_on=class_of(said, rules) or "")


def _embedding_points(spot: Spot, said: Said, rules: ReferenceRules) -> float:
    is_level = spot.is_embedded and spot.clause == said.clause + 1
    return rules.weights["embedded"] if said.is_embedded and not is_level else 0.0


def _creator(spot: Spot) -> str:
    if spot.type is Type.PERSON:
        return "creator_for_person"
    return "creator_for_plural" if spot.number == "plural" else "creator"


def _verb_points(spot: Spot, said: Said, rules: ReferenceRules) -> float:
    weights = rules.weights
    points = 0.0
    if spot.verb and spot.verb == said.verb and spot.verb != "be":
        points += weights["same_verb"] if spot.role is said.role else weights["same_verb"] / 2
    elif spot.role is said.role is Role.SUBJECT and (
        spot.type in (Type.PERSON, Type.ANY) or said.kind in _STRONG_KINDS
    ):
        points += weights["parallel_subject"]
    elif spot.role is said.role is not Role.FRAGMENT:
        points += weights["parallel_role"]
    wanted = rules.agreement.get(spot.verb) if spot.role is not Role.OBLIQUE else None
    if wanted is not None and said.acts_on and said.type is not Type.EVENT:
        points += weights["agrees"] if said.acts_on in wanted else weights["disagrees"]
    return points


def class_of(said: Said, rules: ReferenceRules) -> str | None:
    """code, component, media…: what can be done with it; None when unknown."""
    return rules.classes.get(said.head) or (rules.kind_classes.get(said.kind) if said.kind is not None else None)


def _reason(spot: Spot, option: Option) -> str:
    said = option.said
    places = {0: "in this message", 1: "in the message before"}
    where = places.get(option.distance, f"{option.distance} messages back")
    what = f'object of "{said.verb}"' if said.role is Role.OBJECT and said.verb else "said"
    return f"{what} {where}" + (", plural" if spot.number == "plural" and said.is_plural else "")
