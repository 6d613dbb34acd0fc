"""Rows of the action table about consolidation: those that work everywhere, and those of its screen.

Same columns as ui/actions/table.py. Source: UX 3.5.
"""

from ui.actions.spec import ActionSpec, Situation, is_open

_MENU = "Consolidation"
_HERE = "consolidation"


def _is_idle(situation: Situation) -> bool:
    return situation.is_open and not situation.is_consolidating


def _is_running(situation: Situation) -> bool:
    return situation.is_open and situation.is_consolidating


def _is_paused(situation: Situation) -> bool:
    return situation.is_open and situation.is_run_paused and not situation.is_consolidating


def _is_stoppable(situation: Situation) -> bool:
    return _is_running(situation) or _is_paused(situation)


CONSOLIDATION_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "consolidation.now", "Consolidate now", ("Ctrl+Shift+K", "F9"), "merge", _MENU,
        "Merge duplicates, shorten old memories, archive unused ones; one undo reverts all of it",
        _is_idle, lambda shell: shell.consolidate(),
    ),
    ActionSpec(
        "consolidation.preview", "Preview the next run", (), "eye", _MENU, "Show what it would do, and do nothing",
        _is_idle, lambda shell: shell.preview_consolidation(),
    ),
    ActionSpec(
        "consolidation.stop", "Stop the run", (), "stop", _MENU, "Stop after the current change; what was done stays",
        _is_stoppable, lambda shell: shell.stop_consolidation(),
    ),
    ActionSpec(
        "consolidation.pause", "Pause the run", ("Ctrl+Shift+F9",), "pause", _MENU, "Pause after the current change, until you continue",
        _is_running, lambda shell: shell.pause_consolidation(is_paused=True),
    ),
    ActionSpec(
        "consolidation.continue", "Continue the run", ("Shift+F9",), "play", _MENU, "Continue the paused run",
        _is_paused, lambda shell: shell.pause_consolidation(is_paused=False),
    ),
    ActionSpec(
        "consolidation.page", "Consolidation", (), "merge", _MENU, "Show what the next run would do, and earlier runs",
        is_open, lambda shell: shell.go("consolidation"),
    ),
    ActionSpec("consolidation.next", "Next change", ("J",), "chevron-down", _MENU, "Go to the change below", screen=_HERE),
    ActionSpec("consolidation.previous", "Change before", ("K",), "chevron-up", _MENU, "Go to the change above",
               screen=_HERE),
    ActionSpec("consolidation.accept", "Yes to this change", ("Y",), "check", _MENU, "It is applied with the others",
               screen=_HERE),
    ActionSpec("consolidation.reject", "No to this change", ("N",), "close", _MENU,
               "It is not applied, and not proposed again while the memories stay as they are", screen=_HERE),
    ActionSpec("consolidation.always", "Always do this", ("Shift+Y",), "check", _MENU,
               "Apply changes of this kind without asking from now on; press again: as usual", screen=_HERE),
    ActionSpec("consolidation.never", "Never do this", ("Shift+N",), "close", _MENU,
               "Propose no change of this kind any more; press again: as usual", screen=_HERE),
    ActionSpec("consolidation.open", "Open its memory", ("O",), "eye", _MENU, "Show the memory in Memories",
               screen=_HERE),
    ActionSpec("consolidation.undoOne", "Undo this change", ("U",), "undo", _MENU, "Undo this change of the run",
               screen=_HERE),
    ActionSpec("consolidation.undoRun", "Undo this run", ("Shift+U",), "undo", _MENU, "Undo everything that the run did",
               screen=_HERE),
    ActionSpec("consolidation.apply", "Apply what you accepted", ("Ctrl+Return",), "check", _MENU,
               "Apply the proposals, except those you rejected", screen=_HERE),
)  # fmt: skip
