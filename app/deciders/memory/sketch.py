"""A sentence as hashes of its stems, so that it is known again in other words when its text is gone.

Two sketches are alike when most of their stems are the same and neither negates, counts or names anything else. Knows words
only. Likeness alone says little (what repeats most is routine), so only what already is a candidate is sketched.
Source: issue 16, JUDGE "Likeness of repetition helps little".
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2s

from app.deciders.memory.rules import MemoryRules
from app.language.likeness import NEGATION, content_words

LEAST_ALIKE = 0.6  # shared stems of all stems
_LEAST_HELD = 0.8  # of the shorter one's stems in the longer: it says the same and a little more
_LEAST_STEMS, _LEAST_HELD_STEMS = 3, 4
_BYTES = 5
_MARK = re.compile(r"[\w./@-]*(?:\d|(?<=\w)[_./@](?=\w))[\w./@-]*|(?<=[a-z,;] )[A-Z][\w-]+|\b[A-Z]{2,}\b")


@dataclass(frozen=True, slots=True)
class Sketch:
    stems: frozenset[str]
    marks: frozenset[str]  # negations, numbers, names: these must be the same


def make_sketch(text: str, rules: MemoryRules) -> Sketch:
    """The sketch of one sentence.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> rules = load_memory_rules()
    >>> said = [make_sketch(one, rules) for one in ("Update the price list when a product changes.",
    ...     "When products change, please update our price list.", "Don't update the price list when a product changes.")]
    >>> compare_sketches(said[0], said[1]) >= LEAST_ALIKE, compare_sketches(said[0], said[2])
    (True, 0.0)
    """
    words = content_words(text, rules.likeness)
    marks = [NEGATION] * (words.count(NEGATION) % 2) + list_names(text)
    return Sketch(hash_stems(words, rules), _hashed(marks))


def list_names(text: str) -> list[str]:
    """Numbers and names of a text, as the marks of its sketch hold them: who lacks one of them says less than the text.

    >>> list_names("Port 7402 is Grafana's.")
    ['7402', 'grafana']
    """
    return [one.strip(".,/-").lower() for one in _MARK.findall(text)]


def hash_stems(words: Sequence[str], rules: MemoryRules) -> frozenset[str]:
    """The stems of a sketch of these content words."""
    if NEGATION in words:  # "never edit the seeds", "do not touch the seeds"
        words = [_TOUCH if word in rules.likeness.touching else word for word in words]
    return _hashed(word for word in words if word != NEGATION)


def compare_sketches(one: Sketch, other: Sketch) -> float:
    """0..1: the share of stems that both have, 0 where they negate, count or name differently or are too short to tell."""
    is_ban = _BAN in one.marks and one.stems == other.stems and len(one.stems) > 1
    if one.marks != other.marks or (min(len(one.stems), len(other.stems)) < _LEAST_STEMS and not is_ban):
        return 0.0
    return share_stems(one.stems, other.stems)


def share_stems(one: frozenset[str], other: frozenset[str]) -> float:
    """0..1: the share of all stems that both have; no sketch with these stems is more alike."""
    return len(one & other) / max(1, len(one | other))


def holds_other(one: Sketch, other: Sketch) -> bool:
    """Whether one of two proposals says what the other says and a little more, with no name or number against it.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> rules = load_memory_rules()
    >>> short, long, other = (make_sketch(f"If a variable changes, update the {end}.", rules) for end in (
    ...     "example file and the compose file", "example file and the compose file in deploy/", "example file by 5 o'clock"))
    >>> holds_other(short, long), holds_other(long, other)
    (True, False)
    """
    different = one.marks ^ other.marks
    if any(mark == _BAN or mark.startswith(_NUMBER) for mark in different) or (
        different & one.marks and different & other.marks
    ):
        return False
    shorter = min(len(one.stems), len(other.stems))
    return shorter >= _LEAST_HELD_STEMS and len(one.stems & other.stems) >= _LEAST_HELD * shorter


def is_within(one: Sketch, other: Sketch) -> bool:
    """Whether the second says all that the first says, and perhaps more: nothing is lost where only the second is given.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> rules = load_memory_rules()
    >>> brief, whole, other = (make_sketch(one, rules) for one in ("Webhook retries stop after five attempts.",
    ...     "Webhook retries stop after five attempts and then go to the dead letter table.", "Webhook retries never stop."))
    >>> is_within(brief, whole), is_within(whole, brief), is_within(other, whole)
    (True, False, False)
    """
    if len(one.stems) < _LEAST_STEMS or (_BAN in one.marks) != (_BAN in other.marks):
        return False
    return one.stems <= other.stems and one.marks <= other.marks


def _hashed(words: Iterable[str]) -> frozenset[str]:
    return frozenset(_hash(word) for word in words if word)


@lru_cache(maxsize=4_096)  # most words of a text stand in others too
def _hash(word: str) -> str:
    return (_NUMBER if word[0].isdigit() else "") + blake2s(word.encode(), digest_size=_BYTES).hexdigest()


_NUMBER = "n"  # no hexadecimal digit
_TOUCH = "touch"
_BAN = next(iter(_hashed([NEGATION])))
