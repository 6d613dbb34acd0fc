"""The SQL of consolidation: runs, actions, what changed since a run, and what is known against proposing something again.

Runs and actions are logged, not journalled; an action's state is set in the transaction that does what it says. Knows no step.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Row,
    Select,
    case,
    delete,
    func,
    insert,
    select,
    true,
    type_coerce,
    update,
)

from app.journal_rights import need_of
from app.store.chunked_parameters import slices
from app.store.journal import PLACEMENT_RULE, table_of
from app.store.tables.core import (
    ActionRow,
    ChangeRow,
    ConversationRow,
    EventRow,
    OperationRow,
    RuleRow,
    RunRow,
    StreamRow,
)
from app.store.tables.memory import ContradictionRow, LinkRow, MemoryRow, MemorySourceRow, UsageEventRow
from app.values import Trust, UsageKind
from app.values.graph import LinkBasis

KIND = "consolidate"  # of its operations in the journal
_BY_HAND = ("button", "preview")
HABIT_RULE = "consolidation.habit"
_run, _action, _change, _operation, _memory, _source, _link, _rule, _event = (
    table_of(row)
    for row in (RunRow, ActionRow, ChangeRow, OperationRow, MemoryRow, MemorySourceRow, LinkRow, RuleRow, EventRow)
)
_usage, _contradiction, _conversation, _stream = (
    table_of(row) for row in (UsageEventRow, ContradictionRow, ConversationRow, StreamRow)
)
_DAY_US = 86_400_000_000
FOUND_ORIGINS = tuple(one.value for one in LinkBasis)
_OPEN = ("planning", "planned")


# runs ---------------------------------------------------------------------------------------------


def add_run(connection: Connection, values: Mapping[str, Any]) -> int:
    key = connection.execute(insert(_run).values(values)).inserted_primary_key
    return int(key[0]) if key is not None else 0


def set_run(connection: Connection, run_id: int, **values: Any) -> None:
    connection.execute(update(_run).where(_run.c.id == run_id).values(**values))


def load_run(connection: Connection, run_id: int) -> Row[Any] | None:
    return connection.execute(select(_run).where(_run.c.id == run_id)).first()


def load_runs(
    connection: Connection, *, states: Sequence[str] = (), limit: int = 100, before_id: int | None = None
) -> Sequence[Row[Any]]:
    """Newest first."""
    statement = select(_run).order_by(_run.c.id.desc()).limit(limit)
    if states:
        statement = statement.where(_run.c.state.in_(states))
    if before_id is not None:
        statement = statement.where(_run.c.id < before_id)
    return connection.execute(statement).all()


def delete_runs(connection: Connection, run_ids: Iterable[int]) -> None:
    for ids in slices(sorted(run_ids)):
        connection.execute(delete(_action).where(_action.c.run_id.in_(ids)))
        connection.execute(delete(_run).where(_run.c.id.in_(ids)))


def drop_previews(connection: Connection) -> None:
    """What was planned and not applied, or broke off while it was planned."""
    unused = select(_run.c.id).where(_run.c.state.in_(_OPEN))
    delete_runs(connection, connection.execute(unused).scalars().all())


def stop_paused(connection: Connection) -> None:
    """Paused runs are not gone on with any more: another begins, or the person said so."""
    connection.execute(update(_run).where(_run.c.state == "paused").values(state="stopped"))


def drop_actions(connection: Connection, run_id: int) -> None:
    """What a run proposed, before it is planned again."""
    connection.execute(delete(_action).where(_action.c.run_id == run_id))


def drop_old_runs(connection: Connection, kept: int) -> None:
    """Lets go of runs beyond the newest `kept`; what they did stays in the journal as long as that."""
    old = select(_run.c.id).order_by(_run.c.id.desc()).offset(kept)
    delete_runs(connection, connection.execute(old).scalars().all())


def newest_mark(connection: Connection) -> int | None:
    """What the last run that was applied had seen of the journal; None before the first."""
    seen = select(_run.c.mark).where(_run.c.state == "done").order_by(_run.c.id.desc()).limit(1)
    value = connection.execute(seen).scalar()
    return None if value is None else int(value)


def newest_figure(connection: Connection, name: str) -> int:
    """What the last run that was applied noted under that name: "number" of runs, newest "event", newest "use"; 0 before the first."""
    done = select(_run.c.figures).where(_run.c.state == "done").order_by(_run.c.id.desc()).limit(1)
    return int((connection.execute(done).scalar() or {}).get(name, 0))


def head_of(connection: Connection, run_id: int, at: datetime) -> int:
    """The operation that is in the journal for what a run does at one time: it changes nothing itself, and undoing it undoes the others.

    Where the person started the run, or said yes to what waited in it, it is the person's own, so that Ctrl+Z takes it back like any
    other last act.
    """
    run = load_run(connection, run_id)
    if run is not None and run.operation_id is not None:
        return int(run.operation_id)
    is_by_hand = run is not None and (run.trigger in _BY_HAND or bool(run.figures.get("accepted")))
    head = {
        "at": at, "origin": "person" if is_by_hand else "engine", "kind": KIND, "label": "Consolidated", "undoes_id": None, "group_id": None,
        "is_undoable": True, "conversation_id": None, "message_id": None, "change_count": 0, "app": "",
        "need": need_of(KIND).value,
    }  # fmt: skip
    key = connection.execute(insert(_operation).values(head)).inserted_primary_key
    head_id = int(key[0]) if key is not None else 0
    connection.execute(update(_operation).where(_operation.c.id == head_id).values(group_id=head_id))
    set_run(connection, run_id, operation_id=head_id)
    return head_id


def count_events(connection: Connection, after_id: int) -> int:
    counted = select(func.count()).select_from(_event).where(_event.c.id > after_id, _event.c.is_imported.is_(False))
    return int(connection.execute(counted).scalar() or 0)


def newest_event_at(connection: Connection) -> datetime | None:
    newest = select(_event.c.received_at).order_by(_event.c.id.desc()).limit(1)
    found: datetime | None = connection.execute(newest).scalar()
    return found


def first_operation_at(connection: Connection) -> datetime | None:
    first = select(_operation.c.at).order_by(_operation.c.id).limit(1)
    found: datetime | None = connection.execute(first).scalar()
    return found


# actions ------------------------------------------------------------------------------------------


def add_actions(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    for some in slices(rows):
        connection.execute(insert(_action), list(some))


def _is_undone() -> ColumnElement[bool]:
    """Whether an action's operation, or the act that it is a part of, was taken back in the journal."""
    part, head = _operation.alias("part"), _operation.alias("head")  # who asks may have operations of its own
    own = select(part.c.id).where(part.c.id == _action.c.operation_id, part.c.undone_by_id.is_not(None))
    whole = (
        select(head.c.id)
        .join(part, part.c.group_id == head.c.id)
        .where(part.c.id == _action.c.operation_id, head.c.undone_by_id.is_not(None))
    )
    return own.exists() | whole.exists()


_STATE = case((_action.c.state == "applied", case((_is_undone(), "undone"), else_="applied")), else_=_action.c.state)
_WITH_STATE = [one for one in _action.c if one.name != "state"] + [_STATE.label("state")]


def sync_undone(connection: Connection) -> None:
    """Writes down what the journal says of applied actions, before it lets go of that."""
    taken_back = update(_action).where(_action.c.state == "applied", _is_undone())
    connection.execute(taken_back.values(state="undone"))
    is_kept = select(_operation.c.id).where(_operation.c.id == _action.c.operation_id).exists()
    again = update(_action).where(_action.c.state == "undone", is_kept, ~_is_undone())
    connection.execute(again.values(state="applied"))


def load_actions(
    connection: Connection,
    run_id: int,
    *,
    states: Sequence[str] = (),
    step: str = "",
    limit: int | None = None,
    after_id: int = 0,
) -> Sequence[Row[Any]]:
    """In the order in which they are applied."""
    statement = select(*_WITH_STATE).where(_action.c.run_id == run_id, _action.c.id > after_id).order_by(_action.c.id)
    if states:
        statement = statement.where(_STATE.in_(states))
    if step:
        statement = statement.where(_action.c.step == step)
    if limit is not None:
        statement = statement.limit(limit)
    return connection.execute(statement).all()


def load_action(connection: Connection, action_id: int) -> Row[Any] | None:
    return connection.execute(select(*_WITH_STATE).where(_action.c.id == action_id)).first()


def set_action(connection: Connection, action_id: int, **values: Any) -> None:
    connection.execute(update(_action).where(_action.c.id == action_id).values(**values))


def set_actions(connection: Connection, action_ids: Sequence[int], **values: Any) -> None:
    for ids in slices(action_ids):
        connection.execute(update(_action).where(_action.c.id.in_(ids)).values(**values))


def as_new_action(action: Row[Any], run_id: int) -> dict[str, Any]:
    """The values of an action proposed once more, in another run."""
    values = dict(action._mapping)
    del values["id"]
    return values | {"run_id": run_id, "operation_id": None}


def close_waiting(connection: Connection, run_id: int, note: str) -> None:
    """What waits in this run waits in no earlier one any more."""
    here = select(_action.c.key).where(_action.c.run_id == run_id)
    earlier = update(_action).where(_action.c.run_id < run_id, _action.c.state == "proposed", _action.c.key.in_(here))
    connection.execute(earlier.values(state="rejected", is_decided=False, note=note))


def count_actions(connection: Connection, run_ids: Sequence[int]) -> Sequence[Row[Any]]:
    """(run_id, step, kind, state, is_sure, is_decided, how_many, tokens) in the order in which the steps ran."""
    found: list[Row[Any]] = []
    for ids in slices(run_ids):
        groups = (
            _action.c.run_id,
            _action.c.step,
            _action.c.kind,
            _STATE.label("state"),
            _action.c.is_sure,
            _action.c.is_decided,
        )
        statement = (
            select(*groups, func.count().label("how_many"), func.sum(_action.c.saved_tokens).label("tokens"))
            .where(_action.c.run_id.in_(ids))
            .group_by(_action.c.run_id, _action.c.step, _action.c.kind, _STATE, _action.c.is_sure, _action.c.is_decided)
            .order_by(func.min(_action.c.id))
        )
        found += connection.execute(statement).all()
    return found


def count_act(connection: Connection, head_id: int) -> Sequence[Row[Any]]:
    """(step, kind, how_many) of the applied actions that one operation stands for, in the order in which the steps ran."""
    statement = (
        select(_action.c.step, _action.c.kind, func.count().label("how_many"))
        .join(_operation, _operation.c.id == _action.c.operation_id)
        .where(_operation.c.group_id == head_id, _STATE == "applied")
        .group_by(_action.c.step, _action.c.kind)
        .order_by(func.min(_action.c.id))
    )
    return connection.execute(statement).all()


def acts_of(connection: Connection, run_id: int) -> dict[int, list[int]]:
    """The operations that stand for what a run did, the newest first; of each those of its actions that still stand, newest first."""
    statement = (
        select(_operation.c.group_id, _operation.c.id)
        .join(_action, _operation.c.id == _action.c.operation_id)
        .where(_action.c.run_id == run_id, _STATE == "applied")
        .order_by(_operation.c.group_id.desc(), _operation.c.id.desc())
    )
    acts: dict[int, list[int]] = {}
    for head_id, part_id in connection.execute(statement).all():
        acts.setdefault(int(head_id), []).append(int(part_id))
    return acts


def keys_against(connection: Connection) -> set[str]:
    """Keys of what a person said no to, or took back."""
    no = _STATE == "undone", (_action.c.state == "rejected") & _action.c.is_decided
    return set(connection.execute(select(_action.c.key).where(no[0] | no[1])).scalars())


def forget_actions(connection: Connection, memory_ids: Iterable[int]) -> None:
    """Takes out what was proposed about memories that are erased: its new wording may say what they said."""
    gone = set(memory_ids)
    rows = connection.execute(select(_action.c.id, _action.c.memory_ids)).all() if gone else []
    ids = [row.id for row in rows if gone.intersection(row.memory_ids)]
    for some in slices(ids):
        connection.execute(delete(_action).where(_action.c.id.in_(some)))


def forget_action_texts(connection: Connection, needles: Iterable[str]) -> None:
    """Takes out proposals whose new wording holds any of these."""
    wanted = [one.casefold() for one in needles if one]
    rows = connection.execute(select(_action.c.id, _action.c.text).where(_action.c.text != "")).all() if wanted else []
    ids = [row.id for row in rows if any(one in row.text.casefold() for one in wanted)]
    for some in slices(ids):
        connection.execute(delete(_action).where(_action.c.id.in_(some)))


# habits -------------------------------------------------------------------------------------------


def load_habits(connection: Connection) -> dict[str, Row[Any]]:
    """What the person said for good, by "step.kind": whole rows, in `data["habit"]` what it is."""
    rows = connection.execute(select(_rule).where(_rule.c.kind == HABIT_RULE)).all()
    return {str(row.pattern): row for row in rows}


# what a plan is made of -----------------------------------------------------------------------------


def changed_memories(connection: Connection, mark: int) -> frozenset[int]:
    """Memories that came or changed in the journal after `mark`, by anybody but consolidation itself."""
    since = (
        select(_change.c.row_id)
        .join(_operation, _operation.c.id == _change.c.operation_id)
        .where(_change.c.operation_id > mark, _change.c.table_name == "memory", _operation.c.kind != KIND)
    )
    return frozenset(connection.execute(since.distinct()).scalars())


def is_journal_whole(connection: Connection, mark: int) -> bool:
    """Whether the journal still reaches back to `mark`."""
    if mark == 0:
        return True
    oldest = connection.execute(select(func.min(_operation.c.id))).scalar()
    return oldest is not None and int(oldest) <= mark + 1


_STANDING = (
    _memory.c.id,
    _memory.c.status,
    _memory.c.text_key,
    _memory.c.slot_key,
    _memory.c.valid_to,
    _memory.c.is_pinned,
)


def load_current_rows(connection: Connection, memory_ids: Iterable[int]) -> dict[int, Row[Any]]:
    """What decides whether an action still fits its memories."""
    found: dict[int, Row[Any]] = {}
    for ids in slices(sorted(set(memory_ids))):
        found |= {row.id: row for row in connection.execute(select(*_STANDING).where(_memory.c.id.in_(ids)))}
    return found


def load_texts(connection: Connection, memory_ids: Iterable[int]) -> dict[int, Row[Any]]:
    """Memories as an action's before and after show them."""
    found: dict[int, Row[Any]] = {}
    for ids in slices(sorted(set(memory_ids))):
        found |= {row.id: row for row in connection.execute(select(_memory).where(_memory.c.id.in_(ids)))}
    return found


_FACTS = tuple(
    _memory.c[name]
    for name in [
        "id", "kind", "type", "full", "subject", "key", "value", "scope", "slot_key", "text_key", "is_negated",
        "importance", "confidence", "trust", "worth", "is_pinned", "visibility", "project_id", "valid_to",
        "recorded_at", "last_accessed_at", "retrieved_count", "cited_count", "ignored_count", "full_tokens",
        "summary_tokens", "compressed_tokens", "given_level",
    ]
)  # fmt: skip


def load_facts(connection: Connection, ids: Iterable[int] | None = None) -> Iterator[Row[Any]]:
    """Active memories with how often and when last they were said, and used: what was given and then ignored was no use.

    Row by row, so that who reads a hundred thousand can stop.
    """
    said = select(
        _source.c.memory_id.label("memory_id"),
        func.count().label("times_said"),
        func.max(_source.c.at).label("said_at"),
    ).group_by(_source.c.memory_id)
    if ids is None:
        yield from connection.execute(_facts_with(said, _uses_of(true())))
        return
    for some in slices(sorted(set(ids))):
        uses = _uses_of(_usage.c.memory_id.in_(some))
        wanted = _facts_with(said.where(_source.c.memory_id.in_(some)), uses).where(_memory.c.id.in_(some))
        yield from connection.execute(wanted)


def find_unkept(connection: Connection, before: datetime) -> list[tuple[int, int | None, datetime]]:
    """(number, project, when it was recorded) of active memories older than that, neither pinned nor confirmed."""
    wanted = (
        select(_memory.c.id, _memory.c.project_id, _memory.c.recorded_at)
        .where(_memory.c.status == "active", _memory.c.recorded_at < before)
        .where(_memory.c.is_pinned.is_(False), _memory.c.trust < Trust.CONFIRMED)
    )
    return [(row.id, row.project_id, row.recorded_at) for row in connection.execute(wanted)]


def count_live(connection: Connection, now: datetime) -> dict[int | None, int]:
    """How many active memories hold now, by project."""
    holds = (_memory.c.valid_to.is_(None)) | (_memory.c.valid_to > now)
    counted = (
        select(_memory.c.project_id, func.count().label("how_many"))
        .where(_memory.c.status == "active", holds)
        .group_by(_memory.c.project_id)
    )
    return {row.project_id: row.how_many for row in connection.execute(counted)}


def _uses_of(condition: ColumnElement[bool]) -> Select[Any]:
    """(memory, when it was used last, how often anything was noted): given and not ignored in the end, or cited."""
    kind = _usage.c.kind
    is_ignored = func.max(case((kind == UsageKind.IGNORED.value, 1), else_=0))
    is_cited = func.max(case((kind == UsageKind.CITED.value, 1), else_=0))
    last = func.max(case((kind != UsageKind.IGNORED.value, _usage.c.at)))
    given = (
        select(
            _usage.c.memory_id,
            case(((_usage.c.receipt_id.is_(None)) | (is_ignored == 0) | (is_cited == 1), last)).label("at"),
        )
        .where(condition)
        .group_by(_usage.c.memory_id, _usage.c.receipt_id)
        .subquery()
    )
    last_used = func.max(type_coerce(given.c.at, _usage.c.at.type))
    return select(
        given.c.memory_id, type_coerce(last_used, _usage.c.at.type).label("used_at"), func.count().label("noted_count")
    ).group_by(given.c.memory_id)


def _facts_with(said: Select[Any], uses: Select[Any]) -> Select[Any]:
    times, used = said.subquery(), uses.subquery()
    return (
        select(*_FACTS, times.c.times_said, times.c.said_at, used.c.used_at, used.c.noted_count)
        .select_from(
            _memory.outerjoin(times, times.c.memory_id == _memory.c.id).outerjoin(
                used, used.c.memory_id == _memory.c.id
            )
        )
        .where(_memory.c.status == "active")
        .order_by(_memory.c.id)
    )


def load_days(connection: Connection) -> list[tuple[int, int]]:
    """(project, day since 1970) on which something was said: a prompt came in, or a conversation began or was last spoken in."""
    found: set[tuple[int, int]] = set()
    of_stream = _conversation.join(_stream, _stream.c.id == _conversation.c.stream_id)
    of_session = _event.join(_stream, _stream.c.session == _event.c.session)
    is_prompt = (_event.c.kind == "prompt") & _event.c.is_imported.is_(False)
    for at, tables, condition in (
        (_conversation.c.started_at, of_stream, true()),
        (_conversation.c.last_message_at, of_stream, _conversation.c.last_message_at.is_not(None)),
        (_event.c.received_at, of_session, is_prompt),
    ):
        day = type_coerce(at, BigInteger) // _DAY_US
        days = select(_stream.c.project_id, day).select_from(tables).where(condition)
        found |= {(int(project), int(one)) for project, one in connection.execute(days.distinct())}
    return sorted(found)


def load_uses(connection: Connection, after_id: int) -> Sequence[Row[Any]]:
    """(memory, kind of use, how often) of uses after that one."""
    counted = select(_usage.c.memory_id, _usage.c.kind, func.count().label("how_many")).where(_usage.c.id > after_id)
    return connection.execute(counted.group_by(_usage.c.memory_id, _usage.c.kind).order_by(_usage.c.memory_id)).all()


def newest_use(connection: Connection) -> int:
    return int(connection.execute(select(func.max(_usage.c.id))).scalar() or 0)


def load_links(connection: Connection, ids: Iterable[int], *, with_found: bool = True) -> set[tuple[int, int]]:
    """Pairs of memories that are joined already, the smaller number first; `with_found`: also by what a run found."""
    found: set[tuple[int, int]] = set()
    for some in slices(sorted(set(ids))):
        ends = _between_memories(some)
        if not with_found:
            ends = ends.where(_link.c.origin.not_in(FOUND_ORIGINS))
        found |= {(min(one.from_id, one.to_id), max(one.from_id, one.to_id)) for one in connection.execute(ends)}
    return found


def load_found_links(connection: Connection, ids: Iterable[int] | None = None) -> list[Row[Any]]:
    """Links that runs found and nobody judged, whole rows, each once; of these memories, or all."""
    if ids is None:
        every = select(_link).where(_link.c.origin.in_(FOUND_ORIGINS)).order_by(_link.c.id)
        return list(connection.execute(every))
    found: dict[int, Row[Any]] = {}
    for some in slices(sorted(set(ids))):
        rows = connection.execute(_between_memories(some).where(_link.c.origin.in_(FOUND_ORIGINS)))
        found.update({int(row.id): row for row in rows})
    return list(found.values())


def _between_memories(ids: Sequence[int]) -> Select[Any]:
    is_between = (_link.c.from_kind == "memory", _link.c.to_kind == "memory")
    return select(_link).where(*is_between, _link.c.from_id.in_(ids) | _link.c.to_id.in_(ids))


def load_disputed(connection: Connection) -> frozenset[int]:
    """Memories with an open contradiction."""
    ends = select(_contradiction.c.memory_a_id, _contradiction.c.memory_b_id).where(_contradiction.c.state == "open")
    return frozenset(one for pair in connection.execute(ends) for one in pair)


def placed_memories(connection: Connection) -> frozenset[int]:
    """Memories that a person put somewhere for the assistants, or withheld."""
    rows = connection.execute(select(_rule.c.data).where(_rule.c.kind == PLACEMENT_RULE)).scalars()
    return frozenset(int(data["memory_id"]) for data in rows)
