"""Whether a message is about a memory, so that it may be told without being asked for.

Whoever asks gets the nearest there is. An assistant that only passes a prompt on gets a line when the prompt has a word of the memory,
or one that means the same; where a long prompt has some word of nearly everything, when the two share enough, weighed by rarity.
Single digits do not count: every list has a "2"; nor does a short word for another written alike: a "cart" is no slip for "card".
Pure. Bounds set by reading what was told on real messages
(tests/flows/told_lines.py): of the lines that fall away one in eight was of use, of those that stay two in five. Source: QUALITY A11.
"""

from collections.abc import Sequence
from math import sqrt

from app.recall.rank import Ranked
from app.recall.rules import load_recall_rules
from app.recall.sought import ALIKE, SYNONYM, Sought

_SHORT = 10  # telling words; a question has fewer
_TINY = 1  # "proceed": what means nearly the same says nothing
_SLIP_CHARS = 7  # a longer word that stands nowhere is a slip of the fingers, a shorter one another word
_LEAST_LIKENESS = 0.15  # with a longer message; cosine of the words by rarity


def is_about(one: Ranked, sought: Sequence[Sought]) -> bool:
    """Whether the message that looked for `sought` and the memory share enough.

    >>> from app.recall.rank import Candidate
    >>> port, two = (Sought(word, word, 3.0, False, True, {word: (1.0, "keyword")}) for word in ("port", "2"))
    >>> [is_about(Ranked(Candidate(1, (at.stem,), 0), found={0: 1.0}), [at]) for at in (port, two)]
    [True, False]
    """
    held = [sought[at] for at in one.found if _tells(sought[at].stem) and not _is_other_word(one, sought[at])]
    said = [entry for entry in held if _says(one, entry)]
    words = _weigh([entry for entry in sought if entry.is_known and _tells(entry.stem)])
    if len(words) <= _SHORT:
        return bool(said) or (bool(held) and len({entry.word for entry in sought}) > _TINY)
    return _likeness(one, _weigh(said), words) >= _LEAST_LIKENESS


def _likeness(one: Ranked, said: dict[str, float], words: dict[str, float]) -> float:
    """0..1 or a little more: how much of both is in the other, a usual word counted as 1."""
    own_count = len({stem for stem in one.candidate.stems if _tells(stem)})
    usual = sum(words.values()) / len(words)
    return sum(said.values()) / usual / sqrt(max(1, own_count) * len(words))


def _tells(stem: str) -> bool:
    return stem not in load_recall_rules().stop_stems and not (len(stem) == 1 and stem.isdigit())


def _says(one: Ranked, entry: Sought) -> bool:
    """Whether the memory has the word itself, or one written alike."""
    return any(stem in one.candidate.stems for stem, (_, signal) in entry.stands_for.items() if signal != SYNONYM)


def _is_other_word(one: Ranked, entry: Sought) -> bool:
    """Whether the memory has nothing of it but a word written alike, and the word is too short for a slip."""
    signals = {signal for stem, (_, signal) in entry.stands_for.items() if stem in one.candidate.stems}
    return len(entry.word) < _SLIP_CHARS and signals == {ALIKE}


def _weigh(entries: Sequence[Sought]) -> dict[str, float]:
    """Rarity per word as typed: the parts of a path or a name are one word."""
    found: dict[str, float] = {}
    for entry in entries:
        found[entry.word] = max(found.get(entry.word, 0.0), entry.idf)
    return found
