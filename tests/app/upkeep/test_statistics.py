"""A year at a glance: days of the person's own calendar, kinds and projects, uses, and judgements that were put right, each once."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from app.api import Engine, FrozenClock, Intent, MemoryStatus
from app.errors import InvalidError
from app.store.journal import table_of
from app.store.rows import statistics as statistics_rows
from app.store.tables.memory import MemoryRow, UsageEventRow
from app.upkeep.statistics import load_statistics
from app.values import MemoryDraft, MemoryEdit, MemoryKind, Origin
from app.values.statistics import DayFigures, Judgement, Statistics

Say = Callable[..., Any]


def figures(found: Statistics, judgement: Judgement) -> tuple[int, int]:
    one = next(one for one in found.judgements if one.judgement is judgement)
    return one.judged_count, one.corrected_count


def recorded(engine: Engine, at: datetime, text: str = "Exports are CSV.", **given: Any) -> int:
    number = engine.memories.create(MemoryDraft(text, **given))
    with engine._core.store.write(origin=Origin.PERSON, kind="edit", label="") as write:
        write.update(MemoryRow, number, {"recorded_at": at})
    return number


def of(engine: Engine, zone: str, year: int | None = None) -> Statistics:
    with engine._core.store.read() as connection:
        return load_statistics(connection, engine.clock.now(), year=year, journal_days=30, zone=ZoneInfo(zone))


def test_an_empty_store_has_days_and_nothing_on_them(engine: Engine) -> None:
    found = engine.stats.year()
    assert len(found.days) == (found.to_day - found.from_day).days + 1
    assert 52 * 7 < len(found.days) <= 53 * 7
    assert found.from_day.weekday() == 0, "weeks are whole"
    assert set(found.days) == {DayFigures(one.day) for one in found.days}
    assert found.learned == ()
    assert {(one.judged_count, one.corrected_count) for one in found.judgements} == {(0, 0)}
    assert found.years == (found.to_day.year,)


@pytest.mark.parametrize(
    ("zone", "day"),
    [("UTC", date(2026, 2, 14)), ("America/Los_Angeles", date(2026, 2, 13)), ("Asia/Kathmandu", date(2026, 2, 14))],
)
def test_a_day_is_one_of_the_persons_own_calendar(engine: Engine, zone: str, day: date) -> None:
    recorded(engine, datetime(2026, 2, 14, 7, 30, tzinfo=UTC))
    assert [one.day for one in of(engine, zone).days if one.learned_count] == [day]


def test_days_of_23_and_25_hours_hold_what_was_on_them(engine: Engine, clock: FrozenClock) -> None:
    clock.advance(days=300)
    berlin = ZoneInfo("Europe/Berlin")
    for day in (28, 29, 30):
        for hour in (0, 23):
            recorded(engine, datetime(2026, 3, day, hour, 30, tzinfo=berlin), f"On {day} at {hour} it rang.")
    for day in (24, 25, 26):
        for hour in (0, 23):
            recorded(engine, datetime(2026, 10, day, hour, 30, tzinfo=berlin), f"On {day} at {hour} it sang.")
    counted = {one.day: one.learned_count for one in of(engine, "Europe/Berlin", 2026).days if one.learned_count}
    assert counted == dict.fromkeys(
        [*(date(2026, 3, day) for day in (28, 29, 30)), *(date(2026, 10, day) for day in (24, 25, 26))], 2
    )


def test_kinds_and_projects_by_month_and_columns_say_what_sql_says(engine: Engine, clock: FrozenClock) -> None:
    now = clock.now()
    for number in range(40):
        recorded(
            engine, now - timedelta(days=3 * number), f"Rule {number} of the house holds.",
            kind=(MemoryKind.FACT, MemoryKind.WORKFLOW)[number % 2], project_path=("/w/shop", "/w/atlas", "")[number % 3],
        )  # fmt: skip
    gone = recorded(engine, now, "This one waits.")
    with engine._core.store.write(origin=Origin.PERSON, kind="edit", label="") as write:
        write.update(MemoryRow, gone, {"status": MemoryStatus.QUARANTINED.value})
    found = engine.stats.year()
    by_sql = of(engine, "UTC")
    assert found.learned == by_sql.learned
    assert found.days == by_sql.days
    assert sum(one.count for one in found.learned) == sum(one.learned_count for one in found.days) == 40
    assert {one.project for one in found.learned} == {"shop", "atlas", ""}
    assert "workflow" in {one.kind for one in found.learned}
    assert sum(one.count for one in found.learned if one.kind == "workflow") == 20
    months = [one.month for one in found.learned]
    assert months == sorted(months)
    assert all(month.day == 1 for month in months)


def test_uses_are_counted_on_their_day_and_a_search_gives_nobody_anything(engine: Engine, clock: FrozenClock) -> None:
    number = recorded(engine, clock.now())
    with engine._core.store.write_log() as connection:
        for kind, receipt, days in (
            ("retrieved", 1, 0), ("retrieved", 1, 0), ("retrieved", None, 0), ("cited", 1, 0), ("ignored", 1, 5),
        ):  # fmt: skip
            at = clock.now() - timedelta(days=days)
            row = {"memory_id": number, "at": at, "kind": kind, "receipt_id": receipt}
            connection.execute(table_of(UsageEventRow).insert(), row)
    found = engine.stats.year()
    last = found.days[-1]
    assert (last.given_count, last.cited_count, last.ignored_count) == (2, 1, 0)
    assert (found.days[-6].given_count, found.days[-6].ignored_count) == (0, 1)


def test_each_judgement_that_was_put_right_counts_once_and_not_after_undo(engine: Engine, say: Say) -> None:
    first = say("Add a search field to the list")
    second = say("make it wider", minutes=1)
    other = say("Fix the login test", session="s2", minutes=5)
    start = engine.stats.year()
    assert figures(start, Judgement.INTENT) == (3, 0)
    assert figures(start, Judgement.BOUNDARY) == (3, 0)
    assert start.days[-1].conversation_count == 2
    assert start.days[-1].message_count == 3
    engine.messages.correct_intents(first.message_id, (Intent.PLAN,))
    engine.messages.correct_intents(first.message_id, (Intent.TEST,))
    assert figures(engine.stats.year(), Judgement.INTENT) == (3, 1), "twice the same message is one judgement"
    engine.conversations.split(second.message_id)
    assert figures(engine.stats.year(), Judgement.BOUNDARY) == (3, 1)
    engine.journal.undo()
    assert figures(engine.stats.year(), Judgement.BOUNDARY) == (3, 0), "taken back"
    titles = figures(start, Judgement.TITLE)
    engine.conversations.rename(other.conversation_id, "Login on Mondays")
    assert figures(engine.stats.year(), Judgement.TITLE) == (titles[0], titles[1] + 1)
    reference = next(number for number, _ in engine.conversations.get(second.conversation_id).messages[1].references)
    judged, corrected = figures(engine.stats.year(), Judgement.REFERENCE)
    engine.messages.dismiss_reference(reference)
    assert figures(engine.stats.year(), Judgement.REFERENCE) == (judged, corrected + 1)


def test_a_memory_that_rules_learned_and_the_person_corrected(engine: Engine, say: Say) -> None:
    say("We decided to use PostgreSQL for the orders.")
    say("Never deploy on Fridays.", minutes=1)
    made = figures(engine.stats.year(), Judgement.MEMORY_BY_RULES)
    assert made[0] >= 2
    assert made[1] == 0
    learned = [one.id for one in engine.memories.list(limit=10).cards if one.kind is MemoryKind.FACT]
    engine.memories.edit(learned[0], MemoryEdit(full="Orders are kept in PostgreSQL 16."))
    engine.memories.edit(learned[0], MemoryEdit(full="Orders are kept in PostgreSQL 17."))
    assert figures(engine.stats.year(), Judgement.MEMORY_BY_RULES) == (made[0], 1)
    engine.memories.archive([learned[1]])
    assert figures(engine.stats.year(), Judgement.MEMORY_BY_RULES) == (made[0], 2)
    engine.memories.create(MemoryDraft("I typed this myself."))
    assert figures(engine.stats.year(), Judgement.MEMORY_BY_RULES) == (made[0], 2), (
        "what a person wrote is no judgement"
    )


def test_years_reach_back_to_the_first_memory_and_no_further(engine: Engine, clock: FrozenClock) -> None:
    recorded(engine, clock.now() - timedelta(days=800))
    found = engine.stats.year()
    assert found.years[0] == clock.now().year
    assert found.years[-1] == (clock.now() - timedelta(days=800)).year
    oldest = engine.stats.year(found.years[-1])
    assert (oldest.from_day, oldest.to_day) == (date(found.years[-1], 1, 1), date(found.years[-1], 12, 31))
    assert sum(one.learned_count for one in oldest.days) == 1
    with pytest.raises(InvalidError):
        engine.stats.year(clock.now().year + 1)


def test_names_are_those_of_the_values() -> None:
    assert set(statistics_rows.Judged._fields) == {one.value.replace("-", "_") for one in Judgement}
