"""One line of an answer to an assistant: of a memory, of memories that contradict each other, or of what the person typed.

Texts are shortened to what one answer can hold, dated, and marked where nobody confirmed them. Source: DESIGN section 6 "MCP", issue 4.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection

from app.context.open_contradictions import (
    OpenContradiction,
    find_overruled,
    load_contradictions,
    load_contradictions_as_of,
)
from app.context.past_memories import PastMemory
from app.context.sources import UNCONFIRMED
from app.retrieval.messages import FoundMessage
from app.store.tables.types import from_microseconds, to_microseconds
from app.understanding.message_rows import AnyRow
from app.values import MemoryKind, MemoryStatus

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
