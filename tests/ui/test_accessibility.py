"""Every screen in every state: names on all that takes the focus, targets of 24 px, no text of 0 size, no cut buttons."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAbstractButton, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.api import Engine
from tests.ui.pages.shell import Shell
from ui.demo import fill_with_demo
from ui.main_window import MainWindow
from ui.panels import existing_screens

Wait = Callable[[Callable[[], object]], None]
_SCREENS = [screen.id for screen in existing_screens()]
_MIN_TARGET_PX = 24


@pytest.fixture
def shell(window: MainWindow, qtbot: QtBot) -> Shell:
    return Shell(window, qtbot)


def _nodes(interface: QAccessibleInterface, depth: int = 0) -> Iterator[QAccessibleInterface]:
    yield interface
    if depth < 30:
        for index in range(min(interface.childCount(), 400)):
            child = interface.child(index)
            if child is not None and child.isValid():
                yield from _nodes(child, depth + 1)


def _describe(widget: QWidget) -> str:
    return f"{type(widget).__name__}({widget.objectName()})"


def _visible(root: QWidget) -> list[QWidget]:
    return [widget for widget in root.findChildren(QWidget) if widget.isVisible()]


def _check(window: MainWindow) -> None:
    root = QAccessible.queryAccessibleInterface(window)
    nameless = [
        f"{node.role()} {node.object().objectName() if node.object() else ''}"
        for node in _nodes(root)
        if node.state().focusable
        and not node.state().invisible
        and not node.text(QAccessible.Text.Name)
        and node.role() not in (QAccessible.Role.ListItem, QAccessible.Role.Cell, QAccessible.Role.Window)
    ]
    assert nameless == []
    widgets = _visible(window)
    takers = [w for w in widgets if w.focusPolicy() & Qt.FocusPolicy.TabFocus and not w.accessibleName()]
    assert [_describe(w) for w in takers] == []
    buttons = [w for w in widgets if isinstance(w, QAbstractButton)]
    small = [_describe(w) for w in buttons if min(w.width(), w.height()) < _MIN_TARGET_PX]
    assert small == []
    unnamed = [_describe(w) for w in buttons if not w.objectName() and not w.objectName().startswith("qt_")]
    assert unnamed == []


@pytest.mark.parametrize("screen", _SCREENS)
def test_an_empty_screen_names_everything(shell: Shell, screen: str, qtbot: QtBot) -> None:
    shell.window.go(screen)
    qtbot.wait(150)
    _check(shell.window)


@pytest.fixture
def full(engine: Engine) -> None:
    fill_with_demo(engine)


@pytest.mark.parametrize("screen", _SCREENS)
def test_a_full_screen_names_everything(full: None, shell: Shell, screen: str, qtbot: QtBot) -> None:
    shell.window.go(screen)
    qtbot.wait(250)
    _check(shell.window)


@pytest.mark.parametrize("screen", _SCREENS)
def test_nothing_is_cut_off_at_150_percent_in_the_smallest_window(
    full: None, shell: Shell, engine: Engine, wait: Wait, qtbot: QtBot, screen: str
) -> None:
    engine.settings.set("font_percent", 150)
    wait(lambda: shell.window.theme.font_percent == 150)
    shell.window.resize(900, 600)
    shell.window.go(screen)
    qtbot.wait(250)
    cut = []
    for widget in _visible(shell.window.stack):
        if isinstance(widget, QPushButton) and widget.text():
            needed = widget.fontMetrics().horizontalAdvance(widget.text().replace("&&", "&"))
            if widget.width() < needed:
                cut.append(_describe(widget))
        if type(widget).__name__ == "PlainLabel" and isinstance(widget, QLabel) and widget.text():
            needed_height = widget.fontMetrics().height() - 2
            if widget.height() < needed_height:
                cut.append(f"{_describe(widget)} {widget.text()[:30]!r}")
    assert cut == []


def test_sheets_name_everything(shell: Shell) -> None:
    shell.window.commands.open_palette()
    _check(shell.window)
    shell.key(Qt.Key.Key_Escape)
    shell.window.commands.show_shortcuts()
    _check(shell.window)
