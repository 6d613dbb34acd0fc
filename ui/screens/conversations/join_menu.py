"""The menu to choose the conversation that the one shown is joined with. Emits the choice as a signal. Source: UX 4.3."""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.values import Conversation
from ui.widgets.conversations.needs_you import short
from ui.wording.values import counted, day

_TITLE_CHARS = 48


class JoinMenu(QMenu):
    """`chosen` carries the numbers of source and target. Enter takes the first of `targets`; a digit takes any of them."""

    chosen = Signal(int, int)

    def __init__(
        self, source: Conversation, targets: Sequence[Conversation], now: datetime, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("conversations.joinMenu")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._source_id = source.id
        self.addAction(f"Join “{_short(source.title)}” with:").setEnabled(False)
        for n, target in enumerate(targets, start=1):
            about = f"{counted(target.message_count, 'message')}, {day(target.last_message_at, now)}"
            row = self.addAction(f"&{n}  {_short(target.title)}  ({about})")
            row.setObjectName(f"join.{target.id}")
            row.setData(target.id)
            row.setStatusTip("Joins its messages with those of the conversation shown. You can undo this.")
        self.triggered.connect(self._on_triggered)
        self.setActiveAction(next(row for row in self.actions() if row.data() is not None))

    def _on_triggered(self, row: QAction) -> None:
        self.chosen.emit(self._source_id, int(row.data()))


def _short(title: str) -> str:
    return short(title, _TITLE_CHARS).replace("&", "&&")
