"""The line of the meter at the foot of the rail: who reads along and what it cost today. A click opens its page."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from ui.icons import pixmap
from ui.theme import META_FONT_PX, color, font, tokens
from ui.widgets.labels import plain_tooltip

_LEFT_PX, _RIGHT_PX = 29, 4


class RailMeter(QAbstractButton):
    """Breaks its line where the rail is wide; only an eye where it is narrow. Hidden while nobody reads along."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rail.meter")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._is_narrow = False
        self._is_warning = False
        self.hide()

    def tell(self, line: str, *, is_warning: bool) -> None:
        """Another line; "" hides it."""
        if (line, is_warning) == (self.text(), self._is_warning):
            return
        self._is_warning = is_warning
        self.setText(line)
        self.setAccessibleName(line)
        self.setToolTip(plain_tooltip(f"{line}. Click to see each reading.") if line else "")
        self.setVisible(bool(line))
        self.updateGeometry()
        self.update()

    def set_narrow(self, is_narrow: bool) -> None:
        self._is_narrow = is_narrow
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return 30 if self._is_narrow else self._bounds(width).height() + 10

    def sizeHint(self) -> QSize:
        width = self.width() or 160
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(30, 30)

    def _bounds(self, width: int) -> QRect:
        room = QRect(0, 0, max(40, width - _LEFT_PX - _RIGHT_PX), 1_000)
        return QFontMetrics(font(META_FONT_PX)).boundingRect(room, int(Qt.TextFlag.TextWordWrap), self.text())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus() or self.underMouse():
            painter.setPen(color("accent") if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(color("raised"))
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 8, 8)
        ink = "danger" if self._is_warning else "sub"
        left = (self.width() - 14) // 2 if self._is_narrow else 9
        top = (self.height() - 14) // 2 if self._is_narrow else 6
        painter.drawPixmap(left, top, pixmap("eye", getattr(tokens(), ink), 14, self.devicePixelRatioF()))
        if self._is_narrow:
            return
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color(ink))
        room = self.rect().adjusted(_LEFT_PX, 5, -_RIGHT_PX, -3)
        painter.drawText(room, int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop), self.text())
