"""One change of a run: why, before and after, yes and no, for good or for once. Texts of people are plain and bounded."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QWidget

from app.values.consolidation import ActionCard, ActionState, Habit
from ui.screens.consolidation.wording import action_name, habit_words, state_word
from ui.widgets.buttons import Button
from ui.widgets.card import Card
from ui.widgets.controls import CheckBox
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel
from ui.wording.figures import counted

TEXT_CHARS = 400
SHOWN_TEXTS = 4


class ActionRow(Card):
    """Says by signals what is wanted; the number is the action's."""

    decided = Signal(int, bool)
    habit_wanted = Signal(str, str, object)  # step, kind, Habit
    undo_wanted = Signal(int)
    memory_wanted = Signal(int)

    def __init__(self, action: ActionCard, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
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
        self.opener.setEnabled(bool(action.memory_ids))
        line.addWidget(self.yes)
        line.addWidget(PlainLabel(f"{action.why[:1].upper()}{action.why[1:]}", "heading", wraps=True), 1)
        state = PlainLabel(state_word(action), "good" if action.state is ActionState.APPLIED else "meta", wraps=True)
        if not self.is_open_question:
            line.addWidget(state)
        line.addWidget(self.opener)
        self.body.addLayout(line)

    def _add_texts(self, action: ActionCard) -> None:
        for sign, texts, role in (("−", action.before, "sub"), ("+", action.after, "")):
            for text in texts[:SHOWN_TEXTS]:
                shown = text if len(text) <= TEXT_CHARS else f"{text[:TEXT_CHARS]}…"
                self.body.addWidget(PlainLabel(f"{sign} {shown}", role, wraps=True))
            if len(texts) > SHOWN_TEXTS:
                self.body.addWidget(PlainLabel(f"{sign} and {len(texts) - SHOWN_TEXTS} more", "meta"))
        if not action.after:
            self.body.addWidget(PlainLabel("+ put away; it can be brought back", "meta"))
        if action.saved_tokens > 0:
            self.body.addWidget(PlainLabel(f"{counted(action.saved_tokens, 'token')} less", "meta"))

    def _add_buttons(self, action: ActionCard) -> None:
        buttons = FlowLayout()
        if action.state is ActionState.APPLIED:
            undo = Button("Undo this change", f"consolidation.undo.{action.id}", kind="quiet", icon_name="undo")
            undo.clicked.connect(self._on_undo)
            buttons.addWidget(undo)
        for habit, text in ((Habit.ALWAYS, "Always so"), (Habit.NEVER, "Never so")):
            is_on = action.habit is habit
            name = f"consolidation.{habit.value}.{action.id}"
            button = Button(f"✓ {text}" if is_on else text, name, kind="quiet")
            button.setAccessibleName(f"{text}: {action.label}" + (", chosen" if is_on else ""))
            button.setToolTip("Once more: as usual" if is_on else f"{text}, for all changes of this kind")
            button.clicked.connect(self._on_always if habit is Habit.ALWAYS else self._on_never)
            buttons.addWidget(button)
        if said := habit_words(action.habit):
            buttons.addWidget(PlainLabel(said, "meta"))
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

    def _on_always(self) -> None:
        self.want_habit(Habit.ALWAYS)

    def _on_never(self) -> None:
        self.want_habit(Habit.NEVER)

    def _on_undo(self) -> None:
        self.undo_wanted.emit(self.action.id)

    def _on_open(self) -> None:
        if self.action.memory_ids:
            self.memory_wanted.emit(self.action.memory_ids[0])
