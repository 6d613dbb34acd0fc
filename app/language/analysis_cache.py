"""Remembers what was read: one analysis per message, shared by entities and references.

What redaction left in place of a secret is not read: it names nothing. Memory of pure results only (the same text always reads the same); bounded in number and in text length.
"""

import re
from functools import cache, lru_cache

from app.language.lexicon import Lexicon
from app.language.phrases import Analysis, PhraseReader
from app.language.tokens import MAX_ANALYSED_CHARS

SECRET_MARK = re.compile(r"\[secret: [^\]\n]{1,80}\]")


@cache
def _reader() -> PhraseReader:
    return PhraseReader(Lexicon.shipped())


@lru_cache(maxsize=96)
def _remembered(text: str) -> Analysis:
    return _reader().read(SECRET_MARK.sub(_blank, text) if "[secret: " in text else text)


def _blank(mark: re.Match[str]) -> str:
    """As long as the mark, so that what follows stays in its place."""
    return " " * len(mark[0])


def read_message(text: str) -> Analysis:
    """The analysis of a message's beginning; offsets are those of the whole message."""
    return _remembered(text[:MAX_ANALYSED_CHARS])
