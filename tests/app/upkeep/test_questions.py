"""Three questions a day: which, counted in the store by local day, and never what was decided for sure."""

from contextlib import closing
from datetime import UTC, datetime

import pytest
from sqlalchemy import select, update

from app.api import Engine, FrozenClock, Places
from app.store.journal import table_of
from app.store.tables.core import MessageRow
from app.upkeep.daily_questions import choose_contradictions, choose_questions
from app.values import Clarification
from tests.conftest import Say

NOW = datetime(2026, 11, 21, 15, 0, tzinfo=UTC)


def question(number: int, confidence: float = 0.6) -> Clarification:
    return Clarification(number, 1, "Make it stricter", 2, "Rate limiting", confidence, "new: 5 h gap", NOW)


def ask_about(engine: Engine, count: int, confidence: float = 0.6) -> list[int]:
    """Opens a question at the newest messages; returns their numbers, oldest first."""
    table = table_of(MessageRow)
    with engine._core.store.write_log() as connection:
        ids = list(connection.execute(select(table.c.id).order_by(table.c.id.desc()).limit(count)).scalars())
        asked = {"boundary_state": "asked", "boundary_confidence": confidence}
        connection.execute(update(table).where(table.c.id.in_(ids)).values(**asked))
    return sorted(ids)


def shown(engine: Engine) -> list[int]:
    return [one.message_id for one in engine.conversations.todays_questions()]


def test_what_would_move_most_is_asked_first() -> None:
    questions = [question(1), question(2), question(3), question(4, 0.5), question(5)]
    chosen = choose_questions(questions, (), {1: 9, 2: 1, 3: 4, 4: 4, 5: 4})
    assert [one.message_id for one in chosen] == [1, 4, 5]


def test_what_was_shown_today_stays_and_what_was_answered_counts() -> None:
    questions = [question(1), question(2), question(3)]
    chosen = choose_questions(questions, (3, 8), {1: 9, 2: 1})
    assert [one.message_id for one in chosen] == [3, 1], "8 was answered: one place is left"


@pytest.mark.seed("S1", "boundary.few")
def test_three_a_day_and_the_next_day_three_more(engine: Engine, say: Say, clock: FrozenClock, places: Places) -> None:
    for n in range(6):
        say(f"Draw the floor plan of house {n}", minutes=1)
    ask_about(engine, 5)
    first = shown(engine)
    assert len(first) == 3
    assert engine.stats.now().question_count == 3
    engine.conversations.clarify(first[0], is_new=False)
    assert shown(engine) == [one for one in first if one != first[0]], "no fourth question today"
    engine.close()
    with closing(Engine.open(places, clock=clock)) as again:
        assert shown(again) == first[1:], "counted in the store"
        clock.advance(days=1)
        assert len(shown(again)) == 3


@pytest.mark.seed("S1", "ux.clarify")
def test_a_sure_decision_asks_nothing(engine: Engine, say: Say) -> None:
    say("Draw the floor plan")
    ask_about(engine, 1, 0.95)
    assert len(engine.conversations.clarifications()) == 1
    assert shown(engine) == []
    assert engine.stats.now().question_count == 0


def test_reading_twice_counts_once(engine: Engine, say: Say) -> None:
    say("Draw the floor plan")
    (number,) = ask_about(engine, 1)
    assert shown(engine) == shown(engine) == [number]


def test_neither_kind_takes_the_last_place_from_the_other() -> None:
    assert choose_contradictions([4, 7, 9], (), is_last_kept=True) == (4, 7)
    assert choose_contradictions([4, 7, 9], (), is_last_kept=False) == (4, 7, 9)
    assert choose_contradictions([4, 7, 9], (1, 2), is_last_kept=True) == ()
    assert choose_contradictions([4, 7, 9], (-7, 1, 2), is_last_kept=True) == (7,), "what was shown today stays"
    left = choose_questions([question(1), question(2)], (-4, -7), {})
    assert [one.message_id for one in left] == [2]
