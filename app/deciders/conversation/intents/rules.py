"""The ordered keyword rules for intents: parsed from resources/rules/conversation/intents.yaml, matched against a message's clauses.

A rule names phrases, not regular expressions, so that a person can add one: words, `a|b` one of, `(word)` may be left
out, `*` any one word, `...` up to five words, `@name` a word list of the file, `?` the question mark. What intents mean
together is decided in intents.py.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from app.deciders.conversation.intents.features import MAX_CLAUSES, MessageShape
from app.errors import InvalidError
from app.values import Intent

_BREAK = "¦ "  # between clauses in the matched string
_OPENING = frozenset({"whole", "start", "clause"})  # places whose match begins a clause
_PLACES = ("whole", "start", "clause", "end", "anywhere", "shape")


@dataclass(frozen=True, slots=True)
class RuleHit:
    """A rule that matched. `is_clause`: the matched clause stands for itself (an order, a question of its own)."""

    intent: Intent
    confidence: float
    reason: str
    clause_index: int
    is_clause: bool


@dataclass(frozen=True, slots=True)
class _Rule:
    intent: Intent
    confidence: float
    place: str
    pattern: str  # a regular expression; empty for shape rules. Compiled when first needed: most rules never are
    openings: frozenset[str] | None  # words a match can begin with; None = any
    unless: str
    previous: frozenset[Intent]
    marks: frozenset[str]
    without_marks: frozenset[str]
    word_range: tuple[int, int]
    reason: str
    is_final: bool


@dataclass(frozen=True, slots=True)
class IntentRules:
    """Parsed rules and the numbers that weigh them against the classifier (each explained in the file)."""

    rules: tuple[_Rule, ...]
    fillers: frozenset[str]
    priors: Mapping[Intent, float]
    model_weight: float
    rule_weight: float
    later_clause_ratio: float
    last_clause_ratio: float
    temperature: float
    further_share: float
    further_rule_confidence: float
    further_count: int

    @classmethod
    def parse(cls, rules: Mapping[str, Any]) -> "IntentRules":
        """The rules in the mapping of intents.yaml. Raises InvalidError naming the rule that is wrong."""
        try:
            words = {name: tuple(map(str, entries)) for name, entries in rules.get("words", {}).items()}
            numbers = {name: float(value) for name, value in rules["numbers"].items()}
            return cls(
                rules=tuple(_parse_rule(raw, words) for raw in rules["rules"]),
                fillers=frozenset(map(str, rules.get("fillers", ()))),
                priors={Intent(name): float(value) for name, value in rules.get("priors", {}).items()},
                model_weight=numbers["model_weight"],
                rule_weight=numbers["rule_weight"],
                later_clause_ratio=numbers["later_clause_ratio"],
                last_clause_ratio=numbers["last_clause_ratio"],
                temperature=numbers["temperature"],
                further_share=numbers["further_share"],
                further_rule_confidence=numbers["further_rule_confidence"],
                further_count=int(numbers["further_count"]),
            )
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise InvalidError(
                f"The rule file intents.yaml is not right: {error}",
                hint="Compare your own intents.yaml with the shipped one.",
            ) from error

    def find_hits(self, shape: MessageShape, previous: Sequence[Intent]) -> Iterator[RuleHit]:
        """The places where rules match, in the order of the rules; a final rule ends the search."""
        clauses = tuple(self._without_fillers(shape))
        line = _BREAK + _BREAK.join(" ".join(clause) + " " for clause in clauses) + _BREAK
        words = {word for clause in clauses for word in clause}
        openings = {clause[0] for clause in clauses}
        for rule in self.rules:
            if rule.openings is not None and rule.openings.isdisjoint(openings if rule.place in _OPENING else words):
                continue
            found = self._match(rule, shape, line, previous)
            yield from found
            if found and rule.is_final:
                return

    def _match(self, rule: _Rule, shape: MessageShape, line: str, previous: Sequence[Intent]) -> tuple[RuleHit, ...]:
        if not _fits(rule, shape, previous):
            return ()
        if not rule.pattern:
            return (RuleHit(rule.intent, rule.confidence, rule.reason, 0, is_clause=False),)
        matches = tuple(islice(_compiled(rule.pattern).finditer(line), MAX_CLAUSES))
        if not matches or (rule.unless and _compiled(rule.unless).search(line)):
            return ()
        return tuple(self._hit(rule, match, line) for match in matches)

    def _hit(self, rule: _Rule, match: re.Match[str], line: str) -> RuleHit:
        breaks_before = line.count(_BREAK, 0, match.start())
        clause_index = breaks_before if match[0].startswith(_BREAK) else breaks_before - 1
        ratio = 1.0
        if clause_index > 0 and rule.place == "clause":
            is_last = clause_index == line.count(_BREAK) - 2
            ratio = self.last_clause_ratio if is_last else self.later_clause_ratio
        phrase = match[0].replace(_BREAK, "").replace(" ?", "?").strip()
        is_clause = rule.place in {"start", "clause", "whole"}
        return RuleHit(rule.intent, rule.confidence * ratio, rule.reason.format(said=phrase), clause_index, is_clause)

    def _without_fillers(self, shape: MessageShape) -> Iterator[Sequence[str]]:
        kept = False
        for clause in shape.clauses:
            start = 0
            while start < len(clause) - 1 and clause[start] in self.fillers:
                start += 1
            rest = clause[start:]
            if len(rest) == 1 and rest[0] in self.fillers and (len(shape.clauses) > 1):
                continue
            kept = True
            yield rest
        if not kept and shape.clauses:
            yield shape.clauses[0]


def _fits(rule: _Rule, shape: MessageShape, previous: Sequence[Intent]) -> bool:
    least, most = rule.word_range
    return (
        least <= shape.word_count <= most
        and rule.marks <= shape.marks
        and not rule.without_marks & shape.marks
        and (not rule.previous or bool(rule.previous.intersection(previous)))
    )


def _parse_rule(raw: Mapping[str, Any], words: Mapping[str, tuple[str, ...]]) -> _Rule:
    try:
        place = str(raw["where"])
        confidence = float(raw["confidence"])
        if place not in _PLACES or not 0.0 < confidence < 1.0:
            raise ValueError(f"where is one of {', '.join(_PLACES)}, confidence between 0 and 1")
        reason = str(raw["reason"])
        reason.format(said="")
        return _Rule(
            intent=Intent(raw["intent"]),
            confidence=confidence,
            place=place,
            pattern="" if place == "shape" else _pattern(raw["phrases"], words, place),
            openings=None if place == "shape" else _openings(raw["phrases"], words),
            unless=_pattern(raw["unless"], words, "anywhere") if "unless" in raw else "",
            previous=frozenset(Intent(name) for name in raw.get("previous", ())),
            marks=frozenset(raw.get("marks", ())),
            without_marks=frozenset(raw.get("without_marks", ())),
            word_range=(int(raw.get("min_words", 0)), int(raw.get("max_words", 1_000_000))),
            reason=reason,
            is_final=bool(raw.get("final", False)),
        )
    except (KeyError, IndexError, ValueError, TypeError, AttributeError) as error:
        raise InvalidError(
            f"A rule in intents.yaml is not right: {dict(raw)!r:.120} ({error})",
            hint="Correct the rule in your own intents.yaml or remove it.",
        ) from error


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _pattern(phrases: Sequence[str], words: Mapping[str, tuple[str, ...]], place: str) -> str:
    body = "|".join(_phrase_pattern(phrase, words) for phrase in phrases)
    around = {
        "whole": rf"^{_BREAK}(?:{body}){_BREAK}$",
        "start": rf"^{_BREAK}(?:{body})",
        "clause": rf"{_BREAK}(?:{body})",
        "end": rf"[ ](?:{body}){_BREAK}$",
        "anywhere": rf"[ ](?:{body})",
    }
    return around[place]


def _phrase_pattern(phrase: str, words: Mapping[str, tuple[str, ...]]) -> str:
    parts = phrase.split()
    if all(_is_optional(part) for part in parts):
        raise ValueError(f"{phrase!r} would match everything: not all of its words may be left out")
    return "".join(_part_pattern(part, words) for part in parts)


def _is_optional(part: str) -> bool:
    return part == "..." or (part.startswith("(") and part.endswith(")"))


def _part_pattern(part: str, words: Mapping[str, tuple[str, ...]]) -> str:
    if part == "...":
        return r"(?:[^ ¦]+ ){0,5}?"
    if part == "*":
        return r"[^ ¦]+ "
    if part == "¦":
        return _BREAK
    if _is_optional(part):
        return f"(?:{_part_pattern(part[1:-1], words)})?"
    return f"(?:{'|'.join(map(re.escape, _choices(part, words)))}) "


def _choices(part: str, words: Mapping[str, tuple[str, ...]]) -> list[str]:
    if part[0] == "(" or part[-1] == ")":
        raise ValueError(f"{part!r}: brackets hold one word or one list of choices, without spaces")
    return [word for choice in part.split("|") for word in (words[choice[1:]] if choice[:1] == "@" else (choice,))]


def _openings(phrases: Sequence[str], words: Mapping[str, tuple[str, ...]]) -> frozenset[str] | None:
    """The words that a match of any of the phrases can begin with; None when that is any word."""
    found: set[str] = set()
    for phrase in phrases:
        for part in phrase.split():
            inner = part[1:-1] if part != "..." and _is_optional(part) else part
            if inner in {"*", "...", "¦"}:
                return None
            found.update(choice.split(" ", 1)[0] for choice in _choices(inner, words))
            if not _is_optional(part):
                break
    return frozenset(found)
