"""What memories say to an assistant that asks: found within the walls, framed as data, bounded in size.

Only live, active memories of the project asked from, or such as are shared or belong to no project, are ever read here, so nothing
that is proposed, quarantined or put away can leave. Knows neither HTTP nor MCP. Source: DESIGN section 6 "MCP", QUALITY S7–S9.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Select, func, or_, select

from app.errors import AmbiguousError, NotFoundError
from app.recall.render import Line, neutralise, render
from app.recall.words import split_words
from app.services.context_sources import find_project, load_told, load_told_once
from app.services.recall import Recall
from app.services.recall_usage import Usage
from app.services.rows import AnyRow
from app.services.streams import find_project_root
from app.store.journal import table_of
from app.store.memory_tables import MemoryRow
from app.store.store import Store
from app.store.tables import ProjectRow
from app.values import MemoryFilter, RecallHit, RecallQuery, Tier

_memory, _project = table_of(MemoryRow), table_of(ProjectRow)
_SUGGESTED_READ = 30  # memories that a word of a suggestion is looked for in
_THEN_READ = 100  # hits of an earlier time, of which the walls leave few
_WHOLE_TOKENS = 400  # a longer memory is told by its summary until it is asked for
_TELL_CHARS = 9_000  # hosts cut or set aside what is longer than 10,000 (INTEROP rule 2)
_EXPAND_CHARS = 24_000  # whole texts were asked for by number
_ONE_CHARS = 12_000
_LINE_CHARS = 2_000  # of one among many
_TIMELINE_READ = 500
_TOPIC_WORDS = 100  # SQLite takes a thousand conditions
_TOPIC_CHARS = 2_000
_NAMES_TOLD = 12


@dataclass(frozen=True, slots=True)
class Place:
    """Where somebody asks from: a project, or none. `project_id` None: nothing is known of it yet."""

    path: str = ""
    name: str = ""
    project_id: int | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """`text` is framed, "" when nothing may be told; `note` is ours, for beside the frame."""

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


class Teller:
    """Thread-safe. `usage` counts what was told, later and elsewhere; `secret` makes the frame's mark."""

    def __init__(self, store: Store, recall: Recall, usage: Usage, secret: bytes) -> None:
        self._store = store
        self._recall = recall
        self._usage = usage
        self._secret = secret

    def find_place(self, wanted: str) -> Place:
        """The project of a folder's path or of a name; "" is no project. A folder may be new, a name may not.

        Raises NotFoundError and AmbiguousError for a name.
        """
        is_path = not wanted or Path(wanted).is_absolute()
        with self._store.read() as connection:
            if is_path:
                root = find_project_root(wanted)
                return Place(root, Path(root).name, find_project(connection, root))
            found = connection.execute(_named(wanted)).all()
            known = () if found else _names(connection)
        if len(found) == 1:
            return Place(found[0].path, found[0].name, int(found[0].id))
        if found:
            paths = tuple(str(row.path) for row in found)
            raise AmbiguousError(
                f"{len(found)} projects are called {wanted[:80]}.", paths, hint="Ask from one of them."
            )
        hint = f"Known are: {', '.join(known)}." if known else "Nothing is remembered of any project yet."
        raise NotFoundError(f"There is no project called {wanted[:80]}.", hint=hint)

    def recall(self, query: str, place: Place, *, limit: int, at: datetime | None = None) -> Told:
        """What fits the query, best first, long ones by their summary; counted as retrieved.

        `at`: what was known and held then, in the words of then.
        """
        if at is not None:
            return self._recall_then(query, place, limit, at)
        found, note = self._find(query, place, limit)
        lines: list[Line] = []
        left = _TELL_CHARS
        for row in found:
            text = row.full if row.full_tokens <= _WHOLE_TOKENS else row.summary
            line = Line(Tier.RELEVANT, _dated(row, _cut(text, _LINE_CHARS)), row.id)
            left -= len(line.text)
            if left < 0 and lines:
                note = f"{len(found) - len(lines)} more fit; ask for less, or expand "
                note += ", ".join(str(other.id) for other in found[len(lines) :]) + "."
                break
            lines.append(line)
        return self._told(lines, note)

    def _recall_then(self, query: str, place: Place, limit: int, at: datetime) -> Told:
        asked = [MemoryFilter(believed_at=at, valid_at=at, is_shared=True)]
        if place.project_id is not None:
            asked.insert(0, replace(asked[0], projects=(place.path,), is_shared=None))
        hits: dict[int, RecallHit] = {}
        for filters in asked:
            wanted = RecallQuery(text=query, filters=filters, limit=limit, is_counted=False)
            for hit in self._recall.search(wanted).hits:
                hits.setdefault(hit.card.id, hit)
        with self._store.read() as connection:
            rows = load_told_once(connection, hits, place.project_id)
        best = sorted((hits[key] for key in rows), key=lambda hit: (-hit.score, hit.card.id))[:limit]
        lines: list[Line] = []
        left = _TELL_CHARS
        for hit in best:
            text = hit.text if len(hit.text) <= _LINE_CHARS else hit.card.summary
            line = Line(Tier.RELEVANT, _dated(rows[hit.card.id], _cut(text, _LINE_CHARS)), hit.card.id)
            left -= len(line.text)
            if left < 0 and lines:
                break
            lines.append(line)
        return self._told(lines, f"As of {at:%Y-%m-%d}; what holds now may differ." if lines else "", is_counted=False)

    def expand(self, memory_ids: Iterable[int], place: Place) -> Told:
        """Whole texts in the order asked for; what may not be told here is as if it were not there."""
        wanted = list(dict.fromkeys(memory_ids))
        with self._store.read() as connection:
            rows = load_told(connection, wanted, place.project_id, self._store.clock.now())
        lines: list[Line] = []
        missing = [key for key in wanted if key not in rows]
        left = _EXPAND_CHARS
        for key in (key for key in wanted if key in rows):
            text = _cut(rows[key].full, _ONE_CHARS)
            left -= len(text)
            if left < 0 and lines:
                missing.append(key)
                continue
            lines.append(Line(Tier.RELEVANT, _dated(rows[key], text), key))
        return self._told(lines, f"Not told: {', '.join(map(str, missing))}." if missing else "")

    def timeline(self, place: Place, *, topic: str, limit: int) -> Told:
        """What was learned and when, oldest first, what is over included; the newest when there are too many."""
        statement = (
            select(*(_memory.c[name] for name in ("id", "type", "kind", "summary", "valid_from", "valid_to")))
            .where(
                _memory.c.status == "active",
                or_(
                    _memory.c.project_id == place.project_id,
                    _memory.c.project_id.is_(None),
                    _memory.c.visibility != "user-private",
                ),
                *(
                    _memory.c.full.icontains(word, autoescape=True)
                    for word in topic[:_TOPIC_CHARS].split()[:_TOPIC_WORDS]
                ),
            )
            .order_by(_memory.c.valid_from.desc(), _memory.c.id.desc())
            .limit(min(limit, _TIMELINE_READ))
        )
        with self._store.read() as connection:
            rows = connection.execute(statement).all()
        lines: list[Line] = []
        left = _TELL_CHARS
        for row in rows:
            over = f" to {row.valid_to:%Y-%m-%d}" if row.valid_to is not None else ""
            line = Line(
                Tier.RELEVANT,
                f"{row.valid_from:%Y-%m-%d}{over} {row.type or row.kind}: {_cut(row.summary, _LINE_CHARS)}",
                row.id,
            )
            left -= len(line.text)
            if left < 0 and lines:
                break
            lines.append(line)
        return self._told(lines[::-1], "", is_counted=False)

    def list_hits(self, query: str, place: Place, *, limit: int) -> tuple[FoundMemory, ...]:
        """What fits, best first, for clients that fetch afterwards."""
        found, _ = self._find(query, place, limit)
        return tuple(self._found(row, _cut(row.summary, _LINE_CHARS)) for row in found)

    def fetch(self, memory_id: int, place: Place) -> FoundMemory:
        """One memory whole. Raises NotFoundError, also for one that may not be told here."""
        with self._store.read() as connection:
            row = load_told(connection, [memory_id], place.project_id, self._store.clock.now()).get(memory_id)
        if row is None:
            raise NotFoundError(
                f"There is no memory {memory_id} here.", hint="Search again; it may have been put away."
            )
        self._count([memory_id])
        return self._found(row, _cut(row.full, _EXPAND_CHARS))

    def _find(self, query: str, place: Place, limit: int) -> tuple[list[AnyRow], str]:
        """Rows that fit and may be told here, best first; a note when there are none."""
        asked = [(MemoryFilter(is_shared=True), limit)]
        if place.project_id is not None:
            asked.insert(0, (MemoryFilter(projects=(place.path,)), limit))
        scores: dict[int, float] = {}
        suggestion = ""
        for filters, most in asked:
            answer = self._recall.search(RecallQuery(text=query, filters=filters, limit=most, is_counted=False))
            suggestion = suggestion or answer.suggestion
            for hit in answer.hits:
                scores[hit.card.id] = max(hit.score, scores.get(hit.card.id, 0.0))
        with self._store.read() as connection:
            rows = load_told(connection, scores, place.project_id, self._store.clock.now())
        found = sorted(rows.values(), key=lambda row: (-scores[row.id], row.id))[:limit]
        if found or not suggestion:
            return found, ""
        return [], f"Did you mean: {neutralise(suggestion)}" if self._may_suggest(query, suggestion, place) else ""

    def _may_suggest(self, query: str, suggestion: str, place: Place) -> bool:
        """Whether every word that the suggestion brings stands in a memory that may be told here: else it tells of others."""
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
                    rows = load_told(connection, ids, place.project_id, self._store.clock.now())
                known |= {one for row in rows.values() for one in split_words(f"{row.full} {row.title}")}
        return bool(brought) and brought <= known

    def _found(self, row: AnyRow, text: str) -> FoundMemory:
        framed = render([Line(Tier.RELEVANT, text, row.id)], secret=self._secret).text
        return FoundMemory(int(row.id), neutralise(row.title)[:200], framed, recorded_at=row.recorded_at)

    def _told(self, lines: Sequence[Line], note: str, *, is_counted: bool = True) -> Told:
        if is_counted:
            self._count([line.key for line in lines])
        return Told(render(lines, secret=self._secret).text, tuple(line.key for line in lines), note)

    def _count(self, memory_ids: Sequence[int]) -> None:
        if memory_ids:
            self._usage.note(memory_ids, self._store.clock.now())


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} … (cut)"


def _dated(row: AnyRow, text: str) -> str:
    return f"{text} ({row.type or row.kind}, {row.valid_from:%Y-%m-%d})"


def _named(name: str) -> Select[Any]:
    return select(_project).where(func.lower(_project.c.name) == name.lower(), _project.c.path != "")


def _names(connection: Connection) -> tuple[str, ...]:
    """Projects for which something is remembered, the one with the newest memory first."""
    statement = (
        select(_project.c.name)
        .join(_memory, _memory.c.project_id == _project.c.id)
        .where(_project.c.path != "")
        .group_by(_project.c.id)
        .order_by(func.max(_memory.c.id).desc())
        .limit(_NAMES_TOLD)
    )
    return tuple(neutralise(str(name)) for name in connection.execute(statement).scalars())
