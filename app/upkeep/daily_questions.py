"""At most three questions a day: which are asked today, and how many were. Kept by the local day of the machine.

A question that was shown today stays until it is answered; what is left of the three goes to those that would change most.
Two kinds ask by themselves: borders between conversations, and memories that contradict each other; while both wait, neither takes
the last of the three places from the other. Source: issue 16 point 10, S1 clarification flow, UX 4.2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from app.contradictions.listing import group_open
from app.store.app_metadata import read_mark, set_marks
from app.store.rows.message import count_messages_from
from app.store.store import Store
from app.understanding.conversations.queries import list_clarifications
from app.values import Clarification

A_DAY_MOST = 3
SURE = 0.95  # a decision as sure as this is no question
_NAME = "questions"


@dataclass(frozen=True, slots=True)
class TodaysQuestions:
    """What is asked today. `contradiction_ids`: the first of each group of alike ones."""

    clarifications: tuple[Clarification, ...]
    contradiction_ids: tuple[int, ...]


def load_today(connection: Connection, now: datetime) -> TodaysQuestions:
    """At most three open questions, first those that were shown today; fewer when some of today's were answered."""
    shown = _shown(connection, now)
    questions = [one for one in list_clarifications(connection) if one.confidence < SURE]
    waits = any(one.message_id not in shown for one in questions)
    asked = choose_contradictions([group[0].id for group in group_open(connection, now)], shown, is_last_kept=waits)
    shown = (*shown, *(-one for one in asked if -one not in shown))
    return TodaysQuestions(choose_questions(questions, shown, _moving(connection, questions)), asked)


def todays_questions(connection: Connection, now: datetime) -> tuple[Clarification, ...]:
    """Those of today's questions that are about borders."""
    return load_today(connection, now).clarifications


def choose_contradictions(open_ids: Sequence[int], shown: Sequence[int], *, is_last_kept: bool) -> tuple[int, ...]:
    """Of the open contradictions those of today, of which `shown` holds the numbers below zero. `open_ids`: the weightiest first;
    `is_last_kept`: a question of the other kind waits for a place.

    >>> choose_contradictions([4, 7, 9, 2], (), is_last_kept=False), choose_contradictions([4, 7, 9], (12, -9), is_last_kept=True)
    ((4, 7, 9), (9,))
    """
    again = tuple(one for one in open_ids if -one in shown)
    places = A_DAY_MOST - len(set(shown)) - is_last_kept
    return (*again, *[one for one in open_ids if -one not in shown][: max(0, places)])[:A_DAY_MOST]


def choose_questions(
    questions: Sequence[Clarification], shown: Sequence[int], moving: Mapping[int, int]
) -> tuple[Clarification, ...]:
    """Of the open questions those of today. `shown`: message ids asked about today, answered since or not; `moving`: how many
    messages each answer would move.

    >>> choose_questions((), (1, 2, 3), {})
    ()
    """
    again = sorted((one for one in questions if one.message_id in shown), key=lambda one: shown.index(one.message_id))
    new = sorted(
        (one for one in questions if one.message_id not in shown),
        key=lambda one: (-moving.get(one.message_id, 0), one.confidence, -one.message_id),
    )
    return (*again, *new[: max(0, A_DAY_MOST - len(set(shown)))])[:A_DAY_MOST]


def note_shown(store: Store, questions: Sequence[Clarification], contradiction_ids: Sequence[int] = ()) -> None:
    """Counts the questions that a person sees today; writes only when one is new. Neither journalled nor announced."""
    now = store.clock.now()
    wanted = [*(one.message_id for one in questions), *(-one for one in contradiction_ids)]
    with store.read() as connection:
        if set(wanted) <= set(_shown(connection, now)):
            return
    with store.write_log() as connection:
        ids = dict.fromkeys([*_shown(connection, now), *wanted])
        value = f"{_day(now)} {','.join(map(str, ids))}"
        set_marks(connection, {_NAME: value})


def _shown(connection: Connection, now: datetime) -> tuple[int, ...]:
    day, _, ids = (read_mark(connection, _NAME) or "").partition(" ")
    return tuple(int(one) for one in ids.split(",") if one) if day == _day(now) else ()


def _day(now: datetime) -> str:
    return now.astimezone().date().isoformat()


def _moving(connection: Connection, questions: Sequence[Clarification]) -> dict[int, int]:
    """How many messages are behind each border."""
    return {one.message_id: count_messages_from(connection, one.conversation_id, one.message_id) for one in questions}
