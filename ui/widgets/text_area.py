"""A field for several lines of plain text, with the keys that every such field of ours has.

Ctrl+Enter keeps what was typed; Esc is the owner's, or continues to whom the field is in; single letters and what moves the
cursor belong to the text while it has the focus, Ctrl+Z as long as it has something to undo; all other keys work as
everywhere. Knows nothing of what is typed.
Source: UX 6 (keys).
"""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QPlainTextEdit, QWidget

_OWN_KEYS = frozenset(
    {Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp}
    | {Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Delete, Qt.Key.Key_Backspace}
)


class TextArea(QPlainTextEdit):
    """`kept` at Ctrl+Enter; `escaped` at Esc when it `takes_escape`, else a sheet around it closes. Tab leaves it."""

    kept = Signal()
    escaped = Signal()

    def __init__(self, object_name: str, *, takes_escape: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._takes_escape = takes_escape
        self.setObjectName(object_name)
        self.setTabChangesFocus(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.kept.emit()
        elif event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self._takes_escape:
            self.escaped.emit()
        else:
            event.ignore()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in _OWN_KEYS:
            event.accept()
            return True
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._leaves_undo(event):
            event.ignore()
            return False
        return super().event(event)  # Qt claims what types, edits, and undoes

    def _leaves_undo(self, event: QKeyEvent) -> bool:
        """Whether Ctrl+Z or its like finds nothing here, so that it means the last act in the window."""
        document = self.document()
        is_undo, is_redo = event.matches(QKeySequence.StandardKey.Undo), event.matches(QKeySequence.StandardKey.Redo)
        return (is_undo and not document.isUndoAvailable()) or (is_redo and not document.isRedoAvailable())
