"""The ontology of slots, read from `resources/rules/memory/slots.yaml` and the names in `gazetteer.yaml`.

Owns which attributes exist, how they are called, which values they take and which technology answers which of them.
Decides nothing. Source: S4 (facts are key and value), DESIGN "slot".
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Attribute:
    name: str
    kind: str  # what its values are: technology, number, duration, choice, …
    choices: tuple[str, ...]
    is_multi: bool  # several values at once: two of them do not contradict


@dataclass(frozen=True, slots=True, eq=False)  # compared and hashed by identity: a cache key
class SlotRules:
    attributes: Mapping[str, Attribute]
    attribute_words: Mapping[str, str]  # name of an attribute in words -> attribute
    technologies: Mapping[str, str]  # normalised name or alias -> canonical name
    attribute_of: Mapping[str, str]  # canonical technology -> the attribute it answers by itself
    answers: Mapping[str, frozenset[str]]  # canonical technology -> every attribute it can answer
    guarded: frozenset[str]  # everyday words that are names too
    support: frozenset[str]
    scopes: Mapping[str, str]  # word -> scope
    scope_prepositions: frozenset[str]
    empty_subjects: frozenset[str]
    languages: frozenset[str]  # canonical technologies that can be a scope: "in Python"
    technology_starts: Mapping[str, int]  # first word of a technology's name -> words of the longest that begins so
    attribute_starts: Mapping[str, int]  # the same of the names of attributes
    speaking_choices: Mapping[str, str]  # choices that name their attribute by themselves: "tabs" -> indentation
    speaking_pattern: re.Pattern[str]  # finds the first of them, the longest where two begin together

    @staticmethod
    def parse(rules: Mapping[str, Any], gazetteer: Mapping[str, Any]) -> "SlotRules":
        """The ontology of the two files. Raises KeyError for a technology listed under no known attribute."""
        attributes = {str(name): _attribute(str(name), raw) for name, raw in rules["attributes"].items()}
        words = {
            str(word): str(name)
            for name, raw in rules["attributes"].items()
            for word in (*(() if raw.get("is_silent") else (name,)), *raw.get("words", ()))
        }
        attribute_of: dict[str, str] = {}
        answers: dict[str, set[str]] = {}
        for part in ("technologies", "also"):
            for attribute, names in rules[part].items():
                if attribute not in attributes:
                    raise KeyError(attribute)
                for name in map(str, names):
                    answers.setdefault(name, set()).add(str(attribute))
                    if part == "technologies":
                        attribute_of.setdefault(name, str(attribute))
        technologies = dict(_technologies(gazetteer))
        choices = {
            normal_name(choice): str(name) for name in rules["speaking"] for choice in attributes[str(name)].choices
        }
        return SlotRules(
            attributes=attributes,
            attribute_words=words,
            technologies=technologies,
            attribute_of=attribute_of,
            answers={name: frozenset(found) for name, found in answers.items()},
            guarded=frozenset(map(str, gazetteer.get("guarded", ()))),
            support=frozenset(map(str, gazetteer.get("support", ()))),
            scopes={word: str(name) for name, listed in rules["scopes"].items() for word in map(str, listed)},
            scope_prepositions=frozenset(map(str, rules["scope_prepositions"])),
            empty_subjects=frozenset(map(str, rules["empty_subjects"])),
            languages=frozenset(map(str, rules["technologies"]["language"])),
            technology_starts=_starts(technologies),
            attribute_starts=_starts([*words, *(word.lstrip(".") for word in words)]),
            speaking_choices=choices,
            speaking_pattern=re.compile(
                f" ({'|'.join(map(re.escape, sorted(choices, key=len, reverse=True))) or '(?!)'})(?= )"
            ),
        )


def _starts(names: Iterable[str]) -> dict[str, int]:
    longest: dict[str, int] = {}
    for name in names:
        words = name.split()
        longest[words[0]] = max(longest.get(words[0], 0), len(words))
    return longest


def normal_name(name: str) -> str:
    """A name as it is looked up: lower case, hyphens and underscores as spaces."""
    return name.strip("`").lower().replace("-", " ").replace("_", " ").strip()


def _attribute(name: str, raw: Mapping[str, Any]) -> Attribute:
    return Attribute(name, str(raw["value"]), tuple(map(str, raw.get("choices", ()))), bool(raw.get("is_multi", False)))


def _technologies(gazetteer: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for entries in gazetteer.values():
        if not isinstance(entries, Mapping):
            continue
        for name, aliases in entries.items():
            for alias in (str(name), *(map(str, aliases) if isinstance(aliases, list) else ())):
                normal = normal_name(alias)
                if normal not in seen:
                    seen.add(normal)
                    yield normal, str(name)
