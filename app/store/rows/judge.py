"""The SQL of reading along: what waits, what goes into a request, the meter and its log, the ends of answers.

Knows rows, no flow. Source: JUDGE "What a request holds", "The meter".
"""

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, and_, delete, func, insert, literal, or_, select, update

from app.store.chunked_parameters import slices
from app.store.journal import table_of
from app.store.rows.context import as_ids, fetch
from app.store.rows.project import is_project
from app.store.tables.core import (
    AppRow,
    ConversationRow,
    EventRow,
    MessageRow,
    OperationRow,
    ProjectRow,
    ReferenceRow,
    StreamRow,
)
from app.store.tables.judge import (
    AnswerEndRow,
    JudgePastRow,
    JudgeReadingRow,
    JudgeRequestRow,
    JudgeResultRow,
    JudgeTaskRow,
)
from app.store.tables.memory import ContradictionRow, MemoryRow, MemorySourceRow, MemoryVersionRow

_message, _stream, _conversation, _app, _project = (
    table_of(row) for row in (MessageRow, StreamRow, ConversationRow, AppRow, ProjectRow)
)
_memory, _source, _contradiction = (table_of(row) for row in (MemoryRow, MemorySourceRow, ContradictionRow))
_event, _version = table_of(EventRow), table_of(MemoryVersionRow)
_reference = table_of(ReferenceRow)
_request, _reading, _end = table_of(JudgeRequestRow), table_of(JudgeReadingRow), table_of(AnswerEndRow)
_result, _past, _task = table_of(JudgeResultRow), table_of(JudgePastRow), table_of(JudgeTaskRow)
_LIVE = ("active", "proposed")
ANSWER_END_CHARS = 400  # DESIGN section 2
_PLACE = _message.join(_stream, _stream.c.id == _message.c.stream_id)
_UNREAD = (
    select(
        _message.c.id,
        _message.c.conversation_id,
        _message.c.at,
        _stream.c.app_id,
        _stream.c.project_id,
        _app.c.name.label("app"),
        _conversation.c.state,
        _conversation.c.last_message_at,
    )
    .select_from(
        _PLACE.join(_app, _app.c.id == _stream.c.app_id)
        .join(_conversation, _conversation.c.id == _message.c.conversation_id)
        .outerjoin(_reading, _reading.c.message_id == _message.c.id)
    )
    .where(_reading.c.message_id.is_(None), _message.c.speaker == "user", _conversation.c.state != "evicted")
    .order_by(_message.c.id)
)
_operation = table_of(OperationRow)
_ALL = (
    select(
        _request, _app.c.name.label("app"), _project.c.name.label("project"), _result.c.model,
        _result.c.conversation_ids, _result.c.remembered_ids, _result.c.closed_ids, _result.c.put_away_ids,
        _result.c.drop_reasons, _operation.c.is_undoable, _operation.c.undone_by_id,
    )
    .select_from(
        _request.outerjoin(_app, _app.c.id == _request.c.app_id)
        .outerjoin(_project, _project.c.id == _request.c.project_id)
        .outerjoin(_result, _result.c.request_id == _request.c.id)
        .outerjoin(_operation, _operation.c.id == _request.c.operation_id)
    )
)  # fmt: skip
_WHOLE = _ALL.where(_request.c.message_count > 0)


def load_unread(connection: Connection, *, project: str = "", since: datetime | None = None) -> Sequence[Any]:
    """Prompts that no judge has read, oldest first. `project`: by path or name."""
    statement = _UNREAD
    if project:
        of_project = select(_project.c.id).where(is_project(project))
        statement = statement.where(_stream.c.project_id.in_(of_project))
    if since is not None:
        statement = statement.where(_message.c.at >= since)
    return connection.execute(statement).all()


def load_queue(connection: Connection) -> list[tuple[int, str]]:
    """(id, state) of the conversations in the queue, the first to leave first."""
    kept = select(_conversation.c.id, _conversation.c.state).where(_conversation.c.state != "evicted")
    rows = connection.execute(kept.order_by(_conversation.c.queue_key, _conversation.c.id))
    return [(int(row.id), str(row.state)) for row in rows]


def load_texts(connection: Connection, message_ids: Sequence[int]) -> list[Any]:
    """These messages, as far as they are still there and unread, with the ends of their answers, in order."""
    found: list[Any] = []
    for ids in slices(message_ids):
        statement = _texts().where(_message.c.id.in_(ids), _reading.c.message_id.is_(None)).order_by(_message.c.id)
        found += connection.execute(statement).all()
    return found


def _texts() -> Any:
    """Messages with what a request says of them; joined with their reading, so that the unread can be picked out."""
    return select(
        _message.c.id, _message.c.conversation_id, _message.c.at, _message.c.text, _message.c.is_imported,
        _stream.c.session, _stream.c.app_id, _stream.c.project_id, _project.c.name.label("project"),
        _project.c.path, _end.c.text.label("answer_end"),
    ).select_from(
        _PLACE.join(_project, _project.c.id == _stream.c.project_id)
        .outerjoin(_end, _end.c.message_id == _message.c.id)
        .outerjoin(_reading, _reading.c.message_id == _message.c.id)
    )  # fmt: skip


def load_conversation(connection: Connection, conversation_id: int, limit: int) -> list[Any]:
    """The last prompts of a conversation, read or not, with the ends of their answers, in order."""
    statement = (
        select(
            _message.c.id, _message.c.at, _message.c.text, _stream.c.session, _stream.c.app_id, _stream.c.project_id,
            _app.c.name.label("app"), _project.c.name.label("project"), _project.c.path, _end.c.text.label("answer_end"),
        )
        .select_from(
            _PLACE.join(_project, _project.c.id == _stream.c.project_id)
            .join(_app, _app.c.id == _stream.c.app_id)
            .outerjoin(_end, _end.c.message_id == _message.c.id)
        )
        .where(_message.c.conversation_id == conversation_id, _message.c.speaker == "user")
        .order_by(_message.c.id.desc())
        .limit(limit)
    )  # fmt: skip
    return list(reversed(connection.execute(statement).all()))


def load_references(connection: Connection, message_ids: Sequence[int]) -> list[Any]:
    """What words of these messages point at, in order of their places."""
    found: list[Any] = []
    for ids in slices(message_ids):
        statement = select(_reference).where(_reference.c.message_id.in_(ids))
        found += connection.execute(statement.order_by(_reference.c.message_id, _reference.c.start)).all()
    return found


def load_known(connection: Connection, project_id: int, memory_ids: Iterable[int], limit: int) -> list[Any]:
    """Active facts of a project that hold: those named first and in that order, then the newest."""
    rows = connection.execute(
        select(_memory.c.id, _memory.c.full, _memory.c.type, _memory.c.valid_from)
        .where(
            _memory.c.project_id == project_id,
            _memory.c.kind == "fact",
            _memory.c.status == "active",
            _memory.c.valid_to.is_(None),
        )
        .order_by(_memory.c.id.desc())
        .limit(2_000)
    ).all()
    order = {number: place for place, number in enumerate(memory_ids)}
    ranked = sorted(rows, key=lambda row: (order.get(row.id, len(order)), -row.id))
    return ranked[:limit]


def learned_from(connection: Connection, message_ids: Sequence[int]) -> list[Any]:
    """Facts with a source in these messages, with the place of that source."""
    found: list[Any] = []
    for ids in slices(message_ids):
        statement = (
            select(_memory, _source.c.message_id, _source.c.start, _source.c.end)
            .join(_source, _source.c.memory_id == _memory.c.id)
            .where(_source.c.message_id.in_(ids), _memory.c.kind == "fact")
            .order_by(_memory.c.id)
        )
        found += connection.execute(statement).all()
    return found


def learned_at(connection: Connection, past: Mapping[tuple[int, datetime], int]) -> list[Any]:
    """As `learned_from`, of prompts that never were messages: (conversation, instant) to the number that stands for each."""
    found: list[Any] = []
    for (conversation_id, at), number in past.items():
        statement = (
            select(_memory, literal(number).label("message_id"), _source.c.start, _source.c.end)
            .join(_source, _source.c.memory_id == _memory.c.id)
            .where(
                _source.c.conversation_id == conversation_id,
                _source.c.at == at,
                _source.c.message_id.is_(None),
                _memory.c.kind == "fact",
            )
            .order_by(_memory.c.id)
        )
        found += connection.execute(statement).all()
    return found


def has_unread_source(
    connection: Connection, memory_id: int, past: Container[tuple[int, datetime]] = frozenset()
) -> bool:
    """Whether a memory was also said where no judge has read; what is known from a file alone was said elsewhere too.

    `past`: (conversation, instant) of prompts without a message that are being read now.
    """
    statement = (
        select(_source.c.message_id, _source.c.conversation_id, _source.c.at)
        .outerjoin(_reading, _reading.c.message_id == _source.c.message_id)
        .where(_source.c.memory_id == memory_id, _reading.c.message_id.is_(None))
    )
    rows = connection.execute(statement).all()
    return any(row.message_id is not None or (row.conversation_id, row.at) not in past for row in rows)


def load_last_prompts(connection: Connection, project_id: int, app_id: int, count: int) -> list[Any]:
    """The person's last prompts to one app in one project, oldest first, as `load_texts` gives them; read by a judge or not."""
    newest = (
        select(_message.c.id)
        .select_from(_PLACE)
        .where(_stream.c.project_id == project_id, _stream.c.app_id == app_id, _message.c.speaker == "user")
        .order_by(_message.c.at.desc(), _message.c.id.desc())
        .limit(count)
    )
    statement = _texts().where(_message.c.id.in_(newest)).order_by(_message.c.at, _message.c.id)
    return list(connection.execute(statement).all())


def load_texts_before(
    connection: Connection, project_id: int, message_id: int, *, count: int, chars: int
) -> tuple[str, ...]:
    """The beginnings of the person's last prompts in a project before a message."""
    statement = (
        select(func.substr(_message.c.text, 1, chars))
        .select_from(_PLACE)
        .where(_stream.c.project_id == project_id, _message.c.speaker == "user", _message.c.id < message_id)
        .order_by(_message.c.id.desc())
        .limit(count)
    )
    return tuple(connection.execute(statement).scalars())


def find_newest_waiting(connection: Connection, app_id: int) -> int | None:
    """The newest prompt of an app that is taken in and not yet understood."""
    statement = select(func.max(_event.c.id)).where(
        _event.c.app_id == app_id,
        _event.c.state == "pending",
        _event.c.kind == "prompt",
        _event.c.is_imported.is_(False),
    )
    found = connection.execute(statement).scalar()
    return None if found is None else int(found)


def has_source_in(connection: Connection, memory_id: int, message_id: int) -> bool:
    """Whether the memory was said in this message."""
    statement = select(_source.c.id).where(_source.c.memory_id == memory_id, _source.c.message_id == message_id)
    return connection.execute(statement.limit(1)).first() is not None


def has_source_at(connection: Connection, memory_id: int, conversation_id: int, at: datetime) -> bool:
    """Whether the memory was said in this conversation at this instant."""
    statement = select(_source.c.id).where(
        _source.c.memory_id == memory_id, _source.c.conversation_id == conversation_id, _source.c.at == at
    )
    return connection.execute(statement.limit(1)).first() is not None


def has_source_outside(connection: Connection, memory_id: int, message_id: int) -> bool:
    """Whether the memory was said elsewhere too."""
    statement = select(_source.c.id).where(
        _source.c.memory_id == memory_id, or_(_source.c.message_id.is_(None), _source.c.message_id != message_id)
    )
    return connection.execute(statement.limit(1)).first() is not None


def was_changed_last(connection: Connection, memory_id: int) -> tuple[str, str]:
    """Origin and label of the last change that kept a version; both "" when there was none."""
    statement = select(_version.c.origin, _version.c.label).where(_version.c.memory_id == memory_id)
    found = connection.execute(statement.order_by(_version.c.number.desc()).limit(1)).first()
    return (str(found.origin), str(found.label)) if found is not None else ("", "")


def are_rivals(connection: Connection, first_id: int, second_id: int) -> bool:
    """Whether a contradiction of the two is kept, open or resolved."""
    a, b = _contradiction.c.memory_a_id, _contradiction.c.memory_b_id
    statement = select(_contradiction.c.id).where(
        or_(and_(a == first_id, b == second_id), and_(a == second_id, b == first_id))
    )
    return connection.execute(statement.limit(1)).first() is not None


def find_same(connection: Connection, project_id: int, text_key: str) -> Sequence[Any]:
    """Facts of the project in the same words, the newest first."""
    statement = select(_memory).where(
        _memory.c.project_id == project_id, _memory.c.kind == "fact", _memory.c.text_key == text_key
    )
    return connection.execute(statement.order_by(_memory.c.id.desc())).all()


def load_shortable(connection: Connection, least_tokens: int) -> list[Any]:
    """Facts in use of at least so many tokens, of which no level was written by hand, with app and folder; the newest first."""
    rows = connection.execute(
        select(_memory, _app.c.name.label("app"), _project.c.path.label("path"))
        .join(_app, _app.c.id == _memory.c.app_id)
        .join(_project, _project.c.id == _memory.c.project_id)
        .where(
            _memory.c.kind == "fact",
            _memory.c.status == "active",
            _memory.c.trust >= 2,
            _memory.c.valid_to.is_(None),
            _memory.c.full_tokens >= least_tokens,
        )
        .order_by(_memory.c.id.desc())
        .limit(200)
    )
    return [row for row in rows if not row.edited_levels]


def find_memory(connection: Connection, memory_id: int) -> Any | None:
    return connection.execute(select(_memory).where(_memory.c.id == memory_id)).first()


def load_holding(connection: Connection, project_id: int) -> Sequence[Any]:
    """Facts of the project that hold or wait, whole, the newest first: what a change may speak of."""
    return connection.execute(_holding_of(project_id, _memory)).all()


def list_holding(connection: Connection, project_id: int) -> Sequence[Any]:
    """The same with nothing but what they say and what decides whether a message may close them: for whoever looks through all."""
    names = ("id", "full", "trust", "is_pinned", "worded_by", "valid_from")
    return connection.execute(_holding_of(project_id, *(_memory.c[name] for name in names))).all()


def _holding_of(project_id: int, *columns: Any) -> Select[Any]:
    holding = select(*columns).where(
        _memory.c.project_id == project_id,
        _memory.c.kind == "fact",
        _memory.c.status.in_(_LIVE),
        _memory.c.valid_to.is_(None),
    )
    return holding.order_by(_memory.c.id.desc()).limit(2_000)


def load_marked(connection: Connection, tag: str) -> Sequence[Any]:
    """Active facts of all projects that carry a tag."""
    statement = select(_memory.c.id, _memory.c.full, _memory.c.project_id, _memory.c.tags).where(
        _memory.c.kind == "fact", _memory.c.status == "active", _memory.c.valid_to.is_(None), _memory.c.tags != []
    )
    return [row for row in connection.execute(statement.limit(2_000)) if tag in row.tags]


def load_sources(connection: Connection, memory_id: int) -> Sequence[Any]:
    """Where a memory was said, oldest first: what is kept of each place."""
    kept = ("at", "quote", "message_id", "conversation_id", "conversation_title", "app", "start", "end")
    said = select(*(_source.c[name] for name in kept)).where(_source.c.memory_id == memory_id)
    return connection.execute(said.order_by(_source.c.id)).all()


def load_quotes(connection: Connection, project_id: int) -> dict[int, str]:
    """What was said for each of the project's facts, in one text."""
    rows = connection.execute(
        select(_source.c.memory_id, _source.c.quote)
        .join(_memory, _memory.c.id == _source.c.memory_id)
        .where(_memory.c.project_id == project_id, _memory.c.kind == "fact", _memory.c.valid_to.is_(None))
        .order_by(_source.c.id)
    )
    quotes: dict[int, str] = {}
    for row in rows:
        quotes[row.memory_id] = f"{quotes.get(row.memory_id, '')}\n{row.quote}"
    return quotes


# the meter -------------------------------------------------------------------------------------------------


def add_request(connection: Connection, values: dict[str, Any], message_ids: Iterable[int]) -> int:
    """Books a request; `message_ids` are read from now on; a negative one is an event's whose prompt has no message's number."""
    task = values.get("task", "remember")
    own = {name: value for name, value in values.items() if name != "task"}
    added = connection.execute(insert(_request), own).inserted_primary_key
    request_id = int(added[0]) if added is not None else 0
    if task != "remember":
        connection.execute(insert(_task), {"request_id": request_id, "task": task})
    numbers = list(dict.fromkeys(message_ids))
    read = [{"message_id": number, "request_id": request_id} for number in numbers if number > 0]
    past = [{"event_id": -number, "request_id": request_id} for number in numbers if number < 0]
    for table, listed in ((_reading, read), (_past, past)):
        if listed:
            connection.execute(insert(table), listed)
    return request_id


def add_result(connection: Connection, request_id: int, values: dict[str, Any]) -> None:
    """Books what came of a request; what is not named is empty."""
    empty: dict[str, Any] = {"model": "", "drop_reasons": {}} | {
        name: [] for name in ("conversation_ids", "remembered_ids", "closed_ids", "put_away_ids")
    }
    connection.execute(insert(_result), empty | {"request_id": request_id} | values)


def forget_reading(connection: Connection, request_id: int) -> None:
    """Its prompts count as unread again."""
    for table in (_reading, _past):
        connection.execute(delete(table).where(table.c.request_id == request_id))


def change_request(connection: Connection, request_id: int, values: dict[str, Any]) -> None:
    connection.execute(update(_request).where(_request.c.id == request_id).values(values))


def tokens_since(connection: Connection, since: datetime | None = None) -> int:
    """Tokens of all requests, also of those that failed."""
    total = select(func.coalesce(func.sum(_request.c.prompt_tokens + _request.c.answer_tokens), 0))
    return int(connection.execute(total if since is None else total.where(_request.c.at >= since)).scalar() or 0)


def tokens_of_tasks(connection: Connection, tasks: Iterable[str], since: datetime) -> int:
    """Tokens of requests of these tasks, also of those that failed."""
    total = select(func.coalesce(func.sum(_request.c.prompt_tokens + _request.c.answer_tokens), 0))
    total = total.join_from(_request, _task, _task.c.request_id == _request.c.id)
    wanted = total.where(_request.c.at >= since, _task.c.task.in_(list(tasks)))
    return int(connection.execute(wanted).scalar() or 0)


def newest_requests(
    connection: Connection, adapter: str, since: datetime, count: int, tasks: Iterable[str] = ()
) -> list[str]:
    """How the last requests of an adapter ended, the newest first; with `tasks` those of these only."""
    statement = select(_request.c.state).where(and_(_request.c.adapter == adapter, _request.c.at > since))
    if tasks:
        statement = statement.outerjoin(_task, _task.c.request_id == _request.c.id)
        statement = statement.where(func.coalesce(_task.c.task, "remember").in_(list(tasks)))
    return list(connection.execute(statement.order_by(_request.c.id.desc()).limit(count)).scalars())


# the ends of answers ------------------------------------------------------------------------------------------


def keep_answer_end(connection: Connection, conversation_id: int, text: str) -> None:
    """The end of the answer to the newest prompt of the conversation; a later one takes its place."""
    newest = select(func.max(_message.c.id)).where(
        _message.c.conversation_id == conversation_id, _message.c.speaker == "user"
    )
    message_id = connection.execute(newest).scalar()
    if message_id is None:
        return
    connection.execute(delete(_end).where(_end.c.message_id == message_id))
    connection.execute(insert(_end), {"message_id": message_id, "text": text})


def load_answer_ends(connection: Connection, message_ids: Iterable[int]) -> dict[int, str]:
    """The ends of the answers to these prompts, as far as there are any."""
    rows = fetch(
        connection,
        "SELECT message_id, text FROM answer_end WHERE message_id IN (SELECT value FROM json_each(:ids))",
        {"ids": as_ids(message_ids)},
    )
    return {int(number): str(text) for number, text in rows}


def load_asked(connection: Connection, message_ids: Iterable[int]) -> dict[int, tuple[str, dict[str, str]]]:
    """Of the answers to these prompts the end, and the numbered questions; only of those of which one of both is kept."""
    rows = fetch(
        connection,
        "SELECT m.id, coalesce(e.text, ''), coalesce(c.distilled ->> ('$.asked.\"' || m.id || '\"'), '{}') FROM message m "
        "JOIN conversation c ON c.id = m.conversation_id LEFT JOIN answer_end e ON e.message_id = m.id "
        "WHERE m.id IN (SELECT value FROM json_each(:ids))",
        {"ids": as_ids(message_ids)},
    )
    found = {int(number): (str(end), json.loads(asked)) for number, end, asked in rows}
    return {number: kept for number, kept in found.items() if any(kept)}


def drop_answer_ends(connection: Connection) -> None:
    """All of them, and what they asked: the person keeps none."""
    connection.execute(delete(_end))
    connection.execute(
        update(_conversation)
        .where(func.json_extract(_conversation.c.distilled, "$.asked").is_not(None))
        .values(distilled=func.json_remove(_conversation.c.distilled, "$.asked"))
    )


def load_requests(connection: Connection, *, limit: int, before_id: int | None = None) -> Sequence[Any]:
    """Requests with what came of them, newest first."""
    statement = _WHOLE if before_id is None else _WHOLE.where(_request.c.id < before_id)
    return connection.execute(statement.order_by(_request.c.id.desc()).limit(limit)).all()


def load_request(connection: Connection, request_id: int) -> Any | None:
    return connection.execute(_WHOLE.where(_request.c.id == request_id)).first()


def load_since(connection: Connection, since: datetime) -> Sequence[Any]:
    """Requests since then, for the totals; those that read no prompt (notes, contradictions, levels) cost, too."""
    return connection.execute(_ALL.where(_request.c.at >= since)).all()


def load_newest_of(connection: Connection, adapter: str, since: datetime) -> Any | None:
    """The newest request of an adapter."""
    statement = _WHOLE.where(_request.c.adapter == adapter, _request.c.at >= since)
    return connection.execute(statement.order_by(_request.c.id.desc()).limit(1)).first()


def load_titles(connection: Connection, conversation_ids: Iterable[int]) -> dict[int, Any]:
    """Those conversations that are still known, by number."""
    found: dict[int, Any] = {}
    columns = (_conversation.c.id, _conversation.c.title, _conversation.c.auto_title, _conversation.c.state)
    for ids in slices(sorted(set(conversation_ids))):
        rows = connection.execute(select(*columns).where(_conversation.c.id.in_(ids)))
        found |= {int(row.id): row for row in rows}
    return found


def load_read_ids(connection: Connection, request_id: int) -> list[int]:
    """The numbers of the prompts that were read in it, kept or not."""
    statement = select(_reading.c.message_id).where(_reading.c.request_id == request_id)
    return list(connection.execute(statement.order_by(_reading.c.message_id)).scalars())


def load_sent(connection: Connection, message_ids: Sequence[int]) -> list[Any]:
    """These prompts as they are now, with the ends of their answers; those that are gone are left out."""
    found: list[Any] = []
    for ids in slices(message_ids):
        statement = (
            select(_message.c.id, _message.c.conversation_id, _message.c.at, _message.c.text, _end.c.text.label("answer_end"))
            .select_from(_message.outerjoin(_end, _end.c.message_id == _message.c.id))
            .where(_message.c.id.in_(ids))
            .order_by(_message.c.id)
        )  # fmt: skip
        found += connection.execute(statement).all()
    return found


def load_memories(connection: Connection, memory_ids: Sequence[int]) -> dict[int, Any]:
    """Texts of these memories by number."""
    found: dict[int, Any] = {}
    for ids in slices(memory_ids):
        rows = connection.execute(select(_memory.c.id, _memory.c.full).where(_memory.c.id.in_(ids)))
        found |= {int(row.id): row for row in rows}
    return found


def load_newest_sources(connection: Connection, memory_ids: Sequence[int]) -> dict[int, Any]:
    """The newest source of each of these memories, by its number."""
    found: dict[int, Any] = {}
    for ids in slices(memory_ids):
        statement = select(_source.c.memory_id, _source.c.message_id, _source.c.quote).where(
            _source.c.memory_id.in_(ids)
        )
        found |= {int(row.memory_id): row for row in connection.execute(statement.order_by(_source.c.id))}
    return found


def load_lengths(connection: Connection, since: datetime | None = None) -> Sequence[Any]:
    """(id, app, at, conversation, characters) of each prompt, or of those since then; a long one counts as it would be cut."""
    statement = (
        select(
            _message.c.id,
            _app.c.name.label("app"),
            _message.c.at,
            _message.c.conversation_id,
            func.length(func.substr(_message.c.text, 1, 1_800)).label("characters"),
        )
        .select_from(
            _message.join(_stream, _stream.c.id == _message.c.stream_id).join(_app, _app.c.id == _stream.c.app_id)
        )
        .where(_message.c.speaker == "user")
    )
    return connection.execute(statement if since is None else statement.where(_message.c.at >= since)).all()
