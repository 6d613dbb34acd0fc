"""Short forms of developer words, and back: "database" is "db", "PostgreSQL" is "pg" in an index.

Owns `resources/rules/language/abbreviations.yaml`. Of its `words`, acronyms of several words ("single sign-on") are used at every
shortened level, the rest from the compressed level on; `names` (other spellings of technologies, never of people or
values) in the index only. Knows nothing of levels.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.resources import load_rules, misfit

_SPLIT = re.compile(r"[\s_/-]+")


@dataclass(frozen=True, slots=True)
class Abbreviations:
    """Long form -> short form, lower case; several words may have one short form together."""

    words: Mapping[str, str]
    names: Mapping[str, str]
    longest: int  # words of the longest long form

    @classmethod
    def parse(cls, rules: Mapping[str, Any]) -> "Abbreviations":
        """Raises KeyError, AttributeError or TypeError for rules of another form."""
        words = {str(long).lower(): str(short) for long, short in rules["words"].items()}
        names = {str(long).lower(): str(short) for long, short in rules["names"].items()}
        return cls(words, names, max((len(long.split()) for long in (*words, *names)), default=1))

    def shorten(self, words: Sequence[str], *, includes_names: bool = False) -> list[str]:
        """The words with the longest known long forms replaced.

        >>> load_abbreviations().shorten(["primary", "database"])
        ['primary', 'db']
        """
        short: list[str] = []
        place = 0
        while place < len(words):
            for size in range(min(self.longest, len(words) - place), 0, -1):
                long = " ".join(words[place : place + size]).lower()
                found = self.words.get(long) or (self.names.get(long) if includes_names else None)
                if found:
                    break
            else:
                size, found = 1, words[place]
            short.append(found)
            place += size
        return short


@cache
def load_abbreviations() -> Abbreviations:
    """The shipped dictionary. Raises InvalidError when the file has another form."""
    try:
        return Abbreviations.parse(load_rules("abbreviations"))
    except (KeyError, TypeError, AttributeError) as error:
        raise misfit("abbreviations", error) from error


def split_words(text: str) -> list[str]:
    return [word for word in _SPLIT.split(text) if word]
