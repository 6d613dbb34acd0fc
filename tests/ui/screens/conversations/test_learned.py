"""What a conversation taught, on its own page: marks in the margin, the list under About, recent messages and chunks."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.api import CaptureRequest, Engine, EventKind
from app.values import Chunk
from tests.patience import PATIENCE_S
from tests.ui.made import NOW, detail, message
from tests.ui.made_memories import memory_card
from tests.ui.pages.conversations import ConversationsPage
from tests.ui.pages.shell import Shell
from ui.screens.conversations.details_strip import RECENT_COUNT, WindowStrip
from ui.screens.conversations.transcript_layout import TargetKind
from ui.screens.conversations.transcript_model import Neighbours, TranscriptModel
from ui.screens.conversations.transcript_view import TranscriptView
from ui.shell.main_window import MainWindow
from ui.widgets.buttons import Button

Wait = Callable[[Callable[[], object]], None]

DECIDED = "We decided to use Postgres 16 for the orders."


def capture(engine: Engine, *texts: str) -> None:
    for number, text in enumerate(texts):
        request = CaptureRequest(
            app="claude-code", kind=EventKind.PROMPT, key=f"k{number}", session="s1", text=text, cwd="/src/shop",
            project_root="/src/shop", at=NOW - timedelta(minutes=len(texts) - number),
        )  # fmt: skip
        engine.events.capture([request], wait_s=PATIENCE_S)


def said_in(widget: QWidget) -> str:
    """All text of labels that are visible in it."""
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


@pytest.fixture
def page(engine: Engine, window: MainWindow, qtbot: QtBot, wait: Wait) -> ConversationsPage:
    capture(engine, DECIDED, "Add a column for the currency to it")
    made = ConversationsPage(window, qtbot)
    wait(lambda: DECIDED in made.messages)
    wait(lambda: made.panel.view.reading is not None and made.panel.view.reading.learned.cards)
    return made


def test_the_mark_in_the_margin_leads_to_the_memory(page: ConversationsPage, engine: Engine, wait: Wait) -> None:
    page.click(DECIDED, TargetKind.MEMORIES)
    panel = page.window.current_panel
    assert panel is not None
    assert panel.screen_id == "memories"
    text = engine.memories.get(engine.memories.ids()[0]).memory.levels.full.text
    wait(lambda: panel.inspector.levels.editor.toPlainText() == text)  # type: ignore[attr-defined]


def test_only_what_taught_has_a_mark_and_m_follows_it(page: ConversationsPage) -> None:
    page.put_cursor("Add a column for the currency to it")
    assert "message.memories" not in page.panel.abilities()
    page.put_cursor(DECIDED)
    page.key(Qt.Key.Key_M)
    assert page.window.current_panel is page.window.panel("memories")


def test_about_lists_what_was_learned(page: ConversationsPage, qtbot: QtBot, engine: Engine) -> None:
    shell = Shell(page.window, qtbot)
    assert "1 memory learned" in shell.texts(page.panel.details)
    shell.press(f"details.memory.{engine.memories.ids()[0]}")
    assert shell.screen == "memories"


def test_a_mark_says_what_and_of_several_one_is_chosen(qtbot: QtBot) -> None:
    model = TranscriptModel()
    view = TranscriptView(model)
    qtbot.addWidget(view)
    view.resize(600, 300)
    view.set_learned({2: (memory_card(1, "Postgres"), memory_card(2, "Orders"))})
    model.set_detail(detail(message(1, "Hello"), message(2, DECIDED)), Neighbours())
    said = [str(model.index(n).data(Qt.ItemDataRole.AccessibleTextRole)) for n in range(model.rowCount())]
    assert [", 2 memories learned from this" in line for line in said][-2:] == [False, True] or said[-1].endswith(
        "this"
    )
    row = next(n for n, line in enumerate(said) if "Postgres 16" in line)
    wanted = model.row_at(row)
    assert wanted is not None
    (target,) = [t for t in view.layouter.layout(wanted, 580).targets if t.kind is TargetKind.MEMORIES]
    assert target.tip == "2 memories learned from this\n· Postgres\n· Orders"
    assert min(target.rects[0].width(), target.rects[0].height()) >= 24


def test_the_window_tells_recent_messages_and_opens_chunks(qtbot: QtBot, wait: Wait) -> None:
    messages = [message(n, f"Message {n}") for n in range(1, 36)]
    chunk = Chunk(
        9, 1, 1, 1, 10, 10, "The filter panel got its date range.", ("filter panel",), 31, NOW, is_merged=False
    )
    strip = WindowStrip()
    qtbot.addWidget(strip)
    strip.resize(280, 600)
    strip.show()
    strip.set_window(detail(*messages), (chunk,))
    wait(lambda: "Recent: 20 messages" in said_in(strip))
    assert f"{36 - RECENT_COUNT}–35, kept word for word" in said_in(strip)
    assert chunk.summary not in said_in(strip)
    head = strip.findChild(Button, "window.chunk.9.open")
    assert head is not None
    assert head.accessibleName() == "Chunk 1, messages 1–10, filter panel"
    head.click()
    wait(lambda: chunk.summary in said_in(strip))
    strip.set_window(detail(*messages), (chunk,))
    wait(lambda: chunk.summary in said_in(strip))  # what is open stays open
    wanted: list[int] = []
    strip.message_wanted.connect(wanted.append)
    show = strip.findChild(Button, "window.chunk.9.show")
    assert show is not None
    show.click()
    assert wanted == [1]
    strip.hide()


def test_a_long_conversation_shows_its_chunks(engine: Engine, window: MainWindow, qtbot: QtBot, wait: Wait) -> None:
    capture(engine, "Build the filter panel", *(f"And move it {n} px to the right" for n in range(31)))
    page = ConversationsPage(window, qtbot)
    wait(lambda: page.panel.view.reading is not None and page.panel.view.reading.chunks)
    page.panel.details.show_tab(3)
    first = page.panel.view.reading.chunks[0]  # type: ignore[union-attr]
    shell = Shell(window, qtbot)
    assert not shell.has(f"window.chunk.{first.id}.show")
    shell.press(f"window.chunk.{first.id}.open")
    wait(lambda: first.summary in shell.texts(page.panel.details))
    shell.press(f"window.chunk.{first.id}.show")
    wait(lambda: page.panel.view.transcript.current_message_id() == first.first_message_id)


def test_no_menu_is_left_behind_by_one_memory(page: ConversationsPage) -> None:
    page.put_cursor(DECIDED)
    page.panel.run("message.memories")
    assert not [menu for menu in page.panel.view.findChildren(QMenu) if menu.isVisible()]
