"""Notices at the bottom centre: what was done, with Undo; what went wrong, with what to do. Never a question box.

Of acts only the last is shown, with at most two others; 8 s each, 15 s a warning, unless they stay; the clock stands still
while the pointer or the focus is on one. Reached with F6.
They have a line of their own below every screen, so they never lie over anything; more than one line takes room from the screen.

The amber bar on every screen while capture is paused, so that nobody wonders later why nothing was learnt.

The question when the window is closed for the first time: keep capturing in the tray, or quit. A strip, no box.

Source: UX 3.4.
"""

from datetime import UTC, datetime

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from ui.icons import pixmap
from ui.notices import Notice, NoticeKind
from ui.theme import font, font_px, tokens
from ui.widgets.buttons import Button, IconButton
from ui.widgets.labels import PlainLabel
from ui.wording.figures import clock_time, time_left


class CloseBar(QFrame):
    """`chosen` with the value of the setting: tray or quit."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("close")
        self.setProperty("role", "card")
        text = PlainLabel(
            "Keep capturing when the window is closed? Remanence then stays in the tray. You can change this in Settings.",
            wraps=True,
        )
        self.keep = Button("Keep capturing", "close.tray", kind="primary")
        leave = Button("Quit", "close.quit", kind="quiet")
        back = IconButton("close", "close.back", "Leave the window open")
        self.keep.clicked.connect(self._on_keep)
        leave.clicked.connect(self._on_leave)
        back.clicked.connect(self.hide)
        line = QHBoxLayout(self)
        line.setContentsMargins(14, 5, 8, 5)
        line.addWidget(text, 1)
        for button in (self.keep, leave, back):
            line.addWidget(button)
        self.hide()

    def ask(self) -> None:
        self.show()
        self.keep.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_keep(self) -> None:
        self.hide()
        self.chosen.emit("tray")

    def _on_leave(self) -> None:
        self.hide()
        self.chosen.emit("quit")


class PauseBar(QFrame):
    """Hidden while capturing."""

    resume_pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setProperty("kind", "warn")
        self._text = PlainLabel("", "warn")
        resume = Button("Resume", "pause.resume", kind="quiet", icon_name="play")
        resume.clicked.connect(self.resume_pressed)
        line = QHBoxLayout(self)
        line.setContentsMargins(14, 5, 8, 5)
        line.addWidget(self._text, 1)
        line.addWidget(resume)
        self.hide()

    def show_values(self, *, is_paused: bool, until: datetime | None) -> None:
        left = f" ({time_left(until, datetime.now(UTC))} left)" if until is not None else ""
        end = f" until {clock_time(until)}{left}" if until is not None else ""
        self._text.setText(f"Capture is paused{end}: what you type to your assistants is not captured.")
        self.setVisible(is_paused)


SHOW_MS, WARN_MS = 8_000, 15_000
MAX_NOTICES = 3
MAX_WIDTH_PX = 900
LEAST_TEXT_PX = 120
_BASE_PX = 13  # of the text, at 100 %
GAP_PX = 5
ROW_PX = 34  # of one line, at 100 %
ROOMY_EM = 42  # a lower window, for its letters, keeps no line free: notices take room when they come
BELOW_PX = 4
_ICONS = {
    NoticeKind.INFO: ("info", "accent"),
    NoticeKind.GOOD: ("check", "good"),
    NoticeKind.WARN: ("warning", "warn"),
    NoticeKind.DANGER: ("error", "danger"),
}


def font_width(text: str) -> int:
    """Pixels that `text` takes on one line of the window's font."""
    return QFontMetrics(font()).horizontalAdvance(text) + 8


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
        line.setContentsMargins(12, 1, 4, 1)
        line.setSpacing(8)
        name, role = _ICONS[notice.kind]
        picture = PlainLabel()
        picture.setPixmap(pixmap(name, getattr(tokens(), role), 18, self.devicePixelRatioF()))
        text = PlainLabel(notice.text, wraps=True)
        self._text = text
        line.addWidget(picture, 0, Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(text, 1)
        if notice.action_text:
            key = f" ({notice.key})" if notice.key else ""
            self._button = Button(f"{notice.action_text}{key}", "notice.action", kind="link")
            self._button.clicked.connect(self._on_action)
            line.addWidget(self._button)
        close = IconButton("close", "notice.close", "Close this notice")
        close.clicked.connect(self.close_notice)
        line.addWidget(close)
        for button in self.findChildren(
            Button
        ):  # F6 leads here; neither a click nor what vanishes brings the focus along
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOW_MS if notice.kind in (NoticeKind.INFO, NoticeKind.GOOD) else WARN_MS)
        self._timer.timeout.connect(self._on_time)
        if not notice.stays:
            self._timer.start()

    def size_within(self, max_width_px: int) -> QSize:
        """How big it wants to be, its text wrapped where `max_width_px` is too little."""
        self.ensurePolished()
        layout = self.layout()
        assert layout is not None
        self._text.setMinimumWidth(0)
        layout.invalidate()
        beside = layout.minimumSize().width() - self._text.minimumSizeHint().width()  # picture, buttons and margins
        text_px = max(LEAST_TEXT_PX, min(font_width(self.notice.text), max_width_px - beside))
        self._text.setMinimumWidth(text_px)
        layout.invalidate()
        margins = layout.contentsMargins()
        height = self._text.heightForWidth(text_px) + margins.top() + margins.bottom() + 4  # rounded fonts
        return QSize(beside + text_px, max(height, layout.minimumSize().height(), _row_px()))

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


def _row_px() -> int:
    return round(ROW_PX * font_px() / _BASE_PX)


class NoticeBar(QWidget):
    """Shown over `room`, the line at the foot of the window that is kept free for it; also above sheets."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._toasts: list[NoticeToast] = []
        self.room = QWidget(parent)
        self.room.setObjectName("notices.room")
        self.room.installEventFilter(self)
        self._give_room(0)
        self.hide()

    @property
    def notices(self) -> tuple[Notice, ...]:
        return tuple(toast.notice for toast in self._toasts)

    def post(self, notice: Notice) -> None:
        """Shows a notice in place of those that say the same or tell an act before this one; the oldest of four goes."""
        for toast in list(self._toasts):
            is_same = bool(notice.about) and toast.notice.about == notice.about
            is_older_act = bool(notice.key and toast.notice.key)
            if is_same or is_older_act or toast.notice.text == notice.text:
                self.remove(toast)
        toast = NoticeToast(notice, self)
        self._toasts.append(toast)
        toast.show()
        while len(self._toasts) > MAX_NOTICES:
            self.remove(self._toasts[0])
        self.show()
        self.place()
        self._announce(notice)

    def remove(self, toast: NoticeToast) -> None:
        if toast in self._toasts:
            self._toasts.remove(toast)
            toast.hide()
            toast.deleteLater()
        self.setVisible(bool(self._toasts))
        self.place()

    def withdraw(self, about: str) -> bool:
        """Removes the notice about a subject. Returns whether it was still shown."""
        found = [toast for toast in self._toasts if toast.notice.about == about]
        for toast in found:
            self.remove(toast)
        return bool(found)

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
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self.place()
        return super().eventFilter(watched, event)

    def place(self) -> None:
        """Sets the height of the room and places each notice in it."""
        widest = min(round(MAX_WIDTH_PX * font_px() / _BASE_PX), self.room.width() - 24)
        sizes = [toast.size_within(widest) for toast in self._toasts]
        height = sum(size.height() for size in sizes) + GAP_PX * max(0, len(sizes) - 1)
        self._give_room(height)
        if not sizes:
            return
        width, room = max(size.width() for size in sizes), self._room_rect()
        left = room.left() + max(0, (room.width() - width) // 2)
        self.setGeometry(QRect(left, room.bottom() + 1 - BELOW_PX - height, width, height))
        top = 0
        for toast, size in zip(self._toasts, sizes, strict=True):
            toast.setGeometry((width - size.width()) // 2, top, size.width(), size.height())
            top += size.height() + GAP_PX
        self.raise_()

    def _give_room(self, height: int) -> None:
        parent = self.parentWidget()
        is_roomy = parent is None or parent.height() >= ROOMY_EM * font_px()
        wanted = max(_row_px() if is_roomy else GAP_PX, height) + BELOW_PX
        if self.room.height() != wanted or self.room.minimumHeight() != wanted:
            self.room.setFixedHeight(wanted)

    def _room_rect(self) -> QRect:
        parent = self.parentWidget()
        assert parent is not None
        return QRect(self.room.mapTo(parent, self.room.rect().topLeft()), self.room.size())

    def _announce(self, notice: Notice) -> None:
        event = QAccessibleAnnouncementEvent(self, notice.text)
        event.setPoliteness(QAccessible.AnnouncementPoliteness.Polite)
        QAccessible.updateAccessibility(event)
