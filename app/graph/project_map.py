"""The map of a whole project: read, grouped, laid out, kept in a file, and named where somebody looks.

Grouping and layout of much are computed in a process of their own, which answers with numbers; the file has numbers only, no word of a
person (a file of a project is known again by the hash of its path). What is there is shown at once, also when it is no longer fresh:
whoever shows it asks for a fresh one behind. Places are kept: while few things are new, only they get a place.
Source: UX 4.5 "the map", "Positions are kept"; issue 18 "never on a hairball".
"""

import hashlib
import io
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from app.consolidation.plan_process import plan_in_child
from app.deciders.graph.map_layout import group_nodes, lay_out_map
from app.places import write_private
from app.store.rows.graph import load_nodes, load_pins
from app.store.rows.whole_graph import load_project_names, load_whole, read_file_names, read_mark
from app.values.graph import NodeId, NodeKind
from app.values.graph_map import KINDS, GraphMap, MapGroup, WholeGraph

GROUPS_MOST = 36  # discs of a calm picture; the smaller communities share one
IN_PLACE_MOST = 3_000  # nodes that are laid out in this process
_NEW_SHARE = 0.1  # more new things than this, and all is laid out again
_NAMES = 2  # of a disc
_TITLE_CHARS = 28
OTHERS, ALONE = "Small groups", "Linked with nothing"
_COLUMNS = (
    "kinds",
    "looks",
    "numbers",
    "from_at",
    "until_at",
    "known_at",
    "is_closed",
    "edges",
    "weights",
    "conflicts",
)
_SPACE = 0.62


def map_path(folder: Path, project: str) -> Path:
    """Where the map of a project is kept."""
    name = hashlib.blake2b(project.encode(), digest_size=8).hexdigest() if project else "all"
    return folder / f"map-{name}.bin"


def kept_projects(connection: Connection, folder: Path) -> list[str]:
    """Of which projects a map is kept, by name; first "", everything. A map of a project that is no more goes."""
    named = {map_path(folder, name).name: name for name in load_project_names(connection)}
    found = sorted(path.name for path in folder.glob("map-*.bin")) if folder.is_dir() else []
    for name in found:
        if name not in named and name != map_path(folder, "").name:
            (folder / name).unlink(missing_ok=True)
    return ["", *(named[name] for name in found if name in named)]


def load_map(connection: Connection, folder: Path, project: str = "") -> GraphMap | None:
    """The map as it was kept, fresh or not; None when there is none, or one that is not read any more."""
    kept = _read(map_path(folder, project))
    if kept is None:
        return None
    whole = _whole_of(kept, load_file_names(connection))
    is_fresh = tuple(kept["mark"].tolist()) == read_mark(connection)
    return _named(connection, whole, kept["places"], kept["group_of"], kept["discs"], is_fresh=is_fresh)


def make_map(
    connection: Connection,
    folder: Path,
    project: str = "",
    *,
    is_from_scratch: bool = False,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> GraphMap:
    """A fresh map, kept in its file; `is_from_scratch`: laid out from the beginning, whatever was kept. Raises PlanCancelledError."""
    mark = read_mark(connection)
    whole = load_whole(connection, project)
    kept = None if is_from_scratch else _read(map_path(folder, project))
    known = None if kept is None else _known_places(whole, _whole_of(kept, load_file_names(connection)), kept)
    places, group_of, discs = _arranged(whole, known, is_cancelled)
    _write(map_path(folder, project), whole, mark, places, group_of, discs)
    return _named(connection, whole, places, group_of, discs, is_fresh=True)


Known = tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]  # places (nan: new), groups (-1: new), discs


def _arranged(whole: WholeGraph, known: Known | None, is_cancelled: Callable[[], bool]) -> Known:
    count = len(whole.kinds)
    if count == 0:
        return np.zeros((0, 2)), np.zeros(0, np.int32), np.zeros((0, 3))
    if known is not None and np.isnan(known[0][:, 0]).mean() <= _NEW_SHARE:
        return place_new(whole.edges, known)
    question = (count, whole.edges, whole.weights)
    if count <= IN_PLACE_MOST:
        (answer,) = arrange(question, None)
    else:
        (answer,) = plan_in_child(arrange, question, None, is_cancelled)
    made: Known = answer
    return made


def arrange(question: tuple[int, NDArray[np.int64], NDArray[np.float64]], _reading: Any) -> Sequence[Known]:
    """Groups and places; a module's own function, so that a child process can run it."""
    count, edges, weights = question
    found = group_nodes(count, edges, weights)
    groups = _few(found)
    made = lay_out_map(groups, edges, group_count=int(groups.max()) + 1)
    discs = np.column_stack([made.centres, made.radii])
    return [(made.places, groups, discs)]


def _few(found: NDArray[np.int32]) -> NDArray[np.int32]:
    """Communities beyond the largest share a disc, and what is linked with nothing has one of its own."""
    groups = np.where(found >= GROUPS_MOST, GROUPS_MOST, found)
    alone = int(groups.max(initial=-1)) + 1
    return np.where(groups < 0, alone, groups).astype(np.int32)


def place_new(edges: NDArray[np.int64], known: Known) -> Known:
    """What is new comes beside what it is linked with; nothing else moves."""
    places, groups, discs = known[0].copy(), known[1].copy(), known[2].copy()
    new = np.flatnonzero(np.isnan(places[:, 0]))
    ends = np.concatenate([edges, edges[:, ::-1]])
    for row in new.tolist():
        beside = ends[ends[:, 0] == row, 1]
        beside = beside[groups[beside] >= 0]
        groups[row] = np.bincount(groups[beside]).argmax() if len(beside) else len(discs) - 1
        near = places[beside[groups[beside] == groups[row]]] if len(beside) else np.zeros((0, 2))
        middle = near.mean(0) if len(near) else discs[groups[row], :2]
        turn = row * 2.399963
        places[row] = middle + _SPACE * np.array([np.cos(turn), np.sin(turn)])
        out = places[row] - discs[groups[row], :2]
        far = float(np.hypot(*out))
        places[row] = discs[groups[row], :2] + out * min(1.0, (discs[groups[row], 2] - 0.4) / max(far, 1e-9))
    return places, groups, discs


def _known_places(whole: WholeGraph, before: WholeGraph, kept: dict[str, NDArray[Any]]) -> Known:
    """Where each node stood; nan for what is new."""
    row_of = {before.node(row): row for row in range(len(before.kinds))}
    rows = np.array([row_of.get(whole.node(row), -1) for row in range(len(whole.kinds))], dtype=np.int64)
    places = np.full((len(rows), 2), np.nan)
    groups = np.full(len(rows), -1, dtype=np.int32)
    is_known = rows >= 0
    places[is_known], groups[is_known] = kept["places"][rows[is_known]], kept["group_of"][rows[is_known]]
    return places, groups, kept["discs"]


# names -----------------------------------------------------------------------------------------------


def _named(
    connection: Connection,
    whole: WholeGraph,
    places: NDArray[np.float64],
    group_of: NDArray[np.int32],
    discs: NDArray[np.float64],
    *,
    is_fresh: bool,
) -> GraphMap:
    """The map with what each disc is called: by what in it has most links there and few elsewhere, names first; what a person put somewhere is there."""
    pins = load_pins(connection, is_on_map=True)
    places, pinned = _pinned(whole, places, pins)
    degrees = np.bincount(whole.edges.ravel(), minlength=len(whole.kinds))
    inner = whole.edges[group_of[whole.edges[:, 0]] == group_of[whole.edges[:, 1]]]
    inside_of = np.bincount(inner.ravel(), minlength=len(whole.kinds))
    weight = (
        inside_of
        * inside_of
        / np.maximum(degrees, 1)
        * np.array([_WORTH.get(kind, 1.0) for kind in KINDS])[whole.kinds]
    )
    order = np.lexsort((-weight, group_of))
    starts = np.searchsorted(group_of[order], np.arange(len(discs) + 1))
    first = [[int(row) for row in order[starts[one] : starts[one + 1]][:_NAMES]] for one in range(len(discs))]
    nodes = load_nodes(connection, (whole.node(row) for rows in first for row in rows))
    counts = np.bincount(group_of, minlength=len(discs))
    inside = np.bincount(group_of, degrees, minlength=len(discs))
    groups = []
    for number, (x, y, radius) in enumerate(discs.tolist()):
        titles = [" ".join(nodes[node].title.split()) for row in first[number] if (node := whole.node(row)) in nodes]
        title = " · ".join(_short(one) for one in titles)
        if number == GROUPS_MOST and inside[number]:
            title = OTHERS
        elif not inside[number]:
            title = ALONE
        groups.append(MapGroup(number, title, int(counts[number]), x, y, radius))
    return GraphMap(whole, places, group_of, tuple(groups), is_fresh, pinned)


def _pinned(
    whole: WholeGraph, places: NDArray[np.float64], pins: Mapping[NodeId, tuple[float, float]]
) -> tuple[NDArray[np.float64], frozenset[NodeId]]:
    """Places with those of a person in them, and which these are. The kept file has places without them: so an undo is seen at once."""
    if not pins:
        return places, frozenset()
    places = places.copy()
    found = set()
    kinds = sorted({KINDS.index(node.kind) for node in pins})
    for row in np.flatnonzero(np.isin(whole.kinds, kinds)).tolist():
        node = whole.node(row)
        if node in pins:
            places[row] = pins[node]
            found.add(node)
    return places, frozenset(found)


_WORTH = {
    NodeKind.ENTITY: 1.0,
    NodeKind.FILE: 0.6,
    NodeKind.CONVERSATION: 0.12,
    NodeKind.MEMORY: 0.08,
    NodeKind.RULE: 0.02,
    NodeKind.APP: 0.0,
}  # as a name of a disc


def _short(title: str) -> str:
    return title if len(title) <= _TITLE_CHARS else title[: _TITLE_CHARS - 1].rstrip() + "…"


# the file --------------------------------------------------------------------------------------------


def load_file_names(connection: Connection) -> dict[int, str]:
    """By hash: the files that conversations changed."""
    return {_hash(name): name for name in read_file_names(connection)}


def _hash(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=7).digest(), "big")


def _write(
    path: Path,
    whole: WholeGraph,
    mark: tuple[int, ...],
    places: NDArray[np.float64],
    group_of: NDArray[np.int32],
    discs: NDArray[np.float64],
) -> None:
    numbers = whole.numbers.copy()
    is_file = whole.kinds == KINDS.index(NodeKind.FILE)
    numbers[is_file] = [_hash(whole.files[number]) for number in whole.numbers[is_file].tolist()]
    columns = {name: getattr(whole, name) for name in _COLUMNS} | {"numbers": numbers}
    buffer = io.BytesIO()
    np.savez(buffer, mark=np.array(mark), places=places, group_of=group_of, discs=discs, **columns)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(path, zlib.compress(buffer.getvalue(), 1))


def _read(path: Path) -> dict[str, NDArray[Any]] | None:
    try:
        raw = zlib.decompress(path.read_bytes())
        with np.load(io.BytesIO(raw), allow_pickle=False) as read:
            kept = {name: read[name] for name in read.files}
    except (OSError, ValueError, KeyError, zlib.error, zipfile.BadZipFile):
        return None
    return kept if {*_COLUMNS, "mark", "places", "group_of", "discs"} <= set(kept) else None


def _whole_of(kept: dict[str, NDArray[Any]], names: dict[int, str]) -> WholeGraph:
    """With paths in the place of hashes; a file that nothing names any more is left without a name."""
    numbers = kept["numbers"].copy()
    is_file = kept["kinds"] == KINDS.index(NodeKind.FILE)
    files = tuple(names.get(number, "") for number in numbers[is_file].tolist())
    numbers[is_file] = np.arange(len(files))
    return WholeGraph(**{name: kept[name] for name in _COLUMNS} | {"numbers": numbers}, files=files)
