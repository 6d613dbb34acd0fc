"""The flowing layout: line by line, what is hidden takes no room, not even a gap."""

from PySide6.QtWidgets import QFrame, QWidget
from pytestqt.qtbot import QtBot

from ui.widgets.flow import FlowLayout

GAP_PX = 7


def made(qtbot: QtBot, width_px: int) -> tuple[QWidget, list[QFrame]]:
    holder = QWidget()
    qtbot.addWidget(holder)
    flow = FlowLayout(holder, spacing_px=GAP_PX)
    flow.setContentsMargins(0, 0, 0, 0)
    parts = [QFrame() for _ in range(4)]
    for part in parts:
        part.setFixedSize(60, 20)
        flow.addWidget(part)
    holder.resize(width_px, 200)
    holder.show()
    return holder, parts


def test_what_is_hidden_leaves_no_gap(qtbot: QtBot) -> None:
    holder, parts = made(qtbot, 400)
    assert [part.x() for part in parts] == [0, 67, 134, 201]
    parts[0].hide()
    parts[2].hide()
    qtbot.waitUntil(lambda: parts[1].x() == 0)
    assert parts[3].x() == 60 + GAP_PX
    assert holder.heightForWidth(400) == 20


def test_a_line_that_is_full_begins_another(qtbot: QtBot) -> None:
    holder, parts = made(qtbot, 130)
    assert [(part.x(), part.y()) for part in parts] == [(0, 0), (67, 0), (0, 27), (67, 27)]
    assert holder.heightForWidth(130) == 47
