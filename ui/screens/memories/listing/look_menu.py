"""The menu behind the list's look: cards or table, which columns, in which groups.

Filled anew each time it opens; says by signals what was chosen. Source: UX 4.4 "List".
"""

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.values import MemoryGroup
from ui.screens.memories.listing.look import ALL_COLUMNS, MemoryLook
from ui.screens.memories.listing.table import COLUMN_OF
from ui.wording.memories import GROUP_WORDS


class LookMenu(QMenu):
    """`group_chosen` carries a MemoryGroup or None, `column_toggled` the name of a column."""

    group_chosen = Signal(object)
    column_toggled = Signal(str)

    def __init__(self, more: tuple[QAction, ...], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("memories.lookMenu")
        self.setAccessibleName("How the list looks")
        self._more = more

    def fill(self, look: MemoryLook) -> None:
        self.clear()
        self.addSection("Group by")
        for group, word in ((None, "Nothing"), *GROUP_WORDS.items()):
            action = self._add(self, word, is_on=look.group is group)
            action.setProperty("group", group.value if group is not None else "")
            action.triggered.connect(self._on_group)
        self.addSeparator()
        columns = self.addMenu("Columns of the table")
        for name in ALL_COLUMNS:
            action = self._add(columns, COLUMN_OF[name].title, is_on=name in look.columns)
            action.setProperty("column", name)
            action.triggered.connect(self._on_column)
        self.addActions(self._more)

    def _add(self, menu: QMenu, text: str, *, is_on: bool) -> QAction:
        action = menu.addAction(text)
        action.setCheckable(True)
        action.setChecked(is_on)
        return action

    def _on_group(self) -> None:
        value = str(self.sender().property("group"))
        self.group_chosen.emit(MemoryGroup(value) if value else None)

    def _on_column(self) -> None:
        self.column_toggled.emit(str(self.sender().property("column")))
