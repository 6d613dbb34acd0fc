"""What the memory was good for today: each thing that an assistant took up, what it did, with which prompt it was given.

Shows values; hidden while there is nothing. Where a line leads is said by a signal. Source: issue 16 point 11.
"""

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.values import ActionKind, Citation, UsedMemory
from ui.widgets.buttons import Button, FitButton
from ui.widgets.card import Card, clear_layout
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.wording.figures import times
from ui.wording.values import app_title, counted

SHOWN = 3
PROMPT_CHARS, DETAIL_CHARS = 120, 80


class UsedCard(Card):
    """`receipt_wanted` carries the number of a receipt, `memory_wanted` that of a memory."""

    receipt_wanted = Signal(int)
    memory_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Memories used today", parent=parent)
        self.setObjectName("now.used")
        self._shown: tuple[UsedMemory, ...] = ()
        self.line = PlainLabel("", "sub", wraps=True)
        self._lines = QVBoxLayout()
        self._lines.setSpacing(6)
        self.body.addWidget(self.line)
        self.body.addLayout(self._lines)
        self.hide()

    @property
    def shown(self) -> tuple[UsedMemory, ...]:
        return self._shown

    def set_used(self, used: Sequence[UsedMemory]) -> None:
        """Another reading; what did not change keeps the focus."""
        self.setVisible(bool(used))
        if tuple(used) == self._shown:
            return
        self._shown = tuple(used)
        self.line.setText(used_today(used))
        clear_layout(self._lines)
        for number, one in enumerate(used[:SHOWN]):
            self._lines.addLayout(self._made(number, one))
        if len(used) > SHOWN:
            self._lines.addWidget(PlainLabel(f"and {len(used) - SHOWN} more", "meta"))

    def _made(self, number: int, one: UsedMemory) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(0)
        title = FitButton(one.title, f"now.used.{number}", kind="link", tip="Show the memory")
        title.setProperty("memory", one.citation.memory_id)
        title.clicked.connect(self._on_memory)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.setContentsMargins(5, 0, 0, 0)  # as far in as the words of the link above
        act = ElidedLabel(act_words(one.citation), "meta")
        act.setContentsMargins(5, 0, 0, 0)
        words = ElidedLabel(given_words(one.prompt), "meta")
        receipt = Button(
            "Receipt", f"now.used.receipt.{number}", kind="link", tip="Show the context that it was given in"
        )
        receipt.setAccessibleName(f"The context that gave “{one.title[:60]}”")
        receipt.setProperty("receipt", one.citation.receipt_id)
        receipt.clicked.connect(self._on_receipt)
        line.addWidget(words, 1)
        line.addWidget(receipt)
        column.addWidget(title)
        column.addWidget(act)
        column.addLayout(line)
        return column

    def _on_memory(self) -> None:
        self.memory_wanted.emit(int(self.sender().property("memory")))

    def _on_receipt(self) -> None:
        self.receipt_wanted.emit(int(self.sender().property("receipt")))


def used_today(used: Sequence[UsedMemory]) -> str:
    """The sentence over them: how many were used, by whom, and how often where that is more.

    >>> used_today(())
    'None yet.'
    """
    if not used:
        return "None yet."
    again = sum(one.citation.kind is ActionKind.PROMPT for one in used)
    counts = Counter(one.citation.app for one in used if one.citation.kind is not ActionKind.PROMPT)
    who = [f"{count:,} by {app_title(app)}" for app, count in counts.most_common()]
    who += [f"{again:,} that you typed again"] if again else []
    total = sum(one.use_count for one in used)
    often = f", {times(total)}" if total > len(used) else ""
    return f"{counted(len(used), 'memory', 'memories')}{often}: {', '.join(who)}."


def act_words(one: Citation) -> str:
    """What was done with it.

    >>> from datetime import datetime
    >>> act_words(Citation(1, 2, datetime(2026, 1, 1), ActionKind.COMMAND, "pnpm install", is_followed=True))
    'followed: ran pnpm install'
    """
    detail = " ".join(one.detail.split())
    detail = detail if len(detail) <= DETAIL_CHARS else f"{detail[:DETAIL_CHARS]}…"
    match one.kind:
        case ActionKind.COMMAND:
            said = f"ran {detail}"
        case ActionKind.EDIT:
            said = f"edited {detail.replace(chr(92), '/').rsplit('/', 1)[-1]}"
        case ActionKind.ANSWER:
            said = "in its answer"
        case ActionKind.PROMPT:
            said = "you typed it again"
    return f"followed: {said}" if one.is_followed else said


def given_words(prompt: str) -> str:
    """With what it was given.

    >>> given_words("fix  the build"), given_words("")
    ('given with “fix the build”', 'given at a session start')
    """
    line = " ".join(prompt.split())
    if not line:
        return "given at a session start"
    return f"given with “{line if len(line) <= PROMPT_CHARS else line[:PROMPT_CHARS] + '…'}”"
