"""A layout that puts widgets beside each other and breaks the line where the width ends, as words do."""

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Left to right, line by line; a widget that is wider than the line gets the whole line."""

    def __init__(self, parent: QWidget | None = None, *, spacing_px: int = 6) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(QMargins(0, 0, 0, 0))
        self.setSpacing(spacing_px)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), is_dry=True)

    def sizeHint(self) -> QSize:
        widest = max((item.sizeHint().width() for item in self._items), default=0)
        return QSize(widest, self.heightForWidth(max(widest, self.geometry().width())))

    def minimumSize(self) -> QSize:
        widest = max((item.minimumSize().width() for item in self._items), default=0)
        return QSize(widest, max((item.minimumSize().height() for item in self._items), default=0))

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._place(rect, is_dry=False)

    def _place(self, rect: QRect, *, is_dry: bool) -> int:
        x, y, line_px = rect.x(), rect.y(), 0
        line: list[tuple[QLayoutItem, QRect]] = []
        for item in self._items:
            if item.isEmpty():  # hidden: not even the gap beside it is left
                continue
            wanted = item.sizeHint()
            width = min(wanted.width(), max(rect.width(), item.minimumSize().width()))
            if x > rect.x() and x + width > rect.x() + rect.width():
                if not is_dry:
                    _set_line(line, line_px)
                x, y, line_px, line = rect.x(), y + line_px + self.spacing(), 0, []
            line.append((item, QRect(QPoint(x, y), QSize(width, wanted.height()))))
            x += width + self.spacing()
            line_px = max(line_px, wanted.height())
        if not is_dry:
            _set_line(line, line_px)
        return y + line_px - rect.y()


def _set_line(line: list[tuple[QLayoutItem, QRect]], line_px: int) -> None:
    """Each in the middle of the line's height: a link is beside a button at the height of its text."""
    for item, place in line:
        item.setGeometry(place.translated(0, (line_px - place.height()) // 2))
