"""A small sheet beside what was pressed: over the window's content, never a window of its own.

Owns its place, Esc, closing when the focus leaves it, and giving the focus back. Knows nothing of what is in it.
Source: UX 2.6 (no modal dialogs), UX 6 (Esc goes one step out).
"""

import shiboken6
from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QFrame, QVBoxLayout, QWidget

from ui.theme import BASE_FONT_PX, font_px

_GAP_PX = 6


class Popover(QFrame):
    """Shown with `open_at`; `closed` afterwards. Deletes itself."""

    closed = Signal()

    def __init__(self, window: QWidget, object_name: str, title: str) -> None:
        super().__init__(window)
        self._window = window
        self.setObjectName(object_name)
        self.setAccessibleName(title)
        self.setProperty("role", "sheet")
        self.setAutoFillBackground(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._back_to: QWidget | None = None
        self._is_closing = False
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(14, 12, 14, 12)
        self.body.setSpacing(8)

    def first_focus(self) -> QWidget:
        """What gets the focus when it opens."""
        return self

    def open_at(self, mention: QRect, width_px: int) -> None:
        """Shows it below (else above) a global rectangle, inside the window. The width grows with the text size."""
        window = self._window
        self._back_to = QApplication.focusWidget()
        self.setFixedWidth(min(round(width_px * font_px() / BASE_FONT_PX), window.width() - 16))
        self.body.activate()
        self.adjustSize()
        height = min(max(self.sizeHint().height(), self.heightForWidth(self.width())), window.height() - 16)
        self.resize(self.width(), height)
        below = window.mapFromGlobal(mention.bottomLeft()) + QPoint(0, _GAP_PX)
        top = below.y()
        if top + height > window.height() - 8:
            above = window.mapFromGlobal(mention.topLeft()).y() - _GAP_PX - height
            top = above if above >= 8 else max(8, window.height() - 8 - height)
        left = min(max(8, below.x()), window.width() - 8 - self.width())
        self.move(left, top)
        self.show()
        self.raise_()
        self.first_focus().setFocus(Qt.FocusReason.PopupFocusReason)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus_changed)

    def dismiss(self) -> None:
        """Closes it and gives the focus back."""
        if self._is_closing:
            return
        self._is_closing = True
        focus = QApplication.focusWidget()
        had_focus = focus is None or focus is self or self.isAncestorOf(focus)
        self.hide()
        if had_focus and self._back_to is not None and shiboken6.isValid(self._back_to):
            self._back_to.setFocus(Qt.FocusReason.PopupFocusReason)
        self.closed.emit()
        self.deleteLater()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
            return
        focus = QApplication.focusWidget()
        # What had the focus before has it again when a Return has just closed this: that key is not meant for it.
        is_return = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_return and isinstance(focus, QAbstractButton) and self.isAncestorOf(focus):
            focus.click()
        event.accept()  # keys of the screen below do not work through it

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ShortcutOverride:
            event.accept()  # single letters, Return and Esc belong to the sheet while it has the focus
            return True
        return super().event(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.raise_()

    def _on_focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        if new is not None and new is not self and not self.isAncestorOf(new):
            self.dismiss()
