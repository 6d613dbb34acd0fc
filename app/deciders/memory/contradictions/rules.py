"""The words that tell a contradiction where no slot does: read from `resources/rules/memory/contradictions.yaml`. Decides nothing."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.language.likeness import Phrases
from app.language.stems import stem
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
    exclusive: Mapping[str, tuple[int, str]]  # word -> number of its group, the alternative that it stands for
    choice_stems: Mapping[tuple[int, str], frozenset[str]]  # an alternative -> stems of all its names
    phrases: Phrases  # several words -> the one they are read as
    months: Mapping[str, int]  # first three letters -> number
    dates: re.Pattern[str]
    rivals: Mapping[str, frozenset[str]]  # product in lower case -> what it is for
    rival_names: Mapping[str, str]  # the same -> as it is written
    rival_starts: frozenset[str]  # the first words of these
    rival_words: Mapping[str, frozenset[str]]  # the same -> words by which one asks for it
    kinds: Mapping[str, frozenset[str]]  # what products are for -> stems of the words by which one asks for it
    everyday: frozenset[str]
    doing: frozenset[str]  # stems
    topics: Mapping[str, frozenset[int]]  # stem -> numbers of its groups
    spans: frozenset[str]  # stems
    measures: Mapping[str, str]  # stems
    additions: re.Pattern[str]
    caring: frozenset[str]  # stems
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
    shells: frozenset[str]  # stems
    mechanisms: frozenset[str]
    asking: frozenset[str]  # stems
    which: frozenset[str]
    switches: tuple[re.Pattern[str], ...]

    @staticmethod
    def parse(rules: Mapping[str, Any]) -> "ContradictionRules":
        """The lists of the file. Raises KeyError for a missing one, ValueError for a wrong value."""
        exclusive: dict[str, tuple[int, str]] = {}
        for number, group in enumerate(rules["exclusive"]):
            for entry in group:
                names = [str(one).lower() for one in (entry if isinstance(entry, list) else [entry])]
                for name in names:
                    exclusive.setdefault(name.replace(" ", "-"), (number, names[0]))
        phrases = [(str(phrase), str(name)) for phrase, name in rules["phrases"].items()]
        phrases += [(name.replace("-", " "), name) for name in exclusive if "-" in name]
        months = {str(name)[:3]: number for number, name in enumerate(rules["months"], 1)}
        topics: dict[str, set[int]] = {}
        for number, group in enumerate(rules["topics"]):
            for word in group:
                topics.setdefault(stem(str(word).lower()), set()).add(number)
        rivals: dict[str, set[str]] = {}
        rival_names: dict[str, str] = {}
        rival_words: dict[str, set[str]] = {}
        kinds: dict[str, frozenset[str]] = {}
        for kind, raw in rules["rivals"].items():
            asked = {one for word in (kind, *raw["words"]) for one in str(word).lower().split()}
            kinds[str(kind)] = frozenset(stem(one) for one in asked)
            for name in map(str, raw["names"]):
                low = name.lower()
                rivals.setdefault(low, set()).add(str(kind))
                rival_names.setdefault(low, name)
                rival_words.setdefault(low, set()).update(asked)
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
            choice_stems={
                one: frozenset(stem(name) for name, other in exclusive.items() if other == one)
                for one in exclusive.values()
            },
            phrases=Phrases.of(sorted(phrases, key=lambda one: -len(one[0]))),
            months=months,
            dates=_dates(map(str, rules["months"])),
            rivals={name: frozenset(found) for name, found in rivals.items()},
            rival_names=rival_names,
            rival_starts=frozenset(name.split(" ")[0] for name in rivals),
            rival_words={name: frozenset(found) for name, found in rival_words.items()},
            kinds=kinds,
            everyday=frozenset(map(str, rules["everyday"])),
            doing=frozenset(stem(str(word)) for word in rules["doing"]),
            topics={word: frozenset(found) for word, found in topics.items()},
            spans=frozenset(stem(str(word)) for word in rules["spans"]),
            measures={stem(str(word)): stem(str(noun)) for word, noun in rules["measures"].items()},
            additions=_any_of(rules["additions"]),
            caring=frozenset(stem(str(word)) for word in rules["caring"]),
            opposites={word: frozenset(others) for word, others in opposites.items()},
            units={str(name): (str(unit[0]), float(unit[1])) for name, unit in rules["units"].items()},
            number_words={str(word): int(value) for word, value in rules["number_words"].items()},
            everybody=frozenset(stem(str(word)) for word in rules["everybody"]),
            shells=frozenset(stem(str(word)) for word in rules["shells"]),
            mechanisms=frozenset(map(str, rules["mechanisms"])),
            which=frozenset(map(str, rules["which"])),
            asking=frozenset(stem(str(word)) for word in rules["asking"]),
            irregular={str(word): str(base) for word, base in rules["irregular"].items()}
            | {str(word): str(name) for name, others in rules["names"].items() for word in others},
            held_in=frozenset(map(str, rules["held_in"])),
            light=frozenset(stem(str(word)) for word in rules["light"]),
            no_denials=frozenset(map(str, rules["no_denials"])),
            switches=tuple(re.compile(str(one), re.IGNORECASE) for one in rules["switches"]),
            bonds=frozenset(map(str, rules["bonds"])),
            everywhere=frozenset(stem(str(word)) for word in rules["everywhere"]),
            runs=frozenset(stem(str(word)) for word in rules["runs"]),
        )


def _dates(months: Iterable[str]) -> re.Pattern[str]:
    """ "3 March", "March 3rd", "3. Mar"."""
    month = "(?:" + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in months) + ")"
    return re.compile(
        rf"(?<!\w)(?:the )?(?:(?P<day>[0-3]?\d)(?:st|nd|rd|th|\.)?(?: of)? (?P<month>{month})|"
        rf"(?P<month_before>{month}) (?P<day_after>[0-3]?\d)(?:st|nd|rd|th|\.)?)(?!\w)(?:,? \d{{4}})?",
        re.IGNORECASE,
    )


def _any_of(phrases: Iterable[object]) -> re.Pattern[str]:
    """One of these words or phrases, whole. Raises ValueError for an empty one, which would stand everywhere."""
    phrases = list(phrases)
    if not all(str(phrase).strip() for phrase in phrases):
        raise ValueError("an empty phrase")
    body = "|".join(re.escape(str(phrase).lower()) for phrase in sorted(map(str, phrases), key=len, reverse=True))
    return re.compile(rf"(?<![\w-])(?:{body})(?![\w-])")


@cache
def load_contradiction_rules() -> ContradictionRules:
    try:
        return ContradictionRules.parse(load_rules("contradictions"))
    except (KeyError, TypeError, ValueError, AttributeError, re.error) as error:
        raise misfit("contradictions", error) from error
