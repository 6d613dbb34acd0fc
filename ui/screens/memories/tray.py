"""The tray: memories that were put aside while searching, to do something with all of them. Kept while the window lives.

Numbers only, in the order they came; whoever shows them asks for the rest. Source: UX 4.4 "Bulk".
"""

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

Ids = tuple[int, ...]


class MemoryTray(QObject):
    """`changed` when other memories lie in it."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ids: Ids = ()

    @property
    def ids(self) -> Ids:
        return self._ids

    def put(self, ids: Iterable[int]) -> Ids:
        """Adds these; returns those that were not there yet. Parts of conversations have numbers below zero: they cannot lie here."""
        new = tuple(one for one in dict.fromkeys(ids) if one > 0 and one not in self._ids)
        self._take((*self._ids, *new))
        return new

    def take_out(self, ids: Iterable[int]) -> Ids:
        """Removes these; returns those that were there."""
        gone = tuple(one for one in dict.fromkeys(ids) if one in self._ids)
        self._take(tuple(one for one in self._ids if one not in gone))
        return gone

    def keep(self, ids: Iterable[int]) -> None:
        """Removes all others: what was erased lies nowhere."""
        known = frozenset(ids)
        self._take(tuple(one for one in self._ids if one in known))

    def _take(self, ids: Ids) -> None:
        if ids != self._ids:
            self._ids = ids
            self.changed.emit()
