"""The words that do not change what a memory says: read from `resources/rules/likeness.yaml`. Decides nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)  # compared and hashed by identity: a cache key
class LikenessRules:
    weak: frozenset[str]  # carry no content: articles, "use", "is set to"
    modals: frozenset[str]  # as weak, but not in a question
    same: Mapping[str, str]  # word or phrase -> the word that stands for its group
    phrases: tuple[tuple[str, str], ...]  # of several words, longest first
    negations: frozenset[str]
    opposites: Mapping[str, frozenset[str]]
    touching: frozenset[str]  # stems that say the same in a ban

    @staticmethod
    def parse(rules: Mapping[str, Any]) -> "LikenessRules":
        """The lists of the file. Raises KeyError for a missing one, ValueError for a group named by two words."""
        same: dict[str, str] = {}
        for name, words in rules["same"].items():
            if " " in str(name):
                raise ValueError(f"the name of a group is one word: {name}")
            for word in map(str, words):
                same[word.lower()] = str(name).lower()
        phrases = sorted(((one, name) for one, name in same.items() if " " in one), key=lambda pair: -len(pair[0]))
        opposites: dict[str, set[str]] = {}
        for pair in rules["opposites"]:
            one, other = map(str, pair)
            opposites.setdefault(one, set()).add(other)
            opposites.setdefault(other, set()).add(one)
        return LikenessRules(
            weak=frozenset(map(str, rules["weak"])),
            modals=frozenset(map(str, rules["modals"])),
            same={word: name for word, name in same.items() if " " not in word},
            phrases=tuple(phrases),
            negations=frozenset(map(str, rules["negations"])),
            opposites={word: frozenset(others) for word, others in opposites.items()},
            touching=frozenset(map(str, rules["touching"])),
        )
