"""Weighs what a mention may stand for: recency, number, type, agreement with the verb, salience.

Points are added per feature with the weights of `references.yaml`; the same thing said several times is one
candidate. Knows no text but the options'. Source: S1 (resolution rules), Lappin and Leass 1994 for salience.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from app.deciders.conversation.references.one_sided import NearbyMentions, count_nearby, signs_of
from app.deciders.conversation.references.rules import ReferenceRules
from app.deciders.conversation.references.values import (
    AntecedentCandidate,
    AntecedentType,
    NamedThing,
    ReferenceMention,
)
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


class ScoredCandidate(NamedTuple):
    candidate: AntecedentCandidate
    points: float
    share: float  # of the softmax over all candidates
    reason: str


def rank_antecedents(
    mention: ReferenceMention, candidates: Sequence[AntecedentCandidate], focus: Sequence[str], rules: ReferenceRules
) -> list[ScoredCandidate]:
    """Candidates, best first; one per thing. `focus` holds keys that earlier references resolved to, newest first."""
    best: dict[str, tuple[float, AntecedentCandidate]] = {}
    context = read_context(mention, candidates, focus)
    for candidate in candidates:
        points = candidate_points(mention, candidate, rules)
        if points is None:
            continue
        key = candidate.thing.key
        points += context_points(mention, candidate, context, rules.weights)
        if context.nearby is not None:
            signs = signs_of(mention, candidate, context.nearby)
            points += sum(rules.one_sided_weights.get(name, 0.0) * value for name, value in signs.items())
        if key not in best or points > best[key][0]:
            best[key] = (points, candidate)
    ranked = sorted(best.values(), key=lambda pair: (-pair[0], pair[1].distance, -pair[1].thing.start))
    if not ranked:
        return []
    top, sharp = ranked[0][0], rules.weights["sharpness"]
    total = sum(math.exp(sharp * (points - top)) for points, _ in ranked)
    return [
        ScoredCandidate(candidate, points, math.exp(sharp * (points - top)) / total, _reason(mention, candidate))
        for points, candidate in ranked[:8]
    ]


class ReferenceContext(NamedTuple):
    """What an option's points owe to the others."""

    frequency: dict[str, float]
    creators: set[str]
    focus: frozenset[str]
    nearest_end: int  # where the last thing named before the mention ends; -1 when none is in this message
    nearby: NearbyMentions | None  # None where what the assistant said is known

    @property
    def is_alone(self) -> bool:
        return self.nearby is not None


def read_context(
    mention: ReferenceMention, candidates: Sequence[AntecedentCandidate], focus: Sequence[str]
) -> ReferenceContext:
    """What the candidates of a mention have in common."""
    frequency: dict[str, float] = {}  # how much each thing is spoken of, fading with age
    for candidate in candidates:
        frequency[candidate.thing.key] = frequency.get(candidate.thing.key, 0.0) + max(
            0.0, 1.0 - candidate.age / _FADE_AGE
        )
    return ReferenceContext(
        frequency,
        {candidate.thing.key for candidate in candidates if candidate.thing.preposition in _CREATOR_WORDS},
        frozenset(focus),
        max((o.thing.end for o in candidates if o.distance == 0 and o.thing.end <= mention.start), default=-1),
        None
        if any(candidate.speaker is Speaker.ASSISTANT for candidate in candidates)
        else count_nearby(mention, candidates),
    )


def context_points(
    mention: ReferenceMention, candidate: AntecedentCandidate, context: ReferenceContext, weights: Mapping[str, float]
) -> float:
    """Points that an option owes to the others: named often, named last, who made it."""
    key = candidate.thing.key
    points = weights[_creator(mention)] if key in context.creators else 0.0
    others = min(3.0, context.frequency[key] - max(0.0, 1.0 - candidate.age / _FADE_AGE))
    is_focus = key in context.focus
    points += weights["repeated"] * others + (weights["focus"] if is_focus else 0.0)
    if context.is_alone:
        points += weights["repeated_alone"] * others + (weights["focus_alone"] if is_focus else 0.0)
        points += _alone_points(mention, candidate, context, weights) if candidate.distance == 0 else 0.0
    return points


def _alone_points(
    mention: ReferenceMention, candidate: AntecedentCandidate, context: ReferenceContext, weights: Mapping[str, float]
) -> float:
    """Of this very message, where the assistant's side is not known: what is meant mostly stands in it."""
    points = weights["nearest_alone"] if candidate.thing.end == context.nearest_end else 0.0
    if _is_beside(mention, candidate.thing):  # a clause cut wrongly may hide that; not in "check the logs for it"
        return points + (weights["beside_alone"] if mention.role is not Role.OBLIQUE else 0.0)
    points += weights["next_verb_alone"] if _is_next_verb(mention, candidate.thing) else 0.0
    is_pointed = (
        mention.form in ("this", "that") and not mention.noun and candidate.thing.type is not AntecedentType.EVENT
    )
    if is_pointed and candidate.thing.role is Role.SUBJECT:
        points += weights["pointed_at_subject"]  # "it" goes on with the subject, "that" takes up something else
    return (
        points
        + weights["here_alone"]
        + (weights["sentence_alone"] if candidate.thing.sentence == mention.sentence else 0.0)
    )


def candidate_points(mention: ReferenceMention, candidate: AntecedentCandidate, rules: ReferenceRules) -> float | None:
    """Points of one option; None when it cannot be meant."""
    thing = candidate.thing
    if candidate.distance == 0 and thing.end > mention.start:
        return None
    type_points = _type_points(mention, thing, rules)
    if type_points is None:
        return None
    return (
        type_points
        + _number_points(mention, thing, rules)
        + _place_points(mention, candidate, rules)
        + thing.salience
        + _embedding_points(mention, thing, rules)
        + _verb_points(mention, thing, rules)
    )


def _type_points(mention: ReferenceMention, thing: NamedThing, rules: ReferenceRules) -> float | None:
    weights = rules.weights
    if mention.type is AntecedentType.PERSON:
        return _person_points(mention, thing, rules)
    if thing.type is AntecedentType.EVENT:
        return None if mention.type is AntecedentType.KIND else _event_points(mention, thing, rules)
    if thing.type is AntecedentType.PERSON and mention.type is not AntecedentType.ANY:
        return weights["person_for_thing"]
    return 0.0


def _person_points(mention: ReferenceMention, thing: NamedThing, rules: ReferenceRules) -> float | None:
    weights = rules.weights
    is_other_gender = bool(thing.gender) and bool(mention.gender) and thing.gender != mention.gender
    if (
        thing.type not in (AntecedentType.PERSON, AntecedentType.ANY)
        or is_other_gender
        or thing.is_title
        or " and " in thing.text
    ):
        return None
    points = weights["person_match"] if thing.type is AntecedentType.PERSON else 0.0
    if thing.role is Role.OBJECT and "media" in rules.agreement.get(thing.verb, ()):
        points += weights["media_for_person"]
    return points + (weights["gender_match"] if thing.gender else 0.0)


def _event_points(mention: ReferenceMention, thing: NamedThing, rules: ReferenceRules) -> float:
    weights = rules.weights
    here = weights["event_same_sentence"] if thing.sentence == mention.sentence else 0.0
    here += weights["event_state"] if thing.role is Role.SUBJECT else 0.0
    return here + _event_form_points(mention, thing, rules)


def _event_form_points(mention: ReferenceMention, thing: NamedThing, rules: ReferenceRules) -> float:
    weights = rules.weights
    if mention.type is AntecedentType.EVENT or mention.verb == "do":
        return weights["event"]
    is_pointed = mention.form in ("this", "that")
    if is_pointed and mention.role is not Role.SUBJECT:
        return weights["event_for_object"]
    is_effect = mention.verb in rules.words.get("effect_verbs", frozenset())
    if is_pointed and mention.role is Role.SUBJECT and (is_effect or thing.sentence == mention.sentence - 1):
        return weights["event_for_subject"]
    return weights["event_for_demonstrative" if is_pointed else "event_for_it"]


def _number_points(mention: ReferenceMention, thing: NamedThing, rules: ReferenceRules) -> float:
    weights = rules.weights
    if mention.number == "any" or thing.type is AntecedentType.EVENT or mention.type is AntecedentType.KIND:
        return weights["group_for_one"] if thing.joined_by == "all" else 0.0
    if mention.number == "plural":
        if thing.is_plural:
            return weights["plural_match"]
        if thing.type is AntecedentType.PERSON:
            return weights["person_for_plural"]  # "if the user has no avatar show them …"
        return weights["singular_name_for_plural" if thing.is_name else "singular_for_plural"]
    if thing.joined_by == "all":
        return weights["group_for_one"]
    if thing.is_plural:
        return weights["plural_for_singular"]
    return 0.0


def _place_points(mention: ReferenceMention, candidate: AntecedentCandidate, rules: ReferenceRules) -> float:
    weights, thing = rules.weights, candidate.thing
    points = -weights["age"] * min(candidate.age, _MAX_AGE)
    if candidate.distance == 0:
        apart = mention.sentence - thing.sentence
        points += weights["here"] - weights["sentence"] * min(_MAX_SENTENCES, apart)
        if apart == 0:
            points += weights["same_sentence"] - weights["clause_gap"] * min(
                _MAX_CLAUSES, mention.clause - thing.clause
            )
        if _is_beside(mention, thing):
            points -= weights["same_clause_oblique" if mention.role is Role.OBLIQUE else "same_clause"]
        elif _is_next_verb(mention, thing):
            points += weights["next_verb"]
    return points


def _is_next_verb(mention: ReferenceMention, thing: NamedThing) -> bool:
    """ "add a param and use it": object of the verb before, object of this one."""
    is_object = thing.role is Role.OBJECT and mention.role is Role.OBJECT
    return is_object and thing.sentence == mention.sentence and thing.clause == mention.clause - 1


def _is_beside(mention: ReferenceMention, thing: NamedThing) -> bool:
    """Do both belong to one verb? Then they are two things."""
    return thing.clause == mention.clause and not mention.is_possessive and thing.type is not AntecedentType.EVENT


def with_salience(thing: NamedThing, rules: ReferenceRules) -> NamedThing:
    """The thing with the points that its own form gives it; computed once per message."""
    weights = rules.weights
    is_predicate = thing.role is Role.OBJECT and thing.verb == "be"
    points = weights["predicate" if is_predicate else thing.role.value]
    if thing.kind is not None:
        is_strong = thing.kind in _STRONG_KINDS and thing.text.count(" ") < _MAX_NAME_WORDS
        points += weights["entity"] + (weights["strong_entity"] if is_strong else 0.0)
    if thing.role is Role.SUBJECT and thing.is_name:
        points += weights["subject_name"]
    if thing.is_name:
        points += weights["name_of_code" if thing.kind in _CODE_KINDS else "name"]
    points += weights["definite"] if thing.determiner in _DEFINITE else 0.0
    points += weights["introduced"] if thing.determiner in ("a", "an") else 0.0
    if thing.head in rules.words.get("weak_heads", frozenset()) and " of " not in thing.text:
        points += weights["weak_head"]
    return replace(thing, salience=points, acts_on=class_of(thing, rules) or "")


def _embedding_points(mention: ReferenceMention, thing: NamedThing, rules: ReferenceRules) -> float:
    is_level = mention.is_embedded and mention.clause == thing.clause + 1
    return rules.weights["embedded"] if thing.is_embedded and not is_level else 0.0


def _creator(mention: ReferenceMention) -> str:
    if mention.type is AntecedentType.PERSON:
        return "creator_for_person"
    return "creator_for_plural" if mention.number == "plural" else "creator"


def _verb_points(mention: ReferenceMention, thing: NamedThing, rules: ReferenceRules) -> float:
    weights = rules.weights
    points = 0.0
    if mention.verb and mention.verb == thing.verb and mention.verb != "be":
        points += weights["same_verb"] if mention.role is thing.role else weights["same_verb"] / 2
    elif mention.role is thing.role is Role.SUBJECT and (
        mention.type in (AntecedentType.PERSON, AntecedentType.ANY) or thing.kind in _STRONG_KINDS
    ):
        points += weights["parallel_subject"]
    elif mention.role is thing.role is not Role.FRAGMENT:
        points += weights["parallel_role"]
    wanted = rules.agreement.get(mention.verb) if mention.role is not Role.OBLIQUE else None
    if wanted is not None and thing.acts_on and thing.type is not AntecedentType.EVENT:
        points += weights["agrees"] if thing.acts_on in wanted else weights["disagrees"]
    return points


def class_of(thing: NamedThing, rules: ReferenceRules) -> str | None:
    """code, component, media…: what can be done with it; None when unknown."""
    return rules.classes.get(thing.head) or (rules.kind_classes.get(thing.kind) if thing.kind is not None else None)


def _reason(mention: ReferenceMention, candidate: AntecedentCandidate) -> str:
    thing = candidate.thing
    places = {0: "in this message", 1: "in the message before"}
    where = places.get(candidate.distance, f"{candidate.distance} messages back")
    what = f'object of "{thing.verb}"' if thing.role is Role.OBJECT and thing.verb else "said"
    return f"{what} {where}" + (", plural" if mention.number == "plural" and thing.is_plural else "")
