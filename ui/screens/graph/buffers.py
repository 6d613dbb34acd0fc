"""Columns of numbers handed to the painter without a loop: lines and points straight from numpy memory.

Relies on how Qt lays out a line (four doubles) and a point (two): the one place that does, and a test compares it with the slow way.
Source: STACK-UI appendix B.
"""

import numpy as np
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QPainter


def draw_lines(painter: QPainter, ends: NDArray[np.float64]) -> None:
    """`ends`: (n, 4) x1 y1 x2 y2, in the painter's coordinates."""
    if len(ends):
        kept = np.ascontiguousarray(ends, dtype=np.float64)  # lives until the call is over
        first: QLineF = shiboken6.wrapInstance(kept.ctypes.data, QLineF)  # type: ignore[assignment]  # it is one
        painter.drawLines(first, len(kept))


def draw_points(painter: QPainter, places: NDArray[np.float64]) -> None:
    """`places`: (n, 2). The pen says how large."""
    if len(places):
        kept = np.ascontiguousarray(places, dtype=np.float64)
        first: QPointF = shiboken6.wrapInstance(kept.ctypes.data, QPointF)  # type: ignore[assignment]  # it is one
        painter.drawPoints(first, len(kept))
