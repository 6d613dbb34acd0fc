"""What the list of memories is narrowed by: clicked in the pane, typed into the search field, taken out by its chip.

Owns that pane, chips and field say the same: what is typed is ticked in the pane, and a click there takes it out of the text.
Source: UX 4.4.
"""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.values import Facets, QueryPart
from ui.screens.memories.asking import MemoryAsking
from ui.screens.memories.filter import Choice, FilterState
from ui.screens.memories.filter_pane import FilterPane
from ui.screens.memories.listing.pane import MemoryList
from ui.screens.memories.typed_filters import typed_choices, without_part
from ui.widgets.header import PanelHeader


class MemoryFiltering(QObject):
    """`narrowed` when the person changed what the list shows."""

    narrowed = Signal()

    def __init__(
        self, asking: MemoryAsking, pane: FilterPane, listed: MemoryList, header: PanelHeader, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._asking = asking
        self._pane = pane
        self._list = listed
        self._header = header
        self._typed: dict[Choice, QueryPart] = {}
        asking.facets_read.connect(self._on_facets)
        pane.toggled.connect(self._on_toggled)
        listed.filter_removed.connect(self._on_removed)
        listed.filters_cleared.connect(self._on_cleared)

    def _on_facets(self, facets: Facets) -> None:
        reading, state = self._asking.reading, self._asking.query.state
        is_list = reading is not None and reading.hits is None and reading.everything > 0
        is_early = is_list and not any(facets.values())
        self._pane.show_counting(is_on=is_early)
        if is_early:  # a large store is still being read
            self._asking.ask_facets_later()
        parts = reading.parts if reading is not None else ()
        self._typed = typed_choices(parts, facets)
        both = tuple(dict.fromkeys((*state.choices, *self._typed)))
        self._pane.set_facets(facets, FilterState(both, state.is_inbox))
        self._list.chips.set_filters((*state.choices, *parts), self._pane.titles())

    def _on_toggled(self, facet: str, value: str) -> None:
        part = self._typed.get((facet, value))
        if part is not None and (facet, value) not in self._asking.query.state.choices:
            self._on_removed(part)
        else:
            self._on_removed((facet, value))

    def _on_removed(self, one: object) -> None:
        """A choice goes or, from the pane, comes; a typed one goes out of the text."""
        self.narrowed.emit()
        if isinstance(one, QueryPart):
            self._header.set_query(without_part(self._header.query, one))
        elif isinstance(one, tuple):
            self._asking.change(state=self._asking.query.state.toggled(*one))

    def _on_cleared(self) -> None:
        reading, text = self._asking.reading, self._header.query
        self.narrowed.emit()
        self._asking.change(state=self._asking.query.state.cleared())
        for part in reading.parts if reading is not None else ():
            text = without_part(text, part)
        self._header.set_query(text)
