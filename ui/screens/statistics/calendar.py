"""A year as a calendar of days: a column a week, each day as dark as it holds much. Painted; walked by arrows, told in words.

Owns where a day lies and which one is chosen. Knows no engine. Source: issue 18 "a year at a glance", UX 6.
"""

from collections.abc import Sequence
from datetime import date

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.values.statistics import DayFigures
from ui.screens.statistics.wording import MEASURES, Measure, day_line
from ui.theme import META_FONT_PX, color, font, font_px

STEPS = (0.28, 0.5, 0.75, 1.0)  # how much of the accent: a quarter, half, three quarters, all of the most
_DAYS_SHOWN = {0: "Mon", 2: "Wed", 4: "Fri"}
_MOST_PX, _GAP = 15.0, 0.18
_STEPS_OF_KEYS = {
    Qt.Key.Key_Left: -7,
    Qt.Key.Key_Right: 7,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -28,
    Qt.Key.Key_PageDown: 28,
}


def step_of(count: int, most: int) -> int:
    """0 for nothing, else 1 to 4 by its share of the most.

    >>> [step_of(count, 100) for count in (0, 1, 25, 26, 80, 100)]
    [0, 1, 1, 2, 4, 4]
    """
    return min(4, -(-4 * count // most)) if count and most else 0


def step_color(step: int) -> QColor:
    """Of a step, on the ground of a card."""
    if not step:
        return color("line")
    ground, full, share = color("panel"), color("accent"), STEPS[step - 1]
    red, green, blue = (
        round(low + (high - low) * share)
        for low, high in (
            (ground.red(), full.red()), (ground.green(), full.green()), (ground.blue(), full.blue()),
        )
    )  # fmt: skip
    return QColor(red, green, blue)


class YearCalendar(QWidget):
    day_chosen = Signal(object)  # DayFigures, by arrows or the pointer
    day_opened = Signal(object)  # DayFigures, by a click or Enter

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._days: tuple[DayFigures, ...] = ()
        self._measure = MEASURES[0]
        self._most = 0
        self._current = 0
        self.setAccessibleName("A year of days")

    # -- given
    def show_values(self, days: Sequence[DayFigures], measure: Measure) -> None:
        """The same day stays chosen, else the last one."""
        chosen = self.current.day if self._days else None
        self._days, self._measure = tuple(days), measure
        self._most = max((measure.of(one) for one in days), default=0)
        self._current = next((n for n, one in enumerate(days) if one.day == chosen), len(days) - 1)
        some = sum(measure.of(one) > 0 for one in days)
        self.setAccessibleName(
            f"A year of days, {measure.noun}: {some} of {len(days)} days with any, at most {self._most:,}"
        )
        self._say()
        self.updateGeometry()
        self.update()

    @property
    def current(self) -> DayFigures:
        return self._days[self._current]

    def choose(self, day: date) -> None:
        """Makes a day that is shown the current one."""
        self._go(next((n for n, one in enumerate(self._days) if one.day == day), self._current))

    # -- where a day lies
    def rect_of(self, number: int) -> QRectF:
        cell = self._cell()
        days_in = number + self._days[0].day.weekday()
        inner = cell * (1 - _GAP)
        return QRectF(self._left() + days_in // 7 * cell, self._top() + days_in % 7 * cell, inner, inner)

    def number_at(self, point: QPointF) -> int | None:
        cell = self._cell()
        column, line = int((point.x() - self._left()) // cell), int((point.y() - self._top()) // cell)
        if not self._days or column < 0 or not 0 <= line < 7:
            return None
        number = 7 * column + line - self._days[0].day.weekday()
        return number if 0 <= number < len(self._days) else None

    def _columns(self) -> int:
        return -(-(len(self._days) + self._days[0].day.weekday()) // 7) if self._days else 53

    def _cell(self) -> float:
        return max(8.0, min(_MOST_PX * font_px() / 13, (self.width() - self._left() - 2) / max(1, self._columns())))

    def _left(self) -> float:
        return QFontMetricsF(font(META_FONT_PX)).horizontalAdvance("Wed") + 8

    def _top(self) -> float:
        return QFontMetricsF(font(META_FONT_PX)).height() + 4

    def sizeHint(self) -> QSize:
        return QSize(round(self._left() + 53 * _MOST_PX), self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(round(self._left() + 53 * 8), self.heightForWidth(self.width()))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, _width: int) -> int:
        return round(self._top() + 7 * _MOST_PX * font_px() / 13) + 4

    # -- painting
    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self._days:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_names(painter)
        painter.setPen(Qt.PenStyle.NoPen)
        shades = [step_color(step) for step in range(5)]
        for number, one in enumerate(self._days):
            painter.setBrush(shades[step_of(self._measure.of(one), self._most)])
            painter.drawRoundedRect(self.rect_of(number), 2.5, 2.5)
        ring = self.rect_of(self._current).adjusted(-1.5, -1.5, 1.5, 1.5)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(color("accent" if self.hasFocus() else "edge"), 2.0 if self.hasFocus() else 1.2))
        painter.drawRoundedRect(ring, 3.5, 3.5)

    def _paint_names(self, painter: QPainter) -> None:
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        cell = self._cell()
        height = QFontMetricsF(painter.font()).height()
        for line, name in _DAYS_SHOWN.items():
            painter.drawText(
                QRectF(0, self._top() + line * cell + (cell * (1 - _GAP) - height) / 2, self._left(), height), name
            )
        last = -100.0
        for number, one in enumerate(self._days):
            if one.day.day <= 7 and one.day.weekday() == 0:  # the first whole week of a month
                left = self.rect_of(number).left()
                if left - last >= 3 * cell:
                    painter.drawText(QPointF(left, height - 3), f"{one.day:%b}")
                    last = left

    # -- walking
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if not self._days:
            super().keyPressEvent(event)
        elif key in _STEPS_OF_KEYS:
            self._go(max(0, min(len(self._days) - 1, self._current + _STEPS_OF_KEYS[key])))
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._go(0 if key == Qt.Key.Key_Home else len(self._days) - 1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.day_opened.emit(self.current)
        else:
            super().keyPressEvent(event)

    def _go(self, number: int) -> None:
        if not self._days:
            return
        self._current = number
        self._say()
        if self.hasFocus():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, day_line(self.current)))
        self.update()
        self.day_chosen.emit(self.current)

    def _say(self) -> None:
        self.setAccessibleDescription(day_line(self.current) if self._days else "")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        number = self.number_at(event.position())
        if number is not None and event.button() is Qt.MouseButton.LeftButton:
            self._go(number)
            self.day_opened.emit(self.current)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        is_day = self.number_at(event.position()) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if is_day else Qt.CursorShape.ArrowCursor)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            number = self.number_at(QPointF(event.pos()))
            if number is not None:
                QToolTip.showText(event.globalPos(), day_line(self._days[number]), self)
                return True
        return super().event(event)


class Legend(QWidget):
    """What the shades of a calendar stand for, in numbers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._texts: tuple[str, ...] = ("0",)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)

    def show_values(self, most: int, noun: str) -> None:
        edges = sorted({-(-most * step // 4) for step in range(1, 5)}) if most else []
        self._texts = ("0", *(f"to {edge:,}" for edge in edges))
        self.setAccessibleName(f"Shades, {noun} a day: {', '.join(self._texts)}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(font(META_FONT_PX))
        return QSize(
            round(sum(metrics.horizontalAdvance(text) + 26 for text in self._texts)), round(metrics.height()) + 4
        )

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font(META_FONT_PX))
        metrics = QFontMetricsF(painter.font())
        left = 0.0
        for number, text in enumerate(self._texts):
            step = 0 if not number else 4 - (len(self._texts) - 1 - number)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(step_color(step))
            painter.drawRoundedRect(QRectF(left, (self.height() - 11) / 2, 11, 11), 2.5, 2.5)
            painter.setPen(color("sub"))
            width = metrics.horizontalAdvance(text)
            painter.drawText(QRectF(left + 15, 0, width + 2, self.height()), Qt.AlignmentFlag.AlignVCenter, text)
            left += width + 26
