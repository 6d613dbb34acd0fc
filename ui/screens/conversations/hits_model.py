"""Hits of a search over all conversations as a list model. Knows no engine and no painting."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.values import SearchHit
from ui.wording.values import day

HIT_ROLE = Qt.ItemDataRole.UserRole + 1

Index = QModelIndex | QPersistentModelIndex


class HitsModel(QAbstractListModel):
    """One row a hit, in the engine's order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._hits: tuple[SearchHit, ...] = ()

    def set_hits(self, hits: Sequence[SearchHit]) -> None:
        self.beginResetModel()
        self._hits = tuple(hits)
        self.endResetModel()

    def hit_at(self, row: int) -> SearchHit | None:
        return self._hits[row] if 0 <= row < len(self._hits) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._hits)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        hit = self.hit_at(index.row()) if index.isValid() else None
        if hit is None:
            return None
        if role == HIT_ROLE:
            return hit
        if role == Qt.ItemDataRole.DisplayRole:
            return hit.snippet
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{hit.conversation_title}, {day(hit.at, hit.at)}: {hit.snippet}"
        return None
