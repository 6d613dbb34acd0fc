"""Of the windows that ask for a file one at a time is open: under random input they lay on each other, 60 widgets each."""

import shiboken6
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from ui.screens.graph.exporting import open_graph_dialog
from ui.widgets.popups.export_dialog import open_export_dialog, open_memories_dialog


def test_one_file_dialog_is_open_at_a_time(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.show()
    first = open_graph_dialog(parent)
    second = open_export_dialog(parent, "Fix the build")
    third = open_memories_dialog(parent, 3)
    qtbot.waitUntil(lambda: not shiboken6.isValid(first) and not shiboken6.isValid(second), timeout=240_000)
    assert [one for one in QApplication.topLevelWidgets() if isinstance(one, QFileDialog)] == [third]
    third.close()
    qtbot.waitUntil(lambda: not shiboken6.isValid(third), timeout=240_000)
