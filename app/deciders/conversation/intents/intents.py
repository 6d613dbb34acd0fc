"""Decides what a message wants to happen next: several intents, best first, each with confidence and reason.

Combines three kinds of evidence: ordered rules (resources/rules/conversation/intents.yaml), the conversation so far (rules that name
what the message before wanted) and a linear classifier. Pure: takes values, knows no store, no files, no clock.
Source: S1 (conversation patterns, multi-intent combinations), S2 (intent with conversation context).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.deciders.conversation.intents.features import MessageShape, shape_message
from app.deciders.conversation.intents.model import IntentModel
from app.deciders.conversation.intents.rules import IntentRules, RuleHit
from app.values import Intent, IntentScore, PriorMessage, Speaker

__all__ = ["IntentRules", "classify_intents"]

_FLOOR = 1e-4


@dataclass(frozen=True, slots=True)
class _Judgement:
    shares: Mapping[Intent, float]  # add up to 1
    hits: Mapping[Intent, RuleHit]  # the strongest rule for each intent
    all_hits: Sequence[RuleHit]


def classify_intents(
    text: str,
    history: Sequence[PriorMessage],
    rules: IntentRules,
    model: IntentModel,
    *,
    expanded_text: str = "",
) -> tuple[IntentScore, ...]:
    """The intents of a message, best first; never empty.

    `history` is oldest first; only the person's last message is looked at. `expanded_text` (references put in) is read
    by the classifier only: rules see the words as they were typed.

    >>> from app.resources import load_rules, resource_path
    >>> rules = IntentRules.parse(load_rules("intents"))
    >>> model = IntentModel.load(resource_path("intents", "weights.json"))
    >>> sorted(score.intent.value for score in classify_intents("add a legend and test it", (), rules, model))
    ['PLAN', 'TEST']
    """
    previous = _previous_intents(history)
    shape = shape_message(text)
    model_shape = shape_message(expanded_text) if expanded_text and expanded_text != text else shape
    judgement = _judge(shape, model.score(model_shape, previous), rules, previous)
    ranked = sorted(judgement.shares, key=lambda intent: (-judgement.shares[intent], intent.value))
    chosen = [(ranked[0], judgement.shares[ranked[0]])]
    chosen += _further_intents(ranked[0], ranked[1:], judgement, rules)
    return tuple(
        IntentScore(
            intent,
            round(min(confidence, chosen[0][1]), 3),
            _reason(intent, judgement.hits.get(intent), shape, previous),
        )
        for intent, confidence in chosen
    )


def _previous_intents(history: Sequence[PriorMessage]) -> tuple[Intent, ...]:
    for prior in reversed(history):
        if prior.speaker is Speaker.USER:
            return prior.intents
    return ()


def _judge(
    shape: MessageShape, model_shares: Mapping[Intent, float], rules: IntentRules, previous: tuple[Intent, ...]
) -> _Judgement:
    hits = tuple(rules.find_hits(shape, previous))
    best: dict[Intent, RuleHit] = {}
    for hit in hits:
        if hit.intent not in best or hit.confidence > best[hit.intent].confidence:
            best[hit.intent] = hit
    logits: dict[Intent, float] = {}
    for intent in Intent:
        share = max(model_shares.get(intent, 0.0), _FLOOR)
        found = best.get(intent)
        evidence = _log_odds(found.confidence) if found else 0.0
        logits[intent] = (
            rules.model_weight * math.log(share) + rules.rule_weight * evidence + rules.priors.get(intent, 0.0)
        )
    top = max(logits.values())
    powers = {intent: math.exp((logit - top) / rules.temperature) for intent, logit in logits.items()}
    total = math.fsum(powers.values())
    return _Judgement({intent: power / total for intent, power in powers.items()}, best, hits)


def _further_intents(
    first: Intent, others: Sequence[Intent], judgement: _Judgement, rules: IntentRules
) -> list[tuple[Intent, float]]:
    """Intents beside the first: a clause of their own says so, or the sum of the evidence is nearly as strong."""
    first_hit = judgement.hits.get(first)
    own: dict[Intent, float] = {}
    for hit in judgement.all_hits:
        is_elsewhere = first_hit is None or hit.clause_index != first_hit.clause_index
        if hit.is_clause and is_elsewhere and hit.confidence >= rules.further_rule_confidence:
            own[hit.intent] = max(own.get(hit.intent, 0.0), hit.confidence * rules.further_share)
    found = []
    for intent in others:
        share = judgement.shares[intent]
        if intent in own or share >= rules.further_share:
            found.append((intent, max(share, own.get(intent, 0.0))))
    return found[: rules.further_count]


def _reason(intent: Intent, hit: RuleHit | None, shape: MessageShape, previous: tuple[Intent, ...]) -> str:
    if hit is not None:
        return hit.reason
    opening = shape.clauses[0] if shape.clauses else ()
    words = " ".join(word for word in opening[:3] if word[0].isalnum())
    like = f'worded like other {intent.value} messages ("{words} …")' if words else f"looks like other {intent.value}"
    return f"{like}, after {previous[0].value}" if previous else like


def _log_odds(confidence: float) -> float:
    return math.log(confidence / (1.0 - confidence))
