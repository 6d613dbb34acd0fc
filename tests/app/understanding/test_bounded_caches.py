"""What is remembered of sessions, answers and names stays bounded, and nothing is made twice when it was forgotten."""

from collections.abc import Callable

import pytest
from sqlalchemy import func, select

from app.api import CaptureResult, Engine
from app.capture import streams
from app.store.journal import table_of
from app.store.tables.core import EntityRow, StreamRow
from app.understanding.conversations import recent_messages

Say = Callable[..., CaptureResult]


def count(engine: Engine, row_type: type) -> int:
    with engine._core.store.read() as connection:
        return int(connection.execute(select(func.count()).select_from(table_of(row_type))).scalar_one())


def test_only_the_newest_answers_are_remembered(engine: Engine) -> None:
    cache, rules = engine._core.parts.conversations, engine._core.parts.rule_sets.rules
    now = engine._core.clock.now()
    for stream in (*range(600), 550):
        cache.note_answer(stream, "The login page is blue now.", now, rules.entities)
    assert len(cache._answers) == recent_messages._ANSWERS_CACHED
    assert list(cache._answers)[-2:] == [599, 550]


def test_a_forgotten_session_is_found_again(engine: Engine, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_STREAMS_CACHED", 2)
    said = [say(f"Make page {number} blue", session=f"s{number % 7}") for number in range(21)]
    assert len(engine._core.streams._streams) <= 3
    assert count(engine, StreamRow) == 7
    assert len({one.conversation_id for one in said[::7]}) == 1, "one conversation goes on in its session"


def test_a_forgotten_name_is_found_again(engine: Engine, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent_messages, "_ENTITIES_CACHED", 2)
    for number in range(12):
        say(f"Change `src/part{number % 4}.py` again", session="s")
    with engine._core.store.read() as connection:
        table = table_of(EntityRow)
        names = list(connection.execute(select(table.c.canonical)).scalars())
    assert len(names) == len(set(names))
    assert sum("part" in name for name in names) == 4
