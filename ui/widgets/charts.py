"""Small charts: a bar as long as its share of a whole, a bar per day. Painted; their numbers stand beside them, or are said in words."""

from collections.abc import Sequence
from datetime import date

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from ui.theme import color

HEIGHT_PX = 6
LEAST_PX = 4.0  # what is there is seen


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
