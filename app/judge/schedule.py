"""Which unread prompts are to be read now. Pure.

Those of one project and one app go together: when 25 wait; when a conversation is about to leave the queue; else when it ended or
rested for two hours and nobody has typed for a while, so that one request holds many. Source: JUDGE "What a request holds".
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.judge.request import MAX_MESSAGES

RESTED = timedelta(hours=2)
QUIET_S = 60.0  # since anything was captured: a person who types has more to say
LEAVING_COUNT = 3


@dataclass(frozen=True, slots=True)
class Waiting:
    """One unread prompt."""

    message_id: int
    conversation_id: int
    app_id: int
    app: str
    project_id: int
    state: str  # of its conversation
    last_message_at: datetime | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Batch:
    """Prompts to be read together, in order."""

    app_id: int
    app: str
    project_id: int
    message_ids: tuple[int, ...]
    is_past: bool = False  # they have left the queue; a number below zero is an event's
    first_at: datetime | None = None  # of the past: when they were typed
    last_at: datetime | None = None


def choose_due(
    waiting: Iterable[Waiting], now: datetime, leaving: Iterable[int], *, is_quiet: bool
) -> tuple[Batch, ...]:
    """What is to be read without being asked, at most one batch for each project and app."""
    going = frozenset(leaving)
    found = []
    for group in _groups(waiting).values():
        over = [one for one in group if _is_over(one, now)]
        if len(group) >= MAX_MESSAGES:
            found.append(_batch(group))
        elif any(one.conversation_id in going for one in group) or (over and is_quiet):
            found.append(_batch(over or group))
    return tuple(found)


def choose_all(waiting: Iterable[Waiting]) -> tuple[Batch, ...]:
    """Everything that waits, for who asks for it: active conversations too."""
    return tuple(
        _batch(group[start : start + MAX_MESSAGES])
        for group in _groups(waiting).values()
        for start in range(0, len(group), MAX_MESSAGES)
    )


def next_to_leave(kept: Sequence[tuple[int, str]], queue_size: int) -> frozenset[int]:
    """The conversations that the next three new ones push out. `kept`: (id, state), the first to leave first.

    >>> next_to_leave([(1, "ended"), (2, "active"), (3, "paused")], 4)
    frozenset({1, 3})
    """
    order = [number for number, state in kept if state != "active"]
    return frozenset(order[: max(0, LEAVING_COUNT - (queue_size - len(kept)))])


def _groups(waiting: Iterable[Waiting]) -> Mapping[tuple[int, int], list[Waiting]]:
    groups: dict[tuple[int, int], list[Waiting]] = {}
    for one in waiting:
        groups.setdefault((one.project_id, one.app_id), []).append(one)
    return groups


def _batch(group: Sequence[Waiting]) -> Batch:
    first = group[0]
    ids = tuple(one.message_id for one in group[:MAX_MESSAGES])
    return Batch(first.app_id, first.app, first.project_id, ids)


def _is_over(one: Waiting, now: datetime) -> bool:
    return one.state == "ended" or (one.last_message_at or one.at) <= now - RESTED
