"""Where notices lie: on every screen, beside what can be pressed, and out of the way of what comes up meanwhile."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.api import Engine, MemoryDraft
from tests.ui.pages.memories import MemoriesPage
from ui.demo import fill_with_demo
from ui.main_window import MainWindow
from ui.notices import Notice
from ui.widgets.notice_place import choose_place, is_free, pressable_rects

Wait = Callable[[Callable[[], object]], None]
TOLD = Notice("Archived “The importer must not load a whole file into memory”", action_text="Undo")


@pytest.mark.parametrize(
    ("taken", "place"),
    [
        ([], (150, 240)),
        ([QRect(0, 250, 400, 30)], (150, 204)),  # a bar along the bottom: above it
        ([QRect(0, 200, 160, 100)], (166, 240)),  # a button at the left: a little to the side
        ([QRect(0, 100, 400, 200)], None),  # no room: nothing is chosen
        ([QRect(0, 0, 400, 20)], (150, 240)),  # far away
    ],
)
def test_the_nearest_free_place_to_the_bottom_centre(taken: list[QRect], place: tuple[int, int] | None) -> None:
    found = choose_place(QSize(400, 300), QSize(100, 40), taken)
    assert found == (None if place is None else QPoint(*place))


def test_on_no_screen_does_a_notice_cover_a_button(engine: Engine, window: MainWindow, wait: Wait) -> None:
    fill_with_demo(engine)
    wait(lambda: window.state is not None and window.state.stats.message_count > 30)
    covering = []
    for screen in window.screens:
        window.go(screen.id)
        wait(lambda: not window.bridge.is_waiting)
        QApplication.processEvents()
        window.notices.clear()
        window.notify(TOLD)
        if not is_free(window.notices.geometry(), pressable_rects(window, window.notices)):
            covering.append(screen.id)
    assert covering == []


def test_the_bar_for_several_pushes_a_notice_out_of_its_way(
    engine: Engine, window: MainWindow, qtbot: QtBot, wait: Wait
) -> None:
    for text in ("Deploy on Fridays never.", "Logs go to syslog."):
        engine.memories.create(MemoryDraft(text))
    page = MemoriesPage(window, qtbot)
    wait(lambda: len(page.titles) == 2)
    page.settle()
    window.notices.clear()
    window.notify(TOLD)
    before = window.notices.geometry()
    page.panel.model.mark_rows((0, 1))
    bulk = page.panel.list.bulk
    wait(lambda: bulk.isVisible() and window.notices.geometry() != before)
    assert is_free(window.notices.geometry(), pressable_rects(window, window.notices))
    page.panel.model.set_marks(())
    wait(lambda: window.notices.geometry() == before)  # what it made way for is gone
