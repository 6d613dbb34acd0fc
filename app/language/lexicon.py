"""Word classes, as the tagger gives them too: which words are verbs, determiners, plurals; read from `resources/rules/language/lexicon.yaml`.

Derives inflected forms once. Knows single words only; context is the business of `tagging`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from app.resources import load_rules, words_of

_VOWELS = "aeiou"
_ACT_WORDS = frozenset({"the", "a", "an", "my", "your", "our", "this", "that", "these", "it", "them", "to", "into", "from", "in", "on", "with"})  # fmt: skip


class Tag(StrEnum):
    DET = "D"
    PRON = "PRO"
    VERB = "V"
    GERUND = "VG"
    PARTICIPLE = "VN"
    AUX = "AUX"
    TO = "TO"
    PREP = "P"
    CONJ = "C"  # and, or
    SUB = "S"  # that, if, because; who, which in relative clauses
    WH = "W"
    ADV = "R"
    ADJ = "J"
    NUM = "#"
    NOUN = "N"
    NAME = "NP"
    TECH = "T"  # code, path, number with unit: the shape says it is a term
    POSS = "'s"
    INTJ = "I"
    PUNCT = "."


NOMINAL = frozenset({Tag.NOUN, Tag.NAME, Tag.TECH})
SUBJECTS = frozenset({"i", "you", "we", "they", "he", "she", "it", "u"})
_BE_AND_HAVE = frozenset({"is", "are", "was", "were", "be", "been", "'s", "'re", "'m", "am", "have", "has", "had"})


def is_be(word: str) -> bool:
    """Is this a form of be or have: what follows is said of the subject, not done by it?"""
    return word in _BE_AND_HAVE


@dataclass(frozen=True, slots=True)
class Lexicon:
    determiners: frozenset[str]
    possessives: frozenset[str]
    demonstratives: frozenset[str]
    pronouns: frozenset[str]
    prepositions: frozenset[str]
    conjunctions: frozenset[str]
    subordinators: frozenset[str]
    question_words: frozenset[str]
    auxiliaries: frozenset[str]
    modals: frozenset[str]
    interjections: frozenset[str]
    adverbs: frozenset[str]
    adjectives: frozenset[str]
    numbers: frozenset[str]
    verbs: Mapping[str, str]  # any finite form -> base
    participles: Mapping[str, str]  # -ed, -en -> base
    gerunds: Mapping[str, str]  # -ing -> base
    noun_verbs: frozenset[str]  # base forms and -s forms that are nouns as well
    object_prepositions: Mapping[str, tuple[str, ...]]  # "look at X": X is the object of look
    singular_s: frozenset[str]
    plural_words: frozenset[str]
    light_verbs: frozenset[str]
    time_words: frozenset[str]
    paired_adjectives: frozenset[str]
    clause_verbs: frozenset[str]
    only_verbs_s: frozenset[str]
    clause_orders: frozenset[str]
    lookalike_nouns: frozenset[str]
    calendar_words: frozenset[str]
    weak_modifiers: frozenset[str]
    male_names: frozenset[str]
    female_names: frozenset[str]

    @staticmethod
    def parse(rules: Mapping[str, object]) -> "Lexicon":
        """The lexicon of a rule file's mapping; missing lists are empty."""
        irregular = rules.get("irregular")
        forms = {str(k): str(v) for k, v in irregular.items()} if isinstance(irregular, Mapping) else {}
        bases = words_of(rules.get("verbs"))
        verbs, participles, gerunds = _inflect(bases, forms)
        nouns = words_of(rules.get("noun_verbs"))
        return Lexicon(
            **{name: frozenset(words_of(rules.get(name))) for name in _PLAIN_LISTS},
            verbs=verbs,
            participles=participles,
            gerunds=gerunds,
            object_prepositions=_prepositional(rules.get("object_prepositions")),
            noun_verbs=frozenset(nouns) | {third_person(word) for word in nouns},
        )

    @staticmethod
    def shipped() -> "Lexicon":
        """The lexicon that comes with the app, read once."""
        return _shipped()

    def base_of(self, word: str) -> str:
        """The base form of any verb form; the word itself when it is no verb."""
        return self.verbs.get(word) or self.participles.get(word) or self.gerunds.get(word) or word

    def is_third(self, word: str) -> bool:
        """Is this what he, she or it does: "throws"? It may be a plural noun as well."""
        return word.endswith("s") and self.verbs.get(word, word) != word

    def is_act(self, phrase: str) -> bool:
        """Is this a verb phrase ("add retries to the client"), not the name of a thing?"""
        words = phrase.lower().split()
        return len(words) > 2 and words[0] in self.verbs and not _ACT_WORDS.isdisjoint(words[1:])

    def is_plural(self, noun: str) -> bool:
        """Whether the noun is a plural."""
        if noun in self.plural_words:
            return True
        return (
            noun.endswith("s")
            and not noun.endswith(("ss", "us", "is"))
            and noun not in self.singular_s
            and len(noun) > 2
        )

    def singular(self, noun: str) -> str:
        """The noun without its plural ending; the noun itself when it has none."""
        if not self.is_plural(noun) or not noun.endswith("s"):
            return noun
        if noun.endswith("ies") and len(noun) > 4:
            return noun[:-3] + "y"
        if noun.endswith(("ches", "shes", "sses", "xes", "zzes")):
            return noun[:-2]
        return noun[:-1]


_PLAIN_LISTS = (
    "determiners", "possessives", "demonstratives", "pronouns", "prepositions", "conjunctions", "subordinators",
    "question_words", "auxiliaries", "modals", "interjections", "adverbs", "adjectives", "numbers", "singular_s",
    "plural_words", "light_verbs", "time_words", "clause_verbs", "paired_adjectives", "only_verbs_s", "clause_orders",
    "lookalike_nouns", "calendar_words", "weak_modifiers", "male_names", "female_names",
)  # fmt: skip


@cache
def _shipped() -> Lexicon:
    return Lexicon.parse(load_rules("lexicon"))


def _prepositional(value: object) -> dict[str, tuple[str, ...]]:
    entries = value.items() if isinstance(value, Mapping) else ()
    return {str(verb): tuple(str(word) for word in words) for verb, words in entries}


def _inflect(
    bases: Iterable[str], irregular: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    finite: dict[str, str] = {}
    past: dict[str, str] = {}
    ongoing: dict[str, str] = {}
    for base in bases:
        finite[base] = base
        finite[third_person(base)] = base
        for stem in _stems(base):
            past.setdefault(stem + "ed", base)
            ongoing.setdefault(stem + "ing", base)
    for form, base in irregular.items():
        past[form] = base
        finite.setdefault(form, base)
    return finite, past, ongoing


def third_person(base: str) -> str:
    """The -s form of a verb, or the plural of a noun."""
    if base.endswith(("s", "x", "z", "ch", "sh", "go", "do")):
        return base + "es"
    if base.endswith("y") and len(base) > 1 and base[-2] not in _VOWELS:
        return base[:-1] + "ies"
    return base + "s"


def _stems(base: str) -> list[str]:
    if base.endswith("e") and not base.endswith(("ee", "ye")):
        return [base[:-1]]
    if base.endswith("y") and len(base) > 1 and base[-2] not in _VOWELS:
        return [base[:-1] + "i", base]
    is_short_closed = (
        len(base) > 2 and base[-1] not in _VOWELS + "wxy" and base[-2] in _VOWELS and base[-3] not in _VOWELS
    )
    return [base + base[-1], base] if is_short_closed else [base]
