"""The list beside the picture that says the same: the selected thing, and each of its links as a row.

The walk by list needs no picture: Return goes to the other end. Also shows what a search found. Source: UX 4.5 "Accessible twin".
"""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from app.values.graph import GraphLink, GraphNode, GraphView, NodeId, NodeKind, Relation
from ui.icons import icon
from ui.screens.graph.look import KIND_ICONS, KIND_TOKENS, facts_of, name_of, relation_from
from ui.theme import font_px
from ui.widgets.buttons import ActionButton, Button
from ui.widgets.card import Card
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel
from ui.widgets.wording import counted

TEXT_CHARS = 420
WIDTH_EM = 25.0
_NODE_ROLE = Qt.ItemDataRole.UserRole + 1
_KINDS = (NodeKind.MEMORY, NodeKind.CONVERSATION, NodeKind.FILE, NodeKind.ENTITY)
_NOTHING = "Select something in the picture, or search for a place to start from."


class GraphTwin(QWidget):
    """`walked`: the person went to another node by the list · `more_wanted`: hidden neighbours shall be shown · `link_cut`: a link to take away."""

    walked = Signal(object)
    more_wanted = Signal()
    link_cut = Signal(int)

    def __init__(self, buttons: Sequence[ActionButton], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("The selected thing and its links")
        self.setFixedWidth(round(WIDTH_EM * font_px()))
        self.head = Card()
        self.title = PlainLabel("", "section", wraps=True)
        self.title.setObjectName("graph.twin.title")
        self.facts = PlainLabel("", "meta", wraps=True)
        self.text = PlainLabel("", "body", wraps=True)
        row = FlowLayout()
        for button in buttons:
            row.addWidget(button)
        for widget in (self.title, self.facts, self.text):
            self.head.body.addWidget(widget)
        self.head.body.addLayout(row)
        self.count = PlainLabel("", "meta")
        self.more = Button("Show them", "graph.more", kind="link", tip="Bring more of its neighbours into the picture")
        self.more.clicked.connect(self.more_wanted)
        self.list = QListWidget()
        self.list.setObjectName("graph.twin.list")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setWordWrap(True)
        self.list.setIconSize(QSize(16, 16))
        self.list.itemActivated.connect(self._on_activated)
        self.list.itemClicked.connect(self._on_activated)
        self.way = PlainLabel("", "body", wraps=True)
        self.way.setObjectName("graph.way")
        self.way.hide()
        line = QHBoxLayout()
        line.addWidget(self.count, 1)
        line.addWidget(self.more)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.head)
        column.addWidget(self.way)
        column.addLayout(line)
        column.addWidget(self.list, 1)

    def show_node(self, node: GraphNode | None, view: GraphView) -> None:
        """The node with its links in this view."""
        self.head.setVisible(node is not None)
        if node is None:
            self._show_rows((), _NOTHING, "Links")
            self.more.hide()
            return
        self.title.setText(name_of(node))
        self.facts.setText(facts_of(node))
        text = " ".join(node.text.split())
        self.text.setText(text[:TEXT_CHARS])
        self.text.setVisible(bool(text) and text != node.title)
        nodes = {one.id: one for one in view.nodes}
        links = sorted((one for one in view.links if node.id in (one.a, one.b)), key=lambda one: _order(one, node.id))
        rows = []
        for link in links:
            other = nodes[link.b if link.a == node.id else link.a]
            rows.append((f"{relation_from(link, node.id)} → {name_of(other)}", link.reason, other))
        hidden = view.hidden.get(node.id, 0)
        said = counted(len(rows), "link") + (f", {hidden:,} more not shown" if hidden else "")
        self._show_rows(rows, said, f"Links of {name_of(node)}")
        self.more.setVisible(bool(hidden))

    def show_found(self, nodes: Sequence[GraphNode], query: str) -> None:
        """What a search found, in place of the links."""
        self.head.hide()
        self.more.hide()
        said = counted(len(nodes), "hit") if nodes else f"Nothing is called “{query}”. Try fewer words."
        self._show_rows([(name_of(node), facts_of(node), node) for node in nodes], said, "Found")

    def show_way(self, sentence: str) -> None:
        self.way.setText(sentence)
        self.way.setVisible(bool(sentence))

    def _show_rows(self, rows: Sequence[tuple[str, str, GraphNode]], said: str, name: str) -> None:
        self.count.setText(said)
        self.list.setAccessibleName(name)
        self.list.clear()
        for text, more, node in rows:
            item = QListWidgetItem(icon(KIND_ICONS[node.id.kind], KIND_TOKENS[node.id.kind]), text)
            item.setData(_NODE_ROLE, node.id)
            item.setToolTip(f"{more}\n{facts_of(node)}".strip())
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{text}, {facts_of(node)}")
            self.list.addItem(item)

    def _on_activated(self, item: QListWidgetItem) -> None:
        node = item.data(_NODE_ROLE)
        if isinstance(node, NodeId):
            self.walked.emit(node)

    def first_row(self) -> NodeId | None:
        """What Return in the search field takes."""
        item = self.list.item(0)
        node = item.data(_NODE_ROLE) if item is not None else None
        return node if isinstance(node, NodeId) else None


def _order(link: GraphLink, node: NodeId) -> tuple[bool, int, str, float, str]:
    """Contradictions first, then memories, conversations, files and names, the strongest first."""
    other = link.b if link.a == node else link.a
    is_plain = link.relation is not Relation.CONTRADICTS
    return is_plain, _KINDS.index(other.kind), relation_from(link, node), -link.strength, other.key
