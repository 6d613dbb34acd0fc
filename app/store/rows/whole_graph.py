"""All nodes and links at once, as columns of numbers: what the map is made of. Plain SQL, one pass a table; decides nothing.

A part of the graph is read by `graph_rows`, with reasons; here a link is two rows and a weight. Source: UX 4.5 "the map".
"""

# ruff: noqa: S608 (our own words)
from collections.abc import Iterator

import numpy as np
from sqlalchemy import Connection

from app.store.rows.context import fetch
from app.values.graph import NodeKind, look_of
from app.values.graph_map import KINDS, LOOKS, NEVER, WholeGraph

_MEMORY, _ENTITY, _CONVERSATION, _FILE = NodeKind.MEMORY, NodeKind.ENTITY, NodeKind.CONVERSATION, NodeKind.FILE
_RULE, _APP = NodeKind.RULE, NodeKind.APP
_APP_WEIGHT = 0.02  # what came by one app does not belong together for that
_OWN = "(:project = '' OR {} IN (SELECT id FROM project WHERE name = :project OR path = :project))"
_MEMORIES = (
    "SELECT id, valid_from, coalesce(valid_to, retired_at), recorded_at, status != 'active' OR valid_to IS NOT NULL OR retired_at IS NOT NULL, kind "
    f"FROM memory WHERE {_OWN.format('project_id')} ORDER BY id"
)
_CONVERSATIONS = (
    "SELECT c.id, c.started_at, NULL, c.started_at, c.state = 'evicted', '' FROM conversation c JOIN stream s ON s.id = c.stream_id "
    f"WHERE c.merged_into_id IS NULL AND {_OWN.format('s.project_id')} ORDER BY c.id"
)
_ENTITIES = (
    "SELECT DISTINCT t.entity_id, NULL, NULL, NULL, 0, e.kind FROM mention t JOIN entity e ON e.id = t.entity_id JOIN message m ON m.id = t.message_id "
    "JOIN conversation c ON c.id = m.conversation_id JOIN stream s ON s.id = c.stream_id "
    f"WHERE t.kind != 'value' AND {_OWN.format('s.project_id')} "
    "UNION SELECT l.to_id, NULL, NULL, NULL, 0, e.kind FROM link l JOIN conversation c ON c.id = l.from_id JOIN stream s ON s.id = c.stream_id "
    f"JOIN entity e ON e.id = l.to_id WHERE l.from_kind = 'conversation' AND l.to_kind = 'entity' AND {_OWN.format('s.project_id')} ORDER BY 1"
)
_RULES = (
    "SELECT r.id, r.first_seen_at, NULL, r.first_seen_at, NOT r.is_on, r.kind FROM learned_rule r "
    f"WHERE {_OWN.format('r.project_id')} ORDER BY r.id"
)
_APPS = (
    "SELECT a.id, NULL, NULL, NULL, a.is_revoked, '' FROM app a "
    f"WHERE a.id IN (SELECT s.app_id FROM stream s WHERE {_OWN.format('s.project_id')}) ORDER BY a.id"
)
_NUMBERED = (
    (_MEMORY, _MEMORIES),
    (_CONVERSATION, _CONVERSATIONS),
    (_ENTITY, _ENTITIES),
    (_RULE, _RULES),
    (_APP, _APPS),
)
_FILES = (
    "SELECT c.id, f.value FROM conversation c JOIN stream s ON s.id = c.stream_id, json_each(c.files) f "
    f"WHERE c.merged_into_id IS NULL AND {_OWN.format('s.project_id')}"
)
_RULE_FILES = (  # a rule keeps the end of a path, a conversation the whole
    "SELECT DISTINCT r.id, f.value FROM learned_rule r, json_each(r.conversation_ids) t JOIN conversation o ON o.id = t.value, "
    "json_each(o.files) f, json_each(r.details, '$.files') p "
    "WHERE r.kind = 'files' AND (f.value = p.value OR substr(f.value, -length(p.value) - 1) = '/' || p.value)"
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
    (_RULE, _CONVERSATION, "SELECT r.id, t.value, .8, 0 FROM learned_rule r, json_each(r.conversation_ids) t"),
    (_CONVERSATION, _APP, f"SELECT c.id, s.app_id, {_APP_WEIGHT}, 0 FROM conversation c JOIN stream s ON s.id = c.stream_id"),
    (_MEMORY, _APP, f"SELECT id, app_id, {_APP_WEIGHT}, 0 FROM memory WHERE app_id IS NOT NULL"),
    (_MEMORY, _APP,
     (f"SELECT DISTINCT i.memory_id, a.id, {_APP_WEIGHT}, 0 FROM receipt_item i JOIN receipt r ON r.id = i.receipt_id "
      "JOIN app a ON a.name = r.app WHERE r.is_delivered")),
)  # fmt: skip
_STORED = "SELECT from_kind, from_id, from_name, to_kind, to_id, to_name, strength FROM link"
_REJECTED = "SELECT a_kind, a_id, a_name, b_kind, b_id, b_name FROM link_verdict WHERE NOT is_accepted"
_MARK = (
    "SELECT (SELECT count(*) FROM memory), (SELECT coalesce(max(updated_at), 0) FROM memory), (SELECT coalesce(max(id), 0) FROM link), "
    "(SELECT count(*) FROM link), (SELECT coalesce(max(id), 0) FROM message), (SELECT count(*) FROM entity), "
    "(SELECT coalesce(max(id), 0) FROM link_verdict), (SELECT count(*) FROM contradiction WHERE state = 'open'), "
    "(SELECT count(*) FROM learned_rule), (SELECT coalesce(max(last_seen_at), 0) FROM learned_rule), (SELECT count(*) FROM app)"
)
_Edge = tuple[int, int, float, int]


def read_mark(connection: Connection) -> tuple[int, ...]:
    """Numbers that differ when something of the graph has changed. Cheap."""
    (row,) = fetch(connection, _MARK, {})
    return tuple(int(one) for one in row)


def load_project_names(connection: Connection) -> list[str]:
    """What a map of a project may be asked by: names and folders."""
    return [
        str(name) for row in fetch(connection, "SELECT name, path FROM project ORDER BY id", {}) for name in row if name
    ]


def read_file_names(connection: Connection) -> list[str]:
    """The files that conversations changed."""
    rows = fetch(connection, "SELECT DISTINCT f.value FROM conversation c, json_each(c.files) f", {})
    return [str(row[0]) for row in rows]


def load_whole(connection: Connection, project: str = "") -> WholeGraph:
    """Everything of a project (its name or folder), of all when none is named."""
    own = {"project": project}
    rows: list[tuple[int, int, int, int, int, int, bool]] = []
    place: dict[tuple[NodeKind, int | str], int] = {}
    for kind, text in _NUMBERED:
        for number, since, until, known, is_closed, subtype in fetch(connection, text, own):
            place[kind, int(number)] = len(rows)
            look = LOOKS.index(look_of(kind, str(subtype)))
            end = NEVER if until is None else until
            rows.append((KINDS.index(kind), look, int(number), since or 0, end, known or 0, bool(is_closed)))
    changed = [(int(number), str(name)) for number, name in fetch(connection, _FILES, own)]
    files = tuple(sorted({name for _, name in changed}))
    for index, name in enumerate(files):
        place[_FILE, name] = len(rows)
        rows.append((KINDS.index(_FILE), LOOKS.index(look_of(_FILE, "")), index, 0, NEVER, 0, False))
    edges = _edges(connection, place, changed)
    kinds, looks, numbers, since, until, known, closed = zip(*rows, strict=True) if rows else ((),) * 7
    ends = np.array([edge[:2] for edge in edges], dtype=np.int64).reshape(-1, 2)
    return WholeGraph(
        np.array(kinds, dtype=np.uint8),
        np.array(looks, dtype=np.uint8),
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
    for kind, text in ((_MEMORY, _NAMED_FILES), (_RULE, _RULE_FILES)):
        for number, name in fetch(connection, text, {}):
            at, to = place.get((kind, number)), place.get((_FILE, name))
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
