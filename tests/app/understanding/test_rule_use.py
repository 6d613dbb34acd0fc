"""Learned rules change understanding from then on, are counted for it, and no more when off, purged or taken back."""

import pytest

from app.api import Engine, NotFoundError
from app.store.rows.rule import record_of
from app.store.tables.core import LearnedRuleRow
from app.values import Intent, Origin
from app.values.rules import LearnedRule, RuleKind
from tests.conftest import Say


def teach(engine: Engine, pattern: str, *intents: Intent) -> int:
    """A rule that was seen twelve times."""
    now = engine._core.clock.now()
    details = {"intents": [one.value for one in intents]}
    rule = LearnedRule(0, RuleKind.PHRASE, pattern, details, 0.99, 12, now, now, 0)
    with engine._core.store.write(origin=Origin.ENGINE, kind="test", label="") as write:
        return write.insert(LearnedRuleRow, record_of(rule) | {"changed_count": 0})


def wanted(say: Say, text: str = "Make it purple") -> list[Intent]:
    return [one.intent for one in say(text).intents]


def test_a_rule_changes_the_next_message_and_says_so(engine: Engine, say: Say) -> None:
    say("I want to add a FAB button")
    assert wanted(say) == [Intent.EXECUTE]
    number = teach(engine, "make it {color}", Intent.PLAN, Intent.TEST)
    assert wanted(say, "Make it green") == [Intent.PLAN, Intent.TEST]
    (rule,) = engine.rules.learned()
    assert (rule.id, rule.changed_count) == (number, 1)
    message = engine.conversations.get(say("Make it red").conversation_id or 0).messages[-1]
    assert "make it {color}" in message.intents[0].reason


@pytest.mark.seed("S1", "kg.permanent")
def test_off_purged_and_by_setting_it_changes_nothing_and_undo_lets_it_hold_again(engine: Engine, say: Say) -> None:
    say("I want to add a FAB button")
    number = teach(engine, "make it {color}", Intent.TEST)
    engine.rules.switch([number], is_on=False)
    assert wanted(say) == [Intent.EXECUTE]
    engine.rules.switch([number], is_on=True)
    assert wanted(say) == [Intent.TEST]
    engine.settings.set("is_using_rules", False)
    assert wanted(say) == [Intent.EXECUTE]
    engine.settings.set("is_using_rules", True)
    assert wanted(say) == [Intent.TEST]
    engine.rules.purge([number])
    assert wanted(say) == [Intent.EXECUTE]
    engine.journal.undo()
    assert wanted(say) == [Intent.TEST]


def test_an_example_is_where_a_rule_was_used_else_where_it_was_seen(engine: Engine, say: Say) -> None:
    say("I want to add a FAB button")
    say("Make it green")
    number = teach(engine, "make it {color}", Intent.PLAN, Intent.TEST)
    seen = engine.rules.example(number)
    assert seen is not None
    assert (seen.quote, seen.is_used) == ("Make it green", False)
    message = say("Make it red").message_id
    used = engine.rules.example(number)
    assert used is not None
    assert (used.quote, used.is_used, used.message_id) == ("Make it red", True, message)
    other = teach(engine, "revert it", Intent.CORRECT)
    assert engine.rules.example(other) is None
    with pytest.raises(NotFoundError):
        engine.rules.example(10_000)


def test_a_pointing_word_shows_what_it_stood_for(engine: Engine, say: Say) -> None:
    say("I want to add a FAB button")
    say("Make it purple")
    now = engine._core.clock.now()
    rule = LearnedRule(0, RuleKind.PRONOUN, "it", {"lookback": 2}, 0.9, 4, now, now, 0)
    with engine._core.store.write(origin=Origin.ENGINE, kind="test", label="") as write:
        number = write.insert(LearnedRuleRow, record_of(rule) | {"changed_count": 0})
    found = engine.rules.example(number)
    assert found is not None
    assert (found.quote, found.meaning) == ("Make it purple", "FAB button")


def test_a_phrase_of_an_older_version_that_is_none_is_not_listed_unless_it_was_edited(engine: Engine) -> None:
    number = teach(engine, "{feature} good {file} it is", Intent.EXECUTE)
    assert engine.rules.learned() == ()
    engine.rules.edit(number, intents=(Intent.TEST,))
    assert [one.id for one in engine.rules.learned()] == [number]
