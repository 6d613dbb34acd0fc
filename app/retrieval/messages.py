"""Search in the person's own prompts, as typed: what no memory was made of is found where it was said.

The queue holds few messages, so all that the filter lets through are ranked by BM25; their stems are remembered. Of the prompt
archive its index says which hold a word, and the best of those are ranked among them. What is not the person's wording, orders that
would turn an assistant against them, what is excluded, and messages whose memory was rejected or is held off are no answer for a
program; the window shows them to the person, marked. Source: issue 16 point 13.
"""

import math
import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from sqlalchemy import Connection

from app.actor import bound_actor
from app.deciders.conversation.authorship import split_authors
from app.deciders.recall.ranking.query import list_asked_kinds
from app.deciders.recall.ranking.relevance_gate import asks
from app.deciders.recall.rules import RecallRules, load_recall_rules
from app.deciders.recall.statement_subject import subject_of
from app.language.search_words import split_stems
from app.memories.draft_guess import would_steer_in
from app.retrieval.prompt_index import NO_CANDIDATES, PromptCandidates, PromptIndex
from app.store.rows import archived_prompts as rows_of
from app.store.rows.judge import load_answer_ends
from app.store.rows.project import project_paths
from app.store.search.memories import find_apps, find_projects
from app.store.search.values import Scope
from app.store.tables.types import to_microseconds
from app.values import MemoryFilter

STRETCH_CHARS = 400
_K1, _B = 1.2, 0.75
_USUAL_STEMS = 30  # of a stretch
_KEPT = 6_000  # messages whose stems are remembered; some 6 MB
_VERDICTS_KEPT = 4_096  # texts of which is remembered whose words they are and whether they would steer
_LOOKED_AT = 4  # so many times what is asked for, since some are no answer
_ARCHIVED_LOOKED_AT = 32  # at least, and twice what is asked for: the index has ranked them already
_LEAST_READ = 40  # of the queue's are ranked by the person's own wording, at least
_LEAST_SHARE = 0.15  # of what was asked for: less is chance
_SAME_QUESTION = 0.8  # of a question's own words: what else it says may be the answer
_END_SHARE, _BESIDE_SHARE = 0.2, 0.2  # what the answer's end says, and the prompts before and after
# Of 66 questions on seven labelled parts of streams the first hit that answers stands at .60 instead of .55 (mean of one by its place),
# higher in four parts and lower in two by .02; the first five answer 53 instead of 52, two more on the stream that nothing was chosen on.
_STATEMENT_SHARE, _SUBJECT_STEMS = 0.2, 3
_SENTENCE = re.compile(r"(?:[^.!?\n]|[.!?](?=\w))+[.!?]*\s*|\n+")  # a dot inside a name ends none


class FoundMessage(NamedTuple):
    """A prompt that fits: its number, the stretch that matches, when it was typed (microseconds), how well it fits (0..1)."""

    message_id: int
    conversation_id: int
    text: str
    at: int
    score: float
    matched: tuple[str, ...]
    is_archived: bool = False
    is_withheld: bool = False  # for the person's eyes only
    fit: float = 0.0  # how well it answers by its words, those of its answer's end and of the prompts beside it


class FoundMessages(NamedTuple):
    """Prompts that fit, the best first, and how much each word of the query says (its stem → weight)."""

    messages: list[FoundMessage]
    weights: dict[str, float]
    kinds: Mapping[str, AbstractSet[str]] = {}  # "which database": the kind's stem → stems of names that say it too

    def fit(self, text: str, *, is_statement: bool = False) -> float:
        """How well a memory answers, by the measure that ranks messages: the two are compared by it.

        `is_statement`: confirmed and worded to be read; what it is about, and other words for what was asked, count a little more.
        """
        fit = fit_of(text, self.weights, self.kinds)
        return fit + _STATEMENT_SHARE * self._hints(text) if is_statement else fit

    def _hints(self, text: str) -> float:
        """The share of the query's weight that lies in the words the memory begins with and in synonyms."""
        said, subject, synonyms = set(split_stems(text)), subject_of(text, _SUBJECT_STEMS), load_recall_rules().synonyms
        about = sum(weight for stem, weight in self.weights.items() if stem in subject)
        meant = (stem for stem in self.weights if stem not in said and not said.isdisjoint(synonyms.get(stem, ())))
        return (about + sum(self.weights[stem] for stem in meant)) / (sum(self.weights.values()) or 1.0)

    def without_question(self, query: str) -> "FoundMessages":
        """Without the question itself, typed before: what says hardly a word that was not asked answers nothing."""
        return self._replace(messages=[one for one in self.messages if not _only_asks(one.text, query)])


class MessageSearch:
    """Thread-safe."""

    def __init__(
        self, rules: RecallRules, prompts: PromptIndex, is_excluded: Callable[[Iterable[str], Iterable[str]], bool]
    ) -> None:
        """`prompts` is the archive's index; `is_excluded`: whether the person excludes these places or texts."""
        self._rules = rules
        self._prompts = prompts
        self._is_excluded = is_excluded
        self._stems: OrderedDict[tuple[int, int], Counter[str]] = OrderedDict()

    def find(
        self,
        connection: Connection,
        query: str,
        filters: MemoryFilter,
        limit: int,
        *,
        now: datetime,
        is_archive_on: bool = False,
        shows_withheld: bool = False,
        passed_over: Collection[int] = (),
    ) -> FoundMessages:
        """The best first, what is typed twice once. Nothing where the filter asks for what only memories have.

        `shows_withheld`: for the window. `passed_over`: messages for which a memory stands.
        """
        asked = set(split_stems(query)) - self._rules.stop_stems
        if not asked or not _is_for_messages(filters):
            return FoundMessages([], {})
        rows = _load(connection, filters)
        archived = self._archived(connection, asked, filters, limit) if is_archive_on else NO_CANDIDATES
        live_count = len(rows)
        rows += [
            (one.id, one.text, one.at, one.conversation_id, one.project_id, one.app_id) for one in archived.prompts
        ]
        counts = [self._counted(row[0], row[1]) for row in rows]
        if shows_withheld:  # the person looks for what was pasted, too
            counts = [
                own if asked.intersection(own) else Counter(split_stems(row[1]))
                for own, row in zip(counts, rows, strict=True)
            ]
        scores, weights = _rank(asked, counts, live_count, archived)
        no_answer = rows_of.find_no_answers(connection, to_microseconds(now))
        paths = project_paths(connection)
        found: list[FoundMessage] = []
        most = max(_LEAST_READ, limit * _LOOKED_AT)
        fits = _fits(connection, rows, counts, live_count=live_count, scores=scores, weights=weights, most=most)
        said_already: set[str] = set()
        for at in sorted(fits, key=lambda at: (-fits[at], -rows[at][0])):
            number, text, when, conversation_id, project_id, _ = rows[at]
            if number in passed_over:
                continue
            stretch = choose_stretch(own_words(text), weights)
            is_withheld = (
                not stretch
                or number in no_answer
                or _would_steer(stretch)
                or self._is_excluded([paths.get(project_id or 0, "")], [text])
            )
            if is_withheld and not shows_withheld:
                continue
            stretch = stretch or choose_stretch(text, weights)
            share = share_of(stretch, weights)
            if max(share, fits[at]) < _LEAST_SHARE or stretch.casefold() in said_already:
                continue
            said_already.add(stretch.casefold())
            said = tuple(stem for stem in weights if stem in set(split_stems(stretch)))
            found.append(
                FoundMessage(
                    message_id=number,
                    conversation_id=conversation_id,
                    text=stretch,
                    at=when,
                    score=round(share, 4),
                    matched=said,
                    is_archived=at >= live_count,
                    is_withheld=is_withheld,
                    fit=fits[at],
                )
            )
            if len(found) == limit:
                break
        return FoundMessages(found, weights, list_asked_kinds(query, self._rules))

    def _archived(
        self, connection: Connection, asked: Iterable[str], filters: MemoryFilter, limit: int
    ) -> PromptCandidates:
        """Of the archive: the prompts that hold most of what is asked for, as far as `connection` shows them."""
        groups: list[tuple[str, ...]] = []
        if filters.projects:
            groups.append(tuple(f"project:{one}" for one in find_projects(connection, filters.projects)))
        if filters.apps:
            groups.append(tuple(f"app:{one}" for one in find_apps(connection, filters.apps)))
        if bound_actor() is not None:
            groups.append(tuple(f"project:{one}" for one in rows_of.find_spoken_in(connection)))
        if not all(groups):
            return NO_CANDIDATES
        since, until = (None if at is None else to_microseconds(at) for at in (filters.from_at, filters.to_at))
        most = max(_ARCHIVED_LOOKED_AT, limit * 2)
        return self._prompts.find(connection, sorted(asked), Scope(tuple(groups), since, until), most)

    def _counted(self, number: int, text: str) -> Counter[str]:
        key = number, hash(text)
        known = self._stems.get(key)
        if known is None:
            known = self._stems[key] = Counter(split_stems(own_words(text)))
            while len(self._stems) > _KEPT:
                self._stems.popitem(last=False)
        return known


def _only_asks(text: str, query: str) -> bool:
    """
    >>> _only_asks("why does the export stop?", "Why does the export stop"), _only_asks("Why? A page had no rows.", "why?")
    (True, False)
    """
    if not (asks(query) and asks(text)):
        return False
    said = set(split_stems(text)) - load_recall_rules().stop_stems
    return len(said.intersection(split_stems(query))) >= _SAME_QUESTION * len(said)


def share_of(text: str, weights: Mapping[str, float]) -> float:
    """The weight of the words that the text says, of the weight of all: 0..1.

    >>> share_of("The port is 7402.", {"port": 3.0, "stage": 1.0})
    0.75
    """
    said = set(split_stems(text))
    return sum(weight for stem, weight in weights.items() if stem in said) / (sum(weights.values()) or 1.0)


def fit_of(text: str, weights: Mapping[str, float], kinds: Mapping[str, AbstractSet[str]] | None = None) -> float:
    """BM25 of a stretch or a memory, of the best there can be: how much it says in how few words, 0..about 1.2.

    >>> fit_of("We use SQLite.", {"database": 1.0}, {"database": {"sqlite"}}) > fit_of("We use it.", {"database": 1.0}) == 0
    True
    """
    said = Counter(split_stems(text))
    for kind, names in (kinds or {}).items():
        if kind in weights and not said[kind] and not names.isdisjoint(said):
            said[kind] = 1
    return _gain(said, weights, _USUAL_STEMS) / (sum(weights.values()) or 1.0)


def _is_for_messages(filters: MemoryFilter) -> bool:
    plain = replace(filters, projects=(), apps=(), from_at=None, to_at=None)
    return plain == MemoryFilter()


def _load(connection: Connection, filters: MemoryFilter) -> list[rows_of.PromptRow]:
    projects = find_projects(connection, filters.projects) if filters.projects else None
    apps = find_apps(connection, filters.apps) if filters.apps else None
    since, until = (None if at is None else to_microseconds(at) for at in (filters.from_at, filters.to_at))
    return [
        row
        for row in rows_of.load_typed(connection, since, until)
        if (projects is None or row[4] in projects) and (apps is None or row[5] in apps)
    ]


def _rank(
    asked: Iterable[str], counts: Sequence[Counter[str]], live_count: int, archived: PromptCandidates
) -> tuple[list[float], dict[str, float]]:
    """BM25 of each message, and the weight of each word that any of them says.

    Of the archive only candidates are here: how often a word stands in it, its index says.
    """
    total = live_count + archived.total
    mean = sum(sum(one.values()) for one in counts) / max(1, len(counts)) or 1.0
    weights: dict[str, float] = {}
    for stem in asked:
        holding = sum(stem in one for one in counts[:live_count]) + min(archived.total, archived.holding.get(stem, 0))
        weights[stem] = math.log(1 + (total - holding + 0.5) / (holding + 0.5))
    return [_gain(one, weights, mean) for one in counts], weights


def _fits(
    connection: Connection,
    rows: Sequence[rows_of.PromptRow],
    counts: Sequence[Counter[str]],
    *,
    live_count: int,
    scores: Sequence[float],
    weights: Mapping[str, float],
    most: int,
) -> dict[int, float]:
    """How well the best `most` answer, by their places: what stands around a prompt counts for a little.

    A prompt is often short where its answer, or the prompt before it, says the words that somebody asks by later.
    """
    order = sorted((at for at in range(len(rows)) if scores[at] > 0), key=lambda at: (-scores[at], -rows[at][0]))
    best = order[:most]
    total = sum(weights.values()) or 1.0
    ends = load_answer_ends(connection, [rows[at][0] for at in best])
    fits: dict[int, float] = {}
    for at in best:
        gained = _gain(counts[at], weights, _USUAL_STEMS)
        end = ends.get(rows[at][0])
        if end is not None:
            gained += _END_SHARE * _gain(Counter(split_stems(end)), weights, _USUAL_STEMS)
        beside = [one for one in (at - 1, at + 1) if 0 <= one < live_count and at < live_count]
        gained += _BESIDE_SHARE * sum(scores[one] for one in beside if rows[one][3] == rows[at][3])
        fits[at] = gained / total
    return fits


def _gain(said: Counter[str], weights: Mapping[str, float], usual_stems: float) -> float:
    """BM25 of one text, a usual one having so many stems."""
    norm = _K1 * (1 - _B + _B * said.total() / usual_stems)
    return sum(weight * said[stem] * (_K1 + 1) / (said[stem] + norm) for stem, weight in weights.items())


@lru_cache(maxsize=_VERDICTS_KEPT)
def _would_steer(stretch: str) -> bool:
    return would_steer_in([stretch])


@lru_cache(maxsize=_VERDICTS_KEPT)
def own_words(text: str) -> str:
    """The text without what others worded.

    >>> own_words("look:\\n> we use Mongo\\nwe do not").split("\\n")[-1]
    'we do not'
    """
    return "".join(text[one.start : one.end] for one in split_authors(text) if one.is_own)


def choose_stretch(text: str, weights: Mapping[str, float]) -> str:
    """The sentence that says most of what is asked for, with what stands around it, at most 400 characters; "" when none does.

    >>> choose_stretch("Hello there. The port is 7402. Bye.", {"port": 1.0})
    'Hello there. The port is 7402. Bye.'
    """
    parts = [found.span() for found in _SENTENCE.finditer(text)]
    worth = [sum(weights.get(stem, 0.0) for stem in set(split_stems(text[start:end]))) for start, end in parts]
    if not parts or max(worth) <= 0:
        return ""
    first = last = max(range(len(parts)), key=lambda at: (worth[at], -at))
    while True:
        around = [at for at in (first - 1, last + 1) if 0 <= at < len(parts)]
        fitting = [
            at
            for at in around
            if max(parts[last][1], parts[at][1]) - min(parts[first][0], parts[at][0]) <= STRETCH_CHARS
        ]
        if not fitting:
            break
        best = max(fitting, key=lambda at: (worth[at], at))
        first, last = min(first, best), max(last, best)
    start, end = parts[first][0], parts[last][1]
    if len(text[start:end].strip()) > STRETCH_CHARS:
        return _around(text[start:end].strip(), weights)
    return _widen(text, start, end).strip()


def _widen(text: str, start: int, end: int) -> str:
    """With the beginning of what follows, else the end of what stands before, in whole words, as far as there is room."""
    room = start + STRETCH_CHARS
    end = len(text) if room >= len(text) else max(end, text.rfind(" ", start, room))
    room = end - STRETCH_CHARS
    start = 0 if room <= 0 else min(start, text.find(" ", room) + 1 or start)
    return text[start:end]


def _around(text: str, weights: Mapping[str, float]) -> str:
    """Of one endless sentence the 400 characters from where most is said."""
    starts = range(0, len(text), STRETCH_CHARS // 4)
    best = max(
        starts, key=lambda at: sum(weights.get(one, 0.0) for one in set(split_stems(text[at : at + STRETCH_CHARS])))
    )
    return text[best : best + STRETCH_CHARS].strip()
