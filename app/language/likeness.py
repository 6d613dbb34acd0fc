"""Words reduced to what they say, to compare texts: stems, synonyms folded, negations marked, "50ms" as "50 ms"; and a text's key.

The words that change nothing are in `resources/rules/memory/likeness.yaml`. Knows nothing of slots and types.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from app.language.stems import stem

_WORD = re.compile(r"[^\W_][\w'./@:*#+-]*|[~.*/#@-]+[\w][\w'./@:*-]*|%")
_NUMBER_UNIT = re.compile(r"^(\d+(?:[.,]\d+)*)([a-z%]{1,7})$")
NEGATION = "¬"


@dataclass(frozen=True, slots=True, eq=False)  # compared and hashed by identity: a cache key
class LikenessRules:
    weak: frozenset[str]  # carry no content: articles, "use", "is set to"
    modals: frozenset[str]  # as weak, but not in a question
    weak_or_modal: frozenset[str]
    same: Mapping[str, str]  # word or phrase -> the word that stands for its group
    phrases: "Phrases"  # of several words, longest first
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
        weak, modals = (frozenset(map(str, rules[name])) for name in ("weak", "modals"))
        return LikenessRules(
            weak=weak,
            modals=modals,
            weak_or_modal=weak | modals,
            same={word: name for word, name in same.items() if " " not in word},
            phrases=Phrases.of(phrases),
            negations=frozenset(map(str, rules["negations"])),
            opposites={word: frozenset(others) for word, others in opposites.items()},
            touching=frozenset(map(str, rules["touching"])),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Phrases:
    """Several words that are read as others, in the order in which they are looked for."""

    listed: tuple[tuple[str, str], ...]
    places: Mapping[str, int]  # the longest word of a phrase -> where the first that has it is listed

    @staticmethod
    def of(listed: Iterable[tuple[str, str]]) -> "Phrases":
        listed = tuple(listed)
        places: dict[str, int] = {}
        for place, (phrase, _) in enumerate(listed):
            places.setdefault(max(phrase.split(), key=len), place)
        return Phrases(listed, places)

    def fold(self, words: list[str]) -> list[str]:
        """The words with each phrase read as what it stands for.

        >>> Phrases.of([("on call", "oncall"), ("the oncall person", "pager")]).fold("who is the on call person".split())
        ['who', 'is', 'pager']
        """
        places = self.places
        first = min([places[word] for word in words if word in places], default=None)
        if first is None:  # most texts
            return words
        joined = f" {' '.join(words)} "
        for phrase, name in self.listed[first:]:
            if phrase in joined:
                joined = joined.replace(f" {phrase} ", f" {name} ")
        return joined.split()


def plain_words(text: str) -> list[str]:
    """Lower-case words without surrounding punctuation; a number and its unit are two.

    >>> plain_words("Debounce is set to 50ms.")
    ['debounce', 'is', 'set', 'to', '50', 'ms']
    """
    plain = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    words: list[str] = []
    for found in _WORD.findall(plain.replace("`", " ")):
        word = found.rstrip(".,:;'*-/") if len(found) > 1 else found
        if word[:1].isdecimal() and (unit := _NUMBER_UNIT.match(word)):
            words += unit.groups()
        elif word:
            words.append(word)
    return words


@lru_cache(maxsize=1_024)  # a run asks twenty times for each, of which most come soon after each other
def text_key(text: str) -> str:
    """The hash of the text's words: equal for texts that differ in case, spacing and punctuation only.

    >>> text_key("Debounce is set to 50ms.") == text_key("debounce is set to 50 ms")
    True
    """
    return hashlib.sha256(" ".join(plain_words(text)).encode()).hexdigest()[:32]


def original_word(stemmed: str, text: str, rules: LikenessRules) -> str:
    """The word of the text, in lower case, that is behind a folded stem; the stem itself where none does.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> original_word("small", "Keep your answers short.", load_memory_rules().likeness)
    'short'
    """
    found = (word for word in plain_words(text) if stemmed in (stem(word), stem(rules.same.get(word, word))))
    return next(found, stemmed)


@lru_cache(maxsize=1_024)
def content_words(text: str, rules: LikenessRules) -> tuple[str, ...]:
    """Stems of the words that carry content, in order, with synonyms folded and every negation as "¬".

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> content_words("We use pg as the db", load_memory_rules().likeness)
    ('postgresql', 'databas')
    """
    words = plain_words(text)
    weak = rules.weak if "?" in text else rules.weak_or_modal
    found: list[str] = []
    same, negations = rules.same, rules.negations
    for word in rules.phrases.fold(words):
        folded = same.get(word, word)
        if folded in negations or word.endswith("n't"):
            found.append(NEGATION)
        elif word not in weak and folded not in weak:
            found.append(stem(folded))
    return tuple(found)
