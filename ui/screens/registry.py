"""The screens, in the order of the rail. Factories import late: a screen costs nothing until it is shown."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from ui.screens.base import Panel, PanelContext


@dataclass(frozen=True, slots=True)
class ScreenSpec:
    """One screen. `factory` builds its panel on first visit."""

    id: str
    title: str
    icon: str
    factory: "Callable[[PanelContext, QWidget], Panel]"  # in its parent from the start, see `ui.shell.main_window`
    module: str
    is_below: bool = False  # is at the foot of the rail
    is_hidden: bool = False  # reached by an action only
    within: str = ""  # the screen of the rail that a hidden one belongs to


def _screen(
    screen_id: str,
    title: str,
    icon: str,
    target: str,
    *,
    is_below: bool = False,
    is_hidden: bool = False,
    within: str = "",
) -> ScreenSpec:
    name, class_name = target.split(":")
    module_name = importlib.util.resolve_name(f".{name}", __package__)

    def build(context: "PanelContext", parent: "QWidget") -> "Panel":
        panel: Panel = getattr(importlib.import_module(module_name), class_name)(context, parent)
        return panel

    return ScreenSpec(screen_id, title, icon, build, module_name, is_below, is_hidden, within)


SCREENS: tuple[ScreenSpec, ...] = (
    _screen("now", "Now", "now", "now.panel:NowPanel"),
    _screen("conversations", "Conversations", "conversations", "conversations.panel:ConversationsPanel"),
    _screen("episodes", "Episodes", "episode", "episodes.panel:EpisodesPanel"),
    _screen("memories", "Memories", "memories", "memories.panel:MemoriesPanel"),
    _screen("graph", "Graph", "graph", "graph.panel:GraphPanel"),
    _screen("contradictions", "Contradictions", "split", "contradictions.panel:ContradictionsPanel"),
    _screen("context", "Context", "context", "context.panel:ContextPanel"),
    _screen("activity", "Activity", "activity", "activity.panel:ActivityPanel"),
    _screen("apps", "Apps", "apps", "apps.panel:AppsPanel"),
    _screen("learned", "Learned", "workflow", "learned.panel:LearnedPanel"),
    _screen("settings", "Settings", "settings", "settings.panel:SettingsPanel"),
    _screen("help", "Help", "help", "help.panel:HelpPanel", is_below=True),
    _screen("review", "Review", "inbox", "review.panel:ReviewPanel", is_hidden=True, within="memories"),
    _screen(
        "consolidation",
        "Consolidation",
        "merge",
        "consolidation.panel:ConsolidationPanel",
        is_hidden=True,
        within="now",
    ),
    _screen("first-start", "First steps", "flag", "first_start.panel:FirstStartPanel", is_hidden=True),
)


def import_screen(screen_id: str) -> None:
    """Reads the modules of one screen, for a worker."""
    for screen in SCREENS:
        if screen.id == screen_id:
            importlib.import_module(screen.module)


def import_screens() -> None:
    """Reads the modules of all screens and of what lies over them, for a worker: the first visit of a screen then only builds it."""
    for screen in SCREENS:
        importlib.import_module(screen.module)
    importlib.import_module("..shell.sheets", __package__)
