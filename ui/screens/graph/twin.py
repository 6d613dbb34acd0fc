"""The list beside the picture that says the same: the selected thing with its story, and each of its links as a row.

The walk by list needs no picture: Return goes to the other end. Also shows what a search found, the best memory whole above the
hits. Source: UX 4.5 "Accessible twin".
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetricsF, QIcon, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.values.graph import GraphLink, GraphNode, GraphView, NodeId, NodeKind, NodeLook, Relation
from app.values.graph_map import MapGroup
from ui.icons import unpainted
from ui.screens.graph.link_card import LinkCard, link_line
from ui.screens.graph.look import facts_of, group_color, name_of, relation_from
from ui.screens.graph.shapes import look_icon
from ui.screens.graph.story import Story, StoryPart
from ui.theme import META_FONT_PX, color, font
from ui.widgets.buttons import ActionButton, Button
from ui.widgets.card import Card
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel, plain_tooltip
from ui.widgets.scroll import ScrollColumn
from ui.widgets.text_area import TextArea
from ui.wording.values import counted, percent

TEXT_CHARS = 420
_TITLE_CHARS = 120
_Index = QModelIndex | QPersistentModelIndex
_ROW_PX, _TEXT_LEFT_PX = 8, 25
_WRAPS = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop)
EDITED_KINDS = frozenset({NodeKind.MEMORY, NodeKind.CONVERSATION})
_AREA_PX = 112
WIDTH_EM = 25.0
_LINES_ROLE = Qt.ItemDataRole.UserRole + 1  # what is painted: the name, and what is said of it
_TOLD_SHARE = 0.42  # of the height at most, so that links stay in sight below a long story
_KINDS = (NodeKind.MEMORY, NodeKind.CONVERSATION, NodeKind.FILE, NodeKind.ENTITY, NodeKind.RULE, NodeKind.APP)
_NOTHING = "Select something in the picture, or search for a place to start from."


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the list: what is painted, and where it leads: to a node, by a link or as a hit, or into a group of the map."""

    title: str
    icon: QIcon
    more: str = ""
    node: NodeId | None = None
    link: GraphLink | None = None
    group: int | None = None
    details: tuple[str, ...] = ()  # what the tooltip and a screen reader say after the title

    @property
    def text(self) -> str:
        return f"{self.title}\n{self.more}" if self.more else self.title

    @property
    def key(self) -> tuple[NodeId | None, Relation] | None:
        """The thing and the kind of link that a row of a link names; none for a hit or a group."""
        return (self.node, self.link.relation) if self.link is not None else None


class RowsModel(QAbstractListModel):
    """The rows, replaced whole. No item objects of Qt's own: QListWidget crashed in `clear()` under random input."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows: tuple[Row, ...] = ()

    def show(self, rows: Sequence[Row]) -> None:
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row_at(index)
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.text
            case Qt.ItemDataRole.DecorationRole:
                return row.icon
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip("\n".join(row.details)) if row.details else None
            case Qt.ItemDataRole.AccessibleTextRole:
                return ", ".join((row.title, *row.details))
            case _ if role == _LINES_ROLE:
                return row.title, row.more
        return None

    def row_at(self, index: _Index) -> Row | None:
        return self.rows[index.row()] if index.isValid() and index.row() < len(self.rows) else None


class RowDelegate(QStyledItemDelegate):
    """A row of the list: where it leads, and below it, small and quiet, why."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        width = option.rect.width() or self._list_width()
        return QSize(width, sum(round(rect.height()) for _text, rect, _look in _rows_of(index, width)) + _ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        own = QStyleOptionViewItem(option)
        self.initStyleOption(own, index)
        own.text = ""
        own.icon = QIcon()
        own.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, own, painter, own.widget)
        painter.save()
        rect = QRectF(option.rect)
        icon = index.data(Qt.ItemDataRole.DecorationRole)
        if isinstance(icon, QIcon):
            icon.paint(painter, QRect(round(rect.left()) + 3, round(rect.top()) + _ROW_PX // 2, 16, 16))
        top = rect.top() + _ROW_PX / 2
        for text, room, look in _rows_of(index, option.rect.width()):
            painter.setFont(font(META_FONT_PX) if look == "sub" else font())
            painter.setPen(color(look))
            painter.drawText(QRectF(rect.left() + _TEXT_LEFT_PX, top, room.width(), room.height()), _WRAPS, text)
            top += room.height()
        painter.restore()

    def _list_width(self) -> int:
        view = self.parent()
        return view.viewport().width() if isinstance(view, QListView) else 0


def _rows_of(index: _Index, width: int) -> list[tuple[str, QRectF, str]]:
    """The lines of a row with their room and colour: the thing first, as one looks for it, and below how it is linked."""
    name, why = index.data(_LINES_ROLE) or (str(index.data(Qt.ItemDataRole.DisplayRole)), "")
    room = QRectF(0, 0, max(40, width - _TEXT_LEFT_PX - 4), 10_000)
    made = []
    for text, px, look in ((name, 13, "text"), (why, META_FONT_PX, "sub")):
        if text:
            fits = QFontMetricsF(font(px)).boundingRect(room, _WRAPS, text)
            made.append((text, QRectF(0, 0, room.width(), fits.height()), look))
    return made


class GraphTwin(QWidget):
    """`walked`: the person went to another node by the list · `more_wanted`: hidden neighbours shall be shown · `link_chosen`: another row · `group_walked`: into a group of the map · `edited`: a node and its new words."""

    walked = Signal(object)
    more_wanted = Signal()
    link_chosen = Signal()
    group_walked = Signal(int)
    edited = Signal(object, str)

    def __init__(
        self, buttons: Sequence[ActionButton], link_buttons: Sequence[ActionButton] = (), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName("The selected thing and its links")
        self.head = Card()
        self.title = PlainLabel("", "section", wraps=True)
        self.title.setObjectName("graph.twin.title")
        self.facts = PlainLabel("", "meta", wraps=True)
        self.text = PlainLabel("", "body", wraps=True)
        self.story = StoryPart()
        self.told = ScrollColumn("graph.twin.told")
        self.told.setWidgetResizable(True)
        self.told.column.setContentsMargins(0, 0, 0, 0)
        self.told.column.setSpacing(4)
        self._fit_soon = QTimer(self)
        self._fit_soon.setSingleShot(True)
        self._fit_soon.setInterval(0)
        self._fit_soon.timeout.connect(self._fit)
        self.buttons = QWidget()
        row = FlowLayout(self.buttons)
        for button in buttons:
            row.addWidget(button)
        for widget in (self.title, self.facts, self.told):
            self.head.body.addWidget(widget)
        for told in (self.text, self.story):
            self.told.add(told)
        self.area = TextArea("graph.edit.area", takes_escape=True)
        self.area.setAccessibleName("Its words")
        self.area.setFixedHeight(_AREA_PX)
        self.area.kept.connect(self._on_kept)
        self.area.escaped.connect(self.stop_edit)
        self.keep = Button("Keep", "graph.edit.keep", kind="primary", tip="Ctrl+Enter")
        self.keep.clicked.connect(self._on_kept)
        self.leave = Button("Leave it", "graph.edit.leave", kind="quiet", tip="Esc")
        self.leave.clicked.connect(self.stop_edit)
        answers = QHBoxLayout()
        for answer in (self.keep, self.leave):
            answers.addWidget(answer)
        answers.addStretch(1)
        self.head.body.addWidget(self.area)
        self.head.body.addLayout(answers)
        self.head.body.addWidget(self.buttons)
        self._node: GraphNode | None = None
        self._edited: NodeId | None = None
        self.stop_edit()
        self.count = PlainLabel("", "meta", wraps=True)
        self.more = Button("Show them", "graph.more", kind="link", tip="Bring more of its neighbours into the picture")
        self.more.clicked.connect(self.more_wanted)
        self.list = QListView()
        self.rows = RowsModel(self.list)
        self.list.setModel(self.rows)
        self.list.setObjectName("graph.twin.list")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setWordWrap(True)
        self.list.setItemDelegate(RowDelegate(self.list))
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setIconSize(QSize(16, 16))
        self.list.activated.connect(self._on_activated)
        self.list.clicked.connect(self._on_clicked)
        self.list.selectionModel().currentChanged.connect(self._on_current)
        self.link_card = LinkCard(link_buttons)
        self.link_card.followed.connect(self._on_followed)
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
        column.addWidget(self.link_card)

    @property
    def link(self) -> GraphLink | None:
        """The link that the current row names."""
        row = self.rows.row_at(self.list.currentIndex())
        return row.link if row is not None else None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_soon.start()

    def _fit(self) -> None:
        """What is told of a thing is as tall as its words, at most a share of the height.

        Never while Qt lays out: a height that is set there changes what is being measured. Measured without the bar, which otherwise
        stays where it was needed for a moment only: it makes the words narrower, thus taller, thus itself needed.
        """
        is_told = not (self.text.isHidden() and self.story.isHidden()) and self._edited is None
        self.told.setVisible(is_told)
        wanted = self.told.content.heightForWidth(self.told.maximumViewportSize().width())
        most = round(self.height() * _TOLD_SHARE)
        is_whole = wanted <= most
        bar = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if is_whole else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.told.setVerticalScrollBarPolicy(bar)
        self.told.setFixedHeight(max(1, wanted if is_whole else most))

    def show_story(self, story: Story | None) -> None:
        """What there is to tell of the shown memory."""
        if story is not None and self._node is not None and self._node.id == story.node and self._edited is None:
            self.story.show_story(story)
            self._fit_soon.start()

    def show_node(self, node: GraphNode | None, view: GraphView) -> None:
        """The node with its links in this view."""
        self.head.setVisible(node is not None)
        if node is None or self._node is None or node.id != self._node.id:
            self.story.clear()
        self._node = node
        if node is None or node.id != self._edited:
            self.stop_edit()
        if node is None:
            self._show_picture(view)
            return
        self._show_head(node)
        nodes = {one.id: one for one in view.nodes}
        links = sorted((one for one in view.links if node.id in (one.a, one.b)), key=lambda one: _order(one, node.id))
        rows = []
        for link in links:
            other = nodes[link.b if link.a == node.id else link.a]
            rows.append((name_of(other), link_line(link, node.id), other, link))
        hidden = view.hidden.get(node.id, 0)
        said = counted(len(rows), "link") + (f", {hidden:,} more not shown" if hidden else "")
        self._show_rows(rows, said, f"Links of {name_of(node)}")
        self.more.setVisible(bool(hidden))

    def _show_picture(self, view: GraphView) -> None:
        """Nothing is selected: what the picture shows, the most linked first."""
        linked = Counter(node for link in view.links for node in (link.a, link.b))
        nodes = sorted(view.nodes, key=lambda one: (-linked[one.id], one.id.key))
        said = (
            f"{counted(len(nodes), 'thing')} in the picture. Select one for its story and links." if nodes else _NOTHING
        )
        self._show_rows([(name_of(one), facts_of(one), one, None) for one in nodes], said, "In the picture")
        self.more.hide()

    def _show_head(self, node: GraphNode) -> None:
        text = " ".join(node.text.split())
        is_title = node.look is NodeLook.MEMORY and 0 < len(text) <= _TITLE_CHARS  # a short one is its own name
        self.title.setText(text if is_title else name_of(node))
        self.facts.setText(facts_of(node))
        self.text.setText(text[:TEXT_CHARS])
        self.text.setVisible(bool(text) and not is_title and text != node.title)
        self._fit_soon.start()

    def edit(self) -> None:
        """The words of the shown memory, or the title of the conversation, to be changed where they stand."""
        node = self._node
        if node is None or node.id.kind not in EDITED_KINDS:
            return
        self._edited = node.id
        self.area.setPlainText(node.text if node.id.kind is NodeKind.MEMORY else node.title)
        self.told.hide()
        for widget in (self.area, self.keep, self.leave):
            widget.show()
        self.area.setFocus()
        self.area.selectAll()

    def stop_edit(self) -> None:
        self._edited = None
        for widget in (self.area, self.keep, self.leave):
            widget.hide()
        if self._node is not None:
            self._show_head(self._node)

    def _on_kept(self) -> None:
        node, text = self._edited, self.area.toPlainText().strip()
        self.stop_edit()
        if node is not None and text:
            self.edited.emit(node, text)

    def show_found(self, nodes: Sequence[GraphNode], query: str) -> GraphNode | None:
        """What a search found, in place of the links; the best memory stands whole above, and is returned: buttons and keys act on it."""
        best = next((node for node in nodes if node.look is NodeLook.MEMORY), None)
        self.head.setVisible(best is not None)
        self.more.hide()
        self.stop_edit()
        if best is None or self._node is None or best.id != self._node.id:
            self.story.clear()
        self._node = best
        if best is not None:
            self._show_head(best)
        said = counted(len(nodes), "hit") if nodes else f"Nothing is called “{query}”. Try fewer words."
        self._show_rows([(name_of(node), facts_of(node), node, None) for node in nodes], said, "Found")
        return best

    def show_groups(self, groups: Sequence[MapGroup], chosen: int | None) -> None:
        """The discs of the map as rows, the largest first."""
        self.head.hide()
        self.more.hide()
        self._show_rows((), f"{counted(len(groups), 'group')} of what belongs together", "Groups of the map")
        ordered = sorted(groups, key=lambda one: -one.count)
        self.rows.show(
            [
                Row(
                    f"{one.title or 'Without a name'} – {counted(one.count, 'thing')}",
                    _dot(one.number),
                    group=one.number,
                )
                for one in ordered
            ]
        )
        self._make_current(next((at for at, one in enumerate(ordered) if one.number == chosen), None))

    def show_members(self, group: MapGroup, members: Sequence[GraphNode], said: str, *, has_more: bool) -> None:
        """What stands out of an open disc, the most linked first."""
        self.head.hide()
        self._show_rows([(name_of(one), facts_of(one), one, None) for one in members], said, f"In {group.title}")
        self.more.setVisible(has_more)

    def show_way(self, sentence: str) -> None:
        self.way.setText(sentence)
        self.way.setVisible(bool(sentence))

    def _show_rows(self, rows: Sequence[tuple[str, str, GraphNode, GraphLink | None]], said: str, name: str) -> None:
        """The row that was current stays so, by the thing and the kind of link that it names."""
        self.count.setText(said)
        self.list.setAccessibleName(name)
        before = self.rows.row_at(self.list.currentIndex())
        shown = []
        for title, more, node, link in rows:
            strong = f"{percent(link.strength)} strong" if link is not None else ""
            details = [one for one in (more, facts_of(node) if link is not None else "", strong) if one]
            shown.append(Row(title, look_icon(node.look), more, node.id, link, details=tuple(details)))
        self.rows.show(shown)
        kept = before.key if before is not None else None
        self._make_current(next((at for at, row in enumerate(shown) if kept is not None and row.key == kept), None))

    def _make_current(self, at: int | None) -> None:
        """The row becomes current, or none: then the card below is told here, since a replaced list does not say that no row is current."""
        if at is not None:
            self.list.setCurrentIndex(self.rows.index(at))
        else:
            self._on_current()

    def _on_current(self, *_indexes: QModelIndex) -> None:
        self.link_card.show_link(self.link)
        self.link_chosen.emit()

    def _on_clicked(self, index: QModelIndex) -> None:
        """A click on a hit goes there, one on a group goes in; on a link it shows the link, and a second one goes to its other end."""
        row = self.rows.row_at(index)
        if row is not None and row.link is None:
            self._on_activated(index)

    def _on_followed(self) -> None:
        self._on_activated(self.list.currentIndex())

    def _on_activated(self, index: QModelIndex) -> None:
        row = self.rows.row_at(index)
        if row is None:
            return
        if row.node is not None:
            self.walked.emit(row.node)
        elif row.group is not None:
            self.group_walked.emit(row.group)

    def take_focus(self) -> None:
        if self.rows.rows:
            self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.list.setCurrentIndex(self.rows.index(max(0, self.list.currentIndex().row())))

    def first_row(self) -> NodeId | None:
        """What Return in the search field takes."""
        return self.rows.rows[0].node if self.rows.rows else None


def _dot(number: int) -> QIcon:
    """A disc in the tint of a group."""
    return QIcon(_dot_picture(group_color(number).name()))


@lru_cache(maxsize=64)
def _dot_picture(tint_name: str) -> QPixmap:
    picture = QPixmap(16, 16)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tint_name))
    painter.drawEllipse(2, 2, 12, 12)
    painter.end()
    return unpainted(picture)


def _order(link: GraphLink, node: NodeId) -> tuple[bool, int, str, float, str]:
    """Contradictions first, then memories, conversations, files and names, the strongest first."""
    other = link.b if link.a == node else link.a
    is_plain = link.relation is not Relation.CONTRADICTS
    return is_plain, _KINDS.index(other.kind), relation_from(link, node), -link.strength, other.key
