"""Rules of reference resolution, read from `resources/rules/conversation/references.yaml`.

Owns pronoun classes, pleonastic patterns, verb-object agreement, weights and thresholds. Decides nothing.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from app.deciders.conversation.references.values import AntecedentType
from app.language.lexicon import Lexicon
from app.resources import resource_path


@dataclass(frozen=True, slots=True)
class PronounForm:
    number: str
    type: AntecedentType
    is_possessive: bool
    gender: str


@dataclass(frozen=True, slots=True, eq=False)  # compared and hashed by identity: a cache key
class ReferenceRules:
    pronouns: Mapping[str, PronounForm]
    ordinals: Mapping[str, int]  # first -> 0, last -> -1
    pleonastic_after: re.Pattern[str]
    pleonastic_question: re.Pattern[str]
    pleonastic_object: re.Pattern[str]
    idioms: tuple[str, ...]
    words: Mapping[str, frozenset[str]]  # every plain word list of the file
    agreement: Mapping[str, frozenset[str]]  # verb -> object classes it takes
    classes: Mapping[str, str]  # head noun -> object class
    kind_classes: Mapping[str, str]
    weights: Mapping[str, float]
    one_sided_weights: Mapping[str, float]  # weights of the signs of `one_sided`, fitted
    accuracy: Mapping[str, float]  # kind of answer -> share of right ones; see `confidence`
    lexicon: Lexicon

    @staticmethod
    def parse(rules: Mapping[str, object]) -> "ReferenceRules":
        """The rules of the file; a missing part is empty."""
        after, fitted = _strings(rules.get("pleonastic")), load_fitted()
        return ReferenceRules(
            pronouns={str(word): _form(entry) for word, entry in _mapping(rules, "pronouns").items()},
            ordinals={str(word): int(str(place)) for word, place in _mapping(rules, "ordinals").items()},
            pleonastic_after=_any_of(after),
            pleonastic_question=_any_of(_strings(rules.get("pleonastic_question"))),
            pleonastic_object=_any_of(_strings(rules.get("pleonastic_object"))),
            idioms=tuple(_strings(rules.get("idioms"))),
            words={name: frozenset(_strings(value)) for name, value in rules.items() if isinstance(value, list)},
            agreement={str(v): frozenset(_strings(c)) for v, c in _verbs(_mapping(rules, "agreement")).items()},
            classes={h: str(c) for c, heads in _mapping(rules, "classes").items() for h in _strings(heads)},
            kind_classes={str(k): str(v) for k, v in _mapping(rules, "kind_classes").items()},
            weights={
                str(k): float(str(v)) + fitted["weights"].get(str(k), 0.0)
                for k, v in _mapping(rules, "weights").items()
            },
            one_sided_weights=fitted["alone"],
            accuracy={str(k): float(str(v)) for k, v in _mapping(rules, "right").items()},
            lexicon=Lexicon.shipped(),
        )

    @property
    def time_words(self) -> frozenset[str]:
        return self.lexicon.time_words

    @property
    def event_nouns(self) -> frozenset[str]:
        return self.words.get("event_nouns", frozenset())

    @property
    def person_nouns(self) -> frozenset[str]:
        return self.words.get("person_nouns", frozenset())

    def is_idiom(self, text: str, start: int) -> bool:
        """Does a fixed phrase begin here, or end with the word that begins here?"""
        window = text[max(0, start - 16) : start + 24].lower()
        place = min(start, 16)
        for idiom in self.idioms:
            at = window.find(idiom)
            while at >= 0:
                end = at + len(idiom)
                is_whole = not window[end : end + 1].isalnum() and not (at and window[at - 1].isalnum())
                if is_whole and at <= place < end:
                    return True
                at = window.find(idiom, at + 1)
        return False

    def is_pleonastic(self, text: str, start: int, end: int) -> bool:
        """Does this "it" stand for nothing?"""
        after = text[end : end + 80].lower()
        before = text[max(0, start - 12) : start].lower().rsplit(" ", 2)
        word = before[-2] if len(before) > 1 else ""
        if word in ("if", "whether", "until") and after.startswith(" look"):
            return False  # "check the body to see if it looks like html"
        if self.pleonastic_after.match(after):
            return True
        if word in (
            "is",
            "was",
            "would",
            "isn't",
            "will",
            "wouldn't",
            "could",
            "might",
        ) and self.pleonastic_question.match(after):
            return True
        return (
            word in ("make", "made", "makes", "making", "find", "found")
            and self.pleonastic_object.match(after) is not None
        )


@cache
def load_fitted() -> dict[str, dict[str, float]]:
    """What was learned from examples: `weights` are added to those of the rules."""
    content = json.loads(resource_path("references", "weights.json").read_text(encoding="utf-8"))
    return {name: {str(k): float(v) for k, v in content.get(name, {}).items()} for name in ("weights", "alone")}


def _form(entry: object) -> PronounForm:
    values = entry if isinstance(entry, Mapping) else {}
    return PronounForm(
        str(values.get("number", "any")),
        AntecedentType(str(values.get("type", "any"))),
        bool(values.get("possessive")),
        str(values.get("gender", "")),
    )


def _verbs(entries: Mapping[object, object]) -> dict[str, object]:
    """ "test, check": [code] -> one entry per verb."""
    return {verb.strip(): classes for verbs, classes in entries.items() for verb in str(verbs).split(",")}


def _mapping(rules: Mapping[str, object], name: str) -> Mapping[object, object]:
    value = rules.get(name)
    return value if isinstance(value, Mapping) else {}


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [str(entry) for entry in value] if isinstance(value, list) else []


def _any_of(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns) or r"(?!)")
