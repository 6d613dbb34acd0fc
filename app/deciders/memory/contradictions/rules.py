"""The words that tell a contradiction where no slot does: read from `resources/rules/contradictions.yaml`. Decides nothing."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from app.language.likeness_stems import stem
from app.resources import load_rules, misfit


@dataclass(frozen=True, slots=True, eq=False)  # compared and hashed by identity: a cache key
class ContradictionRules:
    hedges: re.Pattern[str]
    goals: re.Pattern[str]
    past: re.Pattern[str]
    questions: re.Pattern[str]
    decided: re.Pattern[str]
    changes: re.Pattern[str]
    retirements: re.Pattern[str]
    after_retired: re.Pattern[str]
    retired_ends: frozenset[str]
    generic: frozenset[str]  # stems
    floors: frozenset[str]
    conditions: re.Pattern[str]
    exclusive: Mapping[str, int]  # word -> number of its group
    opposites: Mapping[str, frozenset[str]]  # stems
    units: Mapping[str, tuple[str, float]]
    number_words: Mapping[str, int]
    everybody: frozenset[str]
    irregular: Mapping[str, str]  # form -> word, and other name -> name
    everywhere: frozenset[str]  # stems
    runs: frozenset[str]  # stems
    bonds: frozenset[str]
    held_in: frozenset[str]
    light: frozenset[str]  # stems
    no_denials: frozenset[str]
    single: frozenset[str]  # stems
    shells: frozenset[str]  # stems
    mechanisms: frozenset[str]

    @staticmethod
    def parse(rules: Mapping[str, Any]) -> "ContradictionRules":
        """The lists of the file. Raises KeyError for a missing one, ValueError for a wrong value."""
        exclusive: dict[str, int] = {}
        for number, group in enumerate(rules["exclusive"]):
            for word in map(str, group):
                exclusive.setdefault(word.lower(), number)
        opposites: dict[str, set[str]] = {}
        for pair in rules["opposites"]:
            one, other = (stem(str(word).lower()) for word in pair)
            opposites.setdefault(one, set()).add(other)
            opposites.setdefault(other, set()).add(one)
        return ContradictionRules(
            hedges=_any_of(rules["hedges"]),
            goals=_any_of(rules["goals"]),
            past=_any_of(rules["past"]),
            questions=_any_of(rules["questions"]),
            decided=_any_of(rules["decided"]),
            changes=_any_of(rules["changes"]),
            retirements=_any_of(rules["retirements"]),
            after_retired=_any_of(rules["after_retired"]),
            retired_ends=frozenset(map(str, rules["retired_ends"])),
            generic=frozenset(stem(str(word).lower()) for word in rules["generic"]),
            floors=frozenset(stem(str(word).lower()) for word in rules["floors"]),
            conditions=_any_of(rules["conditions"]),
            exclusive=exclusive,
            opposites={word: frozenset(others) for word, others in opposites.items()},
            units={str(name): (str(unit[0]), float(unit[1])) for name, unit in rules["units"].items()},
            number_words={str(word): int(value) for word, value in rules["number_words"].items()},
            everybody=frozenset(stem(str(word)) for word in rules["everybody"]),
            shells=frozenset(stem(str(word)) for word in rules["shells"]),
            mechanisms=frozenset(map(str, rules["mechanisms"])),
            irregular={str(word): str(base) for word, base in rules["irregular"].items()}
            | {str(word): str(name) for name, others in rules["names"].items() for word in others},
            held_in=frozenset(map(str, rules["held_in"])),
            light=frozenset(stem(str(word)) for word in rules["light"]),
            no_denials=frozenset(map(str, rules["no_denials"])),
            bonds=frozenset(map(str, rules["bonds"])),
            single=frozenset(stem(str(word)) for word in rules["single"]),
            everywhere=frozenset(stem(str(word)) for word in rules["everywhere"]),
            runs=frozenset(stem(str(word)) for word in rules["runs"]),
        )


def _any_of(phrases: Iterable[object]) -> re.Pattern[str]:
    """One of these words or phrases, whole. Raises ValueError for an empty one, which would stand everywhere."""
    phrases = list(phrases)
    if not all(str(phrase).strip() for phrase in phrases):
        raise ValueError("an empty phrase")
    body = "|".join(re.escape(str(phrase).lower()) for phrase in sorted(map(str, phrases), key=len, reverse=True))
    return re.compile(rf"(?<![\w-])(?:{body})(?![\w-])")


def load_contradiction_rules(folder: Path | None = None) -> ContradictionRules:
    """The shipped rules, with a person's own file in `folder` laid over them; the shipped ones are read once."""
    return _shipped() if folder is None else _load(folder)


@cache
def _shipped() -> ContradictionRules:
    return _load(None)


def _load(folder: Path | None) -> ContradictionRules:
    try:
        return ContradictionRules.parse(load_rules("contradictions", folder))
    except (KeyError, TypeError, ValueError, AttributeError, re.error) as error:
        raise misfit("contradictions", error) from error
