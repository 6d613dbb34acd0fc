"""A one-column table whose row heights are estimated far away and exact near the viewport.

Owns that what is being read does not move when heights above it become known or rows come and go: it anchors on the
first visible row whose height is exact. Knows neither messages nor painting. Source: STACK-UI section 3.
"""

from collections.abc import Hashable

from PySide6.QtCore import QEvent, QModelIndex
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QTableView, QWidget

from ui.widgets.card_list import prepare_table

_ROUNDS = 4


class VirtualTable(QTableView):
    """Subclasses answer `row_key`, `estimate_row_px` and `measure_row_px`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._exact: set[Hashable] = set()
        self._is_settling = False
        prepare_table(self, least_row_px=4)
        self.verticalScrollBar().setSingleStep(24)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    # -- to override: by itself every row is one line high and known by its number
    def row_key(self, n: int) -> Hashable | None:
        """What stays the same for the same row across changes; None behind the last row."""
        return n if n < self.row_count() else None

    def estimate_row_px(self, _n: int) -> float:
        """A first guess at a row's height, cheap."""
        return float(self.fontMetrics().height())

    def measure_row_px(self, n: int) -> float:
        """The row's height."""
        return self.estimate_row_px(n)

    # -- given
    def row_count(self) -> int:
        model = self.model()
        return model.rowCount() if model is not None else 0

    def column_px(self) -> float:
        """Width of the only column: that of the viewport. Qt updates the column a moment later when a scroll bar appears."""
        return float(self.viewport().width())

    def is_at_end(self) -> bool:
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - 4

    def relayout(self) -> None:
        """Estimates every row again: width, text size or theme changed."""
        self._exact.clear()
        anchor = self._anchor()
        self.estimate_rows(0, self.row_count() - 1)
        self._restore(anchor)
        self.settle()

    def estimate_rows(self, first: int, last: int) -> None:
        header = self.verticalHeader()
        for n in range(first, last + 1):
            key = self.row_key(n)
            if key is not None:
                self._exact.discard(key)
                header.resizeSection(n, max(4, round(self.estimate_row_px(n))))

    def forget_row(self, n: int) -> None:
        """The row changed: its height is measured again when it is near."""
        key = self.row_key(n)
        if key is not None:
            self._exact.discard(key)

    def settle(self) -> None:
        """Gives rows in and near the viewport their exact height, without moving what is being read."""
        if self._is_settling or self.row_count() == 0:
            return
        self._is_settling = True
        try:
            for _round in range(_ROUNDS):  # rows that got smaller let others in
                if not self._settle_once():
                    break
        finally:
            self._is_settling = False

    def scroll_to_end(self) -> None:
        """Goes to the last row; heights near it become exact only when they come near, hence the repetition."""
        for _round in range(_ROUNDS):
            self.scrollToBottom()
            self.settle()

    def _settle_once(self) -> bool:
        view_px, header = self.viewport().height(), self.verticalHeader()
        first = max(0, self.rowAt(0))
        while first > 0 and self.rowViewportPosition(first) > -view_px:
            first -= 1
        anchor, is_changed = self._anchor(), False
        for n in range(first, self.row_count()):
            if self.rowViewportPosition(n) > 2 * view_px:
                break
            key = self.row_key(n)
            if key is None or key in self._exact:
                continue
            exact_px = max(4, round(self.measure_row_px(n)))
            self._exact.add(key)
            if exact_px != self.rowHeight(n):
                header.resizeSection(n, exact_px)
                is_changed = True
        if is_changed:
            self._restore(anchor)
        return is_changed

    def _anchor(self) -> tuple[Hashable, int] | None:
        first = self.rowAt(0)
        if first < 0:
            return None
        for n in range(first, self.row_count()):
            if self.rowViewportPosition(n) >= self.viewport().height():
                break
            key = self.row_key(n)
            if key in self._exact:
                return key, self.rowViewportPosition(n)
        return self.row_key(first), self.rowViewportPosition(first)

    def _restore(self, anchor: tuple[Hashable, int] | None) -> None:
        self.updateGeometries()
        if anchor is None:
            return
        row = next((n for n in range(self.row_count()) if self.row_key(n) == anchor[0]), None)
        if row is not None:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + self.rowViewportPosition(row) - anchor[1])

    def _on_scrolled(self) -> None:
        self.settle()

    def rowsInserted(self, parent: QModelIndex, start: int, end: int) -> None:  # type: ignore[override]
        super().rowsInserted(parent, start, end)
        self.estimate_rows(start, end)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.relayout()
        else:
            self.settle()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.relayout()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.PaletteChange) and self.model() is not None:
            self.relayout()
