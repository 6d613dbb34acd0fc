"""A model's whole window: what each part takes of what is kept for it, and the text itself, to the byte.

`wanted` when the system prompt was changed. Knows values of a plan, no engine. Source: S3 "Context Window Management".
"""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.values import WindowPlan
from ui.notices import Notice, NoticeKind
from ui.widgets.buttons import Button
from ui.widgets.card import clear_layout
from ui.widgets.charts.share_bar import ShareBar
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.plain_viewer import PlainViewer
from ui.wording.values import counted

PART_WORDS = {
    "system": "System prompt",
    "working": "This turn: open file, errors, prompt",
    "recent": "Recent messages",
    "memories": "Memories",
    "chunks": "What was said before, in short",
}
SYSTEM_CHARS = 100_000
TYPED_AFTER_MS = 300


class WholeWindowPage(QWidget):
    wanted = Signal()
    copied = Signal(object)  # the Notice that says so

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plan: WindowPlan | None = None
        self.total = PlainLabel("", wraps=True)
        self.copy = Button("Copy", "context.window.copy", icon_name="copy", tip="Copy the whole window")
        self.copy.clicked.connect(self._on_copy)
        self.system = QLineEdit()
        self.system.setObjectName("context.window.system")
        self.system.setAccessibleName("System prompt")
        self.system.setPlaceholderText("System prompt of your model")
        self.system.setMaxLength(SYSTEM_CHARS)
        self._typed = QTimer(self)
        self._typed.setSingleShot(True)
        self._typed.setInterval(TYPED_AFTER_MS)
        self._typed.timeout.connect(self.wanted)
        self.system.textChanged.connect(self._on_typed)
        self.parts = QWidget()
        self.parts.setObjectName("context.window.parts")
        self._rows = QVBoxLayout(self.parts)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(6)
        self.warnings = PlainLabel("", "meta", wraps=True)
        self.viewer = PlainViewer("context.window.text", "The whole window")
        self.viewer.setProperty("face", "mono")
        head = QHBoxLayout()
        head.addWidget(self.total, 1)
        head.addWidget(self.copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        for widget in (self.system, self.parts, self.warnings):
            column.addWidget(widget)
        column.addWidget(self.viewer, 1)

    def set_plan(self, plan: WindowPlan) -> None:
        """Another plan; the viewer keeps its place."""
        self._plan = plan
        budget = plan.budget
        said = f"{budget.used:,} of {counted(budget.total, 'token')} used, {budget.available:,} free for the answer"
        self.total.setText(said)
        clear_layout(self._rows)
        for part in plan.parts:
            self._rows.addWidget(_part_row(part.name, part.used_tokens, part.budget_tokens))
        told = ", ".join(f"{PART_WORDS[part.name]} {part.used_tokens:,}" for part in plan.parts)
        self.parts.setAccessibleName(f"Tokens by part: {told}")
        self.warnings.setText(" ".join(plan.warnings))
        self.warnings.setVisible(bool(plan.warnings))
        at = self.viewer.verticalScrollBar().value()
        self.viewer.show_text(plan.text)
        self.viewer.verticalScrollBar().setValue(at)
        self.copy.setEnabled(bool(plan.text))

    def _on_typed(self) -> None:
        self._typed.start()

    def _on_copy(self) -> None:
        if self._plan is not None:
            QGuiApplication.clipboard().setText(self._plan.text)
            self.copied.emit(Notice(f"Copied {counted(self._plan.budget.used, 'token')} of window", NoticeKind.GOOD))


def _part_row(name: str, used: int, most: int) -> QWidget:
    row = QWidget()
    row.setObjectName(f"context.window.part.{name}")
    box = QVBoxLayout(row)
    box.setContentsMargins(0, 0, 0, 0)
    box.setSpacing(2)
    line = QHBoxLayout()
    line.addWidget(ElidedLabel(PART_WORDS[name]), 1)
    line.addWidget(PlainLabel(f"{used:,} / {most:,}", "meta"))
    box.addLayout(line)
    box.addWidget(ShareBar(used / most if most else 0.0))
    return row
