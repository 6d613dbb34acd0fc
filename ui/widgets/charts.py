"""Small charts: a bar as long as its share of a whole, bars by day or by label, a level with its mark.

Painted; their numbers are beside them, or are said in words.
"""

from collections.abc import Sequence
from datetime import date

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ui.theme import META_FONT_PX, color, font, metrics
from ui.widgets.paint import draw_elided

HEIGHT_PX = 6
LEAST_PX = 4.0  # what is there is seen
_METER_PX, _CHART_PX = 14, 52


class ShareBar(QWidget):
    def __init__(self, ratio: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ratio = max(0.0, min(1.0, ratio))
        self.setFixedHeight(HEIGHT_PX)

    def sizeHint(self) -> QSize:
        return QSize(120, HEIGHT_PX)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color("line"))
        painter.drawRoundedRect(QRectF(0, 0, self.width(), HEIGHT_PX), 3, 3)
        if self._ratio:
            painter.setBrush(color("accent"))
            painter.drawRoundedRect(QRectF(0, 0, max(LEAST_PX, self.width() * self._ratio), HEIGHT_PX), 3, 3)


class Sparkline(QWidget):
    """Bars for (day, count), oldest first; the last one is today's and stands out."""

    def __init__(self, noun: str = "messages", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._noun = noun
        self._days: tuple[tuple[date, int], ...] = ()
        self.setMinimumHeight(44)
        self.setAccessibleName(f"No {noun} yet")

    def sizeHint(self) -> QSize:
        return QSize(220, 48)

    def set_days(self, days: Sequence[tuple[date, int]]) -> None:
        self._days = tuple(days)
        total = sum(count for _day, count in self._days)
        self.setAccessibleName(f"{total:,} {self._noun} in {len(self._days)} days")
        self.setAccessibleDescription(", ".join(f"{day:%d %b}: {count:,}" for day, count in self._days if count))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        top = max((count for _day, count in self._days), default=0)
        for index, (_day, count) in enumerate(self._days):
            bar = self._bar(index, count, top)
            is_today = index == len(self._days) - 1
            name = "accent" if is_today else ("edge" if count else "line")
            painter.setBrush(color(name))
            painter.drawRoundedRect(bar, 1.5, 1.5)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip and self._days:
            index = min(len(self._days) - 1, max(0, int(event.pos().x() * len(self._days) / max(1, self.width()))))
            day, count = self._days[index]
            QToolTip.showText(event.globalPos(), f"{day:%d %b}: {count:,} {self._noun}", self)
            return True
        return super().event(event)

    def _bar(self, index: int, count: int, top: int) -> QRectF:
        step = self.width() / max(1, len(self._days))
        height = max(2.0, (self.height() - 4) * count / top) if top else 2.0
        return QRectF(index * step + 1.5, self.height() - height, max(2.0, step - 3), height)


class EnergyMeter(QWidget):
    """How much of the energy is there, and the mark below which what can wait does."""

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._ratio = self._low = 0.0
        self.show_values(0.0, 1.0, 0.0)

    def sizeHint(self) -> QSize:
        return QSize(240, _METER_PX + 6 + round(metrics(META_FONT_PX).height()))

    def show_values(self, level: float, capacity: float, low_below: float) -> None:
        self._ratio = min(1.0, max(0.0, level / capacity)) if capacity else 0.0
        self._low = min(1.0, max(0.0, low_below / capacity)) if capacity else 0.0
        low = ", low" if self._ratio < self._low else ""
        self.setAccessibleName(f"Energy {level:,.0f} of {capacity:,.0f} units{low}")
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        room = QRectF(0, 2, self.width(), _METER_PX)
        painter.setBrush(color("line"))
        painter.drawRoundedRect(room, 5, 5)
        filled = QRectF(room.left(), room.top(), max(10.0, room.width() * self._ratio), room.height())
        painter.setBrush(color("warn" if self._ratio < self._low else "accent"))
        painter.drawRoundedRect(filled, 5, 5)
        painter.setBrush(color("text"))
        mark_px = room.width() * self._low
        painter.drawRect(QRectF(mark_px - 1, 0, 2, _METER_PX + 6))
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        below = room.translated(mark_px + 4, _METER_PX + 2).adjusted(0, 0, -mark_px - 4, 0)
        draw_elided(painter, below, "below this mark, background work waits")


class BarChart(QWidget):
    """Bars for (label, number), oldest first; the last one is now's and stands out. `most`: the full height, else the largest."""

    def __init__(self, object_name: str, noun: str, *, most: float = 0.0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self._noun, self._most = noun, most
        self._bars: tuple[tuple[str, float], ...] = ()
        self.setMinimumHeight(_CHART_PX)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"No {noun} yet")

    def sizeHint(self) -> QSize:
        return QSize(220, _CHART_PX)

    def show_values(self, bars: Sequence[tuple[str, float]]) -> None:
        self._bars = tuple(bars)
        said = [f"{label}: {number:,.4g}" for label, number in self._bars if number]
        self.setAccessibleName(f"{self._noun.capitalize()}, {len(said)} of {len(self._bars)} with any")
        self.setAccessibleDescription(", ".join(said))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        top = self._most or max((number for _, number in self._bars), default=0.0)
        step = self.width() / max(1, len(self._bars))
        for index, (_, number) in enumerate(self._bars):
            height = max(2.0, (self.height() - 4) * min(1.0, number / top)) if top else 2.0
            is_now = index == len(self._bars) - 1
            painter.setBrush(color("accent" if is_now and number else "edge" if number else "line"))
            bar = QRectF(index * step + 1.5, self.height() - height, max(2.0, step - 3), height)
            painter.drawRoundedRect(bar, 1.5, 1.5)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip and self._bars:
            index = min(len(self._bars) - 1, max(0, int(event.pos().x() * len(self._bars) / max(1, self.width()))))
            label, number = self._bars[index]
            QToolTip.showText(event.globalPos(), f"{label}: {number:,.4g} {self._noun}", self)
            return True
        return super().event(event)
