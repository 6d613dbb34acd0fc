"""Settings, Activity, Apps, first steps and Help on a real engine, as a person uses them."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.api import CaptureRequest, Engine, EventKind, MemoryDraft, Scope
from app.values import MemoryEdit
from app.values.graph import NodeId, NodeKind, Relation
from tests.patience import PATIENCE_S
from tests.ui.pages.shell import Shell
from ui.navigation import Place, parse_link
from ui.screens.activity.panel import ActivityPanel
from ui.screens.activity.timeline import ActivityDelegate, undo_tip
from ui.screens.first_start.panel import FirstStartPanel
from ui.screens.help.pages import HELP_PAGES, page_of, read_page
from ui.screens.help.panel import HelpPanel
from ui.screens.registry import SCREENS
from ui.screens.settings.panel import SettingsPanel
from ui.screens.settings.row import SettingRow
from ui.shell.main_window import MainWindow
from ui.widgets.controls import AmountField

Wait = Callable[[Callable[[], object]], None]
pytestmark = pytest.mark.usefixtures("no_stray_windows")


@pytest.fixture
def shell(window: MainWindow, qtbot: QtBot) -> Shell:
    return Shell(window, qtbot)


def _capture(engine: Engine, text: str, key: str, app: str = "claude-code") -> None:
    engine.events.capture(
        (CaptureRequest(app=app, kind=EventKind.PROMPT, key=key, session="s1", text=text),), wait_s=PATIENCE_S
    )


# settings


@pytest.fixture
def settings(shell: Shell, wait: Wait) -> SettingsPanel:
    """The everyday options are shown; the others are made when somebody looks at them."""
    panel = shell.go("settings")
    assert isinstance(panel, SettingsPanel)
    wait(lambda: shell.has("setting.theme"))
    return panel


@pytest.fixture
def advanced(settings: SettingsPanel, shell: Shell, engine: Engine, wait: Wait) -> SettingsPanel:
    """All options are made, and those under Advanced shown."""
    settings.show_tab("advanced")
    wait(lambda: shell.has(f"setting.{engine.settings.list()[-1].name}.value"))  # the last one is made last
    return settings


def test_ten_everyday_options_come_first_and_all_others_stand_under_advanced(
    advanced: SettingsPanel, shell: Shell, engine: Engine, wait: Wait
) -> None:
    advanced.show_tab("everyday")
    cards = engine.settings.list()
    everyday = {card.name for card in cards if card.is_everyday}
    assert len(everyday) == 10
    assert {card.name for card in cards if shell.has(f"setting.{card.name}")} == everyday
    shell.press("settings.tab.advanced")
    others = {card.name for card in cards if not card.is_internal} - everyday
    assert {card.name for card in cards if shell.has(f"setting.{card.name}")} == others
    shell.press("settings.tab.privacy")
    assert shell.has("settings.exclusions")
    assert not shell.has("settings.backups")


def test_rows_of_advanced_that_nobody_looks_at_are_made_again_with_what_was_refused_and_where_one_was(
    advanced: SettingsPanel, shell: Shell, engine: Engine, wait: Wait, qtbot: QtBot
) -> None:
    last = f"setting.{engine.settings.list()[-1].name}.value"
    settings = advanced
    count = len(settings.findChildren(SettingRow))
    typed = {"idle_pause_s": "soon", "tier_shares": "half"}  # an amount, and a text that the engine refuses
    for name, text in typed.items():
        field = shell.find(f"setting.{name}.value")
        assert isinstance(field, QLineEdit)
        field.selectAll()
        qtbot.keyClicks(field, text)
        qtbot.keyClick(field, Qt.Key.Key_Return)
    wait(lambda: shell.has("setting.tier_shares.wrong"))
    refused = {name: settings._rows[name].refused for name in typed}
    bar = settings._page.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    scrolled_to = bar.value()
    assert scrolled_to > 0
    shell.go("help")
    assert settings._unseen.isActive()
    settings.let_go()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert len(settings.findChildren(SettingRow)) == 10 < count
    shell.go("settings")
    assert not settings._unseen.isActive()
    wait(lambda: shell.has(last))
    assert len(settings.findChildren(SettingRow)) == count
    assert {name: settings._rows[name].refused for name in typed} == refused
    wait(lambda: bar.value() == scrolled_to)
    engine.settings.set("theme", "dark")  # the page is told again: what was refused stays
    wait(lambda: settings._rows["theme"].card.value == "dark")
    assert {name: settings._rows[name].refused for name in typed} == refused


def test_an_amount_is_typed_as_it_is_shown_and_what_is_wrong_stays_to_be_mended(
    advanced: SettingsPanel, shell: Shell, engine: Engine, wait: Wait, qtbot: QtBot
) -> None:
    settings = advanced
    field = shell.find("setting.idle_pause_s.value")
    assert isinstance(field, AmountField)
    assert field.text() == "4 h"

    def enter(text: str) -> None:
        field.selectAll()
        qtbot.keyClicks(field, text)
        qtbot.keyClick(field, Qt.Key.Key_Return)

    def told(value: int) -> None:
        """Stored, and read again by the page."""
        wait(lambda: engine.settings.current.idle_pause_s == settings._rows["idle_pause_s"].card.value == value)
        wait(lambda: not shell.window.bridge.is_waiting)

    enter("90 min")
    told(5_400)
    assert field.text() == "1.5 h"
    assert engine.journal.undo_label() == "Pause a conversation after: 1.5 h"
    enter("5")  # of the unit that stands there
    told(18_000)
    enter("soon")
    assert "Type a time, such as 30 s, 15 min, 4 h or 2 days." in shell.texts(settings)
    engine.settings.set("theme", "dark")  # the page is told anew
    wait(lambda: settings._rows["theme"].card.value == "dark")
    assert (field.text(), engine.settings.current.idle_pause_s) == ("soon", 18_000)
    enter("40 days")
    assert "It must be between 10 min and 30 days." in shell.texts(settings)
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == "5 h"
    assert not shell.has("setting.idle_pause_s.wrong")
    qtbot.keyClick(field, Qt.Key.Key_Up)
    told(21_600)
    shell.press("setting.idle_pause_s.less")
    told(18_000)
    shell.press("setting.idle_pause_s.reset")
    wait(lambda: field.text() == "4 h")

    shares = shell.find("setting.tier_shares.value")  # a text that is refused
    assert isinstance(shares, QLineEdit)
    shares.setText("half")
    qtbot.keyClick(shares, Qt.Key.Key_Return)
    wait(lambda: shell.has("setting.tier_shares.wrong"))
    assert (shares.text(), engine.settings.current.tier_shares) == ("half", "")

    kept = shell.find("setting.queue_size.value")  # a change that is undone is seen on the page
    assert isinstance(kept, AmountField)
    engine.settings.set("queue_size", 12)
    wait(lambda: kept.text() == "12")
    engine.journal.undo()
    wait(lambda: kept.text() == "20")


def test_rows_are_made_a_few_at_a_time_and_a_search_finds_what_is_made_later(
    shell: Shell, engine: Engine, wait: Wait
) -> None:
    last = engine.settings.list()[-1]
    shell.window.navigator.go(Place("settings", query=last.title))
    panel = shell.window.current_panel
    assert isinstance(panel, SettingsPanel)
    turns: list[int] = []
    below: list[bool] = []  # what stands below the rows would be pushed away under the pointer
    panel._making.timeout.connect(lambda: turns.append(len(panel._rows)))
    panel._making.timeout.connect(lambda: below.append(shell.has("settings.about") and panel.is_filling))
    wait(lambda: shell.has(f"setting.{last.name}"))
    assert not any(below)
    assert len(turns) > 1
    assert turns == sorted(turns)
    assert "No setting found" not in shell.texts(panel)
    assert not shell.has("setting.port")


def test_a_switch_is_told_in_a_sentence_and_the_first_start_not_at_all(
    settings: SettingsPanel, shell: Shell, engine: Engine, wait: Wait, qtbot: QtBot
) -> None:
    assert "First start" not in shell.texts(shell.window)
    box = shell.find("setting.is_giving_context.value")
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton)
    wait(lambda: [notice.text for notice in shell.window.notices.notices] == ["Your assistants are given no memories"])
    engine.settings.set("first_start_done", value=False)
    wait(lambda: not shell.window.bridge.is_waiting)
    assert len(shell.window.notices.notices) == 1
    assert engine.journal.undo_label() == "Your assistants are given no memories"


def test_a_changed_option_holds_at_once_has_a_dot_and_can_be_reset(
    settings: SettingsPanel, shell: Shell, engine: Engine, wait: Wait
) -> None:
    field = shell.find("setting.font_percent.value")
    assert isinstance(field, AmountField)
    field.step(2)
    wait(lambda: engine.settings.current.font_percent == 110)
    wait(lambda: shell.has("setting.font_percent.reset"))
    wait(lambda: shell.window.theme.font_percent == 110)
    shell.press("setting.font_percent.reset")
    wait(lambda: engine.settings.current.font_percent == 100)
    wait(lambda: not shell.has("setting.font_percent.reset"))
    assert field.text() == "100 %"


def test_switches_and_choices_store_what_was_chosen(
    settings: SettingsPanel, shell: Shell, engine: Engine, wait: Wait, qtbot: QtBot
) -> None:
    box = shell.find("setting.is_giving_context.value")
    assert isinstance(box, QCheckBox)
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton)
    wait(lambda: not engine.settings.current.is_giving_context)
    choice = shell.find("setting.theme.value")
    assert isinstance(choice, QComboBox)
    choice.setFocus()
    qtbot.keyClick(choice, Qt.Key.Key_Down)
    wait(lambda: engine.settings.current.theme == "dark")


def test_the_search_leaves_what_fits(advanced: SettingsPanel, shell: Shell) -> None:
    settings = advanced
    settings.show_tab("everyday")
    settings.focus_search()
    shell.type("backup")
    assert shell.has("setting.backups_kept")
    assert shell.has("settings.backups")
    assert not shell.has("setting.theme")
    shell.key(Qt.Key.Key_Escape)
    assert shell.has("setting.theme")
    assert not shell.has("setting.backups_kept")
    settings.focus_search()
    shell.type("longer than this four")  # words of the explanation, in any order
    assert shell.has("setting.note_chars")
    shell.key(Qt.Key.Key_Escape)
    settings.focus_search()
    shell.type("zebra")
    assert "No setting found for “zebra”." in shell.texts(settings)


def test_the_test_box_shows_what_would_be_stored(settings: SettingsPanel, shell: Shell, wait: Wait) -> None:
    settings.show_tab("privacy")
    field = shell.find("settings.secrets.text")
    assert isinstance(field, QPlainTextEdit)
    field.setPlainText("use the key ghp_" + "a1B2" * 9 + " for it")
    wait(lambda: shell.has("settings.secrets.result"))
    result = shell.find("settings.secrets.result")
    assert isinstance(result, QPlainTextEdit)
    assert "ghp_" not in result.toPlainText()
    field.setPlainText("rename the login form")
    wait(lambda: "Stored as it is" in shell.texts(settings))


def test_a_backup_is_restored_only_after_the_second_press(
    settings: SettingsPanel, shell: Shell, engine: Engine, wait: Wait
) -> None:
    _capture(engine, "Sketch the parser for delivery notes", "k1")
    backup = engine.backups.create()
    _capture(engine, "Something quite different: the logo", "k2")
    settings.show_tab("backups")
    settings.mark_dirty()
    wait(lambda: shell.has(f"backup.{backup.path.name}"))
    shell.press(f"backup.{backup.path.name}")
    assert engine.stats.now().message_count == 2
    wait(lambda: shell.has("backup.restore"))
    shell.press("backup.restore")
    wait(lambda: engine.stats.now().message_count == 1)


# activity


@pytest.fixture
def activity(shell: Shell, engine: Engine, wait: Wait) -> ActivityPanel:
    _capture(engine, "Add a filter to the orders page", "k1")
    _capture(engine, "Test it", "k2")
    panel = shell.go("activity")
    assert isinstance(panel, ActivityPanel)
    wait(lambda: panel.timeline.model.rowCount() >= 4)
    return panel


def test_the_timeline_is_drawn_newest_first_under_its_day(activity: ActivityPanel) -> None:
    from ui.screens.activity.timeline import DAY_ROLE, TIME_ROLE

    model = activity.timeline.model
    rows = [model.index(row) for row in range(model.rowCount())]
    assert [row.data(DAY_ROLE) for row in rows] == ["Today", *[""] * (len(rows) - 1)]
    times = [row.data(TIME_ROLE) for row in rows]
    assert times[0].startswith("15:")
    assert all(a != b or not b for a, b in pairwise(times)), "a minute is said once"
    ids = [operation.id for row in range(len(rows)) if (operation := model.operation(row)) is not None]
    assert ids == sorted(ids, reverse=True)


def test_chips_and_search_filter_the_timeline(activity: ActivityPanel, shell: Shell, wait: Wait) -> None:
    model = activity.timeline.model
    everything = model.rowCount()
    shell.press("activity.chip.you")
    wait(lambda: 0 < model.rowCount() < everything)
    shell.press("activity.chip.all")
    wait(lambda: model.rowCount() == everything)
    activity.focus_search()
    shell.type("theme")
    wait(lambda: 0 < model.rowCount() < everything)


def test_an_entry_shows_before_and_after_and_can_be_undone(
    activity: ActivityPanel, shell: Shell, engine: Engine, wait: Wait
) -> None:
    conversation = engine.conversations.list()[0]
    engine.conversations.rename(conversation.id, "Orders filter")
    operation = engine.journal.list(limit=1)[0]
    shell.window.navigator.go(Place("activity", "operation", operation.id))
    wait(lambda: shell.has("activity.undo"))
    viewer = shell.find("activity.detail.text")
    assert isinstance(viewer, QPlainTextEdit)
    was = conversation.title if conversation.is_title_edited else "nothing"
    wait(lambda: viewer.toPlainText() == f"Conversation “Orders filter”\nTitle: {was} → Orders filter")
    shell.press("activity.undo")
    wait(lambda: engine.conversations.get(conversation.id).conversation.title == conversation.title)


def test_what_an_assistant_did_is_said_in_words_without_its_folders(
    activity: ActivityPanel, engine: Engine, wait: Wait
) -> None:
    payload = {"tool_name": "Edit", "tool_input": {"file_path": "/home/ada/src/shop/orders/filter.py"}}
    request = CaptureRequest("claude-code", EventKind.TOOL, "t1", session="s1", payload=payload)
    engine.events.capture([request], wait_s=PATIENCE_S)
    model = activity.timeline.model
    wait(lambda: (one := model.operation(0)) is not None and one.label == "Claude Code changed filter.py")


def test_a_long_text_is_said_before_and_now_on_lines_of_their_own(
    activity: ActivityPanel, shell: Shell, engine: Engine, wait: Wait
) -> None:
    number = engine.memories.create(MemoryDraft("Order emails of the shop are sent by the old mail server."))
    engine.memories.edit(number, MemoryEdit(full="Order emails of the shop are sent by the queue at night."))
    shell.window.navigator.go(Place("activity", "operation", engine.journal.list(limit=1)[0].id))
    wait(lambda: shell.has("activity.undo"))
    viewer = shell.find("activity.detail.text")
    assert isinstance(viewer, QPlainTextEdit)
    wait(lambda: "Text now: Order emails of the shop are sent by the queue at night." in viewer.toPlainText())
    assert "Text before: Order emails of the shop are sent by the old mail server." in viewer.toPlainText()


def test_a_link_names_both_of_its_ends(activity: ActivityPanel, shell: Shell, engine: Engine, wait: Wait) -> None:
    number = engine.memories.create(MemoryDraft("Orders are filtered by day."))
    talk = engine.conversations.list()[0]
    engine.graph.draw(NodeId(NodeKind.MEMORY, number), NodeId(NodeKind.CONVERSATION, talk.id), Relation.RELATED_TO)
    shell.window.navigator.go(Place("activity", "operation", engine.journal.list(limit=1)[0].id))
    wait(lambda: shell.has("activity.undo"))
    viewer = shell.find("activity.detail.text")
    assert isinstance(viewer, QPlainTextEdit)
    wait(lambda: viewer.toPlainText() == f"New: link “Orders are filtered by day” and “{talk.title}”")


def test_in_a_narrow_window_what_changed_stands_below_the_list(
    activity: ActivityPanel, shell: Shell, engine: Engine, wait: Wait
) -> None:
    page = activity.timeline
    page.list.setCurrentIndex(page.model.index(0))
    shell.window.resize(1440, 900)
    wait(lambda: page._detail.isVisible() and page._detail.x() > page.list.x() + page.list.width())
    shell.window.resize(1024, 700)
    wait(lambda: page._detail.y() > page.list.geometry().bottom() and page._detail.width() == page.width())
    viewer = shell.find("activity.detail.text")
    assert isinstance(viewer, QPlainTextEdit)
    wait(lambda: not viewer.verticalScrollBar().isVisible())


def test_what_opens_below_the_list_does_not_cover_its_entry(
    activity: ActivityPanel, shell: Shell, engine: Engine, wait: Wait
) -> None:
    for number in range(30):
        engine.memories.create(MemoryDraft(f"The port of service {number} is {8000 + number}."))
    page = activity.timeline
    wait(lambda: (one := page.model.burst(0)) is not None and len(one.operations) == 30)
    page.toggle(0)
    assert page.model.rowCount() >= 30
    shell.window.resize(1024, 700)
    bottom = page.list.indexAt(QPoint(100, page.list.viewport().height() - 10))
    page.list.setCurrentIndex(bottom)
    wait(page._detail.isVisible)
    seen = page.list.viewport()
    wait(lambda: seen.height() < 420 and seen.rect().contains(page.list.visualRect(page.list.currentIndex()).center()))


def test_what_happened_many_times_in_a_row_is_one_row_that_opens(
    activity: ActivityPanel, shell: Shell, engine: Engine, wait: Wait
) -> None:
    numbers = [engine.memories.create(MemoryDraft(f"The port of service {n} is {8000 + n}.")) for n in range(3)]
    page = activity.timeline
    wait(lambda: page.model.row_of(engine.journal.list(limit=1)[0].id) == 0)
    assert page.model.burst(0) is None, "three are shown one by one"
    numbers.append(engine.memories.create(MemoryDraft("The port of service 3 is 8003.")))
    wait(lambda: page.model.burst(0) is not None)
    newest = engine.journal.list(limit=1)[0]
    assert page.model.index(0).data() == f"{newest.label} and 3 more"
    count = page.model.rowCount()
    page.list.setFocus()
    page.list.setCurrentIndex(page.model.index(0))
    assert "reading.undo" not in activity.abilities(), "one of them is undone, not all"
    shell.key(Qt.Key.Key_O)
    assert page.model.rowCount() == count + 4
    shell.key(Qt.Key.Key_J)
    assert page.current() == newest
    shell.key(Qt.Key.Key_U)
    wait(lambda: (one := engine.journal.list(limit=2)[1]).id == newest.id and one.is_undone)
    older = engine.journal.list(limit=5)[4]
    wait(lambda: page.model.burst(0) is None)
    shell.window.navigator.go(Place("activity", "operation", older.id))
    wait(lambda: page.current() == older)


def test_the_search_is_there_where_it_searches(activity: ActivityPanel, shell: Shell) -> None:
    search = activity.header.search
    assert search is not None
    assert search.isVisible()
    search.setFocus()
    shell.window.navigator.go(Place("activity", query="health"))
    assert shell.find("activity.tabs.health").hasFocus(), "not the tab that is not shown"
    assert not search.isVisible()
    assert not activity.header.focus_search()
    shell.window.navigator.go(Place("activity", query="energy"))
    assert shell.find("activity.tabs.energy").hasFocus(), "a tab that is not shown keeps no tint"
    shell.window.navigator.go(Place("activity", query="timeline"))
    assert search.isVisible()


def test_each_entry_has_its_undo_or_says_why_not(
    activity: ActivityPanel, shell: Shell, engine: Engine, wait: Wait, qtbot: QtBot
) -> None:
    first = engine.conversations.list()[0].id
    engine.conversations.rename(first, "Orders filter")
    engine.settings.set("queue_size", 12)
    page = activity.timeline
    older = engine.journal.list(limit=2)[1]
    wait(lambda: page.model.row_of(older.id) == 1)
    delegate = page.list.itemDelegate()
    assert isinstance(delegate, ActivityDelegate)

    def undo_place(row: int) -> QPoint:
        index = page.model.index(row)
        return delegate.undo_rect(page.list.visualRect(index), index).center()

    qtbot.mouseClick(page.list.viewport(), Qt.MouseButton.LeftButton, pos=undo_place(1))
    wait(lambda: engine.conversations.get(first).conversation.title != "Orders filter")
    assert engine.settings.current.queue_size == 12, "only that entry"
    wait(lambda: (one := page.model.operation(page.model.row_of(older.id))) is not None and one.is_undone)
    undone = page.model.operation(page.model.row_of(older.id))
    assert undone is not None
    assert undo_tip(undone) == "This was undone already."
    row = page.model.row_of(older.id)
    page.list.setFocus()
    page.list.setCurrentIndex(page.model.index(row))
    assert "reading.undo" not in activity.abilities()
    shell.key(Qt.Key.Key_K)
    assert (one := page.current()) is not None
    assert one.label == "Conversations kept: 12"
    shell.key(Qt.Key.Key_U)
    wait(lambda: engine.settings.current.queue_size == 20)


def test_what_was_erased_says_that_it_is_gone_for_good(activity: ActivityPanel, engine: Engine, wait: Wait) -> None:
    memory_id = engine.memories.create(MemoryDraft("The staging server answers on port 8443."))
    engine.memories.erase((memory_id,))
    erased = next(one for one in engine.journal.list(limit=5) if one.kind == "erase")
    assert not erased.is_undoable
    assert undo_tip(erased) == "What was erased is gone for good."
    wait(lambda: activity.timeline.model.row_of(erased.id) >= 0)


def test_health_is_told_in_words(activity: ActivityPanel, shell: Shell, wait: Wait) -> None:
    shell.press("activity.tabs.health")
    wait(lambda: "Memory file" in shell.texts(activity.health))
    text = shell.texts(activity.health)
    assert "are recent changes" in text
    assert "Last backup" in text
    assert "Off: search uses words only" in text
    assert activity.health.abilities() == frozenset()


def test_health_shows_how_far_the_vectors_are(
    activity: ActivityPanel, shell: Shell, engine: Engine, wait: Wait
) -> None:
    shell.press("activity.tabs.health")
    engine.memories.add(MemoryDraft("We use Postgres."))
    engine.settings.set("embedding_endpoint", "http://127.0.0.1:9/v1")  # nobody answers there
    engine.settings.set("embedding_model", "small")
    wait(lambda: "does not answer" in shell.texts(activity.health))
    assert "Search uses words only" in shell.texts(activity.health)
    wait(lambda: shell.has("button.meaning.stop"))
    shell.press("button.meaning.stop")
    wait(lambda: engine.search.meaning().is_stopped)
    wait(lambda: "stopped" in shell.texts(activity.health) and activity.health.abilities() == {"meaning.again"})


# apps


@pytest.fixture
def claude(home: Path) -> Path:
    folder = home / ".claude"
    folder.mkdir()
    path = folder / "settings.json"
    path.write_text('{\n  "model": "opus",\n  "hooks": {}\n}\n', encoding="utf-8")
    return path


def test_connecting_shows_the_lines_first_and_disconnecting_gives_the_file_back(
    claude: Path, shell: Shell, engine: Engine, wait: Wait
) -> None:
    before = claude.read_bytes()
    shell.go("apps")
    wait(lambda: shell.has("app.claude-code.connect"))
    shell.press("app.claude-code.connect")
    wait(lambda: shell.has("app.claude-code.lines"))
    assert not shell.has("app.claude-code.connect"), "one button that connects"
    assert not shell.has("app.claude-code.diff0"), "the lines are folded"
    shell.press("app.claude-code.lines")
    wait(lambda: shell.has("app.claude-code.diff0"))
    assert claude.read_bytes() == before
    apply, lines = shell.find("app.claude-code.apply"), shell.find("app.claude-code.diff0")
    assert (
        apply.mapTo(shell.window, apply.rect().bottomLeft()).y() < lines.mapTo(shell.window, lines.rect().topLeft()).y()
    )
    shell.press("app.claude-code.apply")
    wait(lambda: shell.has("app.claude-code.disconnect"))
    wait(lambda: shell.button("app.claude-code.disconnect").hasFocus())
    assert claude.read_bytes() != before
    card = shell.find("app.claude-code")
    assert "turns green with the first message" in shell.texts(card)
    _capture(engine, "Hello", "k1")
    wait(lambda: "Receiving" in shell.texts(card))
    connected = claude.read_bytes()
    shell.press("app.claude-code.disconnect")
    wait(lambda: shell.has("app.claude-code.apply"))
    assert shell.button("app.claude-code.cancel").hasFocus(), "Return alone takes nothing away"
    QTest.keyClick(shell.button("app.claude-code.cancel"), Qt.Key.Key_Escape)
    wait(lambda: not shell.has("app.claude-code.apply"))
    assert claude.read_bytes() == connected
    shell.press("app.claude-code.disconnect")
    wait(lambda: shell.has("app.claude-code.apply"))
    shell.press("app.claude-code.apply")
    wait(lambda: shell.has("app.claude-code.connect"))
    assert claude.read_bytes() == before


def test_a_broken_file_is_named_and_not_touched(claude: Path, shell: Shell, wait: Wait) -> None:
    claude.write_text("{ broken", encoding="utf-8")
    shell.go("apps")
    wait(lambda: shell.has("app.claude-code"))
    wait(lambda: "settings.json" in shell.texts(shell.find("app.claude-code")))
    assert not shell.has("app.claude-code.connect") or not shell.button("app.claude-code.connect").isEnabled()
    assert claude.read_text(encoding="utf-8") == "{ broken"


def test_a_token_is_shown_once_and_opens_what_was_ticked(shell: Shell, engine: Engine, wait: Wait) -> None:
    shell.go("apps")
    field = shell.find("apps.create.title")
    field.setFocus()
    shell.type("My Tool")
    shell.press("apps.create.go")
    wait(lambda: shell.has("apps.create.token"))
    shown = shell.find("apps.create.token")
    assert isinstance(shown, QLineEdit)
    app = engine.apps.check_token(shown.text())
    assert app is not None
    assert app.name == "my-tool"
    assert app.scopes == {Scope.CAPTURE}
    shell.press("apps.create.token.copy")
    assert QGuiApplication.clipboard().text() == shown.text()
    assert shown.text() not in shell.window.actions_table.action("edit.undo").text()


def test_an_app_is_paused_resumed_renewed_and_revoked(shell: Shell, engine: Engine, wait: Wait) -> None:
    _card, token = engine.apps.create("my-tool", "My Tool", frozenset({Scope.CAPTURE}))
    shell.go("apps")
    wait(lambda: shell.has("app.my-tool.pause"))
    shell.press("app.my-tool.pause")
    wait(lambda: "Paused" in shell.texts(shell.find("app.my-tool")))
    shell.press("app.my-tool.pause")
    wait(lambda: not engine.apps.list()[0].is_paused)
    shell.press("app.my-tool.token")
    assert engine.apps.check_token(token) is not None
    wait(lambda: shell.has("app.my-tool.renew"))
    shell.press("app.my-tool.renew")
    wait(lambda: shell.has("app.my-tool.tokenText"))
    assert engine.apps.check_token(token) is None
    shell.press("app.my-tool.revoke")
    wait(lambda: shell.has("app.my-tool.revokeNow"))
    shell.press("app.my-tool.revokeNow")
    wait(lambda: not shell.has("app.my-tool"))


# first steps


def test_the_first_start_shows_the_steps_and_marks_them_seen(
    qtbot: QtBot, window: MainWindow, engine: Engine, wait: Wait
) -> None:
    shell = Shell(window, qtbot)
    window.actions_table.run("help.firstStart")
    panel = window.current_panel
    assert isinstance(panel, FirstStartPanel)
    engine.settings.set("first_start_done", value=False)
    assert shell.has("button.help.example"), "an example can be looked at before anything is connected"
    shell.window.resize(1024, 700)
    example = shell.find("button.help.example")
    wait(lambda: example.visibleRegion().boundingRect().height() == example.height())  # and is seen without scrolling
    for step in range(3):
        assert panel.step == step
        shell.press("start.next")
    wait(lambda: engine.settings.current.first_start_done)
    assert shell.screen != "first-start"


def test_the_first_steps_begin_on_the_button_that_connects(claude: Path, shell: Shell, wait: Wait) -> None:
    shell.window.activateWindow()
    shell.window.actions_table.run("help.firstStart")
    wait(lambda: (focus := shell.window.focusWidget()) is not None and focus.objectName() == "app.claude-code.connect")


def test_where_no_assistant_is_the_first_step_says_what_was_looked_for_and_looks_again(
    home: Path, shell: Shell, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait: Wait
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # of this machine's programs none counts
    shell.window.actions_table.run("help.firstStart")
    panel = shell.window.current_panel
    assert panel is not None
    wait(lambda: shell.has("start.again"))
    said = shell.texts(panel)
    assert all(card.title in said for card in engine.apps.assistants())
    (home / ".claude").mkdir()
    shell.press("start.again")
    wait(lambda: not shell.has("start.again"))
    wait(lambda: "Claude Code" in shell.texts(panel))


def test_the_past_is_found_chosen_and_read(claude: Path, shell: Shell, engine: Engine, wait: Wait) -> None:
    folder = claude.parent / "projects" / "-src-orchard"
    folder.mkdir(parents=True)
    line = (
        '{"type":"user","uuid":"u1","sessionId":"s1","timestamp":"2026-11-20T09:00:00.000Z","cwd":"/src/orchard",'
        '"isSidechain":false,"userType":"external","message":{"role":"user","content":"Plan the import of notes"}}'
    )
    (folder / "s1.jsonl").write_text(line + "\n", encoding="utf-8")
    shell.window.actions_table.run("help.firstStart")
    shell.press("start.step2")
    wait(lambda: shell.has("start.import"))
    (folder / "s2.jsonl").write_text(line.replace("u1", "u2").replace("s1", "s2") + "\n", encoding="utf-8")
    shell.press("start.step1")
    shell.press("start.step2")  # looked for again: one has come meanwhile
    wait(lambda: shell.button("start.import").text() == "Import 2 files")
    shell.press("start.import")
    wait(lambda: engine.stats.now().message_count == 2)
    wait(lambda: not shell.window.imports.is_busy)


# help


def test_every_page_is_there_and_every_link_in_it_leads_somewhere(shell: Shell) -> None:
    import re

    panel = shell.go("help")
    assert isinstance(panel, HelpPanel)
    pages = {page.id for page in HELP_PAGES}
    screens = {screen.id for screen in SCREENS}
    for page in HELP_PAGES:
        shell.press(f"help.page.{page.id}")
        assert panel.page_id == page.id
        assert len(panel.viewer.toPlainText()) > 200
        for target in re.findall(r"\]\(([^)]+)\)", read_page(page.id)):
            if target.startswith("help:"):
                assert target.removeprefix("help:") in pages
            elif target.startswith("picture:"):
                assert target.removeprefix("picture:") == page.id
            else:
                place = parse_link(target)
                assert place is not None, target
                assert place.screen in screens


def test_links_in_help_open_pages_and_screens(shell: Shell) -> None:
    panel = shell.go("help")
    assert isinstance(panel, HelpPanel)
    panel.viewer.link_chosen.emit("help:privacy")
    assert panel.page_id == "privacy"
    panel.viewer.link_chosen.emit("remanence://settings?q=secrets")
    assert shell.screen == "settings"


def test_the_help_is_searched(shell: Shell) -> None:
    panel = shell.go("help")
    assert isinstance(panel, HelpPanel)
    panel.focus_search()
    shell.type("secrets journal")
    shown = [page.id for page in HELP_PAGES if shell.has(f"help.page.{page.id}")]
    assert panel.page_id in shown
    assert 0 < len(shown) < len(HELP_PAGES)
    for page_id in shown:
        text = read_page(page_id).lower()
        assert "secrets" in text, page_id
        assert "journal" in text, page_id
    panel.header.set_query("zebra")
    assert "zebra" in panel.header.status
    panel.header.set_query("")
    assert all(shell.has(f"help.page.{page.id}") for page in HELP_PAGES)


def test_the_help_puts_the_page_that_is_called_so_first(shell: Shell) -> None:
    panel = shell.go("help")
    assert isinstance(panel, HelpPanel)
    panel.header.set_query("energy")
    assert panel.page_id == "notes-and-energy"
    places = {
        page.id: shell.find(f"help.page.{page.id}").y() for page in HELP_PAGES if shell.has(f"help.page.{page.id}")
    }
    assert min(places, key=lambda page_id: places[page_id]) == "notes-and-energy"
    assert panel.viewer.textCursor().selectedText().lower() == "energy"
    panel.header.set_query("")
    assert [shell.find(f"help.page.{page.id}").y() for page in HELP_PAGES] == sorted(
        shell.find(f"help.page.{page.id}").y() for page in HELP_PAGES
    )


def test_f1_opens_the_page_of_what_is_shown(shell: Shell) -> None:
    for screen, page in (
        ("memories", "memories"),
        ("graph", "graph"),
        ("settings", "privacy"),
        ("now", "getting-started"),
    ):
        shell.go(screen)
        shell.key(Qt.Key.Key_F1)
        panel = shell.window.current_panel
        assert isinstance(panel, HelpPanel)
        assert panel.page_id == page
    shell.window.navigator.go(Place("activity", query="energy"))
    shell.key(Qt.Key.Key_F1)
    assert panel.page_id == "notes-and-energy"
    shell.key(Qt.Key.Key_F1)
    assert panel.page_id == "notes-and-energy", "it stays from the help itself"
    assert {page_of(one.id) for one in SCREENS} <= {page.id for page in HELP_PAGES} | {""}


def test_numbers_can_be_read(advanced: SettingsPanel) -> None:
    fields = [field for field in advanced.findChildren(AmountField) if field.isVisible()]
    assert len(fields) > 30
    for field in fields:
        assert field.width() > field.fontMetrics().horizontalAdvance(field.text()) + 20, field.objectName()
