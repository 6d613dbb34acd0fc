"""What a screen shows when there is nothing to show: a drawing, what will appear here, and what to press.

What a screen shows before it knows anything: nothing for 300 ms, then bars where its cards will be; never a claim
that it is empty.
"""

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ui.icons import pixmap
from ui.theme import color, font_px, tokens
from ui.widgets.buttons import Button
from ui.widgets.labels import PlainLabel

SHOW_AFTER_MS = 300
_GAP_PX, _CARD_PX = 8, 60


class Skeleton(QWidget):
    """A page for a stack of pages."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("skeleton")
        self.setAccessibleName("Loading")
        self.is_drawn = False
        self._due = QTimer(self)
        self._due.setSingleShot(True)
        self._due.setInterval(SHOW_AFTER_MS)
        self._due.timeout.connect(self._on_due)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._due.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._due.stop()
        self.is_drawn = False

    def _on_due(self) -> None:
        self.is_drawn = True
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self.is_drawn:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        height, bar = font_px(_CARD_PX), font_px()
        for top in range(0, self.height() - height, height + _GAP_PX):
            painter.setBrush(color("panel"))
            painter.drawRoundedRect(QRectF(0, top, self.width(), height), 10, 10)
            painter.setBrush(color("line"))
            painter.drawRoundedRect(QRectF(16, top + 0.25 * height - bar / 2, 0.45 * self.width(), bar), 4, 4)
            painter.drawRoundedRect(QRectF(16, top + 0.65 * height - bar / 2, 0.3 * self.width(), bar), 4, 4)


TEXT_PX = 440


class _Drawing(QWidget):
    """Three thin dashed slots, the first one with the screen's icon in it."""

    def __init__(self, icon_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon_name = icon_name
        self.setFixedSize(QSize(260, 122))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for index in range(3):
            inset = index * 14
            pen = QPen(color("edge" if index == 0 else "line"), 1.2, Qt.PenStyle.DashLine)
            painter.setPen(pen)
            painter.setBrush(color("panel") if index == 0 else Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(inset + 1, index * 40 + 1, 258 - 2 * inset, 34), 8, 8)
        ratio = self.devicePixelRatioF()
        painter.drawPixmap(12, 9, pixmap(self._icon_name, tokens().accent, 18, ratio))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color("line"))
        painter.drawRoundedRect(QRectF(42, 14, 120, 8), 4, 4)
        painter.drawRoundedRect(QRectF(204, 14, 42, 8), 4, 4)


class EmptyState(QWidget):
    """Drawing, heading, a sentence, buttons."""

    def __init__(
        self, icon_name: str, heading: str, text: str, buttons: tuple[Button, ...] = (), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addStretch(2)
        column.addWidget(_Drawing(icon_name, self), 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(6)
        self.heading = PlainLabel(heading, "section")
        self.heading.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.text = PlainLabel(text, "sub", wraps=True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.text.setFixedWidth(TEXT_PX)
        line_of_text = QHBoxLayout()  # an aligned label would get the height of one line
        line_of_text.addStretch(1)
        line_of_text.addWidget(self.text)
        line_of_text.addStretch(1)
        column.addWidget(self.heading)
        column.addLayout(line_of_text)
        if buttons:
            line = QHBoxLayout()
            line.addStretch(1)
            for button in buttons:
                line.addWidget(button)
            line.addStretch(1)
            column.addSpacing(6)
            column.addLayout(line)
        column.addStretch(3)

    def set_texts(self, heading: str, text: str) -> None:
        self.heading.setText(heading)
        self.text.setText(text)
