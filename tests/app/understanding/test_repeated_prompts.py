"""Prompts that a template or a hook types: found by how they begin, in one look at each message."""

import pysqlite3
from sqlalchemy import create_engine

from app.api import Engine
from app.understanding.conversations.derived import find_alike
from tests.conftest import Say

TEMPLATE = "Read the guide first and follow it to the letter, always: "


def test_what_begins_alike_in_two_other_conversations_is_a_template(engine: Engine, say: Say) -> None:
    for number in range(3):
        say(f"{TEMPLATE}task {number}", session=f"s{number}")
        say(f"Draw the map of part {number}", session=f"s{number}")
    with engine._core.store.read() as connection:
        found = [find_alike(connection, one.id) for one in engine.conversations.list()]
    assert TEMPLATE[:48] in found[0]
    assert all(one <= {TEMPLATE[:48]} for one in found)


def test_twice_the_messages_cost_twice_the_work() -> None:
    few, many = (_steps(count) for count in (400, 1_600))
    assert many < 6 * few, "one look at each message, not at each pair"


def _steps(count: int) -> int:
    """Steps of SQLite's machine for one of four conversations that share so many messages."""
    engine = create_engine("sqlite://", module=pysqlite3.dbapi2)
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    with engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE message (id INTEGER PRIMARY KEY, conversation_id INT, text TEXT, speaker TEXT)"
        )
        rows = [(one + 1, one % 4, f"prompt {one // 4} of a session", "user") for one in range(count)]
        connection.exec_driver_sql("INSERT INTO message VALUES (?, ?, ?, ?)", rows)
        driver = connection.connection.driver_connection
        driver.set_progress_handler(step, 10)
        assert len(find_alike(connection, 1)) == count // 4
        driver.set_progress_handler(None, 0)
    engine.dispose()
    return steps
