"""The passing of time on a screen: "told 5 min ago" grows older while nothing else happens.

Knows the engine's clock, no screen. Source: UX 4.2.
"""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from ui.screens.base import Panel

if TYPE_CHECKING:
    from app.api import Engine

AGES_EVERY_MS = 30_000


class Ages(QTimer):
    """Hands the present instant to `take`, a method of a QObject, while the panel is visible."""

    def __init__(self, panel: Panel, take: Callable[[datetime], None]) -> None:
        super().__init__(panel)
        self._panel = panel
        self._take = take
        self.setInterval(AGES_EVERY_MS)
        self.timeout.connect(self.tell)
        self.start()

    def tell(self) -> None:
        if self._panel.isVisible():
            self._panel.context.bridge.ask(f"{self._panel.screen_id}.clock", _read_clock, self._take)


def _read_clock(engine: "Engine") -> datetime:
    return engine.clock.now()
