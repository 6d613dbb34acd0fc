"""The tray on the real window: filled from several searches, opened, acted on as a whole, emptied, and kept in step with erasing."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.api import Engine, FactType, MemoryDraft, MemoryStatus
from tests.ui.pages.memories import MemoriesPage
from tests.ui.pages.shell import Shell
from ui.screens.memories.tray import MemoryTray
from ui.shell.main_window import MainWindow
from ui.widgets.buttons import ActionButton

Wait = Callable[[Callable[[], object]], None]
SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
TEXTS = ("Ports are odd.", "We chose Redis.", "We chose Go.", "We chose Kafka.")


@pytest.fixture
def ids(engine: Engine) -> dict[str, int]:
    made = {}
    for text in TEXTS:
        title = text.rstrip(".")
        made[title] = engine.memories.create(MemoryDraft(text, type=FactType.DECISION, title=title))
    return made


@pytest.fixture
def page(ids: dict[str, int], window: MainWindow, qtbot: QtBot, wait: Wait) -> MemoriesPage:
    made = MemoriesPage(window, qtbot)
    wait(lambda: len(made.titles) == len(TEXTS))
    made.settle()
    window.notices.clear()
    return made


def put(page: MemoriesPage, query: str, title: str) -> None:
    page.search(query)
    page.choose(title)
    page.take_focus()
    page.key(Qt.Key.Key_B)
    page.settle()


def seen(page: MemoriesPage, name: str) -> bool:
    return any(one.isVisible() for one in page.panel.findChildren(QWidget, name))


def test_it_collects_across_searches_and_the_bar_acts_on_all_of_it(
    page: MemoriesPage, ids: dict[str, int], engine: Engine, wait: Wait
) -> None:
    tab = page.panel.list.tray_tab
    assert not tab.isVisible()
    put(page, "redis", "We chose Redis")
    put(page, "kafka", "We chose Kafka")
    assert (tab.isVisible(), tab.text()) == (True, "Tray 2")
    page.window.go("now")
    page.window.go("memories")
    page.take_focus()
    page.key(Qt.Key.Key_B, CTRL)
    page.settle()
    assert set(page.titles) == {"We chose Redis", "We chose Kafka"}
    assert tab.isChecked()
    assert page.panel.header.status == "2 memories in the tray"
    assert set(page.panel.model.marked_ids) == {ids["We chose Redis"], ids["We chose Kafka"]}
    page.press("button.memory.pin")  # the button of the bar
    wait(lambda: all(engine.memories.get(ids[one]).memory.is_pinned for one in ("We chose Redis", "We chose Kafka")))
    assert not engine.memories.get(ids["Ports are odd"]).memory.is_pinned
    page.settle()
    page.key(Qt.Key.Key_B, CTRL)
    page.settle()
    assert (page.panel.header.query, page.titles) == ("kafka", ["We chose Kafka"])  # back where one was


def test_one_is_taken_out_all_are_and_back_again(page: MemoriesPage, ids: dict[str, int]) -> None:
    _put_all_in(page)
    assert len(page.titles) == 4
    assert not seen(page, "button.memory.toTray")
    page.choose("We chose Go")
    page.take_focus()
    page.key(Qt.Key.Key_B, SHIFT)
    page.settle()
    assert "We chose Go" not in page.titles
    assert ids["We chose Go"] not in page.panel.model.marked_ids
    assert len(page.panel.model.marked_ids) == 3
    page.press("button.memory.emptyTray")
    page.settle()
    assert page.why == "The tray is empty."
    assert (page.count, page.panel.header.status) == ("", "The tray is empty")
    page.press("notice.action")
    page.settle()
    assert len(page.titles) == 3
    page.press("memories.tab.all")
    page.settle()
    assert len(page.titles) == 4


def test_what_can_be_done_takes_two_rows(page: MemoriesPage, window: MainWindow) -> None:
    window.resize(1280, 800)
    _put_all_in(page)
    bar = page.panel.list.bulk
    buttons = [one for one in bar.findChildren(ActionButton) if one.isVisible()]
    rows = {one.y() for one in buttons if one.objectName() != "button.memory.emptyTray"}
    assert len(buttons) > 6, "the control"
    assert len(rows) == 2
    empty = next(one for one in buttons if one.objectName() == "button.memory.emptyTray")
    assert empty.y() < min(rows)


def test_it_holds_what_was_forgotten_and_not_what_was_erased(
    page: MemoriesPage, ids: dict[str, int], engine: Engine, wait: Wait
) -> None:
    for title in ("Ports are odd", "We chose Go"):
        put(page, "", title)
    engine.memories.archive([ids["We chose Go"]])
    engine.memories.erase([ids["Ports are odd"]])
    wait(lambda: page.panel.list.tray_tab.text() == "Tray 1")
    page.key(Qt.Key.Key_B, CTRL)
    page.settle()
    assert page.titles == ["We chose Go"]
    assert engine.memories.get(ids["We chose Go"]).memory.status is MemoryStatus.ARCHIVED


def test_searching_inside_it_finds_only_what_lies_there(page: MemoriesPage) -> None:
    put(page, "", "We chose Go")
    put(page, "", "Ports are odd")
    page.key(Qt.Key.Key_B, CTRL)
    page.settle()
    page.search("chose")
    assert page.titles == ["We chose Go"]


def test_the_palette_opens_it_from_any_screen(page: MemoriesPage, window: MainWindow, qtbot: QtBot) -> None:
    put(page, "", "We chose Go")
    window.go("now")
    shell = Shell(window, qtbot)
    shell.ctrl(Qt.Key.Key_K)
    shell.type(">tray")
    shell.key(Qt.Key.Key_Return)
    page.settle()
    assert page.panel.list.tray_tab.isChecked()
    assert page.titles == ["We chose Go"]


def test_what_is_put_in_twice_lies_there_once() -> None:
    tray = MemoryTray()
    assert tray.put([3, 1, 3, -4]) == (3, 1)
    assert tray.put([1, 2]) == (2,)
    assert tray.ids == (3, 1, 2)
    assert tray.take_out([1, 9]) == (1,)
    tray.keep([2, 3])
    assert tray.ids == (3, 2)


def _put_all_in(page: MemoriesPage) -> None:
    """Everything that the list shows lies in the tray, which is shown."""
    page.take_focus()
    page.key(Qt.Key.Key_A, CTRL)
    page.settle()
    page.press("button.memory.toTray")
    page.press("memories.tab.tray")
    page.settle()
