"""Ten alike are one question with one answer; what was called no contradiction is not asked again; at most three a day."""

import pytest

from app.api import Engine, FrozenClock, MemoryDraft, Resolution, ResolutionRequest
from app.deciders.memory.contradictions.alike_pairs import (
    PairSide,
    group_alike,
    is_answered_by,
    is_same_question,
    shape_pair,
)
from app.deciders.memory.rules import load_memory_rules
from app.errors import InvalidError
from tests.patience import PATIENCE_S

RULES = load_memory_rules()
SHOP = "/w/shop"


def shape(a: str, b: str, project: int = 1):  # type: ignore[no-untyped-def]
    return shape_pair(project, PairSide(a), PairSide(b), RULES)


MAIL = shape("Mail goes through Falcon.", "Mail goes through Kestrel.")


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        (shape("Invoices leave by Falcon.", "Invoices leave by Kestrel."), True),
        (shape("Invoices leave by Falcon.", "Invoices leave by Heron."), False),
        (shape("Invoices leave by Kestrel.", "Invoices leave by Falcon."), False),
        (shape("Mail goes through Falcon.", "Mail goes through Kestrel.", project=2), False),
        (shape("Mail goes through Falcon at night.", "Mail goes through Kestrel."), False),
        (shape("Mail goes through Falcon.", "Mail goes through Falcon."), False),
    ],
)
def test_the_same_two_things_are_one_question(other, is_same: bool) -> None:  # type: ignore[no-untyped-def]
    assert is_same_question(MAIL, other) is is_same


def test_what_was_answered_is_answered_whichever_was_said_first() -> None:
    turned = shape("Invoices leave by Kestrel.", "Invoices leave by Falcon.")
    assert is_answered_by(turned, [MAIL])
    assert not is_answered_by(shape("Mail goes through Falcon.", "Mail goes through Heron."), [MAIL])


def test_groups_keep_the_order_of_their_first() -> None:
    other = shape("Sessions live two hours.", "Sessions live nine hours.")
    again = shape("Invoices leave by Falcon.", "Invoices leave by Kestrel.")
    assert group_alike([other, MAIL, again]) == ((0,), (1, 2))


# in the store -------------------------------------------------------------------------------------------------


def add(engine: Engine, text: str) -> int:
    return engine.memories.create(MemoryDraft(text, project_path=SHOP))


def look(engine: Engine) -> None:
    assert engine._core.scanner.wait_idle(PATIENCE_S)


def open_alike(engine: Engine, clock: FrozenClock, count: int) -> None:
    things = (
        "Mail",
        "Invoices",
        "Receipts",
        "Reminders",
        "Reports",
        "Alerts",
        "Digests",
        "Tickets",
        "Letters",
        "Orders",
    )
    for value in ("Falcon", "Kestrel"):
        for one in things[:count]:
            clock.advance(minutes=1)
            add(engine, f"{one} of the shop go out through {value}.")
        look(engine)
    assert len(engine.contradictions.list()) >= count, "the control: each pair contradicts"


def test_ten_alike_are_one_question_with_one_answer_and_one_undo(engine: Engine, clock: FrozenClock) -> None:
    open_alike(engine, clock, 10)
    count = engine.contradictions.count_open()
    [group] = engine.contradictions.groups()
    assert (len(group.ids), engine.contradictions.count_questions()) == (count, 1)
    engine.contradictions.resolve_alike(group.ids, ResolutionRequest(Resolution.B_WINS))
    assert engine.contradictions.count_open() == 0
    [done] = engine.journal.list(limit=1)
    assert done.label.endswith(f", and {count - 1} like it")
    engine.journal.undo(done.id)
    assert engine.contradictions.count_open() == count


def test_a_scope_or_a_text_is_for_one_at_a_time(engine: Engine, clock: FrozenClock) -> None:
    open_alike(engine, clock, 2)
    [group] = engine.contradictions.groups()
    with pytest.raises(InvalidError, match="one at a time"):
        engine.contradictions.resolve_alike(group.ids, ResolutionRequest(Resolution.BOTH_VALID, scope_a="tests"))


def test_where_the_first_answer_leaves_nothing_to_decide_the_rest_is_let_be(engine: Engine, clock: FrozenClock) -> None:
    open_alike(engine, clock, 2)
    [group] = engine.contradictions.groups()
    engine.contradictions.resolve_alike((*group.ids, group.ids[0]), ResolutionRequest(Resolution.A_WINS))
    assert engine.contradictions.count_open() == 0


@pytest.mark.parametrize("way", ["the quiet thread", "a run", "a slot at once"])
def test_what_was_called_no_contradiction_is_not_asked_again_in_other_words(
    engine: Engine, clock: FrozenClock, way: str
) -> None:
    first, second = ("Falcon", "Kestrel") if way != "a slot at once" else ("PostgreSQL", "SQLite")
    texts = ("Mail of the shop goes through {}.", "Alerts of the shop go through {}.")
    if way == "a slot at once":
        texts = ("The primary database is {}.", "Our primary database is {}, as agreed.")
    add(engine, texts[0].format(first))
    add(engine, texts[0].format(second))
    look(engine)
    [found] = engine.contradictions.list()
    engine.contradictions.resolve(found.id, ResolutionRequest(Resolution.DISMISSED))
    operation = engine.journal.list(limit=1)[0].id
    clock.advance(minutes=1)
    for value in (second, first):
        add(engine, texts[1].format(value))
    if way == "a run":
        engine.consolidation.run()
    look(engine)
    assert engine.contradictions.list() == ()
    # the control: with the answer taken back, all of it is asked
    engine.journal.undo(operation)
    engine._core.scanner.scan(engine.memories.ids())
    assert len(engine.contradictions.list()) > 1


def test_another_thing_in_the_same_slot_is_asked(engine: Engine) -> None:
    for value in ("PostgreSQL", "SQLite"):
        add(engine, f"The primary database is {value}.")
    look(engine)
    [found] = engine.contradictions.list()
    engine.contradictions.resolve(found.id, ResolutionRequest(Resolution.DISMISSED))
    add(engine, "The primary database is MySQL.")
    look(engine)
    assert {one.b.text for one in engine.contradictions.list()} == {"The primary database is MySQL."}


def test_three_a_day_and_the_next_day_three_more(engine: Engine, clock: FrozenClock) -> None:
    for number in range(5):
        for value in ("PostgreSQL", "SQLite"):
            engine.memories.create(MemoryDraft(f"The primary database is {value}.", project_path=f"/w/p{number}"))
    assert len(engine.contradictions.groups()) == 5
    first = [one.first.id for one in engine.contradictions.todays()]
    assert len(first) == 3
    assert engine.stats.now().question_count == 3
    engine.contradictions.resolve(first[0], ResolutionRequest(Resolution.B_WINS))
    assert [one.first.id for one in engine.contradictions.todays()] == first[1:], "no fourth question today"
    clock.advance(days=1)
    again = [one.first.id for one in engine.contradictions.todays()]
    assert len(again) == 3
    assert set(first[1:]) <= set(again) or not set(again) & {first[0]}


def test_an_answer_says_which_other_questions_it_settles(engine: Engine, clock: FrozenClock) -> None:
    for port in (5433, 5611, 5702):
        clock.advance(minutes=1)
        add(engine, f"The staging database of the shop listens on port {port}.")
        look(engine)
    before = engine.contradictions.count_questions()
    first, *others = engine.contradictions.groups()
    engine.contradictions.resolve_alike(first.ids, ResolutionRequest(Resolution.B_WINS))
    settled = before - 1 - engine.contradictions.count_questions()
    assert settled >= 1, "the control: a side of another question is gone"
    [done] = engine.journal.list(limit=1)
    words = f"{settled} other question" if settled == 1 else f"{settled} other questions"
    assert done.label.endswith(f". This settles {words}, too")
    engine.journal.undo(done.id)
    assert engine.contradictions.count_questions() == before
    assert others
