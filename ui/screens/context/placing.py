"""How a person has the memory under the cursor told: level, tier, always, not at all; and the menus that offer it.

Each choice is one write of the engine, journalled and undone there. The menus are rows of the action table, ticked by what is
chosen now. Source: UX 4.6, STYLE rule 3.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

from app.values import Level, Placement, Tier
from ui.screens.base import PanelContext
from ui.screens.context.bar import TierBar
from ui.screens.context.detail import MemoryNow, act_words, pin_word
from ui.screens.context.list_view import ContextList
from ui.screens.context.rows import ContextRow
from ui.screens.memories.commands import MemoryCommands

if TYPE_CHECKING:
    from app.api import Engine

LEVELS: Mapping[str, Level | None] = {
    "context.levelAutomatic": None,
    "context.levelFull": Level.FULL,
    "context.levelSummary": Level.SUMMARY,
    "context.levelCompressed": Level.COMPRESSED,
    "context.levelIndex": Level.INDEX,
}
TIERS: Mapping[str, Tier | None] = {
    "context.tierAutomatic": None,
    "context.tierCritical": Tier.CRITICAL,
    "context.tierRelevant": Tier.RELEVANT,
    "context.tierBackground": Tier.BACKGROUND,
    "context.tierIndex": Tier.INDEX,
}
ACTIONS = frozenset(
    {*LEVELS, *TIERS, "context.pin", "context.exclude", "context.forget", "context.open"}
)  # what needs a memory

TWO_WAYS = ("context.pin", "context.exclude")  # done and undone by the same key


def _read_memory(engine: "Engine", memory_id: int) -> MemoryNow:
    memory = engine.memories.get(memory_id).memory
    return MemoryNow(memory_id, memory.levels, memory.is_pinned)


class ContextPlacing:
    """Bound to a panel's context. Actions are enabled and run by the panel; what they do stands here."""

    def __init__(self, context: PanelContext) -> None:
        self._context = context
        self._commands = MemoryCommands(context)
        for name in (*LEVELS, *TIERS):
            context.actions.action(name).setCheckable(True)

    @staticmethod
    def abilities(row: ContextRow | None) -> frozenset[str]:
        """What can be done to a line."""
        if row is None or not (row.memory_id or row.dismissable):
            return frozenset()
        return ACTIONS if row.memory_id else frozenset({"context.exclude"})

    def run(self, action_id: str, row: ContextRow | None, project_path: str) -> None:
        """Carries out one of `ACTIONS` but open on a line of a context of this project."""
        if row is not None:
            self._run(action_id, row, project_path)
        self.tick(row)  # a tick follows what is kept, not what was pressed

    def _run(self, action_id: str, row: ContextRow, project_path: str) -> None:
        memory_id = row.memory_id
        if action_id in LEVELS:
            level = LEVELS[action_id]
            self._context.bridge.do("context.level", lambda engine: engine.context.place_at_level((memory_id,), level))
        elif action_id in TIERS:
            self.move(memory_id, TIERS[action_id])
        elif action_id == "context.pin":
            self._pin(memory_id)
        elif action_id == "context.forget":
            self._commands.archive((memory_id,))
        elif memory_id:
            self._withhold(memory_id, is_withheld=not (row.placement is not None and row.placement.is_withheld))
        else:
            self._dismiss(row.dismissable, project_path)

    def move(self, memory_id: int, tier: Tier | None) -> None:
        """From now on the memory stands in this tier."""
        self._context.bridge.do("context.tier", lambda engine: engine.context.place_in_tier((memory_id,), tier))

    def _pin(self, memory_id: int) -> None:
        """The other state than it has now: a moment of the past may show another one."""

        def turn(engine: "Engine") -> None:
            engine.memories.pin((memory_id,), not engine.memories.get(memory_id).memory.is_pinned)

        self._context.bridge.do("memory.pin", turn)

    def _withhold(self, memory_id: int, *, is_withheld: bool) -> None:
        """Never told, or told again; it is found as before."""
        self._context.bridge.do(
            "context.exclude", lambda engine: engine.context.withhold((memory_id,), is_withheld=is_withheld)
        )

    def _dismiss(self, line: str, project_path: str) -> None:
        """The line is told no more until its command runs again."""
        self._context.bridge.do(
            "context.exclude", lambda engine: engine.context.dismiss(line, project_path=project_path)
        )

    def follow(self, *sources: TierBar | ContextList) -> None:
        """What is let go over a tier of these is moved there."""
        for source in sources:
            source.memory_moved.connect(self.move)

    def tick(self, row: ContextRow | None) -> None:
        """Marks in the menus what is chosen of this line's memory, and says there what an act would do to it."""
        memory_id = row.memory_id if row is not None else 0
        placement = (row.placement if row is not None else None) or Placement(memory_id)
        for name, level in LEVELS.items():
            self._context.actions.action(name).setChecked(bool(memory_id) and level is placement.level)
        for name, tier in TIERS.items():
            self._context.actions.action(name).setChecked(bool(memory_id) and tier is placement.tier)
        for name in TWO_WAYS:
            action = self._context.actions.action(name)
            action.setText(act_words(row)[name] if row is not None else self._context.actions.spec(name).text)

    def ask_memory(self, row: ContextRow | None, then: Callable[[MemoryNow], None]) -> None:
        """Asks how long each level of this line's memory is, and if it is pinned: what a choice does is seen before it is made."""
        memory_id = row.memory_id if row is not None else 0

        def answer(now: MemoryNow) -> None:
            self._context.actions.action("context.pin").setText(pin_word(is_pinned=now.is_pinned))
            then(now)

        if memory_id:
            self._context.bridge.ask("context.memory", lambda engine: _read_memory(engine, memory_id), answer)

    # -- menus
    def row_menu(self, parent: QWidget) -> QMenu:
        """Everything that can be done to the chosen line."""
        menu = self._new_menu(parent)
        for name in ("context.open", "context.pin", "context.exclude", "context.forget"):
            menu.addAction(self._context.actions.action(name))
        menu.addSeparator()
        self._fill(menu.addMenu("Level"), LEVELS)
        self._fill(menu.addMenu("Move to tier"), TIERS)
        menu.addSeparator()
        menu.addAction(self._context.actions.action("context.copy"))
        return menu

    def level_menu(self, parent: QWidget) -> QMenu:
        """The levels, as the switch of a line opens them."""
        menu = self._new_menu(parent)
        self._fill(menu, LEVELS)
        return menu

    def tier_menu(self, parent: QWidget) -> QMenu:
        menu = self._new_menu(parent)
        self._fill(menu, TIERS)
        return menu

    def _new_menu(self, parent: QWidget) -> QMenu:
        menu = QMenu(parent)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu

    def _fill(self, menu: QMenu, names: Mapping[str, object]) -> None:
        automatic, *others = names
        for name in others:
            menu.addAction(self._context.actions.action(name))
        menu.addSeparator()
        menu.addAction(self._context.actions.action(automatic))
