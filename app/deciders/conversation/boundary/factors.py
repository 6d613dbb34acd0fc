"""What can be observed about a message that may open a conversation: numbers, each with words for people.

Owns the observations against what came before (time, entities, references, words); must not know weights nor
decide. Every observation is 0..1 unless said otherwise.
Source: S1, Detection Factors; DESIGN section 2 (overlap without entities is unknown, not zero).
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from app.deciders.conversation.boundary.markers import speech_head
from app.deciders.conversation.boundary.terms import extract_terms
from app.deciders.conversation.boundary.wording import BoundaryLexicon, observe_wording
from app.values.understanding import BoundaryInput, Entity, EntityKind, PriorMessage, Reference, ReferenceState

RECENT_COUNT = 5  # S1: entity overlap looks at the last five messages
HISTORY_COUNT = 30  # older messages of one conversation add cost, not knowledge
_FIELD_COUNT = 3
_SETTLED_COUNT, _LASTING_COUNT = 4, 7  # messages: most have said what they want by then; what lasts, lasts on
_WALL_CHARS = 2000
OPENING_CHARS = 100  # what is said later in a long message mostly leans on the message itself
_POINTING_BACK = frozenset({ReferenceState.RESOLVED, ReferenceState.CORRECTED, ReferenceState.AMBIGUOUS})


@dataclass(frozen=True, slots=True)
class Observations:
    """Named numbers, and the words that explain the telling ones."""

    values: dict[str, float]
    texts: dict[str, str]
    gap_minutes: float | None  # None: a time is missing
    overlap: float | None  # None: unknown, does not vote
    back_reference: Reference | None  # resolved inside the conversation


def observe_message(given: BoundaryInput, lexicon: BoundaryLexicon) -> Observations:
    """Everything that speaks for or against a boundary before `given`."""
    history = given.history[-HISTORY_COUNT:]
    wording = observe_wording(given.text, lexicon)
    seen = Observations(
        values=dict(wording.values),
        texts=dict(wording.texts),
        gap_minutes=measure_gap_minutes(given.at, history),
        overlap=measure_overlap(given.entities, history),
        back_reference=find_back_reference(given.references, history),
    )
    _observe_drift(given.text, history, lexicon, seen)
    _observe_conversation(history, seen.values)
    seen.values["longer"] = _measure_longer(given.text, history)
    if seen.back_reference is not None:
        seen.values["resolved"] = seen.back_reference.confidence
        seen.texts["resolved"] = describe_reference(seen.back_reference)
    return seen


def leans_back(values: Mapping[str, float]) -> bool:
    """Whether the wording or a reference hangs on the conversation before: a reply, "and…", "it"."""
    return bool(values.get("reply") or values.get("resolved"))


def describe_reference(reference: Reference) -> str:
    mention = f"'{reference.mention}'" if reference.mention else "what is left out"
    return f"{mention} refers to {reference.antecedent}"


def measure_gap_minutes(at: datetime | None, history: Sequence[PriorMessage]) -> float | None:
    """Minutes since the last message, never negative; None when a time is missing."""
    last_at = history[-1].at if history else None
    if at is None or last_at is None:
        return None
    return max(0.0, (at - last_at).total_seconds() / 60)


def measure_overlap(entities: Sequence[Entity], history: Sequence[PriorMessage]) -> float | None:
    """Share of the message's entities that the last five messages know; None when one side has none. [S1]"""
    mine = name_things(entities)
    known = {name for message in history[-RECENT_COUNT:] for name in name_things(message.entities)}
    if not mine or not known:
        return None
    return len(mine & known) / len(mine)


def name_things(entities: Sequence[Entity]) -> frozenset[str]:
    """Canonical names without plain values: "purple" alone tells nothing of the subject."""
    return frozenset(entity.canonical for entity in entities if entity.kind is not EntityKind.VALUE)


def find_back_reference(references: Sequence[Reference], history: Sequence[PriorMessage]) -> Reference | None:
    """The surest reference whose antecedent stands in an earlier message of this conversation."""
    ids = {message.id for message in history}
    inside = [
        reference
        for reference in references
        if reference.antecedent
        and reference.start < OPENING_CHARS
        and reference.antecedent_message_id in ids
        and reference.state in _POINTING_BACK
    ]
    return max(inside, key=lambda reference: reference.confidence, default=None)


def _measure_longer(text: str, history: Sequence[PriorMessage]) -> float:
    """How much longer than this conversation's messages usually are: 0 as they are, 1 four times as long."""
    usual = statistics.median(map(_first_line_chars, (message.text for message in history)))
    return max(0.0, min(1.0, math.log((_first_line_chars(text) + 1) / (usual + 1)) / math.log(4)))


def _first_line_chars(text: str) -> int:
    """What a person says comes first; what is pasted below it is of any length."""
    return len(text.strip().partition("\n")[0])


def _observe_drift(text: str, history: Sequence[PriorMessage], lexicon: BoundaryLexicon, seen: Observations) -> None:
    values = seen.values
    mine = extract_terms(text, lexicon.stop_words)
    earlier = [extract_terms(message.text, lexicon.stop_words) for message in history]
    if not mine or not any(earlier):
        return
    heard = frozenset(chain.from_iterable(earlier))
    values["novelty"] = sum(term not in heard for term in mine) / len(mine)
    values["shared_any"] = float(any(term in heard and term not in lexicon.generic for term in mine))
    my_fields = lexicon.fields_of(mine)
    known = lexicon.fields_of(term for terms in earlier[-_FIELD_COUNT:] for term in terms)
    other = len(my_fields - known) / len(my_fields) if my_fields and known else 0.0
    values["field_shift"] = other * values["novelty"]


def _observe_conversation(history: Sequence[PriorMessage], values: dict[str, float]) -> None:
    values["single"] = float(len(history) == 1)
    values["settled"] = float(len(history) >= _SETTLED_COUNT)
    values["lasting"] = float(len(history) >= _LASTING_COUNT)
    mean_chars = statistics.fmean(len(message.text) for message in history)
    values["wordy"] = min(1.0, math.log1p(mean_chars) / math.log(_WALL_CHARS))
    values["asked"] = float(speech_head(history[-1].text).rstrip().endswith("?"))
