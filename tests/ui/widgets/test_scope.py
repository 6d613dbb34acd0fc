"""The scope chip: what there is to choose, what is chosen, and that every screen that has it reads again."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from ui.selection import ScopeFilter, Selection
from ui.widgets.scope_chip import ScopeChip, ScopePopup


@pytest.fixture
def selection() -> Selection:
    made = Selection()
    made.set_scopes(("claude-code", "codex"), ("orchard", "lantern & co"))
    return made


def _choices(chip: ScopeChip) -> dict[str, tuple[ScopeFilter, bool]]:
    menu = QMenu()
    chip.fill(menu)
    return {action.text(): (action.data(), action.isChecked()) for action in menu.actions() if action.text()}


def test_all_apps_and_projects_can_be_chosen(qtbot: QtBot, selection: Selection) -> None:
    chip = ScopeChip(selection)
    qtbot.addWidget(chip)
    assert _choices(chip) == {
        "Everything": (ScopeFilter(), True),
        "Claude Code": (ScopeFilter("claude-code"), False),
        "Codex": (ScopeFilter("codex"), False),
        "orchard": (ScopeFilter("", "orchard"), False),
        "lantern && co": (ScopeFilter("", "lantern & co"), False),
    }


def test_app_and_project_combine_and_a_second_choice_takes_one_away(qtbot: QtBot, selection: Selection) -> None:
    chip = ScopeChip(selection)
    qtbot.addWidget(chip)
    with qtbot.waitSignal(selection.scope_changed):
        selection.set_scope(ScopeFilter("codex"))
    choices = _choices(chip)
    assert choices["orchard"] == (ScopeFilter("codex", "orchard"), False)
    assert choices["Codex"] == (ScopeFilter(), True)
    selection.set_scope(ScopeFilter("codex", "orchard"))
    assert chip.text() == "Codex · orchard"
    assert chip.accessibleName() == "Show: Codex · orchard"
    assert chip.isChecked()


def test_it_hides_while_there_is_nothing_to_choose_between(qtbot: QtBot, selection: Selection) -> None:
    chip = ScopeChip(selection)
    qtbot.addWidget(chip)
    assert not chip.isHidden()
    selection.set_scopes(("codex",), ("orchard",))
    assert chip.isHidden()
    selection.set_scope(ScopeFilter("codex"))
    assert not chip.isHidden()


def test_many_projects_are_searched(qtbot: QtBot, selection: Selection) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    selection.set_scopes(("codex",), (*(f"field {n}" for n in range(30)), "orchard"))
    ScopeChip(selection, window)
    window.resize(900, 700)
    window.show()
    window.findChild(ScopeChip).click()
    popup = window.findChild(ScopePopup)
    assert popup is not None
    assert popup.list.count() == 33
    qtbot.keyClicks(popup.search, "orch")
    assert [popup.list.item(n).text() for n in range(popup.list.count())] == ["orchard"]
    qtbot.keyClick(popup.search, Qt.Key.Key_Return)
    assert selection.scope == ScopeFilter("", "orchard")
    assert popup.isHidden()
