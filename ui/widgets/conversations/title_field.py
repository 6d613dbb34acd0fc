"""A title that is text until one wants to change it: F2, E or a double click make it a field, in place.

Enter saves, Esc leaves it as it was. Says the new title by a signal; the text is plain and bounded.

The sheet to rename a conversation where its title is only a card: one field, Enter saves, Esc leaves it.

Source: UX 4.3.
"""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QStackedLayout, QWidget

from ui.widgets.buttons import Button
from ui.widgets.labels import ElidedLabel, PlainLabel
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


MAX_TITLE_CHARS = 200


class _Edit(QLineEdit):
    left = Signal(bool)  # is to be saved

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.left.emit(True)
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit(False)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() is not Qt.FocusReason.ActiveWindowFocusReason:
            self.left.emit(True)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ShortcutOverride:
            event.accept()
        return super().event(event)


class TitleField(QWidget):
    """`renamed` carries the new title; `finished` when editing is over either way."""

    renamed = Signal(str)
    finished = Signal()

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self._title = ""
        self._label = ElidedLabel("", "section")
        self._label.setObjectName(f"{object_name}.label")
        self._edit = _Edit()
        self._edit.setObjectName(f"{object_name}.edit")
        self._edit.setAccessibleName("Title of the conversation")
        self._edit.setMaxLength(MAX_TITLE_CHARS)
        self._edit.left.connect(self._on_left)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._label)
        self._pages.addWidget(self._edit)
        self.setFixedHeight(max(32, self._edit.sizeHint().height()))

    @property
    def is_editing(self) -> bool:
        return self._pages.currentWidget() is self._edit

    def set_title(self, title: str) -> None:
        """Another title; what is being typed stays."""
        self._title = title
        self._label.setText(title)

    def edit(self) -> None:
        """Makes it a field with everything selected."""
        self._edit.setText(" ".join(self._title.split()))
        self._pages.setCurrentWidget(self._edit)
        self._edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._edit.selectAll()

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self.edit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange) and hasattr(self, "_edit"):
            self.setFixedHeight(max(32, self._edit.sizeHint().height()))

    def _on_left(self, is_saved: bool) -> None:
        if not self.is_editing:
            return
        typed = self._edit.text().strip()
        self._pages.setCurrentWidget(self._label)
        if is_saved and typed and typed != self._title:
            self.set_title(typed)
            self.renamed.emit(typed)
        self.finished.emit()
