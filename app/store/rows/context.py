"""What a context reads of memories: rows that may be given, what is pinned or shared, the newest of a project. Never writes.

Plain SQL on purpose, as in `memory_search`: hundreds of rows a prompt, and an answer that is waited for. Instants are
microseconds since 1970. Source: QUALITY P2, S7, S9.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from app.store.journal import PLACEMENT_RULE
from app.store.search.memories import RankRow
from app.store.search.memory_terms import TERMS_VERSION
from app.store.visibility import CURRENT, GIVABLE, PERMITTED, where

_IN = "IN (SELECT value FROM json_each(:ids))"


class CandidateRow(NamedTuple):
    """A memory as a context takes it."""

    id: int
    kind: str
    type: str
    title: str
    full: str
    summary: str
    compressed: str
    index_text: str
    full_tokens: int
    summary_tokens: int
    compressed_tokens: int
    index_tokens: int
    slot_key: str
    text_key: str
    key: str
    category: str
    importance: float
    trust: int
    is_pinned: int
    revision: int
    recorded_at: int
    last_accessed_at: int | None
    used_count: int  # a citation counts three times, a use that was ignored speaks against it
    valid_to: int | None
    value: str
    is_negated: int
    project_id: int | None
    full_line: int | None  # tokens of each level as a line, without its number; None: not worked out yet
    summary_line: int | None
    compressed_line: int | None
    index_line: int | None
    given_level: str = "full"

    @property
    def topic(self) -> str:
        return self.key or self.category or ""


AnyCandidateRow = CandidateRow | RankRow  # a row that was read whole to be ranked holds as much
_USED = "retrieved_count + 2 * cited_count - 2 * ignored_count"
_WITH_TERMS = f"LEFT JOIN memory_cut ON memory_id = id AND cut_revision = revision AND cut_form = {TERMS_VERSION}"
_SELECT = f"SELECT {', '.join(CandidateRow._fields)} FROM memory {_WITH_TERMS}".replace("used_count", _USED)  # noqa: S608 (constants only)
_BY_ID = f"{_SELECT} WHERE id {_IN} AND {where(*CURRENT, 'project', 'excluded')}"
_KIND_BY_ID = _BY_ID.replace(_SELECT, "SELECT id, kind FROM memory")
_GIVEN_BY_ID = f"{_BY_ID} AND {where('withheld')}"
_OF_SLOTS = (
    f"{_SELECT} WHERE slot_key {_IN} AND project_id = :project AND {where(*CURRENT)} ORDER BY id DESC LIMIT :limit"
)
_SIDE_TOKENS = 60  # a longer side of a contradiction is given by its summary


def _side_text(side: str) -> str:
    return f"CASE WHEN {side}.full_tokens <= {_SIDE_TOKENS} THEN {side}.full ELSE {side}.summary END"


_BOTH_GIVABLE = " AND ".join(where(*GIVABLE, memory=side) for side in "ab")
_PAIRS = (  # by the indexes of both sides: an OR would read every open pair
    f"SELECT c.id, a.id, b.id, {_side_text('a')}, {_side_text('b')}, min(a.trust, b.trust) FROM contradiction c "  # noqa: S608 (constants only)
    "JOIN memory a ON a.id = c.memory_a_id JOIN memory b ON b.id = c.memory_b_id WHERE c.id IN "
    f"(SELECT id FROM contradiction WHERE memory_a_id {_IN} UNION SELECT id FROM contradiction WHERE memory_b_id {_IN}) "
)
_OPEN_AMONG = (  # the same from the other side: quicker while few are open
    f"{_PAIRS[: _PAIRS.index('WHERE')]} WHERE c.state = 'open' AND (+c.memory_a_id {_IN} OR +c.memory_b_id {_IN}) "
    f"AND {_BOTH_GIVABLE} ORDER BY c.id DESC LIMIT :limit"
)
_FEW_OPEN = 200
_OPEN_COUNT = "SELECT count(*) FROM (SELECT 1 FROM contradiction WHERE state = 'open' LIMIT :most)"
_OPEN = f"{_PAIRS} AND c.state = 'open' AND {_BOTH_GIVABLE} ORDER BY c.id DESC LIMIT :limit"
_OPEN_AS_OF = (
    f"{_PAIRS} AND c.detected_at <= :at AND (c.resolved_at IS NULL OR c.resolved_at > :at) "
    f"AND {where('status', *PERMITTED, memory='a')} AND {where('status', *PERMITTED, memory='b')} ORDER BY c.id DESC LIMIT :limit"
)
_PAIRS_READ, _SLOTS_READ = 500, 2_000
_NEW = _SELECT.replace(" FROM memory ", ", updated_at, valid_from FROM memory ")
_NOT_OVER = where("status", "retired", "ended")
_NEWEST = f"{_NEW} WHERE project_id = :project AND {_NOT_OVER} ORDER BY updated_at DESC, id DESC LIMIT :limit"
_NEW_OF = f"{_NEW} WHERE id {_IN} AND project_id = :project AND {_NOT_OVER}"
_FLAGS = f"SELECT id, is_pinned, {where('shared')} FROM memory"  # noqa: S608 (constants only)
_PLACED = (
    "SELECT r.id, m.id, r.data ->> '$.level', r.data ->> '$.tier', r.data ->> '$.is_withheld' FROM rule r "
    "CROSS JOIN memory m ON m.id = r.data ->> '$.memory_id' WHERE r.kind = :kind"
)
_ABOUT = (  # the newest few of each file: a file that everything is about says little
    "SELECT wanted.value, a.memory_id FROM json_each(:files) AS wanted CROSS JOIN artifact AS a WHERE a.id IN "
    "(SELECT f.id FROM artifact f WHERE f.kind = 'file' AND f.reference = wanted.value AND EXISTS "
    "(SELECT 1 FROM memory m WHERE m.id = f.memory_id AND m.kind <> 'episode') ORDER BY f.id DESC LIMIT :most)"
)
_OF_ONE_FILE, _OF_EACH_FILE = 40, 12
_LINKS = (
    "SELECT from_id, to_id, strength FROM link WHERE from_kind = 'memory' AND to_kind = 'memory' "
    "AND from_id IN (SELECT value FROM json_each(:ids)) "
    "UNION ALL SELECT to_id, from_id, strength FROM link WHERE to_kind = 'memory' AND from_kind = 'memory' "
    "AND to_id IN (SELECT value FROM json_each(:ids))"
)


_TURN_END = (
    "coalesce((SELECT min(n.at) FROM message n WHERE n.conversation_id = m.conversation_id AND n.at > m.at), 9e18)"
)
_SAID_WHILE_CHANGED = (  # of the newest uses only: a long history is not looked through while somebody waits
    "WITH turn AS (SELECT DISTINCT (SELECT m.id FROM message m WHERE m.conversation_id = t.conversation_id AND m.at <= t.at "  # noqa: S608 (constants only)
    "AND m.speaker = 'user' ORDER BY m.at DESC, m.id DESC LIMIT 1) AS id FROM tool_use t "
    "JOIN conversation c ON c.id = t.conversation_id JOIN stream s ON s.id = c.stream_id "
    "WHERE t.id > (SELECT max(id) FROM tool_use) - 2000 AND s.project_id = :project "
    "AND t.file IN (SELECT value FROM json_each(:files))), "
    "narrow AS (SELECT m.id FROM turn JOIN message m ON m.id = turn.id JOIN tool_use o ON o.conversation_id = m.conversation_id "
    f"AND o.at >= m.at AND o.at < {_TURN_END} AND o.file <> '' GROUP BY m.id HAVING count(DISTINCT o.file) <= :most_files) "
    "SELECT DISTINCT k.id FROM narrow JOIN memory_source e ON e.message_id = narrow.id JOIN memory k ON k.id = e.memory_id "
    "WHERE k.kind = 'fact' ORDER BY k.id DESC LIMIT :most"
)


_SEEN_WITH = (
    "WITH seen AS (SELECT m.id, m.conversation_id FROM message m JOIN conversation c ON c.id = m.conversation_id "
    "JOIN stream s ON s.id = c.stream_id WHERE s.project_id = :project AND m.speaker = 'user' AND instr(m.text, :text) > 0 "
    "ORDER BY m.id DESC LIMIT 20) "
    "SELECT k.id FROM seen JOIN memory_source e ON e.message_id = seen.id OR e.conversation_id = seen.conversation_id "
    "JOIN memory k ON k.id = e.memory_id WHERE k.kind = 'episode' OR e.message_id = seen.id GROUP BY k.id ORDER BY max(seen.id) DESC, k.id DESC LIMIT :most"
)


def fetch(connection: Connection, statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """All rows as the driver gives them."""
    found: list[tuple[Any, ...]] = connection.connection.driver_connection.execute(statement, values).fetchall()  # type: ignore[union-attr]
    return found


def as_ids(ids: Iterable[int]) -> str:
    """As JSON: which a list of whole numbers is as Python writes it, in a tenth of the time."""
    return str(list(ids))


_TITLES = (
    "SELECT s.memory_id, coalesce(nullif(c.title, ''), nullif(c.auto_title, ''), s.conversation_title) AS name, min(s.id) "
    "FROM memory_source s LEFT JOIN conversation c ON c.id = s.conversation_id "
    "WHERE s.memory_id IN (SELECT value FROM json_each(:ids)) AND name <> '' GROUP BY s.memory_id"
)


_ORIGINS = (
    "SELECT s.memory_id, coalesce(s.quote, ''), coalesce(s.conversation_title, ''), coalesce(substr(m.text, 1, :chars), '') "  # noqa: S608 (constants only)
    f"FROM memory_source s LEFT JOIN message m ON m.id = s.message_id AND m.speaker = 'user' WHERE s.memory_id {_IN}"
)
_NEWEST_FACTS = (
    "SELECT id FROM memory WHERE project_id = :project AND status IN ('active', 'proposed') AND retired_at IS NULL "
    "AND kind = 'fact' ORDER BY updated_at DESC, id DESC LIMIT :most"
)


def load_origins(connection: Connection, ids: Iterable[int], chars: int) -> list[tuple[int, str, str, str]]:
    """Of each memory, for every place where it was said: the person's words, the conversation's title, the prompt's beginning."""
    return [(int(row[0]), *row[1:]) for row in fetch(connection, _ORIGINS, {"ids": as_ids(ids), "chars": chars})]


def find_said_while_changed(
    connection: Connection, project_id: int, files: Sequence[str], most_files: int, most: int
) -> list[int]:
    """The newest facts said in the prompts after which one of `files` was changed, and no more than `most_files` files together."""
    values = {"project": project_id, "files": json.dumps(list(files)), "most_files": most_files, "most": most}
    return [int(key) for (key,) in fetch(connection, _SAID_WHILE_CHANGED, values)]


def find_seen_with(connection: Connection, project_id: int, text: str, most: int) -> list[int]:
    """Episodes of the conversations in which a prompt held `text`, and what was said in that very prompt; the newest first."""
    return [int(key) for (key,) in fetch(connection, _SEEN_WITH, {"project": project_id, "text": text, "most": most})]


def find_newest_facts(connection: Connection, project_id: int, most: int) -> list[int]:
    return [int(key) for (key,) in fetch(connection, _NEWEST_FACTS, {"project": project_id, "most": most})]


def load_conversation_titles(connection: Connection, ids: Iterable[int]) -> dict[int, str]:
    """Of each memory the title of the conversation in which it was said first, where that has one."""
    return {int(key): title for key, title, _ in fetch(connection, _TITLES, {"ids": as_ids(ids)})}


def load_givable_rows(
    connection: Connection, ids: Iterable[int], project_id: int | None, now: int, *, has_withheld: bool = True
) -> dict[int, CandidateRow]:
    """Those of the memories that may be given in this project now.

    `has_withheld`: also what the person chose never to give, for whoever leaves it out and says why.
    """
    values = {"ids": as_ids(ids), "project": project_id, "now": now}
    statement = _BY_ID if has_withheld else _GIVEN_BY_ID
    return {row[0]: CandidateRow._make(row) for row in fetch(connection, statement, values)}


def find_givable(connection: Connection, ids: Iterable[int], project_id: int | None, now: int) -> dict[int, str]:
    """The same memories as `load_givable_rows` finds, each with its kind and no more."""
    values = {"ids": as_ids(ids), "project": project_id, "now": now}
    return dict(fetch(connection, _KIND_BY_ID, values))


class NewRow(NamedTuple):
    """A memory of a project with its place among the newest; it holds from `valid_from` on."""

    updated_at: int
    id: int
    valid_from: int
    row: CandidateRow


def load_newest_rows(connection: Connection, project_id: int, now: int, limit: int) -> list[NewRow]:
    """The newest that are not over, also such as hold only later."""
    values = {"project": project_id, "now": now, "limit": limit}
    return [_new_row(row) for row in fetch(connection, _NEWEST, values)]


def load_new_rows(connection: Connection, ids: Iterable[int], project_id: int, now: int) -> list[NewRow]:
    """The same of these memories, in no order."""
    values = {"ids": as_ids(ids), "project": project_id, "now": now}
    return [_new_row(row) for row in fetch(connection, _NEW_OF, values)]


def _new_row(row: tuple[Any, ...]) -> NewRow:
    return NewRow(row[-2], row[0], row[-1], CandidateRow._make(row[:-2]))


class OpenPair(NamedTuple):
    """Two memories that cannot both hold while nobody has decided, the older one first."""

    id: int
    a_id: int
    b_id: int
    a_text: str
    b_text: str
    least_trust: int


def load_open_pairs(connection: Connection, ids: Iterable[int], project_id: int | None, now: int) -> list[OpenPair]:
    """Open contradictions of one of these memories, both sides of which may be given in this project; the newest first."""
    open_count = fetch(connection, _OPEN_COUNT, {"most": _FEW_OPEN + 1})[0][0]
    if not open_count:
        return []
    statement = _OPEN_AMONG if open_count <= _FEW_OPEN else _OPEN
    values = {"ids": as_ids(ids), "project": project_id, "now": now, "limit": _PAIRS_READ}
    return [OpenPair._make(row) for row in fetch(connection, statement, values)]


def load_pairs_as_of(connection: Connection, ids: Iterable[int], project_id: int | None, at: int) -> list[OpenPair]:
    """Contradictions that were open at that time, whatever came of them; whether the sides held then is not asked."""
    values = {"ids": as_ids(ids), "project": project_id, "at": at, "limit": _PAIRS_READ}
    return [OpenPair._make(row) for row in fetch(connection, _OPEN_AS_OF, values)]


def load_slot_rows(connection: Connection, slot_keys: Iterable[str], project_id: int, now: int) -> list[CandidateRow]:
    """What the project itself says of these slots now."""
    values = {"ids": json.dumps(list(slot_keys)), "project": project_id, "now": now, "limit": _SLOTS_READ}
    return [CandidateRow._make(row) for row in fetch(connection, _OF_SLOTS, values)]


def load_flags(connection: Connection, ids: Iterable[int] | None) -> list[tuple[int, bool, bool]]:
    """(memory, is pinned, may be given beyond its project) of those that are one or the other; of `ids`, of all of these."""
    if ids is None:
        wanted = f" WHERE is_pinned OR {where('shared')}"
        return [(row[0], bool(row[1]), bool(row[2])) for row in fetch(connection, _FLAGS + wanted, {})]
    rows = fetch(connection, f"{_FLAGS} WHERE id {_IN}", {"ids": as_ids(ids)})
    return [(row[0], bool(row[1]), bool(row[2])) for row in rows]


def load_placement_rows(connection: Connection, ids: Iterable[int] | None) -> list[tuple[int, int, str, str, bool]]:
    """(rule, memory, level, tier, is withheld) of what a person chose; "" for what they did not. Of `ids`, or of all memories."""
    values = {"kind": PLACEMENT_RULE} | ({"ids": as_ids(ids)} if ids is not None else {})
    rows = fetch(connection, _PLACED if ids is None else f"{_PLACED} AND m.id {_IN}", values)
    return [(row[0], row[1], row[2], row[3], bool(row[4])) for row in rows]


def find_about_files(connection: Connection, files: Iterable[str]) -> list[int]:
    """Memories to which one of these files is attached."""
    return [memory_id for _, memory_id in _find_about(connection, list(files), _OF_ONE_FILE)]


def find_about_each(connection: Connection, files: Iterable[str]) -> list[tuple[str, int]]:
    """(file, memory): of each of these files the newest memories that it is attached to."""
    return _find_about(connection, list(files), _OF_EACH_FILE)


def _find_about(connection: Connection, files: Sequence[str], most: int) -> list[tuple[str, int]]:
    values = {"files": json.dumps(files), "most": most}
    return [(row[0], row[1]) for row in fetch(connection, _ABOUT, values)] if files else []


def find_linked(connection: Connection, ids: Iterable[int]) -> dict[int, float]:
    """Memories linked with one of these, and how strongly."""
    own = set(ids)
    found: dict[int, float] = {}
    for _, other, strength in fetch(connection, _LINKS, {"ids": as_ids(sorted(own))}) if own else ():
        if other not in own:
            found[other] = max(found.get(other, 0.0), float(strength))
    return found


def find_naming(connection: Connection, memory_ids: Sequence[int], name: str) -> list[int]:
    """Those of the memories that say a word of the name as a word of its own: "Tim" is no part of "timezone"."""
    words = [re.escape(word) for word in name.split() if len(word) > 1]
    if not words:
        return []
    said = re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", re.IGNORECASE)
    texts = fetch(connection, f"SELECT id, title, full FROM memory WHERE id {_IN}", {"ids": as_ids(memory_ids)})  # noqa: S608
    return [int(number) for number, *said_in in texts if said.search("\n".join(said_in))]


def find_worded_by(connection: Connection, ids: Iterable[int], app: str, note: str) -> frozenset[int]:
    """Those of these memories that an app worded and that hold such a note in their details."""
    own = f"SELECT id FROM memory WHERE id {_IN} AND worded_by = :app AND details ->> :note IS NOT NULL"  # noqa: S608 (constants only)
    return frozenset(row[0] for row in fetch(connection, own, {"ids": as_ids(ids), "app": app, "note": f"$.{note}"}))
