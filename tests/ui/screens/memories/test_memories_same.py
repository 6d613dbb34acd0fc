"""List and inspector never disagree: the inspector shows the memory that the keys act on, or nothing, whatever was done before."""

import random
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.api import Engine, MemoryFilter, MemorySort, MemoryStatus
from tests.ui.pages.memories import MemoriesPage
from ui.screens.memories.filter import FilterState
from ui.shell.main_window import MainWindow

Wait = Callable[[Callable[[], object]], None]
EVERY_STATUS = MemoryFilter(statuses=tuple(MemoryStatus))


@pytest.fixture
def page(demo: None, window: MainWindow, qtbot: QtBot, wait: Wait) -> MemoriesPage:
    made = MemoriesPage(window, qtbot)
    wait(lambda: made.titles)
    made.settle()
    return made


def seen(page: MemoriesPage) -> int:
    """The memory that the inspector shows, 0 for none."""
    pane = page.panel.inspector
    return pane.memory.id if pane.memory is not None and pane.pages.currentIndex() else 0


def check(page: MemoriesPage, doing: str) -> None:
    view = page.panel.list.view
    card = view.current_card()
    assert seen(page) == view.current_id, doing
    assert card is None or card.id == seen(page), f"{doing}: the cursor is on another one"
    acted_on = page.panel.acts.ids()
    assert acted_on == ((seen(page),) if seen(page) else ()), doing


def pinned(engine: Engine) -> set[int]:
    return {card.id for card in engine.memories.list(EVERY_STATUS, limit=500).cards if card.is_pinned}


@pytest.mark.parametrize("seed", range(3))
def test_the_inspector_shows_what_the_keys_act_on(page: MemoriesPage, engine: Engine, wait: Wait, seed: int) -> None:
    chance = random.Random(seed)
    panel, everything = page.panel, [card.id for card in engine.memories.list(EVERY_STATUS, limit=500).cards]
    acts: dict[str, Callable[[], object]] = {
        "next": lambda: page.key(Qt.Key.Key_J),
        "previous": lambda: page.key(Qt.Key.Key_K),
        "end": lambda: page.key(Qt.Key.Key_End),
        "forget": lambda: page.key(Qt.Key.Key_Delete),
        "undo": lambda: page.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier),
        "search": lambda: panel.header.set_query(chance.choice(("webhook", "type:fact", "nothing-says-this", "", ""))),
        "sort": lambda: panel.asking.change(sort=chance.choice(tuple(MemorySort))),
        "filter": lambda: panel.asking.change(state=FilterState(is_inbox=chance.random() < 0.3)),
        "open": lambda: panel.show_memory(chance.choice(everything)),
        "elsewhere": lambda: engine.memories.archive((chance.choice(everything),)),
    }
    for _ in range(40):
        name = chance.choice(tuple(acts))
        panel.list.take_focus()
        acts[name]()
        page.settle()
        wait(lambda: seen(page) == panel.list.view.current_id)
        check(page, name)


def test_keys_act_on_the_memory_that_was_opened_although_the_list_does_not_hold_it(
    page: MemoriesPage, engine: Engine, wait: Wait
) -> None:
    (outside, *_), before = engine.memories.list(MemoryFilter(statuses=(MemoryStatus.ARCHIVED,))).cards, pinned(engine)
    page.panel.show_memory(outside.id)
    wait(lambda: seen(page) == outside.id)
    page.panel.list.take_focus()
    check(page, "open")
    page.key(Qt.Key.Key_P)
    wait(lambda: pinned(engine) == before ^ {outside.id})
    page.settle()
    assert seen(page) == outside.id, "what was just pinned is still what is shown"
    check(page, "pin")
    page.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    wait(lambda: pinned(engine) == before)
    page.settle()
    check(page, "undo")
    page.key(Qt.Key.Key_J)
    wait(lambda: seen(page) not in (0, outside.id))
    page.settle()
    check(page, "next")
