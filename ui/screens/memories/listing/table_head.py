"""The heads of the dense table: the name of each column above it; pressing one sorts by it, pulling its left edge makes it wider.

Buttons, so that keys and screen readers reach them; Ctrl+← and Ctrl+→ on one pull its edge too. Says by a signal what is wanted. Source: UX 4.4, UX 6.
"""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QTableView, QWidget

from app.values import MemorySort
from ui.screens.memories.listing.look import Widths
from ui.screens.memories.listing.table import COLUMN_OF, places_of
from ui.theme import color, font_px
from ui.widgets.buttons import Button
from ui.widgets.labels import PlainLabel

GRIP_PX = 12  # the space between two columns
_STEPS = {Qt.Key.Key_Left: 1, Qt.Key.Key_Right: -1}
BUTTON_SLACK_PX = 6  # what a button is wider on each side than the texts below it


class _Grip(QWidget):
    """The left edge of a column, to be pulled; a double click makes it as wide as shipped."""

    def __init__(self, name: str, head: "TableHead") -> None:
        super().__init__(head)
        self.setObjectName(f"memories.grip.{name}")
        self.setCursor(Qt.CursorShape.SplitHCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)  # painted again when the mouse comes and goes
        self.setToolTip("Drag to make the column wider or narrower · double-click to reset")
        self._name = name
        self._head = head
        self._held_px: float | None = None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._held_px = event.globalPosition().x() if event.button() is Qt.MouseButton.LeftButton else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held_px is not None:
            x = event.globalPosition().x()
            further_px, self._held_px = self._held_px - x, x
            self._head.pull(self._name, further_px)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._held_px = None

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self._head.resized.emit(self._name, None)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A line that shows where to pull."""
        painter = QPainter(self)
        painter.fillRect(self.width() // 2, 5, 1, self.height() - 10, color("accent" if self.underMouse() else "line"))


class TableHead(QWidget):
    """As wide as what the list below shows of itself."""

    sort_chosen = Signal(object)  # MemorySort
    resized = Signal(str, object)  # name of a column, its width in em; None: as shipped

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
        self._grips: dict[str, _Grip] = {}
        self._widths_em: Widths = ()
        view.viewport().installEventFilter(self)
        self.hide()

    def sizeHint(self) -> QSize:
        return QSize(100, max(26, font_px() + 12))

    def show_columns(self, columns: Sequence[str], sort: MemorySort, widths_em: Widths = ()) -> None:
        """These columns, of which one may be the order of the list."""
        self._columns, self._sort, self._widths_em = tuple(columns), sort, widths_em
        for name in self._columns:
            if name not in self._heads:
                self._heads[name] = self._make(name)
                self._grips[name] = _Grip(name, self)
            self._report(name)
        self._arrange()

    def _make(self, name: str) -> QLabel | Button:
        column = COLUMN_OF[name]
        if column.sort is None:
            return PlainLabel(column.title, "meta", parent=self)
        head = Button(column.title, f"memories.column.{name}", kind="head", parent=self)
        head.setProperty("column", name)
        head.clicked.connect(self._on_head)
        head.installEventFilter(self)
        return head

    def _report(self, name: str) -> None:
        head, column = self._heads[name], COLUMN_OF[name]
        if isinstance(head, Button):
            is_sorted = column.sort is self._sort
            head.set_text(f"{column.title} ↓" if is_sorted else column.title)
            head.setAccessibleName(f"Sort by {column.title.lower()}" + (", sorted so now" if is_sorted else ""))
            head.setProperty("side", "right" if column.is_right else "left")
            head.setToolTip(f"Sort by {column.title.lower()} · Ctrl+← → or drag its left edge to resize")

    def _arrange(self) -> None:
        width = self._view.viewport().width()
        places = places_of(self._columns, width, self._widths_em)
        shown = {place.column.id: place for place in places if place.column is not None}
        height = self.height()
        for name, head in self._heads.items():
            place = shown.get(name)
            head.setVisible(place is not None and name in self._columns)
            self._grips[name].setVisible(head.isVisibleTo(self))
            if place is None or place.column is None:
                continue
            slack = BUTTON_SLACK_PX if isinstance(head, Button) else 0  # its text stands where the texts below do
            needed = max(head.sizeHint().width(), place.width + 2 * slack)
            left = place.left + place.width + slack - needed if place.column.is_right else place.left - slack
            head.setGeometry(round(left), 0, round(needed), height)
            self._grips[name].setGeometry(round(place.left - GRIP_PX), 0, GRIP_PX, height)
            self._grips[name].raise_()
        title = places[0]
        self._title.setGeometry(round(title.left), 0, round(title.width), height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._arrange()

    def pull(self, name: str, further_px: float) -> None:
        """Moves the left edge of a column to the left; no column is pulled out of sight by another one."""
        width_em = dict(self._widths_em).get(name, COLUMN_OF[name].width_em) + further_px / font_px()
        places = places_of(self._columns, self._view.viewport().width(), ((name, width_em), *self._others(name)))
        if further_px < 0 or len(places) == len(
            places_of(self._columns, self._view.viewport().width(), self._widths_em)
        ):
            self.resized.emit(name, width_em)

    def _others(self, name: str) -> Widths:
        return tuple(one for one in self._widths_em if one[0] != name)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress and isinstance(watched, Button):
            step = _STEPS.get(Qt.Key(event.key()))
            if step is not None and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.pull(str(watched.property("column")), step * font_px())
                return True
        if event.type() is QEvent.Type.Resize and self.isVisible():
            self._arrange()
        return super().eventFilter(watched, event)

    def _on_head(self) -> None:
        sort = COLUMN_OF[str(self.sender().property("column"))].sort
        if sort is not None:
            self.sort_chosen.emit(sort)
