"""A conversation that leaves the queue teaches first: rules and links stay, Activity says so in one line, its card says farewell."""

from dataclasses import replace

import pytest
from sqlalchemy import Connection

from app.api import CaptureRequest, ConversationState, Engine, EventKind, FrozenClock, Outcome
from app.store.rows.rule import load_rules_learned
from app.understanding.conversations.eviction_lessons import KIND
from app.values import Origin
from app.values.rules import RuleKind
from tests.conftest import Say
from tests.dump import dump_store
from tests.patience import PATIENCE_S

_BESIDE = frozenset({"memory", "memory_version", "note"})  # what the background finds out about memories meanwhile


def _names_linked(connection: Connection, conversation_id: int) -> tuple[str, ...]:
    """What a conversation whose text has left spoke of most."""
    linked = (
        "SELECT e.name FROM entity e JOIN link l ON l.to_id = e.id AND l.to_kind = 'entity' "
        "WHERE l.from_kind = 'conversation' AND l.from_id = ? ORDER BY l.strength DESC, e.id"
    )
    return tuple(connection.exec_driver_sql(linked, (conversation_id,)).scalars())


def tool(
    engine: Engine, clock: FrozenClock, session: str, name: str, given: dict[str, str], code: int = 0, said: str = ""
) -> None:
    clock.advance(seconds=5)
    response = {"exit_code": code, "stdout": said}
    payload = {"tool_name": name, "tool_input": given, "tool_response": response}
    key = f"{session}-{clock.now().isoformat()}"
    base = CaptureRequest("claude-code", EventKind.TOOL, key, session=session, cwd="/w/app")
    engine.events.capture([replace(base, payload=payload)], wait_s=PATIENCE_S)


def work(engine: Engine, clock: FrozenClock, say: Say, session: str = "panel") -> int:
    """A conversation with files changed together, commands in order, an error and its fix, a phrase and a memory."""
    first = say("Add a filter panel to the shop. We use PostgreSQL for the orders.", session=session)
    tool(engine, clock, session, "Edit", {"file_path": "/w/app/src/FilterPanel.tsx"})
    tool(engine, clock, session, "Edit", {"file_path": "/w/app/src/FilterPanelContent.tsx"})
    say("Make it purple", session=session)
    tool(
        engine,
        clock,
        session,
        "Bash",
        {"command": "npm run build"},
        2,
        "src/cart.ts(4,7): error TS2322: not assignable",
    )
    tool(engine, clock, session, "Edit", {"file_path": "/w/app/src/cart.ts"})
    tool(engine, clock, session, "Bash", {"command": "npm run build"})
    tool(engine, clock, session, "Bash", {"command": "npm test"})
    tool(engine, clock, session, "Bash", {"command": "git commit -m 'filter panel'"})
    assert first.conversation_id is not None
    engine.conversations.end(first.conversation_id)
    return first.conversation_id


def push_out(say: Say, count: int = 3) -> None:
    for number in range(count):
        say(f"Why does the map{number} view flicker?", session=f"other-{number}", minutes=300)


@pytest.mark.seed("S1", "tiers", "expire", "queue.learn-first", "con.extract")
def test_what_it_taught_stays_before_its_text_goes(engine: Engine, clock: FrozenClock, say: Say) -> None:
    engine.settings.set("queue_size", 3)
    conversation_id = work(engine, clock, say)
    push_out(say)
    assert engine.conversations.get(conversation_id).messages == ()
    with engine._core.store.read() as connection:
        rules = {(one.kind, one.pattern): one for one in load_rules_learned(connection)}
        names = _names_linked(connection, conversation_id)
    assert rules[RuleKind.PHRASE, "make it {color}"].details["intents"] == ["EXECUTE"]
    pair = rules[RuleKind.FILES, "src/FilterPanel.tsx + src/FilterPanelContent.tsx"]
    assert (pair.details["pattern"], pair.project, pair.confidence) == ("component_parent_child", "/w/app", 0.6)
    assert (RuleKind.SEQUENCE, "edit → build → test → commit") in rules
    fix = next(one for one in rules.values() if one.kind is RuleKind.FIX)
    assert fix.pattern == "cart.ts(#,#): error TS2322: not assignable"
    assert fix.details["files"] == ["src/cart.ts"]
    assert any("filter panel" in name.lower() for name in names)


@pytest.mark.seed("S1", "queue.log")
def test_activity_says_in_one_line_what_stays(engine: Engine, clock: FrozenClock, say: Say) -> None:
    engine.settings.set("queue_size", 3)
    conversation_id = work(engine, clock, say)
    title = engine.conversations.get(conversation_id).conversation.title
    push_out(say)
    lines = [one for one in engine.journal.list() if one.kind == KIND and one.conversation_id == conversation_id]
    assert [one.origin for one in lines] == [Origin.ENGINE]
    (gone,) = [one for one in engine.conversations.list(include_evicted=True) if one.id == conversation_id]
    assert gone.state is ConversationState.EVICTED
    assert gone.farewell is not None
    count = gone.farewell.memory_count
    word = "memory stays" if count == 1 else "memories stay"
    assert count >= 1
    assert lines[0].label == f"“{title}” left the queue: {count} {word}"


def test_the_card_that_is_next_out_says_what_will_stay_and_go(engine: Engine, clock: FrozenClock, say: Say) -> None:
    engine.settings.set("queue_size", 3)
    conversation_id = work(engine, clock, say)
    push_out(say, 2)
    (card,) = [one for one in engine.conversations.list() if one.is_next_out]
    assert card.id == conversation_id
    before = card.farewell
    assert before is not None
    assert (before.message_count, before.is_archived) == (2, False)
    assert before.fact_count >= 1
    assert before.workflow_count >= 1
    push_out(say, 3)
    after = next(one for one in engine.conversations.list(include_evicted=True) if one.id == conversation_id).farewell
    assert after == before


def test_with_the_archive_on_nothing_is_lost(engine: Engine, clock: FrozenClock, say: Say) -> None:
    engine.settings.set("queue_size", 3)
    engine.archive.choose("forever")
    work(engine, clock, say)
    push_out(say, 2)
    (card,) = [one for one in engine.conversations.list() if one.is_next_out]
    assert card.farewell is not None
    assert (card.farewell.message_count, card.farewell.is_archived) == (0, True)


def test_undo_of_what_pushed_it_out_takes_rules_and_links_back(engine: Engine, clock: FrozenClock, say: Say) -> None:
    engine.settings.set("queue_size", 3)
    work(engine, clock, say)
    push_out(say, 2)
    before = dump_store(engine.places.store_path, without=_BESIDE)
    say("Why does the calendar flicker?", session="last", minutes=300)
    pushed = next(one for one in engine.journal.list() if one.label.startswith("Captured"))
    engine.journal.undo(pushed.id)
    assert dump_store(engine.places.store_path, without=_BESIDE) == before


@pytest.mark.seed("S1", "con.merge")
def test_a_second_conversation_reinforces_and_none_counts_twice(engine: Engine, clock: FrozenClock, say: Say) -> None:
    engine.settings.set("queue_size", 3)
    work(engine, clock, say)
    push_out(say)
    work(engine, clock, say, "again")
    push_out(say, 3)
    with engine._core.store.read() as connection:
        rule = next(one for one in load_rules_learned(connection) if one.pattern == "make it {color}")
    assert (rule.seen_count, rule.confidence) == (2, 0.65)
    assert len(rule.conversation_ids) == 2


def test_switched_off_no_rule_is_learned(engine: Engine, clock: FrozenClock, say: Say) -> None:
    engine.settings.set("queue_size", 3)
    engine.settings.set("is_learning_rules", False)
    work(engine, clock, say)
    push_out(say)
    with engine._core.store.read() as connection:
        assert load_rules_learned(connection) == ()


def test_an_erased_conversation_takes_along_what_only_it_taught(engine: Engine, clock: FrozenClock, say: Say) -> None:
    engine.settings.set("queue_size", 3)
    conversation_id = work(engine, clock, say)
    push_out(say)
    engine.memories.erase_everything_of(conversation_id=conversation_id)
    with engine._core.store.read() as connection:
        assert load_rules_learned(connection) == ()
        assert _names_linked(connection, conversation_id) == ()


def test_the_one_that_is_ended_to_make_room_teaches_too(engine: Engine, say: Say) -> None:
    engine.settings.set("queue_size", 3)
    engine.settings.set("idle_pause_s", 2_592_000)
    for number, thing in enumerate(("FAB button", "CSV export", "login page")):
        say(f"I want to add a {thing}", session=f"s{number}")
        say("Make it purple", session=f"s{number}")
    say("Add a calendar to the payroll report", session="s9")
    gone = [one for one in engine.conversations.list(include_evicted=True) if one.state is ConversationState.EVICTED]
    assert [one.outcome for one in gone] == [Outcome.ABANDONED]
    with engine._core.store.read() as connection:
        assert any(one.pattern == "make it {color}" for one in load_rules_learned(connection))
