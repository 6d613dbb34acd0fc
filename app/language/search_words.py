"""Cuts text into what the search index holds: words, parts of identifiers, stems, pairs of CJK characters, letter groups.

One cut for memories and for queries, so that both meet. Knows no index. `VERSION` goes into the index's manifest: whoever
changes a cut raises it, and the index is rebuilt. Source: STACK 1.2 "split identifiers ourselves", issue 3 "Recall".
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import NamedTuple

from app.language.stems import stem

VERSION = 3
_MOST_KNOWN = 8_192  # some 1.5 MB each
MAX_WORD_CHARS = 64  # longer runs are hashes and encoded data: nobody types them
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:['’_.\-/][^\W_{_CJK}]+)*")
_SPACED = bytes(code if chr(code).isalnum() or chr(code) in "'_.-/" else 32 for code in range(128)) + bytes(128)
_ASCII_RUN = re.compile(r"[A-Za-z0-9]+(?:['_.\-/][A-Za-z0-9]+)*")  # the same of such a text, in half the time
_IS_CJK = re.compile(rf"[{_CJK}]")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
FLAG = re.compile(r"(?<![\w\-./])--?([A-Za-z]{1,2})(?![\w-])")  # an option of a command
_POSSESSIVE = re.compile(r"['’]s$", re.IGNORECASE)
_JOINS = str.maketrans("", "", "_-'’")


class Run(NamedTuple):
    """One written word with what it is found by. Offsets are code points, half-open. A tuple: there are many."""

    start: int
    end: int
    words: tuple[str, ...]  # lower case: the whole first, then its parts
    stems: tuple[str, ...]


class Marks(NamedTuple):
    """What matched in one text."""

    words: tuple[str, ...]  # as they are in the text, each once
    spans: tuple[tuple[int, int], ...]


def _words_of_token(token: str) -> tuple[str, ...]:
    """Of all runs in a piece of ASCII text that holds only letters, digits and joints: the words."""
    if token.isalnum():
        return _cut_run(token)[0]
    return tuple(chain.from_iterable([_cut_run(run)[0] for run in _ASCII_RUN.findall(token)]))


def _stems_of_token(token: str) -> tuple[str, ...]:
    """As `_words_of_token`, their stems; without the words in between, as most that is met only once are names in code."""
    if not token.isalnum():
        return tuple(chain.from_iterable([_cut_run(run)[1] for run in _ASCII_RUN.findall(token)]))
    if token.isdigit() or len(token) > MAX_WORD_CHARS:
        return _cut_run(token)[1]
    return _stems_of(_plain_words(token))


def _cut_run(run: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if run.isascii():
        if run.isalnum() and len(run) <= MAX_WORD_CHARS:
            words = (run,) if run.isdigit() else tuple(dict.fromkeys(_plain_words(run)))
            return words, _stems_of(words)
        folded = run
    elif _IS_CJK.match(run):
        pairs = tuple(run[at : at + 2] for at in range(max(1, len(run) - 1)))
        return pairs, pairs
    else:
        folded = _fold(run)
    whole = folded
    if not folded.isalnum():  # one with joints in it: a path, a snake, a possessive
        if "'" in folded or "’" in folded:
            folded = _POSSESSIVE.sub("", folded).replace("'", "").replace("’", "")
        whole = folded.translate(_JOINS)
    words = tuple(dict.fromkeys([whole.lower(), *" ".join(_PART.findall(folded)).lower().split()]))
    if not whole or len(whole) > MAX_WORD_CHARS:
        words = tuple([word for word in words if word and len(word) <= MAX_WORD_CHARS])
    return words, _stems_of(words)


def _plain_words(run: str) -> list[str]:
    """Of a run of ASCII letters and digits the whole, then its parts."""
    return [run.lower(), *" ".join(_PART.findall(run)).lower().split()]


def _stems_of(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([stem(word) if word.isalpha() else word for word in words]))


class _Known(dict[str, tuple[str, ...]]):
    """What pieces of text are cut into, remembered: a plain look-up is thrice as fast as a cached call, and there are
    thousands a query. Starts again when it is full."""

    def __init__(self, cut: Callable[[str], tuple[str, ...]]) -> None:
        super().__init__()
        self._cut = cut

    def __missing__(self, piece: str) -> tuple[str, ...]:
        found = self._cut(piece)
        if len(piece) <= MAX_WORD_CHARS:
            if len(self) >= _MOST_KNOWN:
                self.clear()
            self[piece] = found
        return found


_TOKEN_WORDS, _TOKEN_STEMS = _Known(_words_of_token), _Known(_stems_of_token)
_RUN_WORDS, _RUN_STEMS = _Known(lambda run: _cut_run(run)[0]), _Known(lambda run: _cut_run(run)[1])


def _space_out(text: str) -> str:
    """An ASCII text with spaces where no run continues: each piece between them holds one run or a few."""
    return text.encode("ascii").translate(_SPACED).decode("ascii")


def _tokens(text: str) -> list[str]:
    return _space_out(text).split()


def _fold(run: str) -> str:
    """Without accents: "café" is found by "cafe"."""
    decomposed = unicodedata.normalize("NFKD", run)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def find_runs(text: str) -> Iterator[Run]:
    """Every written word of `text`, in order."""
    pattern, words, stems = (
        (_ASCII_RUN, _TOKEN_WORDS, _TOKEN_STEMS) if text.isascii() else (_RUN, _RUN_WORDS, _RUN_STEMS)
    )
    for found in pattern.finditer(text):
        run = found.group()
        if words[run]:
            yield Run(found.start(), found.end(), words[run], stems[run])


def split_firsts(text: str) -> list[tuple[str, str]]:
    """Of every written word of `text` the whole in lower case, and its stem.

    >>> split_firsts("The tests ran")
    [('the', 'the'), ('tests', 'test'), ('ran', 'run')]
    """
    pattern, words, stems = (
        (_ASCII_RUN, _TOKEN_WORDS, _TOKEN_STEMS) if text.isascii() else (_RUN, _RUN_WORDS, _RUN_STEMS)
    )
    return [(words[run][0], stems[run][0]) for run in pattern.findall(text) if words[run]]


def mark_texts(texts: Sequence[str], wanted: AbstractSet[str]) -> list[Marks]:
    """Per text where words stand that have one of the stems `wanted`. What texts have in common is looked at once.

    >>> mark_texts(["The tests ran"], {"test"})
    [Marks(words=('tests',), spans=((4, 9),))]
    """
    spaced = [_space_out(text) if text.isascii() else "" for text in texts]
    cut = [one.split() for one in spaced]
    hits = {token for token in set[str]().union(*cut) if not wanted.isdisjoint(_TOKEN_STEMS[token])}
    return [
        _mark_tokens(one, tokens, hits, wanted) if one else _mark_runs(text, wanted)
        for text, one, tokens in zip(texts, spaced, cut, strict=True)
    ]


def _mark_tokens(spaced: str, tokens: Sequence[str], hits: AbstractSet[str], wanted: AbstractSet[str]) -> Marks:
    """Of a text with spaces between its pieces, `tokens`, of which those in `hits` hold a word that is wanted."""
    words: dict[str, None] = {}
    spans: list[tuple[int, int]] = []
    padded, end = f" {spaced} ", 0
    for token in tokens:
        if token not in hits:
            continue
        start = padded.index(f" {token} ", end)  # by itself, not inside another one
        end = start + len(token)
        if token.isalnum():
            spans.append((start, end))
            words[token] = None
            continue
        for run in _ASCII_RUN.finditer(spaced, start, end):
            if not wanted.isdisjoint(_TOKEN_STEMS[run[0]]):
                spans.append(run.span())
                words[run[0]] = None
    return Marks(tuple(words), tuple(spans))


def _mark_runs(text: str, wanted: AbstractSet[str]) -> Marks:
    runs = [run for run in _RUN.finditer(text) if not wanted.isdisjoint(_RUN_STEMS[run[0]])]
    return Marks(tuple(dict.fromkeys([run[0] for run in runs])), tuple([run.span() for run in runs]))


def split_words(text: str) -> list[str]:
    """The lower-case words of `text` and the parts of its identifiers, in order, repeated as said.

    >>> split_words("Call fetchUserById in src/user_store.py")
    ['call', 'fetchuserbyid', 'fetch', 'user', 'by', 'id', 'in', 'src/userstore.py', 'src', 'user', 'store', 'py']
    """
    if text.isascii():
        return list(chain.from_iterable(map(_TOKEN_WORDS.__getitem__, _tokens(text))))
    return list(chain.from_iterable(map(_RUN_WORDS.__getitem__, _RUN.findall(text))))


def split_stems(text: str) -> list[str]:
    """As `split_words`, each cut down to its stem: what ranking counts.

    >>> split_stems("The tests were failing")
    ['the', 'test', 'be', 'fail']
    """
    if text.isascii():
        return list(chain.from_iterable(map(_TOKEN_STEMS.__getitem__, _tokens(text))))
    return list(chain.from_iterable(map(_RUN_STEMS.__getitem__, _RUN.findall(text))))


def split_ranked(text: str) -> list[str]:
    """As `split_stems`, but a short option of a command keeps its dash: "-q" is no "q" when it comes to rank.

    >>> split_ranked("run it with -q")
    ['run', 'it', 'with', '-q']
    """
    if "-" not in text:
        return split_stems(text)
    stems: list[str] = []
    end = 0
    for found in FLAG.finditer(text):
        stems += split_stems(text[end : found.start()])
        stems.append(f"-{found[1].lower()}")
        end = found.end()
    return stems + split_stems(text[end:])
