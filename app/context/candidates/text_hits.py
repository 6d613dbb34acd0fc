"""What recall finds for the prompt, the open file and the errors of a moment, as one list of hits.

Each text is searched by itself, its hits are held against the relevance gate where nobody asked, and a memory's shares of all
searches are added up. Source: S4 "Context Assembly Algorithm", QUALITY A11.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import PurePosixPath
from typing import NamedTuple

from app.context.candidate_set import LIKE_AN_ERROR, NAMED_BY_FILE
from app.context.candidates.moment import Moment
from app.context.prediction import inside
from app.deciders.conversation.episode import asks_for_past
from app.deciders.recall.context.file_scope import distinct_names_of, names_of
from app.deciders.recall.ranking.relevance_gate import asks
from app.deciders.recall.rules import load_recall_rules
from app.language.search_words import split_stems
from app.retrieval.ranked_hits import RankedHits
from app.retrieval.recall import Recall
from app.store.rows import context as rows
from app.store.rows.context import AnyCandidateRow
from app.store.visibility import may_be_given
from app.values import MemoryFilter, MemoryKind

_BEST_LEAST, _NEAREST_LEAST = 0.5, 0.3  # what the best of the hits is worth, and of those judged not to be meant
_CLOSE_SHARE = 0.4  # of the best score; a decision that fits less is not about this task
_HITS_LEAST, _TOKENS_PER_HIT = 64, 25
_HITS_UNASKED = 80  # the next 120 bring a quarter more lines and one in a hundred of what is needed
_HITS_ASKED_FOR = 240  # 200 leave 7 % of 8,000 tokens empty where there is more to say
_SHARED_HITS, _FILE_HITS, _ERROR_HITS, _LITERAL_HITS_ASKED_FOR = 20, 15, 10, 60
_ERROR_CHARS = 400
_PATH_PART, _PATH_PARTS = re.compile(r"[^/_.\s]+"), 12
_NAME_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\W_A-Z]+|[A-Z]+")  # "OrderItem", "order_item"
_PARTS_OUTSIDE = 3
_STRICTER, _STRICTER_BY_NAME = 0.05, 0.15  # than for what is given unasked; a file's name is few words
_SUBJECT_WORDS, _OF_FILE_MOST = 6, 6  # a sentence's subject stands within them; in a shop half of all says "order"
_EVERYTHING = 0.3  # of a project's memories: a name that so many begin with tells none of them from the others
FEW = 20  # memories: of so few all that are sure are given
_HOLDERS_MOST = 3  # memories that hold a name of an error: what more hold is said of everything
_PATH_WORDS = "src lib app index main"  # say nothing of a file


class TextSearch(NamedTuple):
    """What recall found for one text, and why it was searched for: "" for the prompt."""

    found: RankedHits
    why: str
    text: str


class TextHits(NamedTuple):
    """The hits of one text. `named`: those that say something of it; the others only stand beside one that does."""

    found: RankedHits
    why: str
    named: AbstractSet[int]
    stated_by_prompt: AbstractSet[int] = frozenset()  # the prompt says these itself, and nobody asked

    def shares(self) -> Iterator[tuple[int, float, bool]]:
        """Each hit, what it is worth, and whether it is close to the best.

        The best is worth its score, and not less than a bound: a long prompt is covered by no memory.
        """
        ranked = self.found.ranked
        best = max([one.score for one in ranked.values()], default=0.0)
        weight = max(min(1.0, best), _BEST_LEAST) if self.found.is_fitting else _NEAREST_LEAST
        factor, close = weight / best if best else 0.0, _CLOSE_SHARE * best
        return ((key, one.score * factor, one.score >= close) for key, one in ranked.items())


class MergedHit(NamedTuple):
    """A memory that several searches found."""

    score: float
    largest: float
    is_named: bool
    is_close: bool
    strongest: TextHits  # the search that gave most of the score
    others: tuple[str, ...] = ()  # why else it was searched for

    def merged_with(self, other: "MergedHit") -> "MergedHit":
        is_named, is_close = self.is_named or other.is_named, self.is_close or other.is_close
        first, second = (self, other) if self.largest >= other.largest else (other, self)
        besides = [why for why in (second.strongest.why, *self.others) if why != first.strongest.why]
        others = tuple(dict.fromkeys(besides))
        return MergedHit(self.score + other.score, first.largest, is_named, is_close, first.strongest, others)


def search_texts(recall: Recall, moment: Moment, *, has_shared: bool) -> list[TextSearch]:
    """One search for the prompt, the file and each error; the branch is the prediction's. `has_shared`: any project shares memories."""
    signals, is_wide = moment.signals, moment.takes_unconfirmed
    shared = MemoryFilter(is_shared=True, includes_unconfirmed=is_wide)
    own = replace(shared, projects=(signals.project_path,), is_shared=None) if signals.project_path else shared
    asked: list[tuple[str, MemoryFilter, int, str]] = []
    if signals.prompt.strip():
        most = _HITS_ASKED_FOR if moment.is_asked_for else _HITS_UNASKED
        limit = min(most, max(_HITS_LEAST, moment.request.budget_tokens // _TOKENS_PER_HIT))
        asked.append((signals.prompt, own, limit, ""))
        if signals.project_path and has_shared:
            asked.append((signals.prompt, shared, _SHARED_HITS, ""))
    if signals.current_file:
        words = _file_words(inside(signals.current_file, signals.project_path))
        if moment.is_asked_for:
            called = PurePosixPath(signals.current_file.replace("\\", "/")).stem
            words = f"{words} {' '.join(_NAME_PART.findall(called))}"
        asked.append((words, own, _LITERAL_HITS_ASKED_FOR if moment.is_asked_for else _FILE_HITS, NAMED_BY_FILE))
    of_error = _LITERAL_HITS_ASKED_FOR if moment.is_asked_for else _ERROR_HITS
    asked += [(error.split("\n", 1)[0][:_ERROR_CHARS], own, of_error, LIKE_AN_ERROR) for error in moment.errors]
    return [
        TextSearch(
            recall.retrieve(moment.connection, text, filters, limit, is_literal=bool(why), has_rows=True), why, text
        )
        for text, filters, limit, why in asked
    ]


def merge_hits(retrieved: Iterable[TextHits], keys: AbstractSet[int]) -> dict[int, MergedHit]:
    """Each of `keys` with all that it was found by."""
    merged: dict[int, MergedHit] = {}
    for one in retrieved:
        for key, share, is_near_best in one.shares():
            if key in keys:
                is_named = key in one.named
                new = MergedHit(share, share, is_named, is_named and is_near_best, one)
                known = merged.get(key)
                merged[key] = new if known is None else known.merged_with(new)
    return merged


def apply_gate(search: TextSearch, moment: Moment) -> TextHits:
    """Which hits say something of the text: those that hold a word of it where somebody asked, else those that pass the gate."""
    found, why, text = search
    if moment.is_asked_for:
        named = {key for key, one in found.ranked.items() if one.found} if found.is_fitting else frozenset[int]()
        return TextHits(found, why, named)
    ignored_stems = frozenset(split_stems(PurePosixPath(moment.signals.project_path.replace("\\", "/")).name))
    passing, stated = found.pass_gate(text, ignored_stems)
    if why:
        return TextHits(found, why, passing | stated)
    passing = passing if found.is_fitting else set()
    return TextHits(found, why, passing, stated)


def load_givable_hits(moment: Moment, retrieved: Sequence[TextHits]) -> dict[int, AnyCandidateRow]:
    """Those of the hits that may be given; only those that ranking did not read whole are read here."""
    is_asked_for, project_id, now = moment.is_asked_for, moment.project_id, moment.now
    givable: dict[int, AnyCandidateRow] = {}
    others: set[int] = set()
    for found, _, named, stated_by_prompt in retrieved:
        rows_by_id = found.pool.rows_by_id
        for key in found.ranked if is_asked_for else named | stated_by_prompt:
            row = rows_by_id.get(key)
            if row is None:
                others.add(key)
            elif may_be_given(
                row, project_id, now, excluded=moment.excluded, takes_unconfirmed=moment.takes_unconfirmed
            ):
                givable[key] = row
    others -= givable.keys()
    if others:
        givable.update(rows.load_givable_rows(moment.connection, sorted(others), project_id, now))
    return givable


def find_relevant(
    searches: Iterable[TextSearch], rows_of: Mapping[int, AnyCandidateRow], moment: Moment, project_size: int
) -> tuple[set[int], set[int]]:
    """Hits that share more with a text than it takes to be given unasked, and the episodes among them.

    Episodes count as relevant only where the prompt asks for the past, or nothing else answers it as well. `rows_of`: the hits that
    may be given; `project_size`: memories of the project.
    """
    name = PurePosixPath(moment.signals.project_path.replace("\\", "/")).name
    suffix = PurePosixPath(moment.signals.current_file).suffix.lstrip(".")
    ignored_stems = frozenset(split_stems(f"{name} {suffix} {_PATH_WORDS}")) | load_recall_rules().talk_stems
    is_past = asks_for_past(moment.signals.prompt)
    relevant, episodes = set[int](), set[int]()
    for search in searches:
        found = search.found
        is_episode = {key: rows_of[key].kind == MemoryKind.EPISODE for key in found.ranked.keys() & rows_of.keys()}
        if search.why == LIKE_AN_ERROR:
            relevant |= _sharing_names(search, rows_of)
            continue
        if not search.why and project_size > FEW:
            before = {key for key, is_before in is_episode.items() if is_before and not is_past}
            related = found.find_related(search.text, project_size, ignored_stems, is_episode.keys() - before)
            if related is not None:
                relevant |= related
                episodes |= (
                    found.find_related(search.text, project_size, ignored_stems, before, tells_past=True) or set()
                )
                continue
        passing = set[int]()
        if found.is_fitting:
            stricter = _STRICTER_BY_NAME if search.why else 0.0 if asks(search.text) else _STRICTER
            passing, _ = found.pass_gate(
                "" if search.why else search.text, ignored_stems, stricter
            )  # a file asks nothing
        if search.why == NAMED_BY_FILE:
            facts = {key for key, is_before in is_episode.items() if not is_before}
            names = _name_stems(moment.signals.current_file, ignored_stems)
            about = _on_the_subject_of(names, rows_of) & facts
            named = sorted(about, key=lambda key: -found.ranked[key].score)
            named += found.find_named_by_file(names, project_size, facts)
            if len(about) > _EVERYTHING * project_size:
                named = []
            passing = (passing - facts) | set(list(dict.fromkeys(named))[:_OF_FILE_MOST])
        before = {key for key in passing if is_episode.get(key)}
        relevant |= passing - before
        episodes |= before
    return relevant | episodes if is_past else relevant, episodes


def _sharing_names(search: TextSearch, rows_of: Mapping[int, AnyCandidateRow]) -> set[int]:
    """The best hits of an error that name what it names, if few do: words alone ("status", "test") are shared with half the project."""
    names = distinct_names_of(search.text)
    holders: dict[str, list[int]] = {}
    for key in search.found.ranked:
        for one in names_of(rows_of[key].full) & names if key in rows_of else ():
            holders.setdefault(one, []).append(key)
    few = (keys for keys in holders.values() if len(keys) <= _HOLDERS_MOST)
    return set(list(dict.fromkeys(key for keys in few for key in keys))[:_HOLDERS_MOST])


def _on_the_subject_of(name: AbstractSet[str], rows_of: Mapping[int, AnyCandidateRow]) -> set[int]:
    """Memories whose first words hold every word of a file's name ("agent_tests.py": "Agent test jobs have their own table")."""
    return {
        key
        for key, row in rows_of.items()
        if key > 0 and name and name <= frozenset(split_stems(" ".join(row.full.split()[:_SUBJECT_WORDS])))
    }


def _name_stems(file: str, ignored_stems: AbstractSet[str]) -> frozenset[str]:
    """Of what a file is called, without what says nothing; of its folder where nothing is left ("cart/index.js")."""
    path = PurePosixPath(file.replace("\\", "/"))
    stems = (
        frozenset(split_stems(" ".join(_NAME_PART.findall(name)))) - ignored_stems
        for name in (path.stem, path.parent.name)
    )
    return next(filter(None, stems), frozenset())


def _file_words(path: str) -> str:
    """What the parts of a path are called; of one outside the project the last: the folders above it say nothing of the file."""
    path = path.replace("\\", "/")
    if PurePosixPath(path).is_absolute() or path[1:2] == ":":
        path = "/".join(path.split("/")[-_PARTS_OUTSIDE:])
    return " ".join(_PATH_PART.findall(path)[-_PATH_PARTS:])
