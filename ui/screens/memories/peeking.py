"""Peeking into memories from the list: one sheet that follows the list's cursor while it is open.

Built when first asked for. Knows the list's view and model, no engine. Source: UX 3.2.
"""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ui.screens.memories.listing.view import MemoryView
from ui.screens.memories.reading import OneReading
from ui.widgets.memories.peek import PeekSheet


class MemoryPeeking(QObject):
    """`opened` carries the memory that the person wants to go into."""

    opened = Signal(int)

    def __init__(self, view: MemoryView, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = view
        self._panel = parent
        self._sheet: PeekSheet | None = None
        self._reading: OneReading | None = None

    @property
    def is_open(self) -> bool:
        return self._sheet is not None and self._sheet.is_open

    def open(self) -> None:
        """Shows what is under the cursor."""
        if self._view.current_card() is None:
            return
        if self._sheet is None:
            self._sheet = PeekSheet(self._panel.window())
            self._sheet.stepped.connect(self._view.step)
            self._sheet.opened.connect(self._on_opened)
        self._show()
        self._sheet.open()
        self._sheet.fit()

    def follow(self) -> None:
        """The cursor stands on another one."""
        if self.is_open:
            self._show()

    def tell(self, reading: OneReading) -> None:
        """What was read of the one under the cursor."""
        self._reading = reading
        if self.is_open:
            self._tell()

    def _show(self) -> None:
        card = self._view.current_card()
        if card is not None and self._sheet is not None:
            self._sheet.show_card(card, self._view.now)
            self._tell()

    def _tell(self) -> None:
        reading = self._reading
        if self._sheet is not None and reading is not None and reading.detail is not None:
            self._sheet.show_detail(reading.detail, reading.now)

    def _on_opened(self) -> None:
        self.opened.emit(self._view.current_id)
