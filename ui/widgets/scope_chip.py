"""The scope chip right of a title: everything, one assistant, one project, or both; it filters every screen that has it."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from ui.selection import ScopeFilter, Selection
from ui.widgets.buttons import Button
from ui.wording.figures import app_title

MAX_SHOWN_CHARS = 28


class ScopeChip(Button):
    """Opens a menu of what there is; says what is chosen. Hidden while there is nothing to choose between."""

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__("Everything", "header.scope", kind="chip", icon_name="filter", parent=parent)
        self._selection = selection
        self.setCheckable(True)
        self.clicked.connect(self._on_clicked)
        selection.scope_changed.connect(self._tell)
        selection.scopes_changed.connect(self._tell)
        self._tell()

    def fill(self, menu: QMenu) -> None:
        """The choices as actions; each carries the filter it stands for."""
        scope = self._selection.scope
        self._add(menu, "Everything", ScopeFilter(), is_on=scope == ScopeFilter())
        if self._selection.app_names:
            menu.addSeparator()
        for name in self._selection.app_names:
            is_on = scope.app == name
            self._add(menu, app_title(name), ScopeFilter("" if is_on else name, scope.project), is_on=is_on)
        if self._selection.project_names:
            menu.addSeparator()
        for name in self._selection.project_names:
            is_on = scope.project == name
            self._add(menu, name, ScopeFilter(scope.app, "" if is_on else name), is_on=is_on)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._on_clicked()
            return
        super().keyPressEvent(event)

    def _add(self, menu: QMenu, text: str, scope: ScopeFilter, *, is_on: bool) -> None:
        action = QAction(text.replace("&", "&&"), menu)
        action.setCheckable(True)
        action.setChecked(is_on)
        action.setData(scope)
        menu.addAction(action)

    def _on_clicked(self) -> None:
        menu = QMenu(self)
        menu.setObjectName("header.scope.menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.fill(menu)
        menu.triggered.connect(self._on_chosen)
        menu.popup(self.mapToGlobal(QPoint(0, self.height() + 4)))
        self._tell()

    def _on_chosen(self, action: QAction) -> None:
        scope = action.data()
        if isinstance(scope, ScopeFilter):
            self._selection.set_scope(scope)

    def _tell(self) -> None:
        scope = self._selection.scope
        text = scope.describe()
        shown = text if len(text) <= MAX_SHOWN_CHARS else text[: MAX_SHOWN_CHARS - 1] + "…"
        self.set_text(shown)
        self.setAccessibleName(f"Show: {text}")
        self.setToolTip("Show only one assistant or project")
        self.setChecked(scope != ScopeFilter())
        choices = len(self._selection.app_names) + len(self._selection.project_names)
        self.setVisible(choices > 2 or scope != ScopeFilter())
