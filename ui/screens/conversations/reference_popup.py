"""The sheet on a reference: what it stands for, how sure and why, and every way to put it right.

Says what the person wants by signals; does nothing itself. All texts of people are plain. Source: UX 4.3, S2.
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from app.values import Candidate, Reference, ReferenceState
from ui.widgets.buttons import Button
from ui.widgets.fit_button import FitButton
from ui.widgets.labels import Hairline, PlainLabel
from ui.widgets.popups.popover import Popover
from ui.wording.values import sure

POPUP_WIDTH_PX = 360
MAX_ANTECEDENT_CHARS = 200
_STATE_WORDS = {
    ReferenceState.RESOLVED: "",
    ReferenceState.AMBIGUOUS: "More than one thing fits. Which one is meant?",
    ReferenceState.UNRESOLVED: "Nothing that you said earlier fits.",
    ReferenceState.CORRECTED: "Set by you.",
    ReferenceState.DISMISSED: "You said that this refers to nothing.",
}


class ReferencePopup(Popover):
    """`chosen` carries the antecedent and the id of the message it was said in, 0 for none."""

    chosen = Signal(str, int)
    dismissed = Signal()
    jump_wanted = Signal(int)  # message id

    def __init__(self, window: QWidget, reference: Reference) -> None:
        super().__init__(window, "reference", "What this refers to")
        self._candidate_buttons: list[FitButton] = []
        self._jump: Button | None = None
        self._build_head(reference)
        self._build_candidates(reference)
        self._build_foot()

    def first_focus(self) -> QWidget:
        if self._jump is not None:  # Enter twice must not change what was right
            return self._jump
        return self._candidate_buttons[0] if self._candidate_buttons else self.text_field

    def _build_head(self, reference: Reference) -> None:
        mention = f"“{reference.mention}”" if reference.mention else "What is left out here"
        is_known = reference.antecedent is not None and reference.state in (
            ReferenceState.RESOLVED,
            ReferenceState.CORRECTED,
        )
        head = f"{mention} → {reference.antecedent}" if is_known else mention
        self.body.addWidget(PlainLabel(head, "section", wraps=True))
        state = _STATE_WORDS[reference.state]
        if reference.state is ReferenceState.RESOLVED:
            state = sure(reference.confidence).capitalize()
        reason = reference.reason.strip()
        text = f"{state} · {reason}" if reason and reference.state is ReferenceState.RESOLVED else state or reason
        if reference.state in (ReferenceState.AMBIGUOUS, ReferenceState.UNRESOLVED) and reason:
            text = f"{state}\n{reason}"
        self.body.addWidget(PlainLabel(text, "sub", wraps=True))
        if is_known and reference.antecedent_message_id is not None:
            self._jump = Button("Show where it was said", "reference.jump", kind="link", icon_name="forward")
            self._jump.setProperty("message", reference.antecedent_message_id)
            self._jump.clicked.connect(self._on_jump)
            self.body.addWidget(self._jump, 0, Qt.AlignmentFlag.AlignLeft)

    def _build_candidates(self, reference: Reference) -> None:
        others = [c for c in reference.candidates if c.text != reference.antecedent or not self._jump]
        if not others:
            return
        self.body.addWidget(Hairline())
        self.body.addWidget(PlainLabel("Or it means" if self._jump else "It means", "meta"))
        for n, candidate in enumerate(others[:5]):
            self.body.addWidget(self._candidate_button(n, candidate))

    def _candidate_button(self, n: int, candidate: Candidate) -> FitButton:
        tip = candidate.reason or "Choose this one"
        button = FitButton(f"{n + 1}   {candidate.text[:120]}", f"reference.candidate{n + 1}", tip=tip)
        button.setAccessibleName(f"It means {candidate.text}")
        button.setAccessibleDescription(candidate.reason)
        button.setProperty("text_of_candidate", candidate.text)
        button.setProperty("message", candidate.message_id or 0)
        button.clicked.connect(self._on_candidate)
        self._candidate_buttons.append(button)
        return button

    def _build_foot(self) -> None:
        self.body.addWidget(Hairline())
        row = QHBoxLayout()
        self.text_field = QLineEdit()
        self.text_field.setObjectName("reference.text")
        self.text_field.setAccessibleName("Something else: write what it refers to")
        self.text_field.setPlaceholderText("Something else…")
        self.text_field.setMaxLength(MAX_ANTECEDENT_CHARS)
        self.text_field.returnPressed.connect(self._on_text)
        use = Button("Use", "reference.use")
        use.clicked.connect(self._on_text)
        row.addWidget(self.text_field, 1)
        row.addWidget(use)
        self.body.addLayout(row)
        nothing = Button("It refers to nothing", "reference.nothing", kind="quiet", icon_name="close")
        nothing.clicked.connect(self._on_nothing)
        self.body.addWidget(nothing, 0, Qt.AlignmentFlag.AlignLeft)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        text = event.text()
        if text.isascii() and text.isdigit() and 0 < int(text) <= len(self._candidate_buttons):
            self._candidate_buttons[int(text) - 1].click()
            return
        super().keyPressEvent(event)

    def _on_candidate(self) -> None:
        button = self.sender()
        text, message_id = str(button.property("text_of_candidate")), int(button.property("message"))
        self.dismiss()
        self.chosen.emit(text, message_id)

    def _on_text(self) -> None:
        text = self.text_field.text().strip()
        if text:
            self.dismiss()
            self.chosen.emit(text, 0)

    def _on_nothing(self) -> None:
        self.dismiss()
        self.dismissed.emit()

    def _on_jump(self) -> None:
        message_id = int(self.sender().property("message"))
        self.dismiss()
        self.jump_wanted.emit(message_id)
