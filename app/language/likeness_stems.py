"""Words reduced to what they mean here: stems, abbreviations folded, "50ms" as "50 ms".

Owns normalising for comparison and for the key of a text. Knows nothing of slots and types.
"""

import hashlib
import re
import unicodedata
from functools import lru_cache

from app.language.likeness_rules import LikenessRules

_WORD = re.compile(r"[^\W_][\w'./@:*#+-]*|[~.*/#@-]+[\w][\w'./@:*-]*|%")
_NUMBER_UNIT = re.compile(r"^(\d+(?:[.,]\d+)*)([a-z%]{1,7})$")
_PLAIN = re.compile(r"^[a-z]+$")
_NOT = re.compile(r"n't$")
_MIN_STEM_CHARS = 3
_VOWEL = re.compile(r"[aeiouy]")
NEGATION = "¬"


def plain_words(text: str) -> list[str]:
    """Lower-case words without surrounding punctuation; a number and its unit are two.

    >>> plain_words("Debounce is set to 50ms.")
    ['debounce', 'is', 'set', 'to', '50', 'ms']
    """
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("`", " ")
    words: list[str] = []
    for found in _WORD.findall(folded):
        word = found.rstrip(".,:;'*-/") if len(found) > 1 else found
        unit = _NUMBER_UNIT.match(word)
        words.extend(unit.groups() if unit else [word])
    return [word for word in words if word]


@lru_cache(maxsize=16_384)  # a run asks twenty times for each
def text_key(text: str) -> str:
    """The hash of the text's words: equal for texts that differ in case, spacing and punctuation only.

    >>> text_key("Debounce is set to 50ms.") == text_key("debounce is set to 50 ms")
    True
    """
    return hashlib.sha256(" ".join(plain_words(text)).encode()).hexdigest()[:32]


@lru_cache(maxsize=65_536)  # of a project's words; a run asks hundreds of times for each
def stem(word: str) -> str:
    """The word without its ending: "exported", "exports", "exporting" are one. Names and numbers stay.

    >>> [stem(word) for word in ("exported", "libraries", "running", "class", "node.js")]
    ['export', 'librari', 'run', 'class', 'node.js']
    """
    if not _PLAIN.match(word) or len(word) <= _MIN_STEM_CHARS:
        return word
    for ending in ("ings", "ing", "edly", "ed"):
        if word.endswith(ending):
            rest = word[: -len(ending)]
            if len(rest) >= _MIN_STEM_CHARS and _VOWEL.search(rest):
                return _undouble(rest)
    if word.endswith("ies") and len(word) > 4:
        return word[:-2]
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return _undouble(word[:-1])
    return _undouble(word)


def _undouble(word: str) -> str:
    if len(word) > _MIN_STEM_CHARS and word[-1] == word[-2] and word[-1] not in "lsz":
        return word[:-1]
    if word.endswith("y") and len(word) > _MIN_STEM_CHARS:
        return word[:-1] + "i"
    return word[:-1] if word.endswith("e") and len(word) > _MIN_STEM_CHARS else word


@lru_cache(maxsize=4096)
def content_words(text: str, rules: LikenessRules) -> tuple[str, ...]:
    """Stems of the words that carry content, in order, with synonyms folded and every negation as "¬".

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> content_words("We use pg as the db", load_memory_rules().likeness)
    ('postgresql', 'databas')
    """
    words = plain_words(text)
    joined = f" {' '.join(words)} "
    for phrase, name in rules.phrases:
        if phrase in joined:
            joined = joined.replace(f" {phrase} ", f" {name} ")
    weak = rules.weak if "?" in text else rules.weak | rules.modals
    found: list[str] = []
    for word in joined.split():
        folded = rules.same.get(word, word)
        if folded in rules.negations or _NOT.search(word):
            found.append(NEGATION)
        elif word not in weak and folded not in weak:
            found.append(stem(folded))
    return tuple(found)
