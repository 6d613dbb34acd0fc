"""The calendar's twin: days that have anything as a table, for who reads or hears rather than sees."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from app.values.statistics import DayFigures
from ui.screens.statistics.wording import day_line, day_title

_HEADS = ("Day", "Learned", "Conversations", "Given", "Cited", "Ignored")


class DayList(QTableWidget):
    day_opened = Signal(object)  # DayFigures

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(0, len(_HEADS), parent)
        self.setObjectName(object_name)
        self.setAccessibleName("Days with anything, newest first")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setHorizontalHeaderLabels(_HEADS)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        first = QTableWidgetItem(_HEADS[0])
        first.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.setHorizontalHeaderItem(0, first)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._days: tuple[DayFigures, ...] = ()
        self.cellDoubleClicked.connect(self._on_opened)

    def tell(self, days: Sequence[DayFigures]) -> None:
        found = tuple(one for one in reversed(days) if any(_numbers(one)))
        if found == self._days:
            return
        self._days = found
        self.setRowCount(len(found))
        for row, one in enumerate(found):
            texts = (day_title(one.day), *(f"{count:,}" if count else "–" for count in _numbers(one)))
            for column, text in enumerate(texts):
                item = QTableWidgetItem(text)
                if column:
                    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                else:
                    item.setData(Qt.ItemDataRole.AccessibleTextRole, day_line(one))
                self.setItem(row, column, item)
        if found:
            self.setCurrentCell(0, 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._on_opened(self.currentRow(), 0)
        else:
            super().keyPressEvent(event)

    def _on_opened(self, row: int, _column: int) -> None:
        if 0 <= row < len(self._days):
            self.day_opened.emit(self._days[row])


def _numbers(day: DayFigures) -> tuple[int, ...]:
    return (day.learned_count, day.conversation_count, day.given_count, day.cited_count, day.ignored_count)
