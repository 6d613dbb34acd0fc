"""What lies over the screens and is seldom seen: the palette with its sources, the list of shortcuts.

Built when first asked for, or behind the first paint by the window's preparing: their parts are what takes longest to
read of all that a frame has. Knows the window; no screen. Source: UX 3.3, QUALITY P5.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from ui.shell.palette import Palette
from ui.shell.palette_peek import PalettePeek
from ui.shell.palette_sources import Found, PaletteSources, look_up
from ui.shell.shortcut_sheet import ShortcutSheet

if TYPE_CHECKING:
    from ui.shell.main_window import MainWindow


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

    def _on_asked(self, query: str) -> None:
        self._window.bridge.ask("palette", look_up(query), lambda found: self._on_found(query, found))

    def _on_found(self, query: str, found: Found) -> None:
        self.palette.set_found(query, self.sources.found(found))
