"""Whether two statements say the same, one of them perhaps more. Pure.

A wrong merge loses a memory, so the words that carry something must all are in the other, in the same order, and neither may deny,
limit or name anything that the other does not. Source: S4 `merge_similar_facts`, QUALITY A6.
"""

import re

from app.deciders.memory.rules import MemoryRules, load_memory_rules
from app.deciders.memory.sketch import list_names
from app.language.likeness import NEGATION, content_words

_LEAST_WORDS = 4
_LONGEST_RATIO = 2  # of the words of the shorter: what is longer says something else besides
_DENIES = re.compile(r"\b(?:not|never|no|nor|none|nothing|without|cannot|nobody)\b|n['’]t\b", re.IGNORECASE)
_FILLERS = frozenset({"accord", "also", "alway", "too"})  # stems that add nothing to a rule
_ASIDE = re.compile(r" \([^()]*\)|; [^;]+$")  # in brackets, or a last clause of its own
_LIMITS = re.compile(  # when, where or how far it holds; and which way
    r"\b(?:if|when|whenever|unless|until|while|only|except|once|where|as long as|for now|temporarily|in case|during|before|after"
    r"|by default|at most|at least|sometimes|usually|mostly|mainly|rather|instead|again|off|out|away|far|from|start|stop)\b",
    re.IGNORECASE,
)


def says_same(one: str, other: str, rules: MemoryRules | None = None) -> bool:
    """Whether one of the two says all that the other says.

    >>> brief, whole = "Old orders are shown in one row.", "In the list old orders are shown in one row, to leave room for new ones."
    >>> says_same(brief, whole), says_same(whole, brief)
    (True, True)
    >>> says_same(brief, "Old orders are shown in one row if the list is full.")
    False
    >>> says_same("The shop pays the courier for each order.", "The courier pays the shop for each order.")
    False
    """
    rules = rules or load_memory_rules()
    if _found(_LIMITS, one) != _found(_LIMITS, other):
        return False
    if not (_ASIDE.search(one) and _ASIDE.search(other)):  # two asides may be what tells them apart
        one, other = (_ASIDE.sub("", text) for text in (one, other))
    if len(_DENIES.findall(one)) != len(_DENIES.findall(other)):
        return False
    sides = [(_words(text, rules), set(list_names(text))) for text in (one, other)]
    (shorter, names), (longer, all_names) = sorted(sides, key=lambda side: len(side[0]))
    is_long_enough = len(set(shorter)) >= _LEAST_WORDS and len(longer) <= _LONGEST_RATIO * len(shorter)
    return is_long_enough and names <= all_names and _is_part_of(shorter, longer)


def _found(pattern: re.Pattern[str], text: str) -> set[str]:
    return {word.casefold() for word in pattern.findall(text)}


def _words(text: str, rules: MemoryRules) -> list[str]:
    return [word for word in content_words(text, rules.likeness) if word != NEGATION and word not in _FILLERS]


def _is_part_of(shorter: list[str], longer: list[str]) -> bool:
    """Whether all words of the shorter are in the longer, in their order."""
    rest = iter(longer)
    return all(word in rest for word in shorter)
