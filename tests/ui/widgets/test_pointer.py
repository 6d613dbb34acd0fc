"""What the wheel and the pointer do over fields and lists of cards."""

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QToolTip, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.ui.made_memories import NOW, memory_card
from ui.screens.memories.listing.model import MemoryModel
from ui.screens.memories.listing.view import MemoryView
from ui.widgets.controls import Choice, NumberField
from ui.widgets.memories.fields import Slider


def turn(widget: QWidget) -> bool:
    """One notch towards the person over the middle of the widget; False when it is left to what lies around."""
    middle = widget.rect().center()
    where = QPointF(middle), QPointF(widget.mapToGlobal(middle))
    keys, phase = Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(*where, QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton, keys, phase, False)
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def choice() -> Choice:
    made = Choice()
    made.addItems(["one", "two"])
    return made


def state(field: QWidget) -> object:
    return field.currentText() if isinstance(field, Choice) else field.value()  # type: ignore[attr-defined]  # the others have one


@pytest.mark.parametrize("make", [NumberField, choice, lambda: Slider("slider", "Importance")])
def test_the_wheel_is_the_pages_until_the_field_has_the_focus(make: type[QWidget], qtbot: QtBot) -> None:
    page = QWidget()
    column, field, other = QVBoxLayout(page), make(), QLineEdit()
    column.addWidget(field)
    column.addWidget(other)
    if isinstance(field, NumberField | Slider):
        field.setValue(10)
    qtbot.addWidget(page)
    page.show()
    with qtbot.waitActive(page):
        page.activateWindow()
    other.setFocus()
    before = state(field)
    assert not turn(field)
    assert (state(field), field.hasFocus()) == (before, False)
    field.setFocus()
    turn(field)
    assert state(field) != before


def test_a_list_shows_where_the_pointer_is_and_says_the_whole_card(qtbot: QtBot) -> None:
    model = MemoryModel()
    model.set_list(2, {0: [memory_card(1, "Ports <b>are</b> odd"), memory_card(2)]}, NOW, is_other=True)
    view = MemoryView(model)
    qtbot.addWidget(view)
    view.resize(600, 300)
    view.show()
    first = view.visualRect(model.index(0)).center()
    qtbot.mouseMove(view.viewport(), first)
    hovered = view.grab().toImage()
    QApplication.sendEvent(view.viewport(), QEvent(QEvent.Type.Leave))
    assert view.grab().toImage() != hovered
    help_event = QHelpEvent(QEvent.Type.ToolTip, first, view.viewport().mapToGlobal(first))
    QApplication.sendEvent(view.viewport(), help_event)
    assert "Ports &lt;b&gt;are&lt;/b&gt; odd" in QToolTip.text()
    QToolTip.hideText()
