"""Cards: a panel with hairline and radius, and rows in it. The plainest container of every screen."""

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLayout, QLayoutItem, QVBoxLayout, QWidget

from ui.widgets.labels import PlainLabel


class Card(QFrame):
    """Kinds: "" (plain), flat (in another card: only a line above), accent, good, warn, danger. Fill `body`; `head` is the row of its title."""

    def __init__(self, title: str = "", *, kind: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setProperty("kind", kind)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(*((0, 10, 0, 8) if kind == "flat" else (16, 12, 16, 14)))
        outer.setSpacing(8)
        self.head = QHBoxLayout()
        self.head.setSpacing(8)
        self._title = PlainLabel(title, "heading", parent=self)  # shown without a parent it would be a window
        self._title.setVisible(bool(title))
        self.head.addWidget(self._title)
        self.head.addStretch(1)
        outer.addLayout(self.head)
        self.body = QVBoxLayout()
        self.body.setSpacing(6)
        outer.addLayout(self.body)

    def set_title(self, title: str) -> None:
        self._title.setText(title)
        self._title.setVisible(bool(title))

    def set_kind(self, kind: str) -> None:
        """Another kind, effective at once."""
        if self.property("kind") != kind:
            self.setProperty("kind", kind)
            self.style().unpolish(self)
            self.style().polish(self)


def clear_layout(layout: QLayout) -> None:
    """Takes everything out of a layout; widgets vanish at once and are deleted by the event loop."""
    while (item := layout.takeAt(0)) is not None:
        _drop(item)


def _drop(item: QLayoutItem) -> None:
    widget, inner = item.widget(), item.layout()
    if widget is not None:
        widget.hide()
        widget.setParent(None)
        widget.deleteLater()
    elif inner is not None:
        clear_layout(inner)
        inner.deleteLater()


def row(*widgets: QWidget | int, spacing_px: int = 8) -> QHBoxLayout:
    """A row of widgets; a number stands for a stretch of that weight."""
    layout = QHBoxLayout()
    layout.setSpacing(spacing_px)
    for widget in widgets:
        if isinstance(widget, int):
            layout.addStretch(widget)
        else:
            layout.addWidget(widget)
    return layout
