"""When prompts are read: many at once, none too late."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from app.judge.schedule import Waiting, choose_all, choose_due, next_to_leave

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def waiting(number: int, state: str = "active", conversation: int = 1, app: int = 1, hours: float = 0) -> Waiting:
    at = NOW - timedelta(hours=hours)
    return Waiting(number, conversation, app, f"app{app}", 1, state, at, at)


def test_25_that_wait_are_read_though_the_person_types_on() -> None:
    few, many = [waiting(n) for n in range(24)], [waiting(n) for n in range(30)]
    assert choose_due(few, NOW, (), is_quiet=False) == ()
    (batch,) = choose_due(many, NOW, (), is_quiet=False)
    assert batch.message_ids == tuple(range(25))


def test_what_ended_or_rests_is_read_when_it_is_quiet() -> None:
    rows = [waiting(1, "ended"), waiting(2, "active", 2), waiting(3, "paused", 3, hours=3)]
    assert choose_due(rows, NOW, (), is_quiet=False) == ()
    (batch,) = choose_due(rows, NOW, (), is_quiet=True)
    assert batch.message_ids == (1, 3)


def test_what_is_about_to_leave_is_read_at_once() -> None:
    (batch,) = choose_due([waiting(1, "paused"), waiting(2, "active", 2)], NOW, {1}, is_quiet=False)
    assert 1 in batch.message_ids


def test_apps_and_projects_are_never_mixed() -> None:
    rows = [waiting(1), waiting(2, app=2), replace(waiting(3), project_id=2)]
    assert [batch.message_ids for batch in choose_all(rows)] == [(1,), (2,), (3,)]


def test_the_next_three_leave_only_a_queue_that_is_nearly_full() -> None:
    kept = [(n, "ended") for n in range(18)]
    assert next_to_leave(kept, 20) == {0}
    assert next_to_leave(kept[:10], 20) == frozenset()
    assert next_to_leave([*kept, (90, "active"), (91, "ended")], 20) == {0, 1, 2}
