"""The title of a plan that is handed over is a goal that the person is asked about."""

import pytest

from app.memory.plans import read_plan
from app.memory.statements import extract_statements
from app.settings import Settings
from app.values import FactType

PLAN = "Implement the following plan:\n\n# Plan: Move the modem driver to its own crate\n\n## Context\n\nThe driver is in main."


def test_the_title_of_a_plan_is_proposed_as_a_goal() -> None:
    [goal] = extract_statements(PLAN, expanded=PLAN, references=(), entities=(), intents=())
    assert (goal.type, goal.text) == (FactType.GOAL, "Move the modem driver to its own crate.")
    assert PLAN[goal.start : goal.end] == "Move the modem driver to its own crate"
    assert goal.confidence < Settings().promote_at


@pytest.mark.parametrize(
    "text",
    [
        "Implement the plan.",
        "Write a plan:\n\n# Plan: Move the modem driver to its own crate",
        "Implement the following plan:\n\n# Plan: Modem",
        "# Plan: Move the modem driver to its own crate",
    ],
)
def test_what_hands_over_no_plan_has_no_title(text: str) -> None:
    assert read_plan(text) is None
