"""The step that learns rules: adds, reinforces, lets go; taken back to the letter; a second run has nothing to do."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.api import Engine, Places
from app.consolidation.snapshot import WorkDays
from app.consolidation.step_interface import PlanContext
from app.consolidation.steps.rules import RuleInput, plan
from app.deciders.learning.rule_confidence import confidence_of, find_ends
from app.settings import Settings
from app.store.journal import Write
from app.store.rows.rule import record_of
from app.store.tables.core import LearnedRuleRow
from app.values import Origin
from app.values.rules import LearnedRule, RuleCandidate, RuleKind
from tests.conftest import Say
from tests.dump import dump_store

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
READING = PlanContext(NOW, Settings(), WorkDays({}, ()))


def rule(number: int, pattern: str, intents: tuple[str, ...] = ("EXECUTE",), **more: object) -> LearnedRule:
    plain = LearnedRule(number, RuleKind.PHRASE, pattern, {"intents": list(intents)}, 0.6, 1, NOW, NOW, 0)
    return replace(plain, **more)  # type: ignore[arg-type]


def ended(engine: Engine, say: Say, session: str) -> None:
    first = say("I want to add a FAB button", session=session)
    say("Make it purple", session=session)
    assert first.conversation_id is not None
    engine.conversations.end(first.conversation_id)


@pytest.mark.seed("S1", "con.report")
def test_a_run_learns_and_is_taken_back_and_a_second_has_nothing_to_do(
    engine: Engine, say: Say, places: Places
) -> None:
    ended(engine, say, "a")
    ended(engine, say, "b")
    before = dump_store(places.store_path)
    card = engine.consolidation.run()
    assert card.report.patterns_added >= 2
    learned = {one.pattern: one for one in engine.rules.learned()}
    assert learned["make it {color}"].details["context_required"] == ["previous_entity"]
    assert learned["it"].details["lookback"] == 1
    again = engine.consolidation.run()
    assert (again.report.patterns_added, again.report.patterns_reinforced) == (0, 0)
    engine.consolidation.undo(card.id)
    assert dump_store(places.store_path) == before


@pytest.mark.seed("S1", "con.plus", "con.report")
def test_a_second_conversation_is_counted_as_reinforced(engine: Engine, say: Say) -> None:
    ended(engine, say, "a")
    ended(engine, say, "b")
    engine.consolidation.run()
    ended(engine, say, "c")
    card = engine.consolidation.run()
    assert card.report.patterns_reinforced >= 1
    learned = {one.pattern: one for one in engine.rules.learned()}
    assert learned["make it {color}"].confidence == 0.7
    assert learned["it"].seen_count == 2, "a word that each conversation has is counted when the conversation leaves"


def test_what_one_conversation_shows_is_no_rule_yet(engine: Engine, say: Say) -> None:
    ended(engine, say, "a")
    assert engine.consolidation.run().report.patterns_added == 0
    assert engine.rules.learned() == ()
    ended(engine, say, "b")
    assert engine.consolidation.run().report.patterns_added >= 2, "it was not forgotten"


def test_a_no_to_one_rule_is_a_no_to_no_other(engine: Engine, say: Say) -> None:
    ended(engine, say, "a")
    ended(engine, say, "b")
    card = engine.consolidation.preview()
    listed = {one.after[0]: one.id for one in engine.consolidation.actions(card.id) if one.kind == "add_rule"}
    assert len(listed) >= 2
    refused = next(name for name in listed if "make it" in name)
    engine.consolidation.decide([listed[refused]], is_accepted=False)
    engine.consolidation.apply(card.id)
    assert [one.pattern for one in engine.rules.learned() if one.pattern.startswith("make it")] == []
    for session in "cd":
        first = say("Run the tests again", session=session)
        assert first.conversation_id is not None
        engine.conversations.end(first.conversation_id)
    again = engine.consolidation.preview()
    proposed = {one.after[0] for one in engine.consolidation.actions(again.id)}
    assert refused not in proposed
    assert "messages like “run the tests again” are understood as a wish to have something tested" in proposed


def add(engine: Engine, wanted: LearnedRule) -> None:
    with engine._core.store.write(origin=Origin.ENGINE, kind="test", label="") as write:
        assert isinstance(write, Write)
        write.insert(LearnedRuleRow, record_of(wanted) | {"changed_count": 0})


@pytest.mark.seed("S1", "con.prune")
def test_a_weak_rule_goes_after_ten_runs_and_is_listed(engine: Engine) -> None:
    engine.settings.set("rule_idle_runs", 2)
    add(engine, rule(0, "run {feature} again", last_seen_at=datetime(2026, 1, 1, tzinfo=UTC)))
    for _ in range(2):
        assert engine.consolidation.run().report.patterns_pruned == 0
    card = engine.consolidation.run()
    assert card.report.patterns_pruned == 1
    (action,) = engine.consolidation.actions(card.id)
    assert action.before == ("run {feature} again",)
    assert engine.rules.learned() == ()


@pytest.mark.seed("S1", "con.prune")
@pytest.mark.parametrize(
    ("changes", "goes"),
    [
        ({"idle_runs": 10}, True),
        ({"idle_runs": 9}, False),
        ({"idle_runs": 99, "seen_count": 3}, False),
        ({"idle_runs": 99, "confidence": 0.8}, False),
        ({"idle_runs": 99, "is_edited": True}, False),
        ({"idle_runs": 99, "is_on": False}, False),
    ],
)
def test_who_goes(changes: dict[str, object], goes: bool) -> None:
    assert bool(find_ends([rule(1, "make it {color}", **changes)])) is goes


@pytest.mark.seed("S1", "con.contradictory", "con.dedup")
def test_like_ones_become_one_and_of_two_that_contradict_the_higher_stays() -> None:
    like = find_ends([rule(1, "add {feature}", confidence=0.8), rule(2, "add {component}")])
    assert [(one.rule.id, one.into_id) for one in like] == [(2, 1)]
    against = find_ends([rule(1, "try {feature}", ("TEST",)), rule(2, "try {feature}", ("EXECUTE",), confidence=0.7)])
    assert [(one.rule.id, one.into_id) for one in against] == [(1, None)]


@pytest.mark.seed("S1", "kg.size")
def test_a_graph_above_200_kb_loses_its_weakest() -> None:
    many = tuple(
        rule(number, f"add {{feature}} {'x' * 80} {number}", confidence=0.7 + number / 100_000, seen_count=3)
        for number in range(1, 1_000)
    )
    gone = [one.data["rule_id"] for one in plan(RuleInput((), many), READING)]
    assert gone
    assert gone == list(range(1, len(gone) + 1))


def test_what_repaired_an_error_is_proposed_at_once_and_sequences_and_signs_are_only_counted() -> None:
    lessons = (
        RuleCandidate(RuleKind.FIX, "E#: '…' is not defined", {"command": "npm test", "files": ["a.ts"]}, True),
        RuleCandidate(RuleKind.PHRASE, "make it {color}", {"intents": ["PLAN"], "corrected": True}),
        RuleCandidate(RuleKind.PHRASE, "make it {color}", {"intents": ["EXECUTE"]}),
        RuleCandidate(RuleKind.FILES, "a.ts + b.ts", {"files": ["a.ts", "b.ts"]}, True),
    )
    found = plan(RuleInput(((1, 7, lessons),), ()), READING)
    assert [(one.data["rule_kind"], one.data["wants"]) for one in found] == [("fix", ""), ("phrase", "PLAN")]
    counted = (
        RuleCandidate(RuleKind.SEQUENCE, "edit → test", {"steps": ["edit", "test"]}, True),
        RuleCandidate(RuleKind.SIGN, "new_session_started", {"value": True}),
    )
    assert plan(RuleInput(tuple((number, 7, counted) for number in (1, 2, 3)), ()), READING) == []


def _pair(first: str, second: str) -> RuleCandidate:
    return RuleCandidate(RuleKind.FILES, f"{first} + {second}", {"files": [first, second]}, True)


def test_files_that_are_mostly_changed_together_and_not_one_that_goes_along_with_everything() -> None:
    lessons = tuple(
        (number, 7, tuple(_pair(*sorted(("docs/log.md", other))) for other in others))
        for number, others in enumerate((("a.py",), ("a.py", "b.py"), ("b.py",), ("c.py",), ("d.py",)), 1)
    )
    lessons += ((8, 7, (_pair("src/cart.py", "src/sum.py"),)), (9, 7, (_pair("src/cart.py", "src/sum.py"),)))
    assert [one.text for one in plan(RuleInput(lessons, ()), READING)] == ["src/cart.py + src/sum.py"]


def test_one_lesson_of_two_conversations_is_one_proposal() -> None:
    lesson = RuleCandidate(RuleKind.PHRASE, "make it {color}", {"intents": ["EXECUTE"]})
    (found,) = plan(RuleInput(((1, None, (lesson,)), (2, None, (lesson,))), ()), READING)
    assert (found.kind, found.data["conversations"], found.text) == ("add_rule", [1, 2], "make it {color}")


@pytest.mark.seed("S1", "con.plus", "con.initial")
def test_the_life_of_a_rule() -> None:
    assert [confidence_of(count) for count in (1, 2, 3, 9, 100)] == [0.6, 0.65, 0.7, 0.99, 0.99]
