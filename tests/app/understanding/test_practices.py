"""Workflows by hand: listed, edited, off and on, put away, each one act that can be undone; over HTTP the same."""

import pytest

from app.api import Engine
from app.errors import InvalidError, NotFoundError
from app.values import MemoryDraft, MemoryKind
from app.values.rules import PracticePart

_DETAILS = {
    "trigger": "deploy_request",
    "steps": ["test", "build", "prod"],
    "details": {"test": "pnpm test", "build": "docker build ."},
    "times": 5,
    "succeeded": 4,
}


def add(engine: Engine) -> int:
    draft = MemoryDraft(
        text="For a deploy: test, build, prod.", kind=MemoryKind.WORKFLOW, title="Deploy", details=_DETAILS
    )
    return engine.memories.create(draft)


def test_it_is_listed_with_its_steps_and_how_often_it_went_well(engine: Engine) -> None:
    number = add(engine)
    (one,) = engine.rules.practices(MemoryKind.WORKFLOW)
    assert (one.id, one.trigger, one.times, one.succeeded, one.is_on) == (number, "deploy_request", 5, 4, True)
    assert one.parts[0] == PracticePart("test", "pnpm test")
    assert one.parts[2] == PracticePart("prod", "")
    assert engine.rules.practices(MemoryKind.PATTERN) == ()


def test_an_edit_changes_steps_text_and_hint_and_undo_takes_it_back(engine: Engine) -> None:
    number = add(engine)
    before = engine.rules.practice(number)
    parts = [PracticePart("test", "make test"), PracticePart("ship", "make ship")]
    engine.rules.edit_practice(number, trigger="ship_request", title="Ship", parts=parts)
    after = engine.rules.practice(number)
    assert (after.title, after.trigger, after.parts, after.hint) == (
        "Ship",
        "ship_request",
        tuple(parts),
        "ship: test→ship",
    )
    assert "make ship" in engine.memories.get(number).memory.levels.full.text
    engine.journal.undo()
    assert engine.rules.practice(number).parts == before.parts


@pytest.mark.parametrize(
    "parts",
    [[PracticePart("test")], [PracticePart("test"), PracticePart("test")], [PracticePart(""), PracticePart("x")]],
)
def test_steps_that_are_none_are_refused(engine: Engine, parts: list[PracticePart]) -> None:
    number = add(engine)
    with pytest.raises(InvalidError):
        engine.rules.edit_practice(number, parts=parts)


def test_off_is_listed_and_never_given_and_put_away_is_gone(engine: Engine) -> None:
    number = add(engine)
    engine.rules.switch_practices([number], is_on=False)
    assert [one.is_on for one in engine.rules.practices(MemoryKind.WORKFLOW)] == [False]
    engine.rules.switch_practices([number], is_on=True)
    assert engine.rules.practice(number).is_on
    assert engine.rules.purge_practices([number]) == 1
    assert engine.rules.practices(MemoryKind.WORKFLOW) == ()
    engine.journal.undo()
    assert engine.rules.practice(number).id == number
    with pytest.raises(NotFoundError):
        engine.rules.practice(number + 1)
