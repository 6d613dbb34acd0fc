"""The small sheet that files memories: which project they belong to, and whether other projects may be told them.

`chosen` says what; nothing is asked twice. Source: UX 4.4 "Bulk" (scope), QUALITY S9.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from app.values import FacetValue, Visibility
from ui.widgets.fit_button import FitButton
from ui.widgets.labels import PlainLabel
from ui.widgets.popups.popover import Popover
from ui.widgets.scroll import ScrollColumn
from ui.wording.values import counted

SCOPE_WIDTH_PX = 340
MAX_PROJECTS = 40
_ROW_PX = 34
_SHOWN_ROWS = 6


class ScopePopup(Popover):
    """`filed` carries the path of a project, "" for none; `shared` a Visibility."""

    filed = Signal(str)
    shared = Signal(object)

    def __init__(self, window: QWidget, count: int, projects: Sequence[FacetValue]) -> None:
        super().__init__(window, "memory.scope", "Project and sharing")
        said = "Where it may be given" if count == 1 else f"Where {counted(count, 'memory', 'memories')} may be given"
        self.body.addWidget(PlainLabel(said, "heading"))
        self._first = self._add("Only in their project" if count > 1 else "Only in its project", "own")
        self._first.setProperty("visibility", Visibility.USER_PRIVATE.value)
        shared = self._add("In all projects", "all")
        shared.setProperty("visibility", Visibility.PROJECT_SHARED.value)
        for button in (self._first, shared):
            button.clicked.connect(self._on_shared)
        self.body.addWidget(PlainLabel("Belongs to", "heading"))
        none = self._add("No project", "none")
        none.setProperty("project", "")
        none.clicked.connect(self._on_filed)
        self._add_projects(projects)

    def _add_projects(self, projects: Sequence[FacetValue]) -> None:
        listed = ScrollColumn("memory.scope.projects", parent=self)
        self.body.addWidget(listed)
        listed.column.setSpacing(0)
        for n, one in enumerate(projects[:MAX_PROJECTS]):
            button = FitButton(one.title or one.value, f"memory.scope.project.{n}", kind="entry")
            button.setToolTip(one.value)
            button.setProperty("project", one.value)
            button.clicked.connect(self._on_filed)
            listed.column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        listed.add_stretch()
        listed.setFixedHeight(_ROW_PX * min(_SHOWN_ROWS, max(1, len(projects))) + 8)
        listed.setVisible(bool(projects))

    def _add(self, text: str, name: str) -> FitButton:
        button = FitButton(text, f"memory.scope.{name}", kind="entry")
        self.body.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        return button

    def first_focus(self) -> QWidget:
        return self._first

    def _on_shared(self) -> None:
        wanted = Visibility(str(self.sender().property("visibility")))
        self.dismiss()
        self.shared.emit(wanted)

    def _on_filed(self) -> None:
        project = str(self.sender().property("project"))
        self.dismiss()
        self.filed.emit(project)
