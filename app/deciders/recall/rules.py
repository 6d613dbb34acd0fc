"""The word lists of recall: stop words, irregular forms, synonyms, words that say that something was replaced.

Owns reading `resources/rules/recall/recall.yaml`; knows no text and no index. Source: STYLE rule 10 "every word list in resources".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.language.stems import load_irregular, stem
from app.resources import load_rules, misfit


@dataclass(frozen=True, slots=True)
class RecallRules:
    stop_words: frozenset[str]
    irregular: Mapping[str, str]
    calendar: frozenset[str]  # months and days: written with a capital letter, yet nobody's name
    change_words: frozenset[str]  # a statement with one of these replaces an earlier one
    stop_stems: frozenset[str]
    talk_stems: frozenset[str]  # of words that say nothing of what is talked about
    change_stems: frozenset[str]
    negation_stems: frozenset[str]  # those of them that deny
    asking: frozenset[str]  # one or two words: a sentence that begins so asks, with or without its mark
    phrases: Mapping[str, str]  # several words -> the one that is looked for instead
    synonyms: Mapping[str, tuple[str, ...]]  # stem → stems that mean nearly the same

    @classmethod
    def parse(cls, rules: Mapping[str, Any]) -> "RecallRules":
        """Raises InvalidError when a list is missing or of another kind."""
        try:
            return cls(
                stop_words=frozenset(str(word) for word in rules["stop_words"]),
                irregular=load_irregular(),
                calendar=frozenset(str(word) for word in rules["calendar"]),
                change_words=frozenset(str(word) for word in rules["change_words"]),
                stop_stems=frozenset(stem(str(word)) for word in rules["stop_words"]),
                talk_stems=frozenset(stem(str(word)) for word in rules["talk"]),
                change_stems=frozenset(stem(str(word)) for word in rules["change_words"]),
                negation_stems=frozenset(stem(str(word)) for word in rules["negations"]),
                asking=frozenset(str(word) for word in rules["asking"]),
                phrases={str(one): str(name) for name, listed in rules["phrases"].items() for one in listed},
                synonyms=_stemmed([[str(word) for word in group] for group in rules["synonyms"]]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise misfit("recall", error) from error


def _stemmed(groups: Sequence[Sequence[str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for group in groups:
        stems = tuple(dict.fromkeys(stem(word) for word in group))
        for one in stems:
            others = tuple(other for other in stems if other != one)
            found[one] = tuple(dict.fromkeys(found.get(one, ()) + others))
    return found


@cache
def load_recall_rules() -> RecallRules:
    """The shipped rules. The cut of words may not differ between two people: the index is built with it."""
    return RecallRules.parse(load_rules("recall"))
