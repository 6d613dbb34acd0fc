"""Episodes as rows, newest first, with the month that each begins. Older pages are appended. Knows no engine and paints nothing."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.values import Episode
from ui.screens.episodes.wording import month_title, said_aloud

EPISODE_ROLE = Qt.ItemDataRole.UserRole
MONTH_ROLE = Qt.ItemDataRole.UserRole + 1
_Index = QModelIndex | QPersistentModelIndex


class EpisodesModel(QAbstractListModel):
    """MONTH_ROLE is "" where a row continues the month above."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._episodes: tuple[Episode, ...] = ()

    @property
    def episodes(self) -> tuple[Episode, ...]:
        return self._episodes

    def set_episodes(self, episodes: Sequence[Episode]) -> None:
        """Replaces all rows; nothing happens where they are the same."""
        if tuple(episodes) == self._episodes:
            return
        self.beginResetModel()
        self._episodes = tuple(episodes)
        self.endResetModel()

    def append(self, episodes: Sequence[Episode]) -> None:
        """Adds an older page."""
        known = {one.id for one in self._episodes}
        fresh = tuple(one for one in episodes if one.id not in known)
        if fresh:
            first = len(self._episodes)
            self.beginInsertRows(QModelIndex(), first, first + len(fresh) - 1)
            self._episodes += fresh
            self.endInsertRows()

    def episode(self, row: int) -> Episode | None:
        return self._episodes[row] if 0 <= row < len(self._episodes) else None

    def row_of(self, episode_id: int) -> int:
        """The row of an episode, -1 when it is not here."""
        return next((row for row, one in enumerate(self._episodes) if one.id == episode_id), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else len(self._episodes)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        episode = self.episode(index.row())
        if episode is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return episode.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return said_aloud(episode)
        if role == EPISODE_ROLE:
            return episode
        if role == MONTH_ROLE:
            return self._month(index.row())
        return None

    def _month(self, row: int) -> str:
        month = month_title(self._episodes[row].began_at.astimezone())
        above = self._episodes[row - 1].began_at.astimezone() if row else None
        return "" if above is not None and month_title(above) == month else month
