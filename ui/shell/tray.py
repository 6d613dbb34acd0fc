"""The icon in the tray: what capture does, pause, quick add, quick search, open, quit; what closing the window does; few notifications.

Nobody may be left with a process that cannot be seen: the window hides only while a tray is there, and comes back when it goes.
Source: UX 4.11; issue 20, point 3.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QColor, QIcon, QPainter
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from ui.icons import pixmap
from ui.navigation import Place
from ui.notices import Notice, NoticeKind
from ui.theme import tokens
from ui.widgets.capture_light import STARTING, LightColor, LightState, light_of
from ui.wording.figures import counted, shortened

if TYPE_CHECKING:
    from ui.shell.main_window import MainWindow
    from ui.shell.state import ShellState

WATCH_MS = 3_000  # while the window is hidden: is the tray still there?
ICON_PX = 64
NOTE_EVERY_S = 3_600
NO_TRAY = "This desktop has no tray, so closing the window still quits. To capture without a window, run “remanence service install”."
TRAY_GONE = "The tray is gone, so the window is back."


class CloseAct(StrEnum):
    ASK = "ask"
    HIDE = "hide"
    QUIT = "quit"


def choose_close(wish: str, *, has_tray: bool, is_open: bool, is_asking: bool) -> CloseAct:
    """What closing the window does. `wish`: the setting; `is_asking`: the question stands already.

    >>> choose_close("tray", has_tray=False, is_open=True, is_asking=False).value
    'quit'
    >>> choose_close("ask", has_tray=True, is_open=True, is_asking=False).value
    'ask'
    """
    if not has_tray or not is_open or wish == "quit":
        return CloseAct.QUIT
    if wish == "tray":
        return CloseAct.HIDE
    return CloseAct.QUIT if is_asking else CloseAct.ASK


class NoteKind(StrEnum):
    """What is worth a notification, by the screen that says more."""

    STOPPED = "activity"
    CONTRADICTION = "contradictions"


NOTE_TITLE_CHARS = 60


@dataclass(frozen=True, slots=True)
class TrayNote:
    kind: NoteKind
    title: str
    text: str


def choose_notes(before: "ShellState", state: "ShellState") -> tuple[TrayNote, ...]:
    """What happened between two readings that somebody without a window has to know."""
    notes: list[TrayNote] = []
    was, light = light_of(before.health), light_of(state.health)
    if light.needs_fix and not was.needs_fix:
        notes.append(TrayNote(NoteKind.STOPPED, f"Capturing stopped: {light.text.lower()}", light.detail))
    if (found := state.new_contradiction) is not None:
        a, b = (shortened(one.title, NOTE_TITLE_CHARS) for one in (found.a, found.b))
        notes.append(TrayNote(NoteKind.CONTRADICTION, "Two of your memories disagree", f"“{a}” and “{b}”"))
    return tuple(notes)


def tray_icon(state: LightState, *, needs_you: bool = False) -> QIcon:
    """The logo; paused and broken are told apart by shape as well as by colour, a dot says that something waits for the person."""
    image = pixmap("logo", tokens().accent, ICON_PX).copy()
    badge = {LightColor.PAUSED: "pause", LightColor.BROKEN: "warning"}.get(state.color, "")
    if badge or needs_you:
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if badge:
            painter.setBrush(QColor(getattr(tokens(), state.color.value)))
            painter.drawEllipse(QRectF(26, 26, 38, 38))
            painter.drawPixmap(31, 31, pixmap(badge, "#ffffff", 28))
        else:
            painter.setBrush(QColor(tokens().warn))
            painter.drawEllipse(QRectF(42, 0, 22, 22))
        painter.end()
    return QIcon(image)


class Tray(QObject):
    """Shown while the setting does not say that closing quits. `noted` carries each notification that was shown."""

    noted = Signal(object)  # TrayNote

    def __init__(self, window: "MainWindow", is_available: Callable[[], bool]) -> None:
        super().__init__(window)
        self._window = window
        self.is_available = is_available
        self.menu = QMenu(window)
        self.menu.setObjectName("tray.menu")
        self._status = self._add("tray.status", STARTING.text, None)
        self._status.setEnabled(False)
        self.menu.addSeparator()
        self._add("tray.open", "Open Remanence", self.bring_back)
        self._add("tray.add", "Add a memory…", self._on_add)
        self._add("tray.search", "Search…", self._on_search)
        self.menu.addSeparator()
        for action_id in ("capture.pause15", "capture.pause60", "capture.pause", "capture.resume"):
            self.menu.addAction(window.actions_table.action(action_id))
        self.menu.addSeparator()
        self._add("tray.quit", "Quit: stop capturing", window.quit)
        self.icon = QSystemTrayIcon(self)
        self.icon.setContextMenu(self.menu)
        self.icon.activated.connect(self._on_activated)
        self.icon.messageClicked.connect(self._on_note_clicked)
        self._noted_s: dict[NoteKind, float] = {}  # when each kind was last shown
        self._last_kind = NoteKind.STOPPED
        self._watch = QTimer(self)
        self._watch.setInterval(WATCH_MS)
        self._watch.timeout.connect(self.check)
        self.set_state(STARTING)

    def set_state(self, state: LightState, needs_count: int = 0) -> None:
        """Icon and words of the capture light; `needs_count`: how many things wait for the person."""
        waiting = f"{counted(needs_count, 'thing')} need{'s' if needs_count == 1 else ''} you"
        text = f"{state.text} · {waiting}" if needs_count else state.text
        self._status.setText(state.text)
        self.icon.setToolTip(f"Remanence · {text}")
        self.icon.setIcon(tray_icon(state, needs_you=bool(needs_count)))

    def note(self, before: "ShellState | None", state: "ShellState") -> None:
        """Shows what has to be known, while nobody looks at the window; each kind once an hour at most."""
        is_seen = self._window.isVisible() and not self._window.isMinimized()
        if before is None or is_seen or not state.is_notifying or not self.icon.isVisible():
            return
        now_s = time.monotonic()
        for note in choose_notes(before, state):
            if now_s - self._noted_s.get(note.kind, -NOTE_EVERY_S) < NOTE_EVERY_S:
                continue
            self._noted_s[note.kind] = now_s
            self._last_kind = note.kind
            self.icon.showMessage(note.title, note.text, self.icon.icon())
            self.noted.emit(note)

    def set_shown(self, is_shown: bool) -> None:
        if self.icon.isVisible() is not is_shown:
            self.icon.setVisible(is_shown)

    def hide_window(self) -> None:
        self.icon.show()
        self._window.hide()
        self._watch.start()

    def wait_for_tray(self) -> None:
        """Started with the computer: in the tray, or minimised until there is one."""
        if self.is_available():
            self.hide_window()
        else:
            self._window.showMinimized()
            self._watch.start()

    def bring_back(self) -> None:
        self._watch.stop()
        window = self._window
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.show()
        window.raise_()
        window.activateWindow()

    def check(self) -> None:
        """Hidden without a tray: shown again. Minimised at the start, and the tray has come: hidden."""
        is_hidden = not self._window.isVisible()
        if is_hidden and not self.is_available():
            self.bring_back()
            self._window.notify(Notice(TRAY_GONE, NoticeKind.WARN))
        elif not is_hidden and not self._window.isMinimized():
            self._watch.stop()
        elif not is_hidden and self.is_available():
            self.hide_window()

    def close(self) -> None:
        self._watch.stop()
        self.icon.hide()

    def _add(self, name: str, text: str, run: Callable[[], None] | None) -> QAction:
        action = self.menu.addAction(text)
        action.setObjectName(name)
        if run is not None:
            action.triggered.connect(run)
        return action

    def _on_add(self) -> None:
        self.bring_back()
        self._window.commands.new_memory()

    def _on_search(self) -> None:
        self.bring_back()
        self._window.commands.open_palette()

    def _on_note_clicked(self) -> None:
        self.bring_back()
        place = Place("activity", query="health") if self._last_kind is NoteKind.STOPPED else Place("contradictions")
        self._window.navigator.go(place)

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason is QSystemTrayIcon.ActivationReason.Trigger:
            self.bring_back()
