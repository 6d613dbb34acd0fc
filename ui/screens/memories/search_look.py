"""The quiet menu beside a search field: what else the search looks at. Says so; owns only what is ticked.

Source: S3 "Retrieval Query" (`includeChunks`, `context`).
"""

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from ui.widgets.buttons import IconButton

TIP = "What the search looks at"
CHUNKS_TEXT = "Also summaries of long conversations"
AROUND_TEXT = "First what fits the conversation at hand"


class SearchLook(IconButton):
    """`changed` carries whether chunks are searched, and whether surroundings lift."""

    changed = Signal(bool, bool)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__("settings", object_name, TIP, parent)
        self.menu_of_looks = QMenu(self)
        self.menu_of_looks.setObjectName(f"{object_name}.menu")
        self.chunks = self._tick(CHUNKS_TEXT, f"{object_name}.chunks")
        self.around = self._tick(AROUND_TEXT, f"{object_name}.around")
        self.clicked.connect(self._on_clicked)

    def _tick(self, text: str, object_name: str) -> QAction:
        action = QAction(text, self)
        action.setObjectName(object_name)
        action.setCheckable(True)
        action.toggled.connect(self._on_toggled)
        self.menu_of_looks.addAction(action)
        return action

    def _on_clicked(self) -> None:
        self.menu_of_looks.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def _on_toggled(self) -> None:
        ticked = [action.text() for action in (self.chunks, self.around) if action.isChecked()]
        self.set_kind("link" if ticked else "quiet")
        said = f"{TIP}: {'; '.join(ticked).lower()}" if ticked else TIP
        self.setToolTip(said)
        self.setAccessibleName(said)
        self.changed.emit(self.chunks.isChecked(), self.around.isChecked())
