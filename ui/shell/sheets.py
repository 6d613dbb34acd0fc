"""What lies over the screens and is seldom seen: the palette with its sources, the list of shortcuts.

Built when first asked for, or behind the first paint by the window's preparing: their parts are what takes longest to
read of all that a frame has. Knows the window; no screen.

Looking at a memory from the palette without leaving where one is: the same large card as in the list, over the palette.

Source: UX 3.3, QUALITY P5.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from ui.shell.palette import Found, Palette, PaletteSources, look_up, read_titles
from ui.shell.shortcut_sheet import ShortcutSheet

if TYPE_CHECKING:
    from ui.shell.main_window import MainWindow

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from app.values import MemoryCard
from ui.bridge import EngineBridge
from ui.navigation import Place
from ui.screens.memories.reading import OneReading, read_one
from ui.widgets.memories.peek import PeekSheet


class PalettePeek(QObject):
    """`go` leads to the memory when the person opens it."""

    def __init__(self, window: QWidget, palette: Palette, bridge: EngineBridge, go: Callable[[Place], None]) -> None:
        super().__init__(palette)
        self._window = window
        self._palette = palette
        self._bridge = bridge
        self._go = go
        self._shown_id = 0
        self._sheet: PeekSheet | None = None
        palette.peek_wanted.connect(self._on_peek)

    def _on_peek(self, card: MemoryCard) -> None:
        if self._sheet is None:
            self._sheet = PeekSheet(self._window)
            self._sheet.stepped.connect(self._palette.step_peek)
            self._sheet.opened.connect(self._on_opened)
        self._shown_id = card.id
        self._sheet.show_card(card, None)
        self._sheet.open()
        self._sheet.fit()
        self._bridge.ask("palette.peek", lambda engine: read_one(engine, card.id), self._on_read)

    def _on_read(self, reading: OneReading) -> None:
        if self._sheet is not None and reading.detail is not None:
            self._sheet.show_detail(reading.detail, reading.now, reading.reasons)

    def _on_opened(self) -> None:
        self._palette.close_sheet()
        self._go(Place("memories", "memory", self._shown_id))


class Sheets(QObject):
    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self.palette = Palette(window)
        self.shortcuts = ShortcutSheet(window)
        self.sources = PaletteSources(
            window.actions_table,
            window.screens,
            window.navigator.go,
            recent=lambda: window.navigator.recent,
            settings=lambda: window.setting_cards,
        )
        self.palette.set_sources(self.sources.typed, self.sources.idle)
        self.palette.asked.connect(self._on_asked)
        self.peek = PalettePeek(window, self.palette, window.bridge, window.navigator.go)

    def open_palette(self, prefix: str = "") -> None:
        self.palette.open_with(prefix)
        places = self.sources.titled_places()
        if places and self._window.bridge.is_open:
            self._window.bridge.ask("palette.titles", lambda engine: read_titles(engine, places), self._on_titles)

    def _on_titles(self, titles: dict[tuple[str, int], str]) -> None:
        self.sources.titles = titles
        self.palette.fill_again()

    def _on_asked(self, query: str) -> None:
        self._window.bridge.ask("palette", look_up(query), lambda found: self._on_found(query, found))

    def _on_found(self, query: str, found: Found) -> None:
        self.palette.set_found(query, self.sources.found(found))
