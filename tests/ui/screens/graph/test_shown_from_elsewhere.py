"""G shows what is selected on another screen in the graph, and Back returns to it."""

from collections.abc import Callable

import pytest

from app.values.graph import NodeKind
from tests.table import table
from ui.navigation import Place
from ui.screens.graph.panel import GraphPanel
from ui.shell.main_window import MainWindow

Wait = Callable[[Callable[[], object]], None]


@table(
    ("screen", "action", "kind"),
    [
        ("memories", "memory.graph", NodeKind.MEMORY),
        ("conversations", "conversation.graph", NodeKind.CONVERSATION),
        ("episodes", "episode.graph", NodeKind.MEMORY),
        ("contradictions", "contradiction.graph", NodeKind.MEMORY),
        ("context", "context.graph", NodeKind.MEMORY),
        ("learned", "learned.graph", NodeKind.MEMORY),
        ("review", "review.graph", NodeKind.MEMORY),
    ],
)
@pytest.mark.usefixtures("demo")
def test_shown_and_back(screen: str, action: str, kind: NodeKind, window: MainWindow, wait: Wait) -> None:
    window.navigator.go(Place(screen))
    panel = window.panel(screen)
    if screen == "context":
        wait(lambda: "context.next" in panel.abilities())
        panel.run("context.next")
    wait(lambda: action in panel.abilities())
    wait(lambda: window.actions_table.action(action).isEnabled())
    window.actions_table.action(action).trigger()
    shown = window.panel("graph")
    assert isinstance(shown, GraphPanel)
    wait(lambda: window.current_panel is shown and shown.canvas.view.centre is not None)
    assert shown.canvas.view.centre is not None
    wait(lambda: shown._asked_for == shown.canvas.view.centre)
    assert shown.canvas.view.centre.kind is kind
    window.navigator.go_back()
    wait(lambda: window.current_panel is panel)
