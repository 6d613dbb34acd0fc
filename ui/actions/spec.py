"""What one row of the action table is, and the situation that decides which rows are enabled.

Values only: no widget, no engine.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ui.actions.table import Shell


@dataclass(frozen=True, slots=True)
class Situation:
    """What the window knows when it asks which actions fit."""

    screen: str = ""
    screens: frozenset[str] = frozenset()
    is_open: bool = False  # the engine is there
    is_capturing: bool = False
    is_paused: bool = False
    is_busy: bool = False
    is_consolidating: bool = False
    is_run_paused: bool = False
    can_go_back: bool = False
    can_go_forward: bool = False
    reading: str = ""  # as `ShellState.reading`
    undo_label: str = ""
    redo_label: str = ""
    panel_can: frozenset[str] = frozenset()  # ids that the shown panel says it can do now


def always(_situation: Situation) -> bool:
    return True


def is_open(situation: Situation) -> bool:
    return situation.is_open


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One row. `run` None: the shown panel does it and says whether it can (`Panel.can`)."""

    id: str  # noun.verb, also the objectName of its QAction
    text: str
    shortcuts: tuple[str, ...]
    icon: str
    menu: str
    tip: str
    enabled_when: Callable[[Situation], bool] = always
    run: "Callable[[Shell], None] | None" = None
    screen: str = ""  # "" = everywhere, else only there (shortcut sheet, palette)
    list_keys: tuple[str, ...] = ()  # keys that only the screen's list hears: they mean other things elsewhere

    def is_enabled(self, situation: Situation) -> bool:
        if self.run is None:
            return self.id in situation.panel_can
        return self.enabled_when(situation)


@dataclass(frozen=True, slots=True)
class RowsOf:
    """Makes the rows of one menu, in its columns. `keys` are parted by spaces; what the shell runs works on every screen."""

    menu: str
    screen: str = ""

    def __call__(
        self,
        id: str,  # noqa: A002 (the name of the column)
        text: str,
        keys: str,
        icon: str,
        tip: str,
        enabled_when: Callable[[Situation], bool] = always,
        run: "Callable[[Shell], None] | None" = None,
        *,
        is_everywhere: bool = False,
        list_keys: tuple[str, ...] = (),
    ) -> ActionSpec:
        screen = "" if run or is_everywhere else self.screen
        return ActionSpec(id, text, tuple(keys.split()), icon, self.menu, tip, enabled_when, run, screen, list_keys)
