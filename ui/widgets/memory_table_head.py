"""The heads of the dense table: the name of each column above it; pressing one sorts by it.

Buttons, so that keys and screen readers reach them. Says by a signal what is wanted. Source: UX 4.4, UX 6.
"""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QTableView, QWidget

from app.values import MemorySort
from ui.theme import font_px
from ui.widgets.buttons import Button
from ui.widgets.labels import PlainLabel
from ui.widgets.memory_table import COLUMN_OF, places_of

BUTTON_SLACK_PX = 6  # what a button is wider on each side than the texts below it


class TableHead(QWidget):
    """As wide as what the list below shows of itself."""

    sort_chosen = Signal(object)  # MemorySort

    def __init__(self, view: QTableView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("memories.heads")
        self.setAccessibleName("Columns")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._view = view
        self._columns: tuple[str, ...] = ()
        self._sort: MemorySort | None = None
        self._title = PlainLabel("Memory", "meta", parent=self)
        self._heads: dict[str, QLabel | Button] = {}
        view.viewport().installEventFilter(self)
        self.hide()

    def sizeHint(self) -> QSize:
        return QSize(100, max(26, font_px() + 12))

    def show_columns(self, columns: Sequence[str], sort: MemorySort) -> None:
        """These columns, of which one may be the order of the list."""
        self._columns, self._sort = tuple(columns), sort
        for name in self._columns:
            if name not in self._heads:
                self._heads[name] = self._make(name)
            self._tell(name)
        self._arrange()

    def _make(self, name: str) -> QLabel | Button:
        column = COLUMN_OF[name]
        if column.sort is None:
            return PlainLabel(column.title, "meta", parent=self)
        head = Button(column.title, f"memories.column.{name}", kind="head", parent=self)
        head.setProperty("column", name)
        head.clicked.connect(self._on_head)
        return head

    def _tell(self, name: str) -> None:
        head, column = self._heads[name], COLUMN_OF[name]
        if isinstance(head, Button):
            is_sorted = column.sort is self._sort
            head.set_text(f"{column.title} ↓" if is_sorted else column.title)
            head.setAccessibleName(f"Sort by {column.title.lower()}" + (", sorted so now" if is_sorted else ""))
            head.setProperty("side", "right" if column.is_right else "left")
            head.setToolTip(f"Sort by {column.title.lower()}")

    def _arrange(self) -> None:
        width = self._view.viewport().width()
        shown = {place.column.id: place for place in places_of(self._columns, width) if place.column is not None}
        height = self.height()
        for name, head in self._heads.items():
            place = shown.get(name)
            head.setVisible(place is not None and name in self._columns)
            if place is None or place.column is None:
                continue
            slack = BUTTON_SLACK_PX if isinstance(head, Button) else 0  # its text stands where the texts below do
            needed = max(head.sizeHint().width(), place.width + 2 * slack)
            left = place.left + place.width + slack - needed if place.column.is_right else place.left - slack
            head.setGeometry(round(left), 0, round(needed), height)
        title = places_of(self._columns, width)[0]
        self._title.setGeometry(round(title.left), 0, round(title.width), height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._arrange()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize and self.isVisible():
            self._arrange()
        return super().eventFilter(watched, event)

    def _on_head(self) -> None:
        sort = COLUMN_OF[str(self.sender().property("column"))].sort
        if sort is not None:
            self.sort_chosen.emit(sort)
