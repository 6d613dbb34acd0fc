"""What learned rules change in the understanding of a message: its intents, whether it begins something, how far a word may point back.

Pure; made once from the rules and asked for every message: a look-up is one dictionary. Weak rules change nothing. Source: S1 "With
Long-Term Memory: keywords + context + learned patterns".
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.deciders.learning.conversation_rules import generalise
from app.values.rules import LearnedRule, RuleKind
from app.values.understanding import (
    BoundaryDecision,
    BoundaryFactor,
    Entity,
    Intent,
    IntentScore,
    PriorMessage,
    Reference,
    ReferenceKind,
    ReferenceState,
    Speaker,
)

_WORDS = re.compile(r"[\w']+")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class LearnedRules:
    """The rules that hold, by what they are asked with."""

    phrases: Mapping[str, LearnedRule] = field(default_factory=dict)
    markers: tuple[tuple[tuple[str, ...], LearnedRule], ...] = ()
    reach: Mapping[str, tuple[int, LearnedRule]] = field(default_factory=dict)

    @classmethod
    def of(cls, rules: Iterable[LearnedRule]) -> "LearnedRules":
        """Those that are on and sure enough; of two for one phrase the surer, a person's first."""
        held = sorted(
            (one for one in rules if one.is_used), key=lambda one: (one.is_edited, one.confidence, one.seen_count)
        )
        phrases = {one.pattern: one for one in held if one.kind is RuleKind.PHRASE}
        markers = tuple(
            (tuple(_WORDS.findall(one.pattern.lower())), one) for one in held if one.kind is RuleKind.MARKER
        )
        reach = {
            one.pattern: (distance, one)
            for one in held
            if one.kind in {RuleKind.PRONOUN, RuleKind.DEMONSTRATIVE} and (distance := _reach_of(one))
        }
        return cls(phrases, tuple(one for one in markers if len(one[0]) > 1), reach)

    def find_phrase(self, text: str, entities: Sequence[Entity]) -> LearnedRule | None:
        """The rule that says what such a phrase wants."""
        if not self.phrases:
            return None
        pattern = generalise(text, entities)
        return self.phrases.get(pattern) if pattern else None

    def find_marker(self, head: str) -> LearnedRule | None:
        """The rule whose words the message begins with."""
        if not self.markers:
            return None
        words = tuple(_WORDS.findall(head.lower().replace("’", "'"))[:8])
        return next((rule for marker, rule in reversed(self.markers) if words[: len(marker)] == marker), None)


def _reach_of(rule: LearnedRule) -> int:
    """How many messages back, as a person set it."""
    if rule.kind is RuleKind.PRONOUN:
        return int(rule.details.get("lookback", 0))
    found = _NUMBER.search(str(rule.details.get("must_exist_in", "")))
    return int(found[0]) if found else 0


def apply_phrase(scores: tuple[IntentScore, ...], rule: LearnedRule | None) -> tuple[IntentScore, ...]:
    """The intents in the light of the rule: it decides where it is surer than the classifier.

    >>> from datetime import datetime, UTC
    >>> at = datetime(2026, 1, 1, tzinfo=UTC)
    >>> rule = LearnedRule(1, RuleKind.PHRASE, "add {feature} and test it", {"intents": ["PLAN", "TEST"]}, 0.9, 7, at, at, 0)
    >>> [one.intent.value for one in apply_phrase((IntentScore(Intent.EXECUTE, 0.6, ""),), rule)]
    ['PLAN', 'TEST']
    """
    wanted = [Intent(one) for one in rule.details.get("intents", ())] if rule is not None else []
    if rule is None or not wanted:
        return scores
    if not rule.is_edited and scores and scores[0].confidence >= rule.confidence:
        return scores
    if [one.intent for one in scores] == wanted:
        return scores
    reason = f"learned: “{rule.pattern}” {'as you said' if rule.is_edited else f'seen {rule.seen_count} times'}"
    return tuple(IntentScore(intent, rule.confidence, reason) for intent in wanted)


def apply_marker(decision: BoundaryDecision, rule: LearnedRule | None) -> BoundaryDecision:
    """A conversation begins where words say so that began one before."""
    if rule is None or decision.is_new or any(factor.name == "marker" for factor in decision.factors):
        return decision
    text = f'says "{rule.pattern}", which began something new before'
    factors = (BoundaryFactor("marker", rule.confidence, text), *decision.factors)
    return BoundaryDecision(True, rule.confidence, f"new: {text}", leaning=True, factors=factors)


def hold_reach(
    references: tuple[Reference, ...], history: Sequence[PriorMessage], learned: LearnedRules
) -> tuple[tuple[Reference, ...], tuple[int, ...]]:
    """The references, without answers that lie further back than the word ever pointed; and the rules that changed one."""
    if not learned.reach or not references:
        return references, ()
    order = [message.id for message in history if message.speaker is Speaker.USER]
    back = {number: len(order) - place for place, number in enumerate(order)}
    changed: list[int] = []
    held: list[Reference] = []
    for one in references:
        limit = learned.reach.get(_word_of(one))
        distance = back.get(one.antecedent_message_id or 0, 0)
        if limit is None or one.state is not ReferenceState.RESOLVED or distance <= limit[0]:
            held.append(one)
            continue
        changed.append(limit[1].id)
        reason = f"further back than “{limit[1].pattern}” points ({limit[0]} messages)"
        held.append(
            replace(
                one,
                state=ReferenceState.UNRESOLVED,
                antecedent=None,
                confidence=0.0,
                reason=reason,
                antecedent_message_id=None,
                antecedent_conversation_id=None,
            )
        )
    return tuple(held), tuple(changed)


def _word_of(reference: Reference) -> str:
    words = reference.mention.lower().split()
    if reference.kind is ReferenceKind.DEFINITE or len(words) > 1:
        return "the {entity}"
    return words[0] if words else ""
