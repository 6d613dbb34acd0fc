"""What the memory was good for: the card on Now, and what was done with a memory in its inspector and on its receipt."""

from collections.abc import Callable

from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from app.api import CaptureRequest, Engine, EventKind, FactType, MemoryDraft
from app.values import ContextRequest, ContextSignals
from tests.patience import PATIENCE_S
from tests.ui.pages.now import NowPage
from tests.ui.pages.shell import Shell
from tests.ui.stories import STORIES, all_requests
from ui.shell.main_window import MainWindow
from ui.widgets.memories.used_card import SHOWN

Wait = Callable[[Callable[[], object]], None]
BARN = "/w/barn"


def use(engine: Engine, count: int = 1) -> list[int]:
    """So many rules are given with a prompt and followed; the numbers of their memories."""
    engine.events.capture(all_requests(engine.clock.now(), STORIES[-1:]), wait_s=PATIENCE_S)
    tools = ("pnpm", "nox", "alembic", "biome", "vitest")[:count]
    drafts = [MemoryDraft(f"Use {tool} in the barn.", type=FactType.PREFERENCE, project_path=BARN) for tool in tools]
    made = [engine.memories.create(draft) for draft in drafts]
    signals = ContextSignals(BARN, app="codex", session="s", prompt="tidy up the barn")
    assert len(engine.context.assemble(ContextRequest(signals, delivery="mcp")).items) >= count
    for tool in tools:
        payload = {"tool_name": "Bash", "tool_input": {"command": f"{tool} --help"}, "tool_response": {"stdout": ""}}
        request = CaptureRequest("codex", EventKind.TOOL, tool, session="s", cwd=BARN, payload=payload)
        engine.events.capture([request], wait_s=PATIENCE_S)
    return made


def test_nothing_is_claimed_while_nothing_was_used(
    window: MainWindow, engine: Engine, qtbot: QtBot, wait: Wait
) -> None:
    engine.events.capture(all_requests(engine.clock.now(), STORIES[-1:]), wait_s=PATIENCE_S)
    page = NowPage(window, qtbot)
    wait(lambda: not page.is_empty and page.panel.today.isVisible())
    assert not page.panel.used.isVisible()


def test_now_says_what_was_used_and_leads_to_its_receipt(
    window: MainWindow, engine: Engine, qtbot: QtBot, wait: Wait
) -> None:
    use(engine, count=SHOWN + 1)
    page = NowPage(window, qtbot)
    card = page.panel.used
    wait(lambda: card.isVisible() and card.line.text() == f"{SHOWN + 1} memories: {SHOWN + 1} by Codex.")
    first = card.shown[0].citation
    assert (first.detail, first.is_followed, card.shown[0].prompt) == ("biome --help", True, "tidy up the barn")
    receipt = card.findChild(QAbstractButton, "now.used.receipt.0")
    assert receipt is not None
    receipt.click()
    shell = Shell(window, qtbot)
    wait(lambda: shell.screen == "context")
    assert window.navigator.place is not None
    assert (window.navigator.place.kind, window.navigator.place.object_id) == ("receipt", first.receipt_id)


def test_the_memory_shows_what_was_done_with_it(window: MainWindow, engine: Engine, qtbot: QtBot, wait: Wait) -> None:
    (made,) = use(engine)
    page = NowPage(window, qtbot)
    wait(page.panel.used.isVisible)
    title = page.panel.used.findChild(QAbstractButton, "now.used.0")
    assert title is not None
    title.click()
    wait(lambda: window.findChild(QAbstractButton, "memory.used.0") is not None)
    button = window.findChild(QAbstractButton, "memory.used.0")
    assert button is not None
    assert "followed: ran pnpm --help" in button.accessibleName()
    assert engine.memories.get(made).citations[0].app == "codex"
    button.click()
    shell = Shell(window, qtbot)
    wait(lambda: shell.screen == "context")
