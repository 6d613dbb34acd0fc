"""The words by which a plain clause is read: parsed from `resources/rules/memory/clauses.yaml`.

Makes the other forms of the verbs that the file lists (uses, used, using). Decides nothing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_VOWEL_Y = re.compile(r"[aeiou]y$")
_HISSING = ("s", "sh", "ch", "x", "z", "o")


@dataclass(frozen=True, slots=True)
class VerbForm:
    base: str
    group: str  # place, use, flow, … ; "" = no standing verb, but known after a modal
    form: str  # base, s, ed, ing


@dataclass(frozen=True, slots=True, eq=False)  # compared and hashed by identity: a cache key
class ClauseRules:
    verbs: Mapping[str, tuple[VerbForm, ...]]  # every form in lower case
    orders: frozenset[str]
    modals: frozenset[str]
    words: Mapping[str, frozenset[str]]  # the other lists of the file by their name
    phrases: Mapping[str, tuple[str, ...]]  # their entries of several words
    units: str

    @staticmethod
    def parse(rules: Mapping[str, Any]) -> "ClauseRules":
        """The rules of the file. Raises KeyError for a missing part."""
        lists = {name: [str(one).lower() for one in value] for name, value in rules.items() if isinstance(value, list)}
        irregular = {str(done): str(base) for done, base in rules["irregular_participles"].items()}
        return ClauseRules(
            verbs=_forms(rules["verbs"], irregular, lists["roles"]),
            orders=frozenset(form for verb in lists["orders"] for form in (verb, *_done(verb))),
            modals=frozenset(lists["modals"]),
            words={name: frozenset(one for one in value if " " not in one) for name, value in lists.items()},
            phrases={name: tuple(one for one in value if " " in one) for name, value in lists.items()},
            units=str(rules["units"]),
        )

    def has(self, name: str, text: str, words: Iterable[str]) -> bool:
        """Whether a word of the list `name` is among `words`, or a phrase of it in `text`; both in lower case."""
        return not self.words[name].isdisjoint(words) or any(one in text for one in self.phrases[name])


def third_person(verb: str) -> str:
    """The form after "he": "stores", "relies", "goes".

    >>> third_person("rely")
    'relies'
    """
    if verb.endswith("y") and not _VOWEL_Y.search(verb):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(_HISSING) else f"{verb}s"


def _done(verb: str) -> Iterator[str]:
    """Past forms as English might spell them; a form too many does no harm."""
    if verb.endswith("e"):
        yield f"{verb}d"
    elif verb.endswith("y") and not _VOWEL_Y.search(verb):
        yield f"{verb[:-1]}ied"
    else:
        yield f"{verb}ed"
        yield f"{verb}{verb[-1]}ed"


def _doing(verb: str) -> Iterator[str]:
    yield f"{verb}ing"
    yield f"{verb[:-1]}ing" if verb.endswith("e") else f"{verb}{verb[-1]}ing"


def _forms(
    groups: Mapping[str, Any], irregular: Mapping[str, str], roles: Iterable[str]
) -> Mapping[str, tuple[VerbForm, ...]]:
    verbs = {str(verb): str(group) for group, listed in groups.items() for verb in listed}
    verbs = {**dict.fromkeys(roles, "role"), **verbs}
    found: dict[str, dict[str, VerbForm]] = {}
    for verb, group in verbs.items():
        made = [(verb, "base"), (third_person(verb), "s"), *((one, "ing") for one in _doing(verb))]
        made += [(one, "ed") for one in _done(verb)]
        for word, form in made:
            found.setdefault(word, {}).setdefault(form, VerbForm(verb, group, form))
    for word, verb in irregular.items():
        found.setdefault(word, {})["ed"] = VerbForm(verb, verbs.get(verb, ""), "ed")
    return {word: tuple(forms.values()) for word, forms in found.items()}
