"""Choosing what happens to prompts that leave the queue, from Settings and the first start: asks before any is deleted.

Source: issue 16 point 13.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ui.screens.base import PanelContext
from ui.screens.settings.archive_sheet import ArchiveSheet

if TYPE_CHECKING:
    from app.api import Engine


@dataclass(frozen=True, slots=True)
class _Lost:
    choice: str
    count: int


class ArchiveChoice(QObject):
    """`kept`: the person did not want it; what was chosen before holds."""

    kept = Signal()

    def __init__(self, place: QWidget, context: PanelContext) -> None:
        super().__init__(place)
        self._place = place
        self._context = context
        self._sheet: ArchiveSheet | None = None

    def choose(self, choice: str) -> None:
        def read(engine: "Engine") -> _Lost:
            return _Lost(choice, engine.archive.count_lost(choice))

        self._context.bridge.ask("archive.choice", read, self._on_lost)

    def _on_lost(self, lost: _Lost) -> None:
        if not lost.count:
            self._set(lost.choice, 0, False)
            return
        if self._sheet is None:
            self._sheet = ArchiveSheet(self._place.window())
            self._sheet.confirmed.connect(self._set)
            self._sheet.closed.connect(self.kept)
        self._sheet.ask(lost.choice, lost.count)

    def _set(self, choice: str, count: int, includes_backups: bool) -> None:
        self._context.bridge.do(
            "settings.set:archive",
            lambda engine: engine.archive.choose(choice, confirmed_count=count, includes_backups=includes_backups),
        )
