"""Cuts text into what the search index holds: words, parts of identifiers, stems, pairs of CJK characters, letter groups.

One cut for memories and for queries, so that both meet. Knows no index. `VERSION` goes into the index's manifest: whoever
changes a cut raises it, and the index is rebuilt. Source: STACK 1.2 "split identifiers ourselves", issue 3 "Recall".
"""

import re
import unicodedata
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

from app.recall.stems import stem

VERSION = 1
MAX_WORD_CHARS = 64  # longer runs are hashes and encoded data: nobody types them
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:['’_.\-/][^\W_{_CJK}]+)*")
_ASCII_RUN = re.compile(r"[A-Za-z0-9]+(?:['_.\-/][A-Za-z0-9]+)*")  # the same of such a text, three times as fast
_IS_CJK = re.compile(rf"[{_CJK}]")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_POSSESSIVE = re.compile(r"['’]s$", re.IGNORECASE)
_JOINS = str.maketrans("", "", "_-'’")


@dataclass(frozen=True, slots=True)
class Run:
    """One written word with what it is found by. Offsets are code points, half-open."""

    start: int
    end: int
    words: tuple[str, ...]  # lower case: the whole first, then its parts
    stems: tuple[str, ...]


@lru_cache(maxsize=65_536)
def _cut(run: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if run.isascii():
        if len(run) <= MAX_WORD_CHARS and run.isalpha() and run.islower():
            return (run,), (stem(run),)
        folded = run
    elif _IS_CJK.match(run):
        pairs = tuple(run[at : at + 2] for at in range(max(1, len(run) - 1)))
        return pairs, pairs
    else:
        folded = _fold(run)
    if not folded.isalnum():  # one with joints in it: a path, a snake, a possessive
        folded = _POSSESSIVE.sub("", folded)
        folded, whole = folded.replace("'", "").replace("’", ""), folded.translate(_JOINS).lower()
    else:
        whole = folded.lower()
    parts = [part.lower() for part in _PART.findall(folded)]
    words = [word for word in dict.fromkeys([whole, *parts]) if word and len(word) <= MAX_WORD_CHARS]
    return tuple(words), tuple(dict.fromkeys([stem(word) if word.isalpha() else word for word in words]))


def _fold(run: str) -> str:
    """Without accents: "café" is found by "cafe"."""
    decomposed = unicodedata.normalize("NFKD", run)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def _runs_of(text: str) -> re.Pattern[str]:
    return _ASCII_RUN if text.isascii() else _RUN


def find_runs(text: str) -> Iterator[Run]:
    """Every written word of `text`, in order."""
    for found in _runs_of(text).finditer(text):
        words, stems = _cut(found.group())
        if words:
            yield Run(found.start(), found.end(), words, stems)


def find_spans(text: str, wanted: AbstractSet[str]) -> list[tuple[int, int]]:
    """Where words stand that have one of the stems `wanted`.

    >>> find_spans("The tests ran", {"test"})
    [(4, 9)]
    """
    return [found.span() for found in _runs_of(text).finditer(text) if not wanted.isdisjoint(_cut(found[0])[1])]


def split_words(text: str) -> list[str]:
    """The lower-case words of `text` and the parts of its identifiers, in order, repeated as said.

    >>> split_words("Call fetchUserById in src/user_store.py")
    ['call', 'fetchuserbyid', 'fetch', 'user', 'by', 'id', 'in', 'src/userstore.py', 'src', 'user', 'store', 'py']
    """
    found: list[str] = []
    for run in _runs_of(text).findall(text):
        found.extend(_cut(run)[0])
    return found


def split_stems(text: str) -> list[str]:
    """As `split_words`, each cut down to its stem: what ranking counts.

    >>> split_stems("The tests were failing")
    ['the', 'test', 'be', 'fail']
    """
    found: list[str] = []
    for run in _runs_of(text).findall(text):
        found.extend(_cut(run)[1])
    return found


def split_grams(word: str, shortest: int = 3, longest: int = 5) -> list[str]:
    """Letter groups of one word with its borders marked, for likeness in spite of typos and endings.

    >>> split_grams("port", 3, 4)
    ['<po', 'por', 'ort', 'rt>', '<por', 'port', 'ort>']
    """
    marked = f"<{word}>"
    return [
        marked[at : at + size] for size in range(shortest, longest + 1) for at in range(max(0, len(marked) - size + 1))
    ]
