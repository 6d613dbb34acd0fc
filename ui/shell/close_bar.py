"""The question when the window is closed for the first time: keep capturing in the tray, or quit. A strip, no box.

Closing once more quits: nobody is held by a question.
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from ui.widgets.buttons import Button, IconButton
from ui.widgets.labels import PlainLabel


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
