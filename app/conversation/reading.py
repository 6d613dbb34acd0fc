"""Remembers what was read: one analysis per message, shared by entities and references.

Memory of pure results only (the same text always reads the same); bounded in number and in text length.
"""

from functools import cache, lru_cache

from app.conversation.lexicon import Lexicon
from app.conversation.phrases import Analysis, PhraseReader
from app.conversation.tokens import MAX_ANALYSED_CHARS


@cache
def _reader() -> PhraseReader:
    return PhraseReader(Lexicon.shipped())


@lru_cache(maxsize=96)
def _remembered(text: str) -> Analysis:
    return _reader().read(text)


def read_message(text: str) -> Analysis:
    """The analysis of a message's beginning; offsets are those of the whole message."""
    return _remembered(text[:MAX_ANALYSED_CHARS])
