"""Tab and F6 follow what the eye reads, also on screens whose cards came later than their foot."""

import itertools
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.ui.pages.shell import Shell
from ui.shell.main_window import MainWindow
from ui.widgets.tab_order import focusables, follow_reading_order

Wait = Callable[[Callable[[], object]], None]


def test_what_was_inserted_first_comes_first(qtbot: QtBot) -> None:
    root = QWidget()
    qtbot.addWidget(root)
    column = QVBoxLayout(root)
    last = QPushButton("made first, stands last")
    column.addWidget(last)
    first = QPushButton("made last, stands first")
    column.insertWidget(0, first)
    assert list(focusables(root)) == [first, last]
    follow_reading_order(root)
    root.show()
    with qtbot.waitActive(root):
        root.activateWindow()
    first.setFocus()
    qtbot.keyClick(first, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is last
    root.close()


@pytest.mark.parametrize("screen", ["apps", "settings"])
def test_tab_goes_down_the_screen(window: MainWindow, qtbot: QtBot, wait: Wait, screen: str) -> None:
    shell = Shell(window, qtbot)
    panel = shell.go(screen)
    wait(lambda: not window.bridge.is_waiting)

    def stops_in_order() -> list[QWidget]:
        """What the key stops at, once the rows are laid out; none while one stands above the one before it."""
        found = [w for w in focusables(panel) if w.isVisible() and w.isEnabled()]
        tops = [w.mapTo(panel, QPoint(0, 0)).y() + w.height() // 2 for w in found]
        return found if all(after >= before - 30 for before, after in itertools.pairwise(tops)) else []

    qtbot.wait(50)
    wait(stops_in_order)
    stops = stops_in_order()
    stops[0].setFocus()
    for stop in stops[1:6]:
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is stop
