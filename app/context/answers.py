"""Answers an assistant that asks: recall, expand, timeline, contradictions, search and fetch.

Finds only what may be given there, frames it as data, and bounds its size: texts are shortened to what one answer can hold, dated, and
marked where nobody confirmed them. Knows neither HTTP nor MCP. Source: DESIGN section 6 "MCP", QUALITY S7–S9, issue 4.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection

from app.capture.caller_project import CallerProject, find_place
from app.context.open_contradictions import (
    OpenContradiction,
    find_overruled,
    load_contradictions,
    load_contradictions_as_of,
    replace_sides,
)
from app.context.past_memories import PastMemory, list_as_of, load_as_of
from app.context.sources import UNCONFIRMED, load_answerable, load_givable, load_givable_past
from app.deciders.recall.context.render import Line, neutralise, render
from app.deciders.recall.work_questions import WorkQuestion, read_work_question
from app.errors import NotFoundError
from app.language.search_words import split_words
from app.retrieval.blend import interleave, weight_of
from app.retrieval.episodes import NEARLY_BEST, find_newest
from app.retrieval.messages import FoundMessage, FoundMessages, share_of
from app.retrieval.recall import Recall
from app.retrieval.usage_counts import Usage
from app.store.rows.archived_prompts import load_typed_text, messages_of
from app.store.rows.contradiction import load_open
from app.store.rows.memory import newest_saying
from app.store.store import Store
from app.store.tables.types import from_microseconds, to_microseconds
from app.store.visibility import PERMITTED
from app.understanding.message_rows import AnyRow
from app.values import MemoryFilter, MemoryKind, MemoryStatus, RecallHit, RecallQuery, Tier

__all__ = ["Answer", "AnswerService", "CallerProject", "FoundMemory"]

_SUGGESTED_READ = 30  # memories that a word of a suggestion is looked for in
_ANSWER_CHARS = 9_000  # hosts cut or set aside what is longer than 10,000 (INTEROP rule 2)
_EXPAND_CHARS = 24_000  # whole texts were asked for by number
_ONE_CHARS = 12_000
_TIMELINE_READ = 500
_KNOWN_NOW = ("found", "retired", "begun", *PERMITTED)
_MESSAGES_READ = 20
_COMPARED = 20  # memories with what the person typed, at least
_LEAST_SAID = 0.4  # of what the line says that says most of what was asked for: the rest shares a word with it
_BEING_ANSWERED_US = 120 * 1_000_000
_SUGGESTING = "Did you mean: "
_TOPIC_WORDS = 100  # SQLite takes a thousand conditions
_TOPIC_CHARS = 2_000
_FIRST_SCORE = 9.0  # above whatever was found by its words
_WHOLE_TOKENS = 400  # a longer memory is given by its summary until it is asked for
_LISTED_CHARS = 200  # the same in a list: the words that a summary saves may be those that it means
_LINE_CHARS = 2_000  # of one among many
_DISPUTED_NOTE = "(disputed then: another memory said otherwise)"


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """One line: of a memory, or of two that cannot both hold."""

    text: str
    memory_ids: tuple[int, ...]
    title: str = ""
    recorded_at: datetime | None = None
    message_id: int = 0  # of what the person typed: no memory
    is_confirmed: bool = True  # an active memory that holds: no proposal, no episode

    @property
    def key(self) -> int:
        return self.memory_ids[0] if len(self.memory_ids) == 1 else 0


def contradiction_answer(contradiction: OpenContradiction) -> AnswerLine:
    most = _LINE_CHARS // len(contradiction.texts)
    said = replace(contradiction, texts=tuple(shorten_text(text, most) for text in contradiction.texts)).text
    return AnswerLine(shorten_text(said, _LINE_CHARS), contradiction.memory_ids, said)


def whole_answer(row: AnyRow) -> AnswerLine:
    text = row.full if row.full_tokens <= _WHOLE_TOKENS else row.summary
    said = mark_unconfirmed(row, add_date(row, shorten_text(text, _LINE_CHARS)))
    return AnswerLine(said, (int(row.id),), row.title, row.recorded_at, is_confirmed=_is_confirmed(row))


def short_answer(row: AnyRow) -> AnswerLine:
    said, title = mark_unconfirmed(row, _listed_text(row)), mark_unconfirmed(row, row.title)
    return AnswerLine(said, (int(row.id),), title, row.recorded_at, is_confirmed=_is_confirmed(row))


def _is_confirmed(row: AnyRow) -> bool:
    return bool(row.status == MemoryStatus.ACTIVE.value and row.kind != MemoryKind.EPISODE.value)


def mark_unconfirmed(row: AnyRow | PastMemory, text: str) -> str:
    """The text of a memory; of one that nobody confirmed it says so."""
    is_proposed = getattr(row, "status", "") == MemoryStatus.PROPOSED.value
    return f"{UNCONFIRMED} {text}" if is_proposed else text


def quote_answer(found: FoundMessage) -> AnswerLine:
    at = from_microseconds(found.at)
    return AnswerLine(f"the user typed on {at:%Y-%m-%d}: “{found.text}”", (), found.text[:80], at, found.message_id)


def fit_in(entries: Sequence[AnswerLine], chars: int) -> tuple[list[AnswerLine], list[AnswerLine]]:
    """Those that have room, always the first, and the others."""
    left = chars
    for at, one in enumerate(entries):
        left -= len(one.text)
        if left < 0 and at:
            return list(entries[:at]), list(entries[at:])
    return list(entries), []


def side_notes(
    connection: Connection, rows: Mapping[int, AnyRow], project_id: int | None, now: datetime
) -> dict[int, list[str]]:
    """What must stand beside memories that were asked for by number: who says otherwise."""
    moment = to_microseconds(now)
    overruled = find_overruled(connection, rows, project_id, moment)
    contradictions = load_contradictions(connection, rows, project_id, moment)
    return {
        key: [shorten_text(one.beside(key), _LINE_CHARS) for one in contradictions if key in one.memory_ids]
        + ([f"Not given on its own: {overruled[key]}."] if key in overruled else [])
        for key in rows
    }


def past_side_notes(
    connection: Connection, ids: Iterable[int], project_id: int | None, at: datetime
) -> dict[int, list[str]]:
    """The same for an earlier time: only that it was disputed, since today's words say what nobody knew then."""
    held = list(ids)
    said = disputed_notes(load_contradictions_as_of(connection, held, project_id, at))
    return {key: said.get(key, []) for key in held}


def disputed_notes(contradictions: Iterable[OpenContradiction]) -> dict[int, list[str]]:
    return {key: [_DISPUTED_NOTE] for one in contradictions for key in one.memory_ids}


def with_texts(contradictions: Iterable[OpenContradiction], texts: Mapping[int, str]) -> list[OpenContradiction]:
    """Those of which more than one side is at hand, in these words."""
    held = ((one, [key for key in one.memory_ids if key in texts]) for one in contradictions)
    return [
        replace(one, memory_ids=tuple(keys), texts=tuple(texts[key] for key in keys)) for one, keys in held if keys[1:]
    ]


def text_or_summary(text: str, summary: str) -> str:
    return shorten_text(text if len(text) <= _LINE_CHARS else summary, _LINE_CHARS)


def timeline_answer(rows: Mapping[int, AnyRow | PastMemory], entry: int | OpenContradiction) -> AnswerLine:
    """A line of the timeline; a contradiction stands where the newest of its sides does."""
    if isinstance(entry, OpenContradiction):
        newest = next(rows[key] for key in rows if key in entry.memory_ids)
        return AnswerLine(f"{newest.valid_from:%Y-%m-%d} {contradiction_answer(entry).text}", entry.memory_ids)
    row = rows[entry]
    over = f" to {row.valid_to:%Y-%m-%d}" if row.valid_to is not None else ""
    text = f"{row.valid_from:%Y-%m-%d}{over} {row.type or row.kind}: {mark_unconfirmed(row, _listed_text(row))}"
    return AnswerLine(text, (entry,))


def _listed_text(row: AnyRow | PastMemory) -> str:
    return row.full if len(row.full) <= _LISTED_CHARS else shorten_text(row.summary, _LINE_CHARS)


def shorten_text(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} … (cut)"


def add_date(row: AnyRow | PastMemory, text: str) -> str:
    return f"{text} ({row.type or row.kind}, {row.valid_from:%Y-%m-%d})"


@dataclass(frozen=True, slots=True)
class Answer:
    """`text` is framed, "" when nothing may be given; `note` is ours, for beside the frame."""

    text: str
    memory_ids: tuple[int, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """One hit for clients that list first and fetch then. `title` is one harmless line, `text` is framed."""

    id: int
    title: str
    text: str
    project: str = ""
    recorded_at: datetime | None = None
    message_id: int = 0  # of a prompt: it is no memory, and its `id` is 0


FindMessages = Callable[[Connection, str, MemoryFilter, int], FoundMessages]


class AnswerService:
    """Thread-safe. `usage` counts what was given, later and elsewhere; `secret` makes the frame's mark.

    `find_messages` finds the person's own prompts, as far as a program may be given of them.
    """

    def __init__(self, store: Store, recall: Recall, usage: Usage, secret: bytes, find_messages: FindMessages) -> None:
        self._find_messages = find_messages
        self._store = store
        self._recall = recall
        self._usage = usage
        self._secret = secret

    def find_place(self, wanted: str) -> CallerProject:
        """The project of a folder's path or of a name; "" is no project. A folder may be new, a name may not.

        Raises NotFoundError and AmbiguousError for a name.
        """
        with self._store.read() as connection:
            return find_place(connection, wanted)

    def recall(self, query: str, place: CallerProject, *, limit: int, at: datetime | None = None) -> Answer:
        """What fits the query, best first, long ones by their summary; counted as retrieved.

        `at`: what was known and held then, in the words of then.
        """
        if at is not None:
            return self._recall_as_of(query, place, limit, at)
        found, note = self._find(query, place, max(limit, _COMPARED))
        found = self._with_quotes(query, place, limit, found)
        note = note if not found or not note.startswith(_SUGGESTING) else ""
        lines, left = fit_in(found, _ANSWER_CHARS)
        if left:
            ids = [str(memory_id) for one in left for memory_id in one.memory_ids]
            note = f"{len(left)} more fit; ask for less" + (f", or expand {', '.join(ids)}." if ids else ".")
        return self._answer(lines, note)

    def _recall_as_of(self, query: str, place: CallerProject, limit: int, at: datetime) -> Answer:
        asked = [MemoryFilter(believed_at=at, valid_at=at, is_shared=True)]
        if place.project_id is not None:
            asked.insert(0, replace(asked[0], projects=(place.path,), is_shared=None))
        hits: dict[int, RecallHit] = {}
        for filters in asked:
            wanted = RecallQuery(text=query, filters=filters, limit=limit, is_counted=False)
            for hit in self._recall.search(wanted).hits:
                hits.setdefault(hit.card.id, hit)
        with self._store.read() as connection:
            rows = load_givable_past(connection, hits, place.project_id)
            open_then = load_contradictions_as_of(connection, rows, place.project_id, at)
        texts = {key: text_or_summary(hits[key].text, hits[key].card.summary) for key in rows}
        both = with_texts(open_then, texts)
        beside = disputed_notes(open_then)
        best = sorted((hits[key] for key in rows), key=lambda hit: (-hit.score, hit.card.id))[:limit]
        found: list[AnswerLine] = []
        for one in replace_sides([hit.card.id for hit in best], both):
            if isinstance(one, OpenContradiction):
                found.append(contradiction_answer(one))
            else:
                found.append(AnswerLine(" ".join([add_date(rows[one], texts[one]), *beside.get(one, ())]), (one,)))
        lines, _ = fit_in(found, _ANSWER_CHARS)
        return self._answer(lines, _as_of(at) if lines else "", is_counted=False)

    def expand(self, memory_ids: Iterable[int], place: CallerProject, *, at: datetime | None = None) -> Answer:
        """Whole texts in the order asked for; what may not be given here is as if it were not there.

        `at`: those that were known and held then, in the words of then.
        """
        wanted = list(dict.fromkeys(memory_ids))
        now = self._store.clock.now()
        rows: Mapping[int, AnyRow | PastMemory]
        with self._store.read() as connection:
            if at is None:
                rows = held = load_answerable(connection, wanted, place.project_id, now)
                beside = side_notes(connection, held, place.project_id, now)
            else:
                rows = load_as_of(connection, wanted, place.project_id, at)
                beside = past_side_notes(connection, rows, place.project_id, at)
        lines: list[AnswerLine] = []
        missing = [key for key in wanted if key not in rows]
        left = _EXPAND_CHARS
        for key in (key for key in wanted if key in rows):
            text = shorten_text(rows[key].full, _ONE_CHARS)
            left -= len(text)
            if left < 0 and lines:
                missing.append(key)
                continue
            lines.append(
                AnswerLine(" ".join([mark_unconfirmed(rows[key], add_date(rows[key], text)), *beside[key]]), (key,))
            )
        notes = [f"Not given: {', '.join(map(str, missing))}."] if missing else []
        notes += [_as_of(at)] if at is not None and lines else []
        return self._answer(lines, " ".join(notes), is_counted=at is None)

    def timeline(self, place: CallerProject, *, topic: str, limit: int, at: datetime | None = None) -> Answer:
        """What was learned and when, oldest first, what is over included; the newest when there are too many.

        `at`: what was known then, in the words of then.
        """
        words = topic[:_TOPIC_CHARS].split()[:_TOPIC_WORDS]
        listed: Sequence[AnyRow | PastMemory]
        now = self._store.clock.now()
        with self._store.read() as connection:
            if at is None:
                listed = newest_saying(connection, words, _KNOWN_NOW, place.project_id, now, min(limit, _TIMELINE_READ))
            else:
                most = min(limit, _TIMELINE_READ)
                listed = list_as_of(connection, place.project_id, at, topic=words, limit=most)
            rows = {int(row.id): row for row in listed}
            if at is None:
                contradictions = load_contradictions(connection, rows, place.project_id, to_microseconds(now))
            else:
                contradictions = load_contradictions_as_of(connection, rows, place.project_id, at)
        if at is not None:
            contradictions = with_texts(contradictions, {key: row.summary for key, row in rows.items()})
        lines, _ = fit_in([timeline_answer(rows, one) for one in replace_sides(rows, contradictions)], _ANSWER_CHARS)
        return self._answer(lines[::-1], _as_of(at) if at is not None and lines else "", is_counted=False)

    def contradictions(self, place: CallerProject, *, topic: str, limit: int) -> Answer:
        """What the person has said in two ways that cannot both hold, each as one question; the newest first."""
        words = topic.lower().split()[:_TOPIC_WORDS]
        with self._store.read() as connection:
            now = self._store.clock.now()
            pairs = load_open(connection, now, project=place.path if place.project_id is not None else "")
            ids = {int(one) for pair in pairs for one in (pair.memory_a_id, pair.memory_b_id)}
            contradictions = load_contradictions(connection, ids, place.project_id, to_microseconds(now))
        about = [one for one in contradictions if all(word in one.text.lower() for word in words)]
        lines, left = fit_in([contradiction_answer(one) for one in about[:limit]], _ANSWER_CHARS)
        more = len(about) - len(about[:limit]) + len(left)
        return self._answer(lines, f"{more} more are open." if more else "")

    def list_hits(self, query: str, place: CallerProject, *, limit: int) -> tuple[FoundMemory, ...]:
        """What fits, best first, for clients that fetch afterwards; a contradiction bears the number of its newest side."""
        found, _ = self._find(query, place, max(limit, _COMPARED), is_short=True)
        found = self._with_quotes(query, place, limit, found)
        return tuple(self._as_found_memory(one) for one in found)

    def fetch_message(self, message_id: int, place: CallerProject) -> FoundMemory:
        """The beginning of a prompt in the person's own words. Raises NotFoundError, also for one that may not be given here."""
        with self._store.read() as connection:
            said = load_typed_text(connection, message_id)
            found = (
                self._find_messages(connection, said, MemoryFilter(projects=(place.path,)), _MESSAGES_READ).messages
                if said and place.project_id is not None
                else ()
            )
        for one in found:
            if one.message_id == message_id:
                return self._as_found_memory(quote_answer(one))
        raise NotFoundError(f"There is no message {message_id} here.", hint="Search again; it may have been erased.")

    def _with_quotes(self, query: str, place: CallerProject, limit: int, entries: list[AnswerLine]) -> list[AnswerLine]:
        """With what the person typed in this project and no memory of `entries` says, those that answer best first; not the
        prompt that is being answered, where anything else fits. A question about the last work keeps its order.
        """
        if place.project_id is None:
            return entries[:limit]
        with self._store.read() as connection:
            found = self._find_messages(connection, query, MemoryFilter(projects=(place.path,)), limit + 1)
            found = found.without_question(query)
            sources = messages_of(connection, [memory_id for one in entries for memory_id in one.memory_ids])
        stood_for = frozenset[int]().union(*sources.values())
        messages = [one for one in found.messages if one.message_id not in stood_for]
        now = to_microseconds(self._store.clock.now())
        newest = max((one.at for one in messages), default=0)
        if (entries or messages[1:]) and now - newest < _BEING_ANSWERED_US:
            messages = [one for one in messages if one.at != newest]
        quotes = [quote_answer(one) for one in messages[:limit]]
        if read_work_question(query) is not None:
            return interleave(entries, quotes, limit)
        rated = [(found.fit(one.text) * weight_of(is_confirmed=one.is_confirmed), one) for one in entries]
        rated += [(one.fit, quote) for one, quote in zip(messages, quotes, strict=False)]
        return _leave_out_weak([one for _, one in sorted(rated, key=lambda pair: -pair[0])][:limit], found.weights)

    def fetch(self, memory_id: int, place: CallerProject) -> FoundMemory:
        """One memory whole. Raises NotFoundError, also for one that may not be given here."""
        now = self._store.clock.now()
        with self._store.read() as connection:
            rows = load_answerable(connection, [memory_id], place.project_id, now)
            beside = side_notes(connection, rows, place.project_id, now)
        row = rows.get(memory_id)
        if row is None:
            raise NotFoundError(
                f"There is no memory {memory_id} here.", hint="Search again; it may have been archived."
            )
        self._count([memory_id])
        said = beside[memory_id]
        text = " ".join([mark_unconfirmed(row, shorten_text(row.full, _EXPAND_CHARS - sum(map(len, said)))), *said])
        return self._as_found_memory(AnswerLine(text, (memory_id,), mark_unconfirmed(row, row.title), row.recorded_at))

    def _find(
        self, query: str, place: CallerProject, limit: int, *, is_short: bool = False
    ) -> tuple[list[AnswerLine], str]:
        """What fits and may be given here as if it held, best first, open questions among it; a note when there is nothing."""
        asked = [(MemoryFilter(is_shared=True, includes_unconfirmed=True), limit)]
        if place.project_id is not None:
            asked.insert(0, (MemoryFilter(projects=(place.path,), includes_unconfirmed=True), limit))
        scores: dict[int, float] = {}
        suggestion = ""
        for filters, most in asked:
            answer = self._recall.search(RecallQuery(text=query, filters=filters, limit=most, is_counted=False))
            suggestion = suggestion or answer.suggestion
            for hit in answer.hits:
                scores[hit.card.id] = max(hit.score, scores.get(hit.card.id, 0.0))
        now = self._store.clock.now()
        question = read_work_question(query)
        with self._store.read() as connection:
            if question in (WorkQuestion.LAST, WorkQuestion.LEFT) and place.project_id is not None:
                newest = find_newest(connection, [place.project_id], now)
                scores |= {key: _FIRST_SCORE - number for number, key in enumerate(newest)}
            rows = load_answerable(connection, scores, place.project_id, now)
            if question is WorkQuestion.WHY:
                nearly = NEARLY_BEST * max(scores.values(), default=0.0)
                episodes = (key for key, row in rows.items() if row.kind == MemoryKind.EPISODE.value)
                scores |= {key: scores[key] + 1.0 for key in episodes if scores[key] >= nearly}
            overruled = find_overruled(connection, rows, place.project_id, to_microseconds(now))
            best = sorted(rows.keys() - overruled.keys(), key=lambda key: (-scores[key], key))[:limit]
            contradictions = load_contradictions(connection, best, place.project_id, to_microseconds(now))
        make_line = short_answer if is_short else whole_answer
        found = [
            contradiction_answer(one) if isinstance(one, OpenContradiction) else make_line(rows[one])
            for one in replace_sides(best, contradictions)
        ]
        if found or not suggestion:
            return found, ""
        return [], f"{_SUGGESTING}{neutralise(suggestion)}" if self._may_suggest(query, suggestion, place) else ""

    def _may_suggest(self, query: str, suggestion: str, place: CallerProject) -> bool:
        """Whether every word that the suggestion brings stands in a memory that may be given here: else it would disclose others."""
        brought = set(split_words(suggestion)) - set(split_words(query))
        shared = MemoryFilter(is_shared=True)
        filters = shared if place.project_id is None else MemoryFilter(projects=(place.path,))
        known: set[str] = set()
        for word in sorted(brought):
            for where in dict.fromkeys((filters, shared)):
                answer = self._recall.search(
                    RecallQuery(text=word, filters=where, limit=_SUGGESTED_READ, is_counted=False)
                )
                ids = [hit.card.id for hit in (*answer.hits, *answer.nearest)]
                with self._store.read() as connection:
                    rows = load_givable(connection, ids, place.project_id, self._store.clock.now())
                known |= {one for row in rows.values() for one in split_words(f"{row.full} {row.title}")}
        return bool(brought) and brought <= known

    def _as_found_memory(self, entry: AnswerLine) -> FoundMemory:
        memory_id = entry.memory_ids[-1] if entry.memory_ids else 0
        framed = render([Line(Tier.RELEVANT, entry.text, memory_id)], secret=self._secret).text
        return FoundMemory(
            memory_id, neutralise(entry.title)[:200], framed, recorded_at=entry.recorded_at, message_id=entry.message_id
        )

    def _answer(self, entries: Sequence[AnswerLine], note: str, *, is_counted: bool = True) -> Answer:
        ids = tuple(dict.fromkeys(memory_id for one in entries for memory_id in one.memory_ids))
        if is_counted:
            self._count(ids)
        lines = [Line(Tier.RELEVANT, one.text, one.key) for one in entries]
        return Answer(render(lines, secret=self._secret).text, ids, note)

    def _count(self, memory_ids: Sequence[int]) -> None:
        if memory_ids:
            self._usage.note(memory_ids, self._store.clock.now())


def _leave_out_weak(entries: Sequence[AnswerLine], weights: Mapping[str, float]) -> list[AnswerLine]:
    """Without the lines that say much less of what was asked for than another; all where none says a word of it.

    >>> lines = [AnswerLine("The export stops at 500 rows.", (1,)), AnswerLine("Rows are striped.", (2,))]
    >>> [one.key for one in _leave_out_weak(lines, {"export": 2.0, "stop": 2.0, "row": 1.0})]
    [1]
    """
    shares = [share_of(one.text, weights) for one in entries]
    least = _LEAST_SAID * max(shares, default=0.0)
    return [one for one, share in zip(entries, shares, strict=True) if share >= least]


def _as_of(at: datetime) -> str:
    return f"As of {at:%Y-%m-%d}; what holds now may differ."
