"""The menu of outcomes: to end a conversation with one, or to set one. Says the choice by signals."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.values import Conversation, Outcome
from ui.wording.values import OUTCOME_HELP, OUTCOME_WORDS


class OutcomeMenu(QMenu):
    """`ended` carries the conversation and the outcome, None for "as it was understood"."""

    ended = Signal(int, object)
    outcome_chosen = Signal(int, object)

    def __init__(self, conversation: Conversation, *, is_end: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("outcomes")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._conversation_id = conversation.id
        self._is_end = is_end
        if is_end:
            understood = f" ({OUTCOME_WORDS[conversation.outcome]})" if conversation.outcome else ""
            self._add(f"End{understood}", None)
            self.addSeparator()
        for n, outcome in enumerate(Outcome, start=1):
            prefix = "End: " if is_end else ""
            action = self._add(f"&{n}  {prefix}{OUTCOME_WORDS[outcome]}", outcome)
            action.setStatusTip(OUTCOME_HELP[outcome])
            action.setCheckable(not is_end)
            action.setChecked(not is_end and outcome is conversation.outcome)
        self.triggered.connect(self._on_triggered)

    def _add(self, text: str, outcome: Outcome | None) -> QAction:
        action = self.addAction(text)
        action.setData(outcome.value if outcome is not None else "")
        action.setObjectName(f"outcome.{action.data() or 'understood'}")
        return action

    def _on_triggered(self, action: QAction) -> None:
        outcome = Outcome(action.data()) if action.data() else None
        if self._is_end:
            self.ended.emit(self._conversation_id, outcome)
        elif outcome is not None:
            self.outcome_chosen.emit(self._conversation_id, outcome)
