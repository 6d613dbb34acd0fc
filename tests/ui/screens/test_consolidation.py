"""Consolidation in the window, on a real engine: what the next run would do, the diff by keyboard, the report, earlier runs, thresholds."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QPushButton
from pytestqt.qtbot import QtBot

from app.api import Engine, MemoryStatus
from app.consolidation.step_interface import Step
from app.values.consolidation import ActionState, Habit, RunTrigger
from tests.app.consolidation.memories import remember
from tests.app.consolidation.test_notes_step import note
from tests.ui.pages.shell import Shell
from ui.screens.consolidation.panel import ConsolidationPanel
from ui.screens.now.panel import NowPanel
from ui.shell.main_window import MainWindow

Wait = Callable[[Callable[[], object]], None]


@pytest.fixture
def ids(engine: Engine) -> tuple[int, ...]:
    """Two pairs of duplicates, and one pair that is only alike."""
    return (
        remember(engine, "We deploy on Fridays with the blue script."),
        remember(engine, "We deploy on Fridays, with the blue script!"),
        remember(engine, "The api listens on port 8080."),
        remember(engine, "the API listens on port 8080"),
        remember(engine, "Invoices are exported to the finance folder nightly."),
        remember(engine, "Nightly, invoices are exported to the finance folder."),
    )


@pytest.fixture
def shell(window: MainWindow, qtbot: QtBot) -> Shell:
    return Shell(window, qtbot)


@pytest.fixture
def panel(ids: tuple[int, ...], window: MainWindow, wait: Wait) -> ConsolidationPanel:
    del ids
    window.actions_table.run("consolidation.page")
    found = window.current_panel
    assert isinstance(found, ConsolidationPanel)
    wait(lambda: found._view)
    return found


def statuses(engine: Engine, ids: tuple[int, ...]) -> list[MemoryStatus]:
    return [engine.memories.get(one).memory.status for one in ids]


A, P = MemoryStatus.ACTIVE, MemoryStatus.ARCHIVED


def test_what_the_next_run_would_do_is_shown_without_being_asked(panel: ConsolidationPanel, wait: Wait) -> None:
    wait(lambda: "merge 2 duplicates" in panel.would.text())
    assert panel.would.text().endswith("tokens. 1 more change would wait for your yes.")
    assert "after 50 more events" in panel.due.text()


def test_a_preview_is_decided_and_applied_by_keyboard_alone(
    panel: ConsolidationPanel, window: MainWindow, engine: Engine, ids: tuple[int, ...], qtbot: QtBot, wait: Wait
) -> None:
    window.actions_table.run("consolidation.preview")
    wait(lambda: len(panel._rows) == 3)
    wait(lambda: "2 to be merged" in Shell(window, qtbot).texts(panel))
    wait(lambda: "− We deploy on Fridays, with the blue script!" in Shell(window, qtbot).texts(panel))
    wait(lambda: "consolidation.next" in panel.abilities())
    window.actions_table.run("consolidation.next")
    wait(lambda: panel.current is panel._rows[0])
    window.actions_table.run("consolidation.reject")
    wait(lambda: panel._rows[0].action.state is ActionState.REJECTED)
    assert statuses(engine, ids) == [A] * 6
    window.actions_table.run("consolidation.apply")
    wait(lambda: statuses(engine, ids) == [A, A, A, P, A, A])  # what is only alike needs a yes of its own
    wait(lambda: any(one.action.state is ActionState.APPLIED for one in panel._rows))


def test_a_preview_that_was_asked_for_is_what_is_seen(
    panel: ConsolidationPanel, window: MainWindow, qtbot: QtBot, wait: Wait
) -> None:
    button = panel.findChild(QAbstractButton, "button.consolidation.preview")
    assert button is not None
    wait(button.isVisible)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    wait(lambda: len(panel._rows) == 3)
    wait(lambda: panel.diff.mapTo(panel.page, QPoint(0, 0)).y() in range(-2, 3))
    wait(lambda: panel.current is panel._rows[0])


def test_changes_that_nobody_looks_at_for_a_minute_are_shown_anew(
    panel: ConsolidationPanel, window: MainWindow, wait: Wait
) -> None:
    window.actions_table.run("consolidation.preview")
    wait(lambda: len(panel._rows) == 3)
    window.go("help")
    panel.let_go()
    assert not panel._rows
    window.go("consolidation")
    wait(lambda: len(panel._rows) == 3)
    wait(lambda: "consolidation.next" in panel.abilities())


def test_a_run_is_told_with_undo_and_taken_back_by_one_key(
    panel: ConsolidationPanel, window: MainWindow, engine: Engine, ids: tuple[int, ...], wait: Wait, shell: Shell
) -> None:
    window.actions_table.run("consolidation.now")
    wait(lambda: statuses(engine, ids) == [A, P, A, P, A, A])
    wait(lambda: "consolidation.undoRun" in panel.abilities())
    wait(lambda: "Consolidation is done. Merged 2 duplicates" in shell.texts(window.notices))
    assert "1 more change waits for your yes" in panel.outcome.text()
    window.actions_table.run("consolidation.undoRun")
    wait(lambda: statuses(engine, ids) == [A] * 6)
    wait(lambda: all(one.action.state is not ActionState.APPLIED for one in panel._rows))
    wait(lambda: "Undone: 2 changes." in panel.outcome.text())
    wait(lambda: "Consolidation is done" not in shell.texts(window.notices))  # its Undo would find nothing to undo
    heads = [head.title.text() for head in panel._heads.values()]
    assert "2 merged, undone" in heads
    assert not any(text[:1].isdigit() and text.split(maxsplit=1)[1] == "undone" for text in heads)


def test_the_rail_marks_where_a_hidden_screen_belongs(panel: ConsolidationPanel, window: MainWindow) -> None:
    assert panel is window.current_panel
    marked = [screen.id for screen in window.screens if (one := window.rail.button(screen.id)) and one.isChecked()]
    assert marked == ["now"]
    window.go("review")
    marked = [screen.id for screen in window.screens if (one := window.rail.button(screen.id)) and one.isChecked()]
    assert marked == ["memories"]


def test_a_run_that_failed_says_what_stays_and_what_to_do(
    panel: ConsolidationPanel, window: MainWindow, engine: Engine, ids: tuple[int, ...], wait: Wait
) -> None:
    def broken(connection: object, reading: object) -> list[int]:
        raise ValueError("no such thing")

    engine._core.consolidator.register(Step("notes", "Making room among notes", broken, lambda _one, _two: [], {}))
    window.actions_table.run("consolidation.now")
    wait(lambda: "no such thing. Nothing was changed; “Consolidate now” tries again." in panel.outcome.text())
    assert panel.copy.isVisibleTo(panel)
    panel.copy.click()
    assert "no such thing" in QGuiApplication.clipboard().text()
    assert statuses(engine, ids) == [A] * 6


def test_the_keyboard_keeps_its_place_in_the_diff(
    panel: ConsolidationPanel, window: MainWindow, engine: Engine, ids: tuple[int, ...], wait: Wait
) -> None:
    window.actions_table.run("consolidation.preview")
    wait(lambda: len(panel._rows) == 3)
    wait(lambda: "consolidation.next" in panel.abilities())
    window.actions_table.run("consolidation.next")
    for place, verb in enumerate(("accept", "reject")):
        wait(lambda place=place: panel.current is panel._rows[place])  # type: ignore[misc]
        window.actions_table.run(f"consolidation.{verb}")
        wait(lambda place=place: panel._rows[place].action.is_decided)  # type: ignore[misc]
    wait(lambda: panel.current is panel._rows[2])
    window.actions_table.run("consolidation.previous")
    wait(lambda: panel.current is panel._rows[1])
    window.actions_table.run("consolidation.apply")
    wait(lambda: statuses(engine, ids) == [A, P, A, A, A, A])
    wait(lambda: panel._rows[0].action.state is ActionState.APPLIED)
    window.actions_table.run("consolidation.previous")
    wait(lambda: panel.current is panel._rows[0])
    window.actions_table.run("consolidation.undoOne")
    wait(lambda: statuses(engine, ids) == [A] * 6)
    wait(lambda: panel._rows[0].action.state is ActionState.UNDONE)
    assert panel.current is panel._rows[0]


def test_one_change_is_taken_back_from_its_card(
    panel: ConsolidationPanel, window: MainWindow, engine: Engine, ids: tuple[int, ...], wait: Wait, shell: Shell
) -> None:
    window.actions_table.run("consolidation.now")
    wait(lambda: [one.action.state for one in panel._rows][1:] == [ActionState.APPLIED] * 2)
    assert panel._rows[0].action.state is ActionState.PROPOSED, "what waits for the person is seen first"
    wait(lambda: "Waiting for your yes: 1 to be merged though only alike" in shell.texts(panel.diff))
    number = panel._rows[1].action.id
    button = panel.findChild(QPushButton, f"consolidation.undo.{number}")
    assert button is not None
    button.click()
    wait(lambda: statuses(engine, ids) == [A, A, A, P, A, A])


def test_always_so_and_never_so_are_said_once_and_taken_back(
    panel: ConsolidationPanel, window: MainWindow, engine: Engine, wait: Wait
) -> None:
    window.actions_table.run("consolidation.preview")
    wait(lambda: len(panel._rows) == 3)
    window.actions_table.run("consolidation.never")
    wait(lambda: engine.consolidation.habits() == {"deduplicate.merge": Habit.NEVER})
    wait(lambda: panel._rows[0].action.habit is Habit.NEVER)
    assert not panel._rows[0].yes.isChecked()
    button = panel.findChild(QPushButton, "consolidation.never.deduplicate.merge")
    assert button is not None
    assert button.accessibleName() == "Never do this: merged, chosen"
    button.click()
    wait(lambda: engine.consolidation.habits() == {})
    wait(lambda: button.accessibleName() == "Never do this: merged")


def test_what_was_said_for_good_is_seen_and_taken_back_when_nothing_proposes_it_any_more(
    panel: ConsolidationPanel, window: MainWindow, engine: Engine, wait: Wait, shell: Shell
) -> None:
    assert not panel.habits_card.isVisibleTo(panel)
    engine.consolidation.set_habit("deduplicate", "merge", Habit.NEVER)
    engine.consolidation.set_habit("deduplicate", "merge_alike", Habit.NEVER)
    wait(lambda: panel.habits_card.isVisibleTo(panel))
    wait(lambda: "Never: merged (Finding duplicates)." in shell.texts(panel.habits_card))
    wait(lambda: panel._estimate is not None and not panel._estimate.report.deduped)
    button = panel.findChild(QPushButton, "consolidation.usual.deduplicate.merge")
    assert button is not None
    button.setFocus()
    button.click()
    wait(lambda: engine.consolidation.habits() == {"deduplicate.merge_alike": Habit.NEVER})
    window.actions_table.run("edit.undo")
    wait(lambda: len(engine.consolidation.habits()) == 2)


def test_a_threshold_says_at_once_what_it_would_do(panel: ConsolidationPanel, engine: Engine, wait: Wait) -> None:
    wait(lambda: "merge 2 duplicates" in panel.would.text())
    panel._settings["duplicate_likeness"].chosen.emit("duplicate_likeness", 1.0)
    wait(lambda: panel.effect.text().startswith("This changes nothing for now. It would merge 2 duplicates"))
    for subject in ("Exports are CSV.", "The header is blue.", "Mail goes out at nine.", "Nobody pushes to main."):
        note(engine, subject)
    row = panel._settings["notes_per_app"]
    row.chosen.emit("notes_per_app", 2)
    wait(lambda: panel.effect.text().startswith("With this, it would merge 2 duplicates, tidy 2 notes"))
    assert panel.effect.text().endswith("1 more change would wait for your yes.")
    places = [panel.thresholds.indexOf(one) for one in (row, panel.effect)]
    assert places[1] == places[0] + 1, "told below what was changed"


@pytest.mark.seed("S3", "config.threshold-days")
def test_each_threshold_of_the_seeds_is_there_and_those_of_time_say_when(
    panel: ConsolidationPanel, engine: Engine, wait: Wait
) -> None:
    defaults = {
        "consolidation_events": 50, "consolidation_hours": 24, "is_consolidating_at_night": True,
        "duplicate_likeness": 0.92, "summary_days": 7, "compressed_days": 30, "archive_days": 30, "unused_days": 90,
        "archive_below": 0.3, "decay_half_life_days": 30, "episodes_kept": 100, "notes_per_app": 10,
        "rule_idle_runs": 10,
    }  # fmt: skip
    assert {name: panel._settings[name].card.value for name in defaults} == defaults
    panel._settings["consolidation_events"].chosen.emit("consolidation_events", 7)
    wait(lambda: "after 7 more events" in panel.effect.text())


def test_now_shows_the_report_with_the_button_and_undo(
    window: MainWindow, engine: Engine, ids: tuple[int, ...], wait: Wait
) -> None:
    window.go("now")
    panel = window.current_panel
    assert isinstance(panel, NowPanel)
    wait(lambda: panel.consolidation.outcome.text() == "It has not run yet.")
    window.actions_table.run("consolidation.now")
    wait(lambda: "Merged 2 duplicates" in panel.consolidation.outcome.text())
    panel.consolidation.undo.click()
    wait(lambda: statuses(engine, ids) == [A] * 6)


def test_earlier_runs_are_listed_and_shown(
    panel: ConsolidationPanel, window: MainWindow, engine: Engine, wait: Wait
) -> None:
    first = engine.consolidation.run()
    engine.consolidation.run()
    wait(lambda: panel._view is not None and len(panel._view.runs) == 2)
    button = panel.findChild(QPushButton, f"consolidation.run.{first.id}")
    assert button is not None
    button.click()
    wait(lambda: panel._view is not None and panel._view.shown is not None and panel._view.shown.id == first.id)
    assert len(panel._rows) == 3


def test_a_yes_to_what_waits_in_a_run_is_told_and_taken_back_by_ctrl_z(
    panel: ConsolidationPanel, window: MainWindow, engine: Engine, ids: tuple[int, ...], wait: Wait, shell: Shell
) -> None:
    engine.consolidation.run(trigger=RunTrigger.NIGHT)
    wait(lambda: "consolidation.next" in panel.abilities() and len(panel._rows) == 3)
    waiting = next(one for one in panel._rows if one.is_open_question)
    waiting.yes.click()
    wait(lambda: "consolidation.apply" in panel.abilities())
    window.actions_table.run("consolidation.apply")
    wait(lambda: "Consolidated: 1 merged though only alike" in shell.texts(window.notices))
    assert statuses(engine, ids).count(P) == 3
    wait(lambda: "Consolidated" in window.actions_table.action("edit.undo").text())
    window.actions_table.run("edit.undo")
    wait(lambda: statuses(engine, ids).count(P) == 2)
    wait(lambda: "Undone: Consolidated: 1 merged though only alike" in shell.texts(window.notices))


def test_the_focus_stays_with_the_changes_when_the_pressed_button_goes(
    panel: ConsolidationPanel, window: MainWindow, engine: Engine, ids: tuple[int, ...], qtbot: QtBot, wait: Wait
) -> None:
    first = engine.consolidation.run()
    wait(lambda: panel.undo.isVisible() and len(panel._rows) == 3)
    panel.undo.setFocus()
    qtbot.mouseClick(panel.undo, Qt.MouseButton.LeftButton)
    wait(lambda: statuses(engine, ids) == [A] * 6 and not panel.undo.isVisible())
    wait(lambda: "Undone: 2 changes." in panel.outcome.text())
    wait(lambda: panel.current is panel._rows[0])
    engine.consolidation.run()
    wait(lambda: panel.findChild(QPushButton, f"consolidation.run.{first.id}") is not None)
    wait(lambda: panel._view is not None and panel._view.shown is not None and panel._view.shown.id != first.id)
    show = panel.findChild(QPushButton, f"consolidation.run.{first.id}")
    assert show is not None
    show.setFocus()
    show.click()
    wait(lambda: panel._view is not None and panel._view.shown is not None and panel._view.shown.id == first.id)
    wait(lambda: panel.diff.mapTo(panel.page, QPoint(0, 0)).y() in range(-2, 3))
    wait(lambda: panel.current is panel._rows[0])
