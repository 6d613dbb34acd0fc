"""Receipts as a list model, newest first. Knows no engine and no painting."""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.values import Receipt
from ui.wording.contexts import receipt_title, spoken_receipt

RECEIPT_ROLE = Qt.ItemDataRole.UserRole + 1
Index = QModelIndex | QPersistentModelIndex


class ReceiptModel(QAbstractListModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._receipts: tuple[Receipt, ...] = ()
        self.now: datetime | None = None

    @property
    def receipts(self) -> tuple[Receipt, ...]:
        return self._receipts

    def set_receipts(self, receipts: Sequence[Receipt], now: datetime) -> None:
        self.beginResetModel()
        self._receipts, self.now = tuple(receipts), now
        self.endResetModel()

    def set_now(self, now: datetime) -> None:
        """Time passed: the ages are other ones."""
        self.now = now
        if self._receipts:
            self.dataChanged.emit(self.index(0), self.index(len(self._receipts) - 1))

    def receipt_at(self, n: int) -> Receipt | None:
        return self._receipts[n] if 0 <= n < len(self._receipts) else None

    def row_of(self, receipt_id: int) -> int | None:
        return next((n for n, one in enumerate(self._receipts) if one.id == receipt_id), None)

    def neighbour(self, receipt_id: int, step: int) -> int:
        """The receipt so many rows further down, 0 for none; beside id 0, which is now, the newest is next."""
        row = self.row_of(receipt_id) if receipt_id else -1
        found = self.receipt_at(row + step) if row is not None else None
        return found.id if found is not None else 0

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._receipts)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        receipt = self.receipt_at(index.row()) if index.isValid() else None
        if receipt is None or self.now is None:
            return None
        if role == RECEIPT_ROLE:
            return receipt
        if role == Qt.ItemDataRole.DisplayRole:
            return receipt_title(receipt)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken_receipt(receipt, self.now)
        return None
