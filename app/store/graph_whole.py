"""All nodes and links at once, as columns of numbers: what the map is made of. Plain SQL, one pass a table; decides nothing.

A part of the graph is read by `graph_rows`, with reasons; here a link is two rows and a weight. Source: UX 4.5 "the map".
"""

# ruff: noqa: S608 (our own words)
from collections.abc import Iterator

import numpy as np
from sqlalchemy import Connection

from app.store.context_rows import fetch
from app.values.graph import NodeKind
from app.values.graph_map import KINDS, NEVER, WholeGraph

_MEMORY, _ENTITY, _CONVERSATION, _FILE = NodeKind.MEMORY, NodeKind.ENTITY, NodeKind.CONVERSATION, NodeKind.FILE
_OWN = "(:project = '' OR {} IN (SELECT id FROM project WHERE name = :project OR path = :project))"
_MEMORIES = (
    "SELECT id, valid_from, coalesce(valid_to, retired_at), recorded_at, status != 'active' OR valid_to IS NOT NULL OR retired_at IS NOT NULL "
    f"FROM memory WHERE {_OWN.format('project_id')} ORDER BY id"
)
_CONVERSATIONS = (
    "SELECT c.id, c.started_at, NULL, c.started_at, c.state = 'evicted' FROM conversation c JOIN stream s ON s.id = c.stream_id "
    f"WHERE c.merged_into_id IS NULL AND {_OWN.format('s.project_id')} ORDER BY c.id"
)
_ENTITIES = (
    "SELECT DISTINCT t.entity_id, NULL, NULL, NULL, 0 FROM mention t JOIN message m ON m.id = t.message_id "
    "JOIN conversation c ON c.id = m.conversation_id JOIN stream s ON s.id = c.stream_id "
    f"WHERE t.kind != 'value' AND {_OWN.format('s.project_id')} "
    "UNION SELECT l.to_id, NULL, NULL, NULL, 0 FROM link l JOIN conversation c ON c.id = l.from_id JOIN stream s ON s.id = c.stream_id "
    f"JOIN entity e ON e.id = l.to_id WHERE l.from_kind = 'conversation' AND l.to_kind = 'entity' AND {_OWN.format('s.project_id')} ORDER BY 1"
)
_FILES = (
    "SELECT c.id, f.value FROM conversation c JOIN stream s ON s.id = c.stream_id, json_each(c.files) f "
    f"WHERE c.merged_into_id IS NULL AND {_OWN.format('s.project_id')}"
)
_NAMED_FILES = "SELECT memory_id, reference FROM artifact WHERE kind = 'file'"
# kind and number of both ends, weight, open contradiction
_EDGES: tuple[tuple[NodeKind, NodeKind, str], ...] = (
    (_MEMORY, _CONVERSATION, "SELECT DISTINCT memory_id, conversation_id, .8, 0 FROM memory_source WHERE conversation_id IS NOT NULL"),
    (_MEMORY, _ENTITY,
     ("SELECT DISTINCT n.memory_id, t.entity_id, .7, 0 FROM memory_source n JOIN mention t ON t.message_id = n.message_id "
     "AND t.start >= n.start AND t.end <= n.end WHERE n.end > n.start")),
    (_CONVERSATION, _ENTITY,
     "SELECT m.conversation_id, t.entity_id, min(1.0, .2 + .1 * count(*)), 0 FROM message m JOIN mention t ON t.message_id = m.id GROUP BY 1, 2"),
    (_MEMORY, _MEMORY, "SELECT memory_b_id, memory_a_id, .9, state = 'open' FROM contradiction WHERE state != 'dismissed'"),
    (_MEMORY, _MEMORY, "SELECT id, supersedes_id, 1.0, 0 FROM memory WHERE supersedes_id IS NOT NULL"),
    (_CONVERSATION, _CONVERSATION, "SELECT c.id, r.value, .6, 0 FROM conversation c, json_each(c.related_ids) r"),
)  # fmt: skip
_STORED = "SELECT from_kind, from_id, from_name, to_kind, to_id, to_name, strength FROM link"
_REJECTED = "SELECT a_kind, a_id, a_name, b_kind, b_id, b_name FROM link_verdict WHERE NOT is_accepted"
_MARK = (
    "SELECT (SELECT count(*) FROM memory), (SELECT coalesce(max(updated_at), 0) FROM memory), (SELECT coalesce(max(id), 0) FROM link), "
    "(SELECT count(*) FROM link), (SELECT coalesce(max(id), 0) FROM message), (SELECT count(*) FROM entity), "
    "(SELECT coalesce(max(id), 0) FROM link_verdict), (SELECT count(*) FROM contradiction WHERE state = 'open')"
)
_Edge = tuple[int, int, float, int]


def read_mark(connection: Connection) -> tuple[int, ...]:
    """Numbers that differ when something of the graph has changed. Cheap."""
    (row,) = fetch(connection, _MARK, {})
    return tuple(int(one) for one in row)


def read_file_names(connection: Connection) -> list[str]:
    """The files that conversations changed."""
    rows = fetch(connection, "SELECT DISTINCT f.value FROM conversation c, json_each(c.files) f", {})
    return [str(row[0]) for row in rows]


def load_whole(connection: Connection, project: str = "") -> WholeGraph:
    """Everything of a project (its name or folder), of all when none is named."""
    own = {"project": project}
    rows: list[tuple[int, int, int, int, int, bool]] = []
    place: dict[tuple[NodeKind, int | str], int] = {}
    for kind, text in ((_MEMORY, _MEMORIES), (_CONVERSATION, _CONVERSATIONS), (_ENTITY, _ENTITIES)):
        for number, since, until, known, is_closed in fetch(connection, text, own):
            place[kind, int(number)] = len(rows)
            rows.append(
                (
                    KINDS.index(kind),
                    int(number),
                    since or 0,
                    NEVER if until is None else until,
                    known or 0,
                    bool(is_closed),
                )
            )
    changed = [(int(number), str(name)) for number, name in fetch(connection, _FILES, own)]
    files = tuple(sorted({name for _, name in changed}))
    for index, name in enumerate(files):
        place[_FILE, name] = len(rows)
        rows.append((KINDS.index(_FILE), index, 0, NEVER, 0, False))
    edges = _edges(connection, place, changed)
    kinds, numbers, since, until, known, closed = zip(*rows, strict=True) if rows else ((),) * 6
    ends = np.array([edge[:2] for edge in edges], dtype=np.int64).reshape(-1, 2)
    return WholeGraph(
        np.array(kinds, dtype=np.uint8),
        np.array(numbers, dtype=np.int64),
        np.array(since, dtype=np.int64),
        np.array(until, dtype=np.int64),
        np.array(known, dtype=np.int64),
        np.array(closed, dtype=np.bool_),
        ends,
        np.array([edge[2] for edge in edges], dtype=np.float64),
        np.array([edge[3] for edge in edges], dtype=np.bool_),
        files,
    )


def _edges(
    connection: Connection, place: dict[tuple[NodeKind, int | str], int], changed: list[tuple[int, str]]
) -> list[_Edge]:
    """Each pair once, the strongest first; what a person rejected is left out."""
    rejected = {
        (min(ends), max(ends))
        for row in fetch(connection, _REJECTED, {})
        if (ends := _both(place, row[0:3], row[3:6])) is not None
    }
    found: dict[tuple[int, int], tuple[float, int]] = {}
    for a, b, weight, is_open in _read_edges(connection, place, changed):
        pair = (min(a, b), max(a, b))
        if a != b and pair not in rejected:
            known = found.get(pair, (0.0, 0))
            found[pair] = (max(known[0], weight), max(known[1], is_open))
    listed = [(a, b, weight, is_open) for (a, b), (weight, is_open) in found.items()]
    return sorted(listed, key=lambda edge: (-edge[3], -edge[2], edge[0], edge[1]))


def _read_edges(
    connection: Connection, place: dict[tuple[NodeKind, int | str], int], changed: list[tuple[int, str]]
) -> Iterator[_Edge]:
    for first, second, text in _EDGES:
        for a, b, weight, is_open in fetch(connection, text, {}):
            at, to = place.get((first, a)), place.get((second, b))
            if at is not None and to is not None:
                yield at, to, float(weight), int(is_open)
    for number, name in changed:
        yield place[_CONVERSATION, number], place[_FILE, name], 0.6, 0
    for number, name in fetch(connection, _NAMED_FILES, {}):
        at, to = place.get((_MEMORY, number)), place.get((_FILE, name))
        if at is not None and to is not None:
            yield at, to, 0.7, 0
    for row in fetch(connection, _STORED, {}):
        ends = _both(place, row[0:3], row[3:6])
        if ends is not None:
            yield *ends, float(row[6]), 0


def _both(
    place: dict[tuple[NodeKind, int | str], int], a: tuple[object, ...], b: tuple[object, ...]
) -> tuple[int, int] | None:
    """Rows of the two ends of a stored link; None when one is no node here."""
    ends = []
    for kind, number, name in (a, b):
        if kind not in set(NodeKind):
            return None
        at = place.get((NodeKind(str(kind)), str(name) if kind == _FILE.value else int(str(number))))
        if at is None:
            return None
        ends.append(at)
    return ends[0], ends[1]
