"""How a new statement stands to a known one: the same, its replacement, its contradiction, or simply another.

A duplicate only when the difference of the two texts carries no content: a number, a name, a "not" or an opposite makes
two memories (a wrong merge loses one). Contradictions by slot and by negation; nothing deeper. Source: S4, DESIGN "slot".
"""

import re
from dataclasses import dataclass

from app.deciders.memory.contradictions.detection import may_contradict
from app.deciders.memory.rules import MemoryRules, load_memory_rules
from app.language.likeness import NEGATION, content_words, original_word, plain_words, text_key
from app.language.stems import stem
from app.values import FactType, Likeness, Slot

__all__ = ["Statement", "compare_statements", "holds_other_value", "read_strictness", "text_key"]

_MAX_COMPARED_CHARS = 4_000  # longer texts are episodes, not statements
_ENDING = re.compile(r"(?<=\w)['’](?:s|re|ve|ll|d|m)\b", re.IGNORECASE)
_DONE_TO = re.compile(r"\b(\w+ing) of (?:the |all |an? )?(\w+)\b", re.IGNORECASE)
_STRICT = re.compile(
    r"\b(?:must(?:n't)?|never|always|cannot|can't|shall|required?|requires|forbidden|mandatory|(?:has|have|needs?) to)\b",
    re.IGNORECASE,
)
_LOOSE = re.compile(
    r"\b(?:may|might|should(?:n't)?|could|can|ought|prefer(?:ably|red)?|ideally|usually|normally|try to)\b",
    re.IGNORECASE,
)
_LEAST_CONTENT = 2  # one word in common is not yet the same thought
_SAME_WORDS, _SAME_CONTENT, _SLOT, _NEGATED, _NUMBER, _OPPOSITE, _OTHER = 1.0, 0.93, 0.85, 0.8, 0.75, 0.7, 0.6


@dataclass(frozen=True, slots=True)
class Statement:
    """What is compared of a memory."""

    text: str
    slot: Slot | None = None
    value: str = ""
    is_negated: bool = False
    type: FactType | None = None
    replaces: str = ""  # the canonical value that it says it replaces


def holds_other_value(one: Statement, other: Statement, rules: MemoryRules | None = None) -> bool:
    """Whether both fill one slot that takes one value with different ones, or one denies the value of the other.

    >>> cache = Slot("", "cache")
    >>> holds_other_value(Statement("", cache, "Redis"), Statement("", cache, "Memcached"))
    True
    """
    return _by_slot(one, other, rules or load_memory_rules()) is not None


def read_strictness(text: str) -> int:
    """2 for "must" and "never", 0 for "may" and "should", else 1. Curly apostrophes count as straight ones.

    >>> [read_strictness(said) for said in ("Logs must not leave the host.", "Logs stay on the host.", "Logs should stay on the host.")]
    [2, 1, 0]
    """
    plain = text.replace("’", "'")
    return 2 if _STRICT.search(plain) else 0 if _LOOSE.search(plain) else 1


@dataclass(frozen=True, slots=True)
class _Content:
    words: tuple[str, ...]
    kept: frozenset[str]  # without negations
    negation_count: int


def compare_statements(older: Statement, newer: Statement, rules: MemoryRules | None = None) -> Likeness:
    """duplicate, contradict, replace or compatible, with the reason in words.

    >>> compare_statements(Statement("Store prices in cents."), Statement("We are storing the prices in cents.")).relation
    'duplicate'
    >>> database = Slot("", "database")
    >>> one = Statement("We use MySQL.", database, "MySQL")
    >>> compare_statements(one, Statement("We moved to SQLite.", database, "SQLite", replaces="MySQL")).relation
    'replace'
    """
    rules = rules or load_memory_rules()
    if text_key(older.text) == text_key(newer.text):
        return Likeness("duplicate", _SAME_WORDS, "says the same words")
    if max(len(older.text), len(newer.text)) > _MAX_COMPARED_CHARS:
        return _by_slot(older, newer, rules) or Likeness(
            "compatible", _OTHER, "is too long to be compared word by word"
        )
    one, other = _content(older.text, rules), _content(newer.text, rules)
    if _is_same(older, newer, one, other):
        return Likeness("duplicate", _SAME_CONTENT, "says the same in other words")
    found = _by_slot(older, newer, rules) or _by_content(one, other, older.text, newer.text, rules)
    if found is None or (found.relation == "contradict" and not may_contradict(older.text, newer.text, rules)):
        return Likeness("compatible", _OTHER, "says something else")
    return found


def _content(text: str, rules: MemoryRules) -> _Content:
    words = content_words(_plainly(text), rules.likeness)
    return _Content(words, frozenset(words) - {NEGATION}, words.count(NEGATION))


def _plainly(text: str) -> str:
    """The text without contracted and possessive endings, and a doing before what it is done to.

    >>> _plainly("We're testing the parsing of the arguments on the school's server.")
    'We testing the arguments parsing on the school server.'
    """
    return _DONE_TO.sub(r"\2 \1", _ENDING.sub("", text))


def _is_same(older: Statement, newer: Statement, one: _Content, other: _Content) -> bool:
    """Whether the words that carry something are the same in the same order, and neither turns round who does it."""
    if len(one.kept) < _LEAST_CONTENT or one.words != other.words:
        return False
    if older.slot and newer.slot and (older.slot.scope != newer.slot.scope or older.is_negated != newer.is_negated):
        return False
    return _is_turned(older.text) is _is_turned(newer.text)


def _is_turned(text: str) -> bool:
    """Whether something may be done by what stands behind: "the queue is drained by the worker"."""
    return "by" in plain_words(text)


def _by_slot(older: Statement, newer: Statement, rules: MemoryRules) -> Likeness | None:
    if older.slot is None or older.slot != newer.slot or not older.value or not newer.value:
        return None
    attribute = rules.slots.attributes.get(older.slot.attribute)
    name = older.slot.attribute
    if newer.replaces and _is_same_kind(newer.replaces, older.value) and not _equal(newer.value, older.value):
        return Likeness("replace", _SLOT, f"says that {newer.value} took the place of {older.value}")
    if _equal(older.value, newer.value):
        if older.is_negated == newer.is_negated:
            return None
        return Likeness("contradict", _SLOT, f"one says {older.value} for {name}, the other says not", "negation")
    if _is_same_kind(older.value, newer.value):
        return None  # "Postgres" and "Postgres 16": one says more
    if attribute is None or attribute.is_multi or older.is_negated or newer.is_negated:
        return None
    if attribute.kind == "technology" and not _both_answer(older, newer, name, rules):
        return None  # a container is no rival of a test runner
    if attribute.kind == "text" and not {older.value, newer.value} <= set(attribute.choices):
        return None  # two wordings are not yet two values
    return Likeness("contradict", _SLOT, f"{name}: {older.value} or {newer.value}", "value")


def _both_answer(older: Statement, newer: Statement, attribute: str, rules: MemoryRules) -> bool:
    """Whether no value is known to answer only other questions."""
    known = (rules.slots.answers.get(one.value) for one in (older, newer))
    return all(found is None or attribute in found for found in known)


def _equal(one: str, other: str) -> bool:
    return one.casefold().strip() == other.casefold().strip()


def _is_same_kind(one: str, other: str) -> bool:
    """Whether one value is the other, or the other with its version."""
    short, long = sorted((one.casefold().strip(), other.casefold().strip()), key=len)
    return long == short or (long.startswith(f"{short} ") and long[len(short) + 1 :].lstrip("v")[:1].isdigit())


def _by_content(one: _Content, other: _Content, older: str, newer: str, rules: MemoryRules) -> Likeness | None:
    """Contradictions that show in the words: the same with "not", with another number, with the opposite."""
    if not one.kept or not other.kept:
        return None
    is_negated_once = (one.negation_count == 0) is not (other.negation_count == 0)
    if one.kept == other.kept and is_negated_once:
        return Likeness("contradict", _NEGATED, "one says it, the other says not", "negation")
    left, right = one.kept - other.kept, other.kept - one.kept
    if len(left) != 1 or len(right) != 1 or is_negated_once or not one.kept & other.kept:
        return None
    (was,), (now,) = left, right
    if was[:1].isdigit() and now[:1].isdigit():
        return Likeness("contradict", _NUMBER, f"one says {was}, the other {now}", "number")
    opposites = rules.likeness.opposites
    if any(stem(word) == now for name, words in opposites.items() if stem(name) == was for word in words):
        said = original_word(was, older, rules.likeness), original_word(now, newer, rules.likeness)
        return Likeness("contradict", _OPPOSITE, f"one says {said[0]}, the other {said[1]}", "opposite")
    return None
