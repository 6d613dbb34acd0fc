"""Names of technologies with their aliases, looked up in running text.

Owns matching of known names, one to four words long. Everyday words ("go", "next") count only when
they are written like the name or stand beside a word that supports them. Source: S1, entities.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.language.tokens import Token
from app.resources import words_of

_MAX_WORDS = 4


class Technology(NamedTuple):
    name: str
    category: str


class Match(NamedTuple):
    technology: Technology
    length: int  # tokens it covers


@dataclass(frozen=True, slots=True)
class Gazetteer:
    names: Mapping[str, Technology]  # normalised alias -> what it names
    first_words: frozenset[str]
    guarded: frozenset[str]
    support: frozenset[str]

    @staticmethod
    def parse(rules: Mapping[str, object]) -> "Gazetteer":
        """The gazetteer of a rule file: category -> canonical name -> aliases, and two lists of words."""
        names: dict[str, Technology] = {}
        for category, entries in rules.items():
            if isinstance(entries, Mapping):
                for alias, technology in _entries(category, entries):
                    names.setdefault(alias, technology)
        return Gazetteer(
            names=names,
            first_words=frozenset(alias.split(" ", 1)[0] for alias in names),
            guarded=frozenset(words_of(rules.get("guarded"))),
            support=frozenset(words_of(rules.get("support"))),
        )

    def find(self, tokens: Sequence[Token], index: int) -> Match | None:
        """The longest name that begins at token `index`.

        >>> from app.language.tokens import split_tokens
        >>> known = Gazetteer.parse({"databases": {"PostgreSQL": ["postgres"]}})
        >>> known.find(split_tokens("use Postgres"), 1).technology.name
        'PostgreSQL'
        """
        words = tokens[index].lower
        if words.isalnum():
            if words not in self.first_words:  # the usual case, and the cheapest answer
                return None
        elif words[0] == "-" or (words := _normal(words)).split(" ", 1)[0] not in self.first_words:
            return None
        best: Match | None = None
        for length in range(1, _MAX_WORDS + 1):
            if length > 1:
                if index + length > len(tokens) or not tokens[index + length - 1].is_word:
                    break
                words = f"{words} {_normal(tokens[index + length - 1].lower)}"
            technology = self.names.get(words)
            if technology is not None and (length > 1 or self._is_meant(tokens, index, words)):
                best = Match(technology, length)
        return best

    def of(self, name: str) -> Technology | None:
        """The technology that a whole name stands for."""
        return self.names.get(_normal(name.lower()))

    def _is_meant(self, tokens: Sequence[Token], index: int, word: str) -> bool:
        if word not in self.guarded:
            return True
        token = tokens[index]
        if token.text != token.lower and index > 0 and tokens[index - 1].text not in ".!?:":
            return True
        following = tokens[index + 1].lower if index + 1 < len(tokens) else ""
        return following in self.support


def _entries(category: str, entries: Mapping[object, object]) -> Iterator[tuple[str, Technology]]:
    for name, aliases in entries.items():
        technology = Technology(str(name), category)
        yield _normal(str(name).lower()), technology
        for alias in words_of(aliases):
            yield _normal(alias), technology


def _normal(name: str) -> str:
    return name.strip("`").replace("-", " ").replace("_", " ").strip()
