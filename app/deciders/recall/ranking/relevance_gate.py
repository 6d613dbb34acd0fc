"""Whether a message is about a memory, so that it may be given without being asked for; and whether it says the memory itself.

Whoever asks gets the nearest there is. An assistant that only passes a prompt on gets a line when enough is shared: the share of the
memory that the message says and the share of the message that the memory says, rare words before common ones, make up `_LEAST`, for a short question less.
A single shared word carries a short question and never a long message. Single digits do not count: every list has a "2"; nor does
a short word for another written alike: a "cart" is no slip for "card"; nor the project's own name, which everything in it may
say (measured: of the 80 surest of 501 labelled pairs 67 are on the subject instead of 61). Pure: how rare a word is in the
language is handed in.
The bound was set by reading what was given on real messages (tests/flows/given_lines.py). Source: QUALITY A11.
"""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache

from app.deciders.recall.ranking.query import ALIKE, SYNONYM, QueryTerm
from app.deciders.recall.ranking.rank import RankedCandidate
from app.deciders.recall.rules import load_recall_rules
from app.language.search_words import split_stems
from app.language.sentences import cut_sentences

_LEAST = 0.45  # of both shares together
_CLEARLY = 0.6
_NEAR_SHARE = 0.5
_LEAST_ASKED = 0.35  # of a short question: whoever asks wants an answer
_SHORT = 10  # words; a longer message that asks something wants something done as well
_UNSAID = 1.0  # words that each side is taken to be longer: one word in common with "go on" is little
_PART_SHARE = 0.5  # of a name, where only a part of it is shared
_SYNONYM_SHARE = 0.5  # of a word that means nearly the same
_SLIP_CHARS = 7  # a longer word that stands nowhere is a slip of the fingers, a shorter one another word
_LEAST_REPEATED = 2  # words: "Use orders.db" is not said by every message that names the file
_SURELY = 1.000001  # above what rounding does
_STEMS_KEPT = 20_000  # some 3 MB
_BEGIN_CHARS = 80  # of a sentence hold its first two words


class RelevanceGate:
    """What was looked for in one message, weighed once, to be held against many memories.

    >>> from app.deciders.recall.ranking.rank import Candidate
    >>> port, two = (QueryTerm(word, word, 3.0, False, True, {word: (1.0, "keyword")}) for word in ("port", "2"))
    >>> [RelevanceGate("", [at], lambda word: 1.0).is_about(RankedCandidate(Candidate(1, (at.stem,), 0), found={0: 1.0})) for at in (port, two)]
    [True, False]
    """

    def __init__(
        self,
        text: str,
        query_terms: Sequence[QueryTerm],
        rarity: Callable[[str], float],
        ignored_stems: AbstractSet[str] = frozenset(),
        stricter: float = 0.0,
        unsaid: float = _UNSAID,
    ) -> None:
        """`ignored_stems`: stems that say nothing here, those of the project's name; `stricter`: how much more must be shared;
        `unsaid`: words that each side is taken to be longer.
        """
        self._stricter = stricter
        self._unsaid = unsaid
        self._text = text
        self._weigh = _weigher(rarity)
        self._ignored_stems = ignored_stems
        content = {
            at: entry
            for at, entry in enumerate(query_terms)
            if _is_content(entry.stem) and entry.stem not in ignored_stems
        }
        wholes: dict[str, int] = {}  # a name is looked for by its parts too, and counts once
        for at, entry in content.items():
            wholes.setdefault(entry.word, at)
        places = frozenset(wholes.values())
        self._content_stems = {at: (entry, 1.0 if at in places else _PART_SHARE) for at, entry in content.items()}
        self._weights = {word: rarity(query_terms[at].stem) for word, at in wholes.items()}
        self._all = unsaid + sum(self._weights.values())

    def is_about(self, one: RankedCandidate, share: float = 1.0) -> bool:
        """Whether the message and the memory share enough. `share`: its score's, of the best: the rest is about something else,
        unless it shares more, as with a message about two things.
        """
        least = self._least if share >= _NEAR_SHARE else max(self._least, _CLEARLY)
        return self._is_near(one, least)

    def _is_near(self, one: RankedCandidate, least: float) -> bool:
        """Whether both shares together make up so much; only as much is added up as that takes."""
        said, held = self._find_shared(one)
        stems = one.candidate.stems
        of_message = sum([share * self._weights[word] for word, share in said.items()]) / self._all
        if not said or of_message >= least:  # what the rest of the memory weighs changes nothing
            return bool(said)
        weigh, own = self._weigh, self._unsaid
        shared = sum([share * weigh(stem) for stem, share in held.items()])
        too_much = shared / (least - of_message) * _SURELY  # for a memory to weigh: seen after a few of its words
        for stem in dict.fromkeys(stems):
            own += 0.0 if stem in self._ignored_stems else weigh(stem)
            if own > too_much:
                return False
        return shared / own + of_message >= least

    def _find_shared(self, one: RankedCandidate) -> tuple[dict[str, float], dict[str, float]]:
        """Words of the message → how much of each the memory says; stems of the memory → how much of each the message says."""
        said: dict[str, float] = {}
        held: dict[str, float] = {}
        for at in one.found:
            if at not in self._content_stems:
                continue
            entry, part_share = self._content_stems[at]
            for stem, share in _shared(one.candidate.stems, entry):
                held[stem] = max(share, held.get(stem, 0.0))
                said[entry.word] = max(share * part_share, said.get(entry.word, 0.0))
        return said, held

    def measure(self, one: RankedCandidate) -> float:
        """Both shares together, 0..2."""
        said, held = self._find_shared(one)
        of_message = sum([share * self._weights[word] for word, share in said.items()]) / self._all
        own = self._unsaid + sum(
            [self._weigh(stem) for stem in dict.fromkeys(one.candidate.stems) if stem not in self._ignored_stems]
        )
        return of_message + sum([share * self._weigh(stem) for stem, share in held.items()]) / own

    def repeats(self, memory: str, stems: Sequence[str] = ()) -> bool:
        """Whether the message states the memory word for word, so that giving it would add nothing; a question states nothing.

        `stems`: of the memory as it is ranked, those of its text first; most that is not repeated is known by them.

        >>> spoken = RelevanceGate("OK, let's drop the prefix index! Do we keep the cache?", (), lambda word: 1.0)
        >>> spoken.repeats("Drop the prefix index."), spoken.repeats("We keep the cache.")
        (True, False)
        """
        if not self._stated:
            return False
        if stems and "-" not in memory:  # else an option of a command is another stem there
            first = next(filter(_is_content, stems), "")
            if not any(f" {first} " in stated for stated in self._stated):
                return False
        wanted = _content_stems(memory)
        if len(wanted) < _LEAST_REPEATED:
            return False
        query_terms = f" {' '.join(wanted)} "
        return any(query_terms in stated for stated in self._stated)

    @cached_property
    def _least(self) -> float:
        is_question = len(self._weights) < _SHORT and any(map(asks, cut_sentences(self._text)))
        return (_LEAST_ASKED if is_question else _LEAST) + self._stricter

    @property
    def is_question(self) -> bool:
        """Whether the message is a short question and nothing else."""
        sentences = [one for one in cut_sentences(self._text) if one.strip()]
        return len(self._weights) < _SHORT and bool(sentences) and all(map(asks, sentences))

    @cached_property
    def _stated(self) -> list[str]:
        """Of each sentence that is no question the content stems, in order."""
        return [
            f" {' '.join(_content_stems(sentence))} "
            for sentence in cut_sentences(self._text)
            if sentence and not asks(sentence)
        ]


def _shared(stems: Sequence[str], entry: QueryTerm) -> list[tuple[str, float]]:
    """What of a thing looked for stands in a memory: itself, or words for it with less weight."""
    if entry.stem in stems:
        return [(entry.stem, 1.0)]
    shared = []
    for stem, (_, signal) in entry.stands_for.items():
        if stem in stems and (signal != ALIKE or len(entry.word) >= _SLIP_CHARS):
            shared.append((stem, _SYNONYM_SHARE if signal == SYNONYM else 1.0))
    return shared


@lru_cache(maxsize=8)
def _weigher(rarity: Callable[[str], float]) -> Callable[[str], float]:
    """The weight of a stem: its rarity, 0 for one that is no content word."""
    return lru_cache(maxsize=_STEMS_KEPT)(lambda stem: rarity(stem) if _is_content(stem) else 0.0)


def _is_content(stem: str) -> bool:
    return stem not in load_recall_rules().stop_stems and not (len(stem) == 1 and stem.isdigit())


def _content_stems(text: str) -> list[str]:
    return [stem for stem in split_stems(text) if _is_content(stem)]


def asks(sentence: str) -> bool:
    """Whether it has the mark of a question, or begins as one.

    >>> asks("do we deploy with Helm"), asks("Do it with Helm")
    (True, False)
    """
    first, second = (*[word.strip(",:").lower() for word in sentence[:_BEGIN_CHARS].split()[:2]], "", "")[:2]
    asking = load_recall_rules().asking
    return sentence.rstrip().endswith("?") or first in asking or f"{first} {second}" in asking
