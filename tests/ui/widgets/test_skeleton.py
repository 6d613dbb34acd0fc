"""Before anything is known: nothing for a moment, then bars; text sizes and contrast that the look promises."""

from collections.abc import Callable

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from ui.theme import Theme, ThemeChoice, tokens
from ui.widgets.buttons import Button, IconButton
from ui.widgets.empty_state import Skeleton

Wait = Callable[[Callable[[], object]], None]


def colours(widget: QWidget) -> set[str]:
    image = widget.grab().toImage()
    return {image.pixelColor(x, y).name() for x in range(0, image.width(), 2) for y in range(0, image.height(), 2)}


def test_bars_come_only_when_it_takes_long(qtbot: QtBot, theme: Theme, wait: Wait) -> None:
    page = Skeleton()
    qtbot.addWidget(page)
    page.resize(400, 300)
    page.show()
    assert len(colours(page)) == 1, "short work does not flash"
    wait(lambda: page.is_drawn)
    assert {tokens().panel, tokens().line} <= colours(page)
    page.hide()
    assert not page.is_drawn


def test_placeholders_have_the_contrast_of_secondary_text(qtbot: QtBot, theme: Theme) -> None:
    for choice in (ThemeChoice.LIGHT, ThemeChoice.DARK):
        theme.set(choice)
        host = QWidget()
        field = QLineEdit(host)
        QVBoxLayout(host).addWidget(field)
        field.setPlaceholderText("MMMMMMMM")
        qtbot.addWidget(host)
        host.show()
        wanted = QColor(tokens().sub).lightness()
        strokes = [QColor(one).lightness() for one in colours(field)]
        nearest = min(strokes) if choice is ThemeChoice.LIGHT else max(strokes)
        assert abs(nearest - wanted) <= 6, choice
        host.hide()


def test_icons_grow_with_the_text(qtbot: QtBot, theme: Theme) -> None:
    host = QWidget()
    column = QVBoxLayout(host)
    named, alone = Button("Pin", "pin", icon_name="pin"), IconButton("pin", "pinned", "Pin")
    column.addWidget(named)
    column.addWidget(alone)
    qtbot.addWidget(host)
    host.show()
    before = named.iconSize().width(), alone.iconSize().width(), alone.width()
    theme.set(ThemeChoice.LIGHT, 150)
    qtbot.waitUntil(lambda: named.iconSize().width() == round(before[0] * 1.25))
    assert alone.iconSize().width() == round(before[1] * 1.25)
    assert alone.width() > before[2] * 1.2
    theme.set(ThemeChoice.LIGHT)
    qtbot.waitUntil(lambda: named.iconSize().width() == before[0])
    host.hide()
