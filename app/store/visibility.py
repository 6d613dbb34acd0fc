"""What may be given here, now, to whom: the one condition on memories, the one test of a row, and the wall of a program's token.

The conditions are here by name, as SQL and as a test of a row that was read anyway, and nobody writes them again; each alone is
asked why a memory is not given. A token that is bound to projects sees only these; no program sees what the person chose never to give,
what comes from a folder that they exclude since, or what waits in quarantine. A reading connection gets that as views that stand
before the tables, so that any query, also one that is written later, sees only what the token may see; a write asks them of the row
that it is about to change. Only what is read for a caller is behind the wall: what the app keeps in memory for everybody is read
without. Instants are microseconds since 1970. Source: QUALITY S1, S7, S9.
"""

# ruff: noqa: S608 (our own words and numbers)
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Protocol

from sqlalchemy import Connection, Select, TextClause, bindparam, column, select, table, text

from app.actor import Actor, bound_actor, program
from app.errors import NotFoundError
from app.values import MemoryStatus, Trust

_WITHHELD = "SELECT data ->> '$.memory_id' FROM main.rule WHERE kind = 'memory.placement' AND data ->> '$.is_withheld'"
_EXCLUDED = "SELECT p.id FROM main.rule r CROSS JOIN main.project p WHERE r.kind = 'exclude.folder' AND is_in_folder(p.path, r.pattern)"
NEVER_GIVEN = f"{_WITHHELD} UNION SELECT id FROM main.memory WHERE project_id IN ({_EXCLUDED})"
# `{m}`: the table of memories, or its name in the statement. Values: `:now`, and `:project`, which may be NULL.
_CONDITIONS = {
    "status": "{m}.status = 'active'",
    "unconfirmed": "({m}.status = 'proposed' AND {m}.trust = 2)",  # the person typed it and has not confirmed it
    "found": "({m}.status = 'active' OR {m}.status = 'proposed' AND {m}.trust = 2)",  # by whoever asks for it
    "retired": "{m}.retired_at IS NULL",
    "begun": "{m}.valid_from <= :now",
    "ended": "({m}.valid_to IS NULL OR {m}.valid_to > :now)",
    "project": "({m}.project_id = :project OR {m}.project_id IS NULL OR {m}.visibility <> 'user-private')",
    "shared": "({m}.project_id IS NULL OR {m}.visibility <> 'user-private')",
    "excluded": f"({{m}}.project_id IS NULL OR {{m}}.project_id NOT IN ({_EXCLUDED}))",
    "withheld": f"{{m}}.id NOT IN ({_WITHHELD})",
}
VALID = ("begun", "ended")
CURRENT = ("status", "retired", *VALID)
PERMITTED = ("project", "excluded", "withheld")  # to an assistant in the project, whatever holds
GIVABLE = (*CURRENT, *PERMITTED)


@lru_cache(maxsize=64)
def where(*names: str, memory: str = "memory") -> str:
    """The conditions of these names as SQL, on the table of memories or what the statement calls it.

    >>> where("status", "begun", memory="a")
    "a.status = 'active' AND a.valid_from <= :now"
    """
    return " AND ".join(_CONDITIONS[name].format(m=memory) for name in names)


def clause(*names: str, **values: int | None) -> TextClause:
    """The same for a statement of the library's, as one condition that may be beside others of other values."""
    made = text(f"({where(*names)})")
    return made.bindparams(*(bindparam(name, value, unique=True) for name, value in values.items()))


class GivableRow(Protocol):
    """What of a memory's row decides whether it may be given. Instants are microseconds."""

    @property
    def status(self) -> str: ...
    @property
    def trust(self) -> int: ...
    @property
    def retired_at(self) -> int | None: ...
    @property
    def valid_from(self) -> int: ...
    @property
    def valid_to(self) -> int | None: ...
    @property
    def project_id(self) -> int | None: ...
    @property
    def visibility(self) -> str: ...


def passes(connection: Connection, memory_id: int, name: str, values: Mapping[str, int | None]) -> bool:
    """Whether a memory meets one of the conditions. `values`: "project" and "now" in microseconds."""
    found: Select[tuple[int]] = (
        select(column("id")).select_from(table("memory")).where(column("id") == memory_id, clause(name))
    )
    return connection.execute(found, dict(values)).first() is not None


def may_be_given(
    row: GivableRow,
    project_id: int | None,
    now: int,
    *,
    excluded: Collection[int] = (),
    takes_unconfirmed: bool = False,
) -> bool:
    """The test of a row that says the same as the conditions of `GIVABLE`, but for what is withheld, which is known by its number.

    `excluded`: the projects of `load_excluded`. `takes_unconfirmed`: also what the person typed and has not confirmed.
    """
    is_taken = row.status == MemoryStatus.ACTIVE or (takes_unconfirmed and is_unconfirmed(row.status, row.trust))
    if not is_taken or row.retired_at is not None or not is_valid(row.valid_from, row.valid_to, now):
        return False
    return (
        row.project_id == project_id or is_shared(row.project_id, row.visibility)
    ) and row.project_id not in excluded


def is_valid(valid_from: int, valid_to: int | None, at: int) -> bool:
    """Whether it is true in the world at that instant.

    >>> is_valid(1, None, 1), is_valid(1, 5, 5)
    (True, False)
    """
    return valid_from <= at and (valid_to is None or valid_to > at)


def is_unconfirmed(status: str, trust: int) -> bool:
    """Whether the person typed it and has not confirmed it: found when it is asked for, and marked."""
    return status == MemoryStatus.PROPOSED and trust == Trust.SPOKEN


def is_shared(project_id: int | None, visibility: str) -> bool:
    """Whether it may be given in every project."""
    return project_id is None or visibility != "user-private"


def load_never_given(connection: Connection) -> frozenset[int]:
    """The numbers of the memories that no program is given: the person chose so, or excludes the folder that they come from."""
    return frozenset(int(one) for one in connection.exec_driver_sql(NEVER_GIVEN).scalars())


def load_excluded(connection: Connection) -> frozenset[int]:
    """The numbers of the projects whose folder the person excludes."""
    return frozenset(connection.exec_driver_sql(_EXCLUDED).scalars())


def load_hidden(connection: Connection) -> frozenset[int]:
    """What a program that is bound to no project does not see of memories; nearly always few."""
    return frozenset(int(one) for one in connection.exec_driver_sql(_HIDDEN).scalars())


def load_seen(connection: Connection) -> frozenset[int]:
    """All memories that whoever reads by this connection may see."""
    return frozenset(int(one) for one in connection.exec_driver_sql("SELECT id FROM memory").scalars())


_HIDDEN = f"{NEVER_GIVEN} UNION SELECT id FROM main.memory WHERE status = 'quarantined'"
_IS_ANY_HIDDEN = (
    f"SELECT EXISTS ({_WITHHELD}) OR EXISTS (SELECT 1 FROM main.memory WHERE status = 'quarantined') "
    f"OR EXISTS (SELECT 1 FROM main.memory WHERE project_id IN ({_EXCLUDED}))"
)

# the wall of a token ------------------------------------------------------------------------------

# Each may ask the others, by the name of the table. `{own}`: the projects, as a list of numbers; the others: what no program sees.
_GIVEN_TO_PROGRAMS = where("excluded", "withheld", memory="m")
_OWN_MEMORY = "memory_id IN (SELECT id FROM memory)"
_PROGRAMS = {  # a note and a summary of old messages say in other words what was learned there
    "{seen}": f"status <> 'quarantined' AND {_GIVEN_TO_PROGRAMS}",
    "{noted}": (
        f"(project_id IS NULL OR project_id NOT IN ({_EXCLUDED})) AND (memory_id IS NULL OR memory_id NOT IN ({_WITHHELD})) "
        "AND NOT EXISTS (SELECT 1 FROM main.memory_source s WHERE s.conversation_id = n.conversation_id "
        f"AND s.memory_id IN ({_WITHHELD}))"
    ),
    "{summed}": (
        "NOT EXISTS (SELECT 1 FROM main.memory_source s WHERE s.conversation_id = c.conversation_id "
        f"AND s.message_id BETWEEN c.first_message_id AND c.last_message_id AND s.memory_id IN ({_WITHHELD}))"
    ),
}


def _ends(first: str, second: str) -> str:
    """The condition that both ends of a link may be seen."""
    return " AND ".join(
        f"({side}_kind = 'file' OR ({side}_kind = 'memory' AND {side}_id IN (SELECT id FROM memory)) "
        f"OR ({side}_kind = 'entity' AND {side}_id IN (SELECT id FROM entity)) "
        f"OR ({side}_kind = 'conversation' AND {side}_id IN (SELECT id FROM conversation)))"
        for side in (first, second)
    )


_OF_MEMORIES = {  # what is of memories alone, whoever reads it
    **{
        name: f"SELECT * FROM main.{name} WHERE {_OWN_MEMORY}"
        for name in ("memory_version", "memory_tag", "memory_cut", "embedding", "usage_event", "artifact")
    },
    **{
        name: f"SELECT * FROM main.{name} WHERE memory_a_id IN (SELECT id FROM memory) AND memory_b_id IN (SELECT id FROM memory)"
        for name in ("contradiction", "pair_check")
    },
    "link": f"SELECT * FROM main.link WHERE {_ends('from', 'to')}",
    "link_verdict": f"SELECT * FROM main.link_verdict WHERE {_ends('a', 'b')}",
}
_ASKED_OF_ROWS: dict[str, str] = {  # also of a row that is about to change
    "memory": (
        f"SELECT * FROM main.memory m WHERE ({where('shared', memory='m')} OR project_id IN ({{own}})) AND {{seen}}"
    ),
    "stream": "SELECT * FROM main.stream WHERE project_id IN ({own})",
    "conversation": "SELECT * FROM main.conversation WHERE stream_id IN (SELECT id FROM stream)",
    "message": (
        "SELECT * FROM main.message WHERE conversation_id IN (SELECT id FROM conversation) "
        "AND stream_id IN (SELECT id FROM stream)"
    ),
    "reference": (
        "SELECT * FROM main.reference WHERE message_id IN (SELECT id FROM message) "
        "AND (antecedent_message_id IS NULL OR antecedent_message_id IN (SELECT id FROM message)) "
        "AND NOT EXISTS (SELECT 1 FROM json_each(candidates) c WHERE json_extract(c.value, '$[2]') IS NOT NULL "
        "AND json_extract(c.value, '$[2]') NOT IN (SELECT id FROM message))"
    ),
    "event": "SELECT * FROM main.event WHERE message_id IN (SELECT id FROM message)",
}
WALLS: dict[str, str] = {
    **_ASKED_OF_ROWS,
    **_OF_MEMORIES,
    "project": (
        "SELECT * FROM main.project WHERE id IN ({own}) OR path = '' OR id IN "
        f"(SELECT project_id FROM main.memory m WHERE {where('shared', memory='m')} AND {{seen}})"
    ),
    # A memory that is given everywhere may have been said in another project: its words are given, where they were said is not.
    "memory_source": (
        "SELECT id, memory_id, message_id, conversation_id, CASE WHEN is_here THEN conversation_title ELSE '' END "
        "AS conversation_title, app, at, CASE WHEN is_here THEN quote ELSE '' END AS quote, start, \"end\" FROM (SELECT *, "
        "(conversation_id IS NULL OR conversation_id IN (SELECT id FROM conversation)) AS is_here FROM main.memory_source "
        f"WHERE {_OWN_MEMORY})"
    ),
    "archived_prompt": "SELECT * FROM main.archived_prompt WHERE stream_id IN (SELECT id FROM stream)",
    "mention": "SELECT * FROM main.mention WHERE message_id IN (SELECT id FROM message)",
    "entity": "SELECT * FROM main.entity WHERE id IN (SELECT entity_id FROM mention)",
    "entity_alias": "SELECT * FROM main.entity_alias WHERE entity_id IN (SELECT id FROM entity)",
    "tool_use": "SELECT * FROM main.tool_use WHERE conversation_id IN (SELECT id FROM conversation)",
    "chunk": "SELECT * FROM main.chunk c WHERE conversation_id IN (SELECT id FROM conversation) AND {summed}",
    "graph_pin": "SELECT * FROM main.graph_pin WHERE 0",  # of the person's own picture
    "rule": (
        "SELECT * FROM main.rule WHERE kind = 'memory.placement' "
        "AND json_extract(data, '$.memory_id') IN (SELECT id FROM memory)"
    ),
    "learned_rule": "SELECT * FROM main.learned_rule WHERE project_id IN ({own})",
    "setting": "SELECT * FROM main.setting WHERE 0",
    "run": "SELECT * FROM main.run WHERE 0",  # of the whole store: the person's
    "action": "SELECT * FROM main.action WHERE 0",
    "judge_request": "SELECT * FROM main.judge_request WHERE project_id IN ({own})",
    "judge_result": "SELECT * FROM main.judge_result WHERE request_id IN (SELECT id FROM judge_request)",
    "judge_task": "SELECT * FROM main.judge_task WHERE request_id IN (SELECT id FROM judge_request)",
    "judge_reading": "SELECT * FROM main.judge_reading WHERE message_id IN (SELECT id FROM message)",
    "judge_past": "SELECT * FROM main.judge_past WHERE event_id IN (SELECT id FROM event)",
    "note": "SELECT * FROM main.note n WHERE project_id IN ({own}) AND {noted}",
    "note_log": "SELECT * FROM main.note_log WHERE note_id IN (SELECT id FROM note)",
    "sketch": "SELECT * FROM main.sketch WHERE project_id IN ({own})",
    "answer_end": "SELECT * FROM main.answer_end WHERE message_id IN (SELECT id FROM message)",
    "receipt": "SELECT * FROM main.receipt WHERE project_id IN ({own})",
    "receipt_item": (
        "SELECT * FROM main.receipt_item WHERE receipt_id IN (SELECT id FROM receipt) "
        "AND (memory_id = 0 OR memory_id IN (SELECT id FROM memory))"
    ),
    "citation": (
        "SELECT * FROM main.citation WHERE receipt_id IN (SELECT id FROM receipt) AND memory_id IN (SELECT id FROM memory)"
    ),
    "message_branch": "SELECT * FROM main.message_branch WHERE message_id IN (SELECT id FROM message)",
    "operation": (
        "SELECT * FROM main.operation o WHERE conversation_id IN (SELECT id FROM conversation) OR (conversation_id IS NULL "
        "AND EXISTS (SELECT 1 FROM main.change c WHERE c.operation_id = o.id AND c.table_name = 'memory') "
        "AND NOT EXISTS (SELECT 1 FROM main.change c WHERE c.operation_id = o.id AND (c.table_name NOT IN "
        "('memory', 'memory_source', 'memory_version') OR (c.table_name = 'memory' "
        "AND c.row_id NOT IN (SELECT id FROM memory)))))"
    ),
    "change": (
        "SELECT * FROM main.change c WHERE operation_id IN (SELECT id FROM operation) AND ("
        "(table_name = 'memory' AND row_id IN (SELECT id FROM memory)) "
        "OR (table_name = 'message' AND row_id IN (SELECT id FROM message)) "
        "OR (table_name = 'conversation' AND row_id IN (SELECT id FROM conversation)) "
        "OR (table_name = 'mention' AND row_id IN (SELECT id FROM mention)) "
        "OR (table_name = 'reference' AND row_id IN (SELECT id FROM reference)))"
    ),
}
OPEN_TABLES = frozenset(
    {"app", "meta", "index_wait", "archive_wait", "energy_entry", "embedding_model", "note_choice"}
)  # names of programs, counters and numbers; no words of a project

# A token that is bound to no project sees all but what no program sees, and what is of it.
_UNBOUND = {
    **_OF_MEMORIES,
    "memory": "SELECT * FROM main.memory m WHERE {seen}",
    "memory_source": f"SELECT * FROM main.memory_source WHERE {_OWN_MEMORY}",
    "receipt_item": "SELECT * FROM main.receipt_item WHERE memory_id = 0 OR memory_id IN (SELECT id FROM memory)",
    "citation": f"SELECT * FROM main.citation WHERE {_OWN_MEMORY}",
    "rule": (
        "SELECT * FROM main.rule WHERE kind <> 'memory.placement' "
        "OR json_extract(data, '$.memory_id') IN (SELECT id FROM memory)"
    ),
    "note": "SELECT * FROM main.note n WHERE {noted}",
    "chunk": "SELECT * FROM main.chunk c WHERE {summed}",
    "note_log": "SELECT * FROM main.note_log WHERE note_id = 0 OR note_id IN (SELECT id FROM note)",
    "operation": (
        "SELECT * FROM main.operation o WHERE NOT EXISTS (SELECT 1 FROM main.change c WHERE c.operation_id = o.id "
        f"AND (c.table_name = 'memory' AND c.row_id IN ({_HIDDEN}) OR "
        + " OR ".join(
            f"c.table_name = '{name}' AND c.row_id IN (SELECT id FROM main.{name} EXCEPT SELECT id FROM {name})"
            for name in ("memory_source", "memory_version", "artifact", "link", "contradiction", "rule", "note")
        )
        + "))"
    ),
    "change": "SELECT * FROM main.change WHERE operation_id IN (SELECT id FROM operation)",
}


def is_walled(connection: Connection, who: Actor) -> bool:
    """Whether anything of the store is hidden from this program."""
    return bool(who.projects) or (not who.is_admin and bool(connection.exec_driver_sql(_IS_ANY_HIDDEN).scalar()))


def views_for(connection: Connection, who: Actor) -> list[str]:
    """The statements that put the wall of this program before the tables of one connection."""
    own = load_projects(connection, who)
    walls = WALLS if who.projects else _UNBOUND
    return [
        f'CREATE TEMP VIEW "{name}" AS {_within(select, own, {} if who.is_admin else _PROGRAMS)}'
        for name, select in walls.items()
    ]


def check_row(connection: Connection, table: str, row_id: int) -> None:
    """Raises NotFoundError, as for a row that does not exist, for one that is behind the wall of whoever acts.

    What waits in quarantine is no such: a program may have written it in this very act.
    """
    who = bound_actor() or program()
    if who is None or table not in (_ASKED_OF_ROWS if who.projects else ("memory",)):
        return
    if not who.projects:
        hidden = text(f"SELECT 1 FROM main.memory m WHERE id = :row_id AND NOT ({_GIVEN_TO_PROGRAMS})")
        if connection.execute(hidden, {"row_id": row_id}).first() is not None:
            raise NotFoundError(f"There is no memory number {row_id}.", hint="It may have been erased.")
        return
    own = load_projects(connection, who)
    unseen = {} if who.is_admin else {"{seen}": _GIVEN_TO_PROGRAMS}
    before = ", ".join(f'"{name}" AS ({_within(select, own, unseen)})' for name, select in _ASKED_OF_ROWS.items())
    found = text(f'WITH {before} SELECT 1 FROM "{table}" WHERE id = :row_id')
    if connection.execute(found, {"row_id": row_id}).first() is None:
        raise NotFoundError(
            f"There is no {table} number {row_id} here.",
            hint="This token is bound to other projects; Apps shows which.",
        )


def load_projects(connection: Connection, who: Actor) -> list[int]:
    """The numbers of the projects that a token is bound to; of a folder where nothing was said yet there is none."""
    wanted = text("SELECT id FROM main.project WHERE path IN :paths").bindparams(bindparam("paths", expanding=True))
    return [int(one) for one in connection.execute(wanted, {"paths": list(who.projects)}).scalars()]


def _within(select: str, own: Sequence[int], of_programs: Mapping[str, str]) -> str:
    made = select.replace("{own}", ", ".join(map(str, own)) or "-1")
    for name in _PROGRAMS:
        made = made.replace(name, of_programs.get(name, "1"))
    return made
