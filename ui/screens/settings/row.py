"""One option on the settings page: title, text, the control that fits its kind, a dot and Reset when it was changed.

The control says what the person chose (`chosen`); nothing is stored here.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from ui.widgets.buttons import Button, IconButton
from ui.widgets.controls import AmountField, CheckBox, Choice
from ui.widgets.labels import Hairline, PlainLabel

if TYPE_CHECKING:
    from app.api import SettingCard

CONTROL_PX = 168
_MAX = 1e15
_SET_BY = {
    "environment": "Set by {name}, which overrides what you choose here.",
    "flag": "Set for this run on the command line.",
}


class SettingRow(QFrame):
    """`chosen` carries (name, value), `reset_pressed` the name."""

    chosen = Signal(str, object)
    reset_pressed = Signal(str)

    def __init__(self, card: "SettingCard", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.card = card
        self.setObjectName(f"setting.{card.name}")
        self._control = self._make_control()
        self._control.setObjectName(f"setting.{card.name}.value")
        self._control.setAccessibleName(card.title)
        self._control.setAccessibleDescription(card.text)
        self._reset = Button("Reset", f"setting.{card.name}.reset", kind="quiet", icon_name="undo")
        self._reset.setAccessibleName(f"Reset {card.title}")
        self._reset.clicked.connect(self._on_reset)
        self._dot = PlainLabel("●", "accent")
        self._dot.setToolTip("Changed from its default")
        self._note = PlainLabel("", "meta", wraps=True)
        self._wrong = PlainLabel("", "danger", wraps=True)
        self._wrong.setObjectName(f"setting.{card.name}.wrong")
        self._wrong.hide()
        self._lay_out()
        self.show_values(card)

    @property
    def words(self) -> str:
        """What a search may find this row by."""
        named = self.card.name.replace("_", " ")
        budget = " budget" if named.endswith(" tokens") else ""  # as Now and Context call it
        return f"{self.card.title} {self.card.text} {self.card.group} {named}{budget}"

    @property
    def refused(self) -> tuple[str, str] | None:
        """The text that was refused and what is wrong with it; None when nothing is."""
        if self._wrong.isHidden():
            return None
        return self._control.text() if isinstance(self._control, QLineEdit) else "", self._wrong.text()

    def show_refused(self, text: str, wrong: str) -> None:
        """Holds again what another row of this option held as `refused`."""
        if isinstance(self._control, AmountField):
            self._control.show_refused(text, wrong)
        elif isinstance(self._control, QLineEdit):
            self._control.setText(text)
        self.show_wrong(wrong)

    @property
    def control(self) -> QWidget:
        return self._control

    def show_values(self, card: "SettingCard") -> None:
        """Shows the option's present value without saying that the person chose it; a typed text that was refused stays."""
        self.card = card
        if isinstance(self._control, AmountField) and isinstance(card.value, int | float):
            self._control.set_value(card.value)  # it knows best whether somebody types
        elif self._wrong.isHidden():
            blocker = QSignalBlocker(self._control)
            self._set_value(card.value)
            blocker.unblock()
        is_changed = card.value != card.default
        is_fixed = card.set_by in _SET_BY
        self._dot.setVisible(is_changed)
        self._reset.setVisible(is_changed and not is_fixed)
        self._control.setEnabled(not is_fixed)
        self._note.setText(" ".join(self._notes(card)))
        self._note.setVisible(bool(self._note.text()))

    def _notes(self, card: "SettingCard") -> list[str]:
        notes = []
        if card.set_by in _SET_BY:
            notes.append(_SET_BY[card.set_by].format(name=card.environment_name))
        if card.value != card.default:
            notes.append(f"Default: {card.describe(card.default)}.")
        if card.needs_restart:
            notes.append("Applies after a restart.")
        return notes

    def show_wrong(self, text: str) -> None:
        """What is wrong with what was typed, "" when it is well again."""
        self._wrong.setText(text)
        self._wrong.setVisible(bool(text))

    def _lay_out(self) -> None:
        texts = QVBoxLayout()
        texts.setSpacing(2)
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(PlainLabel(self.card.title, "heading"))
        head.addWidget(self._dot)
        head.addStretch(1)
        texts.addLayout(head)
        texts.addWidget(PlainLabel(self.card.text, "sub", wraps=True))
        texts.addWidget(self._note)
        texts.addWidget(self._wrong)
        self.hairline = Hairline(self)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.hairline)
        line = QHBoxLayout()
        outer.addLayout(line)
        line.setContentsMargins(0, 8, 0, 6)
        line.setSpacing(12)
        line.addLayout(texts, 1)
        line.addWidget(self._reset, 0, Qt.AlignmentFlag.AlignVCenter)
        for button in self._make_steps():
            line.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(self._control, 0, Qt.AlignmentFlag.AlignVCenter)

    def _make_steps(self) -> tuple[IconButton, ...]:
        control = self._control
        if not isinstance(control, AmountField):
            return ()
        less = IconButton("minus", f"setting.{self.card.name}.less", f"Less {self.card.title}")
        more = IconButton("plus", f"setting.{self.card.name}.more", f"More {self.card.title}")
        less.clicked.connect(self._on_less)
        more.clicked.connect(self._on_more)
        for button in (less, more):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the arrow keys in the field do the same
        return less, more

    def _make_control(self) -> QWidget:
        makers = {"bool": self._make_check, "int": self._make_amount, "float": self._make_amount}
        if self.card.choices:
            return self._make_choice()
        return makers.get(self.card.kind, self._make_text)()

    def _make_check(self) -> QWidget:
        box = CheckBox("On")
        box.setMinimumWidth(CONTROL_PX)
        box.toggled.connect(self._on_value)
        return box

    def _make_choice(self) -> QWidget:
        box = Choice()
        for choice in self.card.choices:
            box.addItem(self.card.describe(choice), choice)
        box.setFixedWidth(CONTROL_PX)
        box.activated.connect(self._on_choice)
        return box

    def _make_amount(self) -> QWidget:
        card = self.card
        field = AmountField(
            card.unit,
            low=card.minimum or 0,
            high=_MAX if card.maximum is None else card.maximum,
            is_whole=card.kind == "int",
        )
        field.setFixedWidth(CONTROL_PX)
        field.amount_chosen.connect(self._on_amount)
        field.refused.connect(self.show_wrong)
        return field

    def _make_text(self) -> QWidget:
        field = QLineEdit()
        field.setFixedWidth(CONTROL_PX)
        field.editingFinished.connect(self._on_text)
        return field

    def _set_value(self, value: object) -> None:
        control = self._control
        if isinstance(control, QCheckBox):
            control.setChecked(bool(value))
            control.setText("On" if value else "Off")
        elif isinstance(control, QComboBox):
            control.setCurrentIndex(max(0, control.findData(str(value))))
        elif isinstance(control, QLineEdit):
            control.setText(str(value))

    def _on_value(self, value: object) -> None:
        if isinstance(self._control, QCheckBox):
            self._control.setText("On" if value else "Off")
        self._say(value)

    def _on_amount(self, value: float) -> None:
        self._say(int(value) if self.card.kind == "int" else value)

    def _on_less(self) -> None:
        if isinstance(self._control, AmountField):
            self._control.step(-1)

    def _on_more(self) -> None:
        if isinstance(self._control, AmountField):
            self._control.step(1)

    def _on_choice(self, _index: int) -> None:
        if isinstance(self._control, QComboBox):
            self._say(self._control.currentData())

    def _on_text(self) -> None:
        if isinstance(self._control, QLineEdit):
            self._say(self._control.text())

    def _say(self, value: object) -> None:
        self.show_wrong("")
        if value != self.card.value:
            self.chosen.emit(self.card.name, value)

    def _on_reset(self) -> None:
        self.show_wrong("")
        if isinstance(self._control, AmountField):
            self._control.drop_typed()
        self.reset_pressed.emit(self.card.name)
