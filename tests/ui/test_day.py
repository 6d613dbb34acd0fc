"""Issue 3, to show 3: a day in the window, by mouse and keys, fed by the real hook: from a search to an erased memory.

Search, why, edit, an old version brought back, a rejected rule, undo, erase; then not one byte of the erased is in any file. With
`REMANENCE_PICTURES=DIR` each step leaves a picture in either theme: `REMANENCE_PICTURES=DIR python -m pytest tests/ui/test_day.py`.
"""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.api import Engine, MemoryFilter, MemoryStatus, Places, Scope
from app.capture.hook_files import write_hook_conf
from app.server import start_server
from tests.faults.test_canaries import read_all
from tests.flows.processes import run_hook
from tests.patience import PATIENCE_S
from tests.ui.pages.memories import MemoriesPage
from tests.ui.pages.shell import Shell
from ui.shell.main_window import MainWindow
from ui.theme import ThemeChoice

Wait = Callable[[Callable[[], object]], None]
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
CANARY = "quillfeather"
SAID = (
    "We decided to keep the orders in PostgreSQL because of its JSON support.",
    "Remember that the staging server listens on port 8443.",
    f"Remember that the spare machine is called {CANARY}.",
    "From now on use pytest instead of unittest for everything in this repository.",
)
PROPOSED = "The build should only run on a push to main."
EVERY = MemoryFilter(statuses=tuple(MemoryStatus))


@pytest.fixture
def said(engine: Engine, places: Places, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Says something to an assistant, whose hook is run as a process of its own."""
    server = start_server(engine, port=0)
    server.warm_up()
    _, token = engine.apps.create("claude-code", "Claude Code", frozenset({Scope.CAPTURE, Scope.READ}))
    write_hook_conf(places.state_dir, "claude-code", {"token": token})
    project = tmp_path / "shop"
    (project / ".git").mkdir(parents=True)
    numbers = iter(range(1_000))

    def say(text: str) -> None:
        number = next(numbers)
        body = {"session_id": f"s{number}", "cwd": str(project), "hook_event_name": "UserPromptSubmit", "prompt": text}
        assert run_hook(tmp_path / "remanence", "prompt", json.dumps(body).encode(), cwd=project).returncode == 0
        engine.events.take_spool()  # where the machine was too busy to answer the hook in time
        assert engine.events.wait_idle(PATIENCE_S)

    yield say
    server.stop()


@pytest.fixture
def gone(tmp_path: Path) -> Iterator[Callable[[], list[str]]]:
    """Names of the files that hold the canary; set up first, so that it looks once more when everything is closed."""

    def find() -> list[str]:
        return [path.name for path, data in read_all(tmp_path / "remanence").items() if CANARY.encode() in data]

    yield find
    assert find() == []


@pytest.fixture
def look(window: MainWindow, qtbot: QtBot) -> Callable[[str], None]:
    """Leaves a picture in either theme where somebody wants to see the day."""
    folder = os.environ.get("REMANENCE_PICTURES", "")
    steps = iter(range(1, 100))

    def take(name: str) -> None:
        step = next(steps)
        for choice in (ThemeChoice.DARK, ThemeChoice.LIGHT) if folder else ():
            window.theme.set(choice)
            qtbot.wait(200)
            window.grab().save(str(Path(folder) / f"{step:02}-{name}-{choice.value}.png"))

    return take


def test_a_day_in_the_window(
    gone: Callable[[], list[str]],
    engine: Engine,
    said: Callable[[str], None],
    window: MainWindow,
    look: Callable[[str], None],
    qtbot: QtBot,
    wait: Wait,
) -> None:
    for text in (*SAID, PROPOSED):
        said(text)
    page, shell = MemoriesPage(window, qtbot), Shell(window, qtbot)
    wait(lambda: len(page.titles) >= len(SAID))
    page.settle()
    look("memories")

    page.search("staging port")
    staging = page.titles[0]
    why = page.panel.inspector.why
    wait(lambda: "staging" in why.found.text() and "%" in why.shares.text())
    look("why")
    page.key(Qt.Key.Key_Escape)
    page.settle()

    page.choose(staging)
    before, memory_id = page.shown_text, page.panel.inspector.memory.id  # type: ignore[union-attr]
    page.take_focus()
    page.key(Qt.Key.Key_E)
    page.type(" It moved there in March.")
    look("editing")
    page.key(Qt.Key.Key_Return, CTRL)
    wait(lambda: text_of(engine, memory_id) == f"{before} It moved there in March.")
    wait(lambda: engine.memories.get(memory_id).versions)
    (version,) = engine.memories.get(memory_id).versions
    wait(lambda: shell.has(f"memory.version.{version.id}"))
    page.press(f"memory.version.{version.id}")
    page.settle()
    look("version")
    page.press(f"memory.restore.{version.id}")
    wait(lambda: text_of(engine, memory_id) == before)
    page.settle()
    page.take_focus()
    page.key(Qt.Key.Key_Z, CTRL)
    wait(lambda: text_of(engine, memory_id) != before)
    page.settle()
    look("undone")

    page.take_focus()
    page.key(Qt.Key.Key_I)
    wait(lambda: len(page.titles) == 1)
    page.settle()
    page.take_focus()
    look("inbox")
    page.key(Qt.Key.Key_R, SHIFT)
    look("reject")
    page.key(Qt.Key.Key_Return)
    wait(lambda: engine.memories.rules() and page.titles == [])
    kept = engine.memories.count(EVERY)
    said(PROPOSED)
    assert engine.memories.count(EVERY) == kept
    look("rejected")
    page.take_focus()
    page.key(Qt.Key.Key_Z, CTRL)
    wait(lambda: engine.memories.rules() == () and len(page.titles) == 1)

    page.key(Qt.Key.Key_I)
    wait(lambda: len(page.titles) >= len(SAID))
    page.search(CANARY[:6])
    wait(lambda: len(page.titles) == 1)
    assert gone() != []
    page.choose(page.titles[0])
    page.take_focus()
    page.key(Qt.Key.Key_Delete, SHIFT)
    look("erase")
    wait(lambda: shell.has("memory.erase.messages"))
    page.press("memory.erase.messages")
    page.press("memory.erase.go")
    wait(lambda: "Erased 1 memory and 1 message" in shell.notices)
    wait(lambda: page.titles == [])
    page.settle()
    look("erased")
    assert gone() == []


def text_of(engine: Engine, memory_id: int) -> str:
    return engine.memories.get(memory_id).memory.levels.full.text
