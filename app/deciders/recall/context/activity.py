"""What a person is about: starting a feature, debugging, reviewing, testing, or nothing in particular.

Detected by the words of the prompt, its intents, the branch and the errors; the cues are data. Knows no store.
Source: S4 "Token Budget Examples", "rebalancing based on activity".
"""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.resources import load_rules
from app.values import Activity, ContextSignals, IntentScore

_WORD = re.compile(r"[^\W_]+")
_BRANCH_WEIGHT, _FILE_WEIGHT = 0.8, 0.8
_READ_CHARS = 4_000
_REASONS = 3


@dataclass(frozen=True, slots=True)
class ActivityCues:
    words: Mapping[str, float]
    phrases: Mapping[str, float]
    intents: Mapping[str, float]
    files: tuple[re.Pattern[str], ...]
    branches: frozenset[str]
    per_error: float


@dataclass(frozen=True, slots=True, eq=False)
class ActivityRules:
    least: float
    cues: Mapping[Activity, ActivityCues]

    @classmethod
    def parse(cls, raw: Mapping[str, Any]) -> "ActivityRules":
        """The rules of `context.yaml`."""
        return cls(
            least=float(raw["least"]),
            cues={Activity(name): _cues_of(one) for name, one in raw["activities"].items()},
        )


def _cues_of(raw: Mapping[str, Any]) -> ActivityCues:
    return ActivityCues(
        words={str(word).lower(): float(weight) for word, weight in raw.get("words", {}).items()},
        phrases={f" {phrase} ": float(weight) for phrase, weight in raw.get("phrases", {}).items()},
        intents={str(name): float(weight) for name, weight in raw.get("intents", {}).items()},
        files=tuple(map(re.compile, raw.get("files", ()))),
        branches=frozenset(map(str, raw.get("branch", ()))),
        per_error=float(raw.get("errors", 0.0)),
    )


@cache
def load_activity_rules() -> ActivityRules:
    return ActivityRules.parse(load_rules("context"))


@cache
def load_plain_branches() -> frozenset[str]:
    """Names of branches that say nothing of the task."""
    return frozenset(map(str, load_rules("context")["plain_branches"]))


@dataclass(frozen=True, slots=True)
class _Seen:
    """The signals, cut once for all activities."""

    words: AbstractSet[str]
    text: str
    branch: AbstractSet[str]
    file: str
    has_errors: bool
    intents: Mapping[str, float]

    @classmethod
    def of(cls, signals: ContextSignals, intents: Sequence[IntentScore]) -> "_Seen":
        words = _WORD.findall(signals.prompt[:_READ_CHARS].lower())
        return cls(
            frozenset(words),
            f" {' '.join(words)} ",
            frozenset(_WORD.findall(signals.branch.lower())),
            signals.current_file.lower().replace("\\", "/"),
            bool(signals.recent_errors),
            {one.intent.value: one.confidence for one in intents},
        )


def detect_activity(signals: ContextSignals, *, intents: Sequence[IntentScore] = ()) -> tuple[Activity, str]:
    """The activity and why; the given one when the caller says it. Ties go to the first in the order of the rules.

    `intents`: of the prompt, where somebody has read it.

    >>> detect_activity(ContextSignals(prompt="why does the login crash when it hangs?"))[0].value
    'debugging'
    >>> detect_activity(ContextSignals(prompt="hello"))[0].value
    'general'
    """
    if signals.activity is not None:
        return signals.activity, "as asked for"
    rules = load_activity_rules()
    seen = _Seen.of(signals, intents)
    best, best_sum, why = Activity.GENERAL, 0.0, "nothing points to a special activity"
    for activity, cues in rules.cues.items():
        found = _weigh(seen, cues)
        total = sum(weight for _, weight in found)
        if total >= rules.least and total > best_sum:
            reasons = [reason for reason, weight in sorted(found, key=lambda one: -one[1]) if weight > 0]
            best, best_sum, why = activity, total, ", ".join(reasons[:_REASONS])
    return best, why


def _weigh(seen: _Seen, cues: ActivityCues) -> list[tuple[str, float]]:
    """What speaks for an activity, or against it: the reason and its weight."""
    found = [(f"says “{word}”", cues.words[word]) for word in sorted(seen.words & cues.words.keys())]
    found += [(f"says “{said.strip()}”", weight) for said, weight in cues.phrases.items() if said in seen.text]
    found += [
        (f"wants {name.lower()}", cues.intents[name] * sure)
        for name, sure in seen.intents.items()
        if name in cues.intents
    ]
    if seen.branch & cues.branches:
        found.append(("the branch's name", _BRANCH_WEIGHT))
    if seen.file and any(one.search(seen.file) for one in cues.files):
        found.append(("the open file", _FILE_WEIGHT))
    if seen.has_errors and cues.per_error:
        found.append(("recent errors", cues.per_error))
    return found
