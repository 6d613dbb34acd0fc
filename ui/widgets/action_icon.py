"""A quiet icon button that is one row of the action table: what it does, its tip and enabledness follow the row."""

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from ui.actions.table import ACTIONS
from ui.widgets.buttons import IconButton

_ICONS = {spec.id: spec.icon for spec in ACTIONS}


class ActionIcon(IconButton):
    def __init__(self, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(_ICONS[action.objectName()], f"icon.{action.objectName()}", action.text(), parent)
        self._action = action
        action.changed.connect(self._follow)
        self.clicked.connect(action.trigger)
        self._follow()

    def _follow(self) -> None:
        self.setEnabled(self._action.isEnabled())
        self.setToolTip(self._action.toolTip())
        self.setAccessibleName(self._action.text())
