"""How far a conversation got: planned, implemented, tested, completed or abandoned.

Owns the reading of last words and tool events; must not know times or the store. Merged is set by hand.
Rules are `rules/outcomes.yaml`. Source: S1, conversation field `outcome`.
"""

import re
from collections.abc import Sequence
from functools import cache

from app.conversation.boundary_markers import speech_head
from app.resources import load_rules
from app.values.conversation import Outcome, ToolOutcome
from app.values.understanding import Intent, PriorMessage

_LAST_COUNT = 2


def infer_outcome(
    messages: Sequence[PriorMessage],
    *,
    tool_events: Sequence[ToolOutcome] = (),
    is_ended: bool,
    next_marker: str = "",
) -> tuple[Outcome | None, str]:
    """The outcome and why, or None with a reason when nothing tells."""
    if not messages:
        return None, "nothing was said"
    last = [speech_head(message.text) for message in messages[-_LAST_COUNT:]]
    if _says("abandoned", next_marker):
        return Outcome.ABANDONED, f'then came "{next_marker}"'
    if _says("abandoned", last[-1]):
        return Outcome.ABANDONED, "the last message lets it go"
    if any(_says("completed", text) for text in last):
        return Outcome.COMPLETED, "the person says that it works"
    return _from_work(messages, tool_events, is_ended=is_ended)


def _from_work(
    messages: Sequence[PriorMessage], tool_events: Sequence[ToolOutcome], *, is_ended: bool
) -> tuple[Outcome | None, str]:
    intents = {intent for message in messages for intent in message.intents}
    edits = [index for index, event in enumerate(tool_events) if _is_edit(event)]
    tests = [index for index, event in enumerate(tool_events) if _is_test(event)]
    if edits and tests and tests[-1] > edits[-1] and not tool_events[tests[-1]].is_error:
        return Outcome.TESTED, "tests ran after the last change"
    if edits or Intent.EXECUTE in intents:
        return Outcome.IMPLEMENTED, "files were changed" if edits else "changes were ordered"
    if Intent.PLAN in intents:
        return Outcome.PLANNED, "only plans were made"
    return None, "nothing was planned or changed" if is_ended else "still open"


def _is_edit(event: ToolOutcome) -> bool:
    return not event.is_error and event.tool.lower() in _rules()["edit_tools"]


def _is_test(event: ToolOutcome) -> bool:
    return bool(event.command) and _pattern("test_commands").search(event.command) is not None


def _says(name: str, text: str) -> bool:
    return bool(text) and _pattern(name).search(text) is not None


@cache
def _rules() -> dict[str, frozenset[str]]:
    return {name: frozenset(str(word) for word in words) for name, words in load_rules("outcomes").items()}


@cache
def _pattern(name: str) -> re.Pattern[str]:
    words = sorted(_rules()[name], key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(re.escape(word) for word in words)})(?![\w-])", re.IGNORECASE)
