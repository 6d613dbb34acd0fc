"""Episodes as values: composed of their memories, the conversations they were in, what was made and what was learned there.

Reads what `app.store.rows.episode` gives; a moment whose memory was archived or erased is not told. Source: S3, S4.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from app.deciders.conversation.moments import KEY_SIGNIFICANCE, third_of
from app.deciders.recall.ranking.times import find_time
from app.errors import NotFoundError
from app.interop.prompts import parse_instant
from app.memories.queries import load_cards
from app.store.rows import episode as rows
from app.store.search.memories import find_projects
from app.store.tables.types import from_microseconds
from app.values import (
    Artifact,
    ArtifactKind,
    ConversationRef,
    Episode,
    EpisodeDetail,
    EpisodeFilter,
    EpisodeType,
    MemoryStatus,
    Moment,
    NarrativeArc,
    Outcome,
    TurnRange,
)

_WORDS_MOST = 8
_CARDS_MOST = 200
_MOMENT_CHARS = 240
_PLAIN_TIME = re.compile(r"[A-Za-z]+\.?(?: \d{4})?|\d{4}(?:-\d{2})?")  # "march", "March 2026", "2026"
_MONTH = re.compile(r"\s*(?P<year>(?:19|20)\d{2})-(?P<month>0[1-9]|1[0-2])\s*")
_ASKING = frozenset(
    [
        "what", "which", "when", "happened", "happen", "happens", "did", "do", "done", "was", "were", "have", "has",
        "had", "we", "i", "you", "the", "a", "an", "in", "on", "of", "at", "about", "with", "and", "to", "our", "my",
        "show", "list", "me", "all", "episodes", "episode", "things",
    ]
)  # fmt: skip


def read_wish(text: str, now: datetime) -> tuple[datetime | None, datetime | None, str]:
    """What is asked in a person's words: since, until, and the words to look for.

    >>> since, until, words = read_wish("what happened in March with the export?", datetime(2026, 11, 25, tzinfo=UTC))
    >>> since.date().isoformat(), until.date().isoformat(), words
    ('2026-03-01', '2026-04-01', 'export')
    """
    month = _MONTH.fullmatch(text)
    if month is not None:
        first = datetime(int(month["year"]), int(month["month"]), 1, tzinfo=UTC)
        return first, (first + timedelta(days=32)).replace(day=1), ""
    span = find_time(text, now)
    rest = text
    if span is not None:
        rest = f"{text[: span.start]} {text[span.end :]}"
    elif _PLAIN_TIME.fullmatch(text.strip()) and (span := find_time(f"in {text.strip()}", now)) is not None:
        rest = ""
    kept = [word for word in re.findall(r"[\w./#-]+", rest) if word.lower().strip(".-/") not in _ASKING]
    return (span.from_at, span.to_at, " ".join(kept)) if span is not None else (None, None, " ".join(kept))


def list_episodes(
    connection: Connection, where: EpisodeFilter, *, before: int | None, limit: int, now: datetime
) -> tuple[Episode, ...]:
    """The newest first. Raises NotFoundError for a `before` that is no episode."""
    projects = None if where.project is None else tuple(sorted(find_projects(connection, (where.project,))))
    since, until, words = read_wish(where.text, now)
    wish = rows.EpisodeWish(
        project_ids=projects,
        app=where.app or "",
        since=where.since or since,
        until=where.until or until,
        words=tuple(words.split()[:_WORDS_MOST]),
        type=where.type.value if where.type is not None else "",
        file=where.file,
        key_significance=KEY_SIGNIFICANCE if where.is_key else None,
    )
    last = None if before is None else _row(connection, before)
    after = None if last is None else (last.valid_from, int(last.id))
    return _episodes(connection, rows.list_episodes(connection, wish, before=after, limit=limit))


def of_conversation(connection: Connection, conversation_id: int) -> tuple[Episode, ...]:
    """Episodes in use that tell of this conversation."""
    wish = rows.EpisodeWish(conversation_ids=(conversation_id,))
    return _episodes(connection, rows.list_episodes(connection, wish, limit=10))


def get_episode(connection: Connection, memory_id: int, now: datetime) -> EpisodeDetail:
    """One episode, whole. Raises NotFoundError."""
    row = _row(connection, memory_id)
    (episode,) = _episodes(connection, [row])
    places = [one.conversation_id for one in episode.conversations]
    learned = rows.learned_in(connection, places)
    return EpisodeDetail(
        episode=episode,
        narrative=row.full,
        arc=arc_of(episode),
        memories=load_cards(connection, learned[:_CARDS_MOST], now),
    )


def arc_of(episode: Episode) -> NarrativeArc:
    """The moments by thirds of the turns that the episode tells of."""
    turns = [one.turn_range for one in episode.conversations if one.turn_range is not None]
    first = min((one.start for one in turns), default=1)
    last = max([*(one.end for one in turns), *(one.turn for one in episode.moments)], default=1)
    thirds: list[list[Moment]] = [[], [], []]
    for one in episode.moments:
        thirds[third_of(one.turn, first, last)].append(one)
    key = tuple(one for one in episode.moments if one.significance >= KEY_SIGNIFICANCE)
    return NarrativeArc(tuple(thirds[0]), tuple(thirds[1]), tuple(thirds[2]), key)


def _row(connection: Connection, memory_id: int) -> Any:
    row = rows.load_episode(connection, memory_id)
    if row is None:
        raise NotFoundError(f"There is no episode number {memory_id}.", hint="It may have been erased.")
    return row


def _episodes(connection: Connection, found: Sequence[Any]) -> tuple[Episode, ...]:
    ids = [int(row.id) for row in found]
    places: dict[int, list[rows.PlaceRow]] = defaultdict(list)
    for place in rows.load_places(connection, ids):
        places[place.memory_id].append(place)
    attached: dict[int, list[Artifact]] = defaultdict(list)
    for one in rows.load_attached(connection, ids):
        attached[one.memory_id].append(Artifact(one.id, ArtifactKind(one.kind), one.reference))
    counts = rows.count_learned(connection, ids)
    moments = [one for row in found for one in _raw_moments(row.details)]
    texts = rows.load_sayings(connection, {one["memory_id"] for one in moments if one.get("memory_id")})
    return tuple(
        _episode(row, places[row.id], tuple(attached[row.id]), counts.get(int(row.id), 0), texts) for row in found
    )


def _episode(
    row: Any,
    places: Sequence[rows.PlaceRow],
    artifacts: tuple[Artifact, ...],
    memory_count: int,
    texts: Mapping[int, str],
) -> Episode:
    details: Mapping[str, Any] = row.details or {}
    ends = [from_microseconds(one.until) for one in places if one.until]
    kind, outcome = details.get("type"), details.get("outcome")
    return Episode(
        id=int(row.id),
        title=row.title,
        summary=row.summary if places else row.full,  # one that somebody wrote is short, and its summary a telegram
        context=str(details.get("context") or ""),
        outcome=Outcome(outcome) if outcome in set(Outcome) else None,
        participants=tuple(map(str, _listed(details.get("participants")))),
        valence=_number(details.get("valence"), -1.0),
        significance=_number(details.get("significance"), 0.0),
        type=EpisodeType(kind) if kind in set(EpisodeType) else None,
        conversations=tuple(_refs(places, details)),
        moments=tuple(_moments(details, texts, row.valid_from)),
        artifacts=artifacts,
        memory_count=memory_count,
        done=tuple(map(str, _listed(details.get("done")))),
        works=tuple(map(str, _listed(details.get("works")))),
        next=str(details.get("next") or ""),
        began_at=row.valid_from,
        ended_at=max([row.valid_from, *ends]),
        project=row.project_name or "",
        project_path=row.project_path or "",
        app=row.app_name or "",
        status=MemoryStatus(row.status),
    )


def _refs(places: Sequence[rows.PlaceRow], details: Mapping[str, Any]) -> Iterable[ConversationRef]:
    """The conversations; the turns are known of the one that the details speak of."""
    own, turn_range = details.get("conversation_id"), details.get("turn_range")
    turns = details.get("turn_ranges") or {}
    seen: set[int] = set()
    for one in places:
        if one.conversation_id in seen:
            continue
        seen.add(one.conversation_id)
        told = turn_range if one.conversation_id == own else turns.get(str(one.conversation_id))
        yield ConversationRef(one.conversation_id, _turns(told), one.title, one.is_kept)


def _turns(told: Any) -> TurnRange | None:
    if not isinstance(told, Mapping):
        return None
    start, end = told.get("start"), told.get("end")
    return TurnRange(start, end) if isinstance(start, int) and isinstance(end, int) else None


def _moments(details: Mapping[str, Any], texts: Mapping[int, str], began_at: datetime) -> Iterable[Moment]:
    for one in _raw_moments(details):
        memory_id = one.get("memory_id")
        text = _shortened(texts.get(memory_id, "")) if isinstance(memory_id, int) else str(one.get("text") or "")
        if text and one.get("type") in set(EpisodeType):
            yield Moment(
                type=EpisodeType(one["type"]),
                turn=int(one.get("turn") or 1),
                at=parse_instant(one.get("at")) or began_at,
                text=text,
                significance=_number(one.get("significance"), 0.0) or 0.0,
                memory_id=memory_id if isinstance(memory_id, int) else None,
            )


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOMENT_CHARS else f"{line[: _MOMENT_CHARS - 1].rstrip()}…"


def _raw_moments(details: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    return [one for one in _listed((details or {}).get("moments")) if isinstance(one, Mapping)]


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _number(value: Any, least: float) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return min(1.0, max(least, float(value))) if is_number else None
