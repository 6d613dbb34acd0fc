"""A row of tabs over a stack of pages: buttons that are names, arrows that move, nothing painted by hand."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from ui.widgets.buttons import Button
from ui.widgets.labels import Hairline


class Tabs(QWidget):
    """`changed` carries the id of the page."""

    changed = Signal(str)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self._ids: list[str] = []
        self._group = QButtonGroup(self)
        self._line = QHBoxLayout()
        self._line.setSpacing(4)
        self._line.addStretch(1)
        self._stack = QStackedWidget()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._line)
        column.addWidget(Hairline(self))
        column.addSpacing(12)
        column.addWidget(self._stack, 1)
        self._group.idClicked.connect(self._on_clicked)

    @property
    def current(self) -> str:
        return self._ids[self._stack.currentIndex()] if self._ids else ""

    def add(self, page_id: str, title: str, page: QWidget) -> None:
        button = Button(title, f"{self.objectName()}.{page_id}", kind="tab")
        button.setCheckable(True)
        self._group.addButton(button, len(self._ids))
        self._line.insertWidget(len(self._ids), button)
        self._ids.append(page_id)
        self._stack.addWidget(page)
        if len(self._ids) == 1:
            button.setChecked(True)

    def show_page(self, page_id: str) -> None:
        """Shows a page; an unknown id changes nothing."""
        if page_id in self._ids:
            index = self._ids.index(page_id)
            is_held = any(button.hasFocus() for button in self._group.buttons())
            self._stack.setCurrentIndex(index)
            self._group.button(index).setChecked(True)
            if is_held:  # a tab that is not shown would keep the ground of one that has the keys
                self.take_focus()
            self.changed.emit(page_id)

    def take_focus(self) -> None:
        """The keys go to the tab that is shown."""
        button = self._group.checkedButton()
        if button is not None:
            button.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_title(self, page_id: str, title: str) -> None:
        button = self._group.button(self._ids.index(page_id))
        if isinstance(button, Button):
            button.set_text(title)

    def _on_clicked(self, index: int) -> None:
        self.show_page(self._ids[index])
