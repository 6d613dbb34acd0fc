"""How sure a rule is, and when it goes: .60 when seen once, +.05 each time up to .99, pruned after ten idle runs while it is weak.

Pure. Of rules that are alike one stays, with what all of them saw; of two that contradict, the higher. What a person edited or
switched off is never pruned, merged or outvoted. Source: S1 "Consolidation Process", DESIGN section 2 (ten runs).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.values.rules import LearnedRule, RuleKind

FIRST_CONFIDENCE = 0.60  # S1
STEP_CONFIDENCE = 0.05  # S1
MOST_CONFIDENCE = 0.99  # S1
KEPT_SEEN_COUNT = 3  # S1: what was seen less often may go …
KEPT_CONFIDENCE = 0.80  # S1: … unless it is as sure as this
_IDLE_RUNS = 10  # DESIGN section 2; the setting `rule_idle_runs` is what the app uses
_SEQUENCE_RUNS = 5  # times as many runs for sequences: what is done weekly is seen hardly once in ten runs
CONVERSATIONS_KEPT = 50  # whose numbers a rule remembers, so that none counts twice


@dataclass(frozen=True, slots=True)
class RuleEnd:
    """A rule that goes, and why; `into_id` where another one takes over what it saw."""

    rule: LearnedRule
    reason: str
    into_id: int | None = None


def confidence_of(seen_count: int) -> float:
    """The confidence of a rule that was seen so often and never edited.

    >>> confidence_of(1), confidence_of(3), confidence_of(50)
    (0.6, 0.7, 0.99)
    """
    return round(min(FIRST_CONFIDENCE + STEP_CONFIDENCE * (max(1, seen_count) - 1), MOST_CONFIDENCE), 4)


def reinforce(confidence: float) -> float:
    """The confidence after a rule was seen again.

    >>> reinforce(0.6), reinforce(0.97)
    (0.65, 0.99)
    """
    return round(max(confidence, min(confidence + STEP_CONFIDENCE, MOST_CONFIDENCE)), 4)


def is_weak(rule: LearnedRule, idle_runs: int = _IDLE_RUNS) -> bool:
    """Whether nothing speaks for keeping it: long not seen, seldom seen, not sure; a person's choice always speaks for it."""
    runs = idle_runs * (_SEQUENCE_RUNS if rule.kind is RuleKind.SEQUENCE else 1)
    return (
        rule.idle_runs >= runs
        and rule.seen_count < KEPT_SEEN_COUNT
        and rule.confidence < KEPT_CONFIDENCE
        and not rule.is_edited
        and rule.is_on
    )


def merge_details(kind: RuleKind, known: Mapping[str, Any], seen: Mapping[str, Any]) -> dict[str, Any]:
    """The details of a rule that was seen once more.

    A pointing word reaches as far as it ever did; a fix keeps the files that repaired it last; how often a sequence was done adds up.

    >>> merge_details(RuleKind.PRONOUN, {"type": "most_recent_noun", "lookback": 1}, {"lookback": 3})["lookback"]
    3
    """
    merged = {**known, **{name: value for name, value in seen.items() if name not in known}}
    if kind is RuleKind.PRONOUN and "lookback" in seen:
        merged["lookback"] = max(int(known.get("lookback", 0)), int(seen["lookback"]))
    elif kind is RuleKind.DEMONSTRATIVE and "must_exist_in" in seen:
        merged["must_exist_in"] = max(
            str(known.get("must_exist_in", "")),
            str(seen["must_exist_in"]),
            key=lambda named: (_number_in(named), named),
        )
    elif kind is RuleKind.FIX and seen.get("files"):
        merged["files"] = list(seen["files"])
    elif kind is RuleKind.SEQUENCE:
        merged |= {name: int(known.get(name, 1)) + int(seen.get(name, 1)) for name in ("times", "succeeded")}
    return merged


def _number_in(named: str) -> int:
    digits = "".join(one for one in named if one.isdigit())
    return int(digits) if digits else 0


def find_ends(rules: Iterable[LearnedRule], idle_runs: int = _IDLE_RUNS) -> tuple[RuleEnd, ...]:
    """The rules that go: alike ones into the surest, contradicted ones, weak ones. Each at most once."""
    ends: dict[int, RuleEnd] = {}
    groups: dict[tuple[object, ...], list[LearnedRule]] = defaultdict(list)
    for one in rules:
        groups[(one.kind, one.project_id, like_key(one))].append(one)
    for alike in groups.values():
        for end in _rivals(alike):
            ends[end.rule.id] = end
        for one in alike:
            if one.id not in ends and is_weak(one, idle_runs):
                ends[one.id] = RuleEnd(one, f"seen {_times(one.seen_count)}, not again in {one.idle_runs} runs")
    return tuple(ends[number] for number in sorted(ends))


def _rivals(alike: Sequence[LearnedRule]) -> list[RuleEnd]:
    best = max(alike, key=lambda one: (one.is_edited, not one.is_on, one.confidence, one.seen_count, -one.id))
    found = []
    for one in alike:
        if one is best or one.is_edited or not one.is_on:
            continue
        if one.candidate.identity == best.candidate.identity:
            found.append(RuleEnd(one, f"like “{best.pattern}”", best.id))
        elif not _is_part(one, best):
            found.append(RuleEnd(one, f"contradicts “{best.pattern}”, which is surer ({best.confidence:.2f})"))
    return found


def _is_part(one: LearnedRule, best: LearnedRule) -> bool:
    """Two rules of one phrase agree when one wants a part of what the other wants, and both are as often seen."""
    own, other = set(one.details.get("intents", ())), set(best.details.get("intents", ()))
    return bool(own) and own < other and one.confidence >= best.confidence


def like_key(rule: LearnedRule) -> str:
    """Equal for patterns that say the same: without courtesy, number of a noun, or the name of a slot's kind.

    >>> from datetime import datetime, UTC
    >>> at = datetime(2026, 1, 1, tzinfo=UTC)
    >>> of = lambda pattern: like_key(LearnedRule(1, RuleKind.PHRASE, pattern, {}, 0.6, 1, at, at, 0))
    >>> of("run the tests"), of("run tests"), of("add {feature}") == of("add {component}")
    ('run test', 'run test', True)
    """
    if rule.kind is not RuleKind.PHRASE:
        return rule.pattern
    return " ".join(_like_word(word) for word in rule.pattern.split() if word not in _SMALL)


_SMALL = frozenset({"the", "a", "an", "please", "now", "just", "also", ","})
_SAME_SLOT = {"{component}": "{feature}", "{thing}": "{feature}", "{symbol}": "{feature}", "{name}": "{feature}"}


def _like_word(word: str) -> str:
    if word.startswith("{"):
        return _SAME_SLOT.get(word, word)
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def take_over(rule: LearnedRule, gone: LearnedRule) -> LearnedRule:
    """`rule` with what `gone`, which is like it, had seen."""
    seen = rule.seen_count + gone.seen_count
    return replace(
        rule,
        seen_count=seen,
        confidence=rule.confidence if rule.is_edited else max(rule.confidence, gone.confidence, confidence_of(seen)),
        first_seen_at=min(rule.first_seen_at, gone.first_seen_at),
        last_seen_at=max(rule.last_seen_at, gone.last_seen_at),
        idle_runs=min(rule.idle_runs, gone.idle_runs),
        conversation_ids=tuple(dict.fromkeys((*rule.conversation_ids, *gone.conversation_ids)))[-CONVERSATIONS_KEPT:],
        changed_count=rule.changed_count + gone.changed_count,
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
