"""The switch "Learn from corrections": off, the rule sets are handed nothing of the person's; on again, all of it."""

from collections.abc import Sequence

import pytest

from app.api import Engine, Intent
from app.deciders.conversation.intents.training import LabelledExample
from tests.conftest import Say


@pytest.fixture
def taught(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> list[tuple[LabelledExample, ...]]:
    """What the classifier was trained with, in place of seconds of training."""
    lessons: list[tuple[LabelledExample, ...]] = []

    def retrain(corrections: Sequence[LabelledExample]) -> None:
        lessons.append(tuple(corrections))

    monkeypatch.setattr(engine._core.rule_sets, "retrain", retrain)
    return lessons


def test_answers_and_corrections_are_handed_on_only_while_learning_is_on(
    engine: Engine, say: Say, taught: list[tuple[LabelledExample, ...]]
) -> None:
    say("add a FAB button")
    second = say("sort the invoices by date").message_id
    assert second is not None
    engine.conversations.split(second)
    engine.messages.correct_intents(second, (Intent.PLAN,))
    core = engine._core

    core.parts.learn()
    assert [lesson.intents for lesson in taught[-1]] == [(Intent.PLAN,)]
    assert len(core.rule_sets.rules.feedback) == 1

    engine.settings.set("is_learning_from_corrections", value=False)
    core.parts.learn()
    assert taught[-1] == ()
    assert core.rule_sets.rules.feedback == ()

    engine.journal.undo()
    core.parts.learn()
    assert len(taught[-1]) == 1
    assert len(core.rule_sets.rules.feedback) == 1


def test_flipping_the_switch_makes_the_rule_sets_learn_anew_by_themselves(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(engine._core.housekeeper, "learn_soon", lambda: asked.append(True))
    engine.settings.set("queue_size", 25)
    assert asked == []
    engine.settings.set("is_learning_from_corrections", value=False)
    assert asked == [True]
