"""The Context screen as a person uses it: tier bar, lines, text, what if, history."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.values import Tier
from ui.screens.context.bar import TierSegment, block_rects
from ui.screens.context.panel import ContextPanel
from ui.screens.context.rows import ContextRow, RowKind
from ui.shell.main_window import MainWindow


class ContextPage:
    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        window.go("context")
        panel = window.panel("context")
        assert isinstance(panel, ContextPanel)
        self.window = window
        self.panel = panel
        self._qtbot = qtbot

    @classmethod
    def opened(cls, window: MainWindow, qtbot: QtBot) -> "ContextPage":
        """The screen with what was told last, and no notice over it."""
        made = cls(window, qtbot)
        qtbot.waitUntil(lambda: made.is_full)
        made.settle()
        window.notices.clear()
        return made

    def settle(self) -> None:
        """Waits until every answer has come."""
        self._qtbot.wait(20)
        self._qtbot.waitUntil(lambda: not self.window.bridge.is_waiting and not self.panel._live_due.isActive())

    # -- what is shown
    @property
    def is_empty(self) -> bool:
        return self.panel.pages.currentWidget() is self.panel.empty

    @property
    def is_full(self) -> bool:
        return self.panel.pages.currentWidget() is self.panel.full

    def rows(self, kind: RowKind) -> list[ContextRow]:
        found = [self.panel.rows.row_at(n) for n in range(self.panel.rows.rowCount())]
        return [row for row in found if row is not None and row.kind is kind]

    @property
    def given(self) -> list[str]:
        return [row.text for row in self.rows(RowKind.ITEM)]

    @property
    def left_out(self) -> list[str]:
        return [row.text for row in self.rows(RowKind.OUT)]

    @property
    def lines(self) -> list[str]:
        """The dashed lines."""
        return [row.text for row in self.rows(RowKind.LINE)]

    @property
    def text(self) -> str:
        return self.panel.text.viewer.toPlainText()

    @property
    def marked(self) -> str:
        """The line of the text that stands on a ground."""
        viewer = self.panel.text.viewer
        first, last = viewer._blocks(viewer._chosen)
        return "\n".join(viewer._map.text.split("\n")[first : last + 1]) if first >= 0 else ""

    @property
    def total(self) -> str:
        return self.panel.full.head.total.text()

    @property
    def moment(self) -> str:
        return self.panel.full.head.line.text()

    @property
    def current(self) -> str:
        row = self.panel.list.current
        return row.text if row is not None else ""

    def row_of(self, text: str) -> ContextRow:
        """The line that says this, or begins so."""
        return next(row for row in self.rows(RowKind.ITEM) if row.text.startswith(text))

    def level_of(self, text: str) -> str:
        """What the switch of a line says."""
        return self.row_of(text).level_words

    def tier_of(self, text: str) -> Tier | None:
        return next((row.tier for row in self.rows(RowKind.ITEM) if row.text.startswith(text)), None)

    def tier(self, tier: Tier) -> TierSegment:
        return next(segment for segment in self.panel.full.head.bar.segments if segment.tier is tier)

    # -- doing
    def choose(self, text: str) -> None:
        """Clicks on a line of the list."""
        view = self.panel.list
        n = next(n for n in range(self.panel.rows.rowCount()) if self.panel.rows.index(n).data() == text)
        view.scrollTo(self.panel.rows.index(n))
        where = view.visualRect(self.panel.rows.index(n)).center()
        self._qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=where)

    def press_level(self, text: str) -> None:
        """Clicks on the switch of a line."""
        view = self.panel.list
        index = next(
            self.panel.rows.index(n)
            for n in range(self.panel.rows.rowCount())
            if self.panel.rows.index(n).data() == text
        )
        view.scrollTo(index)
        where = view.level_rect_of(index).center().toPoint()
        self._qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=where)

    def press_block(self, tier: Tier, n: int) -> None:
        """Clicks on a block of the tier bar."""
        segment = self.tier(tier)
        rect = block_rects(segment.bar_rect().adjusted(1, 1, -1, -1), segment.view)[n]
        where = QPointF(rect.center()).toPoint()
        self._qtbot.mouseClick(segment, Qt.MouseButton.LeftButton, pos=where)

    def type_into(self, name: str, text: str) -> None:
        """Types into a field of what if."""
        field = self.panel.form.findChild(QLineEdit, f"context.whatIf.{name}")
        assert field is not None, f"no field {name}"
        field.setFocus()
        field.selectAll()
        self._qtbot.keyClicks(field, text)
        self.settle()

    def press(self, object_name: str) -> None:
        for widget in self.window.findChildren(QWidget, object_name):
            if widget.isVisible():
                assert isinstance(widget, QAbstractButton)
                self._qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)
                return
        raise AssertionError(f"nothing visible is called {object_name}")

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Presses a key where the focus is."""
        self._qtbot.keyClick(QApplication.focusWidget() or self.window, key, modifier)

    def search(self, text: str) -> None:
        self.panel.header.set_query(text)
        self.settle()
