"""Operations of the journal as rows, newest first, with the day and hour each begins. Ids keep the selection.

Older pages are appended; a refresh replaces the newest. Knows no engine and paints nothing.
"""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.values.changes import Operation, Origin
from ui.wording.figures import describe_day

OPERATION_ROLE = Qt.ItemDataRole.UserRole
DAY_ROLE = Qt.ItemDataRole.UserRole + 1
HOUR_ROLE = Qt.ItemDataRole.UserRole + 2
MAX_ROWS = 5_000
_Index = QModelIndex | QPersistentModelIndex
ORIGIN_WORDS = {
    Origin.PERSON: "you",
    Origin.CAPTURE: "captured",
    Origin.IMPORT: "import",
    Origin.ENGINE: "automatic",
    Origin.API: "an app",
}


class ActivityModel(QAbstractListModel):
    """Rows of operations. DAY_ROLE and HOUR_ROLE are "" where a row continues the one above."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._operations: tuple[Operation, ...] = ()
        self._now: datetime | None = None

    @property
    def oldest_id(self) -> int | None:
        return self._operations[-1].id if self._operations else None

    def set_operations(self, operations: Sequence[Operation], now: datetime) -> None:
        """Replaces all rows."""
        self.beginResetModel()
        self._operations = tuple(operations)
        self._now = now
        self.endResetModel()

    def append(self, operations: Sequence[Operation]) -> None:
        """Adds an older page."""
        known = {operation.id for operation in self._operations}
        fresh = tuple(operation for operation in operations if operation.id not in known)
        if not fresh:
            return
        first = len(self._operations)
        self.beginInsertRows(QModelIndex(), first, first + len(fresh) - 1)
        self._operations += fresh
        self.endInsertRows()

    def operation(self, row: int) -> Operation | None:
        return self._operations[row] if 0 <= row < len(self._operations) else None

    def row_of(self, operation_id: int) -> int:
        """The row of an operation, -1 when it is not here."""
        return next((row for row, found in enumerate(self._operations) if found.id == operation_id), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else len(self._operations)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        operation = self.operation(index.row())
        if operation is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return operation.label
        if role == Qt.ItemDataRole.AccessibleTextRole:
            undone = ", undone" if operation.is_undone else ""
            return f"{operation.at.astimezone():%H:%M}, {operation.label}, {ORIGIN_WORDS[operation.origin]}{undone}"
        if role == OPERATION_ROLE:
            return operation
        if role == DAY_ROLE:
            return self._day(index.row())
        if role == HOUR_ROLE:
            return self._hour(index.row())
        return None

    def _day(self, row: int) -> str:
        if self._now is None:
            return ""
        at = self._operations[row].at
        if row and self._operations[row - 1].at.astimezone().date() == at.astimezone().date():
            return ""
        return describe_day(at, self._now)

    def _hour(self, row: int) -> str:
        at = self._operations[row].at.astimezone()
        if row:
            above = self._operations[row - 1].at.astimezone()
            if (above.date(), above.hour) == (at.date(), at.hour):
                return ""
        return f"{at:%H}:00"
