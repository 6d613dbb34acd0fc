"""Said again is evidence: the same rule in other words counts by session, and its sketch goes with what it was made of."""

import pytest

from app.api import Engine, FrozenClock
from app.store.journal import table_of
from app.store.tables.core import SketchRow
from app.store.tables.memory import MemoryRow, MemorySourceRow
from app.values import MemoryEdit, Origin
from tests.conftest import Say

RULE = (
    "If any price changes, update the printed leaflet and the web shop.",
    "If any prices are changed, please update the web shop and the printed leaflet.",
    "If any price is changing, also update the web shop and the leaflet that is printed.",
)


def rows(engine: Engine, row: type = MemoryRow) -> list:
    with engine._core.store.read() as connection:
        return list(connection.execute(table_of(row).select()).all())


def test_a_rule_in_other_words_becomes_active_in_the_third_session(engine: Engine, say: Say) -> None:
    for number, text in enumerate(RULE):
        assert not any(one.status == "active" for one in rows(engine))
        say(text, session=f"s{number}")
    [memory] = rows(engine)
    assert memory.status == "active"
    assert memory.full == RULE[0]  # its first words stay
    assert engine.memories.get(memory.id).session_count == 3


def test_three_times_in_one_session_is_one_session(engine: Engine, say: Say) -> None:
    for text in RULE:
        say(text)
    [memory] = rows(engine)
    assert memory.status == "proposed"
    assert engine.memories.get(memory.id).session_count == 1


@pytest.mark.parametrize(
    "other",
    [
        "If any price changes, don't update the printed leaflet and the web shop.",
        "If 3 prices change, update the printed leaflet and the web shop.",
    ],
)
def test_what_negates_or_counts_otherwise_is_something_else(engine: Engine, say: Say, other: str) -> None:
    say(RULE[0], session="a")
    say(other, session="b")
    assert max(engine.memories.get(one.id).session_count for one in rows(engine)) == 1


@pytest.mark.parametrize(
    ("first", "second", "status"),
    [
        ("Never edit the seeds.", "Do not touch the seeds.", "active"),
        (
            "If a variable changes, update the example file and the compose file accordingly.",
            "If a variable changes, update the example file, the compose file and the chart in deploy/ accordingly.",
            "proposed",
        ),
    ],
)
def test_two_wordings_of_one_thing_are_one_memory(
    engine: Engine, say: Say, first: str, second: str, status: str
) -> None:
    say(first, session="a")
    say(second, session="b")
    [memory] = rows(engine)
    assert memory.status == status
    assert [one.quote for one in engine.memories.get(memory.id).sources] == [first, second]


def test_projects_do_not_count_for_each_other(engine: Engine, say: Say) -> None:
    for number, text in enumerate(RULE):
        say(text, session=f"s{number}", cwd=f"/w/{number}")
    assert {one.status for one in rows(engine)} == {"proposed"}


def test_a_sketch_holds_no_word(engine: Engine, say: Say) -> None:
    say(RULE[0])
    [sketch] = rows(engine, SketchRow)
    assert sketch.stems
    assert not set(sketch.stems) - set("0123456789abcdef ")


def test_undo_of_the_message_takes_the_sketch_away(engine: Engine, say: Say) -> None:
    say(RULE[0])
    engine.journal.undo(next(one.id for one in engine.journal.list(limit=5) if one.kind == "capture"))
    assert rows(engine, SketchRow) == []


def test_erasing_takes_the_sketch_away(engine: Engine, say: Say) -> None:
    say(RULE[0])
    engine.memories.erase([rows(engine)[0].id])
    assert rows(engine, SketchRow) == []


def test_erasing_one_session_takes_its_sketches_only(engine: Engine, say: Say, clock: FrozenClock) -> None:
    say(RULE[0], session="a")
    clock.advance(minutes=5)
    middle = clock.now()
    say(RULE[1], session="b", minutes=180)
    engine.memories.erase_everything_of(from_at=middle)
    [memory] = rows(engine)
    assert engine.memories.get(memory.id).session_count == 1
    assert len(rows(engine, SketchRow)) == 1


def test_a_quote_that_loses_a_secret_loses_its_sketch(engine: Engine, say: Say) -> None:
    say(RULE[0])
    source = table_of(MemorySourceRow)
    with engine._core.store.write(origin=Origin.ENGINE, kind="purge", label="as a purge rewrites it") as write:
        write.connection.execute(source.update().values(quote="[secret: key]"))
    assert rows(engine, SketchRow) == []


def test_what_was_edited_by_hand_keeps_its_count(engine: Engine, say: Say) -> None:
    for number, text in enumerate(RULE[:2]):
        say(text, session=f"s{number}")
    [memory] = rows(engine)
    engine.memories.edit(memory.id, MemoryEdit(full="Update leaflet and shop when prices change."))
    assert engine.memories.get(memory.id).session_count == 2
