"""Scenes for `--screenshot-all`: of Memories the inbox, a search, the editor, several selected and the sheets; of Context
what if, a moment of the past, what was left out, bytes and figures.

Each is what to do to a window that shows the invented history, and how to leave it again. Development only.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from app.values import MemoryGroup
from ui.navigation import Place
from ui.widgets.popups.overlay import Overlay

if TYPE_CHECKING:
    from ui.screens.context.panel import ContextPanel
    from ui.screens.graph.panel import GraphPanel
    from ui.screens.memories.panel import MemoriesPanel
    from ui.shell.main_window import MainWindow


def _context(window: "MainWindow") -> "ContextPanel":
    window.navigator.go(Place("context"))
    return cast("ContextPanel", window.current_panel)


def _what_if(window: "MainWindow") -> None:
    panel = _context(window)
    panel.show_live()
    panel.form.budget.setValue(260)
    panel.form.error.setText("psycopg.errors.LockNotAvailable: could not obtain lock on shipments")


def _told(window: "MainWindow") -> None:
    """The context with the smallest budget: the line, and what is below it."""
    panel = _context(window)
    tightest = min(panel.receipts.receipts, key=lambda receipt: receipt.budget_tokens)
    panel.show_receipt(tightest.id)


def _compare(window: "MainWindow") -> None:
    panel = _context(window)
    panel.show_receipt(panel.receipts.receipts[0].id)
    panel.full.show_text("compare")


def _figures(window: "MainWindow") -> None:
    panel = _context(window)
    panel.full.show_side("figures")
    panel.full.show_text("printed")


def _why_not(window: "MainWindow") -> None:
    panel = _context(window)
    tightest = min(panel.receipts.receipts, key=lambda receipt: receipt.budget_tokens)
    panel.show_receipt(tightest.id)
    panel.header.set_query("tokens over")


def leave_context(window: "MainWindow", _shown: object) -> None:
    panel = _context(window)
    panel.header.set_query("")
    panel.show_live()
    panel.full.show_text("reads")


CONTEXT_SCENES = (
    ("context-what-if", _what_if),
    ("context-told", _told),
    ("context-why-not", _why_not),
    ("context-compare", _compare),
    ("context-figures", _figures),
)
Show = Callable[["MainWindow"], object]
Leave = Callable[["MainWindow", object], None]


def _memories(window: "MainWindow") -> "MemoriesPanel":
    window.navigator.go(Place("memories"))
    return cast("MemoriesPanel", window.current_panel)


def _inbox(window: "MainWindow") -> None:
    _memories(window).show_inbox(True)


def _all(window: "MainWindow", _shown: object) -> None:
    panel = _memories(window)
    panel.header.set_query("")
    panel.model.set_marks(())
    panel.show_inbox(False)


def _search(window: "MainWindow") -> None:
    _memories(window).header.set_query("shipments")


def _nothing(window: "MainWindow") -> None:
    _memories(window).header.set_query("kubernets")


def _selected(window: "MainWindow") -> None:
    _memories(window).model.mark_rows(range(3))


def _edit(window: "MainWindow") -> None:
    panel = _memories(window)
    panel.list.view.choose_row(1)
    panel.inspector.edit_text()


def _new(window: "MainWindow") -> object:
    panel = _memories(window)
    panel.open_new("We store shipments in PostgreSQL 16")
    return _sheet(window)


def _peek(window: "MainWindow") -> object:
    panel = _memories(window)
    panel.list.view.choose_row(2)
    panel.peeking.open()
    return _sheet(window)


def _merge(window: "MainWindow") -> object:
    panel = _memories(window)
    panel.model.mark_rows((0, 1))
    window.update_actions()
    panel.run("memory.merge")
    return None


def _tray(window: "MainWindow") -> None:
    panel = _memories(window)
    panel.model.mark_rows((0, 1, 7))
    panel.traying.put()
    panel.traying.show()


def _leave_tray(window: "MainWindow", _shown: object) -> None:
    panel = _memories(window)
    panel.traying.empty()
    _all(window, None)


def _typed(window: "MainWindow") -> None:
    _memories(window).header.set_query("type:decision tier:critical webhook")


def _leave_sheet(window: "MainWindow", _shown: object) -> None:
    _close(window, _sheet(window))
    _all(window, None)


def _table(window: "MainWindow") -> None:
    panel = _memories(window)
    panel.looking.toggle_table()
    panel.list.group_chosen.emit(MemoryGroup.PROJECT)


def _leave_table(window: "MainWindow", _shown: object) -> None:
    panel = _memories(window)
    panel.looking.toggle_table()
    panel.list.group_chosen.emit(None)


def _reading(window: "MainWindow") -> None:
    window.navigator.go(Place("activity", query="reading"))


def _statistics(window: "MainWindow") -> None:
    window.navigator.go(Place("activity", query="statistics"))


def _energy(window: "MainWindow") -> None:
    window.navigator.go(Place("activity", query="energy"))


def _sheet(window: "MainWindow") -> object:
    return next((sheet for sheet in window.findChildren(Overlay) if sheet.is_open), None)


def _close(_window: "MainWindow", shown: object) -> None:
    if isinstance(shown, Overlay):
        shown.close_sheet()


def _map(window: "MainWindow") -> None:
    window.navigator.go(Place("graph", "map"))


def _why(window: "MainWindow") -> None:
    """The answer to a why: the memory in the middle, with what was typed, what it replaced and what it needs."""
    window.navigator.go(Place("graph"))
    panel = cast("GraphPanel", window.current_panel)
    window.bridge.ask(
        "scene.why", lambda engine: engine.graph.find("why PostgreSQL"), lambda found: panel.focus_on(found[0].id)
    )


def _no_map(window: "MainWindow", _shown: object) -> None:
    window.navigator.go(Place("graph"))


SCENES: tuple[tuple[str, Show, Leave], ...] = (
    ("memories-inbox", _inbox, _all),
    ("memories-search", _search, _all),
    ("memories-nothing", _nothing, _all),
    ("memories-selected", _selected, _all),
    ("memories-edit", _edit, _all),
    ("memories-new", _new, _close),
    ("memories-typed", _typed, _all),
    ("memories-tray", _tray, _leave_tray),
    ("memories-peek", _peek, _leave_sheet),
    ("memories-merge", _merge, _leave_sheet),
    ("memories-table", _table, _leave_table),
    ("activity-reading", _reading, _all),
    ("activity-statistics", _statistics, _all),
    ("activity-energy", _energy, _all),
    ("graph-map", _map, _no_map),
    ("graph-why", _why, _no_map),
    *((name, show, leave_context) for name, show in CONTEXT_SCENES),
)
