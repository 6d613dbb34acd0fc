"""The table of actions: complete, without double keys, and the one source of menu, palette and shortcut page."""

from collections import Counter
from collections.abc import Callable

import pytest
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from app.resources import resource_path
from tests.table import table
from ui.actions.spec import ActionSpec, Situation
from ui.actions.table import ACTIONS, MENUS
from ui.screens.help.pages import shortcuts_markdown
from ui.shell.main_window import MainWindow

Wait = Callable[[Callable[[], object]], None]
pytestmark = pytest.mark.usefixtures("no_stray_windows")


@table("spec", ACTIONS, ids=lambda spec: spec.id)
def test_each_row_has_all_its_columns(spec: ActionSpec) -> None:
    assert spec.text
    assert spec.tip
    assert not spec.tip.endswith(".")
    assert resource_path("icons", f"{spec.icon}.svg").exists()
    assert spec.menu in MENUS
    assert all(not QKeySequence(keys).isEmpty() for keys in spec.shortcuts)


def test_ids_are_unique_and_keys_are_so_on_every_screen() -> None:
    """Rows that panels run are enabled on their screens only, so those of two screens may share a key."""
    ids = Counter(spec.id for spec in ACTIONS)
    assert [name for name, count in ids.items() if count > 1] == []
    for rows in ("Conversation", "Memory", "Review", "Context"):
        shown = [spec for spec in ACTIONS if spec.run is not None or spec.menu == rows]
        keys = Counter(QKeySequence(key).toString() for spec in shown for key in spec.shortcuts)
        assert [name for name, count in keys.items() if count > 1] == []


@pytest.mark.usefixtures("demo")
def test_no_two_enabled_actions_answer_to_one_key(window: MainWindow, wait: Wait) -> None:
    for screen in window.screens:
        window.go(screen.id)
        wait(lambda: not window.bridge.is_waiting)
        window.update_actions()
        enabled = [spec for spec in ACTIONS if window.actions_table.action(spec.id).isEnabled()]
        keys = Counter(QKeySequence(key).toString() for spec in enabled for key in spec.shortcuts)
        assert [name for name, count in keys.items() if count > 1] == [], screen.id


def _actions_below(menu: QMenu) -> list[QAction]:
    below: list[QAction] = []
    for action in menu.actions():
        inner = action.menu()
        below += _actions_below(inner) if isinstance(inner, QMenu) else [action]
    return below


def test_every_action_is_in_the_menu(window: MainWindow) -> None:
    assert {action.objectName() for action in _actions_below(window.menu)} == {spec.id for spec in ACTIONS}


def test_every_enabled_action_is_in_the_palette(window: MainWindow) -> None:
    everything = {entry.text for entry in window.sheets.sources.typed("")}
    for spec in ACTIONS:
        action = window.actions_table.action(spec.id)
        if action.isEnabled() and not spec.id.startswith("go."):
            assert action.text() in everything


def test_every_shortcut_is_on_the_help_page() -> None:
    page = shortcuts_markdown()
    for spec in ACTIONS:
        if spec.shortcuts:
            assert spec.text.rstrip("…") in page


def test_what_needs_the_engine_is_off_without_it() -> None:
    closed = Situation(screens=frozenset({"settings"}))
    enabled = {spec.id for spec in ACTIONS if spec.is_enabled(closed)}
    assert "go.settings" in enabled
    assert not enabled & {"file.import", "edit.undo", "capture.pause", "go.now", "file.backup"}


def test_undo_says_what_it_would_take_back(window: MainWindow) -> None:
    window.actions_table.update(Situation(undo_label="Renamed 'Login &\nform'" + "x" * 500))
    text = window.actions_table.action("edit.undo").text()
    assert text.startswith("Undo: Renamed 'Login && form'x")
    assert len(text) < 100
    assert not window.actions_table.action("edit.redo").isEnabled()
    assert any(entry.text.startswith("Undo: Renamed 'Login & form'x") for entry in window.sheets.sources.typed(">"))
