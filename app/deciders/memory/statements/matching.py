"""Finds the pattern that reads a sentence best, and the doubts that speak against reading it as a statement.

Owns the order of checks: a doubt in the main clause beats every pattern. Knows nothing of messages and references.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.deciders.memory.rules import Doubt, MemoryRules, Pattern, compiled
from app.deciders.memory.slots.slots import FilledSlot, fill_slot, find_attributes, find_technologies
from app.deciders.memory.statements.dangerous_order_model import sounds_dangerous
from app.deciders.memory.statements.dangerous_orders import find_danger
from app.deciders.memory.statements.phrasing import cut_tail, is_vague
from app.values import Entity, EntityKind, FactType

_WORD = re.compile(r"[a-z][\w'-]*|[=:]", re.IGNORECASE)
_DATE = re.compile(r"\d(?:st|nd|rd|th)\b|\b\d{4}-\d\d-\d\d\b|\bq[1-4]\b", re.IGNORECASE)
_CLAUSE = re.compile(r"(?:,|;| [–—-]+|:) (?:and |but |so |then )?| (?:but|and|so) ", re.IGNORECASE)
_NAMED = re.compile(
    r"\d|`[^`]+`|\b[a-z]+[A-Z]\w*|\w_\w|[\w-]+\.\w{1,5}\b|/\w|--\w|\b[A-Z]{2,}\b|(?<!^)\b[A-Z][a-z]+|\"[^\"]+\"|\w\(\)|\*\.\w"
)
_GENERAL_PLURAL = re.compile(r"^(?:[\w-]+ing\b|(?:[\w-]+ ){0,3}[\w-]{3,}(?<!ss)s\b)")
_START = re.compile(
    r"(?:,|;| [–—-]+|:) (?:and |but |so |then )?", re.IGNORECASE
)  # "and" alone goes on with its subject
_OF_NOW = frozenset({FactType.DECISION, FactType.GOAL})  # what holds for now is held all the same
_PASSING = "passing"
_WHOLE = frozenset({"question", "hypothetical", "conditional"})  # doubts about the whole sentence, not one clause
_UNSETTLED = frozenset({"question", "hypothetical", "hedged", "reported"})
_FRAME = re.compile(
    r"((?:for|in|on|when|with|under|during|inside|within|at) (?!case|that|this|now|it\b)[^,]{2,50}), *$", re.IGNORECASE
)
_LEASTBARE_WORDS = 4
BARE = Pattern(
    id="told",
    type=FactType.FACT,
    confidence=0.8,
    words=frozenset(),
    place="start",
    expression="",
    unless="",
    needs=frozenset(),
    text="",
    keeps_rest=False,
    is_negated=False,
    reason="asks to remember it",
)
_MAX_CLAUSES = 8
_NEAR_WORDS = 7
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
    filling: FilledSlot | None


def is_suspicious(text: str, rules: MemoryRules) -> str | None:
    """Why the text would steer an assistant against its person; None when it would not."""
    return is_surely_suspicious(text, rules) or sounds_dangerous(text) or None


def is_surely_suspicious(text: str, rules: MemoryRules) -> str | None:
    """The same by expressions alone, whose rare false ones may wait for the person even where nothing would be learned."""
    return find_danger(text) or next((doubt.reason for doubt in rules.instruction_like if doubt.applies(text)), None)


def best_match(core: str, entities: Sequence[Entity], rules: MemoryRules, *, is_by_hand: bool = False) -> Match | None:
    """The surest pattern that reads the sentence, if nothing speaks against it. Ties go to the first of the file."""
    words = set(_WORD.findall(core.lower()))
    if _DATE.search(core) is not None:
        words.add("#date")
    best: Match | None = None
    for pattern in rules.candidates(words):
        if best is not None and pattern.confidence <= best.pattern.confidence:
            continue
        if pattern.asks_attribute and rules.slots.attribute_starts.keys().isdisjoint(words):
            continue  # cheaper than its expression
        match = _try(pattern, core, entities, rules, is_by_hand=is_by_hand)
        is_first = best is None and match is not None and not is_by_hand
        if is_first and _doubt(cut_tail(core, rules.cut_after), rules, is_whole=True):
            return None  # asked late: most sentences match nothing
        best = match or best
    return best


def doubts_sentence(text: str, rules: MemoryRules) -> bool:
    """Whether the sentence as a whole asks, supposes or holds under a condition only."""
    return _doubt(text, rules, is_whole=True)


def doubts_clause(text: str, rules: MemoryRules) -> bool:
    """Whether the clause itself is hedged, reported, past or passing."""
    return _doubt(text, rules, is_whole=False)


def is_unsettled(text: str, rules: MemoryRules) -> bool:
    """Whether it asks, supposes, hedges or reports, wherever it does: nothing that was learned outweighs that."""
    return any(doubt.applies(text) for doubt in rules.doubts if doubt.kind in _UNSETTLED)


def is_task_after(text: str, rules: MemoryRules) -> bool:
    """Whether the same sentence orders something about what it tells: "the parser allocates twice, profile it"."""
    return compiled(rules.about_to_change).search(text) is not None


def _doubt(text: str, rules: MemoryRules, *, is_whole: bool) -> bool:
    return any(doubt.applies(text) for doubt in rules.doubts if (doubt.kind in _WHOLE) is is_whole)


def _first_doubt(text: str, rules: MemoryRules) -> Doubt | None:
    return next((doubt for doubt in rules.doubts if doubt.kind not in _WHOLE and doubt.applies(text)), None)


def _try(
    pattern: Pattern, core: str, entities: Sequence[Entity], rules: MemoryRules, *, is_by_hand: bool
) -> Match | None:
    for start in _starts(core) if pattern.place == "clause" else (0,):
        rest = core[start:]
        expression = compiled(pattern.expression)
        found = expression.search(rest) if pattern.place == "any" else expression.match(rest)
        if found is None or (pattern.unless and compiled(pattern.unless).search(rest)):
            continue
        clause = cut_tail(core[_clause_start(core, start + found.start()) :], rules.cut_after)
        doubt = None if is_by_hand else _first_doubt(clause, rules)
        if doubt is not None and not (doubt.kind == _PASSING and pattern.type in _OF_NOW):
            continue
        groups = _groups(found)
        text = _text(pattern, found, groups)
        filling = _suffices(pattern, text, groups, entities, rules)
        if (
            doubt is not None
            and pattern.type is FactType.DECISION
            and not (filling is not None and find_technologies(f"to {text}", entities, rules.slots))
        ):
            continue  # "hard-code it for now" is no decision, "stay with Redis for now" is
        if filling is not None:
            return Match(pattern, text, groups, filling if filling.slot else None)
    return None


def _groups(found: re.Match[str]) -> dict[str, str]:
    """What the pattern caught; `to`, `than` and `object` stand for new, old and subject where a second form of it matched."""
    groups = {name: value.strip() for name, value in found.groupdict(default="").items()}
    if groups.get("to") and not groups.get("new"):
        groups |= {"new": groups["to"], "old": groups.get("old") or groups.get("than", "")}
        groups |= {"subject": groups.get("subject") or groups.get("object", "")}
    return groups


def _starts(core: str) -> Iterator[int]:
    yield 0
    for count, found in enumerate(_START.finditer(core)):
        if count == _MAX_CLAUSES:
            return
        yield found.end()


def _clause_start(core: str, place: int) -> int:
    return max((found.end() for found in _CLAUSE.finditer(core) if found.end() <= place), default=0)


def _text(pattern: Pattern, found: re.Match[str], groups: Mapping[str, str]) -> str:
    if not pattern.text:
        return f"{found[0].strip(' ,;:')}{_frame(found)}"
    text = pattern.text.format(**{name: value or "" for name, value in groups.items()})
    if pattern.keeps_rest:
        rest = found.string[found.end("new") :]
        text = f"{text}{rest}"
    return f"{' '.join(text.split())}{_frame(found)}"


def _frame(found: re.Match[str]) -> str:
    """What stood before and says where it holds: "For the importer, let's use …" -> " (for the importer)"."""
    frame = _FRAME.match(found.string[: found.start()])
    return f" ({frame[1][0].lower()}{frame[1][1:]})" if frame is not None else ""


def _suffices(
    pattern: Pattern, text: str, groups: Mapping[str, str], entities: Sequence[Entity], rules: MemoryRules
) -> FilledSlot | None:
    """The slot of the text when everything that the pattern needs is there; None when something is missing."""
    needs, new = pattern.needs, groups.get("new", "")
    if "thing" in needs and is_vague(new or groups.get("object") or groups.get("rest") or text, rules):
        return None
    if "named" in needs and not is_named(text, entities, rules):
        return None
    if "lasting" in needs and not (is_named(text, entities, rules) or _is_lasting(groups.get("rest", ""), rules)):
        return None
    filling = fill_slot(text, rules.slots, groups, entities=entities)
    if any(not _VALUE_NEEDS[need](filling, groups, rules) for need in needs if need in _VALUE_NEEDS):
        return None
    return filling


def is_named(text: str, entities: Sequence[Entity], rules: MemoryRules) -> bool:
    """Whether the text holds a name, number, piece of code, technology or known attribute."""
    low = text.lower()
    return (
        _NAMED.search(text) is not None
        or any(one.kind in _NAMES and one.text.lower() in low for one in entities)
        or bool(find_technologies(text, entities, rules.slots))
        or bool(find_attributes(text, rules.slots))
    )


def _is_lasting(order: str, rules: MemoryRules) -> bool:
    """Whether an order is about things in general: "add new dependencies", not "add the button"."""
    thing = order.lower().split(" ", 1)[-1]
    return _GENERAL_PLURAL.match(thing) is not None or bool(rules.standing_words.intersection(thing.split()))


def _beginning(groups: Mapping[str, str]) -> str:
    """The first words of what is new, inside a sentence: there a capital says that a name is meant."""
    return " ".join(["to", *groups.get("new", "").split()[:_NEAR_WORDS]])


def _has_technology(filling: FilledSlot, groups: Mapping[str, str], rules: MemoryRules) -> bool:
    """Whether the first words of what is new name a known technology."""
    del filling
    return bool(find_technologies(_beginning(groups), (), rules.slots))


def _names_attribute(filling: FilledSlot, groups: Mapping[str, str], rules: MemoryRules) -> bool:
    del filling
    return bool(find_attributes(groups.get("subject", ""), rules.slots))


def told_to_remember(sentence: str, core: str, rules: MemoryRules) -> Match | None:
    """What the person asks to remember, as a fact, when no pattern reads it."""
    is_told = compiled(rules.told).match(sentence) or compiled(rules.told_after).search(sentence.rstrip(".! "))
    is_asked = is_told is not None and len(core.split()) >= _LEASTBARE_WORDS
    if not is_asked or any(doubt.applies(core) for doubt in rules.doubts):
        return None
    return Match(BARE, core, {}, fill_slot(core, rules.slots))


def _has_new_value(filling: FilledSlot, groups: Mapping[str, str], rules: MemoryRules) -> bool:
    """Whether the value stands in the part that says what is so, near its beginning."""
    near = _beginning(groups)
    if find_technologies(near, (), rules.slots):
        return True
    return bool(filling.value) and filling.value.split()[0].lower() in near.lower()


def _has_value(filling: FilledSlot, groups: Mapping[str, str], rules: MemoryRules) -> bool:
    del groups, rules
    return bool(filling.value)


_VALUE_NEEDS: Mapping[str, Callable[[FilledSlot, Mapping[str, str], MemoryRules], bool]] = {
    "value": _has_value,
    "new_value": _has_new_value,
    "technology": _has_technology,
    "attribute_subject": _names_attribute,
}
