"""What a person is about: starting a feature, debugging, reviewing, testing, or nothing in particular.

Told by the words of the prompt, what it wants, the branch and the errors; the cues are data. Knows no store.
Source: S4 "Token Budget Examples", "rebalancing based on activity".
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from app.resources import load_rules
from app.values import Activity, ContextSignals

_WORD = re.compile(r"[a-z0-9]+")
_READ_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class ActivityCues:
    words: Mapping[str, float]
    intents: Mapping[str, float]
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
        intents={str(name): float(weight) for name, weight in raw.get("intents", {}).items()},
        branches=frozenset(map(str, raw.get("branch", ()))),
        per_error=float(raw.get("errors", 0.0)),
    )


@cache
def load_activity_rules(folder: Path | None = None) -> ActivityRules:
    return ActivityRules.parse(load_rules("context", folder))


@cache
def load_plain_branches(folder: Path | None = None) -> frozenset[str]:
    """Names of branches that say nothing of the task."""
    return frozenset(map(str, load_rules("context", folder)["plain_branches"]))


def detect_activity(
    signals: ContextSignals, *, intents: Sequence[str] = (), rules: ActivityRules | None = None
) -> tuple[Activity, str]:
    """The activity and why; the given one when the caller says it. Ties go to the first in the order of the rules.

    >>> detect_activity(ContextSignals(prompt="why does the login crash?"))[0].value
    'debugging'
    >>> detect_activity(ContextSignals(prompt="hello"))[0].value
    'general'
    """
    if signals.activity is not None:
        return signals.activity, "as asked for"
    rules = rules or load_activity_rules()
    words = set(_WORD.findall(signals.prompt[:_READ_CHARS].lower()))
    branch = set(_WORD.findall(signals.branch.lower()))
    best, best_sum, why = Activity.GENERAL, 0.0, "nothing points to a special activity"
    for activity, cues in rules.cues.items():
        said = sorted(word for word in words if word in cues.words)
        total = sum(cues.words[word] for word in said)
        total += sum(cues.intents.get(name, 0.0) for name in intents)
        total += 1.0 if branch & cues.branches else 0.0
        total += cues.per_error if signals.recent_errors else 0.0
        if total >= rules.least and total > best_sum:
            best, best_sum, why = (
                activity,
                total,
                _why(said, intents, cues, signals, is_branch=bool(branch & cues.branches)),
            )
    return best, why


def _why(
    said: Sequence[str], intents: Sequence[str], cues: ActivityCues, signals: ContextSignals, *, is_branch: bool
) -> str:
    parts = [f"says “{word}”" for word in said[:2]]
    parts += [f"wants {name.lower()}" for name in intents if name in cues.intents][:1]
    parts += [f"branch {signals.branch}"] if is_branch else []
    parts += ["recent errors"] if cues.per_error and signals.recent_errors else []
    return ", ".join(parts)
