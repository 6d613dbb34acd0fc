"""Conversations on a real engine: every judgement can be seen, corrected by mouse and by key, and taken back."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, Intent, Outcome, Places
from tests.patience import PATIENCE_S
from tests.ui.made import NOW
from tests.ui.pages.conversations import ConversationsPage
from tests.ui.stories import STORIES, copy_store, make_store
from ui.navigation import Place
from ui.screens.conversations.join_menu import JoinMenu
from ui.screens.conversations.reading import Wanted
from ui.screens.conversations.transcript_layout import TargetKind
from ui.screens.conversations.view import IntentPopup, ReferencePopup
from ui.shell.main_window import MainWindow
from ui.widgets.conversations.queue_model import CONVERSATION_MIME, MESSAGE_MIME, RowKind

Wait = Callable[[Callable[[], object]], None]
FAB, SQLITE = STORIES[-1], STORIES[-3]
PURPLE, PULSE, TEST_IT = FAB.prompts[1:]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two conversations, made once: understanding them anew for each test would be most of the time."""
    return make_store(tmp_path_factory.mktemp("template"), (SQLITE, FAB), NOW)


@pytest.fixture
def engine(template: Path, places: Places, clock: FrozenClock) -> Iterator[Engine]:
    copy_store(template, places)
    opened = Engine.open(places, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot, wait: Wait) -> ConversationsPage:
    """The newer one of the two, on a FAB button, is shown."""
    page = ConversationsPage(window, qtbot)
    wait(lambda: PURPLE in page.messages)
    return page


# -- what is shown


def test_the_newest_conversation_is_shown_with_its_references_in_place(page: ConversationsPage) -> None:
    assert page.messages == list(FAB.prompts)
    assert page.reference(PURPLE)[1:] == ("resolved", "FAB button")
    assert page.markers[0].startswith("Starts here")
    assert page.current == TEST_IT


def test_what_the_conversation_is_about_is_not_cut_by_its_buttons(page: ConversationsPage, wait: Wait) -> None:
    meta = page.panel.view.meta
    page.window.resize(900, 600)
    wait(lambda: page.window.width() == 900)
    assert meta.width() > page.panel.view.width() - 40  # it has the whole line
    assert page.panel.view._icons.y() > meta.y()
    page.window.resize(1_800, 800)
    wait(lambda: page.window.width() == 1_800)
    assert page.panel.view._icons.y() <= meta.geometry().bottom()  # beside it where there is room


def test_another_one_is_shown_by_a_click_and_back_again_by_alt_left(page: ConversationsPage, wait: Wait) -> None:
    first = page.title
    page.window.navigator.go(Place("conversations", "conversation", page.panel.view.conversation_id))
    other = next(title for title in page.titles if title != first)
    page.window.navigator.go(
        Place("conversations", "conversation", next(c.id for c in page.panel.model.conversations() if c.title == other))
    )
    wait(lambda: page.title == other)
    page.window.actions_table.run("go.back")
    wait(lambda: page.title == first)


def test_a_link_to_a_message_finds_its_conversation(page: ConversationsPage, engine: Engine, wait: Wait) -> None:
    other = next(c for c in engine.conversations.list() if c.id != page.panel.view.conversation_id)
    message = engine.conversations.get(other.id).messages[1]
    assert page.window.open_link(f"remanence://message/{message.id}")
    wait(lambda: page.current == message.text)


def test_what_a_message_was_read_as_is_shown_on_demand(page: ConversationsPage) -> None:
    page.put_cursor(PURPLE)
    page.key(Qt.Key.Key_R)
    assert [row.is_open for row in page.rows() if row.message and row.message.text == PURPLE] == [True]
    page.click(PURPLE, TargetKind.READ)
    assert [row.is_open for row in page.rows() if row.message and row.message.text == PURPLE] == [False]


def test_a_border_lists_what_it_was_judged_by(page: ConversationsPage) -> None:
    page.click(FAB.prompts[0], TargetKind.MARKER)
    assert next(row.is_open for row in page.rows() if row.kind == "marker")


# -- references


def test_a_reference_is_opened_by_a_click_and_corrected_by_a_candidate(
    page: ConversationsPage, engine: Engine, wait: Wait
) -> None:
    page.click(PURPLE, TargetKind.REFERENCE)
    assert isinstance(page.sheet, ReferencePopup)
    page.press("It means HostControlPanel.tsx")
    assert page.sheet is None
    wait(lambda: page.reference(PURPLE)[1:] == ("corrected", "HostControlPanel.tsx"))
    page.window.actions_table.run("edit.undo")
    wait(lambda: page.reference(PURPLE)[1:] == ("resolved", "FAB button"))


def test_references_are_walked_and_corrected_by_keys_alone(page: ConversationsPage, wait: Wait) -> None:
    page.put_cursor(FAB.prompts[0])
    page.key(Qt.Key.Key_N)
    assert page.panel.view.transcript.focused_reference == page.reference(PURPLE)[0]
    page.key(Qt.Key.Key_N)
    assert page.panel.view.transcript.focused_reference == page.reference(TEST_IT)[0]
    page.key(Qt.Key.Key_P)
    page.key(Qt.Key.Key_Return)
    sheet = page.sheet
    assert isinstance(sheet, ReferencePopup)
    sheet.text_field.setFocus()
    page.type("floating button")
    page.key(Qt.Key.Key_Return)
    wait(lambda: page.reference(PURPLE)[1:] == ("corrected", "floating button"))


def test_it_refers_to_nothing(page: ConversationsPage, wait: Wait) -> None:
    page.click(TEST_IT, TargetKind.REFERENCE)
    page.press("It refers to nothing")
    wait(lambda: page.reference(TEST_IT)[1] == "dismissed")


def test_the_antecedent_is_one_click_away(page: ConversationsPage) -> None:
    page.click(PURPLE, TargetKind.REFERENCE)
    page.press("Show where it was said")
    assert page.current == FAB.prompts[0]


def test_escape_closes_the_sheet_and_gives_the_focus_back(page: ConversationsPage) -> None:
    page.put_cursor(PURPLE)
    page.click(PURPLE, TargetKind.REFERENCE)
    page.key(Qt.Key.Key_Escape)
    assert page.sheet is None
    assert page.panel.view.transcript.hasFocus()


def test_the_list_of_references_is_the_twin_of_the_painted_ones(page: ConversationsPage) -> None:
    page.panel.details.show_tab(1)
    listed = page.panel.details.references
    lines = [listed.item(n).text().split("\n")[0] for n in range(listed.count())]
    assert lines == ["“it” = FAB button", "“it” = pulse animation"]
    listed.itemActivated.emit(listed.item(0))
    assert isinstance(page.sheet, ReferencePopup)


def test_enter_twice_on_a_reference_shows_and_changes_nothing(page: ConversationsPage, engine: Engine) -> None:
    page.put_cursor(FAB.prompts[0])
    page.key(Qt.Key.Key_N)
    page.key(Qt.Key.Key_Return)
    page.key(Qt.Key.Key_Return)
    assert page.current == FAB.prompts[0]
    assert page.reference(PURPLE)[1:] == ("resolved", "FAB button")


def test_escape_goes_one_step_out_at_a_time(page: ConversationsPage) -> None:
    page.put_cursor(FAB.prompts[0])
    page.key(Qt.Key.Key_N)
    page.key(Qt.Key.Key_Escape)
    assert page.panel.view.transcript.focused_reference == 0
    assert page.panel.view.transcript.hasFocus()
    page.key(Qt.Key.Key_Escape)
    assert page.panel.queue.hasFocus()


# -- intents


def test_intents_are_corrected_by_digits_and_enter(page: ConversationsPage, wait: Wait) -> None:
    page.put_cursor(PURPLE)
    before = page.intents(PURPLE)
    page.key(Qt.Key.Key_I)
    assert isinstance(page.sheet, IntentPopup)
    page.key(Qt.Key.Key_4)
    page.key(Qt.Key.Key_Return)
    wait(lambda: Intent.CORRECT.value in page.intents(PURPLE))
    page.window.actions_table.run("edit.undo")
    wait(lambda: page.intents(PURPLE) == before)


def test_a_chip_opens_the_same_sheet(page: ConversationsPage) -> None:
    page.click(PULSE, TargetKind.INTENTS)
    assert isinstance(page.sheet, IntentPopup)
    page.key(Qt.Key.Key_Escape)
    assert page.sheet is None


# -- splitting, joining, naming, ending


def _join(page: ConversationsPage) -> None:
    """With the first that is offered, by keys."""
    page.key(Qt.Key.Key_S, Qt.KeyboardModifier.ShiftModifier)
    menu = page.panel.findChild(JoinMenu)
    assert menu is not None
    QTest.keyClick(menu, Qt.Key.Key_Return)


def test_join_says_with_what_before_it_does_and_undo_comes_back_to_what_was_joined(
    page: ConversationsPage, engine: Engine, wait: Wait
) -> None:
    page.put_cursor(PULSE)
    page.key(Qt.Key.Key_S)
    wait(lambda: page.messages == [PULSE, TEST_IT])
    half, before = page.title, engine.conversations.list()[1]
    page.key(Qt.Key.Key_S, Qt.KeyboardModifier.ShiftModifier)
    menu = page.panel.findChild(JoinMenu)
    assert menu is not None
    heading, *rows = menu.actions()
    assert half in heading.text()
    assert before.title in rows[0].text()
    assert len(engine.conversations.list()) == 3  # so far only said
    menu.close()
    other = engine.conversations.get(page.panel.model.conversations()[-1].id).conversation
    page.panel.join(page.panel.view.conversation_id or 0, other.id)
    wait(lambda: page.panel.view.conversation_id == other.id and PULSE in page.messages)
    assert page.current == PULSE
    page.window.actions_table.run("edit.undo")
    wait(lambda: page.messages == [PULSE, TEST_IT])
    assert page.current == PULSE
    assert page.panel.queue.current_id() == page.panel.view.conversation_id


def test_what_can_be_joined_is_of_the_same_project_and_the_one_before_comes_first(
    page: ConversationsPage, wait: Wait
) -> None:
    page.put_cursor(PURPLE)
    page.key(Qt.Key.Key_S)
    wait(lambda: page.messages == [PURPLE, PULSE, TEST_IT])
    page.put_cursor(TEST_IT)
    page.key(Qt.Key.Key_S)
    wait(lambda: page.messages == [TEST_IT])
    shown = page.panel.shown_conversation()
    targets = page.panel.join_targets()
    assert shown is not None
    assert [one.message_count for one in targets[:2]] == [2, 1]
    assert {one.project for one in targets} == {shown.project}
    assert shown.id not in {one.id for one in targets}


def test_split_and_join_by_keys(page: ConversationsPage, engine: Engine, wait: Wait) -> None:
    page.put_cursor(PULSE)
    page.key(Qt.Key.Key_S)
    wait(lambda: page.messages == [PULSE, TEST_IT])
    assert page.current == PULSE
    assert len(engine.conversations.list()) == 3
    _join(page)
    wait(lambda: page.messages == list(FAB.prompts))
    assert page.current == PULSE
    assert len(engine.conversations.list()) == 2


def test_a_split_of_a_full_queue_says_first_what_leaves_and_join_brings_it_back(
    page: ConversationsPage, engine: Engine, wait: Wait
) -> None:
    bar = page.window.notices
    engine.settings.set("queue_size", 3)
    engine.events.capture(
        [CaptureRequest(app="codex", kind=EventKind.PROMPT, key="k", session="n", text="Plan the tiles", cwd="/w/n")],
        wait_s=PATIENCE_S,
    )
    kept = {(one.id, one.title, one.message_count) for one in engine.conversations.list()}
    leaving = next(one for one in engine.conversations.list() if one.is_next_out)
    wait(lambda: len(page.titles) == 3)
    bar.clear()
    page.put_cursor(PULSE)
    page.key(Qt.Key.Key_S)
    wait(lambda: bar.notices)
    (told,) = bar.notices
    assert f"pushes out “{leaving.title}” (kept: " in told.text
    assert "lost: " in told.text
    assert {(one.id, one.title, one.message_count) for one in engine.conversations.list()} == kept  # only said so far
    assert told.on_action is not None
    told.on_action()
    wait(lambda: page.messages == [PULSE, TEST_IT])
    wait(lambda: leaving.title not in page.titles[:3])
    _join(page)
    wait(lambda: page.messages == list(FAB.prompts))
    assert {(one.id, one.title, one.message_count) for one in engine.conversations.list()} == kept


def test_what_was_read_before_a_split_does_not_hold_the_transcript_back(page: ConversationsPage, wait: Wait) -> None:
    page.put_cursor(PULSE)
    message_id = page.panel.view.transcript.current_message_id()
    assert message_id is not None
    page.panel.follow(Wanted(None, message_id))
    page.panel.refresh()  # as when a change of an assistant comes in between
    wait(lambda: not page.window.bridge.is_waiting)
    assert page.messages == list(FAB.prompts)
    page.panel.commands.split(message_id)
    wait(lambda: page.messages == [PULSE, TEST_IT])


def _drop(page: ConversationsPage, mime: str, number: int, row: int) -> None:
    data = QMimeData()
    data.setData(mime, str(number).encode())
    model = page.panel.model
    model.dropMimeData(data, Qt.DropAction.MoveAction, -1, -1, model.index(row))


def test_a_conversation_dropped_on_another_becomes_part_of_it(
    page: ConversationsPage, engine: Engine, wait: Wait
) -> None:
    source, target = [c.id for c in page.panel.model.conversations()][1], page.panel.view.conversation_id
    _drop(page, CONVERSATION_MIME, source, 0)
    wait(lambda: len(page.titles) == 1)
    assert page.panel.view.conversation_id == target
    wait(lambda: len(page.messages) == 7)


def test_a_message_dropped_on_a_free_slot_starts_a_conversation(
    page: ConversationsPage, engine: Engine, wait: Wait
) -> None:
    message_id = engine.conversations.get(page.panel.view.conversation_id or 0).messages[2].id
    free = next(
        n for n in range(page.panel.model.rowCount()) if (r := page.panel.model.row_at(n)) and r.kind is RowKind.FREE
    )
    _drop(page, MESSAGE_MIME, message_id, free)
    wait(lambda: len(page.titles) == 3)
    wait(lambda: page.messages == list(FAB.prompts[:2]))


def test_rename_in_place(page: ConversationsPage, wait: Wait) -> None:
    page.put_cursor(PULSE)
    page.key(Qt.Key.Key_F2)
    page.type("Purple button")
    page.key(Qt.Key.Key_Return)
    wait(lambda: page.titles[0] == "Purple button")
    wait(lambda: page.title == "Purple button")
    page.key(Qt.Key.Key_E)
    page.type("Not this")
    page.key(Qt.Key.Key_Escape)
    assert page.panel.view.title.is_editing is False
    wait(lambda: page.title == "Purple button")


def _choose(qtbot: QtBot, page: ConversationsPage, name: str) -> None:
    menu = next(menu for menu in page.panel.findChildren(QMenu) if menu.isVisible())
    action = next(action for action in menu.actions() if action.objectName() == name)
    action.trigger()
    menu.close()


def test_end_with_an_outcome_and_reopen(page: ConversationsPage, engine: Engine, qtbot: QtBot, wait: Wait) -> None:
    page.window.actions_table.run("conversation.end")
    _choose(qtbot, page, "outcome.completed")
    wait(lambda: "completed" in page.panel.view.meta.text())
    assert engine.conversations.list()[0].outcome is Outcome.COMPLETED
    wait(lambda: page.window.actions_table.action("conversation.reopen").isEnabled())
    page.window.actions_table.run("conversation.reopen")
    wait(lambda: page.window.actions_table.action("conversation.end").isEnabled())


# -- find, search, export


def test_find_in_the_transcript(page: ConversationsPage, wait: Wait) -> None:
    page.put_cursor(FAB.prompts[0])
    page.key(Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    page.type("it")
    wait(lambda: page.panel.view.find_bar.count.text() == "1 of 2")
    assert page.current == PURPLE
    page.key(Qt.Key.Key_Return)
    assert page.current == TEST_IT
    page.key(Qt.Key.Key_Escape)
    assert page.panel.view.transcript.hasFocus()
    assert page.panel.view.transcript.layouter.found == {}


def test_search_across_conversations_goes_to_the_message(page: ConversationsPage, wait: Wait) -> None:
    assert page.panel.header.search is not None
    page.panel.header.search.setText("expire")
    wait(lambda: page.panel.left.hits.rowCount() == 1)
    page.panel.left.take_focus()
    wait(lambda: page.current == SQLITE.prompts[1])
    page.panel.header.search.setText("nothing says this")
    wait(lambda: "No message says" in page.panel.left.no_hits.text())
    page.panel.header.search.clear()
    assert not page.panel.left.is_searching


def test_the_first_hit_is_gone_to_also_where_the_list_had_the_focus_when_it_came(
    page: ConversationsPage, wait: Wait
) -> None:
    assert page.panel.header.search is not None
    page.panel.left.take_focus()
    assert page.panel.queue.hasFocus()
    page.panel.header.search.setText("expire")
    wait(lambda: page.panel.left.hits.rowCount() == 1)
    assert page.panel.left.results.hasFocus()
    assert page.panel.left.results.currentIndex().row() < 0, "nobody has chosen one"
    page.panel.left.take_focus()
    wait(lambda: page.current == SQLITE.prompts[1])


def test_what_was_chosen_on_now_is_shown_here(page: ConversationsPage, engine: Engine, wait: Wait) -> None:
    shown = page.panel.view.conversation_id
    other = next(c for c in engine.conversations.list() if c.id != shown)
    page.window.go("now")
    page.window.selection.select_conversation(other.id)
    page.window.go("conversations")
    wait(lambda: page.title == other.title)


def test_export_to_a_file(page: ConversationsPage, tmp_path: Path, wait: Wait) -> None:
    page.window.actions_table.run("conversation.exportFile")
    dialog = page.panel.findChild(QFileDialog)
    assert dialog is not None
    assert not dialog.testOption(QFileDialog.Option.DontConfirmOverwrite), "it asks before a file is replaced"
    assert dialog.testOption(QFileDialog.Option.ReadOnly), "it cannot delete"
    path = tmp_path / "fab.md"
    path.write_text("said yes to")
    dialog.fileSelected.emit(str(path))
    dialog.close()
    wait(lambda: PURPLE in path.read_text())


def test_copy_as_markdown(page: ConversationsPage, wait: Wait) -> None:
    QGuiApplication.clipboard().clear()
    page.window.actions_table.run("conversation.export")
    wait(lambda: PURPLE in QGuiApplication.clipboard().text())


# -- live


def test_a_new_message_appears_at_the_end_and_is_followed(
    page: ConversationsPage, engine: Engine, clock: FrozenClock, wait: Wait
) -> None:
    _say(engine, clock, "Round its corners")
    wait(lambda: page.messages[-1] == "Round its corners")
    assert page.panel.view.transcript.is_at_end()
    assert not page.panel.view.news.isVisible()


def test_reading_further_up_is_not_disturbed_and_news_are_counted(
    page: ConversationsPage, engine: Engine, clock: FrozenClock, wait: Wait
) -> None:
    _say(engine, clock, "Make it rounder")
    for n in range(11):
        _say(engine, clock, f"Make it rounder, step {n}\n" * 8)
    wait(lambda: len(page.messages) == 16)
    page.put_cursor(FAB.prompts[0])
    view = page.panel.view.transcript
    top = view.visualRect(view.currentIndex()).top()
    _say(engine, clock, "One more thing about the FAB button")
    wait(lambda: page.panel.view.news.isVisible())
    assert page.panel.view.news.text() == "1 new ↓"
    assert view.visualRect(view.currentIndex()).top() == top
    assert page.current == FAB.prompts[0]
    page.press("1 new")
    assert view.is_at_end()
    assert not page.panel.view.news.isVisible()


def _say(engine: Engine, clock: FrozenClock, text: str) -> None:
    n = len(STORIES) - 1
    session = next(c.session for c in engine.conversations.list() if c.project == "hearth")
    clock.advance(seconds=30)
    request = CaptureRequest(
        FAB.app,
        EventKind.PROMPT,
        f"{n}-{text}",
        session=session,
        text=text,
        cwd="/src/hearth",
        project_root="/src/hearth",
    )
    engine.events.capture([request], wait_s=PATIENCE_S)


# -- what "it" may point to


def _referable(page: ConversationsPage) -> list[str]:
    card = page.panel.details.recent.findChild(QWidget, "window.referable")
    assert card is not None
    shown = [
        one.text().removesuffix("…").strip() for one in card.findChildren(QAbstractButton) if one.property("message")
    ]
    return [next(said for said in FAB.prompts if said.startswith(text)) for text in shown]


@pytest.mark.seed("S2", "clear.manual", "clear.shown")
def test_what_it_may_point_to_is_seen_cleared_by_a_key_and_brought_back(
    page: ConversationsPage, engine: Engine, wait: Wait
) -> None:
    page.panel.details.show_tab(3)
    assert _referable(page) == list(FAB.prompts)
    page.put_cursor(PULSE)
    page.key(Qt.Key.Key_C, Qt.KeyboardModifier.ShiftModifier)
    wait(lambda: _referable(page) == [])
    assert page.messages == list(FAB.prompts), "no message is deleted"
    assert not page.window.actions_table.action("conversation.clear").isEnabled()
    number = page.panel.view.conversation_id
    assert engine.window.of_conversation(number or 0) == ()
    other = next(one.id for one in engine.conversations.list() if one.id != number)
    assert engine.window.of_conversation(other) != (), "another conversation keeps its own"
    page.window.actions_table.run("edit.undo")
    wait(lambda: _referable(page) == list(FAB.prompts))


@pytest.mark.seed("S2", "clear.effect")
def test_after_clear_it_points_to_nothing_said_before(page: ConversationsPage, engine: Engine, wait: Wait) -> None:
    page.panel.details.show_tab(3)
    clear = page.panel.details.recent.findChild(QAbstractButton, "window.referable.clear")
    assert clear is not None
    clear.click()
    wait(lambda: _referable(page) == [])
    one = engine.conversations.get(page.panel.view.conversation_id or 0).conversation
    made = engine.window.hand_over("Make it green", app=one.app, session=one.session, project=one.project_path)
    assert made.context_refs == ()
    assert made.expanded == "Make it green"


def test_a_key_walks_to_the_conversation_that_is_referred_to_and_alt_left_comes_back(
    page: ConversationsPage, engine: Engine, wait: Wait
) -> None:
    target = next(one for one in engine.conversations.list() if one.id != page.panel.view.conversation_id)
    assert not page.window.actions_table.action("conversation.related").isEnabled()
    say = "Let's go back to the geocoder conversation"
    request = CaptureRequest(
        app=target.app, kind=EventKind.PROMPT, key="walk", session="another", text=say, cwd=target.project_path,
        at=NOW,
    )  # fmt: skip
    number = engine.events.capture([request], wait_s=PATIENCE_S)[0].conversation_id
    assert number is not None
    page.window.navigator.go(Place("conversations", "conversation", number))
    wait(lambda: page.panel.view.conversation_id == number)
    wait(page.window.actions_table.action("conversation.related").isEnabled)
    shown = page.panel.details.about.findChild(QAbstractButton, f"details.related.{target.id}")
    assert shown is not None
    assert shown.accessibleName() == f"Continues {target.title}"
    page.panel.view.transcript.setFocus()
    page.key(Qt.Key.Key_T)
    wait(lambda: page.panel.view.conversation_id == target.id)
    back = page.panel.details.about.findChild(QAbstractButton, f"details.related.{number}")
    assert back is not None
    assert back.accessibleName().startswith("Continued by ")
    page.window.actions_table.run("go.back")
    wait(lambda: page.panel.view.conversation_id == number)


def test_several_references_are_a_menu(page: ConversationsPage, engine: Engine, wait: Wait) -> None:
    shown = page.panel.view.conversation_id
    assert shown is not None
    target = engine.conversations.get(shown).conversation
    for n, text in enumerate(
        ("As in conversation 2, make the footer blue", "As in conversation 2, make the header blue")
    ):
        request = CaptureRequest(
            app=target.app, kind=EventKind.PROMPT, key=f"walk{n}", session=f"other{n}",
            text=text, cwd=target.project_path, at=NOW,
        )  # fmt: skip
        engine.events.capture([request], wait_s=PATIENCE_S)
    wait(lambda: len(page.panel.view.reading.record.references if page.panel.view.reading else ()) == 2)
    page.window.actions_table.run("conversation.related")
    menu = page.panel.findChild(QMenu, "conversations.relatedMenu")
    assert menu is not None
    assert all(action.text().startswith("Mentioned by ") for action in menu.actions())
    assert menu.activeAction() is menu.actions()[0]
    menu.actions()[1].trigger()
    menu.close()
    wait(lambda: page.panel.view.conversation_id not in (None, shown))
