"""Counts the tokens that a text costs an assistant, exactly and without a network.

Owns the shipped ranks (`resources/tokens`), their hashes and their late loading; knows nothing of memories. The ranks are tiktoken's
own, after the hash that it expects was checked; `byte_pairs` counts with them, to the same tokens. Taking them over takes a third
of a second: the thread that warms up does it (`warm`), never the window's own. Source: S4, "Token Counting" (tiktoken); QUALITY P5, P11.
"""

import hashlib
import lzma
import re
import threading
from binascii import a2b_base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.errors import EnvironmentProblem, InvalidError
from app.resources import resource_path

if TYPE_CHECKING:
    from app.language.byte_pairs import Vocabulary

DEFAULT_ENCODING = "o200k_base"
PIECE_CHARS = 16_384  # of a run without an end: merging it takes a twentieth of a second at most
_BYTES_AT_ONCE = 64 * 1024  # cut at once, some 2 ms: a single C call that the window cannot interrupt
_NAME_LEAST = 0.5  # Redis .55, Docker .68, Kafka 1.4; Comments .45, Emails .15
_CUT = re.compile(r"(?<=\n)(?=[^\s/])|(?<=\S)(?= \S)")


@dataclass(frozen=True, slots=True)
class _Recipe:
    """Of one encoding: what its file of ranks must hash to, and tiktoken's pattern that splits a text into words."""

    sha256: str
    pattern: str


_RECIPES: Mapping[str, _Recipe] = {
    "o200k_base": _Recipe(
        sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        pattern=(
            r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"""
            r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"""
            r"""\p{N}{1,3}|"""
            r""" ?[^\s\p{L}\p{N}]+[\r\n/]*|"""
            r"""\s*[\r\n]+|"""
            r"""\s+(?!\S)|"""
            r"""\s+"""
        ),
    ),
    "cl100k_base": _Recipe(
        sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        pattern=r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s""",
    ),
}
ENCODINGS = tuple(_RECIPES)

_LOCK = threading.Lock()
_LOADED: dict[str, "Vocabulary"] = {}


def count_tokens(text: str, encoding: str = DEFAULT_ENCODING) -> int:
    """How many tokens `text` is. The first call loads the ranks (0.3 s, 4 MB); linear in the text's length.

    Exact up to 16,384 characters and for any text with spaces or line ends; a longer run without them may count one
    token more per 16,384 signs. Raises InvalidError for an unknown encoding.

    >>> count_tokens("We use PostgreSQL.")
    5
    """
    if not text:
        return 0
    count = _load(encoding).count
    return count(text) if len(text) <= PIECE_CHARS else sum(map(count, _pieces(text)))


def is_word(word: str) -> bool:
    """Whether a word is so usual that it has a token of its own: a dictionary that is there already.

    >>> is_word("wrapper"), is_word("wraper")
    (True, False)
    """
    return count_tokens(f" {word}") == 1


def is_usually_capital(word: str) -> bool:
    """Whether a word is about as usual with a capital as without, so that even at the beginning of a sentence it is a name.

    Ranks stand for frequency: the vocabulary was made by joining what is most frequent first.

    >>> is_usually_capital("Kafka"), is_usually_capital("Claude"), is_usually_capital("Comments"), is_usually_capital("Refactor")
    (True, True, False, False)
    """
    small, capital = _rank(f" {word.lower()}"), _rank(f" {word.capitalize()}")
    return capital is not None and (small is None or small > capital * _NAME_LEAST)


def _rank(text: str) -> int | None:
    tokens = encode(text)
    return tokens[0] if len(tokens) == 1 else None


def encode(text: str, encoding: str = DEFAULT_ENCODING) -> list[int]:
    """The tokens of a text of at most a few thousand characters; low numbers are frequent ones."""
    return _load(encoding).encode(text)


def find_token(text: str) -> int | None:
    """The one token that a short text is; None when it is several, which nobody has to tell apart for that."""
    return _load(DEFAULT_ENCODING).rank(text.encode("utf-8", "surrogatepass"))


def warm(encoding: str = DEFAULT_ENCODING) -> None:
    """Loads the ranks now, so that no later count has to. Safe from several threads; the second call is free."""
    _load(encoding)


def _load(name: str) -> "Vocabulary":
    loaded = _LOADED.get(name)
    if loaded is not None:
        return loaded
    if name not in _RECIPES:
        raise InvalidError(f"There is no encoding called {name!r}.", hint=f"Choose one of: {', '.join(ENCODINGS)}.")
    with _LOCK:
        if name not in _LOADED:
            _LOADED[name] = _build(name, _RECIPES[name])
        return _LOADED[name]


def _build(name: str, recipe: _Recipe) -> "Vocabulary":
    from app.language.byte_pairs import Vocabulary  # late: the window's first paint does not wait for it

    vocabulary = Vocabulary(recipe.pattern)
    for listed in _in_parts(_read_ranks(name, recipe)):  # one call for all would keep the window waiting
        vocabulary.add(map(a2b_base64, listed))
    return vocabulary


def _in_parts(data: bytes) -> Iterator[list[bytes]]:
    """What is ranked, line by line, some thousand at a time."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _BYTES_AT_ONCE) + 1 or len(data)
        yield data[start:end].split()[::2]
        start = end


def _read_ranks(name: str, recipe: _Recipe) -> bytes:
    path = resource_path("tokens", f"{name}.tiktoken.xz")
    try:
        data = lzma.decompress(path.read_bytes())
    except (OSError, lzma.LZMAError) as error:
        raise EnvironmentProblem(
            f"The token ranks {path} cannot be read: {error}.", hint="Install Remanence again."
        ) from error
    if hashlib.sha256(data).hexdigest() != recipe.sha256:
        raise EnvironmentProblem(f"The token ranks {path} are damaged.", hint="Install Remanence again.")
    return data


def _pieces(text: str) -> Iterator[str]:
    """`text` in pieces of at most PIECE_CHARS, cut where a token ends anyway: after a line end, before a lone space."""
    start = 0
    while start < len(text):
        end = start + PIECE_CHARS
        if end < len(text):
            end = _last_cut(text, start, end)
        yield text[start:end]
        start = end


def _last_cut(text: str, start: int, end: int) -> int:
    for first in (end - 200, start + PIECE_CHARS // 2):
        cuts = [match.start() for match in _CUT.finditer(text, first, end)]
        if cuts:
            return cuts[-1]
    return end
