"""The head of a screen: title, one line of status, search field, primary action."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ui.widgets.buttons import ActionButton
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.search_field import SearchField


class PanelHeader(QWidget):
    """`searched` carries the text of the search field."""

    searched = Signal(str)

    def __init__(self, title: str, search_hint: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(10)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        self._title = PlainLabel(title, "title")
        self._status = ElidedLabel("", "sub", by_parts=True)
        self._title_row = QHBoxLayout()
        self._title_row.setSpacing(12)
        self._title_row.addWidget(self._title)
        self._title_row.addStretch(1)
        texts.addLayout(self._title_row)
        texts.addWidget(self._status)
        self._row.addLayout(texts, 1)
        self.search: SearchField | None = None
        if search_hint:
            self.search = SearchField(search_hint, "header.search", self)
            self.search.setFixedWidth(280)
            self.search.searched.connect(self.searched)
            self._row.addWidget(self.search, 0, Qt.AlignmentFlag.AlignVCenter)

    @property
    def status(self) -> str:
        return self._status.text()

    @property
    def query(self) -> str:
        """The text in the search field."""
        return self.search.text() if self.search is not None else ""

    def set_title(self, title: str) -> None:
        self._title.setText(title)

    def set_status(self, text: str) -> None:
        self._status.setText(text)

    def set_query(self, text: str) -> None:
        if self.search is not None and self.search.text() != text:
            self.search.setText(text)

    def focus_search(self) -> bool:
        """Puts the cursor into the search field; False when none is shown."""
        if self.search is None or self.search.isHidden():
            return False
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()
        return True

    def add_beside_title(self, widget: QWidget) -> None:
        """Something small right of the title: the scope chip."""
        self._title_row.insertWidget(1, widget)

    def add_beside_search(self, widget: QWidget) -> None:
        """Something small right of the search field."""
        if self.search is not None:
            self._row.insertWidget(self._row.indexOf(self.search) + 1, widget, 0, Qt.AlignmentFlag.AlignVCenter)

    def add_action(self, action: QAction) -> ActionButton:
        """A button for a row of the action table, at the right."""
        button = ActionButton(action, kind="primary", parent=self)
        self._row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        return button

    def add_widget(self, widget: QWidget) -> None:
        """Anything else at the right: chips, a menu button."""
        self._row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
