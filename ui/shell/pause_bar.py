"""The amber bar on every screen while capture is paused, so that nobody wonders later why nothing was learnt."""

from datetime import datetime

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from ui.widgets.buttons import Button
from ui.widgets.labels import PlainLabel
from ui.wording.figures import clock_time


class PauseBar(QFrame):
    """Hidden while capturing."""

    resume_pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setProperty("kind", "warn")
        self._text = PlainLabel("", "warn")
        resume = Button("Resume", "pause.resume", kind="quiet", icon_name="play")
        resume.clicked.connect(self.resume_pressed)
        line = QHBoxLayout(self)
        line.setContentsMargins(14, 5, 8, 5)
        line.addWidget(self._text, 1)
        line.addWidget(resume)
        self.hide()

    def tell(self, *, is_paused: bool, until: datetime | None) -> None:
        end = f" until {clock_time(until)}" if until is not None else ""
        self._text.setText(f"Capture is paused{end}: what you type to your assistants is not captured.")
        self.setVisible(is_paused)
