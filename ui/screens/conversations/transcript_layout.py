"""Where everything of a transcript row lies: text lines, chips, and what can be pressed, with its words.

One place for geometry, so that what is painted, what is hit by the mouse and what the keyboard walks to never differ.
Rows are laid out once per width and kept. Knows rows and theme sizes; no view, no engine. Source: STACK-UI section 3.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QTextCharFormat, QTextLayout, QTextOption

from app.values import EntityKind, IntentScore, MemoryCard, Message, Reference, ReferenceState
from ui.screens.conversations.message_text import DrawnText, MarkedSpan, SpanKind, drawn_text, shown
from ui.screens.conversations.transcript_model import RowKind, TranscriptRow
from ui.theme import META_FONT_PX, color, font, font_px
from ui.widgets.paint import ACCENT_CHIP, GUESS_CHIP, QUIET_CHIP, WARN_CHIP, ChipLook, chip_height, chip_width
from ui.wording.memories import learned_words
from ui.wording.values import ARCHIVED, ENTITY_WORDS, INTENT_HELP, INTENT_WORDS, counted, percent, reference_line, sure

KEPT_LAYOUTS = 160  # some screens of messages
SIDE_CHIPS_FROM_PX = 520  # wider rows show intents at the right, narrower ones below the text
PADDING_PX = 9.0
MARK_PX = 24.0  # of what was learned: as wide as a finger needs
READ_CHARS = 4000  # of the text as it was read; the whole is in the export
_SURE_FROM = 0.6
_CODE_KINDS = {EntityKind.FILE, EntityKind.PATH, EntityKind.SYMBOL, EntityKind.COMMAND, EntityKind.QUOTED}
_NAMED_KINDS = {EntityKind.FEATURE, EntityKind.COMPONENT, EntityKind.TECHNOLOGY, EntityKind.PERSON}


class TargetKind(StrEnum):
    REFERENCE = "reference"
    INTENTS = "intents"
    READ = "read"
    MORE = "more"
    MARKER = "marker"
    NEIGHBOUR = "neighbour"
    MEMORIES = "memories"  # what a message taught
    ENTITY = "entity"  # tooltip only


@dataclass(frozen=True, slots=True)
class Target:
    """Something in a row that answers to the pointer. Rects are relative to the row."""

    kind: TargetKind
    thing_id: int
    rects: tuple[QRectF, ...]
    tip: str = ""

    def contains(self, point: QPointF) -> bool:
        return any(rect.adjusted(-2, -3, 2, 4).contains(point) for rect in self.rects)


@dataclass(slots=True)
class RowLayout:
    """Geometry of one row; `underlines` are drawn by hand because Qt has no dotted amber of its own."""

    row: TranscriptRow
    height: float
    text: QTextLayout | None = None
    text_at: QPointF = field(default_factory=QPointF)
    read: QTextLayout | None = None
    read_at: QPointF = field(default_factory=QPointF)
    chips: list[tuple[QRectF, str, ChipLook]] = field(default_factory=list)
    underlines: list[tuple[QRectF, SpanKind, int]] = field(default_factory=list)
    grounds: list[tuple[QRectF, str]] = field(default_factory=list)  # behind the text: entities, found words
    targets: list[Target] = field(default_factory=list)

    def target_at(self, point: QPointF) -> Target | None:
        return next((target for target in self.targets if target.contains(point)), None)

    def reference_rects(self, reference_id: int) -> tuple[QRectF, ...]:
        for target in self.targets:
            if target.kind is TargetKind.REFERENCE and target.thing_id == reference_id:
                return target.rects
        return ()


def gutter_px() -> float:
    """Width of the column of times."""
    return QFontMetricsF(font(META_FONT_PX)).horizontalAdvance("00:00") + 26


def intent_tip(score: IntentScore) -> str:
    """What a chip says when one rests on it."""
    reason = f"\nReason: {score.reason}" if score.reason else ""
    return f"{INTENT_WORDS[score.intent].capitalize()}: {INTENT_HELP[score.intent]} ({sure(score.confidence)}){reason}"


def learned_tip(cards: Sequence[MemoryCard]) -> str:
    """What the mark in the margin says."""
    titles = "\n".join(f"· {card.title[:80]}" for card in cards[:6])
    return f"{learned_words(cards)} from this\n{titles}"


class Layouter:
    """Lays rows out and keeps the last few hundred. `found` maps message ids to hits of the find bar."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int, int], tuple[TranscriptRow, float, RowLayout]] = OrderedDict()
        self._measures: tuple[float, float, float] | None = None  # of estimates: character, line, text column
        self.found: dict[int, tuple[tuple[int, int], ...]] = {}
        self.learned: dict[int, str] = {}  # message id to what was learned from it, in words

    def clear(self) -> None:
        """Forgets everything: text size, theme or hits changed."""
        self._kept.clear()
        self._measures = None

    def layout(self, row: TranscriptRow, width: float) -> RowLayout:
        """Geometry of a row at this width."""
        kept = self._kept.get(row.key)
        if kept is not None and kept[0] is row and kept[1] == width:
            self._kept.move_to_end(row.key)
            return kept[2]
        made = self._make(row, width)
        self._kept[row.key] = (row, width, made)
        if len(self._kept) > KEPT_LAYOUTS:
            self._kept.popitem(last=False)
        return made

    def estimate(self, row: TranscriptRow, width: float) -> float:
        """Height without laying out, from the number of characters; exact for all but texts."""
        if row.kind is not RowKind.TEXT or row.message is None:
            return self._make(row, width).height if row.kind is not RowKind.ASK else 120.0
        if self._measures is None:
            self._measures = (
                QFontMetricsF(font()).averageCharWidth() * 1.02,
                _line_px(),
                text_width(width - self._margin_px()),
            )
        char_px, line_px, column_px = self._measures
        columns = max(10.0, column_px / char_px)
        line_count = row.message.text.count("\n", row.start, row.end) + 1 + (row.end - row.start) / columns * 0.9
        return 2 * PADDING_PX + int(line_count) * line_px

    def _make(self, row: TranscriptRow, width: float) -> RowLayout:
        match row.kind:
            case RowKind.TEXT:
                return self._text_row(row, width)
            case RowKind.MARKER:
                return _marker_row(row, width)
            case RowKind.MORE | RowKind.NEIGHBOUR:
                return _link_row(row, width)
            case RowKind.ASK:
                return RowLayout(row, 0.0)

    def _text_row(self, row: TranscriptRow, width: float) -> RowLayout:
        message = row.message
        assert message is not None
        end = row.end - 1 if message.text[row.start : row.end].endswith("\n") else row.end  # no empty line at a cut
        drawn = drawn_text(message, row.start, end, self.found.get(message.id, ()))
        top = PADDING_PX if row.is_first else 0.0
        made = RowLayout(row, 0.0, text_at=QPointF(gutter_px(), top))
        inner = text_width(width - self._margin_px())
        made.text = text_layout(drawn.text, inner, _formats(drawn))
        bottom = top + made.text.boundingRect().height()
        self._mark(made, drawn, message)
        if row.is_first:
            bottom = max(bottom, _place_chips(made, message, width - self._margin_px(), bottom))
            if message.id in self.learned:
                mark = QRectF(width - MARK_PX - 4, made.text_at.y() - 4, MARK_PX, MARK_PX)
                made.targets.append(Target(TargetKind.MEMORIES, message.id, (mark,), self.learned[message.id]))
        if row.is_open and row.is_last:
            text = "Read as: " + shown(message.expanded_text[:READ_CHARS])
            made.read = text_layout(text, inner, [], is_quiet=True)
            made.read_at = QPointF(gutter_px(), bottom + 4)
            bottom += 4 + made.read.boundingRect().height()
        made.height = bottom + (PADDING_PX if row.is_last else 0.0)
        return made

    def _margin_px(self) -> float:
        """Room at the right for the marks of what was learned, none where nothing was."""
        return MARK_PX if self.learned else 0.0

    def _mark(self, made: RowLayout, drawn: DrawnText, message: Message) -> None:
        assert made.text is not None
        references = dict(message.references)
        by_reference: dict[int, list[QRectF]] = {}
        for span in drawn.spans:
            rects = [rect.translated(made.text_at) for rect in span_rects(made.text, span)]
            if span.reference_id:
                by_reference.setdefault(span.reference_id, []).extend(rects)
                made.underlines += [(rect, span.kind, span.reference_id) for rect in rects]
            elif span.kind is SpanKind.FOUND:
                made.grounds += [(rect, "mark") for rect in rects]
            elif span.entity_kind in _CODE_KINDS:
                made.grounds += [(rect.adjusted(-1, 0, 1, 0), "raised") for rect in rects]
        for number, rects in by_reference.items():
            tip = _reference_tip(references[number])
            made.targets.append(Target(TargetKind.REFERENCE, number, tuple(rects), tip))
        made.targets += _entity_targets(made, drawn)


def text_width(width: float) -> float:
    """Width of the text column in a row this wide."""
    side = _side_chips_px() if width >= SIDE_CHIPS_FROM_PX else 0.0
    return max(120.0, width - gutter_px() - side - 14)


def text_layout(
    text: str, width: float, formats: list[QTextLayout.FormatRange], *, is_quiet: bool = False
) -> QTextLayout:
    """Plain text laid out in a width, hard-wrapped where a word is too long."""
    chosen = font()
    chosen.setItalic(is_quiet)
    made = QTextLayout(text, chosen)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    option.setTabStopDistance(4 * QFontMetricsF(chosen).horizontalAdvance(" "))
    made.setTextOption(option)
    made.setFormats(formats)
    made.beginLayout()
    y = 0.0
    leading = _line_px()
    while (line := made.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0.0, y))
        y += max(leading, line.height())
    made.endLayout()
    return made


def span_rects(layout: QTextLayout, span: MarkedSpan) -> list[QRectF]:
    """Where a span of the drawn text lies, one rectangle a line."""
    rects: list[QRectF] = []
    for n in range(layout.lineCount()):
        line = layout.lineAt(n)
        first = max(span.start, line.textStart())
        last = min(span.start + span.length, line.textStart() + line.textLength())
        if first >= last:
            continue
        left, right = _x_of(line.cursorToX(first)), _x_of(line.cursorToX(last))
        rects.append(QRectF(min(left, right), line.y(), abs(right - left), line.height()))
    return rects


def _x_of(answer: object) -> float:
    return float(answer[0]) if isinstance(answer, (tuple, list)) else float(str(answer))


def _line_px() -> float:
    return QFontMetricsF(font()).height() + 3.0


def _side_chips_px() -> float:
    return 132.0 * font_px() / 13


def _formats(drawn: DrawnText) -> list[QTextLayout.FormatRange]:
    made: list[QTextLayout.FormatRange] = []
    for span in drawn.spans:
        chosen = QTextCharFormat()
        if span.kind is SpanKind.RESOLVED:
            chosen.setForeground(color("accent"))
        elif span.kind is SpanKind.CORRECTED:
            chosen.setForeground(color("good"))
        elif span.kind is SpanKind.BADGE:
            chosen.setForeground(QColor(0, 0, 0, 0))
        elif span.kind is SpanKind.ENTITY and span.entity_kind in _NAMED_KINDS:
            chosen.setFontWeight(QFont.Weight.DemiBold)
        else:
            continue
        ranged = QTextLayout.FormatRange()
        ranged.start, ranged.length, ranged.format = span.start, span.length, chosen
        made.append(ranged)
    return made


def _reference_tip(reference: Reference) -> str:
    reason = f"\n{reference.reason}" if reference.reason else ""
    how_sure = "" if reference.state is ReferenceState.UNRESOLVED else f" ({sure(reference.confidence)})"
    return f"{reference_line(reference)}{how_sure}{reason}\nClick to see why or to change it"


def _entity_targets(made: RowLayout, drawn: DrawnText) -> list[Target]:
    assert made.text is not None
    targets: list[Target] = []
    for span in drawn.spans:
        if span.kind is SpanKind.ENTITY:
            rects = tuple(rect.translated(made.text_at) for rect in span_rects(made.text, span))
            targets.append(Target(TargetKind.ENTITY, 0, rects, ENTITY_WORDS[EntityKind(span.entity_kind)]))
    return targets


@dataclass(frozen=True, slots=True)
class _Chip:
    kind: TargetKind
    text: str
    look: ChipLook
    tip: str


def _message_chips(message: Message, *, is_open: bool) -> list[_Chip]:
    """Intents, what was taken out, and the way to the text as it was read."""
    chips: list[_Chip] = []
    for score in message.intents:
        look = QUIET_CHIP if score.confidence >= _SURE_FROM or message.is_intent_corrected else GUESS_CHIP
        tip = "Set by you" if message.is_intent_corrected else intent_tip(score)
        chips.append(_Chip(TargetKind.INTENTS, INTENT_WORDS[score.intent], look, f"{tip}\nClick to change"))
    if not chips and message.boundary.state != ARCHIVED:
        tip = "Nothing was recognised\nClick to say what it is"
        chips.append(_Chip(TargetKind.INTENTS, "no intent", GUESS_CHIP, tip))
    if message.redaction_count:
        text = f"{counted(message.redaction_count, 'secret')} removed"
        tip = "Removed before anything was written to disk"
        chips.append(_Chip(TargetKind.ENTITY, text, WARN_CHIP, tip))
    if message.foreign:
        tip = f"Not your own words: {', '.join(message.foreign)}\nNothing is learned from them"
        chips.append(_Chip(TargetKind.ENTITY, "pasted: not learned from", QUIET_CHIP, tip))
    if message.answers:
        chips.append(_Chip(TargetKind.ENTITY, "an answer", QUIET_CHIP, f"It answers: {message.answers[:300]}"))
    if message.expanded_text != message.text:
        tip = f"Understood as: {message.expanded_text[:300]}"
        chips.append(_Chip(TargetKind.READ, "hide" if is_open else "what it means…", ACCENT_CHIP, tip))
    return chips


def _place_chips(made: RowLayout, message: Message, width: float, text_bottom: float) -> float:
    """Puts the chips beside the text, or below it in a narrow row; returns where they end."""
    is_beside = width >= SIDE_CHIPS_FROM_PX
    height = chip_height()
    right = width - 8
    left = right - _side_chips_px() + 8 if is_beside else gutter_px()
    x, y = left, made.text_at.y() if is_beside else text_bottom + 4
    for chip in _message_chips(message, is_open=made.row.is_open):
        chip_px = chip_width(chip.text)
        if x + chip_px > right and x > left:
            x, y = left, y + height + 4
        rect = QRectF(x, y, chip_px, height)
        made.chips.append((rect, chip.text, chip.look))
        made.targets.append(Target(chip.kind, message.id, (rect,), chip.tip))
        x += chip_px + 4
    return y + height


def factor_line(name: str, vote: float, text: str) -> str:
    """One factor of a border in words.

    >>> factor_line("gap", 0.5, "2 h gap")
    '2 h gap: new topic, 50 %'
    """
    said = text or name
    if abs(vote) < 0.05:
        return f"{said}: hardly counts"
    side = "new topic" if vote > 0 else "same topic"
    return f"{said}: {side}, {percent(abs(vote))}"


def marker_lines(row: TranscriptRow) -> list[str]:
    """The factors that an open marker lists."""
    if not row.is_open or row.message is None:
        return []
    votes: dict[tuple[str, bool], float] = {}
    for one in row.message.boundary.factors:  # the same words twice are one reason
        key = one.text or one.name, one.vote > 0
        votes[key] = max(votes.get(key, 0.0), one.vote, key=abs)
    return [factor_line(text, vote, text) for (text, _), vote in votes.items()] or ["No single reason was kept."]


def _marker_row(row: TranscriptRow, width: float) -> RowLayout:
    meta_px = QFontMetricsF(font(META_FONT_PX)).height()
    height = meta_px + 18 + len(marker_lines(row)) * (meta_px + 4)
    assert row.message is not None
    rect = QRectF(8, 4, width - 16, meta_px + 10)
    tip = "Click to hide the reasons" if row.is_open else "Click to see the reasons"
    return RowLayout(row, height, targets=[Target(TargetKind.MARKER, row.message.id, (rect,), tip)])


def _link_row(row: TranscriptRow, width: float) -> RowLayout:
    height = QFontMetricsF(font()).height() + 14
    rect = QRectF(gutter_px(), 2, width - gutter_px() - 8, height - 4)
    if row.kind is RowKind.MORE and row.message is not None:
        return RowLayout(row, height, targets=[Target(TargetKind.MORE, row.message.id, (rect,))])
    assert row.neighbour is not None
    tip = "Click to go there"
    return RowLayout(row, height, targets=[Target(TargetKind.NEIGHBOUR, row.neighbour.id, (rect,), tip)])
