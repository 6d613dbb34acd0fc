"""What the sentences of a message point at: whether one can be written down, as typed or with its references put in.

A statement that still points elsewhere is never written. Knows references, where sentences stand and rules, nothing of
patterns. Source: S4 (a fact stands alone).
"""

import re
from dataclasses import dataclass, field

from app.memory.alignment import Alignment
from app.memory.bindings import is_bound, stand_alone
from app.memory.matching import Match
from app.memory.phrasing import points_outside, praise_length, says_nothing, stays_inside, strip_edges
from app.memory.rules import MemoryRules
from app.memory.splitting import Sentence
from app.memory.standing import Setting
from app.values import Entity, FactCandidate, FactType, Reference, ReferenceKind, ReferenceState

_SURE_REFERENCE = 0.7
_MAX_ANTECEDENT_WORDS = 6
_SHORT_WORD, _LEAST_NAMED = 3, 3
_NAME = re.compile(r" (?:[A-Z]{2,}|`[^`]+`|[a-z]+[A-Z]\w*|\w+_\w+)$| `[^`]+` ")
_OPEN = frozenset({ReferenceState.AMBIGUOUS, ReferenceState.UNRESOLVED})


@dataclass(frozen=True, slots=True)
class SaidMessage:
    """One message as the steps below need it."""

    text: str
    alignment: Alignment | None
    references: tuple[Reference, ...]
    entities: tuple[Entity, ...]
    rules: MemoryRules
    setting: Setting = field(default_factory=Setting)


def with_references(sentence: Sentence, message: SaidMessage) -> str:
    """The sentence with its references put in; as typed where one of them stands for a whole clause."""
    inside = references_of(sentence, message)
    is_wordy = any(_is_wordy(one.antecedent or "", message.rules) for one in inside)
    if message.alignment is None or is_wordy:
        return sentence.text
    return message.alignment.part(sentence.start, sentence.end) or sentence.text


def references_of(sentence: Sentence, message: SaidMessage) -> list[Reference]:
    """The references that stand in the sentence."""
    return [one for one in message.references if one.start < sentence.end and sentence.start < one.end]


def stands_alone(sentence: Sentence, message: SaidMessage) -> bool:
    """Whether all that is pointed at stands in the sentence itself: "Mia holds the keys, ask her"."""
    return stand_alone(references_of(sentence, message), message.text, sentence.start)


def loses_reference(candidate: FactCandidate, sentence: Sentence, message: SaidMessage) -> bool:
    """Whether the statement points at what stands in the sentence but not in the statement."""
    low = candidate.text.lower()
    return any(
        re.search(rf"\b{re.escape(one.mention.lower())}\b", low) is not None
        and (one.antecedent or "").lower() not in low
        for one in references_of(sentence, message)
        if one.mention
    )


def _is_wordy(antecedent: str, rules: MemoryRules) -> bool:
    """Whether the words put in are more than a name: a clause, a line of code, an act."""
    words = antecedent.split()
    is_act = bool(words) and words[0].lower() in rules.acts
    return is_act or len(words) > _MAX_ANTECEDENT_WORDS or ": " in antecedent or "," in antecedent


def points_at_hand(sentence: Sentence, message: SaidMessage) -> bool:
    """Whether "this behaviour", "that block" stand in it that only who was there understands."""
    return any(
        one.kind is ReferenceKind.DEMONSTRATIVE
        and " " in one.mention
        and not (_names(one) or stays_inside(one.mention.lower()) or is_bound(one, message.text, sentence.start))
        for one in references_of(sentence, message)
    )


def points_away(text: str, sentence: Sentence, message: SaidMessage) -> bool:
    """Whether a pronoun near the beginning stands for what the text itself does not name before it."""
    pointing, low = points_outside(text, message.rules), text.lower()
    said = low[: low.find(pointing)] if pointing else ""
    named = [one for one in references_of(sentence, message) if one.mention.lower() == pointing]
    return bool(pointing) and not any((one.antecedent or "?").lower() in said for one in named)


def _names(one: Reference) -> bool:
    """Whether the mention says itself by name what it points at: "that ENV", "this `sortKey`"."""
    return one.kind is ReferenceKind.DEMONSTRATIVE and _NAME.search(one.mention) is not None


def points_open(match: Match, sentence: Sentence, message: SaidMessage) -> bool:
    """Whether a mention without antecedent stands in the part that was taken, or a taste is about what is at hand."""
    low = f" {match.text.lower()} "
    for one in message.references:
        if one.end <= sentence.start or sentence.end <= one.start or not one.mention:
            continue
        if (
            _names(one)
            or is_bound(one, message.text, sentence.start)
            or one.start - sentence.start < praise_length(sentence.text)
        ):
            continue
        mention = one.mention.lower()
        if mention == "that" and not low.startswith(" that "):
            continue  # "everything that …"
        if stays_inside(mention):
            continue
        if one.kind is ReferenceKind.DEMONSTRATIVE and match.pattern.type is FactType.PREFERENCE:
            return True  # "I like those"
        if says_nothing(message.text[one.start : sentence.end]):
            continue
        is_subject = not strip_edges(message.text[sentence.start : one.start], message.rules)
        is_about = "unbound" not in match.pattern.needs  # "it has to work offline": the whole of it
        if is_subject and is_about and one.confidence < _SURE_REFERENCE and mention in message.rules.pronouns:
            return True  # what it is all about would be a guess
        is_pronoun = one.state in _OPEN and mention.split()[0] in message.rules.pronouns
        if is_pronoun and f" {mention} " in low and _is_near_beginning(mention, low):
            return True
    return False


def _is_near_beginning(mention: str, low: str) -> bool:
    """Whether hardly anything is named before the pronoun that it could stand for."""
    before = low[: low.find(f" {mention} ")].split()
    return sum(len(word) > _SHORT_WORD for word in before) < _LEAST_NAMED


def leans_on_weak_reference(sentence: Sentence, message: SaidMessage) -> bool:
    """Whether a resolved reference of the sentence is hardly more than a guess."""
    return any(
        one.state is ReferenceState.RESOLVED and one.confidence < _SURE_REFERENCE
        for one in message.references
        if sentence.start <= one.start and one.end <= sentence.end
    )
