"""Every screen in every state: names on all that takes the focus, targets of 24 px, no text of 0 size, no cut buttons."""

import time
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface, QFontMetricsF
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.api import Engine
from tests.ui.pages.shell import Shell
from ui.demo import fill_with_demo
from ui.main_window import MainWindow
from ui.theme import font
from ui.widgets.scroll import ScrollColumn

Wait = Callable[[Callable[[], object]], None]
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


def _faults(window: MainWindow) -> list[str]:
    root = QAccessible.queryAccessibleInterface(window)
    listed = (QAccessible.Role.ListItem, QAccessible.Role.Cell, QAccessible.Role.Window)
    faults = [
        f"nameless to a screen reader: {node.role()} {node.object().objectName() if node.object() else ''}"
        for node in _nodes(root)
        if node.state().focusable
        and not node.state().invisible
        and not node.text(QAccessible.Text.Name)
        and node.role() not in listed
    ]
    for widget in _visible(window):
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and not widget.accessibleName():
            faults.append(f"takes the focus without a name: {_describe(widget)}")
        if isinstance(widget, QAbstractButton):
            if min(widget.width(), widget.height()) < _MIN_TARGET_PX:
                faults.append(f"too small a target: {_describe(widget)} {widget.width()}x{widget.height()}")
            if not widget.objectName():
                faults.append(f"cannot be found by a test: {_describe(widget)}")
    return faults


def _cut(window: MainWindow) -> list[str]:
    cut = []
    for area in window.stack.findChildren(ScrollColumn):
        if area.isVisible() and area.content.width() > area.viewport().width():
            cut.append(f"{_describe(area)} is wider than what is seen of it")
    for widget in _visible(window.stack):
        if isinstance(widget, QPushButton) and widget.text():
            needed = widget.fontMetrics().horizontalAdvance(widget.text().replace("&&", "&"))
            if widget.width() < needed:
                cut.append(_describe(widget))
        if type(widget).__name__ != "PlainLabel" or not isinstance(widget, QLabel) or not widget.text():
            continue
        one_line = widget.fontMetrics().height()
        needed = widget.heightForWidth(widget.width()) if widget.wordWrap() else one_line
        if widget.height() < needed - 2:
            cut.append(f"{_describe(widget)} {widget.text()[:40]!r} has {widget.height()} of {needed}")
    return cut


def _settled(look: Callable[[MainWindow], list[str]], window: MainWindow) -> list[str]:
    """What `look` still finds once the layouts have come to rest; a fault that stays is a fault."""
    end = time.monotonic() + 3
    while (faults := look(window)) and time.monotonic() < end:
        QApplication.processEvents()
        time.sleep(0.02)
    return faults


def _walk(shell: Shell, wait: Wait, look: Callable[[MainWindow], list[str]]) -> dict[str, list[str]]:
    """What `look` finds on each screen, screens without a finding left out."""
    found = {}
    for screen in shell.window.screens:
        shell.window.go(screen.id)
        wait(lambda: not shell.window.bridge.is_waiting)
        QApplication.processEvents()
        found[screen.id] = _settled(look, shell.window)
    return {screen: faults for screen, faults in found.items() if faults}


def test_empty_screens_name_everything_and_have_targets_of_24_px(shell: Shell, wait: Wait) -> None:
    assert _walk(shell, wait, _faults) == {}


def test_full_screens_do_so_too_and_nothing_is_cut_off_at_150_percent_in_the_smallest_window(
    engine: Engine, shell: Shell, wait: Wait
) -> None:
    fill_with_demo(engine)
    wait(lambda: shell.window.state is not None and shell.window.state.stats.message_count > 30)
    assert _walk(shell, wait, _faults) == {}
    engine.settings.set("font_percent", 150)
    wait(lambda: shell.window.theme.font_percent == 150)
    shell.window.resize(900, 600)
    assert _walk(shell, wait, _cut) == {}


def test_the_rail_grows_with_the_text(engine: Engine, shell: Shell, wait: Wait) -> None:
    rail, before = shell.window.rail, shell.window.rail.width()
    engine.settings.set("font_percent", 150)
    wait(lambda: shell.window.theme.font_percent == 150)
    wait(lambda: rail.width() > before)
    rooms = {
        button.spec.title: button.width() - 39 - 40  # icon before it, count behind it
        for screen in shell.window.screens
        if (button := rail.button(screen.id)) is not None
    }
    assert len(rooms) >= 8
    names = QFontMetricsF(font())
    assert [title for title, room in rooms.items() if names.horizontalAdvance(title) > room] == []
    shell.window.resize(900, 600)
    wait(lambda: rail.is_narrow and rail.width() < before)


def test_sheets_name_everything(shell: Shell) -> None:
    shell.window.commands.open_palette()
    assert _faults(shell.window) == []
    shell.key(Qt.Key.Key_Escape)
    shell.window.commands.show_shortcuts()
    assert _faults(shell.window) == []
