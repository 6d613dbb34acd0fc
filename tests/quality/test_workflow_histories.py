"""Which habits are found in invented histories of commands, edits and orders, with noise, other flags and other words.

A line is a history: `habit` are the steps that a reader would name, null where nothing recurs; in a conversation "E" is an edit, what
begins with ">" a prompt, all else a command line. The rules were mended on `mended`; of `second`, written afterwards, nine of eleven
were right at first.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from app.deciders.learning.conversation_rules import TaughtMessage, TaughtUse, learn_from_conversation
from app.deciders.learning.workflows import EDIT, Stretch, is_part, mine_workflows
from app.values.rules import RuleKind

_HISTORIES = [
    json.loads(line)
    for line in (Path(__file__).parent / "labels" / "workflow_histories.jsonl").read_text("utf-8").splitlines()
]


def stretches_of(conversations: Sequence[Sequence[str]]) -> Iterator[Stretch]:
    for number, conversation in enumerate(conversations):
        messages: list[TaughtMessage] = []
        uses: list[TaughtUse] = []
        for one in conversation:
            if one.startswith(">"):
                messages.append(TaughtMessage(one[1:], ()))
            else:
                is_edit = one == "E"
                uses.append(TaughtUse("a.py" if is_edit else "", "" if is_edit else one, turn=max(1, len(messages))))
        for rule in learn_from_conversation(messages or [TaughtMessage("go on", ())], uses):
            if rule.kind is RuleKind.SEQUENCE:
                details = rule.details
                yield Stretch(
                    tuple(details["steps"]),
                    details["times"],
                    details["succeeded"],
                    details["commands"],
                    frozenset({number}),
                )


@pytest.mark.parametrize("history", _HISTORIES, ids=lambda one: str(one["name"]))
def test_a_habit_is_found_and_no_other(history: dict[str, Any]) -> None:
    found = mine_workflows(stretches_of(history["conversations"]))
    hints = [one.hint for one in found]
    if history["habit"] is None:
        assert hints == []
    else:
        assert any(is_part(history["habit"], one.steps) for one in found), hints
        others = [one for one in found if not is_part(history["habit"], one.steps)]
        assert all(is_part([step for step in one.steps if step != EDIT], history["habit"]) for one in others), hints
