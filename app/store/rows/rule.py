"""Learned rules in the store: read, reinforced, added, and what a conversation is linked to when it leaves. All their SQL is here."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select, update

from app.deciders.learning.rule_confidence import CONVERSATIONS_KEPT, FIRST_CONFIDENCE, merge_details, reinforce
from app.store.chunked_parameters import slices
from app.store.journal import Write, table_of
from app.store.tables.core import (
    ArchivedPromptRow,
    ConversationRow,
    LearnedRuleRow,
    MentionRow,
    MessageRow,
    ProjectRow,
    RuleRow,
    RunRow,
)
from app.store.tables.memory import LinkRow, MemoryRow, MemorySourceRow
from app.values.fast_values import value_of
from app.values.memory import LinkType, MemoryKind, MemoryStatus
from app.values.rules import LearnedRule, RuleCandidate, RuleKind

_rule, _link, _memory, _source = (table_of(row) for row in (LearnedRuleRow, LinkRow, MemoryRow, MemorySourceRow))
_answer = table_of(RuleRow)
_project, _mention, _message, _archived = (
    table_of(row) for row in (ProjectRow, MentionRow, MessageRow, ArchivedPromptRow)
)
_STANDING = (MemoryStatus.ACTIVE.value, MemoryStatus.PROPOSED.value)
_run, _conversation = table_of(RunRow), table_of(ConversationRow)
_ENTITIES_LINKED, _FILES_LINKED = 12, 20


def load_answers(connection: Connection) -> list[Row[Any]]:
    """What the person answered and corrected, in the order of the answers."""
    return list(connection.execute(select(_answer).order_by(_answer.c.id)).all())


def load_rules_learned(connection: Connection, *, only_on: bool = False) -> tuple[LearnedRule, ...]:
    """All, the surest first; of equal ones the one seen more often, then the older."""
    joined = _joined()
    if only_on:
        joined = joined.where(_rule.c.is_on)
    order = (_rule.c.confidence.desc(), _rule.c.seen_count.desc(), _rule.c.id)
    return tuple(rule_of(row) for row in connection.execute(joined.order_by(*order)))


def _joined() -> Select[Any]:
    """Rules with their project's folder and the runs that were applied since each was seen."""
    idle = select(func.count()).where(_run.c.state == "done", _run.c.finished_at > _rule.c.last_seen_at)
    columns = (_rule, _project.c.path.label("project"), idle.scalar_subquery().label("idle_runs"))
    return select(*columns).outerjoin(_project, _project.c.id == _rule.c.project_id)


def finished_conversations(connection: Connection) -> tuple[int, ...]:
    """Conversations of the queue that are over, the oldest first."""
    over = select(_conversation.c.id).where(_conversation.c.state.in_(("ended", "paused")))
    return tuple(connection.execute(over.order_by(_conversation.c.queue_key, _conversation.c.id)).scalars())


def kept_conversations(connection: Connection) -> list[Any]:
    """(id, title, auto_title) of the conversations of the queue, the newest first."""
    kept = select(_conversation.c.id, _conversation.c.title, _conversation.c.auto_title)
    kept = kept.where(_conversation.c.state != "evicted").order_by(_conversation.c.queue_key.desc())
    return list(connection.execute(kept).all())


def load_rule(connection: Connection, rule_id: int) -> LearnedRule | None:
    row = connection.execute(_joined().where(_rule.c.id == rule_id)).one_or_none()
    return None if row is None else rule_of(row)


def load_fixes(connection: Connection, project_id: int, shape: str) -> tuple[LearnedRule, ...]:
    """What repaired this error in this project, the surest first."""
    own = (_rule.c.kind == RuleKind.FIX.value) & (_rule.c.project_id == project_id) & (_rule.c.pattern == shape)
    rows = connection.execute(
        _joined().where(own, _rule.c.is_on).order_by(_rule.c.confidence.desc(), _rule.c.id.desc())
    )
    return tuple(rule_of(row) for row in rows)


def rule_of(row: Row[Any]) -> LearnedRule:
    return value_of(
        LearnedRule,
        row,
        kind=RuleKind(row.kind),
        project=row.project or "",
        conversation_ids=tuple(row.conversation_ids),
    )


def record_of(rule: LearnedRule) -> dict[str, Any]:
    """Its row, but for the number and what is only counted."""
    return {
        "kind": rule.kind.value, "pattern": rule.pattern, "details": dict(rule.details), "confidence": rule.confidence,
        "seen_count": rule.seen_count, "first_seen_at": rule.first_seen_at, "last_seen_at": rule.last_seen_at,
        "is_on": rule.is_on, "is_edited": rule.is_edited, "project_id": rule.project_id,
        "conversation_ids": list(rule.conversation_ids),
    }  # fmt: skip


def keep_candidates(
    write: Write, candidates: Sequence[RuleCandidate], *, conversation_id: int, project_id: int | None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Adds what is new and reinforces what is known; the numbers of both. A conversation counts once for each rule."""
    known = _find_known(write.connection, {one.pattern for one in candidates})
    added: list[int] = []
    reinforced: list[int] = []
    for one in candidates:
        own_project = project_id if one.is_of_project else None
        row = known.get((one.kind.value, one.pattern, one.identity, own_project))
        if row is None:
            fresh = LearnedRule(
                0, one.kind, one.pattern, one.details, FIRST_CONFIDENCE, 1, write.at, write.at, 0,
                project_id=own_project, conversation_ids=(conversation_id,),
            )  # fmt: skip
            added.append(write.insert(LearnedRuleRow, record_of(fresh) | {"changed_count": 0}))
        elif conversation_id not in row.conversation_ids:
            values = {
                "details": merge_details(one.kind, row.details, one.details),
                "confidence": row.confidence if row.is_edited else reinforce(row.confidence),
                "seen_count": row.seen_count + 1,
                "last_seen_at": max(row.last_seen_at, write.at),
                "conversation_ids": [*row.conversation_ids, conversation_id][-CONVERSATIONS_KEPT:],
            }
            write.update(LearnedRuleRow, row.id, values, was=row)
            reinforced.append(int(row.id))
    return tuple(added), tuple(reinforced)


def _find_known(connection: Connection, patterns: set[str]) -> Mapping[tuple[str, str, str, int | None], Row[Any]]:
    known = {}
    for some in slices(sorted(patterns)):
        for row in connection.execute(select(_rule).where(_rule.c.pattern.in_(some)).order_by(_rule.c.id.desc())):
            identity = RuleCandidate(RuleKind(row.kind), row.pattern, row.details).identity
            known[(row.kind, row.pattern, identity, row.project_id)] = row
    return known


def count_changes(connection: Connection, rule_ids: Iterable[int]) -> None:
    """These rules changed once more what was understood. Counted, never journalled: it stands in the way of no undo."""
    for rule_id in rule_ids:
        counted = update(_rule).where(_rule.c.id == rule_id).values(changed_count=_rule.c.changed_count + 1)
        connection.execute(counted)


def count_decided(write: Write, times: Mapping[int, int]) -> None:
    """These rules of the person decided so many times more. Counted, never journalled: it stands in the way of no undo."""
    for rule_id, count in times.items():
        counted = update(_answer).where(_answer.c.id == rule_id).values(learned_from=_answer.c.learned_from + count)
        write.connection.execute(counted)


def count_rules_of(connection: Connection, conversation_ids: Sequence[int]) -> dict[int, Counter[RuleKind]]:
    """How many rules of each kind these conversations taught, as far as they are still there."""
    found: dict[int, Counter[RuleKind]] = defaultdict(Counter)
    for some in slices(conversation_ids):
        taught = (
            select(_link.c.to_id, _rule.c.kind, func.count())
            .join(_rule, _rule.c.id == _link.c.from_id)
            .where(_link.c.from_kind == "rule", _link.c.to_kind == "conversation", _link.c.to_id.in_(some))
            .group_by(_link.c.to_id, _rule.c.kind)
        )
        for conversation_id, kind, count in connection.execute(taught).all():
            found[conversation_id][RuleKind(kind)] += int(count)
    return found


def count_memories_of(connection: Connection, conversation_ids: Sequence[int]) -> dict[int, Counter[MemoryKind]]:
    """How many memories of each kind come from these conversations and stand."""
    found: dict[int, Counter[MemoryKind]] = defaultdict(Counter)
    for some in slices(conversation_ids):
        counted = (
            select(_source.c.conversation_id, _memory.c.kind, func.count(_memory.c.id.distinct()))
            .join(_memory, _memory.c.id == _source.c.memory_id)
            .where(_source.c.conversation_id.in_(some), _memory.c.status.in_(_STANDING))
            .group_by(_source.c.conversation_id, _memory.c.kind)
        )
        for conversation_id, kind, count in connection.execute(counted).all():
            found[conversation_id][MemoryKind(kind)] += int(count)
    return found


def find_archived(connection: Connection, conversation_ids: Sequence[int]) -> set[int]:
    """Those of which the prompt archive keeps something."""
    found: set[int] = set()
    for some in slices(conversation_ids):
        kept = select(_archived.c.conversation_id).where(_archived.c.conversation_id.in_(some)).distinct()
        found |= set(connection.execute(kept).scalars())
    return found


def link_conversation(write: Write, conversation_id: int, rule_ids: Sequence[int], files: Sequence[str]) -> None:
    """Links a conversation to what it spoke of, the files it changed and the rules that it taught, so that its text can go."""
    known = write.connection.execute(
        select(_link.c.to_kind, _link.c.to_id, _link.c.to_name, _link.c.from_kind, _link.c.from_id).where(
            ((_link.c.from_kind == "conversation") & (_link.c.from_id == conversation_id))
            | ((_link.c.to_kind == "conversation") & (_link.c.to_id == conversation_id) & (_link.c.from_kind == "rule"))
        )
    ).all()
    there = {(row.from_kind, row.from_id, row.to_kind, row.to_id, row.to_name) for row in known}
    wanted = [
        ("conversation", conversation_id, "entity", entity_id, "", strength)
        for entity_id, strength in _entities_of(write.connection, conversation_id)
    ]
    wanted += [("conversation", conversation_id, "file", 0, name, 0.7) for name in files[-_FILES_LINKED:]]
    wanted += [("rule", rule_id, "conversation", conversation_id, "", 0.5) for rule_id in rule_ids]
    rows = [
        {
            "from_kind": from_kind, "from_id": from_id, "to_kind": to_kind, "to_id": to_id, "to_name": name,
            "type": (LinkType.CAUSED_BY if from_kind == "rule" else LinkType.ABOUT).value, "strength": strength,
            "created_at": write.at,
        }
        for from_kind, from_id, to_kind, to_id, name, strength in wanted
        if (from_kind, from_id, to_kind, to_id, name) not in there
    ]  # fmt: skip
    write.insert_many(LinkRow, rows)


def _entities_of(connection: Connection, conversation_id: int) -> list[tuple[int, float]]:
    """What the conversation named most, each with a strength 0..1."""
    counted = (
        select(_mention.c.entity_id, func.count().label("count"))
        .join(_message, _message.c.id == _mention.c.message_id)
        .where(_message.c.conversation_id == conversation_id, _mention.c.kind != "value")
        .group_by(_mention.c.entity_id)
        .order_by(func.count().desc(), _mention.c.entity_id)
        .limit(_ENTITIES_LINKED)
    )
    rows = connection.execute(counted).all()
    most = max((int(row[1]) for row in rows), default=1)
    return [(int(entity_id), round(0.3 + 0.6 * int(count) / most, 2)) for entity_id, count in rows]
