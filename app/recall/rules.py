"""The word lists of recall: stop words, irregular forms, synonyms, words that say that something was replaced.

Owns reading `resources/rules/recall.yaml`; knows no text and no index. Source: STYLE rule 10 "every word list in resources".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.resources import load_rules, misfit


@dataclass(frozen=True, slots=True)
class RecallRules:
    stop_words: frozenset[str]
    irregular: Mapping[str, str]

    @classmethod
    def parse(cls, rules: Mapping[str, Any]) -> "RecallRules":
        """Raises InvalidError when a list is missing or of another kind."""
        try:
            return cls(
                stop_words=frozenset(str(word) for word in rules["stop_words"]),
                irregular={str(form): str(base) for form, base in rules["irregular"].items()},
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise misfit("recall", error) from error


@cache
def load_recall_rules() -> RecallRules:
    """The shipped rules. The cut of words may not differ between two people: the index is built with it."""
    return RecallRules.parse(load_rules("recall"))
