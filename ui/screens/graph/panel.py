"""The Graph screen: the picture, the list that says the same, kinds to switch off, and the time.

Begins with what matters now and grows only where somebody asks. Places are kept while the screen is open: what is new comes in
beside what it belongs to. Source: UX 4.5, issue 18 "The view".
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QHideEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QStackedWidget, QVBoxLayout, QWidget

from app.errors import NotFoundError
from app.values import MemoryEdit
from app.values.changes import DataKind, Progress
from app.values.graph import GraphLink, GraphNode, GraphPath, GraphRebuilt, GraphView, NodeId, NodeKind, NodeLook
from app.values.graph_map import LOOKS as MAP_LOOKS
from app.values.graph_map import GraphMap
from ui.bridge import Failure, Job, JobDone
from ui.navigation import Place
from ui.notices import Notice, NoticeKind
from ui.screens.base import Panel, PanelContext
from ui.screens.graph.canvas import GraphCanvas
from ui.screens.graph.exporting import open_graph_dialog, picture_of
from ui.screens.graph.link_card import can_reject, is_judged
from ui.screens.graph.look import LOOK_WORDS, LOOKS, RELATION_WORDS, drawn_relations, name_of, path_sentence
from ui.screens.graph.map_page import MapPage
from ui.screens.graph.same_names import SameNames
from ui.screens.graph.shapes import look_icon
from ui.screens.graph.story import read_story
from ui.screens.graph.time_slider import TimeSlider
from ui.screens.graph.twin import EDITED_KINDS, WIDTH_EM, GraphTwin
from ui.theme import font_px
from ui.widgets.buttons import ActionButton, Button, ChipButton
from ui.widgets.empty_state import EmptyState
from ui.widgets.flow import FlowLayout
from ui.widgets.progress_strip import ProgressStrip
from ui.wording.values import counted

if TYPE_CHECKING:
    from app.api import Engine

SEARCH_AFTER_MS = 150
_SIDE_SHARE = 0.45  # of the screen's width at most
MORE_NODES = 24  # that come with "show its neighbours"
DEPTHS = range(1, 5)
_BUTTONS = (  # of the selected thing
    ("open", "eye", "Open"), ("edit", "rename", "Edit"), ("resolve", "split", "Choose which is true"), ("focus", "search", "Focus"),
    ("second", "link", "Find a path to…"), ("path", "link", "Path to here"), ("link", "plus", "Link the two"),
)  # fmt: skip
_OF_PICTURE = frozenset(f"graph.{name}" for name in ("start", "arrange", "copy", "export", "names", "map", "rebuild"))
_WITH_NODES = ("start", "fit", "arrange", "copy", "export", "names", "map", "rebuild")
REBUILD_JOB = "graph.rebuild"
_SCREENS = {  # where a thing is shown on its own: screen, what the place names
    NodeKind.MEMORY: ("memories", "memory"), NodeKind.CONVERSATION: ("conversations", "conversation"),
    NodeKind.RULE: ("learned", "rule"), NodeKind.APP: ("apps", "app"),
}  # fmt: skip
_NO_WAY = "The only path between them leads through what is linked with everything."


@dataclass(frozen=True, slots=True)
class Picture:
    """A view with places, made in the read worker."""

    view: GraphView
    places: Mapping[NodeId, tuple[float, float]]
    keeps_sight: bool
    pins: frozenset[NodeId] = frozenset()


class GraphPanel(Panel):
    screen_id: ClassVar[str] = "graph"
    title: ClassVar[str] = "Graph"
    search_hint: ClassVar[str] = "Search, or ask: why PostgreSQL?"
    has_scope: ClassVar[bool] = True
    has_actions: ClassVar[bool] = True
    concerns: ClassVar[frozenset[DataKind]] = frozenset(
        {
            DataKind.MEMORIES,
            DataKind.CONVERSATIONS,
            DataKind.MESSAGES,
            DataKind.CONTRADICTIONS,
            DataKind.GRAPH,
            DataKind.RULES,
            DataKind.APPS,
        }
    )

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._centre: NodeId | None = None
        self._asked_for: NodeId | None = None  # by the place; None: what matters now
        self._pins: frozenset[NodeId] = frozenset()
        self._depth = 2
        self._grown_from: NodeId | None = None  # whose neighbours were asked for last: a change keeps them
        self._was_left = False  # another screen was looked at since
        self._query = ""
        self._found: GraphNode | None = None  # the hit of a search that is shown whole
        self._is_found = False  # what is shown answers what stands in the field
        self._goes_on = False  # Return was pressed before the hits were there
        self._search_later = QTimer(self)
        self._search_later.setSingleShot(True)
        self._search_later.setInterval(SEARCH_AFTER_MS)
        self._search_later.timeout.connect(self._search_now)
        self._build()
        context.selection.scope_changed.connect(self._start_empty_store)
        context.theme.changed.connect(self._show_selected)
        context.theme.changed.connect(self._fit_side)
        context.theme.changed.connect(self._draw_legend)
        context.theme.changed.connect(self.map.canvas.render_now)
        self._draw_legend()
        if self.header.search is not None:
            self.header.search.returnPressed.connect(self._on_return)
            self.header.search.left_down.connect(self.twin.take_focus)
        bridge = context.bridge
        self.strip.stop_pressed.connect(bridge.cancel)
        bridge.progressed.connect(self.strip.show_values)
        bridge.finished.connect(self._on_rebuilt)
        bridge.failed.connect(self._on_rebuild_failed)

    def _build(self) -> None:
        actions = self.context.actions
        self.canvas = GraphCanvas()
        self.canvas.chosen.connect(self._on_chosen)
        self.canvas.opened.connect(self.focus_on)
        self.canvas.joined.connect(self._on_joined)
        self.canvas.placed.connect(self._on_placed)
        self.canvas.menu_wanted.connect(self._on_menu)
        here = [
            ActionButton(actions.action(f"graph.{name}"), icon_name, kind="quiet", text=text, only_able=True)
            for name, icon_name, text in _BUTTONS
        ]
        judging = [
            ActionButton(actions.action(f"graph.{name}_link"), icon_name, kind="quiet", only_able=True)
            for name, icon_name in (("accept", "check"), ("reject", "close"))
        ]
        self.twin = GraphTwin(here, judging)
        self.twin.link_chosen.connect(self.abilities_changed)
        self.twin.edited.connect(self._on_edited)
        self.twin.link_card.edited.connect(self._on_link_edited)
        self.twin.story.message_wanted.connect(self._on_message_wanted)
        self.twin.walked.connect(self._on_walked)
        self.twin.more_wanted.connect(self._show_more)
        self.twin.group_walked.connect(self._on_group_walked)
        self.map = MapPage(self.context.bridge)
        self.map.canvas.chosen.connect(self._on_map_chosen)
        self.map.canvas.opened.connect(self.focus_on)
        self.map.canvas.placed.connect(self._on_map_placed)
        self.map.arrived.connect(self._on_map)
        self.map.named.connect(self._on_map_named)
        self.views = QStackedWidget()
        self.views.addWidget(self.canvas)
        self.views.addWidget(self.map)
        self.names = SameNames()
        self.names.merge_wanted.connect(self._on_merge_names)
        self.names.apart_wanted.connect(self._on_tell_apart)
        self.names.chosen.connect(self._on_name_chosen)
        self.names.closed.connect(self._close_names)
        self.side = QStackedWidget()
        self.side.addWidget(self.twin)
        self.side.addWidget(self.names)
        self.time = TimeSlider()
        self.time.moved.connect(self._on_moment)
        self.looks: dict[NodeLook, ChipButton] = {}
        chips = FlowLayout()
        for look in LOOKS:
            chip = ChipButton(LOOK_WORDS[look][1], f"graph.kind.{look.value}", is_on=True)
            chip.toggled.connect(self._on_looks)
            self.looks[look] = chip
            chips.addWidget(chip)
        self.holding = ChipButton("Only current", "graph.holding")
        self.holding.setToolTip("Leave out what was replaced or archived")
        self.strong = ChipButton("Strong links", "graph.strong")
        self.strong.setToolTip("Leave out links of less than half the strength")
        only = QHBoxLayout()
        only.setSpacing(6)
        for chip in (self.holding, self.strong):
            chip.toggled.connect(self._on_only)
            only.addWidget(chip)
        only.addStretch(1)
        for name, icon_name, text in (
            ("nearer", "minus", "Less"), ("deeper", "plus", "More"), ("fit", "monitor", "Fit"),
            ("start", "now", "Now"), ("map", "graph", "Map"),
        ):  # fmt: skip
            only.addWidget(ActionButton(actions.action(f"graph.{name}"), icon_name, kind="quiet", text=text))
        left = QVBoxLayout()
        left.setSpacing(8)
        self.strip = ProgressStrip()
        left.addWidget(self.strip)
        left.addWidget(self.views, 1)
        left.addWidget(self.time)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(chips)
        column.addLayout(only)
        line = QHBoxLayout()
        column.addLayout(line, 1)
        line.setSpacing(14)
        line.addLayout(left, 1)
        line.addWidget(self.side)
        connect = Button("Connect an assistant", "graph.connect", kind="primary", icon_name="apps")
        connect.clicked.connect(self._on_connect)
        self.empty = EmptyState(
            "link",
            "Nothing is linked yet",
            "What you type to your assistants, what is remembered of it, and the files they change will be linked here.",
            (connect,),
        )
        self.pages = QStackedWidget()
        for widget in (QWidget(), page, self.empty):
            self.pages.addWidget(widget)
        self.page = page
        self.body.addWidget(self.pages, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_side()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._was_left = self._was_left or not event.spontaneous()  # a window that is made small was not left

    def _fit_side(self) -> None:
        self.side.setFixedWidth(min(round(WIDTH_EM * font_px()), round(self.width() * _SIDE_SHARE)))

    # -- reading
    @property
    def is_filling(self) -> bool:
        return self.views.currentWidget() is self.map and self.map.is_grouping

    def parts(self) -> tuple[QWidget, ...]:
        return self.views, self.side

    def refresh(self) -> None:
        if self.is_map:
            self.map.open(self.context.selection.scope.project)
        if self._grown_from is not None:
            shown = tuple(one.id for one in self.canvas.view.nodes)
            self._ask(keeps_sight=True, shown=shown, centre=self._grown_from, most=len(shown))
        else:
            self._ask(keeps_sight=self._centre is not None)
        if self._query:
            self._search_later.start()
        if self.side.currentWidget() is self.names:
            self._ask_names()

    @property
    def is_map(self) -> bool:
        return self.views.currentWidget() is self.map

    @property
    def here(self) -> Place:
        """The node in the middle, to return to."""
        if self.is_map:
            return Place("graph", "map")
        return Place("graph", query=self._asked_for.key if self._asked_for is not None else "")

    def visit(self, place: Place) -> None:
        was_left, self._was_left = self._was_left, False
        if was_left and place == Place("graph"):  # the screen alone, from another one: it is as it was left
            self.place_changed.emit(self.here)
            return
        node = _node_of(place)
        if place.kind == "map" and not self.is_map:
            self._show_map(is_map=True)
        elif place.kind != "map" and self.is_map:
            self._show_map(is_map=False)
        if node == self._asked_for:
            return
        self._asked_for = self._centre = self.canvas.selected = node
        self._depth, self._grown_from = 2, None
        if not self.is_dirty:
            self._ask(keeps_sight=False)

    def _start_empty_store(self) -> None:
        self._centre = self._asked_for = self._grown_from = None
        self.canvas.selected = None
        self.mark_dirty()

    def _ask(
        self, *, keeps_sight: bool, shown: tuple[NodeId, ...] = (), centre: NodeId | None = None, most: int = 0
    ) -> None:
        """Reads the picture anew: around the centre, or what matters now."""
        scope, depth = self.context.selection.scope, 1 if shown else self._depth
        wanted, kept = centre or self._centre, self.canvas.places() if keeps_sight else {}
        is_start = self._asked_for is None
        kept = {node: at for node, at in kept.items() if node not in self._pins}

        def read(engine: "Engine") -> Picture:
            if wanted is None:
                view = engine.graph.start(app=scope.app, project=scope.project, depth=depth)
            elif shown:
                view = _grown(engine, wanted, depth, most, shown)
            else:
                view = engine.graph.around(wanted, depth=depth, is_filled=is_start)
            return Picture(view, engine.graph.lay_out(view, kept), keeps_sight, frozenset(engine.graph.pins()))

        self.context.bridge.ask("graph", read, self._on_picture)

    def _show_map(self, *, is_map: bool) -> None:
        self.views.setCurrentWidget(self.map if is_map else self.canvas)
        if is_map:
            self.map.open(self.context.selection.scope.project)
        else:
            self._on_view()
        self._show_selected()

    def _on_map(self) -> None:
        made = self.map.canvas.map
        if not self.is_map or made is None:
            return
        self.pages.setCurrentWidget(self.page)
        self.time.set_times(made.whole.from_at, made.whole.known_at)
        self._count_looks({look: int((made.whole.looks == place).sum()) for place, look in enumerate(MAP_LOOKS)})
        self._show_selected()

    def _on_view(self) -> None:
        nodes = self.canvas.view.nodes
        self.time.set_nodes(nodes)
        self._count_looks(Counter(node.look for node in nodes))

    def _count_looks(self, counts: Mapping[NodeLook, int]) -> None:
        for look, chip in self.looks.items():
            chip.set_text(f"{LOOK_WORDS[look][1]} {counts.get(look, 0):,}")
            chip.setVisible(bool(counts.get(look)))

    def _draw_legend(self) -> None:
        for look, chip in self.looks.items():
            chip.setIcon(look_icon(look))

    def _on_map_chosen(self, chosen: object) -> None:
        """A thing of the map: its links are read for the list."""
        if isinstance(chosen, NodeId):
            self.context.bridge.ask(
                "graph.map.node", lambda engine: engine.graph.around(chosen, depth=1), self._on_map_node
            )
        else:
            self._show_selected()

    def _on_map_node(self, view: GraphView) -> None:
        if self.is_map and view.centre == self.map.canvas.selected:
            node = view.node(view.centre) if view.centre is not None else None
            self.twin.show_node(node, view)
            self._ask_story(node)
            self.twin.more.hide()
            self.abilities_changed.emit()

    def _on_group_walked(self, number: int) -> None:
        group = self.map.canvas.group_of(number)
        if group is not None:
            self.map.canvas.enter(group)
            self._show_selected()

    def _on_map_named(self) -> None:
        if self.is_map:
            self._show_selected()

    def _on_picture(self, picture: Picture) -> None:
        self._centre = self._centre or picture.view.centre
        self.pages.setCurrentWidget(self.page if picture.view.nodes or self.is_map else self.empty)
        self._pins = picture.pins
        self.canvas.set_pins(picture.pins)
        self.canvas.set_view(picture.view, picture.places, keeps_sight=picture.keeps_sight)
        if not self.is_map:
            self._on_view()
        self.twin.show_way("")
        self._show_selected()

    def _show_groups(self, made: GraphMap) -> None:
        """The discs; of one that a person opened what stands out in it."""
        canvas = self.map.canvas
        group = canvas.group_of(canvas.group)
        if group is None or not canvas.is_entered(group):
            self.twin.show_groups(made.groups, canvas.group)
            return
        members, said = canvas.members(group), f"{group.title}: {canvas.count_words(group)}"
        self.twin.show_members(group, members, said, has_more=canvas.has_more(group))

    def _show_selected(self) -> None:
        made = self.map.canvas.map
        if self.is_map and made is not None:
            if self.map.canvas.selected is None and not self._query:
                self._show_groups(made)
            self.set_status(f"{counted(made.count, 'thing')} in {counted(len(made.groups), 'group')}")
            self.abilities_changed.emit()
            return
        node = self.selected
        if not self._query:
            self.twin.show_node(node, self.canvas.view)
            self._ask_story(node)
        centre = self.canvas.view.node(self._centre) if self._centre is not None else None
        shown = counted(len(self.canvas.view.nodes), "thing")
        self.set_status(f"Around “{name_of(centre)}” · {shown}" if centre is not None else "")
        self.abilities_changed.emit()

    def _ask_story(self, node: GraphNode | None) -> None:
        """Reads what there is to tell of a memory."""
        if node is None or node.id.kind is not NodeKind.MEMORY:
            return
        wanted = node.id
        self.context.bridge.ask("graph.story", lambda engine: read_story(engine, wanted), self.twin.show_story)

    @property
    def selected(self) -> GraphNode | None:
        """What is shown whole beside the picture, and what keys and buttons act on."""
        if self._query:
            return self._found
        return self.canvas.view.node(self.canvas.selected) if self.canvas.selected is not None else None

    # -- searching
    def search(self, text: str) -> None:
        self._query = text.strip()
        self._found, self._is_found, self._goes_on = None, False, False
        self._search_later.start()

    def _on_return(self) -> None:
        """To the best hit; to the list of them goes Down."""
        if not self._is_found:
            self._goes_on = bool(self._query)
            return
        wanted = self._found.id if self._found is not None else self.twin.first_row()
        if wanted is not None:
            self.focus_on(wanted)

    def _search_now(self) -> None:
        query = self._query
        if not query:
            self._show_selected()
            return
        self.context.bridge.ask("graph.find", lambda engine: engine.graph.find(query), self._on_found)

    def _on_found(self, nodes: tuple[GraphNode, ...]) -> None:
        if self._query:
            self._found = self.twin.show_found(nodes, self._query)
            self._ask_story(self._found)
            self._is_found = True
            self.abilities_changed.emit()
            if self._goes_on:
                self._on_return()

    # -- walking
    def focus_on(self, node: NodeId) -> None:
        """Makes it the middle of the picture, as a place that Back returns from."""
        self.header.set_query("")
        self.context.navigate(Place("graph", query=node.key))

    def _on_walked(self, node: NodeId) -> None:
        if self._query or self.is_map or self.canvas.view.node(node) is None:
            self._query = ""
            self.focus_on(node)
        else:
            self.canvas.choose(node)

    def _on_chosen(self, node: NodeId | None) -> None:
        if self._query and node is not None:  # whoever goes on in the picture has left the search
            self._query = ""
            self.header.set_query("")
        self._show_selected()

    def _show_more(self) -> None:
        group = self.map.canvas.group_of(self.map.canvas.group) if self.is_map else None
        if group is not None:
            self.map.canvas.show_more(group)
            self._show_selected()
            return
        node = self.canvas.selected
        if node is not None:
            shown = tuple(one.id for one in self.canvas.view.nodes)
            self._grown_from = node
            self._ask(keeps_sight=True, shown=shown, centre=node, most=len(shown) + MORE_NODES)

    def _on_looks(self, _is_on: bool) -> None:
        off = frozenset(look for look, chip in self.looks.items() if not chip.isChecked())
        self.canvas.set_off(off)
        self.map.canvas.set_off(off)

    def _on_only(self, _is_on: bool) -> None:
        for canvas in (self.canvas, self.map.canvas):
            canvas.set_only(holds=self.holding.isChecked(), is_strong=self.strong.isChecked())

    def _on_moment(self, moment: object) -> None:
        if self.is_map:
            self.map.canvas.set_moment(moment)  # type: ignore[arg-type]  # a signal carries objects
            self.time.set_shown(self.map.canvas.shown_count)
            return
        self.canvas.set_moment(moment)  # type: ignore[arg-type]  # a signal carries objects
        self.time.set_shown(len(self.canvas.shown_nodes))

    def _on_message_wanted(self, message_id: int) -> None:
        self.context.navigate(Place("conversations", "message", message_id))

    def _on_connect(self) -> None:
        self.context.navigate(Place("apps"))

    # -- doing
    def abilities(self) -> frozenset[str]:
        if self.is_map:
            able = {
                f"graph.{name}"
                for name in ("map", "fit", "start", "arrange", "copy", "export", "names", "open_all", "rebuild")
            }
            group = self.map.canvas.group_of(self.map.canvas.group)
            able |= {"graph.fold"} if group is not None else set()
            able |= {"graph.more"} if group is not None and self.map.canvas.has_more(group) else set()
            if self._query and self._found is not None:
                able |= {"graph.focus"} | _own_abilities(self._found)
            made, chosen = self.map.canvas.map, self.map.canvas.selected
            return frozenset(able | ({"graph.unpin"} if made is not None and chosen in made.pinned else set()))
        able = {f"graph.{name}" for name in _WITH_NODES} if self.canvas.view.nodes else set[str]()
        if self.canvas.view.nodes:
            able |= {"graph.deeper"} if self._depth + 1 in DEPTHS else set()
            able |= {"graph.nearer"} if self._depth - 1 in DEPTHS else set()
        link = self.twin.link
        if link is not None:
            able |= set() if is_judged(link) or not can_reject(link) else {"graph.accept_link"}
            able |= {"graph.reject_link"} if can_reject(link) else set()
        node = self.selected
        if node is not None and self._query:
            able |= {"graph.focus"} | _own_abilities(node)
        elif node is not None:
            able |= {"graph.focus", "graph.second"} | _own_abilities(node)
            if self.canvas.second not in (None, node.id):
                able |= {"graph.path", "graph.link"}
            able |= {"graph.unpin"} if node.id in self._pins else set()
            if self._open_contradiction(node.id):
                able.add("graph.resolve")
            if self.canvas.view.hidden.get(node.id):
                able.add("graph.more")
        return frozenset(able)

    def run(self, action_id: str) -> None:
        node = self.selected
        if self.is_map and self._run_on_map(action_id):
            return
        match action_id:
            case "graph.fit":
                self.canvas.fit()
            case "graph.deeper" | "graph.nearer":
                self._depth += 1 if action_id == "graph.deeper" else -1
                self._grown_from = None
                self._ask(keeps_sight=False)
            case "graph.path":
                self._find_way()
            case "graph.accept_link" | "graph.reject_link":
                self._judge_link(is_accepted=action_id == "graph.accept_link")
            case _ if node is not None and action_id not in _OF_PICTURE:
                self._run_on(action_id, node)
            case _:
                self._run_on_picture(action_id)

    def _run_on_map(self, action_id: str) -> bool:
        """Whether it is something else on the map than in a part."""
        canvas = self.map.canvas
        group = canvas.group_of(canvas.group)
        match action_id:
            case "graph.map":
                self.context.navigate(Place("graph", query=self._centre.key if self._centre is not None else ""))
            case "graph.fit":
                canvas.fit()
            case "graph.arrange":
                self.map.arrange()
            case "graph.open_all":
                canvas.fold_all(is_open=not canvas.has_opened)
            case "graph.unpin" if canvas.selected is not None:
                wanted = canvas.selected
                self.context.bridge.do("graph.unpin", lambda engine: engine.graph.unpin([wanted], is_on_map=True))
            case "graph.fold" if group is not None:
                canvas.fold(group, is_open=not canvas.is_open(group))
                self._show_selected()
            case "graph.copy":
                QGuiApplication.clipboard().setPixmap(canvas.grab())
                self.context.notify(Notice("Copied the picture", NoticeKind.GOOD))
            case _:
                return False
        return True

    def _run_on_picture(self, action_id: str) -> None:
        match action_id:
            case "graph.map":
                self.context.navigate(Place("graph", "map"))
            case "graph.start":
                self._show_map(is_map=False)
                self._start_empty_store()
                self.place_changed.emit(Place("graph"))
            case "graph.arrange":
                self._ask(keeps_sight=False, shown=tuple(one.id for one in self.canvas.view.nodes))
            case "graph.copy":
                QGuiApplication.clipboard().setPixmap(self.canvas.grab())
                self.context.notify(Notice("Copied the picture", NoticeKind.GOOD))
            case "graph.export":
                open_graph_dialog(self).fileSelected.connect(self.write)
            case "graph.rebuild":
                self.strip.begin(REBUILD_JOB, "Rebuilding the graph")
                self.context.bridge.start(REBUILD_JOB, _rebuild)
            case "graph.names":
                self.side.setCurrentWidget(self.names)
                self._ask_names()
                self.names.list.setFocus()

    def _run_on(self, action_id: str, node: GraphNode) -> None:
        match action_id:
            case "graph.open" if node.id.kind in _SCREENS:
                self.context.navigate(Place(*_SCREENS[node.id.kind], node.id.number))
            case "graph.focus":
                self.focus_on(node.id)
            case "graph.resolve":
                number = self._open_contradiction(node.id)
                self.context.navigate(Place("contradictions", "contradiction", number or None))
            case "graph.more":
                self._show_more()
            case "graph.edit":
                self.twin.edit()
            case "graph.unpin":
                wanted = node.id
                self.context.bridge.do("graph.unpin", lambda engine: engine.graph.unpin([wanted]))
            case "graph.link" if self.canvas.second is not None:
                self._on_joined(self.canvas.second, node.id)
            case "graph.second":
                self.canvas.second = None if self.canvas.second == node.id else node.id
                self.twin.show_way(
                    "" if self.canvas.second is None else f"From “{name_of(node)}” to … select the other end."
                )
                self.canvas.update()
                self.abilities_changed.emit()

    def _open_contradiction(self, node: NodeId) -> int:
        """The number of one that nobody has decided; 0 for none."""
        links = (link for link in self.canvas.view.links if node in (link.a, link.b) and link.is_open)
        return next((link.contradiction_id or 0 for link in links), 0)

    def _find_way(self) -> None:
        first, second = self.canvas.second, self.canvas.selected
        if first is None or second is None:
            return
        self.context.bridge.ask("graph.path", lambda engine: engine.graph.path(first, second), self._on_way)

    def _on_way(self, path: GraphPath | None) -> None:
        if path is None:
            self.twin.show_way(_NO_WAY)
            return
        self.twin.show_way(path_sentence(path))
        self.canvas.set_path(tuple(node.id for node in path.nodes))

    def write(self, name: str) -> None:
        """Writes what is seen to a file that the person chose: a picture, or a format of other tools."""
        path, view = Path(name), self.canvas.view
        kinds = frozenset(node.id for node in self.canvas.shown_nodes)
        seen = replace(
            view,
            nodes=self.canvas.shown_nodes,
            links=tuple(link for link in view.links if {link.a, link.b} <= kinds),
        )
        picture = picture_of(self.map.canvas if self.is_map else self.canvas, path.suffix)

        def do(engine: "Engine") -> str:
            if picture:
                engine.graph.write_picture(picture, path, is_replacing=True)  # the dialog has asked
            else:
                engine.graph.export(seen, path, is_replacing=True)
            return path.name

        self.context.bridge.ask("graph.export", do, self._on_written)

    def _on_written(self, name: str) -> None:
        self.context.notify(Notice(f"Wrote {name}", NoticeKind.GOOD))

    # -- links
    def _judge_link(self, *, is_accepted: bool) -> None:
        link = self.twin.link
        if link is None:
            return
        a, b, relation = link.a, link.b, link.relation
        if is_accepted:
            self.context.bridge.do("graph.accept_link", lambda engine: engine.graph.accept(a, b, relation))
        else:
            self.context.bridge.do("graph.reject_link", lambda engine: engine.graph.reject(a, b, relation))

    def _on_link_edited(self, link: GraphLink) -> None:
        self.context.bridge.do(
            "graph.link",
            lambda engine: engine.graph.draw(link.a, link.b, link.relation, strength=link.strength, reason=link.reason),
        )

    def _on_joined(self, dragged: NodeId, target: NodeId) -> None:
        """One thing was dropped on another, or both were chosen by keyboard: says what can be made of the two."""
        menu = QMenu(self)
        menu.setObjectName("graph.joined")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for relation in drawn_relations(dragged, target):
            action = menu.addAction(f"Link: {RELATION_WORDS[relation][0]}")
            action.setData((dragged, target, relation))
        if {dragged.kind, target.kind} == {NodeKind.MEMORY}:
            menu.addSeparator()
            menu.addAction("Merge into one").setData((dragged, target, None))
        if {dragged.kind, target.kind} == {NodeKind.ENTITY}:
            menu.addSeparator()
            menu.addAction("They are one thing").setData((dragged, target, None))
        menu.triggered.connect(self._on_join_chosen)
        menu.popup(self.canvas.mapToGlobal(self.canvas.place_of(target).toPoint()))

    def _on_join_chosen(self, action: object) -> None:
        first, second, relation = action.data()  # type: ignore[attr-defined]  # a signal carries objects
        if relation is None and first.kind is NodeKind.ENTITY:
            self._on_merge_names((second, first))
        elif relation is None:
            ids = (second.number, first.number)
            self.context.bridge.do("memory.merge", lambda engine: engine.memories.merge(ids, keep_id=second.number))
        else:
            self.context.bridge.do("graph.link", lambda engine: engine.graph.draw(first, second, relation))

    def _on_edited(self, node: NodeId, text: str) -> None:
        if node.kind is NodeKind.MEMORY:
            self.context.bridge.do(
                "memory.edit", lambda engine: engine.memories.edit(node.number, MemoryEdit(full=text))
            )
        else:
            self.context.bridge.do(
                "conversation.rename", lambda engine: engine.conversations.rename(node.number, " ".join(text.split()))
            )

    # -- names of one thing
    def _ask_names(self) -> None:
        self.context.bridge.ask("graph.names", lambda engine: engine.graph.same_names(), self.names.show_proposals)

    def _close_names(self) -> None:
        self.side.setCurrentWidget(self.twin)
        self.canvas.setFocus()

    def _on_name_chosen(self, node: NodeId) -> None:
        if self.canvas.view.node(node) is not None:
            self.canvas.choose(node)

    def _on_merge_names(self, pair: tuple[NodeId, NodeId]) -> None:
        keep, gone = pair
        if self._centre == gone:
            self._centre = keep
        self.context.bridge.do("graph.names", lambda engine: engine.graph.merge_names(keep.number, gone.number))

    def _on_tell_apart(self, pair: tuple[NodeId, NodeId]) -> None:
        first, second = pair
        self.context.bridge.do("graph.names", lambda engine: engine.graph.tell_apart(first.number, second.number))

    # -- places
    def _on_placed(self, node: NodeId) -> None:
        places = {node: self.canvas.places()[node]}
        self.context.bridge.do("graph.pin", lambda engine: engine.graph.pin(places))

    def _on_map_placed(self, node: NodeId, place: tuple[float, float]) -> None:
        self.context.bridge.do("graph.pin", lambda engine: engine.graph.pin({node: place}, is_on_map=True))

    # -- working it out anew
    def _on_rebuilt(self, done: JobDone) -> None:
        if done.job_id != REBUILD_JOB:
            return
        self.strip.finish(REBUILD_JOB)
        if not isinstance(done.value, GraphRebuilt):
            self.context.notify(Notice("Stopped: what was not rebuilt is as it was"))
            return
        found = counted(done.value.link_count, "found link")
        said = f"{done.value.added_count:,} new, {done.value.removed_count:,} gone"
        self.context.notify(Notice(f"Rebuilt the graph: {found} ({said})", NoticeKind.GOOD))
        self.mark_dirty()

    def _on_rebuild_failed(self, failure: Failure) -> None:
        self.strip.finish(failure.action_id)

    def _on_menu(self, _node: NodeId, at: QPoint) -> None:
        menu = QMenu(self)
        for name in ("open", "focus", "more", "resolve", "second", "path", "link", "unpin"):
            action = self.context.actions.action(f"graph.{name}")
            if action.isEnabled():
                menu.addAction(action)
        menu.popup(at)


def _own_abilities(node: GraphNode) -> set[str]:
    """What can be done with it wherever it is shown."""
    able = {"graph.open"} if node.id.kind in _SCREENS else set[str]()
    return able | ({"graph.edit"} if node.id.kind in EDITED_KINDS else set())


def _rebuild(job: Job) -> GraphRebuilt | None:
    def tell(step: str, done: int, total: int) -> None:
        job.progress(Progress(REBUILD_JOB, step, done, total))

    return job.engine.graph.rebuild(is_cancelled=job.cancel.is_set, tell=tell)


def _grown(engine: "Engine", node: NodeId, depth: int, most: int, shown: tuple[NodeId, ...]) -> GraphView:
    """The picture with the neighbours of a node added; around another shown node if that one no longer exists."""
    for one in (node, *shown):
        try:
            return engine.graph.around(one, depth=depth, most=most, shown=shown)
        except NotFoundError:
            continue
    return engine.graph.start()


def _node_of(place: Place) -> NodeId | None:
    """The node that a place asks for; None for the screen alone, and for what names none."""
    if place.object_id is not None and place.kind in {kind.value for kind in NodeKind}:
        return NodeId(NodeKind(place.kind), place.object_id)
    try:
        return NodeId.parse(place.query) if place.query else None
    except ValueError:
        return None
