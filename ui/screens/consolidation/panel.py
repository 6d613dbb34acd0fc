"""The Consolidation screen: what the next run would do, the run as it goes, the diff with yes and no, earlier runs,
and the schedule.

The next run is planned on the job worker, a moment after something changed and only while the screen is seen. Each change of
a run says why, shows before and after, and takes a yes or no, once or for good.

Source: UX 3.5, issue 17 "Window: Consolidation".
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.values.changes import DataKind
from app.values.consolidation import (
    ActionCard,
    ActionState,
    ConsolidationState,
    Habit,
    HabitCard,
    RunCard,
    RunState,
    RunTrigger,
    label_line,
)
from ui.bridge import JobDone
from ui.navigation import Place
from ui.screens.base import Panel, PanelContext
from ui.screens.consolidation.wording import (
    TIDY,
    action_name,
    apply_words,
    changes_title,
    count_line,
    due_line,
    effect_line,
    ending_line,
    habit_line,
    run_outcome,
    run_title,
    state_word,
    ticked_line,
    waiting_line,
    would_be,
    would_line,
)
from ui.screens.settings.row import SettingRow
from ui.widgets.buttons import ActionButton, Button
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.controls import CheckBox
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel
from ui.widgets.progress_strip import describe_remaining
from ui.widgets.scroll import ScrollColumn
from ui.wording.figures import counted

if TYPE_CHECKING:
    from app.api import Engine, SettingCard


TEXT_CHARS, SHORT_CHARS = 400, 60
SHOWN_TEXTS = 4


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_CHARS else f"{text[:TEXT_CHARS]}…"


class KindHead(QWidget):
    """Above all changes of one kind: how many, and what is to be done with such changes from now on."""

    habit_wanted = Signal(str, str, object)  # step, kind, Habit

    def __init__(self, action: ActionCard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "content")
        self._action = action
        self.title = PlainLabel("", "section", wraps=True)
        self._buttons = {
            habit: Button("", f"consolidation.{habit.value}.{action.step}.{action.kind}", kind="quiet")
            for habit in _HABITS
        }
        for habit, button in self._buttons.items():
            button.setProperty("habit", habit)
            button.clicked.connect(self._on_habit)
        line = row(self.title, *self._buttons.values())
        line.setContentsMargins(0, 8, 0, 0)
        line.setStretch(0, 1)
        self.setLayout(line)

    def tell(self, said: str, action: ActionCard) -> None:
        self._action = action
        self.title.setText(said)
        for habit, button in self._buttons.items():
            text, is_on = _HABITS[habit], action.habit is habit
            button.set_text(f"✓ {text}" if is_on else text)
            button.setAccessibleName(f"{text}: {action.label}" + (", chosen" if is_on else ""))
            button.setToolTip("Press again to decide as usual" if is_on else f"{text}, for all changes of this kind")

    def _on_habit(self) -> None:
        wanted = Habit(self.sender().property("habit"))
        wanted = Habit.ASK if self._action.habit is wanted else wanted
        self.habit_wanted.emit(self._action.step, self._action.kind, wanted)


_HABITS = {Habit.ALWAYS: "Always do this", Habit.NEVER: "Never do this"}


class ActionLine(Card):
    """Says by signals what is wanted; the number is the action's."""

    decided = Signal(int, bool)
    habit_wanted = Signal(str, str, object)  # step, kind, Habit
    undo_wanted = Signal(int)
    memory_wanted = Signal(int)

    def __init__(self, action: ActionCard, parent: QWidget | None = None) -> None:
        super().__init__(kind="flat", parent=parent)
        self.action = action
        self.setObjectName(f"consolidation.action.{action.id}")
        self.setAccessibleName(action_name(action))
        self._add_line(action)
        self._add_texts(action)
        self._add_buttons(action)

    @property
    def is_open_question(self) -> bool:
        return self.action.state in {ActionState.PROPOSED, ActionState.REJECTED} and not self.action.note

    def _add_line(self, action: ActionCard) -> None:
        line = QHBoxLayout()
        line.setSpacing(8)
        self.yes = CheckBox("Yes", self)
        self.yes.setObjectName(f"consolidation.yes.{action.id}")
        self.yes.setAccessibleName(f"Yes to this change: {action.why}")
        blocker = QSignalBlocker(self.yes)
        self.yes.setChecked(action.is_chosen)
        blocker.unblock()
        self.yes.toggled.connect(self._on_yes)
        if not self.is_open_question:
            self.yes.hide()
        self.opener = Button("Open", f"consolidation.open.{action.id}", kind="quiet", icon_name="eye")
        self.opener.setAccessibleName("Open its memory")
        self.opener.clicked.connect(self._on_open)
        if not action.memory_ids:
            self.opener.hide()
        line.addWidget(self.yes)
        line.addWidget(PlainLabel(f"{action.why[:1].upper()}{action.why[1:]}", "heading", wraps=True), 1)
        state = PlainLabel(state_word(action), "good" if action.state is ActionState.APPLIED else "meta", wraps=True)
        if not self.is_open_question:
            line.addWidget(state)
        self.body.addLayout(line)

    def _add_texts(self, action: ActionCard) -> None:
        stays = tuple(text for text in action.after if text in action.before)
        for text in (*action.about, *stays):
            self.body.addWidget(PlainLabel(_cut(text), wraps=True))
        if len(action.before) == 1 == len(action.after) and len(action.before[0]) < SHORT_CHARS:
            self.body.addWidget(PlainLabel(f"{action.before[0]} → {_cut(action.after[0])}", "sub", wraps=True))
            return
        gone = tuple(text for text in action.before if text not in stays)
        new = tuple(text for text in action.after if text not in stays)
        for sign, texts, role in (("−", gone, "sub"), ("+", new, "")):
            for text in texts[:SHOWN_TEXTS]:
                self.body.addWidget(PlainLabel(f"{sign} {_cut(text)}", role, wraps=True))
            if len(texts) > SHOWN_TEXTS:
                self.body.addWidget(PlainLabel(f"{sign} and {len(texts) - SHOWN_TEXTS} more", "meta"))
        if not action.after:
            back = "Archived; it can be brought back." if action.memory_ids else "Undo brings it back."
            self.body.addWidget(PlainLabel(back, "meta"))
        if action.saved_tokens > 0:
            self.body.addWidget(PlainLabel(f"{counted(action.saved_tokens, 'token')} less", "meta"))

    def _add_buttons(self, action: ActionCard) -> None:
        buttons = FlowLayout()
        buttons.addWidget(self.opener)
        if action.state is ActionState.APPLIED:
            undo = Button("Undo", f"consolidation.undo.{action.id}", kind="quiet", icon_name="undo")
            undo.setAccessibleName(f"Undo this change: {action.why}")
            undo.clicked.connect(self._on_undo)
            buttons.addWidget(undo)
        self.body.addLayout(buttons)

    def focus_first(self, name: str = "") -> None:
        """The keyboard to the part of that name, else to the first that takes it."""
        parts = self.findChildren(QAbstractButton)
        able = [one for one in parts if one.isEnabled() and one.isVisibleTo(self)]
        named = [one for one in able if one.objectName() == name]
        for one in (*named, *able)[:1]:
            one.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def want_habit(self, habit: Habit) -> None:
        """This, or as usual where it was this already."""
        wanted = Habit.ASK if self.action.habit is habit else habit
        self.habit_wanted.emit(self.action.step, self.action.kind, wanted)

    def _on_yes(self, is_accepted: bool) -> None:
        self.decided.emit(self.action.id, is_accepted)

    def _on_undo(self) -> None:
        self.undo_wanted.emit(self.action.id)

    def _on_open(self) -> None:
        if self.action.memory_ids:
            self.memory_wanted.emit(self.action.memory_ids[0])


PAGE_ROWS = 10
RUNS_SHOWN = 20
ESTIMATE_JOB = "consolidation.estimate"
ESTIMATE_AFTER_MS = 700
_GROUP = "Consolidation"
_BESIDE = ("decay_half_life_days", "notes_per_app", "rule_idle_runs")  # of other groups, but a run obeys them
_TIMING = frozenset(
    {"is_consolidating", "consolidation_events", "consolidation_hours", "is_consolidating_at_night"}
)  # change when the next run comes, not what it does
_GOES_ON = "A run is in progress. What it changes appears here when it is over, with Undo."
_NO_RUN = "It has not run yet. Preview shows what it would do, change by change. An automatic run can be undone, whole or one change at a time."


@dataclass(frozen=True, slots=True)
class View:
    """What the screen shows, read in one go."""

    state: ConsolidationState
    runs: tuple[RunCard, ...]
    shown: RunCard | None
    actions: tuple[ActionCard, ...]
    cards: "tuple[SettingCard, ...]"
    habits: tuple[HabitCard, ...]
    now: datetime


def read_view(engine: "Engine", wanted_id: int | None, limit: int) -> View:
    """For the read worker. Without a wanted run: the first of what is there."""
    state = engine.consolidation.state()
    runs = engine.consolidation.runs(limit=RUNS_SHOWN)
    shown = next((one for one in runs if one.id == wanted_id), None) or _first_of(state)
    return View(
        state=state,
        runs=tuple(one for one in runs if one.state is not RunState.PLANNED),
        shown=shown,
        actions=_actions(engine, shown, limit) if shown is not None else (),
        cards=_thresholds(engine.settings.list()),
        habits=engine.consolidation.habit_cards(),
        now=engine.clock.now(),
    )


def _actions(engine: "Engine", run: RunCard, limit: int) -> tuple[ActionCard, ...]:
    """Those that wait for a yes first; a preview keeps the order in which it was looked through."""
    listed = engine.consolidation.actions(run.id, limit=limit)
    if run.trigger is RunTrigger.PREVIEW:
        return listed
    waiting = engine.consolidation.actions(run.id, state=ActionState.PROPOSED, limit=limit)
    return (*waiting, *(one for one in listed if one.state is not ActionState.PROPOSED))[:limit]


def _first_of(state: ConsolidationState) -> RunCard | None:
    """The preview, else what rests, else the last run."""
    return state.preview or state.paused or state.last_run


def _thresholds(cards: "Iterable[SettingCard]") -> "tuple[SettingCard, ...]":
    """Those of the group, then what else a run obeys."""
    listed = tuple(cards)
    own = tuple(card for card in listed if card.group == _GROUP and not card.is_internal)
    return own + tuple(card for name in _BESIDE for card in listed if card.name == name)


def _key(action: ActionCard, view: View) -> tuple[str, str, bool]:
    """Under which head it stands: of a run that is over, what waits for a yes under one of its own."""
    is_preview = view.shown is not None and view.shown.trigger is RunTrigger.PREVIEW
    return action.step, action.kind, action.state is ActionState.PROPOSED and not is_preview


def _head_line(action: ActionCard, view: View) -> str:
    counts = view.shown.counts if view.shown is not None else ()
    found = next((one for one in counts if (one.step, one.kind) == (action.step, action.kind)), None)
    if found is None:
        return action.label
    if _key(action, view)[2]:
        return f"Waiting for your yes: {label_line(found.proposed, would_be(found.label))}"
    if view.shown is not None and view.shown.state is RunState.PLANNED:
        return count_line(replace(found, label=would_be(found.label)))
    return count_line(found, is_over=view.shown is not None and view.shown.trigger is not RunTrigger.PREVIEW)


class ConsolidationPanel(Panel):
    screen_id: ClassVar[str] = "consolidation"
    title: ClassVar[str] = "Consolidation"
    primary_action: ClassVar[str] = "consolidation.now"
    has_actions: ClassVar[bool] = True
    concerns: ClassVar[frozenset[DataKind]] = frozenset({DataKind.RUNS, DataKind.SETTINGS, DataKind.MEMORIES})

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._view: View | None = None
        self._estimate: RunCard | None = None
        self._before: RunCard | None = None  # the estimate before a setting was changed
        self._changed = ""  # that setting
        self._run_id: int | None = None
        self._is_wanted = False  # that run was asked for, and is not seen yet
        self._limit = PAGE_ROWS
        self._rows: list[ActionLine] = []
        self._heads: dict[tuple[str, str, bool], KindHead] = {}
        self._settings: dict[str, SettingRow] = {}
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(ESTIMATE_AFTER_MS)
        self._later.timeout.connect(self._ask_estimate)
        self._reveal = QTimer(self)  # behind the layout that a preview brings
        self._reveal.setSingleShot(True)
        self._reveal.setInterval(0)
        self._reveal.timeout.connect(self._on_reveal)
        self._is_asked = self._is_stale = False
        self._build()
        context.bridge.finished.connect(self._on_finished)

    # -- building

    def _build(self) -> None:
        self.page = ScrollColumn("consolidation.page", width_px=900)
        self.page.add(self._build_head())
        self.page.add(self._build_diff())
        self.page.add(self._build_habits())
        self.page.add(self._build_runs())
        self.page.add(self._build_thresholds())
        self.page.add_stretch()
        self.body.addWidget(self.page, 1)

    def _build_head(self) -> Card:
        card = Card("The next run")
        card.setObjectName("consolidation.next")
        self.would = PlainLabel(would_line(None), wraps=True)
        self.would.setObjectName("consolidation.would")
        self.due = PlainLabel("", "sub", wraps=True)
        self.due.setObjectName("consolidation.due")
        self.steps = FlowLayout()
        self.steps_holder = QWidget()
        self.steps_holder.setProperty("role", "content")
        self.steps_holder.setLayout(self.steps)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName("Progress of the run")
        self.left = PlainLabel("", "meta")
        for widget in (self.would, self.due, self.steps_holder, self.bar, self.left):
            card.body.addWidget(widget)
        buttons = FlowLayout()
        for name, icon_name in (("preview", "eye"), ("pause", "pause"), ("continue", "play"), ("stop", "stop")):
            action = self.context.actions.action(f"consolidation.{name}")
            button = ActionButton(action, icon_name, only_able=True, parent=card)
            button.leaving.connect(self._on_leaving)
            buttons.addWidget(button)
        card.body.addLayout(buttons)
        return card

    def _build_diff(self) -> Card:
        self.diff = Card("Changes")
        self.diff.setObjectName("consolidation.diff")
        self.outcome = PlainLabel(_NO_RUN, "sub", wraps=True)
        self.outcome.setObjectName("consolidation.outcome")
        self.diff.body.addWidget(self.outcome)
        actions = self.context.actions
        buttons = FlowLayout()
        self.apply = ActionButton(
            actions.action("consolidation.apply"), "check", kind="primary", only_able=True, parent=self.diff
        )
        self.undo = ActionButton(actions.action("consolidation.undoRun"), "undo", only_able=True, parent=self.diff)
        for acting in (self.apply, self.undo):
            acting.leaving.connect(self._on_leaving)
        self.copy = Button("Copy details", "consolidation.copy", kind="quiet", icon_name="copy")
        self.copy.clicked.connect(self._on_copy)
        self.copy.hide()
        for button in (self.apply, self.undo, self.copy):
            buttons.addWidget(button)
        self.diff.body.addLayout(buttons)
        self.list = QVBoxLayout()
        self.list.setSpacing(8)
        self.diff.body.addLayout(self.list)
        self.more = Button("Show more", "consolidation.more", kind="link")
        self.more.clicked.connect(self._on_more)
        self.more.hide()
        self.diff.body.addWidget(self.more)
        return self.diff

    def _build_habits(self) -> Card:
        self.habits_card = Card("Always and never")
        self.habits_card.setObjectName("consolidation.habits")
        self.habits = QVBoxLayout()
        self.habits.setSpacing(6)
        self.habits_card.body.addLayout(self.habits)
        self.habits_card.hide()
        return self.habits_card

    def _build_runs(self) -> Card:
        card = Card("Earlier runs")
        card.setObjectName("consolidation.runs")
        self.runs = QVBoxLayout()
        self.runs.setSpacing(6)
        card.body.addLayout(self.runs)
        self.runs_card = card
        return card

    def _build_thresholds(self) -> Card:
        card = Card("When and how")
        card.setObjectName("consolidation.thresholds")
        self.effect = PlainLabel("", "accent", wraps=True)
        self.effect.setObjectName("consolidation.effect")
        self.effect.hide()
        self.thresholds = QVBoxLayout()
        self.thresholds.setSpacing(0)
        self.thresholds.addWidget(self.effect)
        card.body.addLayout(self.thresholds)
        return card

    # -- reading

    def refresh(self) -> None:
        wanted, limit = self._run_id, self._limit
        self.context.bridge.ask("consolidation", lambda engine: read_view(engine, wanted, limit), self._on_view)

    def let_go(self) -> None:
        clear_layout(self.list)
        self._rows, self._heads = [], {}
        self._view = None
        self.mark_dirty()

    def visit(self, place: Place) -> None:
        super().visit(place)
        if place.object_id is not None and place.object_id != self._run_id:
            self._show_run(place.object_id)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._later.start()

    def _on_view(self, view: View) -> None:
        before, self._view = self._view, view
        self._show_state(view)
        shown = view.shown
        seen = (view.shown, view.actions, view.state.is_running)
        if before is None or (before.shown, before.actions, before.state.is_running) != seen:
            self._show_actions(view)
        if before is None or before.habits != view.habits:
            self._show_habits(view)
        if before is None or before.runs != view.runs or before.shown != shown:
            self._show_runs(view)
        self._show_settings(view.cards)
        if self._changed in _TIMING:
            self._show_effect(due_line(view.state, view.now))
        if before is None or not view.state.is_running:
            self._later.start()
        self.abilities_changed.emit()
        is_new = before is not None and (before.shown is None or shown is None or before.shown.id != shown.id)
        is_wanted = self._is_wanted and shown is not None and shown.id == self._run_id
        if is_wanted or (is_new and shown is not None and shown.state is RunState.PLANNED):
            self._is_wanted = False
            self._reveal.start()

    def _show_state(self, view: View) -> None:
        state = view.state
        last = state.last_run
        self.set_status(f"Last run: {run_title(last)}" if last is not None else "It has not run yet")
        self.due.setText(due_line(state, view.now))
        for widget in (self.steps_holder, self.bar, self.left):
            widget.setVisible(state.is_running)
        self.would.setVisible(not state.is_running)
        if state.is_running:
            self._show_steps(state)
            self.bar.setRange(0, state.total or state.step_count)
            self.bar.setValue(state.done if state.total else max(0, state.step_number - 1))
            done = (
                f"{state.done:,} of {state.total:,}"
                if state.total
                else f"step {state.step_number} of {state.step_count}"
            )
            stopping = ending_line(state) or describe_remaining(state.remaining_s)
            self.left.setText(" · ".join(part for part in (state.step, done, stopping) if part))

    def _show_steps(self, state: ConsolidationState) -> None:
        clear_layout(self.steps)
        for number, title in enumerate(state.step_titles, 1):
            is_over = number < state.step_number or state.total is not None
            mark = "✓" if is_over else "●" if number == state.step_number else "○"
            role = "good" if is_over else "accent" if number == state.step_number else "sub"
            found = f" {state.step_found[number - 1]:,}" if number <= len(state.step_found) else ""
            self.steps.addWidget(PlainLabel(f"{mark} {title}{found}", role))

    def _show_actions(self, view: View) -> None:
        shown = view.shown
        self.copy.setVisible(shown is not None and shown.state is RunState.FAILED)
        if shown is None:
            self.diff.set_title("Changes")
            self.outcome.setText(_GOES_ON if view.state.is_running else _NO_RUN)
            self.more.hide()
            self._show_rows(view)
            return
        self.diff.set_title(changes_title(shown))
        said = (f"{run_title(shown)}.", run_outcome(shown), ticked_line(shown))
        self.outcome.setText(" ".join(part for part in said if part))
        self.apply.set_text(apply_words(shown.chosen_count, shown.chosen_count + shown.waiting_count))
        self.more.setVisible(len(view.actions) >= self._limit)
        if self._rows and [row.action.id for row in self._rows] == [action.id for action in view.actions]:
            self._replace_changed(view.actions)
        else:
            self._show_rows(view)
        for action in view.actions:
            if head := self._heads.get(_key(action, view)):
                head.tell(_head_line(action, view), action)

    def _show_rows(self, view: View) -> None:
        focus = QApplication.focusWidget()
        had_focus = focus is not None and any(one.isAncestorOf(focus) for one in (*self._rows, *self._heads.values()))
        if focus is not None and had_focus:
            focus.clearFocus()  # else it goes to what comes next, and the page with it
        clear_layout(self.list)
        self._rows, self._heads = [], {}
        for action in view.actions:
            key = _key(action, view)
            if key not in self._heads:
                self._heads[key] = head = KindHead(action)
                head.habit_wanted.connect(self._on_habit)
                self.list.addWidget(head)
            made = self._make_row(action)
            self._rows.append(made)
            self.list.addWidget(made)
        if not view.actions and view.shown is not None and view.shown.state is RunState.PLANNED:
            self.list.addWidget(PlainLabel(f"{TIDY} What you rejected or undid is not proposed again.", "sub"))
        if had_focus and self._rows:
            self._rows[0].show()
            self._rows[0].focus_first()

    def _replace_changed(self, actions: tuple[ActionCard, ...]) -> None:
        """Only the cards that say something else now, so that neither the keyboard nor the page loses its place."""
        focus = QApplication.focusWidget()
        for place, action in enumerate(actions):
            old = self._rows[place]
            if old.action == action:
                continue
            made = self._make_row(action)
            self.list.insertWidget(self.list.indexOf(old), made)
            made.show()
            if focus is not None and old.isAncestorOf(focus):
                made.focus_first(focus.objectName())
            self.list.removeWidget(old)
            old.hide()
            old.deleteLater()
            self._rows[place] = made

    def _make_row(self, action: ActionCard) -> ActionLine:
        made = ActionLine(action)
        made.decided.connect(self._on_decided)
        made.habit_wanted.connect(self._on_habit)
        made.undo_wanted.connect(self._on_undo_one)
        made.memory_wanted.connect(self.open_memory)
        return made

    @contextmanager
    def _keeping_focus(self, part: QWidget) -> Iterator[None]:
        """Rebuilds a part and returns the keyboard focus to it if it had it."""
        focus = QApplication.focusWidget()
        if focus is None or not part.isAncestorOf(focus):
            yield
            return
        name = focus.objectName()
        focus.clearFocus()
        yield
        able = [one for one in part.findChildren(QAbstractButton) if one.isEnabled()]
        for one in [*(one for one in able if one.objectName() == name), *able][:1]:
            one.show()
            one.setFocus(Qt.FocusReason.OtherFocusReason)
        if not able:
            self._on_leaving()

    def _on_leaving(self) -> None:
        """The focused button disappears: moves the focus to the first change, so that it does not land on a switch further down."""
        focus = QApplication.focusWidget()
        if self._rows:
            self._rows[0].focus_first()
        elif focus is not None and self.isAncestorOf(focus):
            focus.clearFocus()

    def _show_habits(self, view: View) -> None:
        with self._keeping_focus(self.habits_card):
            self._fill_habits(view)

    def _fill_habits(self, view: View) -> None:
        clear_layout(self.habits)
        self.habits_card.setVisible(bool(view.habits))
        for card in view.habits:
            button = Button("As usual", f"consolidation.usual.{card.step}.{card.kind}", kind="quiet", icon_name="undo")
            button.setAccessibleName(f"Ask as usual again: {card.label}")
            button.setProperty("habit", (card.step, card.kind))
            button.clicked.connect(self._on_usual)
            line = row(PlainLabel(habit_line(card), "sub", wraps=True), button)
            line.setStretch(0, 1)
            self.habits.addLayout(line)

    def _show_runs(self, view: View) -> None:
        with self._keeping_focus(self.runs_card):
            self._fill_runs(view)

    def _fill_runs(self, view: View) -> None:
        clear_layout(self.runs)
        self.runs_card.setVisible(len(view.runs) > 1)
        for run in view.runs:
            said = (f"{run_title(run)}:", run_outcome(run), waiting_line(run.waiting_count + run.chosen_count))
            text = PlainLabel(" ".join(part for part in said if part), "sub", wraps=True)
            is_shown = view.shown is not None and view.shown.id == run.id
            button = Button("Shown" if is_shown else "Show", f"consolidation.run.{run.id}", kind="quiet")
            button.setAccessibleName(f"Show the run of {run_title(run)}")
            button.setEnabled(not is_shown)
            button.setProperty("run", run.id)
            button.clicked.connect(self._on_run)
            line = row(text, button)
            line.setStretch(0, 1)
            self.runs.addLayout(line)

    def _show_settings(self, cards: "tuple[SettingCard, ...]") -> None:
        for card in cards:
            known = self._settings.get(card.name)
            if known is not None:
                known.show_values(card)
                continue
            made = SettingRow(card)
            made.chosen.connect(self._on_setting)
            made.reset_pressed.connect(self._on_reset)
            self._settings[card.name] = made
            self.thresholds.addWidget(made)

    # -- what the next run would do

    def _ask_estimate(self) -> None:
        is_idle = self._view is not None and not self._view.state.is_running
        if not self.isVisible() or not is_idle:
            return
        if self._is_asked:
            self._is_stale = True
            return
        self._is_asked = True
        self.context.bridge.start(ESTIMATE_JOB, lambda job: job.engine.consolidation.estimate())

    def _on_finished(self, done: JobDone) -> None:
        if done.job_id != ESTIMATE_JOB or not isinstance(done.value, RunCard):
            return
        self._is_asked = False
        self._estimate = done.value
        self.would.setText(would_line(done.value))
        if self._before is not None:
            self._show_effect(effect_line(self._before, done.value))
            self._before = None
        if self._is_stale:
            self._is_stale = False
            self._later.start()

    def _on_setting(self, name: str, value: object) -> None:
        self._note_change(name)
        self.context.bridge.do("settings.change", lambda engine: engine.settings.set(name, value))

    def _on_reset(self, name: str) -> None:
        self._note_change(name)
        self.context.bridge.do("settings.reset", lambda engine: engine.settings.reset(name))

    def _note_change(self, name: str) -> None:
        """Its effect is told below it as soon as it is worked out; when the next run comes, with the next reading."""
        is_same = self._changed == name and self._before is not None
        self._changed = name
        if name not in _TIMING and not is_same:
            self._before = self._estimate

    def _show_effect(self, text: str) -> None:
        changed = self._settings.get(self._changed)
        if changed is None:
            return
        self.thresholds.removeWidget(self.effect)
        self.thresholds.insertWidget(self.thresholds.indexOf(changed) + 1, self.effect)
        self.effect.setText(text)
        self.effect.show()

    # -- doing

    @property
    def current(self) -> ActionLine | None:
        """The change with the keyboard in it."""
        focus = QApplication.focusWidget()
        return next((one for one in self._rows if focus is not None and one.isAncestorOf(focus)), None)

    def abilities(self) -> frozenset[str]:
        return frozenset(self._abilities())

    def _abilities(self) -> Iterator[str]:
        view = self._view
        if view is None or view.state.is_running:
            return
        if self._rows:
            for name in ("next", "previous", "open", "accept", "reject", "always", "never", "undoOne"):
                yield f"consolidation.{name}"
        if view.shown is not None and view.shown.is_undoable:
            yield "consolidation.undoRun"
        if view.shown is not None and view.shown.chosen_count and view.shown.state is not RunState.PAUSED:
            yield "consolidation.apply"

    def run(self, action_id: str) -> None:
        match action_id.removeprefix("consolidation."):
            case "next":
                self._step(1)
            case "previous":
                self._step(-1)
            case "apply" if self._view is not None and self._view.shown is not None:
                run_id = self._view.shown.id
                self.context.bridge.do(action_id, lambda engine: engine.consolidation.start_applying(run_id))
            case "undoRun" if self._view is not None and self._view.shown is not None:
                run_id = self._view.shown.id
                self.context.bridge.do(action_id, lambda engine: engine.consolidation.undo(run_id))
            case name:
                found = self.current or next(iter(self._rows), None)
                if found is not None:
                    self._run_on(name, found)

    def _run_on(self, name: str, found: ActionLine) -> None:
        match name:
            case "open" if found.action.memory_ids:
                self.open_memory(found.action.memory_ids[0])
            case "accept" | "reject" if found.is_open_question:
                self._on_decided(found.action.id, name == "accept")
                self._step(1)
            case "always" | "never":
                found.want_habit(Habit(name))
            case "undoOne" if found.action.state is ActionState.APPLIED:
                self._on_undo_one(found.action.id)

    def _step(self, step: int) -> None:
        if not self._rows:
            return
        current = self.current
        place = self._rows.index(current) + step if current is not None else 0
        found = self._rows[max(0, min(len(self._rows) - 1, place))]
        found.focus_first()
        self.page.ensureWidgetVisible(found)

    def _on_reveal(self) -> None:
        """Scrolls to the preview or earlier run that was asked for, its heading at the top.

        The button that was pressed is gone, and Qt hands its focus to whatever comes next: then the first change has it.
        """
        focus = QApplication.focusWidget()
        is_elsewhere = focus is not None and self.page.isAncestorOf(focus) and not self.diff.isAncestorOf(focus)
        if self._rows and (focus is None or is_elsewhere):
            self._rows[0].focus_first()
        self.page.verticalScrollBar().setValue(self.diff.mapTo(self.page.content, QPoint(0, 0)).y())

    def _show_run(self, run_id: int) -> None:
        self._run_id = run_id
        self._limit = PAGE_ROWS
        self.mark_dirty()

    def _on_run(self) -> None:
        self._is_wanted = True
        self._show_run(int(self.sender().property("run")))

    def _on_copy(self) -> None:
        if self._view is not None and self._view.shown is not None:
            shown = self._view.shown
            said = f"Run {shown.id}, {shown.trigger.value}, {shown.started_at.isoformat()}: {shown.problem}"
            QGuiApplication.clipboard().setText(said)

    def _on_more(self) -> None:
        self._limit += PAGE_ROWS
        self.refresh()

    def _on_decided(self, action_id: int, is_accepted: bool) -> None:
        self.context.bridge.do(
            "consolidation.decide",
            lambda engine: engine.consolidation.decide([action_id], is_accepted=is_accepted),
        )

    def _on_usual(self) -> None:
        step, kind = self.sender().property("habit")
        self._on_habit(step, kind, Habit.ASK)

    def _on_habit(self, step: str, kind: str, habit: Habit) -> None:
        self.context.bridge.do("consolidation.habit", lambda engine: engine.consolidation.set_habit(step, kind, habit))

    def _on_undo_one(self, action_id: int) -> None:
        self.context.bridge.do("consolidation.undoOne", lambda engine: engine.consolidation.undo_action(action_id))
