"""What was read along, as people see it: its state, today's totals, each reading, and what one was sent and brought.

Reads only; numbers come from the meter, texts from the messages and memories as they are now, so that what was erased is gone
here too. Source: JUDGE "The meter", "The yes", UX 4.8b.
"""

import math
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from app.judge.claude_code import ClaudeCodeAdapter
from app.judge.discovery import program_of, title_of
from app.judge.registry import find_adapter
from app.judge.request import MAX_MESSAGES
from app.judge.values import JudgeRequest
from app.language.token_counts import count_tokens
from app.settings import Settings
from app.store.rows import judge as judge_rows
from app.store.rows.archived_prompts import load_prompts
from app.store.tables.types import from_microseconds
from app.understanding.judge.worker import JudgeWorker
from app.understanding.message_rows import title_of as conversation_title
from app.values.judge import (
    CameOfIt,
    JudgeReading,
    JudgeReadingDetail,
    JudgeState,
    JudgeTotals,
    Payer,
    ReadConversation,
    ReadingState,
    SentMessage,
)

_DAY, _MONTH = timedelta(days=1), timedelta(days=30)
_CHARS_PER_TOKEN = 4
_TOKENS_BESIDE = 130  # of a prompt: the answer's end, its place in the JSON
_TOKENS_KNOWN = 300  # of a request: what is known already
_TOKENS_ANSWERED = 300


def list_readings(connection: Connection, *, limit: int, before_id: int | None) -> tuple[JudgeReading, ...]:
    """Newest first."""
    return _readings(connection, judge_rows.load_requests(connection, limit=limit, before_id=before_id))


def open_reading(connection: Connection, reading_id: int) -> JudgeReadingDetail | None:
    """One reading with what was sent, as far as it is kept, and what came of it; None for one that is not known."""
    row = judge_rows.load_request(connection, reading_id)
    if row is None:
        return None
    sent_ids = judge_rows.load_read_ids(connection, reading_id)
    sent = judge_rows.load_sent(connection, sent_ids)
    messages = tuple(
        SentMessage(int(one.id), int(one.conversation_id), one.at, str(one.text), str(one.answer_end or ""))
        for one in sent
    )
    missing = set(sent_ids) - {one.message_id for one in messages}
    archived = sorted(load_prompts(connection, missing), key=lambda one: (one.at, one.id))
    messages = (
        *(SentMessage(one.id, one.conversation_id, from_microseconds(one.at), one.text, "") for one in archived),
        *messages,
    )
    (reading,) = _readings(connection, [row])
    return JudgeReadingDetail(reading, messages, reading.prompt_count - len(messages), _came_of(connection, row))


def sum_up(rows: Iterable[Any]) -> JudgeTotals:
    """The totals of these requests."""
    rows = list(rows)
    money = [row.money_usd for row in rows if row.money_usd is not None]
    done = [row for row in rows if row.state == "done" and row.message_count]
    return JudgeTotals(
        reading_count=len(done),
        conversation_count=len({number for row in done for number in row.conversation_ids or ()}),
        prompt_count=sum(row.message_count for row in done),
        token_count=sum(row.prompt_tokens + row.answer_tokens for row in rows),
        money_usd=sum(money) if money else None,
        remembered_count=sum(row.memory_count for row in done),
        closed_count=sum(row.closed_count for row in done),
        dropped_count=sum(row.dropped_count for row in done),
        other_token_count=sum(row.prompt_tokens + row.answer_tokens for row in rows if not row.message_count),
    )


def describe_state(
    connection: Connection,
    worker: JudgeWorker,
    settings: Settings,
    now: datetime,
    *,
    set_by: str,
    is_settable: bool,
) -> JudgeState:
    """Its current state: the first that holds of off, reading, failed, at the cap, paused, put off."""
    midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    is_on = settings.judge != "off" and settings.is_learning_memories
    rows = judge_rows.load_unread(connection) if is_on else ()
    unread = [row for row in rows if find_adapter(settings, row.app) is not None]
    count, since = worker.running
    state, problem, hint, until = _state_of(connection, worker, settings, now, bool(unread))
    return JudgeState(
        state=state,
        judge=settings.judge,
        set_by=set_by,
        readers=_readers(connection, settings, now),
        problem=problem,
        hint=hint,
        until=until,
        reading_since=since,
        reading_count=count,
        pending_count=worker.pending_count,
        unread_count=len(unread),
        today=sum_up(judge_rows.load_since(connection, midnight)),
        month_token_count=judge_rows.tokens_since(connection, now - _MONTH),
        daily_cap=settings.judge_daily_tokens,
        monthly_cap=settings.judge_monthly_tokens,
        is_question_open=settings.judge == "off" and set_by == "default" and not settings.is_judge_asked,
        is_settable=is_settable,
    )


def tokens_a_day(connection: Connection, now: datetime, apps: frozenset[str] | None = None) -> int:
    """About what a day like the last seven would cost, counted from lengths; days without a prompt are left out."""
    rows = [one for one in judge_rows.load_lengths(connection, now - 7 * _DAY) if apps is None or one.app in apps]
    days = len({row.at.date() for row in rows})
    return about(estimate_tokens(rows) / days) if days else 0


def estimate_tokens(rows: Sequence[Any]) -> int:
    """About what reading these prompts costs. `rows` have `characters` and `conversation_id`."""
    if not rows:
        return 0
    own = count_tokens(ClaudeCodeAdapter().sent_text(JudgeRequest("", ())))
    requests = max(math.ceil(len(rows) / MAX_MESSAGES), len({row.conversation_id for row in rows}))
    texts = sum(row.characters for row in rows) // _CHARS_PER_TOKEN + len(rows) * _TOKENS_BESIDE
    return int(texts + requests * (own + _TOKENS_KNOWN + _TOKENS_ANSWERED))


def about(number: float) -> int:
    """Two digits of it: more would be made up.

    >>> about(8_762.4), about(431), about(7)
    (8800, 430, 7)
    """
    if number < 100:
        return round(number)
    step: int = 10 ** (len(str(int(number))) - 2)
    return round(number / step) * step


# parts ----------------------------------------------------------------------------------------------------


def _state_of(
    connection: Connection, worker: JudgeWorker, settings: Settings, now: datetime, has_unread: bool
) -> tuple[ReadingState, str, str, datetime | None]:
    if settings.judge == "off":
        return ReadingState.OFF, "", "", None
    if not settings.is_learning_memories:
        return ReadingState.OFF, "Nothing is learned at all.", "Switch on “Learn memories” in Settings.", None
    if worker.running[0] or worker.pending_count:
        return ReadingState.READING, "", "", None
    failure = _failure(connection, worker, settings, now)
    if failure is not None:
        return ReadingState.FAILED, *failure
    if settings.is_judge_paused:
        return ReadingState.PAUSED, "", "", None
    if worker.is_capped and (has_unread or worker.past().rows):
        midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0) + _DAY
        return ReadingState.CAPPED, "", "", midnight
    if has_unread and worker.put_off_reason:
        return ReadingState.PUT_OFF, worker.put_off_reason, "", None
    return ReadingState.IDLE, "", "", None


def _failure(
    connection: Connection, worker: JudgeWorker, settings: Settings, now: datetime
) -> tuple[str, str, datetime | None] | None:
    """What went wrong last with any of those who read, what to do, and when it is tried again; None when nothing did."""
    since = max(filter(None, (now - _DAY, worker.resumed_at)))
    for adapter in _adapters(settings):
        row = judge_rows.load_newest_of(connection, adapter, since)
        if row is None or row.state == "done":
            continue
        title = title_of(adapter)
        is_paused = row.state == "refused" or worker.is_paused_for(connection, adapter)
        until = row.at + _DAY if is_paused else None
        program = program_of(adapter)
        if row.state == "refused":
            reason = f"{title} is not signed in, or its plan is used up."
            what = (
                f"Run “{program}” in a terminal and sign in, then try again."
                if program
                else "Check its account or key."
            )
            return reason, what, until
        what = "It is tried again automatically."
        if "was not found" in row.error:
            what = f"Install {title}, or choose somebody else in Settings."
        elif is_paused:
            what = "Nothing more is asked of it until you try again, or a day has passed."
        return f"{title} did not answer: {row.error}", what, until
    return None


def _adapters(settings: Settings) -> tuple[str, ...]:
    return ("claude-code", "codex", "gemini") if settings.judge == "same" else (settings.judge,)


def _readers(connection: Connection, settings: Settings, now: datetime) -> tuple[str, ...]:
    """Who reads, by name: with `same` those whose assistants were typed to lately."""
    if settings.judge in {"off", "same"}:
        if settings.judge == "off":
            return ()
        apps = {row.app for row in judge_rows.load_lengths(connection, now - _MONTH)}
        return tuple(title_of("same", app) for app in _adapters(settings) if app in apps)
    return (title_of(settings.judge),)


def _readings(connection: Connection, rows: Sequence[Any]) -> tuple[JudgeReading, ...]:
    titles = judge_rows.load_titles(connection, (number for row in rows for number in row.conversation_ids or ()))
    return tuple(_reading(row, titles) for row in rows)


def _reading(row: Any, titles: dict[int, Any]) -> JudgeReading:
    conversations = tuple(
        ReadConversation(number, conversation_title(titles[number]), titles[number].state != "evicted")
        for number in row.conversation_ids or ()
        if number in titles
    )
    reasons = sorted((row.drop_reasons or {}).items(), key=lambda pair: (-pair[1], pair[0]))
    is_undone = row.undone_by_id is not None
    return JudgeReading(
        id=int(row.id),
        at=row.at,
        adapter=str(row.adapter),
        reader=title_of(row.adapter),
        model=str(row.model or ""),
        app=str(row.app or ""),
        project=str(row.project or ""),
        state=str(row.state),
        error=str(row.error),
        conversations=conversations,
        prompt_count=int(row.message_count),
        prompt_tokens=int(row.prompt_tokens),
        answer_tokens=int(row.answer_tokens),
        seconds=float(row.seconds),
        money_usd=row.money_usd,
        payer=_payer(row),
        remembered_count=int(row.memory_count),
        closed_count=int(row.closed_count),
        put_away_count=len(row.put_away_ids or ()),
        dropped_count=int(row.dropped_count),
        drop_reasons=tuple((str(reason), int(count)) for reason, count in reasons),
        operation_id=row.operation_id,
        is_undone=is_undone,
        is_undoable=row.operation_id is not None and bool(row.is_undoable) and not is_undone and bool(_changed(row)),
    )


def _changed(row: Any) -> int:
    return int(row.memory_count) + int(row.closed_count) + len(row.put_away_ids or ())


def _payer(row: Any) -> Payer:
    if row.adapter == "endpoint":
        return Payer.KEY if row.is_paid_by_key else Payer.NOBODY
    if row.adapter == "command":
        return Payer.UNKNOWN
    return Payer.KEY if row.is_paid_by_key else Payer.PLAN


def _came_of(connection: Connection, row: Any) -> tuple[CameOfIt, ...]:
    listed = [
        (number, what)
        for what, numbers in (
            ("remembered", row.remembered_ids),
            ("closed", row.closed_ids),
            ("put_away", row.put_away_ids),
        )
        for number in numbers or ()
    ]
    ids = [number for number, _what in listed]
    memories, sources = judge_rows.load_memories(connection, ids), judge_rows.load_newest_sources(connection, ids)
    found = []
    for number, what in listed:
        memory, source = memories.get(number), sources.get(number)
        found.append(
            CameOfIt(
                number,
                what,
                str(memory.full) if memory is not None else "",
                str(source.quote) if source is not None else "",
                source.message_id if source is not None else None,
                is_kept=memory is not None,
            )
        )
    return tuple(found)
