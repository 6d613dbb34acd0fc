"""What will probably be needed next: files that change together, and memories for which there is evidence from several sides.

Pure arithmetic over what a service has read; what speaks for a file is found by `work_history`. Knows no store.
Source: S4 "Predictive Context Engine".
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from heapq import nsmallest
from math import exp, log
from typing import Any, NamedTuple

from app.deciders.recall.context.work_history import SIGNS, WorkHistory, split_path_parts
from app.resources import load_rules, misfit
from app.values import PredictedFile, Prediction, PredictionShare, PredictionSignal

_REASONS_MOST = 8
_CONFIDENT_OF = 3  # the best so many say how sure the whole is
_SHARE_LEAST = 0.005
_NO_USES: Mapping[int, float] = {}
_USE_FADE = 0.97  # what a time weighs, per later answer that took something up
_TAKEN_UP = "used recently"
_NONE_LINKED: Mapping[str, Mapping[str, bool]] = {}
_AT_HAND = SIGNS.index("at_hand")
_SIGNAL_OF_SIGN: Mapping[str, PredictionSignal] = {
    "together": PredictionSignal.CO_MODIFIED,
    "adjacent": PredictionSignal.CO_MODIFIED,
    "onward": PredictionSignal.CO_MODIFIED,
    "alike": PredictionSignal.NEARBY,
    "beside": PredictionSignal.NEARBY,
    "folders": PredictionSignal.NEARBY,
    "same_top": PredictionSignal.NEARBY,
    "moment": PredictionSignal.HABIT,
    "lately": PredictionSignal.HABIT,
    "often": PredictionSignal.HABIT,
    "similar_work": PredictionSignal.TASK,
    "named": PredictionSignal.TASK,
    "at_hand": PredictionSignal.FILE,
    "imports": PredictionSignal.IMPORTS,
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason to expect a memory. `weight` 0..1: how often that alone is right; `shares`: of the signals it comes from."""

    memory_id: int
    weight: float
    reason: str
    shares: tuple[PredictionShare, ...]


class Likelihood(NamedTuple):
    """What a score comes to: towards `surest`, and never above `most`."""

    slope: float
    bias: float
    surest: float
    most: float

    @classmethod
    def parse(cls, rules: Mapping[str, Any]) -> "Likelihood":
        return cls(*(float(rules[name]) for name in ("slope", "bias", "surest", "most")))

    def of(self, score: float) -> float:
        return round(min(self.most, self.surest / (1.0 + exp(-self.bias - self.slope * score))), 4)


class MemoryLikelihood(NamedTuple):
    """How surely the next turn takes a memory up: by what speaks for it, and by its use so far."""

    surest: float
    bias: float
    of_evidence: float
    of_use: float

    @classmethod
    def parse(cls, rules: Mapping[str, Any]) -> "MemoryLikelihood":
        return cls(*(float(rules[name]) for name in ("surest", "bias", "evidence", "use")))

    def of(self, strength: float, use: float) -> float:
        return self.surest / (1.0 + exp(-self.bias - self.of_evidence * strength - self.of_use * (1.0 - exp(-use))))


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each sign says; fitted, kept in `resources/rules/recall/prediction.yaml`."""

    of_signs: tuple[float, ...]  # in the order of SIGNS
    work: "Likelihood"
    turn: "Likelihood"
    memory: MemoryLikelihood

    @classmethod
    def parse(cls, rules: Mapping[str, Any]) -> "Weights":
        """Raises InvalidError when a weight is missing or no number."""
        try:
            weights = tuple(float(rules["weights"][sign]) for sign in SIGNS)
            work, turn = (Likelihood.parse(rules[name]) for name in ("work", "turn"))
            return cls(weights, work, turn, MemoryLikelihood.parse(rules["memory"]))
        except (KeyError, TypeError, ValueError) as error:
            raise misfit("prediction", error) from error

    def without(self, signals: AbstractSet[PredictionSignal]) -> "Weights":
        """The same with the signs of these signals silent."""
        if not signals:
            return self
        each = zip(SIGNS, self.of_signs, strict=True)
        return replace(self, of_signs=tuple(0.0 if _SIGNAL_OF_SIGN[sign] in signals else one for sign, one in each))


@cache
def load_weights() -> Weights:
    return Weights.parse(load_rules("prediction"))


def predict_files(
    opened: Sequence[str],
    history: WorkHistory,
    *,
    words: AbstractSet[str] = frozenset(),
    last: Sequence[str] = (),
    linked: Mapping[str, Mapping[str, bool]] = _NONE_LINKED,
    limit: int = 20,
    without: AbstractSet[PredictionSignal] = frozenset(),
) -> tuple[PredictedFile, ...]:
    """Files likely to be needed for a task of these `words`, best first; those that are `opened` (newest last) among them.

    `last`: what was changed last in the project, newest first. `linked`: of a file, those that it imports, and with True those that
    import it. `without`: signals that are not to count.

    >>> from app.deciders.recall.context.work_history import Work
    >>> history = WorkHistory(Work(frozenset(files)) for files in [{"a.py", "b.py"}, {"c.py", "d.py"}, {"a.py", "b.py"}])
    >>> [guess.path for guess in predict_files(["a.py"], history, limit=2)]
    ['a.py', 'b.py']
    """
    weights = load_weights().without(without)
    at_hand = weights.of_signs[_AT_HAND]
    signs_of = history.find_signs(opened, words, last, linked)
    scored = {
        path: sum(weight * sign for weight, sign in zip(weights.of_signs, signs, strict=True))
        for path, signs in signs_of.items()
    }
    best = nsmallest(limit, scored, key=lambda path: (-round(scored[path], 9), path))
    newest = opened[-1] if opened else ""
    return tuple(
        PredictedFile(
            path,
            weights.turn.of(scored[path]),
            _say_why(path, newest, signs_of[path], weights, linked),
            _shares_of(signs_of[path], weights),
            weights.work.of(scored[path] - at_hand * signs_of[path][_AT_HAND]),
        )
        for path in best
    )


def _shares_of(signs: Sequence[float], weights: Weights) -> tuple[PredictionShare, ...]:
    """What each signal brings to what speaks for a file."""
    amounts: dict[PredictionSignal, float] = {}
    for sign, weight, value in zip(SIGNS, weights.of_signs, signs, strict=True):
        signal = _SIGNAL_OF_SIGN[sign]
        amounts[signal] = amounts.get(signal, 0.0) + max(0.0, weight * value)
    return _as_shares(amounts)


def _as_shares(amounts: Mapping[PredictionSignal, float]) -> tuple[PredictionShare, ...]:
    whole = sum(amounts.values())
    listed = sorted(amounts.items(), key=lambda pair: (-pair[1], pair[0])) if whole else ()
    return tuple(
        PredictionShare(signal, round(amount / whole, 3)) for signal, amount in listed if amount / whole >= _SHARE_LEAST
    )


def _say_why(
    path: str, opened: str, signs: Sequence[float], weights: Weights, linked: Mapping[str, Mapping[str, bool]]
) -> str:
    """The one reason that says most, for people."""
    shares = {sign: weight * value for sign, weight, value in zip(SIGNS, weights.of_signs, signs, strict=True)}
    if shares["at_hand"] * 2 > sum(shares.values()):
        return f"{path.rsplit('/', 1)[-1]} is open"
    place, beside = split_path_parts(path), split_path_parts(opened)
    name, other = place.name, beside.name
    habit, similar, named = shares["together"] + shares["adjacent"], shares["similar_work"], shares["named"]
    kin, near = shares["alike"], shares["folders"] + shares["beside"] + shares["same_top"]
    most = max(habit, similar, named, kin, near, shares["onward"], shares["imports"])
    if place.about == beside.about and kin > 0:
        return f"{name} belongs to {other}"
    if shares["together"] > 0 and habit * 2 >= most:  # what people did says more to them than where files lie
        return f"{other} and {name} change together"
    if shares["imports"] == most and most > 0:
        file, is_importer = next((file, others[path]) for file, others in linked.items() if path in others)
        beside_it = file.rsplit("/", 1)[-1]
        return f"{name} imports {beside_it}" if is_importer else f"{beside_it} imports {name}"
    if similar == most and similar > 0:
        return f"{name} changed in similar work"
    if named == most and named > 0:
        return f"the task names {name}"
    if kin == most and kin > 0:
        return f"{name} is named like {other}"
    if shares["onward"] == most and most > 0:
        return f"{name} changes with what {other} changes with"
    return f"{name} lies near {other}" if near > 0 else f"{name} changed recently"


def error_signature(error: str) -> str:
    """The first line of an error without what differs each time: numbers, addresses, folders.

    >>> error_signature("KeyError: 'port' in /home/x/app/net.py line 42")
    "KeyError: 'port' in net.py line"
    """
    lines = error.strip().splitlines()
    line = lines[-1] if lines and lines[0].startswith("Traceback") else lines[0] if lines else ""
    line = re.sub(r"(?:[\w.~-]*/)+(?=[\w.-])", "", line)
    return re.sub(r"\s+", " ", re.sub(r"\b0x[0-9a-fA-F]+\b|\b\d+\b", "", line)).strip()[:400]


def weigh_uses(taken_up: Iterable[tuple[int, int]]) -> dict[int, float]:
    """How often each memory was taken up, later times weighing more; `taken_up` are (memory, receipt), the newest first.

    >>> weigh_uses([(7, 3), (7, 3), (8, 2), (7, 1)])
    {7: 1.9409, 8: 0.97}
    """
    ages: dict[int, int] = {}
    uses: defaultdict[int, float] = defaultdict(float)
    for memory_id, receipt_id in dict.fromkeys(taken_up):
        uses[memory_id] += _USE_FADE ** ages.setdefault(receipt_id, len(ages))
    return {memory_id: round(value, 4) for memory_id, value in uses.items()}


def combine(evidence: Iterable[Evidence], uses: Mapping[int, float] = _NO_USES, *, limit: int = 30) -> Prediction:
    """What all the evidence comes to: memories best first, how sure, and why. Independent reasons add up to less than 1.

    `uses`: of `weigh_uses`. How sure it is, is fitted on what turns took up; `strengths` are not.

    >>> why = (PredictionShare(PredictionSignal.FILE, 1.0),)
    >>> combine([Evidence(1, 0.5, "a", why), Evidence(1, 0.5, "b", why), Evidence(2, 0.6, "c", why)]).memory_ids
    (1, 2)
    >>> combine([Evidence(1, 0.5, "a", why)], {2: 3.0}).memory_ids
    (2, 1)
    """
    memory = load_weights().memory
    listed = sorted(evidence, key=lambda one: (-one.weight, one.memory_id))
    doubt: dict[int, float] = {}
    surest: dict[int, str] = {}
    amounts: defaultdict[int, dict[PredictionSignal, float]] = defaultdict(dict)
    for one in listed:
        surest.setdefault(one.memory_id, one.reason)
        left = 1.0 - min(max(one.weight, 0.0), 0.99)
        doubt[one.memory_id] = doubt.get(one.memory_id, 1.0) * left
        for signal, share in one.shares:
            of_memory = amounts[one.memory_id]
            of_memory[signal] = of_memory.get(signal, 0.0) - log(left) * share
    for key, use in uses.items():
        strength = 1.0 - doubt.setdefault(key, 1.0)
        surest.setdefault(key, _TAKEN_UP)
        scale = memory.of_evidence * strength / (sum(amounts[key].values()) or 1.0)  # as both are weighed
        amounts[key] = {signal: scale * amount for signal, amount in amounts[key].items()}
        amounts[key][PredictionSignal.USE] = memory.of_use * (1.0 - exp(-use))
    sure = {key: memory.of(1.0 - left, uses.get(key, 0.0)) for key, left in doubt.items()}
    best = sorted(sure, key=lambda key: (-sure[key], doubt[key], key))[:limit]
    first = [sure[key] for key in best[:_CONFIDENT_OF]]
    kept = set(best)
    of_kept = (one.reason for one in listed if one.memory_id in kept)
    reasons = dict.fromkeys((*(surest[key] for key in best[:1]), *of_kept, *(surest[key] for key in best)))
    return Prediction(
        memory_ids=tuple(best),
        confidence=round(sum(one * one for one in first) / sum(first), 4)
        if any(first)
        else 0.0,  # a weak third takes little away
        reasons=tuple(filter(None, reasons))[:_REASONS_MOST],
        confidences=tuple(round(sure[key], 4) for key in best),
        strengths=tuple(round(1.0 - doubt[key], 4) for key in best),
        reason_of_each=tuple(surest[key] for key in best),
        shares_of_each=tuple(_as_shares(amounts[key]) for key in best),
    )
