"""Byte pair encoding over a table of ranks: a text into the very tokens that tiktoken gives, in a tenth of its memory.

Owns the splitting into pieces, the merging and the table; knows no file and no encoding by name. tiktoken holds every token three
times, with a pointer and a length each (45 MB for o200k); to count, it is enough to know a token's hash. Source: S4, "Token Counting";
the merging is that of tiktoken's `byte_pair_merge`, by hand for short pieces and with a heap for long ones.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from heapq import heapify, heappop, heappush

import regex

from app.language.hash_table import HashedNumbers

_SLOT_COUNT = 1 << 19  # more than twice as many as the largest vocabulary has tokens
_NONE = 1 << 30  # above every rank
_SHORT_BYTES = 64  # up to here going through the list is quicker than a heap
_PIECES_KEPT = 8_192  # a tenth of all pieces of code and prose are new to a cache of this size; 2 MB
_SPACE = r" \t\n\r\x0b\x0c"
_IN_ASCII = {
    r"\p{L}": "A-Za-z", r"\p{N}": "0-9", r"\p{Lu}": "A-Z", r"\p{Ll}": "a-z", r"\p{Lt}": "", r"\p{Lm}": "", r"\p{Lo}": "", r"\p{M}": "",
    r"\s": _SPACE,
}  # fmt: skip


def in_ascii(pattern: str) -> str:
    """What a pattern comes to in a text of ASCII alone, without classes of Unicode: Python's own `re` cuts with it in a third of the time.

    >>> in_ascii(r"\\p{L}+|[^\\r\\p{N}]")
    '[A-Za-z]+|[^\\\\r0-9]'
    """

    def replaced(found: re.Match[str]) -> str:
        part = found.group()
        if part == r"\S":
            return f"[^{_SPACE}]"
        if part in _IN_ASCII:
            return f"[{_IN_ASCII[part]}]"
        for name, signs in _IN_ASCII.items():
            part = part.replace(name, signs)
        return part

    return re.sub(r"\[[^\]]*\]|\\p\{\w+\}|\\[sS]", replaced, pattern)


class Vocabulary(HashedNumbers):
    """Tokens by their rank; `tokens` are added in the order of their ranks, which are 0, 1, 2…"""

    def __init__(self, pattern: str) -> None:
        super().__init__(_SLOT_COUNT)
        self._pattern = regex.compile(pattern)
        self._ascii = re.compile(in_ascii(pattern))
        self._tokens_of = lru_cache(maxsize=_PIECES_KEPT)(self._merge)

    rank = HashedNumbers.number  # of a token's bytes; None for bytes that are several

    def encode(self, text: str) -> list[int]:
        """The tokens of a text. A lone surrogate is read as the sign that stands for what cannot be read."""
        return [token for tokens in map(self._tokens_of, self._split(text)) for token in tokens]

    def count(self, text: str) -> int:
        """How many tokens a text is."""
        return sum(map(len, map(self._tokens_of, self._split(text))))

    def _split(self, text: str) -> Iterable[str]:
        if text.isascii():
            return self._ascii.findall(text)
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        pieces: list[str] = self._pattern.findall(text)
        return pieces

    def _merge(self, piece: str) -> tuple[int, ...]:
        data = piece.encode()
        whole = self.rank(data)
        if whole is not None:
            return (whole,)
        merged = self._merge_short(data) if len(data) <= _SHORT_BYTES else self._merge_long(data)
        return tuple(rank for part in merged if (rank := self.rank(part)) is not None)

    def _rank_of_pair(self, data: bytes) -> int:
        rank = self.rank(data)
        return _NONE if rank is None else rank

    def _merge_short(self, data: bytes) -> list[bytes]:
        """Joins the neighbours of the lowest rank, the first of equals, until none are a token together."""
        parts = [data[at : at + 1] for at in range(len(data))]
        ranks = [self._rank_of_pair(data[at : at + 2]) for at in range(len(data) - 1)]
        while ranks and (lowest := min(ranks)) != _NONE:
            at = ranks.index(lowest)
            parts[at] += parts.pop(at + 1)
            del ranks[at]
            if at < len(ranks):
                ranks[at] = self._rank_of_pair(parts[at] + parts[at + 1])
            if at:
                ranks[at - 1] = self._rank_of_pair(parts[at - 1] + parts[at])
        return parts

    def _merge_long(self, data: bytes) -> Iterator[bytes]:
        """As `_merge_short`, in n log n: a run of letters can be as long as a message."""
        size = len(data)
        ends = list(range(1, size + 1))  # of the part that begins here; 0: none begins here any more
        starts = list(range(-1, size))  # of the part that ends where this one begins
        ranks = [self._rank_of_pair(data[at : at + 2]) for at in range(size - 1)] + [_NONE]
        waiting = [(rank, at) for at, rank in enumerate(ranks) if rank != _NONE]
        heapify(waiting)
        while waiting:
            rank, at = heappop(waiting)
            if not ends[at] or ranks[at] != rank:  # joined or changed meanwhile
                continue
            middle = ends[at]
            ends[at], ends[middle] = ends[middle], 0
            ranks[middle] = _NONE
            if ends[at] < size:
                starts[ends[at]] = at
            for start in (at, starts[at]):
                if start < 0 or ends[start] == size:
                    if start >= 0:
                        ranks[start] = _NONE
                    continue
                ranks[start] = self._rank_of_pair(data[start : ends[ends[start]]])
                if ranks[start] != _NONE:
                    heappush(waiting, (ranks[start], start))
        at = 0
        while at < size:
            yield data[at : ends[at]]
            at = ends[at]
