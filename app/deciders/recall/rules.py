"""The word lists of recall: stop words, irregular forms, synonyms, kinds of technology, words that say that something was replaced.

Owns reading `resources/rules/recall/recall.yaml`; knows no text and no index. Source: STYLE rule 10 "every word list in resources".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.language.stems import load_irregular, stem
from app.resources import load_rules, misfit

_ONE_WORD = re.compile(r"[a-z][a-z0-9]{2,}")


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
    kinds: Mapping[str, frozenset[str]]  # "which database": stem of the kind → stems of names that are of it

    @classmethod
    def parse(cls, rules: Mapping[str, Any], technologies: Mapping[str, Any]) -> "RecallRules":
        """`technologies`: the gazetteer's rules. Raises InvalidError when a list is missing or of another kind."""
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
                kinds={
                    stem(str(kind)): frozenset(one for name in listed for one in _names_of(str(name), technologies))
                    for kind, listed in rules["kinds"].items()
                },
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


def _names_of(name: str, technologies: Mapping[str, Any]) -> Iterator[str]:
    """Stems of all names of a category of the gazetteer that are one word and no everyday word; of any other word its own.

    >>> sorted(_names_of("databases", {"databases": {"PostgreSQL": ["postgres"], "Dgraph": [], "Oracle DB": []}, "guarded": ["dgraph"]}))
    ['postgr', 'postgresql']
    >>> list(_names_of("tablet", {}))
    ['tablet']
    """
    category = technologies.get(name)
    if not isinstance(category, Mapping):
        yield stem(name)
        return
    guarded = set(technologies.get("guarded", ()))
    for written in (str(one).lower() for known, others in category.items() for one in (known, *others)):
        if _ONE_WORD.fullmatch(written) and written not in guarded:
            yield stem(written)


@cache
def load_recall_rules() -> RecallRules:
    """The shipped rules. The cut of words may not differ between two people: the index is built with it."""
    return RecallRules.parse(load_rules("recall"), load_rules("gazetteer"))
