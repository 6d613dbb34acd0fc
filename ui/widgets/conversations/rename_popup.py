"""The sheet to rename a conversation where its title is only a card: one field, Enter saves, Esc leaves it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from ui.widgets.buttons import Button
from ui.widgets.conversations.title_field import MAX_TITLE_CHARS
from ui.widgets.labels import PlainLabel
from ui.widgets.popups.popover import Popover

POPUP_WIDTH_PX = 400


class RenamePopup(Popover):
    """`renamed` carries the conversation and its new title."""

    renamed = Signal(int, str)

    def __init__(self, window: QWidget, conversation_id: int, title: str) -> None:
        super().__init__(window, "rename", "Rename the conversation")
        self._conversation_id = conversation_id
        self._title = title
        self.body.addWidget(PlainLabel("Rename the conversation", "heading"))
        self.title_field = QLineEdit(" ".join(title.split()))
        self.title_field.setObjectName("rename.title")
        self.title_field.setAccessibleName("Title of the conversation")
        self.title_field.setMaxLength(MAX_TITLE_CHARS)
        self.title_field.selectAll()
        self.title_field.returnPressed.connect(self._on_save)
        save = Button("Rename", "rename.save", kind="primary")
        save.clicked.connect(self._on_save)
        row = QHBoxLayout()
        row.addWidget(self.title_field, 1)
        row.addWidget(save)
        self.body.addLayout(row)

    def first_focus(self) -> QWidget:
        return self.title_field

    def _on_save(self) -> None:
        typed = self.title_field.text().strip()
        self.dismiss()
        if typed and typed != self._title:
            self.renamed.emit(self._conversation_id, typed)
