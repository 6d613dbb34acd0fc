"""The frame on a real engine: screens, keys, palette, notices with Undo, pause, recovery, import by dropping."""

import json
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QDir, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit
from pytestqt.qtbot import QtBot

from app.api import Engine, FrozenClock, MemoryDraft, Progress, StoreCorruptError, StoreLockedError
from tests.ui.pages.shell import Shell
from ui.actions.table import ACTIONS
from ui.bridge import EngineBridge
from ui.navigation import Place
from ui.notices import Notice
from ui.shell.main_window import MainWindow
from ui.shell.notice_bar import MAX_NOTICES
from ui.theme import Theme
from ui.widgets.popups.overlay import Overlay

Wait = Callable[[Callable[[], object]], None]
pytestmark = pytest.mark.usefixtures("no_stray_windows")


@pytest.fixture
def shell(window: MainWindow, qtbot: QtBot) -> Shell:
    return Shell(window, qtbot)


def test_every_screen_opens_from_the_rail_and_by_its_key(shell: Shell) -> None:
    shown = [screen for screen in shell.window.screens if not screen.is_hidden]
    for screen in shown:
        shell.go(screen.id)
        assert shell.screen == screen.id
    for screen in shown:
        (action,) = [one for one in ACTIONS if one.id == f"go.{screen.id}"]
        QTest.keySequence(shell.window, QKeySequence(action.shortcuts[0]))
        assert shell.screen == screen.id


def test_alt_arrows_walk_the_history(shell: Shell) -> None:
    shell.go("apps")
    shell.go("settings")
    shell.key(Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert shell.screen == "apps"
    shell.key(Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert shell.screen == "settings"


def test_the_palette_goes_where_one_types(shell: Shell) -> None:
    shell.ctrl(Qt.Key.Key_K)
    assert shell.window.sheets.palette.is_open
    shell.type("activ")
    assert shell.palette_lines[0] == "Activity"
    shell.key(Qt.Key.Key_Return)
    assert not shell.window.sheets.palette.is_open
    assert shell.screen == "activity"


def test_the_palette_runs_what_is_called_so_before_a_memory_that_says_it(
    shell: Shell, engine: Engine, wait: Wait
) -> None:
    engine.memories.create(MemoryDraft("Pause capture for an hour when the backup runs.", title="Pause and backup"))
    for query, name in (
        ("pause capture for an hour", "Pause capture for an hour"),
        ("backup", "Back up now"),
        ("connect", "Apps"),
    ):
        shell.window.commands.open_palette()
        shell.window.sheets.palette.field.setText(query)
        assert shell.palette_lines[0] == name
        if query != "connect":
            wait(lambda: "Pause and backup" in shell.palette_lines)
        assert shell.palette_lines[0] == name
        shell.key(Qt.Key.Key_Escape)


def test_the_palette_says_why_and_puts_what_is_called_so_first(shell: Shell, engine: Engine, wait: Wait) -> None:
    engine.memories.create(
        MemoryDraft("Linting, tests and docs: Ruff is run before each of them.", title="Before a commit")
    )
    engine.memories.create(MemoryDraft("Ruff is the linter, because Flake8 took a minute.", title="Ruff is the linter"))
    shell.window.commands.open_palette()
    shell.window.sheets.palette.field.setText("ruff")
    wait(lambda: "Before a commit" in shell.palette_lines)
    assert shell.palette_lines[:2] == ["Ruff is the linter", "Before a commit"]
    model = shell.window.sheets.palette.model
    assert [model.entry(row).reason for row in (0, 1)] == ["Because Flake8 took a minute.", ""]  # type: ignore[union-attr]
    assert "Because Flake8 took a minute." in str(model.index(0).data(Qt.ItemDataRole.AccessibleTextRole))
    shell.key(Qt.Key.Key_Escape)


def test_the_last_places_are_called_by_their_titles(shell: Shell, engine: Engine, wait: Wait) -> None:
    number = engine.memories.create(MemoryDraft("Deploys wait for Ada.", title="Deploys wait"))
    shell.window.navigator.go(Place("memories", "memory", number))
    shell.window.navigator.go(Place("activity", query="health"))
    shell.go("apps")
    shell.window.commands.open_palette()
    wait(lambda: "Deploys wait" in shell.palette_lines)
    assert shell.palette_lines[:2] == ["Activity: health", "Deploys wait"]
    shell.key(Qt.Key.Key_Escape)


def test_the_palette_narrows_to_actions_and_to_help(shell: Shell) -> None:
    shell.window.commands.open_palette(">")
    assert "Back up now" in shell.palette_lines
    assert "Activity" not in shell.palette_lines
    shell.window.commands.open_palette("?")
    assert "Privacy and what is stored" in shell.palette_lines
    shell.key(Qt.Key.Key_Escape)
    assert not shell.window.sheets.palette.is_open


def test_the_palette_finds_settings_and_opens_them_searched(shell: Shell, wait: Wait) -> None:
    wait(lambda: shell.window.setting_cards)
    shell.ctrl(Qt.Key.Key_K)
    shell.type("text size")
    assert "Text size" in shell.palette_lines
    shell.key(Qt.Key.Key_Return)
    assert shell.screen == "settings"


def test_escape_gives_the_focus_back(shell: Shell) -> None:
    panel = shell.go("settings")
    panel.focus_search()
    field = QApplication.focusWidget()
    shell.ctrl(Qt.Key.Key_K)
    assert QApplication.focusWidget() is shell.window.sheets.palette.field
    shell.key(Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is field


def test_a_change_is_told_with_undo_and_undo_takes_it_back(shell: Shell, engine: Engine, wait: Wait) -> None:
    shell.window.commands.set_theme("dark")
    wait(lambda: engine.settings.current.theme == "dark")
    wait(lambda: shell.window.theme.is_dark)
    wait(lambda: shell.notices)
    shell.press("notice.action")
    wait(lambda: engine.settings.current.theme == "light")
    wait(lambda: not shell.window.theme.is_dark)


def test_ctrl_z_and_ctrl_shift_z(shell: Shell, engine: Engine, wait: Wait) -> None:
    shell.window.commands.set_theme("dark")
    wait(lambda: "Dark" in shell.window.actions_table.action("edit.undo").text())
    shell.ctrl(Qt.Key.Key_Z)
    wait(lambda: engine.settings.current.theme == "light")
    wait(lambda: shell.window.actions_table.action("edit.redo").isEnabled())
    shell.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    wait(lambda: engine.settings.current.theme == "dark")


def test_notices_stack_to_three_and_the_same_one_is_shown_once(shell: Shell) -> None:
    for text in ("one", "two", "two", "three", "four"):
        shell.window.notify(Notice(text))
    assert shell.notices == ["two", "three", "four"]
    assert len(shell.notices) == MAX_NOTICES


def test_an_act_that_goes_back_and_forth_has_one_notice(shell: Shell, engine: Engine, wait: Wait) -> None:
    shell.window.commands.set_theme("dark")
    wait(lambda: shell.notices)
    (told,) = shell.notices
    shell.press("notice.action")
    wait(lambda: shell.notices == [f"Undone: {told}"])
    assert shell.window.notices.notices[0].action_text == "Redo"
    shell.press("notice.action")
    wait(lambda: engine.settings.current.theme == "dark")
    wait(lambda: len(shell.notices) == 1 and shell.window.notices.notices[0].action_text == "Undo")


def test_f6_walks_rail_screen_notices(shell: Shell) -> None:
    shell.go("settings")
    shell.window.notify(Notice("Something was done"))
    parts = []
    shell.window.rail.focus_current()
    for _step in range(3):
        shell.key(Qt.Key.Key_F6)
        focus = QApplication.focusWidget()
        holders = {"rail": shell.window.rail, "screen": shell.window.stack, "notices": shell.window.notices}
        parts.append(next(name for name, holder in holders.items() if holder.isAncestorOf(focus)))
    assert parts == ["screen", "notices", "rail"]


def test_pausing_shows_an_amber_bar_on_every_screen(
    shell: Shell, engine: Engine, clock: FrozenClock, wait: Wait
) -> None:
    engine.events.pause(clock.now() + timedelta(minutes=30))
    wait(lambda: shell.window.pause_bar.isVisible())
    shell.go("settings")
    assert "15:30" in shell.texts(shell.window.pause_bar)
    wait(lambda: "Paused until 15:30" in shell.window.rail.light.accessibleName())
    shell.press("rail.light")
    menu = shell.window.light_menu
    assert menu.isVisible()
    texts = [action.text() for action in menu.actions()]
    assert texts[0].startswith("Paused until 15:30, ")
    assert texts[0].endswith(" left")
    assert "Resume capture" in texts
    menu.close()
    assert engine.stats.health().is_paused, "one click on the light resumes nothing"
    shell.press("pause.resume")
    wait(lambda: not shell.window.pause_bar.isVisible())
    assert engine.stats.health().is_paused is False


def test_the_rail_shrinks_to_icons_in_a_narrow_window(shell: Shell, qtbot: QtBot) -> None:
    shell.window.resize(900, 600)
    qtbot.waitUntil(lambda: shell.window.rail.is_narrow)
    shell.window.resize(1280, 800)
    qtbot.waitUntil(lambda: not shell.window.rail.is_narrow)


def test_the_shortcut_sheet_lists_keys(shell: Shell) -> None:
    shell.go("settings")
    shell.window.rail.focus_current()
    shell.key(Qt.Key.Key_Question)
    assert shell.window.sheets.shortcuts.is_open
    text = shell.texts(shell.window.sheets.shortcuts)
    assert "Ctrl+K" in text
    assert "Split here" not in text  # of another screen
    shell.key(Qt.Key.Key_Escape)
    assert not shell.window.sheets.shortcuts.is_open


def test_a_link_opens_its_place_and_can_be_copied(shell: Shell) -> None:
    assert shell.window.open_link("remanence://settings?q=port")
    assert shell.screen == "settings"
    shell.window.commands.copy_link()
    assert QGuiApplication.clipboard().text() == "remanence://settings?q=port"
    assert not shell.window.open_link("https://example.org")


def test_a_bug_is_told_once_with_its_details(shell: Shell) -> None:
    shell.window.show_crash("Traceback: boom")
    assert len(shell.notices) == 1
    shell.press("notice.action")
    assert QGuiApplication.clipboard().text() == "Traceback: boom"


def test_a_refused_change_says_cause_and_next_step(shell: Shell, wait: Wait) -> None:
    shell.window.bridge.do("test", lambda engine: engine.settings.set("no_such_option", 1))
    wait(lambda: shell.notices)
    assert "no_such_option" in shell.notices[0]


def test_diagnostics_hold_no_text_of_the_person(shell: Shell) -> None:
    shell.window.commands.copy_diagnostics()
    text = QGuiApplication.clipboard().text()
    assert "SQLite" in text
    assert str(shell.window.state.health.store_path.parent) not in text if shell.window.state else False


def _drop(window: MainWindow, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    where, buttons, keys = QPointF(400, 300), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(where.toPoint(), Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(window, enter)
    assert window.drop.isVisible()
    QApplication.sendEvent(window, QDropEvent(where, Qt.DropAction.CopyAction, data, buttons, keys))
    assert not window.drop.isVisible()


def test_a_dropped_history_is_offered_read_and_can_be_undone(
    shell: Shell, engine: Engine, wait: Wait, tmp_path: Path
) -> None:
    lines = [
        {
            "type": "user",
            "uuid": f"u{number}",
            "sessionId": "s-drop",
            "timestamp": f"2026-11-2{number}T09:00:00.000Z",
            "cwd": "/src/orchard",
            "isSidechain": False,
            "userType": "external",
            "message": {"role": "user", "content": text},
        }
        for number, text in enumerate(("Sketch the parser for delivery notes", "Now write the tests for it"))
    ]
    path = tmp_path / "s-drop.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")
    _drop(shell.window, path)
    wait(lambda: shell.has("import.go"))
    shell.press("import.go")
    wait(lambda: shell.has("import.undo"))
    assert engine.stats.now().message_count == 2
    assert "Imported 2 messages" in shell.texts(shell.window.import_card)
    shell.press("import.undo")
    assert shell.window.progress.job_id == "import.undo", "the undo shows that it is working"
    wait(lambda: engine.stats.now().message_count == 0)
    wait(lambda: not shell.window.progress.job_id)


def test_an_unknown_file_is_named_and_nothing_is_read(shell: Shell, wait: Wait, tmp_path: Path) -> None:
    path = tmp_path / "holiday.txt"
    path.write_text("no history", encoding="utf-8")
    _drop(shell.window, path)
    wait(lambda: "Nothing here can be imported" in shell.texts(shell.window.import_card))
    assert not shell.has("import.go")


def test_a_backup_is_made_and_told(shell: Shell, engine: Engine, wait: Wait) -> None:
    shell.window.actions_table.run("file.backup")
    wait(lambda: any("Backed up" in text for text in shell.notices))
    assert engine.backups.list()
    wait(lambda: not shell.window.imports.is_busy)


@pytest.mark.parametrize(
    ("error", "heading", "has_backups"),
    [
        (StoreLockedError("Another Remanence has the memory open.", hint="Close it."), "somewhere else", False),
        (StoreCorruptError("The file is malformed.", hint="Restore a backup."), "damaged", True),
        (RuntimeError("boom"), "Something went wrong", True),
    ],
    ids=["locked", "corrupt", "bug"],
)
def test_a_memory_that_cannot_be_opened_has_a_page_of_its_own(
    qtbot: QtBot, bridge: EngineBridge, theme: Theme, error: BaseException, heading: str, has_backups: bool
) -> None:
    window = MainWindow(bridge, theme)
    qtbot.addWidget(window)
    window.begin_at("")
    window.show()
    window.show_problem(error)
    shell = Shell(window, qtbot)
    text = shell.texts(window.recovery)
    assert heading in text
    assert "Traceback" not in text
    assert ("Backups on this computer" in text) is has_backups
    with qtbot.waitSignal(window.retry_asked):
        shell.press("recovery.retry")
    window.close()


def _write_long(path: Path) -> Path:
    """A history of 3,000 prompts."""
    with path.open("w", encoding="utf-8") as handle:
        for number in range(3_000):
            line = {
                "type": "user",
                "uuid": f"u{number}",
                "sessionId": "s-long",
                "timestamp": f"2026-11-20T{number // 3600:02d}:{number // 60 % 60:02d}:{number % 60:02d}.000Z",
                "cwd": "/src/orchard",
                "isSidechain": False,
                "userType": "external",
                "message": {"role": "user", "content": f"Add field number {number} to the form and test it"},
            }
            handle.write(json.dumps(line) + "\n")
    return path


def test_an_import_is_counted_first_pauses_goes_on_and_stops_when_told(
    shell: Shell, engine: Engine, wait: Wait, tmp_path: Path
) -> None:
    card, strip = shell.window.import_card, shell.window.progress
    _drop(shell.window, _write_long(tmp_path / "long.jsonl"))
    wait(lambda: "3,000 new messages in 1 session" in shell.texts(card))
    assert shell.button("import.go").text() == "Import 3,000 messages"
    shell.press("import.go")
    wait(lambda: "of 3,000 messages" in shell.texts(strip))
    wait(lambda: "left" in shell.texts(strip))
    assert shell.window.actions_table.action("job.stop").isEnabled()
    shell.press("progress.pause")
    wait(lambda: not shell.window.imports.is_busy)
    assert not shell.has("progress.stop")
    assert "Import paused: " in shell.texts(card)
    paused_at = engine.stats.now().message_count
    assert paused_at < 3_000
    shell.press("import.continue")
    wait(lambda: shell.has("progress.stop"))
    wait(lambda: engine.stats.now().message_count > paused_at)
    shell.press("progress.stop")
    wait(lambda: not shell.window.imports.is_busy)
    kept = engine.stats.now().message_count
    assert paused_at < kept < 3_000
    assert f"Stopped after {kept:,} messages" in shell.texts(card)
    wait(lambda: engine.transfer.unfinished() is None)
    shell.press("import.undo")
    wait(lambda: engine.stats.now().message_count == 0)  # what came before the pause, too


def test_an_import_that_a_kill_interrupted_is_offered_again(
    engine: Engine, request: pytest.FixtureRequest, qtbot: QtBot, wait: Wait, tmp_path: Path
) -> None:
    cancel = threading.Event()

    def stop(progress: Progress) -> None:
        if progress.total and progress.done > 50:
            cancel.set()

    path = _write_long(tmp_path / "long.jsonl")
    half = engine.transfer.import_history("claude-code", path, progress=stop, cancel=cancel)
    shell = Shell(request.getfixturevalue("window"), qtbot)
    wait(lambda: shell.has("import.continue"))
    told = shell.texts(shell.window.import_card)
    assert f"An import was interrupted: {half.message_count:,} messages so far" in told
    shell.press("import.close")
    wait(lambda: engine.transfer.unfinished() is None)
    assert engine.stats.now().message_count == half.message_count


def test_the_files_of_an_import_may_lie_in_a_hidden_folder(window: MainWindow) -> None:
    window.actions_table.run("file.import")
    dialog = window.findChild(QFileDialog, "import.files")
    assert dialog is not None
    assert dialog.filter() & QDir.Filter.Hidden
    assert dialog.testOption(QFileDialog.Option.ReadOnly), "its Delete key would remove what the person chose from"
    assert dialog.directory() == QDir.home()
    assert dialog.testOption(QFileDialog.Option.ReadOnly), "it cannot delete"
    dialog.reject()


def test_a_sheet_closes_though_what_had_the_focus_is_gone(window: MainWindow) -> None:
    field = QLineEdit(window)
    field.show()
    field.setFocus()
    sheet = Overlay(window, object_name="sheet", name="A sheet")
    sheet.open()
    shiboken6.delete(field)
    sheet.close_sheet()
    assert not sheet.is_open
    sheet.deleteLater()
