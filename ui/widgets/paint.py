"""Small painters that the hand-drawn lists share: elided text, chips, mixed colours, focus rings.

All of them ask the theme at paint time, so a change of theme costs one repaint. They know no data.
Source: STACK-UI section 3 (a card delegate over few rows is what stays smooth).
"""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPaintEngine, QPainter, QPainterPath, QPen, QPixmap

from ui.icons import unpainted
from ui.theme import META_FONT_PX, color, font, metrics

CHIP_PADDING_PX = 7.0
_HALO_PX = 2.0  # around letters that are on something
THINNEST_EM = 0.15  # of the height of a line; the thinnest letters take more


@dataclass(frozen=True, slots=True)
class ChipLook:
    """Colours of a chip, as names of theme tokens."""

    text: str = "sub"
    ground: str = "raised"
    edge: str = ""


QUIET_CHIP = ChipLook()
ACCENT_CHIP = ChipLook("accent", "accent_soft")
WARN_CHIP = ChipLook("warn", "warn_soft")
GOOD_CHIP = ChipLook("good", "good_soft")
GUESS_CHIP = ChipLook("sub", "", "edge")


def mixed(one: QColor, other: QColor, ratio: float) -> QColor:
    """`one` with `ratio` (0..1) of `other`, opaque: opaque pens are what paints fast."""
    keep = 1.0 - ratio
    return QColor(
        round(one.red() * keep + other.red() * ratio),
        round(one.green() * keep + other.green() * ratio),
        round(one.blue() * keep + other.blue() * ratio),
    )


def chip_font() -> QFont:
    return font(META_FONT_PX, QFont.Weight.Medium)


def chip_width(text: str) -> float:
    """What a chip with this text takes."""
    return metrics(META_FONT_PX, QFont.Weight.Medium).horizontalAdvance(text) + 2 * CHIP_PADDING_PX


def chip_height() -> float:
    return metrics(META_FONT_PX, QFont.Weight.Medium).height() + 4.0


def draw_chip(painter: QPainter, rect: QRectF, text: str, look: ChipLook = QUIET_CHIP) -> None:
    """A rounded label; without ground it is only an outline."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(color(look.ground) if look.ground else Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(color(look.edge), 1.0) if look.edge else Qt.PenStyle.NoPen)
    inner = rect.adjusted(0.5, 0.5, -0.5, -0.5)
    painter.drawRoundedRect(inner, inner.height() / 2, inner.height() / 2)
    painter.setFont(chip_font())
    painter.setPen(color(look.text))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
    painter.restore()


def draw_elided(painter: QPainter, rect: QRectF, text: str, *, is_right: bool = False) -> float:
    """Draws one line of plain text in the painter's font; returns the width it took."""
    measured = QFontMetricsF(painter.font())
    line = elided(measured, " ".join(text.split()), rect.width())
    side = Qt.AlignmentFlag.AlignRight if is_right else Qt.AlignmentFlag.AlignLeft
    painter.drawText(rect, side | Qt.AlignmentFlag.AlignVCenter, line)
    return measured.horizontalAdvance(line)


def elided(measured: QFontMetricsF, text: str, width: float) -> str:
    """`text` with "…" where it is wider than `width`; of a long one only what can be seen is measured."""
    room = max(0.0, width)
    most = int(room / (measured.height() * THINNEST_EM)) + 2
    begins = measured.elidedText(text[:most], Qt.TextElideMode.ElideRight, room)
    if len(text) <= most or begins != text[:most]:
        return begins
    return measured.elidedText(text, Qt.TextElideMode.ElideRight, room)  # thinner than any letter: marks, no width


def draw_focus_ring(painter: QPainter, rect: QRectF, radius: float = 8.0) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(color("accent"), 2.0))
    painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), radius, radius)
    painter.restore()


def draw_dot(painter: QPainter, centre: QPointF, token: str, radius: float = 3.5) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color(token))
    painter.drawEllipse(centre, radius, radius)
    painter.restore()


def draw_sheet(painter: QPainter, rect: QRectF) -> None:
    """The ground of a picture: a card as wide and high as the widget."""
    painter.fillRect(rect, color("bg"))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(color("line"), 1.0))
    painter.setBrush(color("panel"))
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 10, 10)


def draw_haloed(painter: QPainter, text: str, at: QPointF, px: int, tint: QColor, *, bold: bool = False) -> None:
    """Text whose middle is at `at`, on its baseline, readable on whatever is below it.

    On a screen the outlined letters are kept as a picture, a tenth of the time from the second frame on; in a drawing that scales they
    are text.
    """
    weight = QFont.Weight.DemiBold if bold else QFont.Weight.Normal
    measured = metrics(px, weight)
    wide = measured.horizontalAdvance(text)
    if painter.paintEngine().type() is QPaintEngine.Type.SVG:
        painter.setFont(font(px, weight))
        painter.setPen(tint)
        painter.drawText(at - QPointF(wide / 2, 0), text)
        return
    ratio = painter.device().devicePixelRatioF()
    picture = haloed(text, font(px, weight).toString(), tint.rgb(), color("panel").rgb(), ratio)
    painter.drawPixmap(at - QPointF(wide / 2 + _HALO_PX, measured.ascent() + _HALO_PX), picture)


@lru_cache(maxsize=256)  # more than are on one map; some 10 kB each
def haloed(text: str, face: str, tint: int, ground: int, ratio: float) -> QPixmap:
    """The letters with an edge in the colour of the ground, `_HALO_PX` of room on each side."""
    letters = QFont()
    letters.fromString(face)
    measured = QFontMetricsF(letters)
    wide, high = measured.horizontalAdvance(text) + 2 * _HALO_PX, measured.height() + 2 * _HALO_PX
    picture = QPixmap(ceil(wide * ratio), ceil(high * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    path = QPainterPath()
    path.addText(QPointF(_HALO_PX, measured.ascent() + _HALO_PX), letters, text)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(
        QColor.fromRgb(ground),
        2 * _HALO_PX - 0.6,
        Qt.PenStyle.SolidLine,
        Qt.PenCapStyle.RoundCap,
        Qt.PenJoinStyle.RoundJoin,
    )
    painter.strokePath(path, pen)
    painter.fillPath(path, QColor.fromRgb(tint))
    painter.end()
    return unpainted(picture)
