"""What "the X" takes up again: the thing said in full before, the name of that kind, the file or trouble spoken of.

Finds and ranks; decides nothing about certainty. Silent when "the X" is said for the first time.
Source: S2 (definite references).
"""

import re
from collections.abc import Sequence

from app.conversation.references_rules import ReferenceRules
from app.conversation.references_score import Scored
from app.conversation.references_values import Option, Spot
from app.values import EntityKind

_MAX_KIND_AGE = 2.5
_MAX_NAME_AGE = 6.0
_FILES = frozenset({EntityKind.FILE, EntityKind.PATH})
_PARTS = re.compile(r"[^\W_]+")
_SURE = 0.8


def find_definite(spot: Spot, options: Sequence[Option], rules: ReferenceRules) -> list[Scored]:
    """What "the pulse" stands for, best first: "pulse animation"; empty when it is said in full or for the first time."""
    for matches in (
        _said_in_full(spot, options, rules),
        _named_kind(spot, options, rules),
        _called(spot, options, rules),
    ):
        if matches:
            best = min(matches, key=lambda option: (option.distance, -option.said.start))
            return [Scored(best, 1.0, _SURE, f"the {spot.noun} spoken of before")]
    return []


def _said_in_full(spot: Spot, options: Sequence[Option], rules: ReferenceRules) -> list[Option]:
    words = {*spot.modifiers, spot.noun}
    name = " ".join((*spot.modifiers, spot.noun))
    shortened = rules.words.get("shortened_heads", frozenset())
    return [
        option
        for option in options
        if (option.distance or option.said.start < spot.start)
        and option.age <= _MAX_NAME_AGE
        and option.said.key != name
        and words < {option.said.head, *option.said.modifiers}
        and option.said.is_plural == (spot.number == "plural")
        and (option.said.head == spot.noun or option.said.head in shortened)
    ]


def _named_kind(spot: Spot, options: Sequence[Option], rules: ReferenceRules) -> list[Option]:
    """ "the file" after app/main.py, "the function" after load_rows: the name that was of this kind."""
    kind = rules.kind_nouns.get(spot.noun)
    if kind is None or spot.modifiers or any(o.said.head == spot.noun and o.distance for o in options):
        return []
    named = [o for o in options if o.said.kind is not None and o.said.kind.value == kind]
    return [o for o in named if o.age <= _MAX_KIND_AGE and _is_before(o, spot)]


def _called(spot: Spot, options: Sequence[Option], rules: ReferenceRules) -> list[Option]:
    """ "the doc" after docs/SYNC.md, "the library" after ../color-lib: what the name itself tells."""
    if spot.modifiers or spot.number == "plural":
        return []
    endings = rules.file_endings.get(spot.noun, frozenset())
    short = {spot.noun, *rules.short_names.get(spot.noun, frozenset())}
    near = [o for o in options if _is_before(o, spot) and o.age <= _MAX_NAME_AGE]
    by_name = [
        o for o in near if o.said.is_name and o.said.key != spot.noun and short & set(_PARTS.findall(o.said.key))
    ]
    by_ending = [o for o in near if o.said.kind in _FILES and o.said.key.rsplit(".", 1)[-1] in endings]
    return by_ending or [o for o in by_name if " " not in o.said.key]


def _is_before(option: Option, spot: Spot) -> bool:
    return option.distance > 0 or option.said.end <= spot.start
