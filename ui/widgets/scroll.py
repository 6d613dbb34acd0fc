"""A page that scrolls: one column of widgets in a transparent scroll area with a comfortable width."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget


class _Content(QWidget):
    """As high as its texts are at the width they have. Qt takes the height of a narrower one as its least, and scrolls without need."""

    def minimumSizeHint(self) -> QSize:
        least, layout = super().minimumSizeHint(), self.layout()
        return QSize(least.width(), 0) if layout is not None and layout.hasHeightForWidth() else least


class ScrollColumn(QScrollArea):
    """Fill `column`; it is never wider than `width_px`."""

    def __init__(self, object_name: str, *, width_px: int = 880, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keys of what is in it move it
        self.content = _Content(self)
        self.content.setProperty("role", "content")
        outer = QHBoxLayout(self.content)
        outer.setContentsMargins(0, 0, 6, 0)
        inner = QWidget(self.content)
        inner.setProperty("role", "content")
        inner.setMaximumWidth(width_px)
        self.column = QVBoxLayout(inner)
        self.column.setContentsMargins(0, 0, 0, 12)
        self.column.setSpacing(12)
        outer.addWidget(inner, 100)
        outer.addStretch(1)
        self.setWidget(self.content)

    def add(self, widget: QWidget) -> None:
        self.column.addWidget(widget)

    def add_stretch(self) -> None:
        self.column.addStretch(1)
