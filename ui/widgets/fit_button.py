"""A button whose text gives way: it breaks into `lines` and ends in "…" where it does not fit; name and tool tip keep the whole."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.widgets.buttons import Button
from ui.widgets.labels import plain_tooltip

_FRAME_PX = 32  # what border and padding take of the width


class FitButton(Button):
    """For texts of people on buttons: titles, candidates."""

    def __init__(
        self,
        text: str,
        object_name: str,
        *,
        kind: str = "plain",
        tip: str = "",
        lines: int = 1,
        parent: QWidget | None = None,
    ) -> None:
        self._lines = lines
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
        room = max(20, self.width() - _FRAME_PX + 4)
        lines, rest = [], self._full_text
        for _ in range(self._lines - 1):
            line, rest = self._break(rest, room)
            lines += [line] if line else []
        fitting = self.fontMetrics().elidedText(rest, Qt.TextElideMode.ElideRight, room)
        text = "\n".join([*lines, fitting] if fitting else lines).replace("&", "&&")
        if text != self.text():
            self.setText(text)
            self.updateGeometry()

    def _break(self, text: str, room: int) -> tuple[str, str]:
        """The words that fit on one line, and those that are left."""
        words = text.split()
        count = len(words)
        while count > 1 and self.fontMetrics().horizontalAdvance(" ".join(words[:count])) > room:
            count -= 1
        return " ".join(words[:count]), " ".join(words[count:])
