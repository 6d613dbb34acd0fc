"""Finds the pattern that reads a sentence best, and the doubts that speak against reading it as a statement.

Owns the order of checks: a doubt in the main clause beats every pattern. Knows nothing of messages and references.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.memory.phrasing import cut_tail, is_vague
from app.memory.rules import MemoryRules, Pattern, compiled
from app.memory.slots import Filling, fill_slot, find_attributes, find_technologies
from app.values import Entity, EntityKind

_WORD = re.compile(r"[a-z][\w'-]*|[=:]", re.IGNORECASE)
_CLAUSE = re.compile(r"(?:,|;| [–—-]+|:) (?:and |but |so |then )?| (?:but|and|so) ", re.IGNORECASE)
_NAMED = re.compile(
    r"\d|`[^`]+`|\b[a-z]+[A-Z]\w*|\w_\w|[\w-]+\.\w{1,5}\b|/\w|--\w|\b[A-Z]{2,}\b|(?<!^)\b[A-Z][a-z]+|\"[^\"]+\"|\w\(\)|\*\.\w"
)
_GENERAL_PLURAL = re.compile(r"^(?:[\w-]+ing\b|(?:[\w-]+ ){0,3}[\w-]{3,}(?<!ss)s\b)")
_WHOLE = frozenset({"question", "hypothetical", "conditional"})  # doubts about the whole sentence, not one clause
_MAX_CLAUSES = 8
_NAMES = frozenset(
    {
        EntityKind.TECHNOLOGY,
        EntityKind.FILE,
        EntityKind.PATH,
        EntityKind.SYMBOL,
        EntityKind.QUOTED,
        EntityKind.VALUE,
        EntityKind.COMMAND,
    }
)


@dataclass(frozen=True, slots=True)
class Match:
    pattern: Pattern
    text: str  # as the memory is to read, before it is neutralised
    groups: Mapping[str, str]
    filling: Filling | None


def is_suspicious(text: str, rules: MemoryRules) -> str | None:
    """Why the text would steer an assistant against its person; None when it would not."""
    for doubt in rules.instruction_like:
        if compiled(doubt.expression).search(text):
            return doubt.reason
    return None


def best_match(core: str, entities: Sequence[Entity], rules: MemoryRules, *, is_by_hand: bool = False) -> Match | None:
    """The surest pattern that reads the sentence, if nothing speaks against it. Ties go to the first of the file."""
    words = {word.lower() for word in _WORD.findall(core)}
    patterns = rules.candidates(words)
    if not patterns or (not is_by_hand and _doubt(cut_tail(core, rules), rules, is_whole=True)):
        return None
    best: Match | None = None
    for pattern in patterns:
        if best is not None and pattern.confidence <= best.pattern.confidence:
            continue
        match = _try(pattern, core, entities, rules, is_by_hand=is_by_hand)
        best = match or best
    return best


def _doubt(text: str, rules: MemoryRules, *, is_whole: bool) -> bool:
    return any(
        compiled(doubt.expression).search(text) is not None
        for doubt in rules.doubts
        if (doubt.kind in _WHOLE) is is_whole
    )


def _try(
    pattern: Pattern, core: str, entities: Sequence[Entity], rules: MemoryRules, *, is_by_hand: bool
) -> Match | None:
    for start in _starts(core) if pattern.place == "clause" else (0,):
        said = core[start:]
        expression = compiled(pattern.expression)
        found = expression.search(said) if pattern.place == "any" else expression.match(said)
        if found is None or (pattern.unless and compiled(pattern.unless).search(said)):
            continue
        clause = cut_tail(core[_clause_start(core, start + found.start()) :], rules)
        if not is_by_hand and _doubt(clause, rules, is_whole=False):
            continue
        groups = {name: value.strip() for name, value in found.groupdict(default="").items()}
        text = _text(pattern, found, groups)
        filling = _suffices(pattern, text, groups, entities, rules)
        if filling is not None:
            return Match(pattern, text, groups, filling if filling.slot else None)
    return None


def _starts(core: str) -> Iterator[int]:
    yield 0
    for count, found in enumerate(_CLAUSE.finditer(core)):
        if count == _MAX_CLAUSES:
            return
        yield found.end()


def _clause_start(core: str, place: int) -> int:
    return max((found.end() for found in _CLAUSE.finditer(core) if found.end() <= place), default=0)


def _text(pattern: Pattern, found: re.Match[str], groups: Mapping[str, str]) -> str:
    if not pattern.text:
        return found[0].strip(" ,;:")
    text = pattern.text.format(**{name: value or "" for name, value in groups.items()})
    if pattern.keeps_rest:
        rest = found.string[found.end("new") :]
        text = f"{text}{rest}"
    return " ".join(text.split())


def _suffices(
    pattern: Pattern, text: str, groups: Mapping[str, str], entities: Sequence[Entity], rules: MemoryRules
) -> Filling | None:
    """The slot of the text when everything that the pattern needs is there; None when something is missing."""
    needs = pattern.needs
    if "thing" in needs and is_vague(groups.get("new") or groups.get("object") or groups.get("rest") or text, rules):
        return None
    if "named" in needs and not _is_named(text, entities, rules):
        return None
    if "standing" in needs and not _is_standing(groups.get("new") or text, rules):
        return None
    filling = fill_slot(text, rules.slots, new=groups.get("new", ""), old=groups.get("old", ""), entities=entities)
    if "value" in needs and not filling.value:
        return None
    if "slot_subject" in needs and not _names_slot(groups.get("subject", ""), filling, rules):
        return None
    return filling


def _is_named(text: str, entities: Sequence[Entity], rules: MemoryRules) -> bool:
    low = text.lower()
    return (
        _NAMED.search(text) is not None
        or any(one.kind in _NAMES and one.text.lower() in low for one in entities)
        or bool(find_technologies(text, entities, rules.slots))
        or bool(find_attributes(text, rules.slots))
    )


def _is_standing(text: str, rules: MemoryRules) -> bool:
    words = text.lower().split()
    return bool(rules.standing_words.intersection(words)) or _GENERAL_PLURAL.match(text.lower()) is not None


def _names_slot(subject: str, filling: Filling, rules: MemoryRules) -> bool:
    return filling.slot is not None and any(
        one.name == filling.slot.attribute for one in find_attributes(subject, rules.slots)
    )
