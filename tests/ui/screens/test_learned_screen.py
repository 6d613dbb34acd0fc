"""Learned: workflows and rules in one list; edited in place, off, put away by key; each taken back."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.api import CaptureRequest, Engine, EventKind, MemoryDraft, MemoryKind
from app.store.rows.rule import record_of
from app.store.tables.core import LearnedRuleRow
from app.values import Origin
from app.values.rules import LearnedRule, RuleKind
from tests.patience import PATIENCE_MS, PATIENCE_S
from ui.navigation import Place, parse_link
from ui.screens.learned.panel import LearnedPanel
from ui.shell.main_window import MainWindow

DETAILS = {
    "trigger": "deploy_request",
    "steps": ["test", "build", "prod"],
    "details": {"test": "pnpm test", "build": "docker build ."},
    "times": 5,
    "succeeded": 4,
    "share": 0.8,
}


@pytest.fixture
def made(engine: Engine) -> tuple[int, int]:
    """A workflow and a phrase."""
    draft = MemoryDraft(
        text="For a deploy: test, build, prod.", kind=MemoryKind.WORKFLOW, title="Deploy", details=DETAILS
    )
    workflow = engine.memories.create(draft)
    now = engine.clock.now()
    rule = LearnedRule(0, RuleKind.PHRASE, "make it {color}", {"intents": ["EXECUTE"]}, 0.97, 9, now, now, 0)
    with engine._core.store.write(origin=Origin.ENGINE, kind="test", label="") as write:
        number = write.insert(LearnedRuleRow, record_of(rule) | {"changed_count": 0})
    return workflow, number


@pytest.fixture
def panel(window: MainWindow, made: tuple[int, int], qtbot: QtBot) -> LearnedPanel:
    window.navigator.go(Place("learned"))
    shown = window.current_panel
    assert isinstance(shown, LearnedPanel)
    qtbot.waitUntil(lambda: shown.detail.entry is not None, timeout=PATIENCE_MS)
    assert [one.key for one in shown.model.entries] == [(True, made[0]), (False, made[1])]
    return shown


def texts(widget: QWidget) -> str:
    return "\n".join(one.text().replace("\u200b", "") for one in widget.findChildren(QLabel) if not one.isHidden())


def trigger(window: MainWindow, action_id: str) -> None:
    window.actions_table.action(action_id).trigger()


def test_a_workflow_shows_its_steps_and_how_often_it_went_well(panel: LearnedPanel) -> None:
    said = texts(panel.detail)
    assert "deploy: test→build→prod" in said
    assert "pnpm test" in said
    assert "4 of 5 went well" in said
    assert panel.header.status == "1 workflow or pattern for your assistants · 1 rule in use"


def test_groups_say_what_they_are_for_and_fold(panel: LearnedPanel, made: tuple[int, int], qtbot: QtBot) -> None:
    assert [(one.title, one.count) for one in panel.model.folds] == [("Workflows", "1"), ("Phrases", "1")]
    panel.list.choose_row(0)
    assert panel.abilities() == {"learned.next", "learned.previous"}, "a head is not edited or archived"
    qtbot.waitUntil(lambda: "gets all steps of one when you ask" in texts(panel.detail), timeout=PATIENCE_MS)
    QTest.keyClick(panel.list, Qt.Key.Key_Return)
    assert [one.key for one in panel.model.entries] == [(False, made[1])]
    assert panel.list.current == panel.model.folds[0], "the cursor stays on what was closed"
    QTest.keyClick(panel.list, Qt.Key.Key_Left)
    assert len(panel.model.entries) == 1, "closed already"
    QTest.keyClick(panel.list, Qt.Key.Key_Right)
    assert len(panel.model.entries) == 2
    panel.header.set_query("zebra")
    qtbot.waitUntil(lambda: panel.halves.lists.currentWidget() is panel.halves.none, timeout=PATIENCE_MS)
    assert "zebra" in panel.halves.none.text()


def test_what_is_not_in_use_yet_is_folded_until_it_is_looked_for(
    window: MainWindow, panel: LearnedPanel, engine: Engine, qtbot: QtBot
) -> None:
    for pattern in ("try zebra {color}", "try yak {color}"):
        rule = LearnedRule(0, RuleKind.PHRASE, pattern, {"intents": ["TEST"]}, 0.6, 1, *2 * (engine.clock.now(),), 0)
        with engine._core.store.write(origin=Origin.ENGINE, kind="test", label="") as write:
            number = write.insert(LearnedRuleRow, record_of(rule) | {"changed_count": 0})
    panel.refresh()
    qtbot.waitUntil(lambda: panel.model.folds[-1].title == "Learned, not in use yet", timeout=PATIENCE_MS)
    assert panel.model.folds[-1].count == "2"
    assert len(panel.model.entries) == 2
    panel.header.set_query("zebra")
    qtbot.waitUntil(lambda: [one.title for one in panel.model.entries] == ["try zebra …"], timeout=PATIENCE_MS)
    panel.header.set_query("")
    qtbot.waitUntil(lambda: len(panel.model.entries) == 2, timeout=PATIENCE_MS)
    window.navigator.go(Place("learned", "rule", number))
    qtbot.waitUntil(lambda: panel.detail.title.text() == "try yak …", timeout=PATIENCE_MS)
    wanted = "Nothing yet. A phrase is used once it was understood the same way eight times"
    qtbot.waitUntil(lambda: wanted in texts(panel.detail), timeout=PATIENCE_MS)


def test_off_and_put_away_by_key_and_back_by_undo(
    window: MainWindow, panel: LearnedPanel, made: tuple[int, int], engine: Engine, qtbot: QtBot
) -> None:
    assert {"learned.edit", "learned.switch_off", "learned.purge", "learned.memory"} <= panel.abilities()
    trigger(window, "learned.switch_off")
    qtbot.waitUntil(lambda: "learned.switch_on" in panel.abilities(), timeout=PATIENCE_MS)
    assert not engine.rules.practice(made[0]).is_on
    trigger(window, "learned.switch_on")
    qtbot.waitUntil(lambda: "learned.switch_off" in panel.abilities(), timeout=PATIENCE_MS)
    trigger(window, "learned.purge")
    qtbot.waitUntil(lambda: len(panel.model.entries) == 1, timeout=PATIENCE_MS)
    assert panel.detail.entry is not None
    assert panel.detail.entry.key == (False, made[1])
    trigger(window, "learned.purge")
    qtbot.waitUntil(lambda: panel.pages.currentWidget() is panel.empty, timeout=PATIENCE_MS)
    engine.journal.undo()
    engine.journal.undo()
    qtbot.waitUntil(lambda: len(panel.model.entries) == 2, timeout=PATIENCE_MS)


def test_steps_are_edited_in_place_and_escape_leaves_them(
    window: MainWindow, panel: LearnedPanel, made: tuple[int, int], engine: Engine, qtbot: QtBot
) -> None:
    trigger(window, "learned.edit")
    assert panel.detail.is_editing
    assert "learned.purge" not in panel.abilities(), "Del belongs to the text"
    area = panel.detail._area
    assert area is not None
    assert area.toPlainText() == "test: pnpm test\nbuild: docker build .\nprod"
    QTest.keyClick(area, Qt.Key.Key_Escape)
    assert not panel.detail.is_editing
    trigger(window, "learned.edit")
    area = panel.detail._area
    assert area is not None
    area.setPlainText("test: make test\nship: make ship")
    QTest.keyClick(area, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: "make ship" in texts(panel.detail), timeout=PATIENCE_MS)
    assert [one.name for one in engine.rules.practice(made[0]).parts] == ["test", "ship"]


def test_a_phrase_is_edited_and_a_wrong_intent_is_said(
    window: MainWindow, panel: LearnedPanel, engine: Engine, qtbot: QtBot
) -> None:
    trigger(window, "learned.next")  # over the head of the group
    trigger(window, "learned.next")
    qtbot.waitUntil(lambda: panel.detail.title.text() == "make it …", timeout=PATIENCE_MS)
    trigger(window, "learned.edit")
    field = panel.detail.findChild(QLineEdit, "learned.field.intents")
    assert field is not None
    field.setText("dance")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert "An intent is one of" in panel.detail.problem.text()
    field.setText("plan, test")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "understood as plan, test" in texts(panel.detail), timeout=PATIENCE_MS)
    (rule,) = engine.rules.learned()
    assert (rule.details["intents"], rule.is_edited) == (["PLAN", "TEST"], True)


def test_a_link_leads_to_a_rule(window: MainWindow, made: tuple[int, int], qtbot: QtBot) -> None:
    place = parse_link(f"remanence://rule/{made[1]}")
    assert place == Place("learned", "rule", made[1])
    window.navigator.go(place)
    panel = window.current_panel
    assert isinstance(panel, LearnedPanel)
    qtbot.waitUntil(
        lambda: panel.detail.entry is not None and panel.detail.entry.key == (False, made[1]), timeout=PATIENCE_MS
    )


def test_a_rule_shows_a_message_in_which_it_was_used_and_leads_there(
    panel: LearnedPanel, made: tuple[int, int], engine: Engine, window: MainWindow, qtbot: QtBot
) -> None:
    for n, text in enumerate(("Put a clock on the start page", "Make it teal")):
        request = CaptureRequest(app="codex", kind=EventKind.PROMPT, key=f"k{n}", session="s", text=text, cwd="/w/n")
        (done,) = engine.events.capture([request], wait_s=PATIENCE_S)
    panel.list.choose_row(panel.model.row_of((False, made[1])))
    qtbot.waitUntil(lambda: "“Make it teal”" in texts(panel.detail), timeout=PATIENCE_MS)
    button = panel.detail.findChild(QPushButton, "learned.example")
    assert button is not None
    button.click()
    qtbot.waitUntil(lambda: window.current_panel is not panel, timeout=PATIENCE_MS)
    assert window.navigator.place == Place("conversations", "message", done.message_id)


def test_a_workflow_without_steps_has_no_heading_for_them(panel: LearnedPanel, engine: Engine, qtbot: QtBot) -> None:
    draft = MemoryDraft(text="Ask Ida before a release.", kind=MemoryKind.WORKFLOW, title="Before a release")
    number = engine.memories.create(draft)
    qtbot.waitUntil(lambda: panel.model.row_of((True, number)) >= 0, timeout=PATIENCE_MS)
    panel.list.choose_row(panel.model.row_of((True, number)))
    assert panel.detail.title.text() == "Before a release"
    assert "Steps" not in texts(panel.detail)
