"""The time under the picture: how much was learned when, a handle for the instant that is looked at, and Play.

Gives a `Moment`; knows the instants of the shown nodes and nothing else. Most of the way goes by what began and the rest by the clock: one
thing of last spring would else press the last two weeks into the end of it. Source: UX 4.5 "Time slider".
"""

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QSizePolicy, QSlider, QVBoxLayout, QWidget

from app.values.graph import GraphNode
from ui.screens.graph.canvas import Moment
from ui.theme import color, font_px, motion_ms
from ui.widgets.buttons import Button, ChipButton, IconButton
from ui.widgets.labels import PlainLabel

STEPS = 200
PLAY_STEPS, PLAY_EVERY_MS = 4, 80


class _Bars(QWidget):
    """How many of the shown nodes begin in each part of the time."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._counts: tuple[int, ...] = ()
        self._reached = 1.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(200, 22)

    def set_counts(self, counts: Sequence[int], reached: float) -> None:
        self._counts, self._reached = tuple(counts), reached
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        most = max(self._counts, default=0)
        step = self.width() / max(1, len(self._counts))
        for index, count in enumerate(self._counts):
            if count:
                high = max(2.0, (self.height() - 2) * count / most)
                painter.setBrush(color("accent" if index / len(self._counts) <= self._reached else "line"))
                painter.drawRoundedRect(QRectF(index * step + 1, self.height() - high, max(1.5, step - 2), high), 1, 1)


Times = NDArray[np.int64]
_BARS = 40
_WIDE_EM = 46  # from here on all stands in one line
_WIDEST_DAY = "28 Nov 2026"
_BY_CLOCK = 0.25  # of the way; the rest goes by what began


def _micro(at: datetime | None) -> int:
    return 0 if at is None else int(at.timestamp() * 1_000_000)


def _instant_of(micro: float) -> datetime:
    return datetime.fromtimestamp(int(micro) / 1_000_000, UTC)


class TimeSlider(QWidget):
    """`moved` carries a Moment."""

    moved = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._times: dict[bool, Times] = {False: np.zeros(0, np.int64), True: np.zeros(0, np.int64)}
        self._total = 0
        self._knots: Times = np.zeros(0, np.int64)  # instants at which something began, in order
        self._ways: NDArray[np.float64] = np.zeros(0)  # how far along the slider each lies, 0..1
        self._count = 0
        self.bars = _Bars()
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setObjectName("graph.time")
        self.slider.setAccessibleName("As of")
        self.slider.setToolTip("Days on which more was learned take more room")
        self.slider.setRange(0, STEPS)
        self.slider.setValue(STEPS)
        self.slider.setPageStep(STEPS // 10)
        self.slider.valueChanged.connect(self._on_moved)
        self.play = IconButton("play", "graph.play", "Play: see it grow")
        self.play.clicked.connect(self._on_play)
        self.now = Button("Now", "graph.now", kind="link", tip="Back to what holds now")
        self.now.clicked.connect(self._on_now)
        room = self.now.sizePolicy()
        room.setRetainSizeWhenHidden(True)
        self.now.setSizePolicy(room)
        self.known = ChipButton("What was known", "graph.known")
        self.known.setToolTip("By when Remanence learned it, instead of when it was true")
        self.known.toggled.connect(self._on_axis)
        self.label = PlainLabel("", "meta")
        self.label.setObjectName("graph.time.label")
        self._timer = QTimer(self)
        self._timer.setInterval(PLAY_EVERY_MS)
        self._timer.timeout.connect(self._on_tick)
        middle = QVBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.bars)
        middle.addWidget(self.slider)
        line, told = QHBoxLayout(), QHBoxLayout()
        line.setSpacing(10)
        told.setSpacing(10)
        for widget in (self.play, self.known):
            line.addWidget(widget)
        line.addLayout(middle, 1)
        told.addWidget(self.label, 1)
        told.addWidget(self.now)
        self._parts = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._parts.setContentsMargins(0, 0, 0, 0)
        self._parts.setSpacing(10)
        self._parts.addLayout(line, 1)
        self._parts.addLayout(told)
        self._tell()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow window the words stand below, so that the handle has a way to go."""
        super().resizeEvent(event)
        is_narrow = event.size().width() < _WIDE_EM * font_px()
        kinds = QBoxLayout.Direction
        self._parts.setDirection(kinds.TopToBottom if is_narrow else kinds.LeftToRight)
        self._parts.setSpacing(2 if is_narrow else 10)

    def set_nodes(self, nodes: Sequence[GraphNode]) -> None:
        """What the picture holds; the handle keeps its part of the way."""
        self.set_times(
            np.array([_micro(one.from_at) for one in nodes], dtype=np.int64),
            np.array([_micro(one.known_at) for one in nodes], dtype=np.int64),
        )

    def set_times(self, from_at: Times, known_at: Times) -> None:
        """Since when each thing held and was known, in microseconds; 0 for what has no date."""
        self._times = {False: from_at, True: known_at}
        self._measure()
        self._tell()

    def _measure(self) -> None:
        times = self._times[self.known.isChecked()]
        self._total = len(times)
        self._knots, counts = np.unique(times[times > 0], return_counts=True)
        self.setEnabled(len(self._knots) > 1)
        if len(self._knots) > 1:
            by_clock = (self._knots - self._knots[0]) / (self._knots[-1] - self._knots[0])
            begun = np.cumsum(counts) - counts[0]
            self._ways = _BY_CLOCK * by_clock + (1 - _BY_CLOCK) * begun / begun[-1]

    @property
    def moment(self) -> Moment:
        if len(self._knots) < 2 or self.slider.value() == STEPS:
            return Moment(None, self.known.isChecked())
        return Moment(self._instant(self.slider.value()), self.known.isChecked())

    def set_shown(self, count: int) -> None:
        """How many the picture shows at the moment."""
        self._count = count
        self._label()

    def _instant(self, value: int) -> datetime:
        return _instant_of(float(np.interp(value / STEPS, self._ways, self._knots)))

    def _tell(self) -> None:
        counts = [0] * _BARS
        if len(self._knots) > 1:
            times = self._times[self.known.isChecked()]
            ways = np.interp(times[times > 0], self._knots, self._ways)
            counts = np.histogram(ways, _BARS, (0.0, 1.0))[0].tolist()
        self.bars.set_counts(counts, self.slider.value() / STEPS)
        self._label()
        self.moved.emit(self.moment)

    def _label(self) -> None:
        at = self.moment.at
        word = "Now" if at is None else f"As of {at.astimezone():%-d %b %Y}"
        shown = f" · {self._count:,} of {self._total:,}" if at is not None else ""
        self.label.setText(word + shown)
        widest = f"As of {_WIDEST_DAY} · {self._total:,} of {self._total:,}"
        self.label.setMinimumWidth(
            self.label.fontMetrics().horizontalAdvance(widest)
        )  # the handle stays below the mouse
        self.now.setVisible(at is not None)
        self.slider.setAccessibleDescription(self.label.text())

    def _on_axis(self, _is_known: bool) -> None:
        self._measure()
        self._tell()

    def _on_moved(self, _value: int) -> None:
        self._tell()

    def _on_now(self) -> None:
        self._timer.stop()
        self.play.set_icon_name("play")
        self.slider.setValue(STEPS)

    def _on_play(self) -> None:
        if self._timer.isActive():
            self._timer.stop()
            self.play.set_icon_name("play")
            return
        if self.slider.value() == STEPS:
            self.slider.setValue(0)
        if motion_ms(1):
            self._timer.start()
            self.play.set_icon_name("pause")
        else:  # no moving parts: a tenth of the way at each press
            self.slider.setValue(min(STEPS, self.slider.value() + STEPS // 10))

    def _on_tick(self) -> None:
        value = self.slider.value() + PLAY_STEPS
        self.slider.setValue(min(STEPS, value))
        if value >= STEPS:
            self._timer.stop()
            self.play.set_icon_name("play")
