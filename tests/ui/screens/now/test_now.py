"""Now on a real engine: the queue fills while one looks, cards are answered by a click, nothing jumps."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from sqlalchemy import select

from app.api import CaptureRequest, ContextRequest, ContextSignals, Engine, EventKind, FrozenClock, MemoryDraft, Origin
from app.clock import Clock
from app.store.journal import table_of
from app.store.tables.core import ReferenceRow
from tests.patience import PATIENCE_S
from tests.ui.pages.now import NowPage
from tests.ui.stories import STORIES, Story, all_requests
from ui.screens.context.panel import ContextPanel
from ui.screens.memories.panel import MemoriesPanel
from ui.selection import ScopeFilter
from ui.shell.main_window import MainWindow
from ui.theme import apply_theme, tokens

Wait = Callable[[Callable[[], object]], None]


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> NowPage:
    return NowPage(window, qtbot)


def _report(engine: Engine, *stories: Story) -> None:
    engine.events.capture(all_requests(engine.clock.now(), stories), wait_s=0)
    assert engine.events.wait_idle(PATIENCE_S)


def _say(engine: Engine, clock: Clock, session: str, text: str) -> None:
    request = CaptureRequest("claude-code", EventKind.PROMPT, f"{session}-{text}", session=session, text=text)
    engine.events.capture([request], wait_s=PATIENCE_S)


def test_an_empty_queue_says_what_will_be_there_and_leads_on(page: NowPage, wait: Wait) -> None:
    wait(lambda: page.is_empty)
    page.press("Connect an assistant")
    assert page.window.current_panel is not None
    assert page.window.current_panel.screen_id == "apps"


def test_an_empty_screen_has_one_filled_button(page: NowPage, engine: Engine, clock: FrozenClock, wait: Wait) -> None:
    wait(lambda: page.is_empty)
    filled = [
        one for one in page.panel.findChildren(QPushButton) if one.isVisible() and one.property("kind") == "primary"
    ]
    assert [one.text() for one in filled] == ["Connect an assistant"]
    _say(engine, clock, "s1", "Add a save button to the toolbar")
    wait(lambda: page.panel.primary.isVisible())


def test_a_captured_prompt_stands_in_the_queue_without_being_asked_for(
    page: NowPage, engine: Engine, clock: FrozenClock, wait: Wait
) -> None:
    _say(engine, clock, "s1", "Add a save button to the toolbar")
    wait(lambda: len(page.titles) == 1)
    assert not page.is_empty
    assert page.free_count == 19
    assert re.fullmatch(r"1 of 20 · \d+ bytes · 19 free", page.slot_line)


def test_new_rows_are_tinted_and_with_reduced_motion_they_are_not(
    page: NowPage, engine: Engine, clock: FrozenClock, wait: Wait
) -> None:
    _say(engine, clock, "s1", "Add a save button")
    wait(lambda: page.titles)
    view = page.panel.queue
    _say(engine, clock, "s2", "Rename the CSV columns")
    wait(lambda: len(page.titles) == 2)
    assert view._delegate.tints
    wait(lambda: not view._delegate.tints)
    apply_theme(tokens(), is_motion_reduced=True)
    _say(engine, clock, "s3", "Write the changelog")
    wait(lambda: len(page.titles) == 3)
    assert not view._delegate.tints


def test_a_question_about_a_border_is_answered_by_a_click(page: NowPage, engine: Engine, wait: Wait) -> None:
    engine.settings.set("ask_below", 0.9)
    _report(engine, next(story for story in STORIES if story.last_after_hours))
    wait(lambda: page.cards)
    question = engine.conversations.clarifications()[0]
    assert page.cards == [f"New topic, or still “{question.continue_title}”?"]
    page.press("Continue")
    wait(lambda: not page.cards)
    wait(lambda: engine.conversations.clarifications() == ())  # the card goes at once, the answer is written behind it
    assert [c.message_count for c in engine.conversations.list()] == [3]


def test_what_happened_today_leads_to_it(page: NowPage, engine: Engine, clock: FrozenClock, wait: Wait) -> None:
    _say(engine, clock, "s1", "Tidy the login page")
    engine.memories.create(MemoryDraft("We use Redis 7 as the cache."))
    signals = ContextSignals(app="claude-code", prompt="Which Redis is the cache?")
    engine.context.assemble(ContextRequest(signals, budget_tokens=2_000, delivery="hook:prompt"))
    wait(lambda: len(page.panel.today.texts) == 3)
    captured, learned, given = page.panel.today.texts
    assert (captured, learned) == ("1 message captured", "1 memory learned")
    assert given.startswith("Context given once, ")
    window = page.window
    for text, screen in ((captured, "activity"), (given, "context")):
        page.press(text)
        assert window.current_panel is not None
        assert window.current_panel.screen_id == screen
        window.go("now")
    context = window.panel("context")
    assert isinstance(context, ContextPanel)
    assert context.full.side.current == "history", "those that were told, not what would be"
    page.press(learned)
    panel = window.current_panel
    assert isinstance(panel, MemoriesPanel)
    wait(lambda: panel.model.rowCount() == 1)
    assert panel.header.query.startswith("since:")


def test_an_answer_can_be_taken_back(page: NowPage, engine: Engine, wait: Wait) -> None:
    engine.settings.set("ask_below", 0.9)
    _report(engine, next(story for story in STORIES if story.last_after_hours))
    wait(lambda: page.cards)
    page.press("Start new")
    wait(lambda: not page.cards)
    page.window.actions_table.run("edit.undo")
    wait(lambda: page.cards)


def _say_something_unclear(engine: Engine, clock: Clock) -> None:
    """As an older version left it: nothing asks any more what a word means."""
    for text in next(story for story in STORIES if "footer component" in story.prompts[0]).prompts:
        _say(engine, clock, "s1", text)
    with engine._core.store.write(origin=Origin.ENGINE, kind="test", label="") as write:
        number = write.connection.execute(select(table_of(ReferenceRow).c.id)).scalars().one()
        candidates = [["header component", 0.4, None, "named before"], ["footer component", 0.4, None, "named before"]]
        write.update(ReferenceRow, number, {"state": "ambiguous", "antecedent": None, "candidates": candidates})


def test_an_unclear_reference_asks_nothing(page: NowPage, engine: Engine, clock: FrozenClock, wait: Wait) -> None:
    _say_something_unclear(engine, clock)
    _say(engine, clock, "s2", "Rename the ledger columns")
    wait(lambda: len(page.titles) == 2)
    assert engine.stats.now().ambiguous_count == 1
    assert (page.cards, page.needs_title, page.badge) == ([], "Needs you", "")


def test_keys_walk_the_queue_and_enter_opens(page: NowPage, engine: Engine, wait: Wait) -> None:
    _report(engine, *STORIES[-4:])
    wait(lambda: len(page.titles) >= 4)
    wait(lambda: list(page.panel.model.conversations()) == list(engine.conversations.list()))  # all of it is shown
    page.panel.queue.setFocus()
    page.key(Qt.Key.Key_J)
    page.key(Qt.Key.Key_Down)
    page.key(Qt.Key.Key_K)
    assert page.panel.queue.current_id() == page.panel.model.conversations()[1].id
    page.key(Qt.Key.Key_Return)
    wait(lambda: page.window.current_panel is not None and page.window.current_panel.screen_id == "conversations")
    assert page.window.navigator.place is not None


def test_rename_from_the_queue(page: NowPage, engine: Engine, clock: FrozenClock, wait: Wait) -> None:
    _say(engine, clock, "s1", "Add a save button")
    wait(lambda: page.titles)
    page.panel.queue.setFocus()
    page.key(Qt.Key.Key_F2)
    page.type("Saving")
    page.key_in_focus(Qt.Key.Key_Return)
    wait(lambda: page.titles == ["Saving"])
    assert page.panel.queue.hasFocus()


def test_a_scope_shows_its_conversations_only(page: NowPage, engine: Engine, wait: Wait) -> None:
    _report(engine, STORIES[-1], STORIES[-4])
    wait(lambda: len(page.titles) >= 2)
    page.window.selection.set_scope(ScopeFilter(project="ledger"))
    wait(lambda: {c.project for c in page.panel.model.conversations()} == {"ledger"})
    page.window.selection.set_scope(ScopeFilter(app="cursor"))
    wait(lambda: page.is_empty)
    assert page.panel.empty.heading.text() == "Nothing from Cursor yet"


def test_what_another_scope_shows_is_not_new(page: NowPage, engine: Engine, wait: Wait) -> None:
    _report(engine, STORIES[-1], STORIES[-4])
    wait(lambda: len(page.titles) >= 2)
    everything = len(page.titles)
    arrived: list[frozenset[int]] = []
    page.panel.model.arrived.connect(arrived.append)
    page.window.selection.set_scope(ScopeFilter(project="ledger"))
    wait(lambda: {c.project for c in page.panel.model.conversations()} == {"ledger"})
    page.window.go("memories")
    page.window.go("now")
    page.window.selection.set_scope(ScopeFilter())
    wait(lambda: len(page.titles) == everything)
    assert arrived == []
    assert not [text for text in page.panel.today.texts if "since you looked" in text]


def test_ages_move_on_without_a_new_message(page: NowPage, engine: Engine, clock: FrozenClock, wait: Wait) -> None:
    _say(engine, clock, "s1", "Add a save button")
    wait(lambda: page.titles)
    clock.advance(hours=3)
    page.panel.ages.show_values()
    wait(lambda: page.panel.model.now == clock.now())
    said = page.panel.model.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "3 h ago" in str(said)
    assert timedelta(hours=3) == clock.now() - page.panel.model.conversations()[0].last_message_at
