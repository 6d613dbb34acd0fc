"""The knowledge graph: what is around a thing, what to begin with, the way between two. Source: DESIGN section 6, UX 4.5."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from sqlalchemy import Connection

from app.api.clean_arguments import cleans_arguments
from app.api.core import Core
from app.consolidation.plan_process import PlanCancelledError
from app.consolidation.snapshot import WorkDays
from app.consolidation.step_interface import PlanContext
from app.deciders.graph.layout import lay_out
from app.deciders.recall.rules import load_recall_rules
from app.errors import InvalidError, NotFoundError
from app.graph.entity_merging import keep_apart, merge_entities, propose_same, unmerge_name
from app.graph.manual_links import cut_link, draw_link, judge_link, pin_nodes, unlink, unpin_nodes
from app.graph.project_map import load_map, make_map
from app.graph.rebuilding import find_all_links, rebuild_maps, replace_found_links
from app.graph.traversal import find_path, load_around
from app.language.token_counts import is_word
from app.places import check_path
from app.store.rows.graph import find_nodes, find_quoted, find_start, load_nodes, load_pins
from app.transfer.export_file import write_export
from app.transfer.graph_file import to_canvas, to_graphml, to_json, to_notes
from app.values import Origin, RecallQuery
from app.values.graph import (
    GraphNode,
    GraphPath,
    GraphRebuilt,
    GraphView,
    NodeId,
    NodeKind,
    NodeLook,
    Relation,
    SameProposal,
)
from app.values.graph_map import GraphMap

AROUND_MOST = 40  # nodes of a calm picture
START_LEAST = 14  # nodes of a first picture, where there are so many
DEPTH_MOST = 4
FOUND_MOST = 8  # of each kind
_WORD = re.compile(r"\w+(?:[.+#/_-]+\w+)*[+#]*")


@cleans_arguments
class GraphApi:
    """Thread-safe."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def start(self, *, app: str = "", project: str = "", depth: int = 2) -> GraphView:
        """What matters now: around the active conversation, else the newest memory. Empty when there is nothing yet.

        Where little is around it, a ring more, so that there is something to walk.
        """
        with self._core.store.read_for_caller() as connection:
            centre = find_start(connection, app=app, project=project)
            if centre is None:
                return GraphView()
            return _load_filled(connection, centre, depth)

    def around(
        self,
        centre: NodeId,
        *,
        depth: int = 2,
        most: int = AROUND_MOST,
        shown: Sequence[NodeId] = (),
        is_filled: bool = False,
    ) -> GraphView:
        """What is around `centre`, and what was `shown` before; `is_filled`: a ring more where that is little, as `start` does. Raises NotFoundError when it is no more."""
        if is_filled:
            view = self._core.read(_load_filled, centre, depth)
        else:
            view = self._core.read(
                load_around, (centre,), depth=min(depth, DEPTH_MOST), most=max(most, len(shown) + 1), shown=shown
            )
        if view.centre is None:
            raise NotFoundError("That is no longer kept.", hint="Search for another place to start from.")
        return view

    def lay_out(
        self, view: GraphView, kept: Mapping[NodeId, tuple[float, float]] | None = None
    ) -> dict[NodeId, tuple[float, float]]:
        """A place for each node of the view, in lengths of a link; what is `kept`, or pinned, stays where it is."""
        kept = {**(kept or {}), **self.pins()}
        order = {node.id: index for index, node in enumerate(view.nodes)}
        links = [(order[link.a], order[link.b]) for link in view.links]
        places = lay_out(len(order), links, {order[one]: at for one, at in kept.items() if one in order})
        return {node: (float(places[index, 0]), float(places[index, 1])) for node, index in order.items()}

    def export(self, view: GraphView, path: Path, *, is_replacing: bool = False) -> int:
        """Writes the view as the ending of `path` says; returns how many files it made.

        `.graphml`, `.canvas` (JSON Canvas), `.json`, or a folder that exists: a Markdown note for each node, joined by wikilinks.
        Raises InvalidError for another ending, for a place of our own, and for a file that is there unless `is_replacing`; DiskProblem.
        """
        check_path(path)
        if path.is_dir():
            notes = [(path / name, text) for name, text in to_notes(view)]
        else:
            notes = [(path, self._text_of(view, path))]
        for target, text in notes:
            write_export(self._core.places, target, [text.encode("utf-8", "replace")], is_replacing=is_replacing)
        return len(notes)

    def write_picture(self, picture: bytes, path: Path, *, is_replacing: bool = False) -> None:
        """Writes a picture that the window made; where and how as `export`."""
        write_export(self._core.places, path, [picture], is_replacing=is_replacing)

    def _text_of(self, view: GraphView, path: Path) -> str:
        match path.suffix.lower():
            case ".graphml":
                return to_graphml(view)
            case ".canvas":
                return to_canvas(view, self.lay_out(view))
            case ".json":
                return to_json(view)
        raise InvalidError(
            f"“{path.name}” has an ending that is not known.",
            hint="Use .graphml, .canvas or .json, or name a folder that exists for Markdown notes.",
        )

    def find(self, query: str) -> tuple[GraphNode, ...]:
        """What a person may mean by these words: memories by search, statements before the rest of them, the others by name."""
        words = " ".join(query.split())[:200]
        if not words:
            return ()
        asked = RecallQuery(words, limit=FOUND_MOST, is_counted=False, is_suggesting=False)
        memories = [NodeId(NodeKind.MEMORY, hit.card.id) for hit in self._core.recall.search(asked).hits if hit.card.id]
        with self._core.store.read_for_caller() as connection:
            named, said = find_nodes(connection, words, FOUND_MOST), _content_of(words)
            if not named and said:
                named = find_nodes(connection, " ".join(said), FOUND_MOST)
            if not memories:  # what was decided against is only in the person's own words
                memories = find_quoted(connection, said, FOUND_MOST)
            wanted = [*memories, *named]
            nodes = load_nodes(connection, wanted)
        found = [nodes[one] for one in wanted if one in nodes]
        return tuple(
            sorted(found, key=lambda node: (node.id.kind is not NodeKind.MEMORY, node.look is NodeLook.EPISODE))
        )

    def path(self, start: NodeId, goal: NodeId) -> GraphPath | None:
        """The shortest way between two things; None where there is none."""
        return self._core.read(find_path, start, goal)

    # what a person says about links ----------------------------------------------------------------

    def draw(self, a: NodeId, b: NodeId, relation: Relation, *, strength: float = 0.8, reason: str = "") -> int:
        """Joins two things as the person says; returns the link's number. Raises InvalidError, NotFoundError."""
        return self._core.act(
            "draw_link", draw_link, a, b, relation, strength=strength, reason=self._clean_text(reason)
        )

    def cut(self, link_id: int) -> None:
        """Takes a stored link away; a run may find it again, unlike one that was rejected."""
        self._core.act("cut_link", cut_link, link_id)

    def unlink(self, a: NodeId, b: NodeId, relation: Relation) -> int:
        """Takes the stored links of this kind between the two away; returns how many. Raises NotFoundError where there is none."""
        return self._core.act("cut_link", unlink, a, b, relation)

    def accept(self, a: NodeId, b: NodeId, relation: Relation) -> None:
        """The person says that this link holds: what a run found is theirs from now on."""
        self._judge(a, b, relation, is_accepted=True)

    def reject(self, a: NodeId, b: NodeId, relation: Relation) -> None:
        """The person says that this link does not hold: it is shown no more, and no run proposes it again."""
        self._judge(a, b, relation, is_accepted=False)

    # the map ---------------------------------------------------------------------------------------

    def map(self, project: str = "") -> GraphMap | None:
        """The map of a project (name or folder), of everything when none is named, as it was kept; None when there is none yet.

        One that is not fresh any more is given all the same: `make_map` makes it again.
        """
        return self._core.read(load_map, self._core.places.graph_dir, project)

    def make_map(self, project: str = "", *, is_cancelled: Callable[[], bool] = lambda: False) -> GraphMap | None:
        """A fresh map; what has a place keeps it while few things are new. Seconds for tens of thousands of things.

        None when `is_cancelled` said so.
        """
        with suppress(PlanCancelledError), self._core.store.read_for_caller() as connection:
            return make_map(connection, self._core.places.graph_dir, project, is_cancelled=is_cancelled)
        return None

    def arrange_map(self, project: str = "", *, is_cancelled: Callable[[], bool] = lambda: False) -> GraphMap | None:
        """A map laid out from the beginning, whatever was kept."""
        with suppress(PlanCancelledError), self._core.store.read_for_caller() as connection:
            return make_map(
                connection, self._core.places.graph_dir, project, is_from_scratch=True, is_cancelled=is_cancelled
            )
        return None

    def rebuild(
        self,
        *,
        is_cancelled: Callable[[], bool] = lambda: False,
        tell: Callable[[str, int, int], None] = lambda _step, _done, _total: None,
    ) -> GraphRebuilt | None:
        """Computes all derived parts again: found links, and the maps that are kept. What a person drew, judged, merged or placed stays.

        `tell`: step, done, of how many. None when `is_cancelled` said so: then no link has changed, unless the maps had begun.
        """
        core = self._core
        context = PlanContext(core.store.clock.now(), core.current, WorkDays({}, ()))
        with suppress(PlanCancelledError):
            with core.store.read_for_caller() as connection:
                found = find_all_links(
                    connection, context, core.recall.find_alike, is_cancelled=is_cancelled, tell=tell
                )
            with core.store.write(origin=Origin.PERSON, kind="rebuild_graph", label="") as write:
                added, removed = replace_found_links(write, found)
            with core.store.read_for_caller() as connection:
                count = rebuild_maps(connection, core.places.graph_dir, is_cancelled=is_cancelled, tell=tell)
            return GraphRebuilt(len(found), added, removed, count)
        return None

    def cards(self, nodes: Sequence[NodeId]) -> dict[NodeId, GraphNode]:
        """What these are; those that are no more are left out."""
        return self._core.read(load_nodes, nodes)

    # places ----------------------------------------------------------------------------------------

    def pins(self) -> dict[NodeId, tuple[float, float]]:
        """Where the person put things in parts of the graph, in lengths of a link; the map has its own (`GraphMap.pinned`)."""
        return self._core.read(load_pins)

    def pin(self, places: Mapping[NodeId, tuple[float, float]], *, is_on_map: bool = False) -> None:
        """Keeps where the person put these. Raises InvalidError, NotFoundError."""
        self._core.act("pin_node", pin_nodes, places, is_on_map=is_on_map)

    def unpin(self, nodes: Sequence[NodeId], *, is_on_map: bool = False) -> None:
        """Lets them go where the picture puts them."""
        self._core.act("unpin_node", unpin_nodes, nodes, is_on_map=is_on_map)

    # one thing, one node ---------------------------------------------------------------------------

    def same_names(self) -> tuple[SameProposal, ...]:
        """Names that may mean one thing, the surest first, each with its evidence and where it was said. Changes nothing."""
        return self._core.read(propose_same, is_word)

    def merge_names(self, keep_id: int, gone_id: int) -> None:
        """Makes one thing of two, by their numbers; the other name is an alias from now on. Raises InvalidError, NotFoundError."""
        self._core.act("merge_names", merge_entities, keep_id, gone_id)

    def unmerge_name(self, name: str) -> int:
        """Makes a thing of its own again of a name that was merged into another; returns its number. Raises NotFoundError."""
        return self._core.act("unmerge_name", unmerge_name, " ".join(name.split()))

    def tell_apart(self, first_id: int, second_id: int) -> None:
        """The person says that two names are two things: they are never proposed again. Raises NotFoundError."""
        self._core.act("tell_apart", keep_apart, first_id, second_id)

    def _judge(self, a: NodeId, b: NodeId, relation: Relation, *, is_accepted: bool) -> None:
        self._core.act("judge_link", judge_link, a, b, relation, is_accepted=is_accepted)

    def _clean_text(self, text: str) -> str:
        return self._core.inbox.clean_text(text, self._core.current)


def _content_of(query: str) -> list[str]:
    """The words of a question that say what it is about."""
    stop_words = load_recall_rules().stop_words
    return [word for word in _WORD.findall(query.lower()) if word not in stop_words]


def _load_filled(connection: Connection, centre: NodeId, depth: int) -> GraphView:
    view = GraphView()
    for rings in range(min(depth, DEPTH_MOST), DEPTH_MOST + 1):
        view = load_around(connection, (centre,), depth=rings, most=AROUND_MOST)
        if len(view.nodes) >= START_LEAST or depth == 1:
            break
    return view
