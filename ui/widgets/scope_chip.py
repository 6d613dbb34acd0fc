"""The scope chip right of a title: everything, one assistant, one project, or both; it filters every screen that has it."""

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QMenu, QWidget

from ui.matching import match_score
from ui.selection import ScopeFilter, Selection
from ui.widgets.buttons import Button
from ui.widgets.popups.popover import Popover
from ui.widgets.search_field import SearchField
from ui.wording.figures import app_title, counted

MAX_SHOWN_CHARS = 28
MENU_PROJECTS = 8  # more are listed with a search
_POPUP_PX, _LIST_PX = 320, 300
Choice = tuple[str, ScopeFilter, bool]  # what it is called, what it stands for, whether it is chosen


def scope_choices(selection: Selection) -> Iterator[tuple[Choice, ...]]:
    """What there is to choose, in groups: everything, the assistants, the projects. A second choice takes the first away."""
    scope = selection.scope
    yield (("Everything", ScopeFilter(), scope == ScopeFilter()),)
    yield tuple(
        (app_title(name), ScopeFilter("" if scope.app == name else name, scope.project), scope.app == name)
        for name in selection.app_names
    )
    yield tuple(
        (name, ScopeFilter(scope.app, "" if scope.project == name else name), scope.project == name)
        for name in selection.project_names
    )


class ScopePopup(Popover):
    """All choices with a search, where there are too many for a menu. Arrows move while one types, Return chooses."""

    chosen = Signal(object)  # ScopeFilter

    def __init__(self, window: QWidget, selection: Selection) -> None:
        super().__init__(window, "header.scope.popup", "Show only")
        self._choices = [choice for group in scope_choices(selection) for choice in group]
        self.search = SearchField(
            f"Search {counted(len(selection.project_names), 'project')}…", "header.scope.search", self
        )
        self.list = QListWidget()
        self.list.setObjectName("header.scope.list")
        self.list.setAccessibleName("Assistants and projects")
        self.list.setFixedHeight(_LIST_PX)
        self.list.setSpacing(3)
        self.body.addWidget(self.search)
        self.body.addWidget(self.list)
        self.search.searched.connect(self._fill)
        self.search.left_down.connect(self._on_down)
        self.search.returnPressed.connect(self._on_return)
        self.list.itemClicked.connect(self._on_item)
        self.list.itemActivated.connect(self._on_item)
        self._fill("")

    def first_focus(self) -> QWidget:
        return self.search

    def _fill(self, text: str) -> None:
        self.list.clear()
        for title, scope, is_on in self._choices:
            if not text.strip() or match_score(text, title) > 0:
                item = QListWidgetItem(f"✓ {title}" if is_on else title, self.list)
                item.setData(Qt.ItemDataRole.UserRole, scope)
                item.setToolTip(title)
        self.list.setCurrentRow(0)

    def _on_down(self) -> None:
        self.list.setFocus(Qt.FocusReason.TabFocusReason)
        self.list.setCurrentRow(min(1, self.list.count() - 1))

    def _on_return(self) -> None:
        if self.list.currentItem() is not None:
            self._on_item(self.list.currentItem())

    def _on_item(self, item: QListWidgetItem) -> None:
        scope = item.data(Qt.ItemDataRole.UserRole)
        self.dismiss()
        self.chosen.emit(scope)


class ScopeChip(Button):
    """Opens a menu of what there is; says what is chosen. Hidden while there is nothing to choose between."""

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__("Everything", "header.scope", kind="chip", icon_name="filter", parent=parent)
        self._selection = selection
        self.setCheckable(True)
        self.clicked.connect(self._on_clicked)
        selection.scope_changed.connect(self._report)
        selection.scopes_changed.connect(self._report)
        self._report()

    def fill(self, menu: QMenu) -> None:
        """The choices as actions; each carries the filter it stands for."""
        for n, group in enumerate(scope_choices(self._selection)):
            if n and group:
                menu.addSeparator()
            for text, scope, is_on in group:
                self._add(menu, text, scope, is_on=is_on)

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
        self._report()
        if len(self._selection.project_names) > MENU_PROJECTS:
            popup = ScopePopup(self.window(), self._selection)
            popup.chosen.connect(self._selection.set_scope)
            popup.open_at(QRect(self.mapToGlobal(QPoint(0, 0)), self.size()), _POPUP_PX)
            return
        menu = QMenu(self)
        menu.setObjectName("header.scope.menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.fill(menu)
        menu.triggered.connect(self._on_chosen)
        menu.popup(self.mapToGlobal(QPoint(0, self.height() + 4)))

    def _on_chosen(self, action: QAction) -> None:
        scope = action.data()
        if isinstance(scope, ScopeFilter):
            self._selection.set_scope(scope)

    def _report(self) -> None:
        scope = self._selection.scope
        text = scope.describe()
        shown = text if len(text) <= MAX_SHOWN_CHARS else text[: MAX_SHOWN_CHARS - 1] + "…"
        self.set_text(shown)
        self.setAccessibleName(f"Show: {text}")
        self.setToolTip("Show only one assistant or project")
        self.setChecked(scope != ScopeFilter())
        choices = len(self._selection.app_names) + len(self._selection.project_names)
        self.setVisible(choices > 2 or scope != ScopeFilter())
