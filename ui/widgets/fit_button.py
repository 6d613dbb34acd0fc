"""A button whose text gives way: it ends in "…" where it does not fit; name and tool tip keep the whole."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.widgets.buttons import Button
from ui.widgets.labels import plain_tooltip

_FRAME_PX = 32  # what border and padding take of the width


class FitButton(Button):
    """For texts of people on buttons: titles, candidates."""

    def __init__(
        self, text: str, object_name: str, *, kind: str = "plain", tip: str = "", parent: QWidget | None = None
    ) -> None:
        self._full_text = " ".join(text.split())
        super().__init__(self._full_text, object_name, kind=kind, tip=tip, parent=parent)
        policy = QSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setSizePolicy(policy)
        self.setToolTip(plain_tooltip(f"{self._full_text} – {tip}" if tip else self._full_text))

    def set_full_text(self, text: str) -> None:
        """Another text; it is cut to the room there is."""
        self._full_text = " ".join(text.split())
        self.setAccessibleName(self._full_text)
        self.setToolTip(plain_tooltip(self._full_text))
        self._fit()
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        self.ensurePolished()  # before that the font is another one
        width = self.fontMetrics().horizontalAdvance(self._full_text.replace("&", "&&")) + _FRAME_PX
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(60, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        fitting = self.fontMetrics().elidedText(
            self._full_text, Qt.TextElideMode.ElideRight, max(20, self.width() - _FRAME_PX + 4)
        )
        self.setText(fitting.replace("&", "&&"))
