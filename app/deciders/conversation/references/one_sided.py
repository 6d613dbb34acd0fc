"""What tells for a candidate when only the person's side of the talk is known: signs, each with a learned weight.

A sign is a name and a strength. How much each counts is learned by `app.evaluation.training.references` from our own dialogues and
shipped as `alone` in `resources/references/weights.json`. Where answers are kept too, these signs are not asked.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from app.deciders.conversation.references.values import Option, Spot, Type
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
    crowd: Mapping[int, int]
    is_empty_before: bool  # nothing is named in this message before the mention


def survey(spot: Spot, options: Sequence[Option]) -> NearbyMentions:
    """The scene of a mention."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    crowd: dict[int, int] = {}
    for option in options:
        said, back = option.said, option.distance
        first[back] = min(first.get(back, said.start), said.start)
        last[back] = max(last.get(back, said.start), said.start)
        crowd[back] = crowd.get(back, 0) + 1
    is_empty = not any(o.distance == 0 and o.said.end <= spot.start and o.said.type is not Type.EVENT for o in options)
    return NearbyMentions(first, last, crowd, is_empty)


def signs_of(spot: Spot, option: Option, scene: NearbyMentions) -> dict[str, float]:
    """The signs of one candidate, by name; absent ones are 0."""
    if option.said.type is Type.EVENT:
        return _act_signs(spot, option)
    return _before_signs(spot, option, scene) if option.distance else _here_signs(spot, option)


def _act_signs(spot: Spot, option: Option) -> dict[str, float]:
    """Of something done or told: "run the formatter", "the import is slow"."""
    said = option.said
    place = "before" if option.distance else "here"
    return {
        f"act.{place}": 1.0,
        f"act.{_form_of(spot)}.{spot.role}.{place}": 1.0,
        "act.gap": 0.0 if option.distance else float(min(_FAR_SENTENCES, spot.sentence - said.sentence)),
        "act.opens": float(spot.token < _OPENING_TOKENS),
        "act.long": math.log(1 + len(said.text) / _USUAL_ACT_CHARS),
    }


def _form_of(spot: Spot) -> str:
    if spot.noun:
        return "noun"
    return spot.form if spot.form in ("it", "this", "that") else spot.number


def _here_signs(spot: Spot, option: Option) -> dict[str, float]:
    """Of a thing of this very message."""
    said = option.said
    signs = {
        "both_object": float(said.role is spot.role is Role.OBJECT),
        "again.subjects": float(said.is_again and said.role is spot.role is Role.SUBJECT),
    }
    if spot.sentence == said.sentence:
        clauses = min(_FAR_CLAUSES, spot.clause - said.clause)
        signs[f"clauses{clauses}"] = 1.0
    return signs


def _before_signs(spot: Spot, option: Option, scene: NearbyMentions) -> dict[str, float]:
    """Of a thing of an earlier message: what was asked for, what came first, what came last."""
    said, back = option.said, option.distance
    crowd = scene.crowd[back]
    is_one_of_many = crowd > 1
    where = "empty" if scene.is_empty_before else "full"  # nothing said here yet, or things that are nearer
    return {
        f"back{min(_FAR_BACK, back)}": 1.0,
        "before.crowd": math.log(crowd),
        "before.again": float(said.is_again),
        "before.opens": float(spot.token < _OPENING_TOKENS),
        f"before.{where}": 1.0,
        f"before.{where}.first": float(is_one_of_many and said.group < 0 and said.start == scene.first[back]),
        f"before.{where}.last": float(is_one_of_many and said.group < 0 and said.start == scene.last[back]),
        f"before.{where}.topic": float(said.is_opening and said.role is Role.SUBJECT),
    }
