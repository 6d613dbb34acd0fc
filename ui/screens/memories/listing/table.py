"""The dense table of memories: one line each, columns as the person chose them, as many as there is room for.

Owns the columns, their places and how a line is painted. The list below the heads stays the same list: cursor, marks, keys.
Knows cards and theme tokens; no engine. Source: UX 4.4 "dense table".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from app.values import MemoryCard, MemorySort
from ui.icons import pixmap
from ui.screens.memories.listing.look import Widths
from ui.screens.memories.listing.text import flat, spans_of_words
from ui.theme import META_FONT_PX, color, font, font_px, tokens
from ui.widgets.paint import draw_elided
from ui.wording.memories import TIER_WORDS, states_of, type_word
from ui.wording.values import ago, app_title, percent

LEFT_PX = 40.0  # where the title begins, as on a card
RIGHT_PX = 10.0
SPACE_PX = 12.0
TITLE_EM = 16.0  # less than this the title never has
PADDING_PX = 6.0


@dataclass(frozen=True, slots=True)
class Column:
    id: str
    title: str
    width_em: float
    say: Callable[[MemoryCard, datetime | None], str]
    is_right: bool = False
    sort: MemorySort | None = None


def _ago(at: datetime | None, now: datetime | None) -> str:
    return ago(at, now) if at is not None and now is not None else ""


COLUMNS = (
    Column("state", "State", 6.5, lambda card, _now: ", ".join(states_of(card))),
    Column("type", "Type", 6.5, lambda card, _now: type_word(card)),
    Column("project", "Project", 6.5, lambda card, _now: card.project),
    Column("assistant", "Assistant", 6.5, lambda card, _now: app_title(card.app) if card.app else ""),
    Column("tags", "Tags", 8.0, lambda card, _now: " ".join(f"#{tag}" for tag in card.tags)),
    Column(
        "importance", "Importance", 6.5, lambda card, _now: percent(card.importance), is_right=True,
        sort=MemorySort.IMPORTANCE,
    ),
    Column("confidence", "Sure", 3.8, lambda card, _now: percent(card.confidence), is_right=True,
           sort=MemorySort.CONFIDENCE),
    Column("tokens", "Tokens", 4.4, lambda card, _now: f"{card.token_count:,}", is_right=True, sort=MemorySort.TOKENS),
    Column("tier", "Tier", 6.0, lambda card, _now: TIER_WORDS[card.tier] if card.tier is not None else ""),
    Column("told", "Given", 3.8, lambda card, _now: f"{card.retrieved_count:,}×", is_right=True,
           sort=MemorySort.RETRIEVED),
    Column("last-told", "Last given", 6.0, lambda card, now: _ago(card.last_accessed_at, now) or "never"),
    Column("changed", "Changed", 6.0, lambda card, now: _ago(card.updated_at, now), sort=MemorySort.UPDATED),
)  # fmt: skip
COLUMN_OF = {column.id: column for column in COLUMNS}


@dataclass(frozen=True, slots=True)
class ColumnExtent:
    """Where a column is in a line; the title's column is None."""

    column: Column | None
    left: float
    width: float


def line_height_px() -> int:
    return round(QFontMetricsF(font()).height() + 2 * PADDING_PX)


def places_of(chosen: Sequence[str], width_px: float, widths_em: Widths = ()) -> tuple[ColumnExtent, ...]:
    """The title and what fits beside it; what does not is left out from the right."""
    em, room, own = font_px(), width_px - LEFT_PX - RIGHT_PX, dict(widths_em)
    fitting: list[Column] = []
    used = TITLE_EM * em
    for column in (COLUMN_OF[one] for one in chosen):
        wanted = own.get(column.id, column.width_em) * em + SPACE_PX
        if used + wanted > room:
            break
        used += wanted
        fitting.append(column)
    left = LEFT_PX + room
    places: list[ColumnExtent] = []
    for column in reversed(fitting):
        width = own.get(column.id, column.width_em) * em
        left -= width
        places.append(ColumnExtent(column, left, width))
        left -= SPACE_PX
    places.append(ColumnExtent(None, LEFT_PX, max(0.0, left - LEFT_PX)))
    return tuple(reversed(places))


def paint_line(
    painter: QPainter,
    rect: QRectF,
    card: MemoryCard,
    matched: Sequence[str],
    now: datetime | None,
    *,
    columns: Sequence[str],
    widths_em: Widths,
    is_faded: bool,
) -> None:
    """The texts of one line; ground and sign are the card's."""
    from ui.screens.memories.listing.delegate import draw_marked

    for place in places_of(columns, rect.width(), widths_em):
        room = QRectF(rect.left() + place.left, rect.top(), place.width, rect.height())
        if place.column is None:
            painter.setFont(font(weight=QFont.Weight.Medium))
            if card.is_pinned:
                image = pixmap("pin", tokens().accent, 15, painter.device().devicePixelRatioF())
                painter.drawPixmap(room.topRight().toPoint().x() - 16, round(room.center().y() - 7.5), image)
                room.setRight(room.right() - 20)
            title = flat(card.title)
            draw_marked(painter, room, title, spans_of_words(title, matched), "sub" if is_faded else "text")
            continue
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("warn" if place.column.id == "state" and states_of(card) else "sub"))
        draw_elided(painter, room, place.column.say(card, now), is_right=place.column.is_right)
