"""Counts by day, kind and project, and what the person corrected, each by one statement over plain columns. No row leaves here.

Instants are microseconds since 1970; the caller brings the bounds of its days. Who asks brings the walls. Knows no calendar. Source: issue 18 "Timeline and statistics".
"""

# ruff: noqa: S608 (our own words and numbers)
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from sqlalchemy import Connection

from app.store.rows.context import fetch

_LEARNED = "status IN ('active', 'archived')"  # not what waits for a yes, nor what is held back
_USAGE = (
    "SELECT e.key, "
    + ", ".join(
        f"(SELECT count(*) FROM usage_event WHERE kind = '{kind}' AND at >= e.value ->> 0 AND at < e.value ->> 1{more})"
        for kind, more in (("retrieved", " AND receipt_id IS NOT NULL"), ("cited", ""), ("ignored", ""))
    )
    + " FROM json_each(:spans) e"
)
_DONE = "o.origin = 'person' AND o.undone_by_id IS NULL AND o.undoes_id IS NULL"
_MOVED = (  # the answer was not what was taken for granted
    "EXISTS (SELECT 1 FROM change c WHERE c.operation_id = o.id AND c.table_name = 'conversation' "
    "AND (c.action = 'insert' OR json_extract(c.after, '$.merged_into_id') IS NOT NULL))"
)
_BY_OPERATION = (
    "SELECT coalesce(sum(o.kind IN ('split', 'merge', 'move')), 0), coalesce(sum(o.kind = 'clarify'), 0), "
    f"coalesce(sum(o.kind = 'clarify' AND {_MOVED}), 0), "
    "count(DISTINCT CASE WHEN o.kind = 'correct_intents' THEN coalesce(o.message_id, -o.id) END) "
    f"FROM operation o WHERE o.at >= :since AND {_DONE}"
)
_PROMPTS = "SELECT count(*) FROM event WHERE kind = 'prompt' AND state = 'done' AND at >= :since AND NOT is_imported"
_REFERENCES = "SELECT count(*), coalesce(sum(state IN ('corrected', 'dismissed')), 0) FROM reference WHERE state IN ('resolved', 'corrected', 'dismissed')"
_CONVERSATIONS = (
    "SELECT coalesce(sum(auto_title <> ''), 0), coalesce(sum(auto_title <> '' AND is_title_edited AND title <> auto_title), 0), "
    "coalesce(sum(auto_outcome IS NOT NULL), 0), coalesce(sum(auto_outcome IS NOT NULL AND is_outcome_edited AND outcome <> auto_outcome), 0) "
    "FROM conversation WHERE merged_into_id IS NULL"
)
_MEMORIES = (
    "SELECT count(*), coalesce(sum(m.worded_by <> 'rules'), 0) FROM memory m "
    "WHERE m.recorded_at >= :since AND m.kind = 'fact' AND m.worded_by <> 'person'"
)
_MEMORIES_CORRECTED = (  # whose words an edited one was before, the journal knows
    "SELECT count(DISTINCT id), count(DISTINCT CASE WHEN first <> 'rules' THEN id END), "
    "count(DISTINCT CASE WHEN now = 'person' THEN id END), count(DISTINCT CASE WHEN now = 'person' AND first <> 'rules' THEN id END) "
    "FROM (SELECT m.id AS id, m.worded_by AS now, coalesce(c.before ->> '$.worded_by', m.worded_by) AS first FROM operation o "
    "CROSS JOIN change c ON c.operation_id = o.id AND c.table_name = 'memory' CROSS JOIN memory m ON m.id = c.row_id "
    "WHERE o.at >= :since AND o.kind IN ('edit_memory', 'reject_memory', 'archive_memory', 'restore_version') "
    f"AND {_DONE} AND m.recorded_at >= :since AND m.kind = 'fact') WHERE first <> 'person'"
)
_CONTRADICTIONS = "SELECT coalesce(sum(state <> 'open'), 0), coalesce(sum(resolution = 'dismissed' AND resolved_by IN ('', 'person')), 0) FROM contradiction"
_ACTIONS = (
    "SELECT coalesce(sum(state IN ('applied', 'undone') OR (state = 'rejected' AND is_decided)), 0), "
    "coalesce(sum(state = 'undone' OR (state = 'rejected' AND is_decided)), 0) FROM action"
)
_FIRSTS = (
    "SELECT min(recorded_at) FROM memory",
    "SELECT min(started_at) FROM conversation",
    "SELECT min(at) FROM usage_event",
)


class LearnedCounts(NamedTuple):
    """Memories by day; and by month, type of a fact or else kind, and project."""

    by_day: Mapping[int, int]
    by_month: Sequence[tuple[int, str, int | None, int]]


class Judged(NamedTuple):
    """How many judgements were made and how many put right, by name."""

    boundary: tuple[int, int]
    question: tuple[int, int]
    intent: tuple[int, int]
    reference: tuple[int, int]
    title: tuple[int, int]
    outcome: tuple[int, int]
    memory_by_rules: tuple[int, int]
    memory_by_reader: tuple[int, int]
    contradiction: tuple[int, int]
    consolidation: tuple[int, int]


def count_learned(connection: Connection, days: Sequence[int], months: Sequence[int]) -> LearnedCounts:
    """Memories recorded in spans with these bounds; the columns in memory say it sooner, where there are such."""
    rows = fetch(
        connection,
        "SELECT recorded_at, CASE WHEN type <> '' THEN type ELSE kind END, project_id FROM memory "
        f"WHERE recorded_at >= :since AND recorded_at < :until AND {_LEARNED}",
        {"since": days[0], "until": days[-1]},
    )
    counted = Counter((bisect_right(months, at) - 1, kind, project) for at, kind, project in rows)
    return LearnedCounts(
        Counter(bisect_right(days, row[0]) - 1 for row in rows), [(*key, count) for key, count in counted.items()]
    )


def count_conversations(connection: Connection, bounds: Sequence[int]) -> dict[int, tuple[int, int]]:
    """By span: conversations that began in it, messages in those."""
    rows = fetch(
        connection,
        "SELECT started_at, message_count FROM conversation "
        "WHERE started_at >= :since AND started_at < :until AND merged_into_id IS NULL",
        {"since": bounds[0], "until": bounds[-1]},
    )
    begun: Counter[int] = Counter()
    messages: Counter[int] = Counter()
    for at, count in rows:
        span = bisect_right(bounds, at) - 1
        begun[span] += 1
        messages[span] += count
    return {span: (count, messages[span]) for span, count in begun.items()}


def count_usage(connection: Connection, bounds: Sequence[int]) -> dict[int, tuple[int, int, int]]:
    """By span: memories given to an assistant, cited, ignored; of spans with any."""
    spans = str([[start, end] for start, end in pairwise(bounds)])
    rows = fetch(connection, _USAGE, {"spans": spans})
    return {int(row[0]): (int(row[1]), int(row[2]), int(row[3])) for row in rows if any(row[1:])}


def count_judged(connection: Connection, since_us: int) -> Judged:
    """What follows messages and memories since then, as long as the journal knows; the rest of all that are kept."""

    def one(statement: str) -> tuple[Any, ...]:
        return fetch(connection, statement, {"since": since_us} if ":since" in statement else {})[0]

    borders, asked, otherwise, intents = one(_BY_OPERATION)
    (prompts,) = one(_PROMPTS)
    titles, retitled, outcomes, other_outcomes = one(_CONVERSATIONS)
    learned, by_reader = one(_MEMORIES)
    corrected, of_reader, reworded, reworded_of_reader = one(_MEMORIES_CORRECTED)
    learned, by_reader = learned + reworded, by_reader + reworded_of_reader
    return Judged(
        boundary=(prompts, borders),
        question=(asked, otherwise),
        intent=(prompts, intents),
        reference=_pair(one(_REFERENCES)),
        title=(titles, retitled),
        outcome=(outcomes, other_outcomes),
        memory_by_rules=(learned - by_reader, corrected - of_reader),
        memory_by_reader=(by_reader, of_reader),
        contradiction=_pair(one(_CONTRADICTIONS)),
        consolidation=_pair(one(_ACTIONS)),
    )


def first_at(connection: Connection) -> int | None:
    """When the oldest of what is counted was; None while there is nothing."""
    found = [fetch(connection, statement, {})[0][0] for statement in _FIRSTS]
    return min((int(one) for one in found if one is not None), default=None)


def project_names(connection: Connection) -> dict[int, str]:
    return {int(row[0]): str(row[1]) for row in fetch(connection, "SELECT id, name FROM project WHERE path <> ''", {})}


def _pair(row: tuple[Any, ...]) -> tuple[int, int]:
    return int(row[0]), int(row[1])
