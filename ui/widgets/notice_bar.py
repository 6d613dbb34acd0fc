"""Notices at the bottom centre: what was done, with Undo; what went wrong, with what to do. Never a question box.

At most three at a time, 8 s each unless they stay; the clock stands still while the pointer or the focus is on one.
Reached with F6. Source: UX 3.4.
"""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from ui.icons import pixmap
from ui.notices import Notice, NoticeKind
from ui.theme import tokens
from ui.widgets.buttons import Button, IconButton
from ui.widgets.labels import PlainLabel

SHOW_MS = 8_000
MAX_NOTICES = 3
_ICONS = {
    NoticeKind.INFO: ("info", "accent"),
    NoticeKind.GOOD: ("check", "good"),
    NoticeKind.WARN: ("warning", "warn"),
    NoticeKind.DANGER: ("error", "danger"),
}


class NoticeToast(QFrame):
    """One notice."""

    def __init__(self, notice: Notice, bar: "NoticeBar") -> None:
        super().__init__(bar)
        self.notice = notice
        self._bar = bar
        self.setObjectName("notice")
        self.setProperty("role", "sheet")
        self.setAccessibleName(notice.text)
        line = QHBoxLayout(self)
        line.setContentsMargins(14, 8, 8, 8)
        line.setSpacing(10)
        name, role = _ICONS[notice.kind]
        picture = PlainLabel()
        picture.setPixmap(pixmap(name, getattr(tokens(), role), 18, self.devicePixelRatioF()))
        text = PlainLabel(notice.text, wraps=len(notice.text) > 70)
        text.setMinimumWidth(min(420, text.fontMetrics().horizontalAdvance(notice.text) + 4))
        line.addWidget(picture, 0, Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(text, 1)
        if notice.action_text:
            button = Button(notice.action_text, "notice.action", kind="link")
            button.clicked.connect(self._on_action)
            line.addWidget(button)
        close = IconButton("close", "notice.close", "Close this notice")
        close.clicked.connect(self.close_notice)
        line.addWidget(close)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOW_MS)
        self._timer.timeout.connect(self._on_time)
        if not notice.stays:
            self._timer.start()

    def close_notice(self) -> None:
        self._bar.remove(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_notice()
            return
        super().keyPressEvent(event)

    def _on_action(self) -> None:
        run = self.notice.on_action
        self.close_notice()
        if run is not None:
            run()

    def _on_time(self) -> None:
        focus = self.focusWidget()
        if self.underMouse() or (focus is not None and focus.hasFocus()):
            self._timer.start()
        else:
            self.close_notice()


class NoticeBar(QWidget):
    """Lies over the window, as wide as its notices, above the bottom edge of `parent`."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._toasts: list[NoticeToast] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        parent.installEventFilter(self)
        self.hide()

    @property
    def notices(self) -> tuple[Notice, ...]:
        return tuple(toast.notice for toast in self._toasts)

    def post(self, notice: Notice) -> None:
        """Shows a notice; the same text twice is shown once; the oldest of four goes."""
        for toast in [toast for toast in self._toasts if toast.notice.text == notice.text]:
            self.remove(toast)
        toast = NoticeToast(notice, self)
        self._toasts.append(toast)
        self._column.addWidget(toast, 0, Qt.AlignmentFlag.AlignHCenter)
        while len(self._toasts) > MAX_NOTICES:
            self.remove(self._toasts[0])
        self.show()
        self._place()
        self._announce(notice)

    def remove(self, toast: NoticeToast) -> None:
        if toast in self._toasts:
            self._toasts.remove(toast)
            self._column.removeWidget(toast)
            toast.hide()
            toast.deleteLater()
        self.setVisible(bool(self._toasts))
        self._place()

    def clear(self) -> None:
        for toast in list(self._toasts):
            self.remove(toast)

    def focus_newest(self) -> bool:
        """Focus on the newest notice's first button; False when there is none."""
        if not self._toasts:
            return False
        button = self._toasts[-1].findChild(Button)
        if button is not None:
            button.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return button is not None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        parent = self.parentWidget()
        if parent is None or not self._toasts:
            return
        width = min(self._column.sizeHint().width(), parent.width() - 40)
        self.setFixedWidth(width)
        self._column.activate()
        height = self._column.heightForWidth(width) if self._column.hasHeightForWidth() else self.sizeHint().height()
        self.resize(width, height)
        self.move((parent.width() - width) // 2, parent.height() - height - 20)
        self.raise_()

    def _announce(self, notice: Notice) -> None:
        event = QAccessibleAnnouncementEvent(self, notice.text)
        event.setPoliteness(QAccessible.AnnouncementPoliteness.Polite)
        QAccessible.updateAccessibility(event)
