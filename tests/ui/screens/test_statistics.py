"""Statistics in Activity: the year as calendar and list, by keys and by clicks; a day opens what was learned then; an empty store says so."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from app.api import Engine, FrozenClock, Intent
from app.store.tables.memory import MemoryRow
from app.values import MemoryDraft, MemoryKind, Origin
from tests.ui.faults import cut_off, faults_of, settled
from tests.ui.pages.shell import Shell
from ui.navigation import Place
from ui.screens.activity.panel import ActivityPanel
from ui.screens.memories.panel import MemoriesPanel
from ui.screens.statistics.calendar import step_color
from ui.screens.statistics.page import StatisticsPage
from ui.shell.main_window import MainWindow

Wait = Callable[[Callable[[], object]], None]


@pytest.fixture
def shell(window: MainWindow, qtbot: QtBot) -> Shell:
    return Shell(window, qtbot)


@pytest.fixture
def page(window: MainWindow, wait: Wait) -> StatisticsPage:
    window.navigator.go(Place("activity", query="statistics"))
    panel = window.panel("activity")
    assert isinstance(panel, ActivityPanel)
    wait(lambda: panel.statistics.pages.currentIndex() != 0)
    return panel.statistics


@pytest.fixture
def learned(engine: Engine, clock: FrozenClock) -> datetime:
    """Five memories today, two ten days ago, one last year; the instant of the two."""
    now = clock.now()
    for number, back in enumerate((0, 0, 0, 0, 0, 10, 10, 400)):
        kind = MemoryKind.WORKFLOW if number == 7 else MemoryKind.FACT
        made = engine.memories.create(MemoryDraft(f"House rule {number} holds.", kind=kind, project_path="/w/shop"))
        with engine._core.store.write(origin=Origin.PERSON, kind="edit", label="") as write:
            write.update(MemoryRow, made, {"recorded_at": now - timedelta(days=back)})
    return now - timedelta(days=10)


def test_an_empty_store_says_what_will_be_here(page: StatisticsPage) -> None:
    assert page.pages.currentWidget() is page.empty
    assert page.empty.heading.text() == "Nothing was learned yet"


@pytest.mark.usefixtures("learned")
def test_the_year_is_told_in_words_and_walked_by_keys(
    page: StatisticsPage, window: MainWindow, learned: datetime, wait: Wait
) -> None:
    wait(lambda: page.line.text().startswith("7 memories learned on 2 days; most on"))
    calendar = page.calendar
    assert calendar.accessibleName().startswith("A year of days, memories learned: 2 of ")
    calendar.setFocus()
    assert "5 memories learned" in page.day.text()
    QTest.keyClick(calendar, Qt.Key.Key_Left)
    for _ in range(3):
        QTest.keyClick(calendar, Qt.Key.Key_Up)
    assert calendar.current.day == learned.astimezone().date()
    assert "2 memories learned" in page.day.text()
    assert calendar.accessibleDescription() == page.day.text()
    QTest.keyClick(calendar, Qt.Key.Key_Home)
    assert page.day.text().endswith(": nothing")
    QTest.keyClick(calendar, Qt.Key.Key_Return)
    assert window.current_panel.screen_id == "activity", "a day without anything opens nothing"
    QTest.keyClick(calendar, Qt.Key.Key_PageUp)
    assert calendar.current.day == page._found.from_day if page._found else False
    calendar.choose(learned.astimezone().date())
    QTest.keyClick(calendar, Qt.Key.Key_Return)
    memories = window.panel("memories")
    assert isinstance(memories, MemoriesPanel)
    wait(lambda: window.current_panel is memories and memories.model.rowCount() == 2)


@pytest.mark.usefixtures("learned")
def test_a_click_on_a_day_opens_what_was_learned_then(
    page: StatisticsPage, window: MainWindow, learned: datetime, wait: Wait
) -> None:
    wait(lambda: page.calendar.current.learned_count == 5)
    number = next(n for n, one in enumerate(page.calendar._days) if one.day == learned.astimezone().date())
    place = page.calendar.rect_of(number).center().toPoint()
    assert page.calendar.number_at(place.toPointF()) == number
    image = page.calendar.grab().toImage()
    ratio = image.devicePixelRatio()
    painted = image.pixelColor(round(place.x() * ratio), round(place.y() * ratio))
    assert painted.name() == step_color(2).name(), "two of at most five"
    QTest.mouseClick(page.calendar, Qt.MouseButton.LeftButton, pos=place)
    memories = window.panel("memories")
    assert isinstance(memories, MemoriesPanel)
    wait(lambda: window.current_panel is memories and memories.model.rowCount() == 2)
    assert page.calendar.number_at(QPoint(1, 1).toPointF()) is None


@pytest.mark.usefixtures("learned")
def test_the_list_says_the_same_and_opens_the_same(
    page: StatisticsPage, window: MainWindow, learned: datetime, wait: Wait
) -> None:
    wait(lambda: page.list.rowCount() == 2)
    page.as_list.click()
    assert page.views.currentWidget() is page.list
    assert page.list.hasFocus()
    item = page.list.item(0, 0)
    assert item is not None
    assert "5 memories learned" in item.data(Qt.ItemDataRole.AccessibleTextRole)
    QTest.keyClick(page.list, Qt.Key.Key_Down)
    QTest.keyClick(page.list, Qt.Key.Key_Return)
    memories = window.panel("memories")
    assert isinstance(memories, MemoriesPanel)
    wait(lambda: window.current_panel is memories and memories.model.rowCount() == 2)


@pytest.mark.usefixtures("learned")
def test_another_year_kinds_and_projects(
    page: StatisticsPage, shell: Shell, window: MainWindow, clock: FrozenClock, wait: Wait
) -> None:
    wait(lambda: shell.has("statistics.year.last"))
    year = (clock.now() - timedelta(days=400)).astimezone().year
    shell.press(f"statistics.year.{year}")
    wait(lambda: page.line.text().startswith("1 memory learned on 1 day"))
    button = window.findChild(QAbstractButton, f"statistics.year.{year}")
    assert button is not None
    assert button.isChecked()
    assert window.findChild(QAbstractButton, "statistics.kind.workflow").accessibleName() == "Workflows: 1"
    wait(lambda: shell.has("statistics.project.shop"))
    shell.press("statistics.project.shop")
    memories = window.panel("memories")
    assert isinstance(memories, MemoriesPanel)
    wait(lambda: window.current_panel is memories and memories.model.rowCount() == 1)


def test_what_was_put_right_is_told_with_how_many_it_was_of(
    page: StatisticsPage, shell: Shell, engine: Engine, say: Callable[..., int], wait: Wait
) -> None:
    for number in range(25):
        say(f"Add page {number} to the atlas")
    messages = [one for talk in engine.conversations.list() for one in engine.conversations.get(talk.id).messages]
    for one in messages[:2]:
        engine.messages.correct_intents(one.id, (Intent.TEST,))
    wait(lambda: "2 of 25 (8.0 %)" in shell.texts(page))
    assert "What a message asks for" in shell.texts(page)
    assert page.honest.text().startswith("What you never looked at counts as right")
    assert "too few for a share" in shell.texts(page), "titles of a conversation or two"


@pytest.mark.usefixtures("learned")
def test_everything_has_a_name_and_room_at_150_percent(
    page: StatisticsPage, engine: Engine, window: MainWindow, wait: Wait
) -> None:
    wait(lambda: page.list.rowCount() == 2)
    QApplication.processEvents()
    assert settled(faults_of, window) == []
    engine.settings.set("font_percent", 150)
    wait(lambda: window.theme.font_percent == 150)
    window.resize(900, 600)
    assert settled(cut_off, window) == []
    assert page.page.horizontalScrollBar().maximum() == 0, "nothing lies beyond the edge"
