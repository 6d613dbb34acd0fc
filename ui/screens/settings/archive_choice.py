"""Choosing what happens to prompts that leave the queue, from Settings and the first start: asks before any is deleted.

The question before archived prompts are deleted: it names how many go, since this cannot be undone.

Source: issue 16 point 13; UX 3.4, issue 16 point 13.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ui.screens.base import PanelContext

if TYPE_CHECKING:
    from app.api import Engine

from PySide6.QtWidgets import QHBoxLayout

from app.settings import ARCHIVE_WORDS
from ui.widgets.buttons import Button
from ui.widgets.controls import CheckBox
from ui.widgets.labels import PlainLabel
from ui.widgets.popups.overlay import Overlay
from ui.wording.values import counted


class ArchiveSheet(Overlay):
    """`confirmed` carries the choice, how many were named, and whether the backups go too."""

    confirmed = Signal(str, int, bool)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, object_name="archive.sheet", name="Delete archived prompts", width_px=480)
        self._choice, self._count = "", 0
        self.heading = PlainLabel("", "section", wraps=True)
        self.what = PlainLabel("", "sub", wraps=True)
        self.backups = CheckBox("Also delete the backups that hold them")
        self.backups.setObjectName("archive.backups")
        self.cancel = Button("Keep them", "archive.cancel")
        self.go = Button("Delete", "archive.go", kind="danger", icon_name="trash")
        for widget in (self.heading, self.what, self.backups):
            self.sheet_layout.addWidget(widget)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.go)
        self.sheet_layout.addLayout(foot)
        self.cancel.clicked.connect(self.close_sheet)
        self.go.clicked.connect(self._on_go)

    def first_focus(self) -> QWidget:
        return self.cancel

    def ask(self, choice: str, count: int) -> None:
        """Names what would go."""
        self._choice, self._count = choice, count
        prompts = counted(count, "archived prompt")
        self.heading.setText(f"Delete {prompts} for good?")
        older = "" if choice == "off" else " These are the ones that are older."
        self.what.setText(
            f"From now on, prompts whose conversation leaves the queue are {ARCHIVE_WORDS[choice].lower()}.{older} What is deleted is overwritten in "
            "the store and in its index. Memories and their quotes stay. This cannot be undone."
        )
        self.backups.setChecked(False)
        self.go.set_text(f"Delete {prompts}")
        self.open()

    def _on_go(self) -> None:
        self.close_sheet()
        self.confirmed.emit(self._choice, self._count, self.backups.isChecked())


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
