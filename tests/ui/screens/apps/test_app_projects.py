"""Apps: which projects an app's token may read is shown on its card, chosen there, and undone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QCheckBox
from pytestqt.qtbot import QtBot

from app.api import Engine, MemoryDraft, Scope
from tests.ui.pages.shell import Shell
from ui.shell.main_window import MainWindow

Wait = Callable[[Callable[[], bool]], None]


@pytest.fixture
def shell(window: MainWindow, qtbot: QtBot) -> Shell:
    return Shell(window, qtbot)


def test_a_token_is_bound_on_its_card_and_undo_sets_it_free(
    shell: Shell, engine: Engine, wait: Wait, tmp_path: Path
) -> None:
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    engine.memories.create(MemoryDraft("The shop opens at nine", project_path=str(folder)))
    engine.apps.create("my-editor", "My editor", frozenset({Scope.READ}))
    panel = shell.go("apps")
    wait(lambda: shell.has("app.my-editor.reach"))
    assert "It may read the memories of every project." in shell.texts(panel)
    shell.press("app.my-editor.projects")
    wait(lambda: shell.has("app.my-editor.project0"))
    box = shell.find("app.my-editor.project0")
    assert isinstance(box, QCheckBox)
    assert box.text() == "shop"
    box.setChecked(True)
    shell.press("app.my-editor.projects.save")
    wait(lambda: next(one for one in engine.apps.list() if one.name == "my-editor").projects == (str(folder),))
    wait(lambda: "It may read and change only shop, and what is shared between projects." in shell.texts(panel))
    engine.journal.undo()
    wait(lambda: "It may read the memories of every project." in shell.texts(panel))
