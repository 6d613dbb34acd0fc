"""Tab follows reading order, also where cards were inserted later: Qt's own order is the order of creation."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLayout, QScrollArea, QSplitter, QWidget


def focusables(root: QWidget) -> Iterator[QWidget]:
    """Widgets below `root` that Tab stops at, in the order of the layouts; hidden and disabled ones too."""
    if root.focusPolicy() & Qt.FocusPolicy.TabFocus:
        yield root
        return
    if isinstance(root, QScrollArea):
        content = root.widget()
        if content is not None:
            yield from focusables(content)
        return
    layout = root.layout()
    if layout is not None:
        yield from in_layout(layout)
        return
    parts = (root.widget(n) for n in range(root.count())) if isinstance(root, QSplitter) else root.children()
    for part in parts:  # of what places its parts itself, the order in which they were made
        if isinstance(part, QWidget):
            yield from focusables(part)


def focus_first(widgets: Iterable[QWidget]) -> bool:
    """The keys go to the first that can be seen and takes them; False when there is none."""
    for widget in widgets:
        if widget.isVisible() and widget.isEnabled():
            widget.setFocus(Qt.FocusReason.TabFocusReason)
            return True
    return False


def follow_reading_order(root: QWidget) -> None:
    """Chains all focusables below `root`."""
    for before, after in pairwise(focusables(root)):
        QWidget.setTabOrder(before, after)


def in_layout(layout: QLayout) -> Iterator[QWidget]:
    """The same below a layout."""
    for index in range(layout.count()):
        item = layout.itemAt(index)
        if item is None:
            continue
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            yield from focusables(widget)
        elif inner is not None:
            yield from in_layout(inner)
