"""What a statement is about: a statement that a reader worded says that first. A sentence as somebody typed it begins with anything.

Pure. Source: issue 16 points 9 and 13.
"""

from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import islice

from app.deciders.recall.rules import load_recall_rules
from app.language.search_words import split_stems

_KEPT = 4_096  # statements of which it is remembered


@lru_cache(maxsize=_KEPT)
def subject_of(statement: str, most: int, besides: AbstractSet[str] = frozenset()) -> frozenset[str]:
    """Stems of its first `most` content words. `besides`: stems that say nothing here, such as the project's name.

    >>> sorted(subject_of("The heron gate timer opens each gate at dusk.", 2, frozenset({"heron"})))
    ['gate', 'timer']
    """
    rules = load_recall_rules()
    nothing = rules.stop_stems | rules.talk_stems | besides
    said = dict.fromkeys(stem for stem in split_stems(statement) if stem not in nothing)
    return frozenset(islice(said, most))
