"""What-if: the signals of a moment as fields. Every change is told at once; who listens waits until typing stops.

Owns what is typed; knows no engine. Source: UX 4.6 ("as if login.ts were open"), S4 "Signals".
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from app.api import ASSISTANT_NAMES
from app.values import Activity, ContextSignals
from ui.widgets.buttons import Button
from ui.widgets.controls import Choice, NumberField
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel, plain_tooltip
from ui.widgets.scroll import ScrollColumn
from ui.wording.contexts import ACTIVITY_WORDS, DELIVERY_WORDS, short_path
from ui.wording.values import app_title

DELIVERIES = ("hook:prompt", "hook:start", "mcp")
LEAST_TOKENS, MOST_TOKENS = 100, 32_000
MAX_FIELD_CHARS = 4_000
PRESETS = (500, 2_000, 8_000, 32_000)


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What is asked: signals, how it would be given, and how much there is room for."""

    signals: ContextSignals = field(default_factory=ContextSignals)
    delivery: str = "hook:prompt"
    budget_tokens: int = 2_000


def _choosable(delivery: str, *, has_prompt: bool) -> str:
    """The choice that comes next to a way of handing out.

    >>> _choosable("mcp:context", has_prompt=True), _choosable("hook:compaction", has_prompt=False)
    ('mcp', 'hook:start')
    """
    if delivery in DELIVERIES:
        return delivery
    if delivery.startswith("mcp"):
        return "mcp"
    return "hook:prompt" if has_prompt else "hook:start"


class SignalsForm(ScrollColumn):
    """`changed` after every change by the person."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("context.signals", parent=parent)
        self.setAccessibleName("What if")
        self._budgets = {"hook:prompt": 2_000, "hook:start": 500, "mcp": 8_000}
        self._is_filling = True  # until all fields are there
        self.column.setSpacing(8)
        self.project = self._choice("project", "Project")
        self.app = self._choice("app", "Assistant")
        for name in ASSISTANT_NAMES:
            self.app.addItem(app_title(name), name)
        self.delivery = self._choice("delivery", "Given")
        for name in DELIVERIES:
            self.delivery.addItem(DELIVERY_WORDS[name], name)
        self.prompt = self._line("prompt", "Prompt", "what you would type")
        self.file = self._line("file", "Open file", "src/login.ts")
        self.branch = self._line("branch", "Branch", "fix/login")
        self.error = self._line("error", "Last error", "its first line")
        self.collaborator = self._line("collaborator", "Working with", "a name")
        self.activity = self._choice("activity", "Activity")
        self.activity.addItem("Automatic", None)
        for one in (Activity.FEATURE, Activity.DEBUGGING, Activity.REVIEWING, Activity.TESTING, Activity.GENERAL):
            self.activity.addItem(ACTIVITY_WORDS[one], one)
        self.budget = NumberField()
        self.budget.setRange(LEAST_TOKENS, MOST_TOKENS)
        self.budget.setSingleStep(250)
        self.budget.setGroupSeparatorShown(True)
        self.budget.setSuffix(" tokens")
        self.budget.valueChanged.connect(self._on_changed)
        self._field("budget", "Budget", self.budget)
        self.budget.lineEdit().setAccessibleName("Budget in tokens")
        self._presets()
        self.column.addStretch(1)
        self._is_filling = False

    # -- building
    def _field(self, name: str, title: str, field: QWidget) -> None:
        field.setObjectName(f"context.whatIf.{name}")
        field.setAccessibleName(title)
        box = QVBoxLayout()
        box.setSpacing(2)
        box.addWidget(PlainLabel(title, "meta"))
        box.addWidget(field)
        self.column.addLayout(box)

    def _choice(self, name: str, title: str) -> Choice:
        made = Choice()
        made.setMinimumContentsLength(8)
        made.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        made.currentIndexChanged.connect(self._on_delivery if name == "delivery" else self._on_changed)
        self._field(name, title, made)
        return made

    def _line(self, name: str, title: str, hint: str) -> QLineEdit:
        made = QLineEdit()
        made.setPlaceholderText(hint)
        made.setMaxLength(MAX_FIELD_CHARS)
        made.textChanged.connect(self._on_changed)
        self._field(name, title, made)
        return made

    def _presets(self) -> None:
        holder = QWidget()
        line = FlowLayout(holder, spacing_px=4)
        for count in PRESETS:
            words = f"{count}" if count < 1_000 else f"{count // 1_000}k"  # all in one line
            button = Button(words, f"context.budget.{count}", kind="chip", tip=f"A budget of {count:,} tokens")
            button.setAccessibleName(f"{count:,} tokens")
            button.setProperty("tokens", count)
            button.clicked.connect(self._on_preset)
            line.addWidget(button)
        self.column.addWidget(holder)

    # -- values
    def set_projects(self, projects: Sequence[tuple[str, str]]) -> None:
        """What there is to choose between; what is chosen stays chosen."""
        chosen = self.project.currentData()
        self._is_filling = True
        self.project.clear()
        self.project.addItem("No project", "")
        for name, path in projects:
            self.project.addItem(name or path, path)
            tip = plain_tooltip(short_path(path))
            self.project.setItemData(self.project.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.project.setCurrentIndex(max(0, self.project.findData(chosen)))
        self._is_filling = False

    def set_budgets(self, hook_tokens: int, start_tokens: int, context_tokens: int) -> None:
        """What the settings say: the budget follows how it is given until the person changes it."""
        self._budgets = {"hook:prompt": hook_tokens, "hook:start": start_tokens, "mcp": context_tokens}

    @property
    def first_line(self) -> QLineEdit:
        """Where typing begins: the prompt, or at a session start, which has none, the file."""
        return self.prompt if self.prompt.isEnabled() else self.file

    @property
    def what_if(self) -> WhatIf:
        error, activity = self.error.text().strip(), self.activity.currentData()
        return WhatIf(
            ContextSignals(
                project_path=str(self.project.currentData() or ""),
                app=str(self.app.currentData() or ""),
                prompt=self.prompt.text().strip() if self.delivery.currentData() != "hook:start" else "",
                current_file=self.file.text().strip(),
                branch=self.branch.text().strip(),
                recent_errors=(error,) if error else (),
                activity=Activity(activity) if activity else None,  # Qt hands back a plain string
                collaborator=self.collaborator.text().strip(),
            ),
            delivery=str(self.delivery.currentData()),
            budget_tokens=self.budget.value(),
        )

    def set_signals(self, signals: ContextSignals, delivery: str = "", budget_tokens: int = 0) -> None:
        """Takes over the signals of a moment, without its session: what if it were new. Says nothing.

        Without a budget it is the one that the settings give to such a context.
        """
        self._is_filling = True
        path = signals.project_path
        if path and self.project.findData(path) < 0:
            self.project.addItem(path.rstrip("/").rsplit("/", 1)[-1], path)
        self.project.setCurrentIndex(max(0, self.project.findData(path)))
        self.app.setCurrentIndex(max(0, self.app.findData(signals.app)))
        self.prompt.setText(" ".join(signals.prompt.split())[:MAX_FIELD_CHARS])
        self.file.setText(signals.current_file)
        self.branch.setText(signals.branch)
        self.collaborator.setText(signals.collaborator)
        self.error.setText(signals.recent_errors[0].split("\n", 1)[0] if signals.recent_errors else "")
        for line in (self.prompt, self.branch, self.error):  # of a path that is too long the end says more
            line.setCursorPosition(0)
        self.activity.setCurrentIndex(max(0, self.activity.findData(signals.activity)))
        kind = _choosable(delivery, has_prompt=bool(signals.prompt))
        self.delivery.setCurrentIndex(self.delivery.findData(kind))
        self.prompt.setEnabled(kind != "hook:start")
        self.budget.setValue(budget_tokens or self._budgets.get(kind, self._budgets["mcp"]))
        self._is_filling = False

    # -- slots
    def _on_changed(self) -> None:
        if not self._is_filling:
            self.changed.emit()

    def _on_delivery(self) -> None:
        if self._is_filling:
            return
        kind = str(self.delivery.currentData())
        self._is_filling = True
        self.prompt.setEnabled(kind != "hook:start")
        self.budget.setValue(self._budgets.get(kind, self._budgets["mcp"]))
        self._is_filling = False
        self.changed.emit()

    def _on_preset(self) -> None:
        self.budget.setValue(int(self.sender().property("tokens")))
