"""Where a notice may lie: never over what can be pressed, nor over what is being read closely while there is room elsewhere.

As near to the bottom centre as it goes. Pure geometry but for two functions that ask a window for its parts. Knows no
notice. Source: UX 3.4.
"""

from collections.abc import Iterable, Iterator, Sequence

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QScrollBar,
    QWidget,
)

GAP_PX = 6
BOTTOM_PX = 20
SIDE_WEIGHT = 0.5  # a pixel to the side is half as strange as one further up

WHOLE = "keeps_clear"  # property of a frame over which, as a whole, no notice shall lie
READ = "is_read"  # property of a frame that a notice leaves alone while there is room beside it
YIELDS = "yields"  # property of a button that a notice may cover for a while, before it covers what is read
_PRESSED = (QAbstractButton, QComboBox, QLineEdit, QAbstractSpinBox, QAbstractSlider)


def pressable_rects(window: QWidget, without: QWidget, *, yield_too: bool = True) -> list[QRect]:
    """The visible parts of all enabled controls of a window, in its coordinates; `without` and what is in it do not count.

    Not `yield_too`: those that a notice may cover for a while are left out.
    """
    found = []
    for widget in window.findChildren(QWidget):
        is_meant = isinstance(widget, _PRESSED) and not isinstance(widget, QScrollBar)
        if not (is_meant or widget.property(WHOLE)) or without.isAncestorOf(widget):
            continue
        if widget.isVisible() and widget.isEnabled() and (yield_too or not widget.property(YIELDS)):
            found += _shown_rect(window, widget)
    return found


def read_rects(window: QWidget) -> list[QRect]:
    """The visible parts of what is read closely: one memory, one line of a context."""
    marked = [widget for widget in window.findChildren(QWidget) if widget.property(READ) and widget.isVisible()]
    return [rect for widget in marked for rect in _shown_rect(window, widget)]


def _shown_rect(window: QWidget, widget: QWidget) -> list[QRect]:
    shown = widget.visibleRegion().boundingRect()
    return [] if shown.isEmpty() else [QRect(widget.mapTo(window, shown.topLeft()), shown.size())]


def choose_place(room: QSize, size: QSize, taken: Sequence[QRect]) -> QPoint | None:
    """The free place nearest to the bottom centre of `room`; None when there is none in its lower two thirds.

    >>> choose_place(QSize(400, 300), QSize(100, 40), []).toTuple()
    (150, 240)
    >>> choose_place(QSize(400, 300), QSize(100, 40), [QRect(0, 250, 400, 30)]).toTuple()
    (150, 204)
    """
    lowest = room.height() - size.height() - BOTTOM_PX
    heights = {lowest, *(rect.top() - size.height() - GAP_PX for rect in taken)}
    best: tuple[float, QPoint] | None = None
    for top in sorted(heights, reverse=True):
        if not room.height() // 3 <= top <= lowest:
            continue
        if best is not None and lowest - top >= best[0]:
            break
        left = _left_of(room.width(), size, top, taken)
        if left is None:
            continue
        cost = lowest - top + SIDE_WEIGHT * abs(left - (room.width() - size.width()) // 2)
        if best is None or cost < best[0]:
            best = cost, QPoint(left, top)
    return best[1] if best is not None else None


def is_free(place: QRect, taken: Iterable[QRect]) -> bool:
    return not any(place.intersects(rect) for rect in taken)


def _left_of(width: int, size: QSize, top: int, taken: Sequence[QRect]) -> int | None:
    """Where in a row of that height it fits nearest to the middle."""
    band = QRect(0, top, width, size.height())
    centre = (width - size.width()) // 2
    fitting = [
        min(max(centre, left), right - size.width())
        for left, right in _gaps(width, [rect for rect in taken if rect.intersects(band)])
        if right - left >= size.width()
    ]
    return min(fitting, key=lambda left: abs(left - centre), default=None)


def _gaps(width: int, taken: Sequence[QRect]) -> Iterator[tuple[int, int]]:
    """The free stretches of a row, from left to right."""
    left = GAP_PX
    for rect in sorted(taken, key=lambda one: one.left()):
        yield left, rect.left() - GAP_PX
        left = max(left, rect.right() + 1 + GAP_PX)
    yield left, width - GAP_PX
