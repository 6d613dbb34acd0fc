"""Weighs what a mention may stand for: recency, number, type, agreement with the verb, salience.

Points are added per feature with the weights of `references.yaml`; the same thing said several times is one
candidate. Knows no text but the options'. Source: S1 (resolution rules), Lappin and Leass 1994 for salience.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from app.deciders.conversation.references.one_sided import NearbyMentions, signs_of, survey
from app.deciders.conversation.references.rules import ReferenceRules
from app.deciders.conversation.references.values import NamedThing, Option, Spot, Type
from app.language.phrases import OWNER, Role
from app.values import EntityKind, Speaker

_CREATOR_WORDS = frozenset({"by", "featuring", "feat", OWNER})
_STRONG_KINDS = frozenset({EntityKind.QUOTED, EntityKind.SYMBOL, EntityKind.COMPONENT, EntityKind.FEATURE})
_CODE_KINDS = frozenset(
    {EntityKind.SYMBOL, EntityKind.FILE, EntityKind.PATH, EntityKind.COMMAND, EntityKind.TECHNOLOGY, EntityKind.VALUE}
)
_MAX_AGE = 8.0
_FADE_AGE = 4.0
_MAX_SENTENCES = 6
_MAX_CLAUSES = 4
_DEFINITE = frozenset({"the", "my", "our", "your", "this", "that", "these", "those"})
_MAX_NAME_WORDS = 4  # a longer quotation is a sentence, not a name


class Scored(NamedTuple):
    option: Option
    points: float
    share: float  # of the softmax over all candidates
    reason: str


def rank_options(spot: Spot, options: Sequence[Option], focus: Sequence[str], rules: ReferenceRules) -> list[Scored]:
    """Candidates, best first; one per thing. `focus` holds keys that earlier references resolved to, newest first."""
    best: dict[str, tuple[float, Option]] = {}
    around = look_around(spot, options, focus)
    for option in options:
        points = option_points(spot, option, rules)
        if points is None:
            continue
        key = option.said.key
        points += around_points(spot, option, around, rules.weights)
        if around.scene is not None:
            signs = signs_of(spot, option, around.scene)
            points += sum(rules.alone.get(name, 0.0) * value for name, value in signs.items())
        if key not in best or points > best[key][0]:
            best[key] = (points, option)
    ranked = sorted(best.values(), key=lambda pair: (-pair[0], pair[1].distance, -pair[1].said.start))
    if not ranked:
        return []
    top, sharp = ranked[0][0], rules.weights["sharpness"]
    total = sum(math.exp(sharp * (points - top)) for points, _ in ranked)
    return [
        Scored(option, points, math.exp(sharp * (points - top)) / total, _reason(spot, option))
        for points, option in ranked[:8]
    ]


class Around(NamedTuple):
    """What an option's points owe to the others."""

    spoken: dict[str, float]
    creators: set[str]
    focus: frozenset[str]
    nearest_end: int  # where the last thing named before the mention ends; -1 when none is in this message
    scene: NearbyMentions | None  # None where what the assistant said is known

    @property
    def is_alone(self) -> bool:
        return self.scene is not None


def look_around(spot: Spot, options: Sequence[Option], focus: Sequence[str]) -> Around:
    """What the candidates of a mention have in common."""
    spoken: dict[str, float] = {}  # how much each thing is spoken of, fading with age
    for option in options:
        spoken[option.said.key] = spoken.get(option.said.key, 0.0) + max(0.0, 1.0 - option.age / _FADE_AGE)
    return Around(
        spoken,
        {option.said.key for option in options if option.said.preposition in _CREATOR_WORDS},
        frozenset(focus),
        max((o.said.end for o in options if o.distance == 0 and o.said.end <= spot.start), default=-1),
        None if any(option.speaker is Speaker.ASSISTANT for option in options) else survey(spot, options),
    )


def around_points(spot: Spot, option: Option, around: Around, weights: Mapping[str, float]) -> float:
    """Points that an option owes to the others: named often, named last, who made it."""
    key = option.said.key
    points = weights[_creator(spot)] if key in around.creators else 0.0
    others = min(3.0, around.spoken[key] - max(0.0, 1.0 - option.age / _FADE_AGE))
    is_focus = key in around.focus
    points += weights["repeated"] * others + (weights["focus"] if is_focus else 0.0)
    if around.is_alone:
        points += weights["repeated_alone"] * others + (weights["focus_alone"] if is_focus else 0.0)
        points += _alone_points(spot, option, around, weights) if option.distance == 0 else 0.0
    return points


def _alone_points(spot: Spot, option: Option, around: Around, weights: Mapping[str, float]) -> float:
    """Of this very message, where the assistant's side is not known: what is meant mostly stands in it."""
    points = weights["nearest_alone"] if option.said.end == around.nearest_end else 0.0
    if _is_beside(spot, option.said):  # a clause cut wrongly may hide that; not in "check the logs for it"
        return points + (weights["beside_alone"] if spot.role is not Role.OBLIQUE else 0.0)
    points += weights["next_verb_alone"] if _is_next_verb(spot, option.said) else 0.0
    is_pointed = spot.form in ("this", "that") and not spot.noun and option.said.type is not Type.EVENT
    if is_pointed and option.said.role is Role.SUBJECT:
        points += weights["pointed_at_subject"]  # "it" goes on with the subject, "that" takes up something else
    return (
        points + weights["here_alone"] + (weights["sentence_alone"] if option.said.sentence == spot.sentence else 0.0)
    )


def option_points(spot: Spot, option: Option, rules: ReferenceRules) -> float | None:
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
        + _verb_points(spot, said, rules, is_here=option.distance == 0)
    )


def _type_points(spot: Spot, said: NamedThing, rules: ReferenceRules) -> float | None:
    weights = rules.weights
    if spot.type is Type.PERSON:
        return _person_points(spot, said, rules)
    if said.type is Type.EVENT:
        return None if spot.type is Type.KIND else _event_points(spot, said, rules)
    if said.type is Type.PERSON and spot.type is not Type.ANY:
        return weights["person_for_thing"]
    return 0.0


def _person_points(spot: Spot, said: NamedThing, rules: ReferenceRules) -> float | None:
    weights = rules.weights
    is_other_gender = bool(said.gender) and bool(spot.gender) and said.gender != spot.gender
    if said.type not in (Type.PERSON, Type.ANY) or is_other_gender or said.is_title or " and " in said.text:
        return None
    points = weights["person_match"] if said.type is Type.PERSON else 0.0
    if said.role is Role.OBJECT and "media" in rules.agreement.get(said.verb, ()):
        points += weights["media_for_person"]
    return points + (weights["gender_match"] if said.gender else 0.0)


def _event_points(spot: Spot, said: NamedThing, rules: ReferenceRules) -> float:
    weights = rules.weights
    here = weights["event_same_sentence"] if said.sentence == spot.sentence else 0.0
    here += weights["event_state"] if said.role is Role.SUBJECT else 0.0
    return here + _event_form_points(spot, said, rules)


def _event_form_points(spot: Spot, said: NamedThing, rules: ReferenceRules) -> float:
    weights = rules.weights
    if spot.type is Type.EVENT or spot.verb == "do":
        return weights["event"]
    is_pointed = spot.form in ("this", "that")
    if is_pointed and spot.role is not Role.SUBJECT:
        return weights["event_for_object"]
    is_effect = spot.verb in rules.words.get("effect_verbs", frozenset())
    if is_pointed and spot.role is Role.SUBJECT and (is_effect or said.sentence == spot.sentence - 1):
        return weights["event_for_subject"]
    return weights["event_for_demonstrative" if is_pointed else "event_for_it"]


def _number_points(spot: Spot, said: NamedThing, rules: ReferenceRules) -> float:
    weights = rules.weights
    if spot.number == "any" or said.type is Type.EVENT or spot.type is Type.KIND:
        return weights["group_for_one"] if said.joined_by == "all" else 0.0
    if spot.number == "plural":
        if said.is_plural:
            return weights["plural_match"]
        if said.type is Type.PERSON:
            return weights["person_for_plural"]  # "if the user has no avatar show them …"
        return weights["singular_name_for_plural" if said.is_name else "singular_for_plural"]
    if said.joined_by == "all":
        return weights["group_for_one"]
    if said.is_plural:
        return weights["plural_for_singular"]
    return 0.0


def _place_points(spot: Spot, option: Option, rules: ReferenceRules) -> float:
    weights, said = rules.weights, option.said
    points = -weights["age"] * min(option.age, _MAX_AGE)
    if option.distance == 0:
        apart = spot.sentence - said.sentence
        points += weights["here"] - weights["sentence"] * min(_MAX_SENTENCES, apart)
        if apart == 0:
            points += weights["same_sentence"] - weights["clause_gap"] * min(_MAX_CLAUSES, spot.clause - said.clause)
        if _is_beside(spot, said):
            points -= weights["same_clause_oblique" if spot.role is Role.OBLIQUE else "same_clause"]
        elif _is_next_verb(spot, said):
            points += weights["next_verb"]
    return points


def _is_next_verb(spot: Spot, said: NamedThing) -> bool:
    """ "add a param and use it": object of the verb before, object of this one."""
    is_object = said.role is Role.OBJECT and spot.role is Role.OBJECT
    return is_object and said.sentence == spot.sentence and said.clause == spot.clause - 1


def _is_beside(spot: Spot, said: NamedThing) -> bool:
    """Do both belong to one verb? Then they are two things, but for what only opens the clause ("instead of X call it")."""
    if said.clause != spot.clause or spot.is_possessive or said.type is Type.EVENT:
        return False
    return not (said.is_opening and said.role is Role.OBLIQUE)


def with_salience(said: NamedThing, rules: ReferenceRules) -> NamedThing:
    """The thing with the points that its own form gives it; computed once per message."""
    weights = rules.weights
    is_predicate = said.role is Role.OBJECT and said.verb == "be"
    points = weights["predicate" if is_predicate else said.role.value]
    if said.kind is not None:
        is_strong = said.kind in _STRONG_KINDS and said.text.count(" ") < _MAX_NAME_WORDS
        points += weights["entity"] + (weights["strong_entity"] if is_strong else 0.0)
    if said.role is Role.SUBJECT and said.is_name:
        points += weights["subject_name"]
    if said.is_name:
        points += weights["name_of_code" if said.kind in _CODE_KINDS else "name"]
    points += weights["definite"] if said.determiner in _DEFINITE else 0.0
    points += weights["introduced"] if said.determiner in ("a", "an") else 0.0
    if said.head in rules.words.get("weak_heads", frozenset()) and " of " not in said.text:
        points += weights["weak_head"]
    return replace(said, salience=points, acts_on=class_of(said, rules) or "")


def _embedding_points(spot: Spot, said: NamedThing, rules: ReferenceRules) -> float:
    is_level = spot.is_embedded and spot.clause == said.clause + 1
    return rules.weights["embedded"] if said.is_embedded and not is_level else 0.0


def _creator(spot: Spot) -> str:
    if spot.type is Type.PERSON:
        return "creator_for_person"
    return "creator_for_plural" if spot.number == "plural" else "creator"


def _verb_points(spot: Spot, said: NamedThing, rules: ReferenceRules, *, is_here: bool) -> float:
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
    if said.role is Role.SUBJECT and said.is_opening and is_here:
        points += weights["topic_for_object" if spot.role is Role.OBJECT else "topic_for_subject"]
    wanted = rules.agreement.get(spot.verb) if spot.role is not Role.OBLIQUE else None
    if wanted is not None and said.acts_on and said.type is not Type.EVENT:
        points += weights["agrees"] if said.acts_on in wanted else weights["disagrees"]
    return points


def class_of(said: NamedThing, rules: ReferenceRules) -> str | None:
    """code, component, media…: what can be done with it; None when unknown."""
    return rules.classes.get(said.head) or (rules.kind_classes.get(said.kind) if said.kind is not None else None)


def _reason(spot: Spot, option: Option) -> str:
    said = option.said
    places = {0: "in this message", 1: "in the message before"}
    where = places.get(option.distance, f"{option.distance} messages back")
    what = f'object of "{said.verb}"' if said.role is Role.OBJECT and said.verb else "said"
    return f"{what} {where}" + (", plural" if spot.number == "plural" and said.is_plural else "")
