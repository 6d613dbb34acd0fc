"""Counts by day, kind and project, and what the person corrected, each by one statement over plain columns. No row leaves here.

Instants are microseconds since 1970; the caller brings the bounds of its days. Who asks brings the walls. Knows no calendar. Source: issue 18 "Timeline and statistics".
"""

# ruff: noqa: S608 (our own words and numbers)
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, and_, case, func, select

from app.store.journal import table_of
from app.store.rows.context import fetch
from app.store.rows.project import is_project
from app.store.tables.context import ReceiptItemRow, ReceiptRow
from app.store.tables.core import EventRow, LearnedRuleRow, MessageRow, ProjectRow, ReferenceRow
from app.store.tables.memory import MemoryRow

_message, _event, _reference, _rule, _receipt, _item, _memory, _project = (
    table_of(row)
    for row in (MessageRow, EventRow, ReferenceRow, LearnedRuleRow, ReceiptRow, ReceiptItemRow, MemoryRow, ProjectRow)
)
LINE = "line"  # the kind of a line of ours in a context that holds no memory
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


class MessageCounts(NamedTuple):
    """What is in some conversations. `ambiguous`: references that point to several things and may be asked about now."""

    messages: int
    asked: int
    ambiguous: int
    redacted: int
    bytes: int


def count_in_conversations(connection: Connection, conversation_ids: Sequence[int]) -> MessageCounts:
    here = _message.c.conversation_id.in_(conversation_ids)
    is_asked = func.coalesce(func.sum(case((_message.c.boundary_state == "asked", 1), else_=0)), 0)
    redacted = func.coalesce(func.sum(_message.c.redaction_count), 0)
    sizes = _bytes(_message.c.text) + _bytes(_message.c.expanded_text)
    messages, asked, redacted_count, size = connection.execute(
        select(func.count(), is_asked, redacted, sizes).select_from(_message).where(here)
    ).one()
    # the answer to an open boundary reads the message again: asking what its words mean comes after that
    unclear = (
        select(func.count())
        .select_from(_reference.join(_message, _message.c.id == _reference.c.message_id))
        .where(_reference.c.state == "ambiguous", _message.c.boundary_state != "asked", here)
    )
    ambiguous = int(connection.execute(unclear).scalar() or 0)
    return MessageCounts(int(messages), int(asked), ambiguous, int(redacted_count), int(size))


def count_events(connection: Connection) -> dict[str, int]:
    """How many events wait in the inbox or failed, by state."""
    counted = select(_event.c.state, func.count()).where(_event.c.state.in_(("pending", "failed")))
    return {str(state): int(count) for state, count in connection.execute(counted.group_by(_event.c.state))}


def measure_rules(connection: Connection) -> tuple[int, int]:
    """How many rules were learned, and their bytes."""
    size = _bytes(_rule.c.pattern) + _bytes(_rule.c.details) + _bytes(_rule.c.conversation_ids)
    count, total = connection.execute(select(func.count(), size).select_from(_rule)).one()
    return int(count), int(total)


def prompts_since(connection: Connection, since: datetime) -> Sequence[datetime]:
    """When prompts were typed that were understood."""
    is_prompt = (_event.c.kind == "prompt", _event.c.state == "done", _event.c.at >= since)
    return connection.execute(select(_event.c.at).where(*is_prompt)).scalars().all()


def _bytes(column: Any) -> Any:
    """The size of all values of a text column together; SQLite reads it off the head of each row."""
    return func.coalesce(func.sum(func.octet_length(column)), 0)


class GivenContexts(NamedTuple):
    """The contexts that were given since then, of an app, of a project by its path or name."""

    since: datetime
    app: str = ""
    project: str = ""

    def load(self, connection: Connection) -> Sequence[Any]:
        """(at, app, token_count, name of the project or None) of each."""
        given: Select[Any] = select(_receipt.c.at, _receipt.c.app, _receipt.c.token_count, _project.c.name)
        given = given.outerjoin(_project, _project.c.id == _receipt.c.project_id)
        return connection.execute(given.where(*self._conditions())).all()

    def total(self, connection: Connection) -> tuple[int, int]:
        """Tokens, and how many contexts."""
        counted = select(func.coalesce(func.sum(_receipt.c.token_count), 0), func.count()).select_from(_receipt)
        if self.project:
            counted = counted.outerjoin(_project, _project.c.id == _receipt.c.project_id)
        tokens, count = connection.execute(counted.where(*self._conditions())).one()
        return int(tokens), int(count)

    def count_lines(self, connection: Connection, title: str) -> tuple[int, int]:
        """How many lines of this title that hold no memory, and their tokens."""
        counted = self._items(func.count(), func.coalesce(func.sum(_item.c.token_count), 0))
        count, tokens = connection.execute(counted.where(_item.c.memory_id == 0, _item.c.title == title)).one()
        return int(count), int(tokens)

    def tokens_by_kind(self, connection: Connection, line: str) -> list[tuple[str | None, str | None, int]]:
        """(kind, type, tokens) of what was given; the kind of a line of that title that holds no memory is `LINE`."""
        is_line = and_(_item.c.memory_id == 0, _item.c.title == line)
        kind = case((is_line, LINE), else_=_memory.c.kind)
        counted = self._items(kind, _memory.c.type, func.sum(_item.c.token_count))
        counted = counted.outerjoin(_memory, _memory.c.id == _item.c.memory_id).group_by(kind, _memory.c.type)
        return [(kind, fact_type, int(tokens)) for kind, fact_type, tokens in connection.execute(counted)]

    def _items(self, *columns: Any) -> Select[Any]:
        joined = select(*columns).select_from(_item).join(_receipt, _receipt.c.id == _item.c.receipt_id)
        return joined.outerjoin(_project, _project.c.id == _receipt.c.project_id).where(*self._conditions())

    def _conditions(self) -> list[ColumnElement[bool]]:
        found = [_receipt.c.at >= self.since, _receipt.c.is_delivered]
        found += [_receipt.c.app == self.app] if self.app else []
        found += [is_project(self.project)] if self.project else []
        return found
