"""Puts the current statement above the one it replaced, when both are near the top of an answer.

Sure signs are the store's: one supersedes the other, or both fill one slot. Without them two short statements about one thing
conflict when the later one says that something changed, denies, gives another number or name, or answers as much of what was
asked: of two that do, the later one comes first. Pure. Source: QUALITY A7.
"""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from app.deciders.recall.ranking.query import QueryTerm
from app.deciders.recall.ranking.rank import Candidate, RankedCandidate
from app.deciders.recall.rules import RecallRules
from app.language.search_words import split_stems

_DEPTH = 10
_MOST_STEMS = 30  # longer texts say many things: that they share words means little
_LEAST_OVERLAP = 0.25
_LEAST_SCORE_SHARE = 0.4  # of the older one's; what answers so much less is about something else
_EQUAL_SCORE_SHARE = 0.75
_NEAR_COUNT, _NEAR_OVERLAP = 2, 0.5
_SUBJECT_STEMS = 2
_DIGIT = re.compile(r"\d")
_NAMES = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*|\b\w+_\w+")  # "--no-color", "--now", "NO_COLOR"
_NAMED_THING = re.compile(
    r"(?<=[a-z,] )[A-Z][\w.+#-]*|\b[a-z]+[A-Z]\w*|\b[A-Z]\w*[a-z][A-Z]\w*|\b\w+[/_]\w[\w./-]*|\b\w+\.[a-z]{2,5}\b|`[^`]+`"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)*")


class _StatementWords(NamedTuple):
    """What a short statement holds, for comparing it with another."""

    changes: AbstractSet[str]
    content: AbstractSet[str]  # without words that every text has, and those that say that something changed


def move_newer_above(
    ranked: Sequence[RankedCandidate], rules: RecallRules, query_terms: Sequence[QueryTerm] = ()
) -> list[RankedCandidate]:
    """`ranked` with every newer rival directly above the older one that stood before it.

    Who asks for a number, or for a name with one in it (`query_terms`), means that: what lacks it replaces nothing.
    """
    head, rest = list(ranked[:_DEPTH]), list(ranked[_DEPTH:])
    rivals = _ConflictFinder(rules, query_terms)
    for at in range(1, len(head)):
        newer = head[at]
        above = rivals.find_replaced(newer, head[:at])
        if above is not None:
            head.insert(above, head.pop(at))
            newer.score = max(newer.score, head[above + 1].score)
    return head + rest


class _ConflictFinder:
    """What the statements at the top of one answer say of each other: each is read when it is first asked about."""

    def __init__(self, rules: RecallRules, query_terms: Sequence[QueryTerm]) -> None:
        self._rules = rules
        self._query_terms = query_terms
        self._meant = frozenset([at for at, entry in enumerate(query_terms) if _DIGIT.search(entry.stem)])
        self._said: dict[int, _StatementWords | None] = {}

    def find_replaced(self, newer: RankedCandidate, above: Sequence[RankedCandidate]) -> int | None:
        """The place of the first in `above` of which `newer` says what holds now."""
        new = newer.candidate
        supersedes_id, recorded_at, slot_key = new.supersedes_id, new.recorded_at, new.slot_key
        for at, older in enumerate(above):
            old = older.candidate
            if supersedes_id == old.id:
                return at
            if old.recorded_at > recorded_at or (old.recorded_at == recorded_at and old.id > new.id) or not new.is_live:
                continue
            if slot_key and slot_key == old.slot_key:
                return at
            if self._answers_as_well(newer, older) and self._is_about_same(newer, older):
                return at
        return None

    def _answers_as_well(self, newer: RankedCandidate, older: RankedCandidate) -> bool:
        """Whether the later one holds enough of what was asked for to come first."""
        if newer.score < _LEAST_SCORE_SHARE * older.score or newer.found.keys().isdisjoint(older.found):
            return False
        if self._meant and self._meant & (older.found.keys() - newer.found.keys()):
            return False
        return newer.candidate.access >= older.candidate.access  # what was of use says for itself that it holds

    def _is_about_same(self, newer: RankedCandidate, older: RankedCandidate) -> bool:
        new, old = newer.candidate, older.candidate
        one, other = self._read(new), self._read(old)
        if one is None or other is None:
            return False
        is_statement = not (new.label or old.label)  # talk is none: what is said later need not be what holds
        is_as_much = is_statement and older.found.keys() <= newer.found.keys()
        shared, least = len(one.content & other.content), min(len(one.content), len(other.content))
        if shared < _LEAST_OVERLAP * least:
            return False
        if is_as_much and newer.score >= _EQUAL_SCORE_SHARE * older.score:
            return True  # both answer: the later one comes first
        if not one.changes <= other.changes or _is_another_number(new, old):
            return True
        if is_as_much and self._is_another_answer(new, old, one, other):
            return True
        is_near = is_statement and shared >= max(_NEAR_COUNT, _NEAR_OVERLAP * least)
        return is_near and self._has_its_subject(newer, one, old, other)

    def _is_another_answer(self, new: Candidate, old: Candidate, one: _StatementWords, other: _StatementWords) -> bool:
        """Whether two statements answer differently: by "not", or by another name."""
        denials = self._rules.negation_stems
        if denials.isdisjoint(one.changes) != denials.isdisjoint(other.changes):
            return True
        mine, theirs = _names_of(new), _names_of(old)
        return bool(mine - theirs and theirs - mine)

    def _has_its_subject(
        self, newer: RankedCandidate, one: _StatementWords, old: Candidate, other: _StatementWords
    ) -> bool:
        """Whether the later one begins with what both are about and was asked for, and says only after it what is new.

        "Search sorts by relevance" after "search results are sorted by date"; not "the shop route …" after "the login route …".
        """
        first = next((stem for stem in newer.candidate.stems if stem in one.content), "")
        subject = [stem for stem in old.stems if stem in other.content][:_SUBJECT_STEMS]
        if first not in subject:
            return False
        return not self._query_terms or any(first in self._query_terms[at].stands_for for at in newer.found)

    def _read(self, candidate: Candidate) -> _StatementWords | None:
        if candidate.id not in self._said:
            self._said[candidate.id] = _read(candidate, self._rules)
        return self._said[candidate.id]


def _is_another_number(new: Candidate, old: Candidate) -> bool:
    mine, theirs = _numbers_of(new), _numbers_of(old)
    return bool(mine and theirs and mine != theirs)


def _numbers_of(candidate: Candidate) -> AbstractSet[str]:
    return {word for word in candidate.stems if word[0].isdigit() and _NUMBER.fullmatch(word)}


def _names_of(candidate: Candidate) -> AbstractSet[str]:
    """Names of things: "SQLDelight", "docs/releases", "Friday"."""
    return {found[0].rstrip(".,;:").lower() for found in _NAMED_THING.finditer(candidate.text)}


def _read(candidate: Candidate, rules: RecallRules) -> _StatementWords | None:
    """None of a text that is too long."""
    stems = candidate.stems
    if len(stems) > _MOST_STEMS:
        return None
    said = set(stems)
    changes = rules.change_stems & said
    text = candidate.text
    if changes and ("-" in text or "_" in text) and _NAMES.search(text):  # the words of options and names say nothing
        without_names = split_stems(_NAMES.sub(" ", text))
        changes = changes.difference(split_stems(text)) | changes.intersection(without_names)
    return _StatementWords(changes, said.difference(rules.stop_stems, changes))
