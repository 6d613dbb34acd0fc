"""Tab and F6 follow what the eye reads, also on screens whose cards came later than their foot."""

import itertools
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.api import CaptureRequest, Engine, EventKind, FactType, MemoryDraft
from tests.patience import PATIENCE_S
from tests.ui.pages.shell import Shell
from ui.screens.memories.filter_pane import FacetRow
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


@pytest.fixture
def filled(engine: Engine) -> Engine:
    for number, text in enumerate(("From now on exports are CSV", "Add a search field to the toolbar")):
        request = CaptureRequest(
            "claude-code", EventKind.PROMPT, f"k{number}", session="s1", text=text, cwd="/src/shop"
        )
        engine.events.capture([request], wait_s=PATIENCE_S)
    engine.memories.create(MemoryDraft("The staging server answers on port 8443.", type=FactType.FACT))
    return engine


@pytest.mark.parametrize(
    ("screen", "least"),
    [("conversations", 2), ("memories", 3), ("graph", 2), ("learned", 1), ("review", 1), ("consolidation", 1)],
)
def test_f6_goes_through_the_parts_of_a_screen_and_comes_round(
    filled: Engine, window: MainWindow, qtbot: QtBot, wait: Wait, screen: str, least: int
) -> None:
    shell = Shell(window, qtbot)
    window.resize(1440, 900)
    window.go(screen)
    wait(lambda: not window.bridge.is_waiting)
    window.notices.clear()
    panel = window.current_panel
    assert panel is not None
    wait(
        lambda: (
            len([one for one in panel.parts() if any(w.isVisible() for w in focusables(one))])
            >= (least if least > 1 else 0)
        )
    )
    window.rail.focus_current()
    found: list[QWidget] = []
    for _ in range(least + 3):
        shell.key(Qt.Key.Key_F6)
        focus = QApplication.focusWidget()
        assert focus is not None
        if window.rail.isAncestorOf(focus):
            break
        found.append(focus)
    else:
        pytest.fail("it does not come round")
    assert len(found) >= least
    assert len({id(one) for one in found}) == len(found)
    assert all(panel.isAncestorOf(one) for one in found)
    assert not [one for one in found if panel.header.isAncestorOf(one)], "the content, not the chip beside the title"


def test_tab_stops_once_in_a_group_of_filters_and_the_arrows_walk_them(
    filled: Engine, window: MainWindow, qtbot: QtBot, wait: Wait
) -> None:
    filled.memories.create(MemoryDraft("Never migrate without a dump.", type=FactType.CONSTRAINT))
    shell = Shell(window, qtbot)
    shell.go("memories")
    wait(lambda: len([one for one in window.findChildren(FacetRow) if one.isVisible() and one.facet == "type"]) >= 2)
    rows = [one for one in window.findChildren(FacetRow) if one.isVisible()]
    rows.sort(key=lambda one: one.mapTo(window, QPoint(0, 0)).y())
    rows[0].setFocus()
    shell.key(Qt.Key.Key_Down)
    assert QApplication.focusWidget() is rows[1]
    shell.key(Qt.Key.Key_Tab)
    focus = QApplication.focusWidget()
    assert isinstance(focus, FacetRow)
    assert focus.facet == "status", "the next group, not the next value"
    shell.key(Qt.Key.Key_Backtab)
    assert QApplication.focusWidget() is rows[1], "where one was"
    shell.key(Qt.Key.Key_Up)
    shell.key(Qt.Key.Key_Up)
    assert QApplication.focusWidget() is rows[0]
