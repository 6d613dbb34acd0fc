"""Now with a full queue: what goes next, and that arrivals move nothing that is being read."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, Places
from tests.patience import PATIENCE_S
from tests.ui.made import NOW
from tests.ui.pages.now import NowPage
from tests.ui.stories import STORIES, copy_store, make_store
from ui.shell.main_window import MainWindow

Wait = Callable[[Callable[[], object]], None]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_store(tmp_path_factory.mktemp("template"), STORIES, NOW)


@pytest.fixture
def engine(template: Path, places: Places, clock: FrozenClock) -> Iterator[Engine]:
    copy_store(template, places)
    opened = Engine.open(places, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> NowPage:
    return NowPage(window, qtbot)


def _say(engine: Engine, session: str, text: str) -> None:
    request = CaptureRequest("claude-code", EventKind.PROMPT, f"{session}-{text}", session=session, text=text)
    engine.events.capture([request], wait_s=PATIENCE_S)


def test_twenty_slots_and_the_next_to_go(page: NowPage, engine: Engine, wait: Wait) -> None:
    wait(lambda: len(page.titles) == 20)
    assert page.free_count == 0
    assert re.fullmatch(rf"20 of 20 · [\d.]+ (bytes|kB) · next out: {re.escape(page.titles[-1])}", page.slot_line)


def test_an_arrival_does_not_move_what_is_being_read(
    page: NowPage, engine: Engine, clock: FrozenClock, wait: Wait
) -> None:
    wait(lambda: len(page.titles) == 20)
    view = page.panel.queue
    page.choose(page.titles[10])
    chosen = page.titles[10]
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    clock.advance(minutes=1)
    before = view.visualRect(view.currentIndex()).top()
    _say(engine, "fresh", "Draw the floor plan")
    wait(lambda: page.titles[11] == chosen)
    assert view.current_id() == page.panel.model.conversations()[11].id
    assert view.visualRect(view.currentIndex()).top() == before
    assert page.panel.news.isVisible()
    page.press("1 new")
    assert bar.value() == 0
