"""The resolved ones: what was said, what was answered, by whom and when, and the way back. Source: UX 4.7 "History tab"."""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.values import Contradiction, Resolution
from ui.screens.contradictions.wording import settled_line
from ui.widgets.buttons import Button
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.empty_state import EmptyState
from ui.widgets.labels import PlainLabel
from ui.widgets.scroll import ScrollColumn

TEXT_CHARS = 400
_NOTHING = ("Nothing resolved yet", "What you decide about contradictions stands here, with the way back.")


class SettledPage(QWidget):
    """`reopened` carries the number of one to open again, `memory_opened` a memory."""

    reopened = Signal(int)
    memory_opened = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[Contradiction, ...] | None = None
        self.empty = EmptyState("clock", *_NOTHING)
        self.list = ScrollColumn("contradictions.settled")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.empty, 1)
        column.addWidget(self.list, 1)

    @property
    def count(self) -> int:
        return len(self._shown or ())

    def show_list(self, settled: Sequence[Contradiction], now: datetime) -> None:
        """Cards are built anew only when something changed: the keyboard stays where it was."""
        if tuple(settled) == self._shown:
            return
        self._shown = tuple(settled)
        self.empty.setVisible(not settled)
        self.list.setVisible(bool(settled))
        clear_layout(self.list.column)
        for one in settled:
            self.list.add(self._card(one, now))
        self.list.add_stretch()

    def _card(self, one: Contradiction, now: datetime) -> Card:
        card = Card()
        card.setObjectName(f"contradictions.settled.{one.id}")
        card.setAccessibleName(f"{settled_line(one, now)}. A: {one.a.text} B: {one.b.text}")
        holds = {Resolution.A_WINS: "A", Resolution.B_WINS: "B"}.get(one.resolution) if one.resolution else None
        for name, side in (("A", one.a), ("B", one.b)):
            is_lost = holds is not None and name != holds
            said = PlainLabel(f"{name}  {side.text[:TEXT_CHARS]}", "sub" if is_lost else "body", wraps=True)
            if is_lost:
                look = said.font()
                look.setStrikeOut(True)
                said.setFont(look)
                said.setAccessibleDescription("no longer given to your assistants")
            card.body.addWidget(said)
        card.body.addWidget(PlainLabel(settled_line(one, now), "sub", wraps=True))
        again = Button(
            "Decide again",
            f"contradictions.reopen.{one.id}",
            icon_name="undo",
            tip="Takes the answer back, with all that it changed; both hold until you decide",
            parent=card,
        )
        again.setProperty("number", one.id)
        again.clicked.connect(self._on_again)
        memory = Button(
            f"Show memory {'A' if holds == 'A' else 'B'}",
            f"contradictions.settledMemory.{one.id}",
            kind="link",
            tip="Show it in Memories",
        )
        memory.setProperty("number", one.a.id if holds == "A" else one.b.id)
        memory.clicked.connect(self._on_memory)
        again.setVisible(one.resolution is not Resolution.MERGED or one.resolved_by == "person")
        card.body.addLayout(row(again, memory, 1))
        return card

    def _on_again(self) -> None:
        self.reopened.emit(int(self.sender().property("number")))

    def _on_memory(self) -> None:
        self.memory_opened.emit(int(self.sender().property("number")))
