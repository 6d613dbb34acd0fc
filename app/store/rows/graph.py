"""The graph as the store has it: which links leave some nodes, and what the nodes are. Plain SQL over what is canonical.

Nothing of it is stored twice: a link is read from where a memory was said, which names a message holds, which files were changed,
what replaced and contradicts what, and the links that were stored. Decides nothing. Source: issue 18 "The graph", DESIGN section 4.
"""

# ruff: noqa: S608 (our own words)
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select

from app.store.chunked_parameters import slices
from app.store.journal import table_of
from app.store.rows.context import fetch
from app.store.tables.core import EntityAliasRow
from app.store.tables.types import from_microseconds
from app.values.graph import SAME_AS, GraphLink, GraphNode, LinkBasis, NodeId, NodeKind, Relation, ordered_ends

HUB_LINKS = 400  # links of one kind that are read for one question; a hub has no end

_MEMORY, _ENTITY, _CONVERSATION, _FILE = NodeKind.MEMORY, NodeKind.ENTITY, NodeKind.CONVERSATION, NodeKind.FILE
_RULE, _APP = NodeKind.RULE, NodeKind.APP
_NUMBERED = tuple(kind for kind in NodeKind if kind is not _FILE)

# Each reads (number of the first, number or name of the second, count) for "first IN (…)" or "second IN (…)".
_LEARNED = (
    "SELECT n.memory_id, n.conversation_id, count(*) FROM memory_source n JOIN conversation c ON c.id = n.conversation_id "
    "WHERE {} IN (SELECT value FROM json_each(:ids)) AND n.conversation_id IS NOT NULL GROUP BY 1, 2 ORDER BY 1 DESC LIMIT :most"
)
_ABOUT = (
    "SELECT n.memory_id, t.entity_id, count(*) FROM memory_source n JOIN mention t ON t.message_id = n.message_id "
    "AND t.start >= n.start AND t.end <= n.end WHERE {} IN (SELECT value FROM json_each(:ids)) AND n.end > n.start GROUP BY 1, 2 ORDER BY 1 DESC LIMIT :most"
)
_MENTIONS = (
    "SELECT m.conversation_id, t.entity_id, count(*) FROM message m JOIN mention t ON t.message_id = m.id "
    "WHERE {} IN (SELECT value FROM json_each(:ids)) GROUP BY 1, 2 ORDER BY 3 DESC, 1 DESC LIMIT :most"
)
_MODIFIED = (
    "SELECT c.id, f.value, 1 FROM conversation c, json_each(c.files) f WHERE {} IN (SELECT value FROM json_each(:ids)) "
    "AND c.merged_into_id IS NULL ORDER BY c.id DESC LIMIT :most"
)
_NAMED_FILE = "SELECT r.memory_id, r.reference, 1 FROM artifact r WHERE r.kind = 'file' AND {} IN (SELECT value FROM json_each(:ids)) ORDER BY r.memory_id DESC LIMIT :most"
_MODIFIED_WITH = (  # in at least two conversations that changed few files
    "SELECT min(f.value, g.value), max(f.value, g.value), count(*) FROM conversation c, json_each(c.files) f, json_each(c.files) g "
    "WHERE {} IN (SELECT value FROM json_each(:ids)) AND f.value != g.value AND c.merged_into_id IS NULL "
    "AND json_array_length(c.files) <= 12 GROUP BY 1, 2 HAVING count(DISTINCT c.id) >= 2 ORDER BY 3 DESC LIMIT :most"
)
_FOLLOWS = (
    "SELECT c.id, r.value, 1 FROM conversation c, json_each(c.related_ids) r JOIN conversation o ON o.id = r.value "
    "WHERE {} IN (SELECT value FROM json_each(:ids)) ORDER BY c.id DESC LIMIT :most"
)
_TAUGHT = (
    "SELECT r.id, o.id, 1 FROM learned_rule r, json_each(r.conversation_ids) t JOIN conversation o ON o.id = t.value "
    "WHERE {} IN (SELECT value FROM json_each(:ids)) ORDER BY r.id DESC LIMIT :most"
)
_RULE_FILES = (
    # a rule keeps the end of a path, a conversation the whole
    "SELECT r.id, f.value, r.seen_count FROM learned_rule r, json_each(r.conversation_ids) t JOIN conversation o ON o.id = t.value, "
    "json_each(o.files) f, json_each(r.details, '$.files') p WHERE r.kind = 'files' AND {} IN (SELECT value FROM json_each(:ids)) "
    "AND (f.value = p.value OR substr(f.value, -length(p.value) - 1) = '/' || p.value) GROUP BY 1, 2 ORDER BY r.id DESC LIMIT :most"
)
_FROM_APP = (
    "SELECT c.id, s.app_id, 1 FROM conversation c JOIN stream s ON s.id = c.stream_id "
    "WHERE {} IN (SELECT value FROM json_each(:ids)) AND c.merged_into_id IS NULL ORDER BY c.id DESC LIMIT :most"
)
_MEMORY_FROM_APP = "SELECT n.id, n.app_id, 1 FROM memory n WHERE {} IN (SELECT value FROM json_each(:ids)) AND n.app_id IS NOT NULL ORDER BY n.id DESC LIMIT :most"
_GIVEN = (
    "SELECT i.memory_id, a.id, count(*) FROM receipt_item i JOIN receipt r ON r.id = i.receipt_id JOIN app a ON a.name = r.app "
    "JOIN memory n ON n.id = i.memory_id WHERE {} IN (SELECT value FROM json_each(:ids)) AND r.is_delivered %s GROUP BY 1, 2 ORDER BY 3 DESC LIMIT :most"
)
_DERIVED: tuple[tuple[Relation, NodeKind, str, NodeKind, str, str], ...] = (
    (Relation.LEARNED_FROM, _MEMORY, "n.memory_id", _CONVERSATION, "n.conversation_id", _LEARNED),
    (Relation.ABOUT, _MEMORY, "n.memory_id", _ENTITY, "t.entity_id", _ABOUT),
    (Relation.MENTIONS, _CONVERSATION, "m.conversation_id", _ENTITY, "t.entity_id", _MENTIONS),
    (Relation.MODIFIED, _CONVERSATION, "c.id", _FILE, "f.value", _MODIFIED),
    (Relation.MODIFIED_WITH, _FILE, "f.value", _FILE, "f.value", _MODIFIED_WITH),
    (Relation.ABOUT, _MEMORY, "r.memory_id", _FILE, "r.reference", _NAMED_FILE),
    (Relation.FOLLOWS, _CONVERSATION, "c.id", _CONVERSATION, "r.value", _FOLLOWS),
    (Relation.LEARNED_FROM, _RULE, "r.id", _CONVERSATION, "o.id", _TAUGHT),
    (Relation.ABOUT, _RULE, "r.id", _FILE, "f.value", _RULE_FILES),
    (Relation.CAME_FROM, _CONVERSATION, "c.id", _APP, "s.app_id", _FROM_APP),
    (Relation.CAME_FROM, _MEMORY, "n.id", _APP, "n.app_id", _MEMORY_FROM_APP),
    (Relation.GIVEN_TO, _MEMORY, "i.memory_id", _APP, "a.id", _GIVEN % ""),
    (Relation.CITED_BY, _MEMORY, "i.memory_id", _APP, "a.id", _GIVEN % "AND i.usage = 'cited'"),
)
_STRENGTHS = {
    Relation.LEARNED_FROM: 0.8,
    Relation.MODIFIED: 0.6,
    Relation.ABOUT: 0.7,
    Relation.FOLLOWS: 0.6,
    Relation.CAME_FROM: 0.3,
}
_LINK_COLUMNS = "id, from_kind, from_id, from_name, to_kind, to_id, to_name, type, strength, reason, origin"
_NAMED = (
    "SELECT DISTINCT n.memory_id, t.entity_id FROM memory_source n JOIN mention t ON t.message_id = n.message_id AND t.start >= n.start "
    "AND t.end <= n.end WHERE n.memory_id IN (SELECT value FROM json_each(:ids)) AND n.end > n.start AND t.kind != 'value'"
)
_AROUND_CHARS = 40
_SPOKEN = (
    "SELECT entity_id, text, start, end FROM (SELECT t.entity_id, m.text, t.start, t.end, "
    "row_number() OVER (PARTITION BY t.entity_id ORDER BY m.id DESC) AS place FROM mention t JOIN message m ON m.id = t.message_id "
    "WHERE t.entity_id IN (SELECT value FROM json_each(:ids))) WHERE place <= :most"
)
_STORED = (
    f"SELECT {_LINK_COLUMNS} FROM link WHERE "
    "(from_kind = :kind AND from_id IN (SELECT value FROM json_each(:ids))) OR (to_kind = :kind AND to_id IN (SELECT value FROM json_each(:ids))) ORDER BY strength DESC, id DESC LIMIT :most"
)
_STORED_FILES = (
    f"SELECT {_LINK_COLUMNS} FROM link WHERE (to_kind = 'file' AND to_name IN (SELECT value FROM json_each(:ids))) "
    "OR (from_kind = 'file' AND from_name IN (SELECT value FROM json_each(:ids))) ORDER BY strength DESC, id DESC LIMIT :most"
)
_VERDICT_COLUMNS = "a_kind, a_id, a_name, b_kind, b_id, b_name, type, is_accepted"
_VERDICTS = (
    f"SELECT {_VERDICT_COLUMNS} FROM link_verdict WHERE (a_kind = :kind AND a_id IN (SELECT value FROM json_each(:ids))) "
    "OR (b_kind = :kind AND b_id IN (SELECT value FROM json_each(:ids))) ORDER BY id DESC LIMIT :most"
)
_FILE_VERDICTS = (
    f"SELECT {_VERDICT_COLUMNS} FROM link_verdict WHERE (a_kind = 'file' AND a_name IN (SELECT value FROM json_each(:ids))) "
    "OR (b_kind = 'file' AND b_name IN (SELECT value FROM json_each(:ids))) ORDER BY id DESC LIMIT :most"
)
_CONTRADICTIONS = (
    "SELECT memory_b_id, memory_a_id, state, reason, confidence, id FROM contradiction WHERE state != 'dismissed' "
    "AND (memory_a_id IN (SELECT value FROM json_each(:ids)) OR memory_b_id IN (SELECT value FROM json_each(:ids))) ORDER BY id DESC LIMIT :most"
)
_REPLACED = "SELECT id, supersedes_id FROM memory WHERE supersedes_id IS NOT NULL AND (id IN (SELECT value FROM json_each(:ids)) OR supersedes_id IN (SELECT value FROM json_each(:ids))) LIMIT :most"
_MEMORIES = (
    "SELECT m.id, m.kind, m.type, m.title, m.full, m.status, m.is_pinned, m.retrieved_count, m.cited_count, m.valid_from, m.valid_to, "
    "m.recorded_at, m.retired_at, coalesce(p.name, '') AS project, coalesce(a.name, '') AS app FROM memory m "
    "LEFT JOIN project p ON p.id = m.project_id LEFT JOIN app a ON a.id = m.app_id WHERE m.id IN (SELECT value FROM json_each(:ids))"
)
_ENTITIES = "SELECT id, kind, name FROM entity WHERE id IN (SELECT value FROM json_each(:ids))"
_RULES = (
    "SELECT r.id, r.kind, r.pattern, r.confidence, r.seen_count, r.is_on, r.first_seen_at, coalesce(p.name, '') AS project FROM learned_rule r "
    "LEFT JOIN project p ON p.id = r.project_id WHERE r.id IN (SELECT value FROM json_each(:ids))"
)
_APPS = (
    "SELECT a.id, a.name, a.title, a.is_revoked, (SELECT count(*) FROM conversation c JOIN stream s ON s.id = c.stream_id WHERE s.app_id = a.id AND c.merged_into_id IS NULL), "
    "(SELECT count(*) FROM memory m WHERE m.app_id = a.id), (SELECT count(*) FROM note t WHERE t.app_id = a.id) FROM app a WHERE a.id IN (SELECT value FROM json_each(:ids))"
)
_CONVERSATIONS = (
    "SELECT c.id, c.title, c.auto_title, c.state, c.message_count, c.started_at, c.summary, p.name AS project, a.name AS app "
    "FROM conversation c JOIN stream s ON s.id = c.stream_id JOIN project p ON p.id = s.project_id JOIN app a ON a.id = s.app_id "
    "WHERE c.id IN (SELECT value FROM json_each(:ids))"
)
_NEWEST = (
    "SELECT c.id FROM conversation c JOIN stream s ON s.id = c.stream_id JOIN project p ON p.id = s.project_id "
    "JOIN app a ON a.id = s.app_id WHERE c.state != 'evicted' AND c.merged_into_id IS NULL AND (:project = '' OR p.name = :project OR p.path = :project) "
    "AND (:app = '' OR a.name = :app) ORDER BY c.state = 'active' DESC, c.last_message_at DESC, c.id DESC LIMIT 1"
)
_LATEST_MEMORY = (
    "SELECT m.id FROM memory m LEFT JOIN project p ON p.id = m.project_id LEFT JOIN app a ON a.id = m.app_id WHERE m.status = 'active' "
    "AND (:project = '' OR p.name = :project OR p.path = :project) AND (:app = '' OR a.name = :app) ORDER BY m.id DESC LIMIT 1"
)
_FIND_ENTITIES = (
    "SELECT id FROM (SELECT id, name FROM entity UNION ALL SELECT entity_id, name FROM entity_alias) "
    "WHERE name LIKE :like ESCAPE '\\' GROUP BY id ORDER BY min(length(name)), id LIMIT :most"
)
_FIND_QUOTED = (
    "SELECT m.id FROM memory m JOIN memory_source s ON s.memory_id = m.id WHERE m.retired_at IS NULL AND NOT EXISTS "
    "(SELECT 1 FROM json_each(:words) w WHERE instr(lower(s.quote), w.value) = 0) "
    "GROUP BY m.id ORDER BY m.status != 'active', m.valid_to IS NOT NULL, m.id DESC LIMIT :most"
)
_FIND_CONVERSATIONS = (
    "SELECT id FROM conversation WHERE merged_into_id IS NULL AND (title LIKE :like ESCAPE '\\' OR auto_title LIKE :like ESCAPE '\\') "
    "ORDER BY id DESC LIMIT :most"
)
_FIND_RULES = (
    "SELECT id FROM learned_rule WHERE pattern LIKE :like ESCAPE '\\' ORDER BY length(pattern), id LIMIT :most"
)
_FIND_APPS = (
    "SELECT id FROM app WHERE name LIKE :like ESCAPE '\\' OR title LIKE :like ESCAPE '\\' ORDER BY id LIMIT :most"
)
_FIND_FILES = (
    "SELECT DISTINCT f.value FROM conversation c, json_each(c.files) f WHERE f.value LIKE :like ESCAPE '\\' LIMIT :most"
)


def load_links(connection: Connection, nodes: Iterable[NodeId]) -> list[GraphLink]:
    """All links that one of these nodes has, at most `HUB_LINKS` of a kind for one batch of nodes; each once."""
    wanted: dict[NodeKind, list[Any]] = defaultdict(list)
    for node in sorted(set(nodes)):
        wanted[node.kind].append(node.name if node.kind is _FILE else node.number)
    said = _verdicts(connection, wanted)
    found: dict[tuple[NodeId, NodeId, Relation], GraphLink] = {}
    for link in _read_links(connection, wanted):
        verdict = said.get((*ordered_ends(link.a, link.b), link.relation.value))
        if verdict is False and link.origin != "person":
            continue
        known = found.get((link.a, link.b, link.relation))
        is_stronger = known is None or (known.link_id is None and known.contradiction_id is None)
        if link.a != link.b and is_stronger:
            found[link.a, link.b, link.relation] = replace(link, is_accepted=True) if verdict else link
    return list(found.values())


def _verdicts(connection: Connection, wanted: dict[NodeKind, list[Any]]) -> dict[tuple[NodeId, NodeId, str], bool]:
    """What a person said about links of these nodes, by the two ends and the kind of link."""
    rows = [row for kind in _NUMBERED for row in _rows(connection, _VERDICTS, wanted.get(kind, ()), kind=kind.value)]
    rows += _rows(connection, _FILE_VERDICTS, wanted.get(_FILE, ()))
    return {(_end(row[0:3]), _end(row[3:6]), str(row[6])): bool(row[7]) for row in rows}


def _end(row: Sequence[Any]) -> NodeId:
    return NodeId(NodeKind(row[0]), int(row[1]), str(row[2]))


def _read_links(connection: Connection, wanted: dict[NodeKind, list[Any]]) -> Iterator[GraphLink]:
    for relation, first, first_column, second, second_column, text in _DERIVED:
        for kind, column in ((first, first_column), (second, second_column)):
            for row in _rows(connection, text, wanted.get(kind, ()), column):
                yield GraphLink(
                    _id(first, row[0]),
                    _id(second, row[1]),
                    relation,
                    _strength(relation, int(row[2])),
                    _why(relation, first, int(row[2])),
                )
    memories = wanted.get(_MEMORY, ())
    for row in _rows(connection, _CONTRADICTIONS, memories):
        is_open = row[2] == "open"
        yield GraphLink(
            _id(_MEMORY, row[0]),
            _id(_MEMORY, row[1]),
            Relation.CONTRADICTS,
            float(row[4]),
            str(row[3]),
            is_open=is_open,
            contradiction_id=int(row[5]),
        )
    for row in _rows(connection, _REPLACED, memories):
        yield GraphLink(_id(_MEMORY, row[0]), _id(_MEMORY, row[1]), Relation.SUPERSEDES, 1.0, "it replaced the other")
    for kind in _NUMBERED:
        for row in _rows(connection, _STORED, wanted.get(kind, ()), kind=kind.value):
            yield from _stored(row)
    for row in _rows(connection, _STORED_FILES, wanted.get(_FILE, ())):
        yield from _stored(row)


def _rows(
    connection: Connection, text: str, values: Sequence[Any], column: str = "", *, kind: str = ""
) -> Iterator[Sequence[Any]]:
    if values:
        own = {"kind": kind} if kind else {}
        statement = text.format(column) if column else text
        yield from fetch(connection, statement, {"ids": json.dumps(values), "most": HUB_LINKS} | own)


def _stored(row: Sequence[Any]) -> Iterator[GraphLink]:
    """A stored link, unless it speaks of what is no node here."""
    kinds = {kind.value for kind in NodeKind}
    relations = {relation.value for relation in Relation}
    if row[1] not in kinds or row[4] not in kinds or row[7] not in relations:
        return
    a, b = (_end((kind, 0 if kind == _FILE.value else number, name)) for kind, number, name in (row[1:4], row[4:7]))
    yield GraphLink(a, b, Relation(row[7]), float(row[8]), str(row[9]), link_id=int(row[0]), origin=str(row[10]))


def _id(kind: NodeKind, value: object) -> NodeId:
    return NodeId(kind, name=str(value)) if kind is _FILE else NodeId(kind, int(str(value)))


def _strength(relation: Relation, count: int) -> float:
    """More mentions are a stronger link; what is said once is weak. 0..1."""
    return _STRENGTHS.get(relation) or min(1.0, 0.2 + 0.1 * count)


def _why(relation: Relation, first: NodeKind, count: int) -> str:
    match relation:
        case Relation.LEARNED_FROM if first is _RULE:
            return "seen in that conversation"
        case Relation.LEARNED_FROM:
            return "learned from what you typed" if count == 1 else f"you typed it {count} times"
        case Relation.MENTIONS:
            return "mentioned once" if count == 1 else f"mentioned {count} times"
        case Relation.ABOUT:
            return "named in the text"
        case Relation.CAME_FROM:
            return "typed in this assistant"
        case Relation.GIVEN_TO | Relation.CITED_BY:
            said = "given" if relation is Relation.GIVEN_TO else "used"
            return f"{said} once" if count == 1 else f"{said} {count} times"
        case Relation.MODIFIED_WITH:
            return f"changed together in {count} conversations"
        case Relation.MODIFIED:
            return "your assistant changed it"
        case _:
            return "the same work, taken up again"


def load_nodes(connection: Connection, nodes: Iterable[NodeId]) -> dict[NodeId, GraphNode]:
    """What these nodes are; those that are no more are left out. A file is its path."""
    wanted: dict[NodeKind, list[int]] = defaultdict(list)
    found: dict[NodeId, GraphNode] = {}
    for node in sorted(set(nodes)):
        if node.kind is _FILE:
            found[node] = GraphNode(node, node.name.rsplit("/", 1)[-1], "file", node.name)
        else:
            wanted[node.kind].append(node.number)
    made = {
        _MEMORY: (_MEMORIES, _memory),
        _ENTITY: (_ENTITIES, _entity),
        _CONVERSATION: (_CONVERSATIONS, _conversation),
        _RULE: (_RULES, _rule),
        _APP: (_APPS, _app),
    }
    for kind, (text, make) in made.items():
        for row in _rows(connection, text, wanted.get(kind, ())):
            made_node = make(row)
            found[made_node.id] = made_node
    return found


def _memory(row: Any) -> GraphNode:
    until = row[10] if row[10] is not None else row[12]
    return GraphNode(
        id=NodeId(_MEMORY, int(row[0])),
        title=str(row[3]),
        subtype=str(row[2] or row[1]),
        text=str(row[4]),
        project=str(row[13]),
        app=str(row[14]),
        is_closed=row[5] != "active" or until is not None,
        is_pinned=bool(row[6]),
        use_count=int(row[7]) + int(row[8]),
        from_at=_instant(row[9]),
        until_at=_instant(until),
        known_at=_instant(row[11]),
    )


def _entity(row: Any) -> GraphNode:
    return GraphNode(NodeId(_ENTITY, int(row[0])), str(row[2]), str(row[1]))


def _conversation(row: Any) -> GraphNode:
    started = _instant(row[5])
    return GraphNode(
        id=NodeId(_CONVERSATION, int(row[0])),
        title=str(row[1] or row[2]),
        subtype=str(row[3]),
        text=str(row[6] or ""),
        project=str(row[7]),
        app=str(row[8]),
        is_closed=row[3] == "evicted",
        use_count=int(row[4]),
        from_at=started,
        known_at=started,
    )


def _rule(row: Any) -> GraphNode:
    seen = _instant(row[6])
    return GraphNode(
        id=NodeId(_RULE, int(row[0])),
        title=_rule_title(str(row[1]), str(row[2])),
        subtype=str(row[1]),
        text=f"Seen {_times(int(row[4]))}, {float(row[3]):.0%} sure.",
        project=str(row[7]),
        is_closed=not row[5],
        use_count=int(row[4]),
        from_at=seen,
        known_at=seen,
    )


def _rule_title(kind: str, pattern: str) -> str:
    """Files by their short names.

    >>> _rule_title("files", "src/a.py + tests/test_a.py"), _rule_title("phrase", "make it {color}")
    ('a.py + test_a.py', 'make it {color}')
    """
    return " + ".join(part.rsplit("/", 1)[-1] for part in pattern.split(" + ")) if kind == "files" else pattern


def _app(row: Any) -> GraphNode:
    parts = (
        (int(row[4]), "conversation", "conversations"),
        (int(row[5]), "memory", "memories"),
        (int(row[6]), "note", "notes"),
    )
    text = ", ".join(f"{count:,} {one if count == 1 else more}" for count, one, more in parts if count)
    return GraphNode(
        id=NodeId(_APP, int(row[0])), title=str(row[2] or row[1]), text=text, app=str(row[1]), is_closed=bool(row[3])
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _instant(value: int | None) -> datetime | None:
    return None if value is None else from_microseconds(value)


def find_start(connection: Connection, *, app: str = "", project: str = "") -> NodeId | None:
    """What matters now: the active conversation, else the newest, else the newest memory."""
    values = {"app": app, "project": project}
    for kind, text in ((_CONVERSATION, _NEWEST), (_MEMORY, _LATEST_MEMORY)):
        for row in fetch(connection, text, values):
            return NodeId(kind, int(row[0]))
    return None


def find_nodes(connection: Connection, query: str, most: int) -> list[NodeId]:
    """Entities, conversations, files, rules and apps whose name holds the words, `most` of each; the shortest names first."""
    escaped = query.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    values = {"like": f"%{escaped}%", "most": most}
    kinds = (
        (_ENTITY, _FIND_ENTITIES), (_CONVERSATION, _FIND_CONVERSATIONS), (_FILE, _FIND_FILES), (_RULE, _FIND_RULES),
        (_APP, _FIND_APPS),
    )  # fmt: skip
    return [_id(kind, row[0]) for kind, text in kinds for row in fetch(connection, text, values)]


def find_quoted(connection: Connection, words: Iterable[str], most: int) -> list[NodeId]:
    """Memories made of what the person typed with all of these words; those that hold first, then the newest."""
    wanted = [word.lower() for word in words]
    rows = fetch(connection, _FIND_QUOTED, {"words": json.dumps(wanted), "most": most}) if wanted else ()
    return [_id(_MEMORY, row[0]) for row in rows]


def load_rejected_pairs(connection: Connection) -> frozenset[tuple[int, int]]:
    """Memories that a person said have nothing to do with each other, the smaller number first."""
    text = "SELECT a_id, b_id FROM link_verdict WHERE a_kind = 'memory' AND b_kind = 'memory' AND NOT is_accepted"
    return frozenset((int(row[0]), int(row[1])) for row in fetch(connection, text, {}))


def count_verdicts(connection: Connection) -> dict[tuple[LinkBasis, bool], int]:
    """How often a person accepted and rejected links, by how they were found."""
    text = "SELECT basis, is_accepted, count(*) FROM link_verdict WHERE basis != '' GROUP BY 1, 2"
    known = set(LinkBasis)
    return {(LinkBasis(row[0]), bool(row[1])): int(row[2]) for row in fetch(connection, text, {}) if row[0] in known}


def load_named(connection: Connection, memory_ids: Iterable[int]) -> dict[int, frozenset[int]]:
    """The things that the words of each memory name, by number; values such as 404 are none."""
    found: dict[int, set[int]] = defaultdict(set)
    for some in slices(sorted(set(memory_ids))):
        for row in fetch(connection, _NAMED, {"ids": json.dumps(list(some))}):
            found[int(row[0])].add(int(row[1]))
    return {one: frozenset(named) for one, named in found.items()}


def load_entities(connection: Connection) -> list[tuple[int, str, str, int]]:
    """Number, name, kind and how often each thing is mentioned; values such as 404 are none."""
    text = (
        "SELECT e.id, e.name, e.kind, (SELECT count(*) FROM mention t WHERE t.entity_id = e.id) FROM entity e "
        "WHERE e.kind != 'value' ORDER BY e.id"
    )
    return [(int(row[0]), str(row[1]), str(row[2]), int(row[3])) for row in fetch(connection, text, {})]


def load_kept_apart(connection: Connection) -> frozenset[tuple[int, int]]:
    """Names that a person said are two things, the smaller number first."""
    text = "SELECT a_id, b_id FROM link_verdict WHERE type = :same AND NOT is_accepted"
    return frozenset((int(row[0]), int(row[1])) for row in fetch(connection, text, {"same": SAME_AS}))


def load_spoken(connection: Connection, entity_ids: Iterable[int], most: int) -> dict[int, tuple[str, ...]]:
    """Of each thing where it was said last, a few words around it."""
    found: dict[int, list[str]] = defaultdict(list)
    for some in slices(sorted(set(entity_ids))):
        for row in fetch(connection, _SPOKEN, {"ids": json.dumps(list(some)), "most": most}):
            start, end = int(row[2]), int(row[3])
            around = " ".join(str(row[1])[max(0, start - _AROUND_CHARS) : end + _AROUND_CHARS].split())
            found[int(row[0])].append(around)
    return {one: tuple(said) for one, said in found.items()}


def load_pins(connection: Connection, *, is_on_map: bool = False) -> dict[NodeId, tuple[float, float]]:
    """Where a person put things, in lengths of a link: in parts of the graph, or on the map."""
    text = "SELECT kind, number, name, x, y FROM graph_pin WHERE is_on_map = :on_map ORDER BY id"
    rows = fetch(connection, text, {"on_map": is_on_map})
    return {_end(row[0:3]): (float(row[3]), float(row[4])) for row in rows}


def find_alias(connection: Connection, name: str) -> Row[Any] | None:
    """The name that was merged into another, however it is written; the oldest of several."""
    alias = table_of(EntityAliasRow)
    is_same = (func.lower(alias.c.name) == name.casefold()) | (func.lower(alias.c.canonical) == name.casefold())
    return connection.execute(select(alias).where(is_same).order_by(alias.c.id).limit(1)).one_or_none()
