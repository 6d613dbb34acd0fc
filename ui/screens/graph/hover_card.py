"""The card beside a thing on which the mouse rests: what it is, in a few lines, without a click. Source: UX 4.5 "a card after 300 ms"."""

from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.values.graph import GraphNode
from ui.screens.graph.look import facts_of, name_of
from ui.widgets.labels import PlainLabel
from ui.wording.values import counted

AFTER_MS = 300
_WIDTH, _GAP = 280, 14
_TEXT_CHARS = 200


class HoverCard(QFrame):
    """A child of the picture; never takes the mouse or the keyboard."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("graph.hover")
        self.setProperty("role", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFixedWidth(_WIDTH)
        self.title = PlainLabel("", "heading", wraps=True)
        self.facts = PlainLabel("", "meta", wraps=True)
        self.text = PlainLabel("", "body", wraps=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 9, 12, 10)
        column.setSpacing(3)
        for label in (self.title, self.facts, self.text):
            column.addWidget(label)
        self._at = QPoint()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(AFTER_MS)
        self._later.timeout.connect(self._open)
        self.hide()

    def show_node(self, node: GraphNode, at: QPoint) -> None:
        """In a moment, beside `at`."""
        links = counted(node.link_count, "link") if node.link_count else ""
        self._set(name_of(node), " · ".join(one for one in (facts_of(node), links) if one), node.text, at)

    def show_words(self, title: str, facts: str, at: QPoint) -> None:
        self._set(title, facts, "", at)

    def _set(self, title: str, facts: str, text: str, at: QPoint) -> None:
        body = " ".join(text.split())
        self.title.setText(title)
        self.facts.setText(facts)
        self.text.setText(body if len(body) <= _TEXT_CHARS else body[: _TEXT_CHARS - 1].rstrip() + "…")
        self.text.setVisible(bool(body) and body != title)
        self._at = at
        if self.isVisible():
            self._open()
        else:
            self._later.start()

    def leave(self) -> None:
        self._later.stop()
        self.hide()

    def _open(self) -> None:
        """Where there is room: right below, else left or above."""
        self.adjustSize()
        parent = self.parentWidget()
        if parent is None:
            return
        room = parent.rect()
        place = QRect(self._at + QPoint(_GAP, _GAP), self.size())
        if place.right() > room.right():
            place.moveRight(self._at.x() - _GAP)
        if place.bottom() > room.bottom():
            place.moveBottom(self._at.y() - _GAP)
        place.moveTopLeft(QPoint(max(4, place.left()), max(4, place.top())))
        self.move(place.topLeft())
        self.show()
        self.raise_()
