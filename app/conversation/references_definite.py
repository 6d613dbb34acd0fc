"""What "the X" takes up again: the thing said in full before ("the pulse" of a pulse animation), the one file that was named.

Finds and ranks; decides nothing about certainty. Silent when "the X" is said for the first time. More was tried: names that hold the
word ("the agent" for agent/test.py), other things of that kind, fuller names with the same head: right one time of ten.
Source: S2 (definite references).
"""

from collections.abc import Sequence

from app.conversation.references_rules import ReferenceRules
from app.conversation.references_score import Scored
from app.conversation.references_values import Option, Spot
from app.values import EntityKind

_MAX_FILE_AGE = 1.0
_MAX_NAME_AGE = 6.0
_FILES = frozenset({EntityKind.FILE, EntityKind.PATH})
_SURE = 0.8


def find_definite(spot: Spot, options: Sequence[Option], rules: ReferenceRules) -> list[Scored]:
    """What "the pulse" stands for, best first: "pulse animation"; empty when it is said in full or for the first time."""
    matches = _said_in_full(spot, options, rules) or _only_file(spot, options)
    if not matches:
        return []
    best = min(matches, key=lambda option: (option.distance, -option.said.start))
    return [Scored(best, 1.0, _SURE, f"the {spot.noun} spoken of before")]


def _said_in_full(spot: Spot, options: Sequence[Option], rules: ReferenceRules) -> list[Option]:
    """Things called so, but for a head like "animation", "button" that is left out the second time."""
    if any(option.said.head == spot.noun for option in options if _is_before(option, spot)):
        return []
    shortened = rules.words.get("shortened_heads", frozenset())
    words = {*spot.modifiers, spot.noun}
    return [
        option
        for option in options
        if _is_before(option, spot)
        and option.age <= _MAX_NAME_AGE
        and option.said.head in shortened
        and words <= option.said.modifiers
        and option.said.is_plural == (spot.number == "plural")
    ]


def _only_file(spot: Spot, options: Sequence[Option]) -> list[Option]:
    """ "the file" when one was named."""
    if spot.noun != "file" or spot.modifiers or spot.number == "plural":
        return []
    named = [o for o in options if o.said.kind in _FILES and o.age <= _MAX_FILE_AGE and _is_before(o, spot)]
    return named if len({option.said.key for option in named}) == 1 else []


def _is_before(option: Option, spot: Spot) -> bool:
    return option.distance > 0 or option.said.end <= spot.start
