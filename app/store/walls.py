"""The wall of a program's token: what it may read of every table, as one set of conditions.

A token that is bound to projects sees only these; no program sees what the person chose never to give.

A reading connection gets them as views that stand before the tables, so that any query, also one that is written later, sees only
what the token may see; a write asks them of the row that it is about to change. Only what is read for a caller stands behind the
wall: what the app keeps in memory for everybody is read without. Source: QUALITY S1, S9.
"""

# ruff: noqa: S608 (our own words and numbers)
from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, text

from app.acting import Actor, bound_actor
from app.errors import NotFoundError

# In this order: each may ask those before it, by the name of the table. `{own}`: the projects, as a list of numbers.
_OWN_MEMORY = "memory_id IN (SELECT id FROM memory)"
_WALLS: dict[str, str] = {
    "memory": (
        "SELECT * FROM main.memory WHERE (project_id IS NULL OR project_id IN ({own}) OR visibility <> 'user-private') "
        "AND id NOT IN ({withheld})"
    ),
    "project": (
        "SELECT * FROM main.project WHERE id IN ({own}) OR path = '' OR id IN "
        "(SELECT project_id FROM main.memory WHERE visibility <> 'user-private')"
    ),
    "stream": "SELECT * FROM main.stream WHERE project_id IN ({own})",
    "conversation": "SELECT * FROM main.conversation WHERE stream_id IN (SELECT id FROM stream)",
    "message": (
        "SELECT * FROM main.message WHERE conversation_id IN (SELECT id FROM conversation) "
        "AND stream_id IN (SELECT id FROM stream)"
    ),
    "archived_prompt": "SELECT * FROM main.archived_prompt WHERE stream_id IN (SELECT id FROM stream)",
    "mention": "SELECT * FROM main.mention WHERE message_id IN (SELECT id FROM message)",
    "reference": (
        "SELECT * FROM main.reference WHERE message_id IN (SELECT id FROM message) "
        "AND (antecedent_message_id IS NULL OR antecedent_message_id IN (SELECT id FROM message)) "
        "AND NOT EXISTS (SELECT 1 FROM json_each(candidates) c WHERE json_extract(c.value, '$[2]') IS NOT NULL "
        "AND json_extract(c.value, '$[2]') NOT IN (SELECT id FROM message))"
    ),
    "entity": "SELECT * FROM main.entity WHERE id IN (SELECT entity_id FROM mention)",
    "tool_use": "SELECT * FROM main.tool_use WHERE conversation_id IN (SELECT id FROM conversation)",
    "chunk": "SELECT * FROM main.chunk WHERE conversation_id IN (SELECT id FROM conversation)",
    "event": "SELECT * FROM main.event WHERE message_id IN (SELECT id FROM message)",
    "memory_version": f"SELECT * FROM main.memory_version WHERE {_OWN_MEMORY}",
    "memory_tag": f"SELECT * FROM main.memory_tag WHERE {_OWN_MEMORY}",
    "memory_cut": f"SELECT * FROM main.memory_cut WHERE {_OWN_MEMORY}",
    "embedding": f"SELECT * FROM main.embedding WHERE {_OWN_MEMORY}",
    "usage_event": f"SELECT * FROM main.usage_event WHERE {_OWN_MEMORY}",
    "artifact": f"SELECT * FROM main.artifact WHERE {_OWN_MEMORY}",
    "contradiction": (
        "SELECT * FROM main.contradiction WHERE memory_a_id IN (SELECT id FROM memory) "
        "AND memory_b_id IN (SELECT id FROM memory)"
    ),
    "link": "SELECT * FROM main.link WHERE "
    + " AND ".join(
        f"({side}_kind = 'file' OR ({side}_kind = 'memory' AND {side}_id IN (SELECT id FROM memory)) "
        f"OR ({side}_kind = 'entity' AND {side}_id IN (SELECT id FROM entity)) "
        f"OR ({side}_kind = 'conversation' AND {side}_id IN (SELECT id FROM conversation)))"
        for side in ("from", "to")
    ),
    "link_verdict": "SELECT * FROM main.link_verdict WHERE "
    + " AND ".join(
        f"({side}_kind = 'file' OR ({side}_kind = 'memory' AND {side}_id IN (SELECT id FROM memory)) "
        f"OR ({side}_kind = 'entity' AND {side}_id IN (SELECT id FROM entity)) "
        f"OR ({side}_kind = 'conversation' AND {side}_id IN (SELECT id FROM conversation)))"
        for side in ("a", "b")
    ),
    "entity_alias": "SELECT * FROM main.entity_alias WHERE entity_id IN (SELECT id FROM entity)",
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
    "pair_check": (
        "SELECT * FROM main.pair_check WHERE memory_a_id IN (SELECT id FROM memory) "
        "AND memory_b_id IN (SELECT id FROM memory)"
    ),
    "note": "SELECT * FROM main.note WHERE project_id IN ({own})",
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
# A memory that is told everywhere may have been said in another project: its words are told, where they were said is not.
_SOURCES = (
    "SELECT id, memory_id, message_id, conversation_id, CASE WHEN is_here THEN conversation_title ELSE '' END "
    "AS conversation_title, app, at, CASE WHEN is_here THEN quote ELSE '' END AS quote, start, \"end\" FROM (SELECT *, "
    "(conversation_id IS NULL OR conversation_id IN (SELECT id FROM conversation)) AS is_here FROM main.memory_source "
    f"WHERE {_OWN_MEMORY})"
)
WALLS = {**_WALLS, "memory_source": _SOURCES}
OPEN_TABLES = frozenset(
    {"app", "meta", "index_wait", "archive_wait", "energy_entry", "embedding_model", "note_choice"}
)  # names of programs, counters and numbers; no words of a project


# Of a token that is bound to no project only these are walled, by what is never given.
_UNBOUND = {
    "memory": "SELECT * FROM main.memory WHERE id NOT IN ({withheld})",
    **{
        name: WALLS[name]
        for name in (
            "memory_version",
            "memory_tag",
            "memory_cut",
            "embedding",
            "usage_event",
            "artifact",
            "contradiction",
        )
    },
    "memory_source": f"SELECT * FROM main.memory_source WHERE {_OWN_MEMORY}",
    "operation": (
        "SELECT * FROM main.operation o WHERE NOT EXISTS (SELECT 1 FROM main.change c WHERE c.operation_id = o.id "
        "AND c.table_name = 'memory' AND c.row_id IN ({withheld}))"
    ),
    "change": "SELECT * FROM main.change WHERE operation_id IN (SELECT id FROM operation)",
}
_NEVER_GIVEN = text(
    "SELECT data ->> '$.memory_id' FROM main.rule WHERE kind = 'memory.placement' AND data ->> '$.is_withheld'"
)


def load_never_given(connection: Connection) -> list[int]:
    """The numbers of the memories that the person chose never to give."""
    return [int(one) for one in connection.execute(_NEVER_GIVEN).scalars()]


def views_for(connection: Connection, who: Actor) -> list[str]:
    """The statements that put the wall of this program before the tables of one connection."""
    withheld = () if who.is_admin else load_never_given(connection)
    own = load_projects(connection, who)
    walls = WALLS if who.projects else _UNBOUND
    return [f'CREATE TEMP VIEW "{name}" AS {_within(select, own, withheld)}' for name, select in walls.items()]


def check_row(connection: Connection, table: str, row_id: int) -> None:
    """Raises NotFoundError, as for a row that does not exist, for one that stands behind the wall of whoever acts."""
    who = bound_actor()
    if who is None or table not in {"memory", "conversation", "message", "reference", "event"}:
        return
    own = load_projects(connection, who)
    before = ", ".join(f'"{name}" AS ({_within(select, own, ())})' for name, select in WALLS.items() if name in _ASKED)
    found = text(f'WITH {before} SELECT 1 FROM "{table}" WHERE id = :row_id')
    if connection.execute(found, {"row_id": row_id}).first() is None:
        raise NotFoundError(
            f"There is no {table} number {row_id} here.",
            hint="This token is bound to other projects; Apps shows which.",
        )


_ASKED = ("memory", "stream", "conversation", "message", "reference", "event")


def load_projects(connection: Connection, who: Actor) -> list[int]:
    """The numbers of the projects that a token is bound to; of a folder where nothing was said yet there is none."""
    wanted = text("SELECT id FROM main.project WHERE path IN :paths").bindparams(bindparam("paths", expanding=True))
    return [int(one) for one in connection.execute(wanted, {"paths": list(who.projects)}).scalars()]


def _within(select: str, own: Sequence[int], withheld: Sequence[int]) -> str:
    return select.replace("{own}", _numbers(own)).replace("{withheld}", _numbers(withheld))


def _numbers(ids: Sequence[int]) -> str:
    return ", ".join(map(str, ids)) or "-1"
