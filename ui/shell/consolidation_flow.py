"""Consolidation in the frame: the strip while a run continues, whoever started it, and one notice with Undo when it ends.

Knows the bridge and the strip; the screen listens for itself. Source: UX 3.5.
"""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal

from app.values.changes import Changes, DataKind, Progress
from app.values.consolidation import ConsolidationState, RunCard, RunState, RunTrigger
from ui.bridge import EngineBridge
from ui.notices import Notice, NoticeKind
from ui.widgets.progress_strip import ProgressStrip

JOB = "consolidation"


class ConsolidationFlow(QObject):
    """`busy_changed` when a run begins or ends."""

    busy_changed = Signal()

    def __init__(
        self,
        bridge: EngineBridge,
        strip: ProgressStrip,
        notify: Callable[[Notice], None],
        show: Callable[[], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._strip = strip
        self._notify = notify
        self._show = show
        self._shown_run: tuple[int, RunState] | None = None  # the last run that rested or was over when it was told
        self._shown_act: tuple[int, int | None] | None = None
        self._is_known = False
        self.is_running = self.is_paused = False
        bridge.changed.connect(self._on_changes)
        bridge.opened.connect(self._look)
        strip.stop_pressed.connect(self._on_stop)

    def start(self, *, is_preview: bool = False) -> None:
        self._bridge.do("consolidation.now", lambda engine: engine.consolidation.start(is_preview=is_preview))

    def stop(self) -> None:
        self._bridge.do("consolidation.stop", lambda engine: engine.consolidation.cancel())

    def pause(self) -> None:
        self._bridge.do("consolidation.pause", lambda engine: engine.consolidation.pause())

    def go_on(self) -> None:
        self._bridge.do("consolidation.continue", lambda engine: engine.consolidation.start_going_on())

    def undo(self, run_id: int) -> None:
        self._bridge.do("consolidation.undo", lambda engine: engine.consolidation.undo(run_id))

    def _on_changes(self, changes: Changes) -> None:
        if DataKind.RUNS in changes.kinds:
            self._look()

    def _look(self) -> None:
        self._bridge.ask("shell.consolidation", lambda engine: engine.consolidation.state(), self._on_state)

    def _on_state(self, state: ConsolidationState) -> None:
        was = (self.is_running, self.is_paused)
        was_running = self.is_running
        self.is_running, self.is_paused = state.is_running, state.paused is not None
        if state.is_running:
            if not was_running and not self._strip.job_id:
                self._strip.begin(JOB, state.step or "Consolidating")
            done, total = state.done, state.total
            if total is None and state.step_count:  # it plans: so many steps are over
                done, total = max(0, state.step_number - 1), state.step_count
            self._strip.show_values(Progress(JOB, state.step, done, total, state.remaining_s))
        elif was_running:
            self._strip.finish(JOB)
        self._show_later(state)
        last = state.paused or state.last_run
        if last is not None and not state.is_running and (last.id, last.state) != self._shown_run:
            if self._is_known and last.id != state.later_run_id:
                self._report(last)
            self._shown_run = last.id, last.state
        self._is_known = True
        if was != (self.is_running, self.is_paused):
            self.busy_changed.emit()

    def _show_later(self, state: ConsolidationState) -> None:
        """Applies what was accepted later in a finished run, as an act with its own undo."""
        if state.is_running or state.later_run_id is None:
            return
        act = state.later_run_id, state.later_act_id
        if act == self._shown_act:
            return
        self._shown_act = act
        number = state.later_act_id
        if number is None:
            text = "Nothing was changed, because these memories have changed since. Preview the next run to look again."
            self._notify(Notice(text, NoticeKind.WARN))
            return
        undo = partial(self._bridge.do, "edit.undo", lambda engine: engine.journal.undo(number))
        about = state.later_act
        self._notify(Notice(about, NoticeKind.GOOD, "Undo", undo, key="Ctrl+Z", about=about))

    def _report(self, run: RunCard) -> None:
        from ui.screens.consolidation.wording import run_outcome

        if run.state is RunState.PAUSED:
            self._notify(Notice(f"Consolidation: {run_outcome(run)}", NoticeKind.GOOD, "Continue", self.go_on))
        elif run.state is RunState.FAILED:
            self._notify(Notice(f"Consolidation: {run_outcome(run)}", NoticeKind.WARN, "Show", self._show))
        elif run.is_undoable:
            text = f"Consolidation is done. {run_outcome(run)}"
            key = (
                "Ctrl+Z" if run.trigger is RunTrigger.BUTTON else ""
            )  # then it is your last act, and goes with the next
            self._notify(Notice(text, NoticeKind.GOOD, "Undo", lambda: self.undo(run.id), key=key))
        elif run.trigger is RunTrigger.BUTTON:
            self._notify(Notice(f"Consolidation: {run_outcome(run)}", NoticeKind.GOOD))

    def _on_stop(self, job_id: str) -> None:
        if job_id == JOB:
            self.stop()
