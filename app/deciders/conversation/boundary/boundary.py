"""The decision whether a message starts a new conversation, with confidence and a reason in words.

Owns how factors are weighed and when a person is asked. Entities, references and times come in as values. Explicit markers decide
alone; all else is one weighted sum, whose weights are data and shift, within bounds, with a
person's answers (regularised stochastic gradient descent as in Bottou 2012). Source: S1, Combined Detection Algorithm; DESIGN section 2 (overlap
without entities).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from app.deciders.conversation.boundary.factors import (
    Observations,
    leans_back,
    name_things,
    observe_message,
)
from app.deciders.conversation.boundary.markers import Cues, Guards, Hit, Marker, Phrases, read_phrase, speech_head
from app.deciders.conversation.boundary.wording import BoundaryLexicon
from app.language.stems import stem
from app.resources import misfit
from app.settings import ASK_BELOW
from app.values.conversation import Outcome
from app.values.understanding import BoundaryDecision, BoundaryFactor, BoundaryFeedback, BoundaryInput, ReferenceKind

_MAX_ANSWERS = 50  # older answers have had their say
_STEP_RATIO = 0.08  # how far one answer moves
_PULL_RATIO = 0.02  # how far each step falls back to the shipped weights
_MAX_SHIFT = 0.8  # logits; ten answers one way stay inside
_TRUST_RANGE = (0.6, 1.4)
_MAX_VOTE = 0.96  # a vote is tanh(logit / 2): beyond this the logit would explode


@dataclass(frozen=True, slots=True)
class Leaning:
    """What was learned: a shift in logits (positive: rather new) and a trust per factor."""

    shift: float = 0.0
    trust: Mapping[str, float] = field(default_factory=dict)

    def trust_of(self, factor: str) -> float:
        return self.trust.get(factor, 1.0)


def vote_of(logit: float) -> float:
    """A logit as a vote -1..1."""
    return math.tanh(logit / 2)


def logit_of(vote: float) -> float:
    """The logit behind a vote; the inverse of `vote_of` up to the bound of a vote."""
    return 2 * math.atanh(max(-_MAX_VOTE, min(_MAX_VOTE, vote)))


def learn_leaning(feedback: Sequence[BoundaryFeedback], bias: float) -> Leaning:
    """What `feedback`, oldest first, changes; `bias` is the shipped weight without any factor.

    >>> answer = BoundaryFeedback((BoundaryFactor("gap", 0.6, "2 h gap"),), is_new=False)
    >>> leaning = learn_leaning([answer], bias=-1.0)
    >>> leaning.shift < 0, leaning.trust_of("gap") < 1, leaning.trust_of("drift")
    (True, True, 1.0)
    """
    shift = 0.0
    trust: dict[str, float] = {}
    for answer in feedback[-_MAX_ANSWERS:]:
        logits = _logits(answer.factors)
        total = bias + shift + sum(trust.get(name, 1.0) * logit for name, logit in logits.items())
        error = float(answer.is_new) - 1 / (1 + math.exp(-total))
        shift = _clamp((shift + _STEP_RATIO * error) * (1 - _PULL_RATIO), -_MAX_SHIFT, _MAX_SHIFT)
        for name, logit in logits.items():
            moved = trust.get(name, 1.0) + _STEP_RATIO * error * logit
            trust[name] = _clamp(moved + (1 - moved) * _PULL_RATIO, *_TRUST_RANGE)
    return Leaning(shift, trust)


def _logits(factors: Sequence[BoundaryFactor]) -> dict[str, float]:
    return {factor.name: logit_of(factor.vote) for factor in factors if factor.name != "marker"}


def _clamp(value: float, low: float, high: float) -> float:
    return max(low, min(high, value))


_FACTOR_OF = {
    "resolved": "reference",
    "novelty": "drift",
    "field_shift": "drift",
    "shared_any": "drift",
    "first": "session",
    "ended": "session",
    "completed": "session",
    "reply": "reply",
    "settled": "length",
    "lasting": "length",
    "single": "length",
    "wordy": "length",
}
PAUSE = "pause_"  # of the names of weights: pause_4, pause_300, in minutes
_WORDING = "wording"  # opener, heading, length, …
_WORTH_SAYING = 0.05
_PAUSE_VOTE = -0.35  # about 20 minutes: worth saying beside the reason for a new start
_PLAIN_TEXTS = {  # a factor in words when none of its parts has its own: for a new start, for going on
    "drift": ("other words than before", "the same words as before"),
    "reference": ("points to nothing before", "points back"),
    "reply": ("worded as a start", "worded as a reply"),
    "session": ("a new session", "the same session"),
    "wording": ("worded as a start", "worded as a follow-up"),
    "gap": ("a pause", "no pause"),
    "length": ("many conversations end at this length", "few conversations end at this length"),
}


@dataclass(frozen=True, slots=True)
class BoundaryRules:
    """`rules/conversation/boundary.yaml`, compiled."""

    markers: Phrases
    lexicon: BoundaryLexicon
    pauses: tuple[float, ...]  # minutes, ascending; reaching each has a weight `pause_N`
    weights: Mapping[str, Mapping[str, float]]
    session_weights: Mapping[str, float]
    thresholds: Mapping[str, float]

    @classmethod
    def parse(cls, rules: Mapping[str, Any]) -> "BoundaryRules":
        """The mapping of `boundary.yaml`, compiled. Raises InvalidError when it does not fit."""
        try:
            return cls._parse(rules)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise misfit("boundary", error) from error

    @classmethod
    def _parse(cls, rules: Mapping[str, Any]) -> "BoundaryRules":
        guards = Guards.compile(
            softeners=rules["softeners"], subject_verbs=rules["subject_verbs"], list_words=rules["list_words"]
        )
        return cls(
            markers=Phrases.compile([Marker.parse(entry) for entry in rules["markers"]], guards),
            lexicon=BoundaryLexicon(
                cues=Cues.compile(rules["cues"]),
                fields=_parse_fields(rules["fields"]),
                stop_words=frozenset(read_phrase(word) for word in rules["stop_words"]),
                generic=frozenset(stem(read_phrase(word)) for word in rules["generic_words"]),
            ),
            pauses=tuple(sorted(float(minutes) for minutes in rules["pauses"])),
            weights={
                name: {key: float(weight) for key, weight in entry.items()} for name, entry in rules["weights"].items()
            },
            session_weights={key: float(weight) for key, weight in rules["session_weights"].items()},
            thresholds={key: float(value) for key, value in rules["thresholds"].items()},
        )


def detect_boundary(
    given: BoundaryInput,
    rules: BoundaryRules,
    feedback: Sequence[BoundaryFeedback] = (),
    *,
    ask_below: float = ASK_BELOW,
) -> BoundaryDecision:
    """Whether `given` starts a new conversation; `is_new` None, asking the person, when less sure than `ask_below`."""
    if not given.history:
        return BoundaryDecision(is_new=True, confidence=1.0, reason="new: nothing came before", leaning=True)
    hit = rules.markers.find(speech_head(given.text))
    if hit is not None and hit.marker.confidence >= rules.thresholds["marker_decides_ratio"]:
        return _decide_by(hit, hit.marker.confidence)
    return _weigh(given, rules, feedback, hit, ask_below=ask_below)


def _decide_by(hit: Hit, confidence: float) -> BoundaryDecision:
    text = f'says "{hit.phrase.lower()}"'
    return BoundaryDecision(
        is_new=True,
        confidence=confidence,
        reason=f"new: {text}",
        leaning=True,
        factors=(BoundaryFactor("marker", confidence, text),),
    )


def _weigh(
    given: BoundaryInput,
    rules: BoundaryRules,
    feedback: Sequence[BoundaryFeedback],
    hit: Hit | None,
    *,
    ask_below: float,
) -> BoundaryDecision:
    seen = observe_message(given, rules.lexicon)
    if hit is not None and hit.marker.returns and not seen.values.get("shared_any") and not seen.overlap:
        return _decide_by(hit, rules.thresholds["returns_ratio"])
    parts = _contributions(given, seen, rules)
    if hit is not None and not hit.marker.returns:
        parts["hint"] = math.log(hit.marker.confidence / (1 - hit.marker.confidence))
        seen.texts["hint"] = f'says "{hit.phrase.lower()}"'
    sums = _sum_factors(parts)
    learned = learn_leaning(feedback, parts["bias"])
    total = parts["bias"] + learned.shift + sum(learned.trust_of(name) * part for name, part in sums.items())
    total = _hold_rules(total, given, seen, rules.thresholds)
    ratio = 1 / (1 + math.exp(-total))
    leaning = ratio >= rules.thresholds["new_ratio"]
    confidence = ratio if leaning else 1 - ratio
    factors = _factors(sums, parts, seen)
    is_unsure = _is_unsure(ratio, given, seen, rules.thresholds, ask_below=ask_below)
    reason = _reason(seen, leaning=leaning, factors=factors, is_other=_names_others(seen, rules.thresholds))
    return BoundaryDecision(
        is_new=None if is_unsure else leaning, confidence=confidence, reason=reason, leaning=leaning, factors=factors
    )


def _is_unsure(
    ratio: float, given: BoundaryInput, seen: Observations, thresholds: Mapping[str, float], *, ask_below: float
) -> bool:
    """Too close to call, or only a reference across a long pause says what is meant (DESIGN section 2)."""
    margin = ask_below - 0.5
    if seen.gap_minutes is None:
        margin *= thresholds["ask_untimed_ratio"]
    if abs(ratio - thresholds["new_ratio"]) < margin:
        return True
    is_long = (seen.gap_minutes or 0.0) > thresholds["long_gap_minutes"]
    if not is_long or seen.back_reference is None:
        return False
    return seen.back_reference.kind is ReferenceKind.PRONOUN or not name_things(given.entities)


def _hold_rules(total: float, given: BoundaryInput, seen: Observations, thresholds: Mapping[str, float]) -> float:
    """`total` kept inside what S1 and DESIGN section 2 say for plain cases; weights decide the rest."""
    gap_minutes = seen.gap_minutes or 0.0
    is_long = gap_minutes > thresholds["long_gap_minutes"]
    if not leans_back(seen.values) and total > thresholds["plain_logit"]:
        if is_long and (name_things(given.entities) or not seen.values.get("brief")):
            total = max(total, thresholds["long_gap_logit"])
        if _names_others(seen, thresholds):
            total = max(total, thresholds["other_things_logit"])
        if given.outcome == Outcome.COMPLETED and gap_minutes > 30:
            total = max(total, thresholds["completed_logit"])
    if is_long:
        return total
    if seen.overlap is not None and seen.overlap > thresholds["overlap_same_ratio"] and not seen.values.get("heading"):
        total = min(total, thresholds["same_things_logit"])
    is_asking_on = seen.values.get("probe_question")
    if seen.back_reference is not None and not name_things(given.entities) and not is_asking_on:
        total = min(total, thresholds["reference_logit"])
    return total


def _names_others(seen: Observations, thresholds: Mapping[str, float]) -> bool:
    """S1: hardly anything that was named before, after an hour."""
    is_other = seen.overlap is not None and seen.overlap < thresholds["overlap_other_ratio"]
    return is_other and (seen.gap_minutes or 0.0) > 60


def _contributions(given: BoundaryInput, seen: Observations, rules: BoundaryRules) -> dict[str, float]:
    weights = rules.weights["untimed" if seen.gap_minutes is None else "timed"]
    parts = {name: weights.get(name, 0.0) * value for name, value in weighed_values(seen, rules).items()}
    parts["bias"] = weights["bias"]
    parts["first"] = rules.session_weights["first"] * given.is_first_of_session
    parts["ended"] = rules.session_weights["ended"] * given.is_session_ended
    parts["completed"] = rules.session_weights["completed"] * (given.outcome == Outcome.COMPLETED)
    return parts


def weighed_values(seen: Observations, rules: BoundaryRules) -> dict[str, float]:
    """What the weights of `rules` are multiplied with: the observations, and the pause as its curve says."""
    values = dict(seen.values)
    if seen.gap_minutes is not None:
        values.update(_place_pause(seen.gap_minutes, rules.pauses))
    return values


def _place_pause(minutes: float, points: Sequence[float]) -> dict[str, float]:
    """How far the pause has come from each of the points to the next, 0..1, on the logarithm of the minutes."""
    values = {f"{PAUSE}{points[0]:g}": 1.0}  # where every pause begins: its weight makes short ones speak against
    for low, high in pairwise(points):
        reached = math.log(max(minutes, low) / low) / math.log(high / low)
        values[f"{PAUSE}{high:g}"] = min(1.0, reached)
    return values


def _factor_of(name: str) -> str:
    return "gap" if name.startswith(PAUSE) else _FACTOR_OF.get(name, _WORDING)


def _sum_factors(parts: Mapping[str, float]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for name, part in parts.items():
        if name != "bias":
            key = _factor_of(name)
            sums[key] = sums.get(key, 0.0) + part
    return sums


def _factors(sums: Mapping[str, float], parts: Mapping[str, float], seen: Observations) -> tuple[BoundaryFactor, ...]:
    return tuple(
        BoundaryFactor(name, round(vote_of(total), 4), _factor_text(name, total, parts, seen))
        for name, total in sums.items()
        if abs(total) > 0.01
    )


def _factor_text(name: str, total: float, parts: Mapping[str, float], seen: Observations) -> str:
    if name == "gap" and seen.gap_minutes is not None:
        pause = describe_minutes(seen.gap_minutes)
        return f"{pause.replace(' minutes', ' min').replace(' days', '-day')} gap" if total > 0 else f"{pause} later"
    telling = {
        part: weight * math.copysign(1, total)
        for part, weight in parts.items()
        if part in seen.texts and _factor_of(part) == name
    }
    best = max(telling, key=lambda part: telling[part], default="")
    if best and telling[best] > _WORTH_SAYING:
        return seen.texts[best]
    return _PLAIN_TEXTS[name][total < 0]


def _reason(seen: Observations, *, leaning: bool, factors: Sequence[BoundaryFactor], is_other: bool) -> str:
    """The two factors that speak loudest for the decision; a pause is said first when new, last when not."""
    sign = 1 if leaning else -1
    telling = [factor for factor in factors if factor.vote * sign > 0.1]
    telling.sort(
        key=lambda factor: (factor.name == "length", -factor.vote * sign)
    )  # how long it was says least to people
    gap = next((factor for factor in factors if factor.name == "gap"), None)
    others = [factor.text for factor in telling if factor is not gap]
    if leaning:
        pause = [gap.text] if gap is not None and gap.vote > _PAUSE_VOTE else []
        if is_other:
            others.insert(0, f"{round(seen.overlap * 100)} % shared entities" if seen.overlap else "no shared entities")
        return "new: " + (" and ".join((pause + others)[:2]) or "more points to a new start")
    factors_text = " and ".join(others[: 1 if gap in telling else 2])
    pause = [gap.text] if gap in telling and gap is not None else []
    return "continues: " + (
        ", ".join([factors_text, *pause] if factors_text else pause) or "nothing points to a new start"
    )


def describe_minutes(minutes: float) -> str:
    """A duration in words: "4 minutes", "2 h", "3 days".

    >>> describe_minutes(4), describe_minutes(125), describe_minutes(4400)
    ('4 minutes', '2 h', '3 days')
    """
    if minutes < 1:
        return "less than a minute"
    if minutes < 90:
        count = round(minutes)
        return f"{count} minute" if count == 1 else f"{count} minutes"
    if minutes < 48 * 60:
        return f"{round(minutes / 60)} h"
    return f"{round(minutes / 1440)} days"


def _parse_fields(fields: Mapping[str, Sequence[object]]) -> dict[str, frozenset[str]]:
    names: dict[str, set[str]] = {}
    for name, words in fields.items():
        for word in words:
            names.setdefault(stem(read_phrase(word)), set()).add(name)
    return {stem: frozenset(found) for stem, found in names.items()}
