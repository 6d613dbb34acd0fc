"""The sheet on the intents of a message: all nine, several may hold; digits toggle, Enter saves.

Says what the person chose by a signal. Source: UX 4.3, S1 (intents).
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from app.values import Intent, IntentScore
from ui.widgets.buttons import Button, ChipButton
from ui.widgets.labels import PlainLabel
from ui.widgets.popups.popover import Popover
from ui.wording.values import INTENT_HELP, INTENT_WORDS, sure

POPUP_WIDTH_PX = 340
_COLUMNS = 3


class IntentPopup(Popover):
    """`chosen` carries the intents in the order of the list."""

    chosen = Signal(object)  # tuple[Intent, ...]

    def __init__(self, window: QWidget, scores: tuple[IntentScore, ...]) -> None:
        super().__init__(window, "intents", "What this message wants")
        self.body.addWidget(PlainLabel("What does this message want?", "section"))
        self._chips: dict[Intent, ChipButton] = {}
        held = {score.intent: score for score in scores}
        grid = QGridLayout()
        grid.setSpacing(6)
        for n, intent in enumerate(Intent):
            chip = ChipButton(f"{n + 1}  {INTENT_WORDS[intent]}", f"intents.{intent.lower()}", is_on=intent in held)
            chip.setAccessibleName(INTENT_WORDS[intent])
            chip.setAccessibleDescription(INTENT_HELP[intent])
            chip.setToolTip(INTENT_HELP[intent].capitalize())
            self._chips[intent] = chip
            grid.addWidget(chip, n // _COLUMNS, n % _COLUMNS)
        self.body.addLayout(grid)
        for score in scores:
            reason = f": {score.reason}" if score.reason else ""
            text = f"{INTENT_WORDS[score.intent].capitalize()} – {sure(score.confidence)}{reason}"
            self.body.addWidget(PlainLabel(text, "meta", wraps=True))
        row = QHBoxLayout()
        row.addWidget(PlainLabel("1–9 switch, Enter saves", "meta"), 1)
        save = Button("Save", "intents.save", kind="primary")
        save.clicked.connect(self._on_save)
        row.addWidget(save)
        self.body.addLayout(row)

    def first_focus(self) -> QWidget:
        return next((chip for chip in self._chips.values() if chip.isChecked()), next(iter(self._chips.values())))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        chips = list(self._chips.values())
        text = event.text()
        if text.isascii() and text.isdigit() and 0 < int(text) <= len(chips):
            chips[int(text) - 1].toggle()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._on_save()
        else:
            super().keyPressEvent(event)

    def _on_save(self) -> None:
        chosen = tuple(intent for intent, chip in self._chips.items() if chip.isChecked())
        self.dismiss()
        self.chosen.emit(chosen)
