"""The slim strip under the header of every screen while long work runs: what, how far, how long still, Pause, Stop.

Shown only after 300 ms, so that short work does not flash. Source: UX 3.5.
"""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QWidget

from app.values.changes import Progress
from ui.widgets.buttons import Button
from ui.widgets.labels import ElidedLabel, PlainLabel

SHOW_AFTER_MS = 300


class ProgressStrip(QFrame):
    """`stop_pressed` and `pause_pressed` carry the job id."""

    stop_pressed = Signal(str)
    pause_pressed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setProperty("kind", "accent")
        self.setAccessibleName("Progress")
        self._job_id = ""
        line = QHBoxLayout(self)
        line.setContentsMargins(14, 6, 8, 6)
        line.setSpacing(12)
        self._step = ElidedLabel("", "heading")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Progress of the work")
        self._left = PlainLabel("", "meta")
        self._stop = Button("Stop", "progress.stop", kind="quiet", icon_name="stop", tip="Stop after this step")
        self._stop.clicked.connect(self._on_stop)
        line.addWidget(self._step, 3)
        line.addWidget(self._bar, 4)
        line.addWidget(self._left)
        self._pause = Button(
            "Pause", "progress.pause", kind="quiet", icon_name="pause", tip="Pause, and continue later"
        )
        self._pause.clicked.connect(self._on_pause)
        line.addWidget(self._pause)
        line.addWidget(self._stop)
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(SHOW_AFTER_MS)
        self._delay.timeout.connect(self.show)
        self.hide()

    @property
    def job_id(self) -> str:
        """The job that is shown, "" when there is none."""
        return self._job_id

    def begin(self, job_id: str, text: str, *, stop: str = "Stop", can_pause: bool = False) -> None:
        """A job begins; the strip appears if it is not over soon. `stop`: the word on its button, "" for none."""
        self._job_id = job_id
        self._step.setText(text)
        self._left.setText("")
        self._bar.setRange(0, 0)
        self._stop.setEnabled(True)
        self._stop.setVisible(bool(stop))
        self._stop.set_text(stop)
        self._pause.setEnabled(True)
        self._pause.setVisible(can_pause)
        self._delay.start()

    def show_values(self, progress: Progress) -> None:
        """How far the job is. Other jobs than the shown one are not told here."""
        if progress.job_id and self._job_id and progress.job_id != self._job_id:
            return
        if not self._job_id:
            return
        total = progress.total or 0
        self._bar.setRange(0, total)
        self._bar.setValue(min(progress.done, total))
        counted = f"{progress.done:,} of {total:,}" if total else f"{progress.done:,}"
        counted = f"{counted} {progress.unit}".rstrip()
        self._step.setText(f"{progress.step} · {counted}" if progress.step else counted)
        self._left.setText(describe_remaining(progress.remaining_s))

    def finish(self, job_id: str) -> None:
        if job_id == self._job_id:
            self._job_id = ""
            self._delay.stop()
            self.hide()

    def _on_stop(self) -> None:
        self._end_with("Stopping…")
        self.stop_pressed.emit(self._job_id)

    def _on_pause(self) -> None:
        self._end_with("Pausing…")
        self.pause_pressed.emit(self._job_id)

    def _end_with(self, text: str) -> None:
        self._stop.setEnabled(False)
        self._pause.setEnabled(False)
        self._left.setText(text)


def describe_remaining(remaining_s: float | None) -> str:
    """Time left as people say it.

    >>> describe_remaining(95.0)
    'about 2 min left'
    >>> describe_remaining(None)
    ''
    """
    if remaining_s is None:
        return ""
    if remaining_s < 50:
        return f"about {max(1, round(remaining_s))} s left"
    return f"about {max(1, round(remaining_s / 60))} min left"
