"""What else the search of Memories looks at: parts of long conversations, and what is being talked about."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.api import CaptureRequest, Engine, EventKind, MemoryDraft
from tests.patience import PATIENCE_S
from tests.ui.pages.memories import MemoriesPage
from ui.screens.memories.inspector.pane import PART_TEXT
from ui.shell.main_window import MainWindow

Wait = Callable[[Callable[[], object]], None]


def say(engine: Engine, *texts: str) -> None:
    requests = tuple(
        CaptureRequest(app="claude-code", kind=EventKind.PROMPT, key=f"k{text}", session="s1", text=text)
        for text in texts
    )
    engine.events.capture(requests, wait_s=PATIENCE_S)
    assert engine.events.wait_idle(PATIENCE_S)


@pytest.fixture
def page(engine: Engine, window: MainWindow, qtbot: QtBot, wait: Wait) -> MemoriesPage:
    engine.memories.create(MemoryDraft("The barometer is read at noon.", title="Noon"))
    made = MemoriesPage(window, qtbot)
    wait(lambda: made.titles)
    made.settle()
    return made


def test_parts_of_long_conversations_are_found_when_asked_for_and_lead_there(
    engine: Engine, page: MemoriesPage, wait: Wait
) -> None:
    engine.settings.set("recent_messages", 5)
    engine.settings.set("chunk_messages", 3)
    say(engine, *(f"Look at the barometer drawing number {n} and say what it shows" for n in range(14)))
    (conversation,) = engine.conversations.list()
    assert engine.memories.chunks(conversation.id)
    page.settle()
    page.search("barometer drawing")
    assert not [one for one in page.titles if "part" in one]
    page.panel.look.chunks.trigger()
    page.settle()
    parts = [one for one in page.titles if ", part " in one]
    assert parts
    assert "summaries of long conversations" in page.panel.look.accessibleName()
    row = page.titles.index(parts[0])
    page.panel.list.view.choose_row(row)
    page.settle()
    assert page.panel.inspector.memory is None
    assert page.panel.inspector.nothing.text() == PART_TEXT
    assert not page.panel.abilities() & {"memory.pin", "memory.archive", "memory.erase", "memory.tag"}
    page.panel.run("memory.mark")
    page.panel.run("memory.markAll")
    assert all(one > 0 for one in page.panel.model.marked_ids)
    page.panel.list.take_focus()
    page.key(Qt.Key.Key_Return)
    window = page.window
    wait(lambda: window.current_panel is window.panel("conversations"))
    wait(lambda: window.selection.conversation_id == conversation.id)


def test_the_conversation_at_hand_lifts_what_fits_it(engine: Engine, page: MemoriesPage) -> None:
    for title, text in (
        ("Roof", "The anemometer report is printed for the roof crew."),
        ("Harbour", "The anemometer report is printed for the harbour master."),
    ):
        engine.memories.create(MemoryDraft(text, title=title))
    page.settle()
    page.search("anemometer report")
    assert set(page.titles) == {"Roof", "Harbour"}
    last = page.titles[-1]
    say(engine, f"Ask the {last.lower()} {'crew' if last == 'Roof' else 'master'} what they want to know")
    page.settle()
    assert page.titles[-1] == last
    page.panel.look.around.trigger()
    page.settle()
    assert page.titles[0] == last
    page.panel.look.around.trigger()
    page.settle()
    assert page.titles[-1] == last
    assert page.panel.look.accessibleName() == "What the search looks at"
