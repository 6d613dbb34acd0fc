"""How the Memories list looks, as the person chooses it: cards or table, columns, groups; and going to a saved search.

Owns the changes of the look, which the window keeps. What is asked of the engine is `MemoryAsking`'s. Source: UX 4.4 "List".
"""

from dataclasses import replace

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from app.values import MemoryGroup, SavedSearch
from ui.screens.memories.asking import MemoryAsking
from ui.screens.memories.listing.look import MemoryLook
from ui.screens.memories.listing.pane import MemoryList
from ui.screens.memories.saving import group_of, sort_of, state_of
from ui.selection import Selection
from ui.widgets.header import PanelHeader


class MemoryLooking(QObject):
    """`gone` carries the number of the saved search that is shown now."""

    gone = Signal(int)

    def __init__(
        self, selection: Selection, listed: MemoryList, asking: MemoryAsking, header: PanelHeader, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._selection = selection
        self._list = listed
        self._asking = asking
        self._header = header
        asking.query = replace(asking.query, group=selection.memory_look.group)
        listed.show_look(selection.memory_look)
        listed.group_chosen.connect(self._on_group)
        listed.column_toggled.connect(self._on_column)
        listed.column_resized.connect(self._on_resized)

    def toggle_table(self) -> None:
        look = self._selection.memory_look
        self._take(replace(look, is_table=not look.is_table))

    def go(self, search: SavedSearch) -> None:
        """The list as a saved search says: its words, filters, order and groups."""
        group = group_of(search)
        self._take(replace(self._selection.memory_look, group=group))
        if self._header.search is not None:
            with QSignalBlocker(self._header.search):  # asked once, with all the rest
                self._header.set_query(search.text)
        self._asking.change(text=search.text, state=state_of(search), sort=sort_of(search), group=group)
        self.gone.emit(search.id)

    def _on_group(self, group: MemoryGroup | None) -> None:
        self._take(replace(self._selection.memory_look, group=group))
        self._asking.change(group=group)

    def _on_column(self, name: str) -> None:
        self._take(replace(self._selection.memory_look.toggled(name), is_table=True))

    def _on_resized(self, name: str, width_em: float | None) -> None:
        self._take(self._selection.memory_look.resized(name, width_em))

    def _take(self, look: MemoryLook) -> None:
        self._selection.memory_look = look
        self._list.show_look(look)
