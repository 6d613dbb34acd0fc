"""The sheet behind `?`: all shortcuts of the shown screen, from the table of actions."""

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QGridLayout, QWidget

from ui.actions.spec import ActionSpec
from ui.widgets.buttons import IconButton
from ui.widgets.card import row
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.popups.overlay import Overlay
from ui.widgets.scroll import ScrollColumn


def describe_keys(spec: ActionSpec) -> str:
    """All shortcuts of a row as a person reads them, "" when it has none."""
    native = QKeySequence.SequenceFormat.NativeText
    return "  or  ".join(QKeySequence(keys).toString(native) for keys in (*spec.shortcuts, *spec.list_keys))


class ShortcutSheet(Overlay):
    """Two columns, grouped as the menu."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, object_name="shortcuts", name="Keyboard shortcuts", width_px=760)
        self._close = IconButton("close", "shortcuts.close", "Close", self.sheet)
        self._close.clicked.connect(self.close_sheet)
        self.sheet_layout.addLayout(row(PlainLabel("Keyboard shortcuts", "section"), 1, self._close))
        self._page = ScrollColumn("shortcuts.page", width_px=740)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(5)
        self._page.column.addLayout(self._grid)
        self._page.add_stretch()
        self.sheet_layout.addWidget(self._page, 1)

    def fill(self, groups: Iterable[tuple[str, tuple[ActionSpec, ...]]]) -> None:
        """Groups as (heading, rows); rows without a shortcut are left out."""
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        heights = [0, 0]
        for heading, specs in groups:
            shown = [spec for spec in specs if spec.shortcuts or spec.list_keys]
            if not shown:
                continue
            side = 0 if heights[0] <= heights[1] else 1
            line = heights[side]
            self._grid.addWidget(PlainLabel(heading, "heading"), line, side * 3, 1, 2)
            for offset, spec in enumerate(shown, start=1):
                self._grid.addWidget(ElidedLabel(spec.text, "body"), line + offset, side * 3)
                keys = PlainLabel(describe_keys(spec), "meta")
                self._grid.addWidget(keys, line + offset, side * 3 + 1, Qt.AlignmentFlag.AlignRight)
            heights[side] += len(shown) + 1
        for column, stretch in ((0, 1), (1, 0), (3, 1), (4, 0)):
            self._grid.setColumnStretch(column, stretch)
        self._grid.setColumnMinimumWidth(2, 18)

    def sheet_height(self) -> int:
        return self._grid.sizeHint().height() + 90

    def first_focus(self) -> QWidget:
        return self._close
