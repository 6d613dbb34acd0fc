"""The capture light at the foot of the rail: green capturing, amber paused, red with "Fix", grey while starting.

Says the same in words, for those who do not see colours.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from ui.theme import META_FONT_PX, color, font
from ui.widgets.labels import plain_tooltip
from ui.wording.figures import clock_time

if TYPE_CHECKING:
    from app.values.admin import Health


class LightColor(StrEnum):
    STARTING = "faint"
    GOOD = "good"
    PAUSED = "warn"
    BROKEN = "danger"


@dataclass(frozen=True, slots=True)
class LightState:
    color: LightColor
    text: str
    detail: str = ""

    @property
    def needs_fix(self) -> bool:
        return self.color is LightColor.BROKEN


STARTING = LightState(LightColor.STARTING, "Starting…", "The memory is being opened.")


def light_of(health: "Health", reads_along: str = "", *, is_connected: bool = True) -> LightState:
    """What the light says about the engine's health; times are shown in the person's time zone. `reads_along`: who does, as a sentence."""
    endpoint = health.endpoint
    if health.disk_problem:
        return LightState(LightColor.BROKEN, "Disk problem", health.disk_problem)
    if endpoint.error:
        return LightState(LightColor.BROKEN, "Not listening", endpoint.error)
    if health.is_paused:
        text = f"Paused until {clock_time(health.paused_until)}" if health.paused_until else "Paused"
        return LightState(LightColor.PAUSED, text, "Nothing that you type is captured.")
    if not endpoint.port:
        return LightState(LightColor.STARTING, "Starting…", "Remanence is not listening yet.")
    if not is_connected:
        return LightState(LightColor.STARTING, "No assistant connected", "Connect one under Apps; then it is captured.")
    away = f"{reads_along}. Nothing else leaves" if reads_along else "Local only: nothing leaves"
    detail = f"{away} this computer. Listens on {endpoint.host}:{endpoint.port}."
    return LightState(LightColor.GOOD, "Capturing", detail)


class CaptureLight(QAbstractButton):
    """A dot and a line; pressing it opens what can be done about it."""

    state_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rail.light")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._is_narrow = False
        self._state = STARTING
        self.set_state(STARTING)

    @property
    def state(self) -> LightState:
        return self._state

    def set_state(self, state: LightState) -> None:
        self._state = state
        suffix = " – Fix" if state.needs_fix else ""
        self.setAccessibleName(f"Capture: {state.text}{suffix}")
        self.setAccessibleDescription(state.detail)
        self.setToolTip(plain_tooltip(f"{state.text}. {state.detail}"))
        self.update()
        self.state_changed.emit()

    def set_problem(self, text: str) -> None:
        """Red, for what the engine itself cannot tell."""
        self.set_state(LightState(LightColor.BROKEN, text, "The window says what to do."))

    def set_narrow(self, is_narrow: bool) -> None:
        self._is_narrow = is_narrow
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(40, 32)

    def minimumSizeHint(self) -> QSize:
        return QSize(32, 32)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus() or self.underMouse():
            painter.setPen(color("accent") if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(color("raised"))
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 8, 8)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(color(self._state.color.value)))
        dot_x = self.width() // 2 - 5 if self._is_narrow else 11
        painter.drawEllipse(dot_x, self.height() // 2 - 5, 10, 10)
        if self._is_narrow:
            return
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("danger" if self._state.needs_fix else "sub"))
        text = f"{self._state.text} – Fix" if self._state.needs_fix else self._state.text
        space = self.rect().adjusted(29, 0, -6, 0)
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, space.width())
        painter.drawText(space, int(Qt.AlignmentFlag.AlignVCenter), shown)
