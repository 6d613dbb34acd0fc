"""A sheet over the window: dims what is behind, Esc or a click beside it closes it, the focus goes back where it was.

A child widget, not a window: no window manager can lose it, and it is never modal to capture or undo.
"""

import shiboken6
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QVBoxLayout, QWidget

TOP_PX = 84


class Overlay(QWidget):
    """Subclasses fill `sheet_layout`. `closed` after it went away."""

    closed = Signal()

    def __init__(self, parent: QWidget, *, object_name: str, name: str, width_px: int = 600) -> None:
        super().__init__(parent)
        self._width_px = width_px
        self._came_from: QWidget | None = None
        self.setObjectName(object_name)
        self.setAccessibleName(name)
        self.sheet = QFrame(self)
        self.sheet.setProperty("role", "sheet")
        self.sheet.setAccessibleName(name)
        self.sheet_layout = QVBoxLayout(self.sheet)
        self.sheet_layout.setContentsMargins(16, 14, 16, 14)
        self.sheet_layout.setSpacing(8)
        parent.installEventFilter(self)
        self.hide()

    @property
    def is_open(self) -> bool:
        return self.isVisible()

    def open(self) -> None:
        """Shows the sheet and gives it the focus."""
        if not self.is_open:
            self._came_from = QApplication.focusWidget()
        self._place()
        self.show()
        self.raise_()
        self.first_focus().setFocus(Qt.FocusReason.PopupFocusReason)

    def close_sheet(self) -> None:
        """Hides the sheet and gives the focus back."""
        if not self.is_open:
            return
        self.hide()
        came_from, self._came_from = self._came_from, None
        # gone meanwhile: an error inside two handlers, this one and `event`, is a crash of the whole window (shiboken 6.11)
        if came_from is not None and shiboken6.isValid(came_from) and came_from.isVisible():
            came_from.setFocus(Qt.FocusReason.PopupFocusReason)
        self.closed.emit()

    def first_focus(self) -> QWidget:
        """Who gets the focus when the sheet opens."""
        return self.sheet

    def sheet_height(self) -> int:
        """How high the sheet wants to be; the window limits it."""
        return self.sheet.sizeHint().height()

    def fit(self) -> None:
        """Takes the sheet's new size after its content changed."""
        if self.is_open:
            self._place()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_sheet()
            return
        super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Keys of the screen below do not work through it; Ctrl+Z and the like still do."""
        is_key = event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if is_key and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:  # type: ignore[attr-defined]
            event.accept()
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.sheet.geometry().contains(event.position().toPoint()):
            self.close_sheet()

    def paintEvent(self, _event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), QColor(10, 12, 18, 110))

    def focusNextPrevChild(self, next_: bool) -> bool:
        """Tab stays inside the sheet."""
        focus = QApplication.focusWidget()
        inside = [
            widget
            for widget in self.sheet.findChildren(QWidget)
            if widget.isVisible() and widget.isEnabled() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        ]
        if not inside:
            return False
        index = inside.index(focus) if focus in inside else -1
        target = inside[(index + (1 if next_ else -1)) % len(inside)]
        target.setFocus(Qt.FocusReason.TabFocusReason if next_ else Qt.FocusReason.BacktabFocusReason)
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize and self.is_open:
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        parent = self.parentWidget()
        if parent is None:
            return
        self.setGeometry(parent.rect())
        width = min(self._width_px, parent.width() - 48)
        self.sheet.setFixedWidth(width)
        top = min(TOP_PX, parent.height() // 10)
        height = min(self.sheet_height(), parent.height() - top - 24)
        self.sheet.setGeometry((parent.width() - width) // 2, top, width, height)
