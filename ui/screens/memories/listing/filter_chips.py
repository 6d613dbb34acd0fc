"""Chips of what a list is narrowed by: what was clicked in the filter pane, and what stands as a filter in the search field.

Pressing one takes it out. Says by signals which; asks nobody. Source: UX 4.4 "Search grammar".
"""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.values import QueryPart
from ui.screens.memories.filter import Choice, chip_text
from ui.widgets.buttons import Button
from ui.widgets.flow import FlowLayout

Filter = Choice | QueryPart
SHOWN_CHARS = 40


class FilterChips(QWidget):
    """`removed` carries a Choice or a QueryPart. Hidden while there is nothing to show."""

    removed = Signal(object)
    cleared = Signal()
    left = Signal()  # the last chip went while it had the focus

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("memories.chips")
        self._shown: list[tuple[Filter, str]] = []
        self._chips: list[Button] = []
        self.setAccessibleName("Active filters")
        outer = QHBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        self._holder = QWidget()
        self._flow = FlowLayout(self._holder, spacing_px=4)
        outer.addWidget(self._holder, 1)
        self.hide()

    def set_filters(self, filters: Sequence[Filter], titles: Mapping[Choice, str]) -> None:
        """These, in this order; the focus stays where it was among them."""
        shown = [(one, filter_text(one, titles)) for one in filters]
        if shown == self._shown:
            return
        focused = next((n for n, chip in enumerate(self._chips) if chip.hasFocus()), None)
        self._shown = shown
        while (item := self._flow.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.setParent(None)
                widget.deleteLater()
        self._chips = [self._chip(n, one, text) for n, (one, text) in enumerate(shown)]
        for chip in self._chips:
            self._flow.addWidget(chip)
        if len(filters) > 1:
            clear = Button("Clear all", "memories.chips.clear", kind="link", parent=self._holder)
            clear.clicked.connect(self.cleared)
            self._flow.addWidget(clear)
        self.setVisible(bool(filters))
        self._holder.updateGeometry()
        if focused is not None:
            self._keep_focus(focused)

    def _keep_focus(self, n: int) -> None:
        if self._chips:
            self._chips[min(n, len(self._chips) - 1)].setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.left.emit()

    def _chip(self, n: int, one: Filter, text: str) -> Button:
        is_typed = isinstance(one, QueryPart)
        name = f"typed.{n}" if isinstance(one, QueryPart) else ".".join(one)
        tip = "Take it out of the search field" if is_typed else "Take this filter out"
        chip = Button(f"{text[:SHOWN_CHARS]}  ×", f"memories.chip.{name}", kind="chip", tip=tip, parent=self._holder)
        chip.setAccessibleName(f"Remove {text} from the search" if is_typed else f"Remove the filter {text}")
        chip.setProperty("place", n)
        chip.clicked.connect(self._on_chip)
        return chip

    def _on_chip(self) -> None:
        self.removed.emit(self._shown[int(self.sender().property("place"))][0])


def filter_text(one: Filter, titles: Mapping[Choice, str]) -> str:
    """What a chip says: the pane's own words for what was clicked, the typed ones for what was typed."""
    return one.text if isinstance(one, QueryPart) else chip_text(one, titles)
