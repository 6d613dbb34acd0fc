"""Where a list of results ends: a line to type what one expected, and the reasons below it.

Knows no engine: whoever owns it asks, and hands the answers in. Source: REVIEW-UX, "a real why not".
"""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from app.values import Absence
from ui.widgets.buttons import FitButton
from ui.widgets.card import clear_layout
from ui.widgets.labels import PlainLabel

NOTHING = "No memory says this, and no message of yours that is kept."
_TITLE_CHARS = 90  # so that the reason, which is what was asked for, is seen


class WhyNot(QWidget):
    """`asked` carries what was typed; `memory_wanted` and `message_wanted` what an answer leads to; `left`: Esc."""

    asked = Signal(str)
    memory_wanted = Signal(int)
    message_wanted = Signal(int)
    left = Signal()

    def __init__(self, name: str, *, has_field: bool = True, parent: QWidget | None = None) -> None:
        """`has_field`: False where the screen's own search asks."""
        super().__init__(parent)
        self._name = name
        self.field = QLineEdit()
        self.field.setObjectName(name)
        self.field.setPlaceholderText("Something missing? Type what you expected")
        self.field.setAccessibleName("Why is a memory not here? Type what you expected, then Enter")
        self.field.setMaxLength(300)
        self.field.returnPressed.connect(self._on_return)
        self.field.textEdited.connect(self._on_edited)
        self._answers = QVBoxLayout()
        self._answers.setSpacing(2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.field)
        self.field.setVisible(has_field)
        column.addLayout(self._answers)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)  # never a gap above the answers

    def set_answers(self, answers: Sequence[Absence]) -> None:
        clear_layout(self._answers)
        for number, one in enumerate(answers):
            button = FitButton(f"“{_title(one)}”", f"{self._name}.answer{number}", kind="link", tip="Open it", lines=2)
            button.setAccessibleName(why_words(one))
            button.clicked.connect(partial(self._open, one))
            self._answers.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
            reason = PlainLabel(f"{one.reason[:1].upper()}{one.reason[1:]}", "sub", wraps=True)
            reason.setContentsMargins(5, 0, 0, 6)  # as far in as the words above
            self._answers.addWidget(reason)
        if not answers:
            self._answers.addWidget(PlainLabel(NOTHING, "sub", wraps=True))
        said = "; ".join(map(why_words, answers)) or NOTHING
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, said))

    def forget(self) -> None:
        """Another list: the answers were about the one before."""
        clear_layout(self._answers)
        self.field.clear()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.forget()
            self.left.emit()
            return
        super().keyPressEvent(event)

    def _on_return(self) -> None:
        if self.field.text().strip():
            self.asked.emit(self.field.text().strip())

    def _on_edited(self) -> None:
        clear_layout(self._answers)

    def _open(self, one: Absence) -> None:
        if one.memory_id is not None:
            self.memory_wanted.emit(one.memory_id)
        elif one.message_id is not None:
            self.message_wanted.emit(one.message_id)


def why_words(one: Absence) -> str:
    """One answer as a line.

    >>> why_words(Absence("Staging port", "belongs to another project: lantern", 7))
    '“Staging port”: belongs to another project: lantern'
    """
    return f"“{_title(one)}”: {one.reason}"


def _title(one: Absence) -> str:
    title = " ".join(one.title.split())
    return title if len(title) <= _TITLE_CHARS else f"{title[: _TITLE_CHARS - 1].rstrip()}…"
