"""What tells for a candidate when only the person's side of the talk is known: signs, each with a learned weight.

A sign is a name and a strength. How much each counts is learned by `app.evaluation.training.references` from our own dialogues and
shipped as `alone` in `resources/references/weights.json`. Where answers are kept too, these signs are not asked.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from app.deciders.conversation.references.values import AntecedentCandidate, AntecedentType, ReferenceMention
from app.language.phrases import Role

_FAR_BACK = 3
_FAR_SENTENCES = 3
_FAR_CLAUSES = 2
_OPENING_TOKENS = 3
_USUAL_ACT_CHARS = 40


class NearbyMentions(NamedTuple):
    """What the messages offer as a whole, by how many messages back they are."""

    first: Mapping[int, int]  # where the first thing stands that a message names
    last: Mapping[int, int]
    named_count: Mapping[int, int]
    is_empty_before: bool  # nothing is named in this message before the mention


def count_nearby(mention: ReferenceMention, candidates: Sequence[AntecedentCandidate]) -> NearbyMentions:
    """The scene of a mention."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    named_count: dict[int, int] = {}
    for candidate in candidates:
        thing, back = candidate.thing, candidate.distance
        first[back] = min(first.get(back, thing.start), thing.start)
        last[back] = max(last.get(back, thing.start), thing.start)
        named_count[back] = named_count.get(back, 0) + 1
    is_empty = not any(
        o.distance == 0 and o.thing.end <= mention.start and o.thing.type is not AntecedentType.EVENT
        for o in candidates
    )
    return NearbyMentions(first, last, named_count, is_empty)


def signs_of(mention: ReferenceMention, candidate: AntecedentCandidate, nearby: NearbyMentions) -> dict[str, float]:
    """The signs of one candidate, by name; absent ones are 0."""
    if candidate.thing.type is AntecedentType.EVENT:
        return _act_signs(mention, candidate)
    return _before_signs(mention, candidate, nearby) if candidate.distance else _here_signs(mention, candidate)


def _act_signs(mention: ReferenceMention, candidate: AntecedentCandidate) -> dict[str, float]:
    """Of something done or told: "run the formatter", "the import is slow"."""
    thing = candidate.thing
    place = "before" if candidate.distance else "here"
    return {
        f"act.{place}": 1.0,
        f"act.{_form_of(mention)}.{mention.role}.{place}": 1.0,
        "act.gap": 0.0 if candidate.distance else float(min(_FAR_SENTENCES, mention.sentence - thing.sentence)),
        "act.opens": float(mention.token < _OPENING_TOKENS),
        "act.long": math.log(1 + len(thing.text) / _USUAL_ACT_CHARS),
    }


def _form_of(mention: ReferenceMention) -> str:
    if mention.noun:
        return "noun"
    return mention.form if mention.form in ("it", "this", "that") else mention.number


def _here_signs(mention: ReferenceMention, candidate: AntecedentCandidate) -> dict[str, float]:
    """Of a thing of this very message."""
    thing = candidate.thing
    signs = {
        "both_object": float(thing.role is mention.role is Role.OBJECT),
        "again.subjects": float(thing.is_again and thing.role is mention.role is Role.SUBJECT),
    }
    if mention.sentence == thing.sentence:
        clauses = min(_FAR_CLAUSES, mention.clause - thing.clause)
        signs[f"clauses{clauses}"] = 1.0
    return signs


def _before_signs(
    mention: ReferenceMention, candidate: AntecedentCandidate, nearby: NearbyMentions
) -> dict[str, float]:
    """Of a thing of an earlier message: what was asked for, what came first, what came last."""
    thing, back = candidate.thing, candidate.distance
    named_count = nearby.named_count[back]
    is_one_of_many = named_count > 1
    where = "empty" if nearby.is_empty_before else "full"  # nothing said here yet, or things that are nearer
    return {
        f"back{min(_FAR_BACK, back)}": 1.0,
        "before.crowd": math.log(named_count),
        "before.again": float(thing.is_again),
        "before.opens": float(mention.token < _OPENING_TOKENS),
        f"before.{where}": 1.0,
        f"before.{where}.first": float(is_one_of_many and thing.group < 0 and thing.start == nearby.first[back]),
        f"before.{where}.last": float(is_one_of_many and thing.group < 0 and thing.start == nearby.last[back]),
    }
