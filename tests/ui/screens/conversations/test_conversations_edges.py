"""Conversations where something is open or gone: a question in the transcript, a conversation that left the queue."""

from collections.abc import Callable

from pytestqt.qtbot import QtBot

from app.api import Engine
from tests.patience import PATIENCE_S
from tests.ui.pages.conversations import ConversationsPage
from tests.ui.stories import STORIES, Story, all_requests
from ui.shell.main_window import MainWindow

Wait = Callable[[Callable[[], object]], None]


def _report(engine: Engine, *stories: Story) -> None:
    engine.events.capture(all_requests(engine.clock.now(), stories), wait_s=0)
    assert engine.events.wait_idle(PATIENCE_S)


def test_the_clarification_stands_in_the_transcript_with_its_buttons(
    window: MainWindow, engine: Engine, qtbot: QtBot, wait: Wait
) -> None:
    engine.settings.set("ask_below", 0.9)
    _report(engine, next(story for story in STORIES if story.last_after_hours))
    page = ConversationsPage(window, qtbot)
    wait(lambda: any(row.kind == "ask" for row in page.rows()))
    page.press("Continue")
    wait(lambda: not engine.conversations.clarifications())
    wait(lambda: not any(row.kind == "ask" for row in page.rows()))


def test_what_left_the_queue_shows_only_what_was_learned(
    window: MainWindow, engine: Engine, qtbot: QtBot, wait: Wait
) -> None:
    engine.settings.set("queue_size", 3)
    _report(engine, *STORIES[:5])
    page = ConversationsPage(window, qtbot)
    wait(lambda: len(page.titles) == 5)
    gone = page.panel.model.conversations()[-1]
    page.open(gone.title)
    assert page.panel.view.pages.currentWidget() is page.panel.view.gone
    assert page.messages == []
    assert "message.split" not in page.panel.abilities()


def test_what_was_joined_says_where_its_messages_are(
    window: MainWindow, engine: Engine, qtbot: QtBot, wait: Wait
) -> None:
    _report(engine, *STORIES[:2])
    source, target = engine.conversations.list()[:2]
    engine.conversations.merge(source.id, target.id)
    page = ConversationsPage(window, qtbot)
    wait(lambda: len(page.titles) == len(engine.conversations.list()))
    assert window.open_link(f"remanence://conversation/{source.id}")
    view = page.panel.view
    wait(lambda: view.conversation_id == source.id)
    assert view.gone.heading.text() == "Joined with another conversation"
    assert f"“{target.title}”, conversation {target.id}" in view.gone.text.text()
