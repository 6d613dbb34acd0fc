"""How the text of a message becomes what is drawn: bounded slices, and spans for references and entities.

Offsets of the engine count code points; Qt counts UTF-16 units: this is the one place that converts. Where an object
is left out, or a reference is unclear, a placeholder is put into the drawn text, never into the stored one.
Knows no widget. Source: STYLE (bounded, hard-wrapped slices), UX 4.3.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass
from enum import StrEnum

from app.values import Entity, Message, Reference, ReferenceState

SLICE_CHARS = 2400
SLICE_LINES = 48
FIND_LIMIT = 1000
BADGE = "\u2002\u2002"  # two en spaces: room for the "?" that is painted over them
_BREAK_WITHIN = 400  # a slice may end this much earlier to end at a line or word


class SpanKind(StrEnum):
    RESOLVED = "resolved"
    CORRECTED = "corrected"
    AMBIGUOUS = "ambiguous"
    UNRESOLVED = "unresolved"
    BADGE = "badge"
    ENTITY = "entity"
    FOUND = "found"


REFERENCE_SPANS = {
    ReferenceState.RESOLVED: SpanKind.RESOLVED,
    ReferenceState.CORRECTED: SpanKind.CORRECTED,
    ReferenceState.AMBIGUOUS: SpanKind.AMBIGUOUS,
    ReferenceState.UNRESOLVED: SpanKind.UNRESOLVED,
}


@dataclass(frozen=True, slots=True)
class MarkedSpan:
    """A stretch of the drawn text in UTF-16 units. `reference_id` is 0 for anything but a reference."""

    start: int
    length: int
    kind: SpanKind
    reference_id: int = 0
    entity_kind: str = ""


@dataclass(frozen=True, slots=True)
class DrawnText:
    text: str
    spans: tuple[MarkedSpan, ...]


@dataclass(frozen=True, slots=True)
class FindHit:
    """One hit of the find bar, in code points of the message."""

    message_id: int
    start: int
    end: int


def _shown_forms() -> dict[int, str]:
    forms = {code: chr(0x2400 + code) for code in range(32) if code not in (9, 10, 13)}
    forms |= {0x0A: "\u2028", 0x0D: " ", 0x7F: "\u2421", 0x202D: "\u25af", 0x202E: "\u25af", 0x2029: "\u2028"}
    return forms


_SHOWN_FORMS = _shown_forms()  # one for one, so that offsets hold


def shown(text: str) -> str:
    """The text with line breaks as Qt's and control characters made visible, of the same length.

    >>> shown("a\\nb\\x1b") == "a\\u2028b\\u241b"
    True
    """
    return text.translate(_SHOWN_FORMS)


def slice_end(text: str, start: int, limit: int = SLICE_CHARS) -> int:
    """Where the piece that begins at `start` ends, so that it is never too long to lay out.

    Best at a line end, else between words, else hard.

    >>> slice_end("short", 0), slice_end("x" * 25, 10, 10), slice_end("one two three", 0, 10)
    (5, 20, 8)
    """
    window = text[start : start + limit]
    if start + limit >= len(text) and window.count("\n") < SLICE_LINES:
        return len(text)
    line_ends = [match.end() for match in re.finditer("\n", window)]
    if len(line_ends) >= SLICE_LINES:
        return start + line_ends[SLICE_LINES - 1]
    if start + limit >= len(text):
        return len(text)
    earliest = max(1, limit - min(_BREAK_WITHIN, limit // 2))
    for mark in ("\n", " "):
        at = window.rfind(mark, earliest)
        if at >= 0:
            return start + at + 1
    return start + limit


class Utf16Map:
    """Code point offset to UTF-16 offset of one text.

    >>> Utf16Map("a😀b")(2)
    3
    """

    def __init__(self, text: str) -> None:
        self._wide: list[int] = []
        if not text.isascii():
            self._wide = [n for n, char in enumerate(text) if ord(char) > 0xFFFF]

    def __call__(self, offset: int) -> int:
        return offset + bisect_left(self._wide, offset)


@dataclass(frozen=True, slots=True)
class _Insertion:
    at: int
    text: str
    kind: SpanKind
    reference_id: int


class _Drawing:
    """One slice with what is put into it; turns offsets of the message into offsets of the drawn text."""

    def __init__(self, body: str, start: int, insertions: list[_Insertion]) -> None:
        self._start = start
        self._units = Utf16Map(body)
        self._shifts: list[tuple[int, int]] = []  # (offset in the message, UTF-16 units put in at or before it)
        self.spans: list[MarkedSpan] = []
        pieces: list[str] = []
        at, shift = start, 0
        for one in sorted(insertions, key=lambda insertion: insertion.at):
            pieces += [body[at - start : one.at - start], one.text]
            at, length = one.at, len(one.text.encode("utf-16-le")) // 2
            self.spans.append(MarkedSpan(self._units(at - start) + shift, length, one.kind, one.reference_id))
            shift += length
            self._shifts.append((at, shift))
        self.text = "".join([*pieces, body[at - start :]])

    def add(self, first: int, last: int, kind: SpanKind, *, reference_id: int = 0, entity_kind: str = "") -> None:
        left, right = self._place(first, is_end=False), self._place(last, is_end=True)
        if right > left:
            self.spans.append(MarkedSpan(left, right - left, kind, reference_id, entity_kind))

    def _place(self, offset: int, *, is_end: bool) -> int:
        before = [total for at, total in self._shifts if at < offset or (at == offset and not is_end)]
        return self._units(offset - self._start) + (before[-1] if before else 0)


def drawn_text(message: Message, start: int, end: int, found: tuple[tuple[int, int], ...] = ()) -> DrawnText:
    """One slice of a message as it is drawn, with its spans. `found` are hits in code points of the message."""
    references = [(number, r) for number, r in message.references if _is_inside(r, start, end)]
    drawing = _Drawing(shown(message.text[start:end]), start, _insertions(references, start, end))
    placed, drawing.spans = drawing.spans, []
    for entity in _marked_entities(message, start, end):
        drawing.add(max(entity.start, start), min(entity.end, end), SpanKind.ENTITY, entity_kind=entity.kind)
    for number, reference in references:
        kind = REFERENCE_SPANS.get(reference.state)
        if kind is not None:
            drawing.add(max(reference.start, start), min(reference.end, end), kind, reference_id=number)
    drawing.spans += placed
    for first, last in found:
        if _touches(first, last, start, end):
            drawing.add(max(first, start), min(last, end), SpanKind.FOUND)
    return DrawnText(drawing.text, tuple(drawing.spans))


def _is_inside(reference: Reference, start: int, end: int) -> bool:
    if reference.start == reference.end:  # nothing is said there: it belongs to the slice that ends with it
        return start < reference.end <= end or reference.end == start == 0
    return _touches(reference.start, reference.end, start, end)


def _touches(first: int, last: int, start: int, end: int) -> bool:
    return first < end and last > start


def _marked_entities(message: Message, start: int, end: int) -> list[Entity]:
    taken = [(r.start, r.end) for _number, r in message.references if r.state in REFERENCE_SPANS]
    return [
        entity
        for entity in message.entities
        if _touches(entity.start, entity.end, start, end)
        and not any(_touches(first, last, entity.start, entity.end) for first, last in taken)
    ]


def _insertions(references: list[tuple[int, Reference]], start: int, end: int) -> list[_Insertion]:
    """What is drawn though nobody typed it: the left-out object, and room for the mark of an unclear reference."""
    made: list[_Insertion] = []
    for number, reference in references:
        is_implicit = reference.start == reference.end
        if reference.state is ReferenceState.AMBIGUOUS and start <= reference.end <= end:
            made.append(_Insertion(reference.end, BADGE, SpanKind.BADGE, number))
        elif is_implicit and reference.antecedent and reference.state in REFERENCE_SPANS:
            text = f" \u2039{shown(reference.antecedent)}\u203a"
            made.append(_Insertion(reference.end, text, REFERENCE_SPANS[reference.state], number))
    return made


def find_all(text: str, query: str) -> tuple[tuple[int, int], ...]:
    """Where `query` occurs, case ignored, at most 1,000 hits.

    >>> find_all("Test the test", "TEST")
    ((0, 4), (9, 13))
    """
    if not query:
        return ()
    hits: list[tuple[int, int]] = []
    for match in re.finditer(re.escape(query), text, re.IGNORECASE):
        hits.append(match.span())
        if len(hits) >= FIND_LIMIT:
            break
    return tuple(hits)


def references_in_order(message: Message) -> tuple[int, ...]:
    """Ids of the references that one can walk to, in reading order; dismissed ones are left out."""
    live = [(r.start, number) for number, r in message.references if r.state in REFERENCE_SPANS]
    return tuple(number for _start, number in sorted(live))
