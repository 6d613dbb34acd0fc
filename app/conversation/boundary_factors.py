"""What can be observed about a message that may open a conversation: numbers, each with words for people.

Owns the observations; must not know their weights nor decide. Every observation is 0..1 unless said otherwise.
Source: S1, Detection Factors; further ones (opener, follow-up, pasted text) from reading real sessions.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.conversation.boundary_markers import Cues, speech_head, split_words
from app.conversation.cohesion import Terms, cosine_ratio, extract_terms, inverse_frequencies, merge_terms
from app.values.understanding import BoundaryInput, Entity, PriorMessage, Reference, ReferenceKind, ReferenceState

RECENT_COUNT = 5  # S1: entity overlap looks at the last five messages
HISTORY_COUNT = 40  # older messages of one conversation add cost, not knowledge
_HEADING = re.compile(r"\A#{1,4} \S|\n#{1,4} \S")
_PASTED = re.compile(
    r"\A\s*(?:\[[^\]]{3,40}\]|\$ |Traceback|Error:|\w+Error:|\d\d:\d\d|at \w+\.|[-+]{3} |diff --git|\{\s*\")|^\s{4,}\S",
    re.MULTILINE,
)
_BACK_KINDS = {ReferenceKind.PRONOUN, ReferenceKind.DEMONSTRATIVE, ReferenceKind.SAME, ReferenceKind.ORDINAL}
_GO_AHEAD_WORDS = 6


@dataclass(frozen=True, slots=True)
class Observations:
    """Named numbers, and the words that explain the telling ones."""

    values: Mapping[str, float]
    words: Mapping[str, str]
    gap_minutes: float | None
    overlap: float | None  # None: unknown, does not vote
    back_reference: Reference | None  # resolved inside the conversation


def observe_message(given: BoundaryInput, *, cues: Cues, stop_words: frozenset[str]) -> Observations:
    """Everything that speaks for or against a boundary before `given`."""
    values: dict[str, float] = {}
    words: dict[str, str] = {}
    history = given.history[-HISTORY_COUNT:]
    gap_minutes = measure_gap_minutes(given.at, history)
    overlap = measure_overlap(given.entities, history)
    reference = find_back_reference(given.references, history)
    _observe_wording(given.text, cues, values, words)
    _observe_drift(given.text, history, stop_words, values)
    _observe_conversation(history, cues, values)
    if overlap is not None:
        values["overlap"] = overlap
        values["no_overlap"] = float(overlap == 0)
        words["overlap"] = f"{round(overlap * 100)} % shared entities" if overlap else "no shared entities"
    if reference is not None:
        values["resolved"] = 1.0
        words["resolved"] = f"'{reference.mention or 'what is left out'}' refers to {reference.antecedent}"
    return Observations(values, words, gap_minutes, overlap, reference)


def measure_gap_minutes(at: datetime | None, history: Sequence[PriorMessage]) -> float | None:
    """Minutes since the last message, never negative; None when a time is missing."""
    if at is None or not history or history[-1].at is None:
        return None
    return max(0.0, (at - history[-1].at).total_seconds() / 60)


def measure_overlap(entities: Sequence[Entity], history: Sequence[PriorMessage]) -> float | None:
    """Share of the message's entities that the last five messages know; None when one side has none. [S1]"""
    mine = {entity.canonical for entity in entities}
    known = {entity.canonical for message in history[-RECENT_COUNT:] for entity in message.entities}
    if not mine or not known:
        return None
    return len(mine & known) / len(mine)


def find_back_reference(references: Sequence[Reference], history: Sequence[PriorMessage]) -> Reference | None:
    """The surest reference whose antecedent stands in an earlier message of this conversation."""
    ids = {message.id for message in history}
    inside = [
        reference
        for reference in references
        if reference.antecedent
        and reference.antecedent_message_id in ids
        and reference.state in {ReferenceState.RESOLVED, ReferenceState.CORRECTED, ReferenceState.AMBIGUOUS}
    ]
    return max(inside, key=lambda reference: reference.confidence, default=None)


def _observe_wording(text: str, cues: Cues, values: dict[str, float], words: dict[str, str]) -> None:
    head = speech_head(text)
    spoken = cues.after("acknowledgement", head)
    tokens = split_words(head)
    for name, where in (
        ("acknowledgement", head),
        ("greeting", head),
        ("objection", spoken or head),
        ("connective", spoken),
        ("opener", spoken),
        ("reaction", spoken),
        ("pronoun", spoken),
    ):
        phrase = cues.match(name, where)
        if phrase:
            values[name] = 1.0
            words[name] = f'starts with "{phrase.lower()}"'
    if is_go_ahead(tokens, cues):
        values["go_ahead"] = 1.0
        words["go_ahead"] = "a short reply"
    values["length"] = min(1.0, math.log1p(len(text.strip())) / math.log(600))
    values["lines"] = min(1.0, text.count("\n") / 10)
    values["heading"] = float(bool(_HEADING.search(text[:600])))
    values["pasted"] = float(bool(_PASTED.search(text[:600])))
    values["question"] = float("?" in head)
    if values["heading"]:
        words["heading"] = "a prepared text with headings"


def is_go_ahead(tokens: Sequence[str], cues: Cues) -> bool:
    """Whether a message only answers: "yes, go ahead", "2", "option 1 and 3", "fix #4".

    >>> cues = Cues.compile({"go_ahead": ["yes", "proceed"], "choice": ["option"]})
    >>> is_go_ahead(("yes", "option", "2"), cues), is_go_ahead(("yes", "build", "a", "parser"), cues)
    (True, False)
    """
    if len(tokens) > _GO_AHEAD_WORDS:
        return False
    replies = cues.words.get("go_ahead", frozenset()) | cues.words.get("choice", frozenset())
    replies |= cues.words.get("acknowledgement", frozenset())
    return all(token in replies or token.lstrip("#").isdigit() for token in tokens)


def _observe_drift(
    text: str, history: Sequence[PriorMessage], stop_words: frozenset[str], values: dict[str, float]
) -> None:
    mine = extract_terms(text, stop_words)
    earlier = [extract_terms(message.text, stop_words) for message in history]
    if not mine or not earlier:
        return
    idf = inverse_frequencies(earlier)
    rarest = math.log((len(earlier) + 1) / 0.5)
    values["cosine_last"] = max(cosine_ratio(mine, terms, idf, rarest) for terms in earlier[-2:])
    values["cosine_all"] = cosine_ratio(mine, merge_terms(earlier), idf, rarest)
    values["novelty"] = _novel_ratio(mine, earlier)


def _novel_ratio(mine: Terms, earlier: Sequence[Terms]) -> float:
    return sum(not any(term in terms for terms in earlier) for term in mine) / len(mine)


def _observe_conversation(history: Sequence[PriorMessage], cues: Cues, values: dict[str, float]) -> None:
    values["size"] = min(1.0, math.log1p(len(history)) / math.log(HISTORY_COUNT))
    if not history:
        return
    last = speech_head(history[-1].text)
    values["asked"] = float(last.rstrip().endswith("?"))
    values["closed"] = float(bool(cues.match("closing", last)) and len(last) < 80)
