"""Acts on several memories that need a look first: merging, filing under a project, writing to a file; and never telling.

Owns their sheets. What they are about is told by whoever asks for them. Source: UX 4.4 "Bulk".
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect, Signal
from PySide6.QtWidgets import QWidget

from app.values import FacetValue, MemoryDetail, MemoryFilter
from ui.notices import Notice, NoticeKind
from ui.screens.base import PanelContext
from ui.screens.memories.commands import MemoryCommands
from ui.screens.memories.sheets.merge import MergeSheet
from ui.screens.memories.sheets.scope import SCOPE_WIDTH_PX, ScopePopup
from ui.widgets.popups.export_dialog import open_memories_dialog
from ui.wording.values import counted

if TYPE_CHECKING:
    from app.api import Engine

MERGED_MAX = 20  # at once, as the engine takes them
Ids = tuple[int, ...]
Merging = tuple[tuple[MemoryDetail, ...], datetime]


class MemoryJointActs(QObject):
    """`place` tells beside what a small sheet opens. `done` carries the memory that is left of several."""

    done = Signal(int)

    def __init__(
        self, context: PanelContext, commands: MemoryCommands, place: Callable[[], QRect], panel: QWidget
    ) -> None:
        super().__init__(panel)
        self._context = context
        self._commands = commands
        self._place = place
        self._panel = panel
        self._merge_sheet: MergeSheet | None = None
        self._ids: Ids = ()
        self._keep_id = 0

    # -- merging
    def merge(self, ids: Ids, keep_id: int) -> None:
        """Reads them, then shows what would be made of them."""
        if len(ids) > MERGED_MAX:
            self._context.notify(Notice(f"At most {MERGED_MAX} memories can be merged at once.", NoticeKind.WARN))
            return
        self._keep_id = keep_id if keep_id in ids else ids[0]

        def read(engine: "Engine") -> Merging:
            return tuple(engine.memories.get(one) for one in ids), engine.clock.now()

        self._context.bridge.ask("memories.merge", read, self._on_merging)

    def _on_merging(self, merging: Merging) -> None:
        if self._merge_sheet is None:
            self._merge_sheet = MergeSheet(self._panel.window())
            self._merge_sheet.merged.connect(self._on_merged)
            self._merge_sheet.measure_wanted.connect(self._on_measure)
        self._merge_sheet.ask(merging[0], self._keep_id, merging[1])

    def _on_merged(self, ids: object, keep_id: int, text: str) -> None:
        assert isinstance(ids, tuple)
        self._commands.merge(ids, keep_id, text)
        self.done.emit(keep_id)

    def _on_measure(self, text: str) -> None:
        self._context.bridge.ask(
            "memories.mergeTokens",
            lambda engine: (text, engine.memories.measure(text).full.token_count if text.strip() else 0),
            self._on_measured,
        )

    def _on_measured(self, measured: tuple[str, int]) -> None:
        if self._merge_sheet is not None:
            self._merge_sheet.set_measured(*measured)

    # -- filing
    def file(self, ids: Ids) -> None:
        """Asks which project, among those that have memories."""
        self._ids = ids
        self._context.bridge.ask(
            "memories.projects", lambda engine: engine.memories.facets(MemoryFilter())["project"], self._on_projects
        )

    def _on_projects(self, projects: Sequence[FacetValue]) -> None:
        sheet = ScopePopup(self._panel.window(), len(self._ids), [one for one in projects if one.value])
        sheet.filed.connect(self._on_filed)
        sheet.shared.connect(self._on_shared)
        sheet.open_at(self._place(), SCOPE_WIDTH_PX)

    def _on_filed(self, project: str) -> None:
        self._commands.move(self._ids, project=project)

    def _on_shared(self, visibility: object) -> None:
        self._commands.share(self._ids, visibility)  # type: ignore[arg-type]  # what the popup's signal carries

    # -- writing out
    def export(self, ids: Ids) -> None:
        self._ids = ids
        open_memories_dialog(self._panel, len(ids)).fileSelected.connect(self._on_file_chosen)

    def _on_file_chosen(self, name: str) -> None:
        ids, path = self._ids, Path(name)

        def write(engine: "Engine") -> str:
            count = engine.transfer.export_some(ids, path, is_replacing=True)  # the dialog has asked
            return f"Wrote {counted(count, 'memory', 'memories')} to {path.name}"

        self._context.bridge.ask("memories.export", write, self._on_written)

    def _on_written(self, said: str) -> None:
        self._context.notify(Notice(said, NoticeKind.GOOD))
