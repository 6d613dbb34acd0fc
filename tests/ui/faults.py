"""What a screen may not have: controls without a name, too small, cut off, or out of the keyboard's reach."""

import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollBar,
    QTextEdit,
    QWidget,
)

from ui.screens.memories.filter_pane import FacetRow
from ui.shell.main_window import MainWindow
from ui.widgets.scroll import ScrollColumn

_MIN_TARGET_PX = 24
_MOST_TABS = 600
_CONTROLS = (
    QAbstractButton, QComboBox, QLineEdit, QAbstractSpinBox, QAbstractSlider, QAbstractItemView, QPlainTextEdit, QTextEdit,
)  # fmt: skip


def _nodes(interface: QAccessibleInterface, depth: int = 0) -> Iterator[QAccessibleInterface]:
    yield interface
    if depth < 30:
        for index in range(min(interface.childCount(), 400)):
            child = interface.child(index)
            if child is not None and child.isValid():
                yield from _nodes(child, depth + 1)


def describe(widget: QWidget) -> str:
    return f"{type(widget).__name__}({widget.objectName()})"


def _visible(root: QWidget) -> list[QWidget]:
    return [widget for widget in root.findChildren(QWidget) if widget.isVisible()]


def faults_of(window: MainWindow) -> list[str]:
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
            faults.append(f"takes the focus without a name: {describe(widget)}")
        if isinstance(widget, QAbstractButton):
            if min(widget.width(), widget.height()) < _MIN_TARGET_PX:
                faults.append(f"too small a target: {describe(widget)} {widget.width()}x{widget.height()}")
            if not widget.objectName():
                faults.append(f"cannot be found by a test: {describe(widget)}")
    return faults


def cut_off(window: MainWindow) -> list[str]:
    cut = []
    for area in window.stack.findChildren(ScrollColumn):
        if area.isVisible() and area.content.width() > area.viewport().width():
            cut.append(f"{describe(area)} is wider than what is seen of it")
    for widget in _visible(window.stack):
        if isinstance(widget, QPushButton) and widget.text():
            lines = widget.text().replace("&&", "&").split("\n")
            needed = max(widget.fontMetrics().horizontalAdvance(line) for line in lines)
            if widget.width() < needed:
                cut.append(describe(widget))
        if type(widget).__name__ != "PlainLabel" or not isinstance(widget, QLabel) or not widget.text():
            continue
        one_line = widget.fontMetrics().height()
        needed = widget.heightForWidth(widget.width()) if widget.wordWrap() else one_line
        if widget.height() < needed - 2:
            cut.append(f"{describe(widget)} {widget.text()[:40]!r} has {widget.height()} of {needed}")
    for one in controls(window):
        if not _is_whole(one, window):
            cut.append(f"{describe(one)} is not wholly in sight: {one.visibleRegion().boundingRect()} of {one.size()}")
    return cut


def _is_whole(widget: QWidget, window: MainWindow) -> bool:
    """Whether all of it is seen, or can be scrolled to."""
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QAbstractScrollArea):
            return True
        above = above.parentWidget()
    place = QRect(widget.mapTo(window, widget.rect().topLeft()), widget.size())
    return window.rect().contains(place) and widget.visibleRegion().boundingRect().size() == widget.size()


def controls(window: MainWindow) -> list[QWidget]:
    """All that can be pressed, chosen or typed into now."""
    found = []
    for widget in _visible(window):
        is_inner = isinstance(widget.parentWidget(), QAbstractSpinBox | QComboBox)
        is_control = isinstance(widget, _CONTROLS) and not isinstance(widget, QScrollBar)
        if is_control and widget.isEnabled() and not is_inner:
            found.append(widget)
    return found


def out_of_reach(window: MainWindow) -> list[str]:
    """Controls that Tab does not come to. Of a group that arrows walk in one is enough; steppers stand for arrows in a field."""
    seen = set(_tabbed(window))
    groups = {_group(one) for one in seen if _group(one) is not None}
    return [
        describe(one)
        for one in controls(window)
        if one not in seen and _group(one) not in groups and not one.objectName().endswith((".less", ".more"))
    ]


def _tabbed(window: MainWindow) -> Iterator[QWidget]:
    window.rail.focus_current()
    first = QApplication.focusWidget()
    for _ in range(_MOST_TABS):
        focus = QApplication.focusWidget()
        assert focus is not None, "Tab lost the focus"
        yield focus
        QTest.keyClick(focus, Qt.Key.Key_Tab)
        if QApplication.focusWidget() is first:
            return


def _group(widget: QWidget) -> object:
    """What it shares arrows with."""
    if isinstance(widget, FacetRow):  # Tab stops once in a facet
        return widget.parentWidget()
    if isinstance(widget, QAbstractButton) and (widget.group() is not None or widget.autoExclusive()):
        return widget.group() or widget.parentWidget()
    return None


def settled(look: Callable[[MainWindow], list[str]], window: MainWindow) -> list[str]:
    """What `look` still finds once the layouts have come to rest; a fault that stays is a fault."""
    end = time.monotonic() + 30
    while (faults := look(window)) and time.monotonic() < end:
        QApplication.processEvents()
        window.notices.clear()  # they go by themselves; where they lie is a test of its own
        time.sleep(0.02)
    return faults
