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
from app.values.understanding import Intent, PriorMessage, Speaker

_VERDICT_CHARS = 160  # who praises and goes on at length is not done
_LOOK_BACK_CHARS = 40
_CLAUSE_END = re.compile(r"[.!?;\n]|,\s|\s-\s")
_GOES_ON = re.compile(
    r"[\s,.;!-]+(?:but|except|however|though|although|now\s+(?:let's|we|add|do|make))\b", re.IGNORECASE
)
_LET_GO = re.compile(
    r"\s*(?:\Z|[.,;:!?\n-]|(?:for now|for the moment|entirely|completely|altogether|idea|instead|i want|let's|on second)\b)",
    re.IGNORECASE,
)
_CHANGING = frozenset({Intent.EXECUTE, Intent.CORRECT, Intent.DEBUG})


def infer_outcome(
    messages: Sequence[PriorMessage],
    *,
    tool_events: Sequence[ToolOutcome] = (),
    is_ended: bool,
    next_marker: str = "",
) -> tuple[Outcome | None, str]:
    """The outcome and why; None with a reason when nothing tells.

    `next_marker` are the words that opened the conversation after this one ("forget that"), if any.

    >>> infer_outcome([PriorMessage(1, None, "works now, thanks")], is_ended=True)
    (<Outcome.COMPLETED: 'completed'>, 'the person says "works now"')
    """
    spoken = [message for message in messages if message.speaker is Speaker.USER]
    if not spoken:
        return None, "nothing was said"
    last = speech_head(spoken[-1].text)
    dropped = _find_dropping(next_marker) or _find_dropping(last)
    if dropped:
        return Outcome.ABANDONED, f'the person says "{dropped}"'
    praised = _find_praise(last)
    if praised:
        return Outcome.COMPLETED, f'the person says "{praised}"'
    return _judge_work(spoken, tool_events, is_ended=is_ended)


def _judge_work(
    messages: Sequence[PriorMessage], tool_events: Sequence[ToolOutcome], *, is_ended: bool
) -> tuple[Outcome | None, str]:
    edits = [index for index, event in enumerate(tool_events) if is_edit(event)]
    tests = [index for index, event in enumerate(tool_events) if is_test(event)]
    intents = [intent for message in messages for intent in message.intents]
    if tests and (tests[-1] > edits[-1] if edits else Intent.EXECUTE in intents):
        if not has_failed(tool_events[tests[-1]]):
            return Outcome.TESTED, "tests passed after the last change"
        return Outcome.IMPLEMENTED, "files were changed, the last tests failed"
    if edits:
        return Outcome.IMPLEMENTED, "files were changed"
    return _judge_words(intents, is_watched=bool(tool_events), is_ended=is_ended)


def _judge_words(intents: Sequence[Intent], *, is_watched: bool, is_ended: bool) -> tuple[Outcome | None, str]:
    """Without file changes only what was asked for tells; tests asked for count when no tool was seen at all."""
    changes = [index for index, intent in enumerate(intents) if intent in _CHANGING]
    is_ordered = Intent.EXECUTE in intents
    if is_ordered and not is_watched and Intent.TEST in intents[changes[-1] + 1 :]:
        return Outcome.TESTED, "changes were ordered, then tests"
    if is_ordered:
        return Outcome.IMPLEMENTED, "changes were ordered"
    if Intent.PLAN in intents:
        return Outcome.PLANNED, "only plans were made"
    return None, "nothing was planned or changed" if is_ended else "still open"


def _find_praise(text: str) -> str:
    if len(text) > _VERDICT_CHARS or text.rstrip().endswith("?"):
        return ""
    match = _pattern("completed").search(text)
    if match is None or _GOES_ON.match(text, match.end()):
        return ""
    before = _CLAUSE_END.split(text[max(0, match.start() - _LOOK_BACK_CHARS) : match.start()])[-1]
    return "" if _pattern("completed_unless_after").search(before) else " ".join(match[0].lower().split())


def _find_dropping(text: str) -> str:
    """Words that let the matter go: "forget that", not "don't forget that" nor "drop this column"."""
    for match in _pattern("abandoned").finditer(text):
        before = _CLAUSE_END.split(text[max(0, match.start() - _LOOK_BACK_CHARS) : match.start()])[-1]
        if _LET_GO.match(text, match.end()) and not _pattern("completed_unless_after").search(before):
            return " ".join(match[0].lower().split())
    return ""


def find_phrase(name: str, text: str) -> str:
    """The first phrase of the list `name` in `text`, or ""."""
    match = _pattern(name).search(text) if text else None
    return " ".join(match[0].lower().split()) if match is not None else ""


def is_edit(event: ToolOutcome) -> bool:
    return not has_failed(event) and event.tool.lower() in _edit_tools()


def is_test(event: ToolOutcome) -> bool:
    return bool(event.command) and bool(find_phrase("test_commands", event.command))


def has_failed(event: ToolOutcome) -> bool:
    return event.is_error or event.exit_status not in (None, 0)


@cache
def _edit_tools() -> frozenset[str]:
    return frozenset(str(tool).lower() for tool in load_rules("outcomes")["edit_tools"])


@cache
def _pattern(name: str) -> re.Pattern[str]:
    words = sorted((str(word) for word in load_rules("outcomes")[name]), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(re.escape(word) for word in words)})(?![\w-])", re.IGNORECASE)
