"""What a memory is ranked by: the stems of its text, what only its title adds, and who says it.

One rule for the memory that is ranked now and for the terms that are kept beside it. Whoever changes it raises `TERMS_VERSION` of the store.
Source: S3 "Multi-Strategy Scoring".
"""

import re

from app.language.search_words import split_ranked
from app.language.stems import stem

_LABEL_CHARS = 32
_LABEL = re.compile(r"^([A-Z]\w{1,30}): ")


def split_into_terms(text: str, title: str) -> tuple[tuple[str, ...], str]:
    """The stems of a text, with what only its title says ("Database: PostgreSQL"), and the stem of who says it.

    >>> split_into_terms("Ana: tests ran", "Ana: tests ran")
    (('ana', 'test', 'run'), 'ana')
    """
    label = _LABEL.match(text) if ":" in text[:_LABEL_CHARS] else None
    stems = split_ranked(text)
    if _says_more(text, title):
        known = set(stems)
        stems += [one for one in dict.fromkeys(split_ranked(title)) if one not in known]
    return tuple(stems), stem(label.group(1).lower()) if label else ""


def _says_more(text: str, title: str) -> bool:
    """Whether a title says what its text does not: not one that is the beginning of it, with its capital letter and its "…"."""
    return not text.startswith(title.removesuffix("…")[1:], 1)
