"""The lines that an answer to an assistant is made of: of one memory, or of two that cannot both hold.

Owns what is said beside a memory that was asked for by number, and how long a line may be. Knows no search and counts no use.
Source: issue 4, QUALITY S9.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection

from app.context.answers_as_of import Then
from app.context.disputes import Dispute, find_overruled, load_disputes, load_disputes_then
from app.context.sources import UNCONFIRMED
from app.retrieval.messages import FoundMessage
from app.store.tables.types import from_microseconds, to_microseconds
from app.understanding.message_rows import AnyRow
from app.values import MemoryKind, MemoryStatus

_WHOLE_TOKENS = 400  # a longer memory is told by its summary until it is asked for
_LINE_CHARS = 2_000  # of one among many
_DISPUTED_THEN = "(disputed then: another memory said otherwise)"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: of a memory, or of two that cannot both hold."""

    text: str
    memory_ids: tuple[int, ...]
    title: str = ""
    recorded_at: datetime | None = None
    message_id: int = 0  # of what the person typed: no memory
    is_confirmed: bool = True  # and tells what holds: no proposal, no episode

    @property
    def key(self) -> int:
        return self.memory_ids[0] if len(self.memory_ids) == 1 else 0


def entry_of(dispute: Dispute) -> Entry:
    most = _LINE_CHARS // len(dispute.texts)
    said = replace(dispute, texts=tuple(cut(text, most) for text in dispute.texts)).text
    return Entry(cut(said, _LINE_CHARS), dispute.memory_ids, said)


def hit_entry(row: AnyRow) -> Entry:
    text = row.full if row.full_tokens <= _WHOLE_TOKENS else row.summary
    said = marked(row, dated(row, cut(text, _LINE_CHARS)))
    return Entry(said, (int(row.id),), row.title, row.recorded_at, is_confirmed=_holds(row))


def listed_entry(row: AnyRow) -> Entry:
    said, title = marked(row, cut(row.summary, _LINE_CHARS)), marked(row, row.title)
    return Entry(said, (int(row.id),), title, row.recorded_at, is_confirmed=_holds(row))


def _holds(row: AnyRow) -> bool:
    return bool(row.status == MemoryStatus.ACTIVE.value and row.kind != MemoryKind.EPISODE.value)


def marked(row: AnyRow | Then, text: str) -> str:
    """The text of a memory; of one that nobody confirmed it says so."""
    is_proposed = getattr(row, "status", "") == MemoryStatus.PROPOSED.value
    return f"{UNCONFIRMED} {text}" if is_proposed else text


def quote_entry(found: FoundMessage) -> Entry:
    at = from_microseconds(found.at)
    return Entry(f"the person typed on {at:%Y-%m-%d}: “{found.text}”", (), found.text[:80], at, found.message_id)


def within(entries: Sequence[Entry], chars: int) -> tuple[list[Entry], list[Entry]]:
    """Those that have room, always the first, and the others."""
    left = chars
    for at, one in enumerate(entries):
        left -= len(one.text)
        if left < 0 and at:
            return list(entries[:at]), list(entries[at:])
    return list(entries), []


def beside_now(
    connection: Connection, rows: Mapping[int, AnyRow], project_id: int | None, now: datetime
) -> dict[int, list[str]]:
    """What must stand beside memories that were asked for by number: who says otherwise."""
    moment = to_microseconds(now)
    overruled = find_overruled(connection, rows, project_id, moment)
    disputes = load_disputes(connection, rows, project_id, moment)
    return {
        key: [cut(one.beside(key), _LINE_CHARS) for one in disputes if key in one.memory_ids]
        + ([f"Not given on its own: {overruled[key]}."] if key in overruled else [])
        for key in rows
    }


def beside_then(
    connection: Connection, ids: Iterable[int], project_id: int | None, at: datetime
) -> dict[int, list[str]]:
    """The same for an earlier time; in the words of today it would tell what nobody knew then."""
    held = list(ids)
    said = said_then(load_disputes_then(connection, held, project_id, at))
    return {key: said.get(key, []) for key in held}


def said_then(disputes: Iterable[Dispute]) -> dict[int, list[str]]:
    return {key: [_DISPUTED_THEN] for one in disputes for key in one.memory_ids}


def as_worded(disputes: Iterable[Dispute], texts: Mapping[int, str]) -> list[Dispute]:
    """Those of which more than one side is at hand, in these words."""
    held = ((one, [key for key in one.memory_ids if key in texts]) for one in disputes)
    return [
        replace(one, memory_ids=tuple(keys), texts=tuple(texts[key] for key in keys)) for one, keys in held if keys[1:]
    ]


def short_of(text: str, summary: str) -> str:
    return cut(text if len(text) <= _LINE_CHARS else summary, _LINE_CHARS)


def on_its_day(rows: Mapping[int, AnyRow | Then], told: int | Dispute) -> Entry:
    """A line of the timeline; a dispute stands where the newer of its sides does."""
    if isinstance(told, Dispute):
        newest = next(rows[key] for key in rows if key in told.memory_ids)
        return Entry(f"{newest.valid_from:%Y-%m-%d} {entry_of(told).text}", told.memory_ids)
    row = rows[told]
    over = f" to {row.valid_to:%Y-%m-%d}" if row.valid_to is not None else ""
    text = f"{row.valid_from:%Y-%m-%d}{over} {row.type or row.kind}: {marked(row, cut(row.summary, _LINE_CHARS))}"
    return Entry(text, (told,))


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} … (cut)"


def dated(row: AnyRow | Then, text: str) -> str:
    return f"{text} ({row.type or row.kind}, {row.valid_from:%Y-%m-%d})"
