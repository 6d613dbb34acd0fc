"""What happened today, a line each: what was captured, learned and told; each line leads to exactly these.

Shows values; where a line leads is said by a signal. Source: UX 4.2 "Since you looked".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.widgets.card import Card, clear_layout
from ui.widgets.charts.sparkline import Sparkline
from ui.widgets.fit_button import FitButton
from ui.widgets.labels import PlainLabel


@dataclass(frozen=True, slots=True)
class TodayLine:
    """One line. `screen` is where more stands, "" for what leads nowhere; `query` what is searched for there."""

    text: str
    screen: str = ""
    query: str = ""


class TodayCard(Card):
    """`chosen` carries a screen and what to search for there."""

    chosen = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Today", parent=parent)
        self.setObjectName("now.today")
        self._shown: tuple[TodayLine, ...] = ()
        self._lines = QVBoxLayout()
        self._lines.setSpacing(0)
        self.sparkline = Sparkline("messages")
        self.sparkline.setObjectName("now.sparkline")
        self.total = PlainLabel("", "meta")
        self.body.addLayout(self._lines)
        self.body.addWidget(self.sparkline)
        self.body.addWidget(self.total)

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(line.text for line in self._shown)

    def set_lines(self, lines: Sequence[TodayLine]) -> None:
        """Another reading; what did not change keeps the focus."""
        if tuple(lines) == self._shown:
            return
        self._shown = tuple(lines)
        clear_layout(self._lines)
        for n, line in enumerate(lines):
            if not line.screen:
                plain = PlainLabel(line.text, "sub", wraps=True)
                plain.setContentsMargins(5, 4, 0, 4)  # as far in as the links
                self._lines.addWidget(plain)
                continue
            button = FitButton(line.text, f"now.today.{n}", kind="link", tip=f"Show them in {line.screen.title()}")
            button.setProperty("line", n)
            button.clicked.connect(self._on_line)
            self._lines.addWidget(button)

    def _on_line(self) -> None:
        line = self._shown[int(self.sender().property("line"))]
        self.chosen.emit(line.screen, line.query)
