"""One option on the settings page: title, text, the control that fits its kind, a dot and Reset when it was changed.

The control says what the person chose (`chosen`); nothing is stored here.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from ui.screens.settings.archive_sheet import CHOICE_WORDS as ARCHIVE_WORDS
from ui.widgets.buttons import Button, IconButton
from ui.widgets.controls import CheckBox, Choice, FractionField, NumberField
from ui.widgets.labels import Hairline, PlainLabel
from ui.wording.figures import describe_bytes

if TYPE_CHECKING:
    from app.api import SettingCard

CONTROL_PX = 168
_MAX_INT = 2_147_483_647
_CHOICE_WORDS = {("archive", choice): words for choice, words in ARCHIVE_WORDS.items()} | {
    ("judge", "off"): "Nobody",
    ("judge", "same"): "Each its own",
    ("judge", "claude-code"): "Claude Code",
    ("judge", "gemini"): "Gemini CLI",
    ("judge", "endpoint"): "A model at an address",
    ("judge", "command"): "A command",
}  # others are said as they are
_SET_BY = {
    "environment": "Set by {name}; that wins over what you choose here.",
    "flag": "Set for this run on the command line.",
}


def describe_large(value: object, unit: str) -> str:
    """A large number of seconds or bytes in the unit people use, "" when the number speaks for itself.

    >>> describe_large(1_800, "s"), describe_large(2_592_000, "s"), describe_large(10_485_760, "bytes")
    ('30 min', '30 days', '10.5 MB')
    >>> describe_large(5, "s")
    ''
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    if unit == "bytes" and value >= 10_000:
        return describe_bytes(int(value))
    if unit != "s" or value < 120:
        return ""
    for name, size_s in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if value >= 2 * size_s or (value >= size_s and name != "days"):
            return f"{value / size_s:g} {name}" if value % size_s == 0 else f"{value / size_s:.1f} {name}"
    return ""


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
        inner = self._control.findChild(QLineEdit)
        if inner is not None:  # the field inside a number field takes the focus, so it needs the name too
            inner.setAccessibleName(card.title)
        self._reset = Button("Reset", f"setting.{card.name}.reset", kind="quiet", icon_name="undo")
        self._reset.setAccessibleName(f"Reset {card.title}")
        self._reset.clicked.connect(self._on_reset)
        self._dot = PlainLabel("●", "accent")
        self._dot.setToolTip("Changed from its default")
        self._note = PlainLabel("", "meta", wraps=True)
        self._lay_out()
        self.tell(card)

    @property
    def words(self) -> str:
        """What a search may find this row by."""
        return f"{self.card.title} {self.card.text} {self.card.group} {self.card.name.replace('_', ' ')}"

    @property
    def control(self) -> QWidget:
        return self._control

    def tell(self, card: "SettingCard") -> None:
        """Shows the option's present value without saying that the person chose it."""
        self.card = card
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
        plain = describe_large(card.value, card.unit)
        notes = [f"That is {plain}."] if plain else []
        if card.set_by in _SET_BY:
            notes.append(_SET_BY[card.set_by].format(name=card.environment_name))
        if card.value != card.default:
            notes.append(f"Default: {self._describe(card.default)}.")
        if card.needs_restart:
            notes.append("Holds after the next start.")
        return notes

    def _describe(self, value: object) -> str:
        if isinstance(value, bool):
            return "on" if value else "off"
        if (self.card.name, value) in _CHOICE_WORDS:
            return _CHOICE_WORDS[self.card.name, str(value)]
        number = f"{value:,}" if isinstance(value, int) else f"{value}"
        return f"{number} {self.card.unit}".strip()

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
        if not isinstance(control, QAbstractSpinBox):
            return ()
        less = IconButton("minus", f"setting.{self.card.name}.less", f"Less {self.card.title}")
        more = IconButton("plus", f"setting.{self.card.name}.more", f"More {self.card.title}")
        less.clicked.connect(control.stepDown)
        more.clicked.connect(control.stepUp)
        for button in (less, more):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the arrow keys in the field do the same
        return less, more

    def _make_control(self) -> QWidget:
        makers = {"bool": self._make_check, "int": self._make_int, "float": self._make_float}
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
            box.addItem(_CHOICE_WORDS.get((self.card.name, choice), choice.capitalize()), choice)
        box.setFixedWidth(CONTROL_PX)
        box.activated.connect(self._on_choice)
        return box

    def _make_int(self) -> QWidget:
        spin = NumberField()
        spin.setRange(int(self.card.minimum or 0), min(_MAX_INT, int(self.card.maximum or _MAX_INT)))
        spin.setGroupSeparatorShown(self.card.name != "port")
        spin.setSuffix(f" {self.card.unit}" if self.card.unit else "")
        spin.setFixedWidth(CONTROL_PX)
        spin.valueChanged.connect(self._on_value)
        return spin

    def _make_float(self) -> QWidget:
        spin = FractionField()
        spin.setRange(float(self.card.minimum or 0), float(self.card.maximum or 1e9))
        spin.setSingleStep(0.05 if (self.card.maximum or 2) <= 1 else 0.5)
        spin.setSuffix(f" {self.card.unit}" if self.card.unit else "")
        spin.setFixedWidth(CONTROL_PX)
        spin.valueChanged.connect(self._on_value)
        return spin

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
        elif isinstance(control, QSpinBox) and isinstance(value, int):
            control.setValue(value)
        elif isinstance(control, QDoubleSpinBox) and isinstance(value, int | float):
            control.setValue(float(value))
        elif isinstance(control, QLineEdit):
            control.setText(str(value))

    def _on_value(self, value: object) -> None:
        if isinstance(self._control, QCheckBox):
            self._control.setText("On" if value else "Off")
        self._say(round(value, 6) if isinstance(value, float) else value)

    def _on_choice(self, _index: int) -> None:
        if isinstance(self._control, QComboBox):
            self._say(self._control.currentData())

    def _on_text(self) -> None:
        if isinstance(self._control, QLineEdit):
            self._say(self._control.text())

    def _say(self, value: object) -> None:
        if value != self.card.value:
            self.chosen.emit(self.card.name, value)

    def _on_reset(self) -> None:
        self.reset_pressed.emit(self.card.name)
