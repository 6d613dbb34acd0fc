"""The word lists by which a text is shortened: parsed once from `resources/rules`.

Owns the form of `compression.yaml` and the parts of `lexicon.yaml` and `gazetteer.yaml` that it needs. Knows no text.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.language.abbreviations import load_abbreviations
from app.resources import load_rules, misfit

Phrases = Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]  # first word -> (words, replacement), longest first

_FUNCTION_LISTS = (
    "determiners", "possessives", "demonstratives", "pronouns", "prepositions", "conjunctions", "subordinators", "question_words", "auxiliaries",
    "modals", "interjections"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class WordingRules:
    """What kind of word each known word is, and what is said shorter. Lower case throughout."""

    phrases: Phrases
    clauses: Phrases  # the "replacement" is the share of meaning of what follows
    function_words: frozenset[str]
    adverbs: frozenset[str]
    adjectives: frozenset[str]
    number_words: frozenset[str]
    negators: frozenset[str]
    exceptions: frozenset[str]
    modals: frozenset[str]
    hedges: frozenset[str]
    comparators: frozenset[str]
    weak: frozenset[str]
    cues: frozenset[str]
    relations: Mapping[str, Mapping[str, str]]  # opening word -> {relating word: how it is written}
    units: frozenset[str]
    names: frozenset[str]

    @classmethod
    def parse(
        cls, rules: Mapping[str, Any], lexicon: Mapping[str, Any], gazetteer: Mapping[str, Any]
    ) -> "WordingRules":
        """Raises KeyError, TypeError or ValueError for rules of another form."""
        phrases = {str(filler): "" for filler in rules["fillers"]}
        phrases |= {
            long: short for long, short in load_abbreviations().words.items() if " " in long and short.isupper()
        }
        phrases |= {str(long): str(short) for long, short in rules["replacements"].items()}
        negators = _words(rules["negators"])
        return cls(
            phrases=_by_first_word(phrases),
            clauses=_by_first_word({str(opener): str(float(share)) for opener, share in rules["clauses"].items()}),
            function_words=frozenset[str]().union(*(_words(lexicon[name]) for name in _FUNCTION_LISTS)),
            adverbs=_words(lexicon["adverbs"]),
            adjectives=_words(lexicon["adjectives"]),
            number_words=_words(lexicon["numbers"]) - {"one", "half", "couple"},
            negators=negators,
            exceptions=_words(rules["exceptions"]),
            modals=_words(rules["modals"]),
            hedges=_words(rules["hedges"]),
            comparators=_words(rules["comparators"]),
            weak=_words(rules["weak"]),
            cues=_words(rules["cues"]),
            relations={
                str(opening).lower(): {str(word): str(written) for word, written in relation.items()}
                for relation_words, relation in ((entry["openers"], entry["written"]) for entry in rules["relations"])
                for opening in relation_words
            },
            units=_words(rules["units"]),
            names=_gazetteer_names(gazetteer),
        )


@cache
def load_wording_rules() -> WordingRules:
    """The shipped rules. Raises InvalidError when a file has another form."""
    try:
        return WordingRules.parse(load_rules("compression"), load_rules("lexicon"), load_rules("gazetteer"))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise misfit("compression", error) from error


def _words(entries: Iterable[object]) -> frozenset[str]:
    return frozenset(str(entry).lower() for entry in entries)


def _by_first_word(phrases: Mapping[str, str]) -> Phrases:
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for phrase, replacement in phrases.items():
        words = tuple(phrase.lower().split())
        found.setdefault(words[0], []).append((words, replacement))
    return {first: tuple(sorted(entries, key=lambda entry: -len(entry[0]))) for first, entries in found.items()}


def _gazetteer_names(gazetteer: Mapping[str, Any]) -> frozenset[str]:
    guarded = _words(gazetteer.get("guarded", ()))
    names: set[str] = set()
    for category in gazetteer.values():
        if isinstance(category, dict):
            for name, others in category.items():
                names.add(str(name).lower())
                names.update(str(other).lower() for other in others or ())
    return frozenset(name for name in names if name not in guarded and len(name) > 1)
