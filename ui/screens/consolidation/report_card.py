"""The report on Now: what the last run did, with Undo. Source: UX 3.5."""

from datetime import datetime

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.values.consolidation import ConsolidationState
from ui.actions.table import ActionRegistry
from ui.screens.consolidation.wording import due_line, run_outcome, run_title, waiting_line
from ui.widgets.buttons import ActionButton, Button
from ui.widgets.card import Card
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel


class ReportCard(Card):
    """`opened` asks for the screen, `undone` carries the number of a run."""

    opened = Signal()
    undone = Signal(int)

    def __init__(self, actions: ActionRegistry, parent: QWidget | None = None) -> None:
        super().__init__("Consolidation", parent=parent)
        self.setObjectName("consolidation.report")
        self._run_id: int | None = None
        self.outcome = PlainLabel("", "sub", wraps=True)
        self.outcome.setObjectName("consolidation.report.outcome")
        self.due = PlainLabel("", "meta", wraps=True)
        self.body.addWidget(self.outcome)
        self.body.addWidget(self.due)
        buttons = FlowLayout()
        self.stop = ActionButton(actions.action("consolidation.stop"), "stop", only_able=True, parent=self)
        self.go_on = ActionButton(actions.action("consolidation.continue"), "play", only_able=True, parent=self)
        self.show_it = Button("Show", "consolidation.report.show", kind="quiet", icon_name="eye")
        self.show_it.setAccessibleName("Show what consolidation did")
        self.show_it.clicked.connect(self.opened)
        self.undo = Button("Undo this run", "consolidation.report.undo", kind="quiet", icon_name="undo")
        self.undo.clicked.connect(self._on_undo)
        for button in (self.go_on, self.stop, self.show_it, self.undo):
            buttons.addWidget(button)
        self.body.addLayout(buttons)

    def tell(self, state: ConsolidationState, now: datetime) -> None:
        run = state.paused or state.last_run
        self._run_id = run.id if run is not None and run.is_undoable else None
        said = f"{run_title(run)}. {run_outcome(run)}" if run is not None else "It has not run yet."
        if state.waiting_count:
            said += f" {waiting_line(state.waiting_count)}"
        self.outcome.setText(said)
        self.due.setText(due_line(state, now))
        self.undo.setVisible(self._run_id is not None and not state.is_running)
        self.setAccessibleName(f"Consolidation. {said}")

    def _on_undo(self) -> None:
        if self._run_id is not None:
            self.undone.emit(self._run_id)
