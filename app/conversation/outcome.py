"""How far a conversation got: planned, implemented, tested, completed or abandoned.

Owns the reading of last words and tool events; must not know times or the store. Merged is set by hand.
Rules are `rules/outcomes.yaml`. Source: S1, conversation field `outcome`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.conversation.boundary_markers import read_phrase, speech_head
from app.resources import load_rules, misfit
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
_NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class OutcomeRules:
    """`rules/outcomes.yaml`, compiled."""

    completed: re.Pattern[str]
    taken_back: re.Pattern[str]
    abandoned: re.Pattern[str]
    edit_tools: frozenset[str]
    test_command: re.Pattern[str]

    @classmethod
    def parse(cls, rules: Mapping[str, Any]) -> "OutcomeRules":
        """The mapping of `outcomes.yaml`, compiled. Raises InvalidError when it does not fit."""
        try:
            return cls(
                completed=_compile(rules["completed"]),
                taken_back=_compile(rules["completed_unless_after"]),
                abandoned=_compile(rules["abandoned"]),
                edit_tools=frozenset(map(read_phrase, rules["edit_tools"])),
                test_command=_compile(rules["test_commands"]),
            )
        except (KeyError, TypeError) as error:
            raise misfit("outcomes", error) from error

    @staticmethod
    def shipped() -> "OutcomeRules":
        """The rules that come with the program; read once."""
        return _shipped()


@cache
def _shipped() -> OutcomeRules:
    return OutcomeRules.parse(load_rules("outcomes"))


def _compile(phrases: Sequence[object]) -> re.Pattern[str]:
    """Any of the phrases as whole words, longest first; a list that a person emptied matches nothing."""
    words = sorted(map(read_phrase, phrases), key=len, reverse=True)
    if not words:
        return _NOTHING
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, words))})(?![\w-])", re.IGNORECASE)


def infer_outcome(
    messages: Sequence[PriorMessage],
    *,
    tool_events: Sequence[ToolOutcome] = (),
    is_ended: bool,
    next_marker: str = "",
    rules: OutcomeRules | None = None,
) -> tuple[Outcome | None, str]:
    """The outcome and why; None with a reason when nothing tells.

    `next_marker` are the words that opened the conversation after this one ("forget that"), if any. `rules` None: the shipped ones.

    >>> infer_outcome([PriorMessage(1, None, "works now, thanks")], is_ended=True)
    (<Outcome.COMPLETED: 'completed'>, 'the person says "works now"')
    """
    rules = rules or OutcomeRules.shipped()
    spoken = [message for message in messages if message.speaker is Speaker.USER]
    if not spoken:
        return None, "nothing was said"
    last = speech_head(spoken[-1].text)
    dropped = _find_dropping(next_marker, rules) or _find_dropping(last, rules)
    if dropped:
        return Outcome.ABANDONED, f'the person says "{dropped}"'
    praised = _find_praise(last, rules)
    if praised:
        return Outcome.COMPLETED, f'the person says "{praised}"'
    return _judge_work(spoken, tool_events, rules, is_ended=is_ended)


def _judge_work(
    messages: Sequence[PriorMessage], tool_events: Sequence[ToolOutcome], rules: OutcomeRules, *, is_ended: bool
) -> tuple[Outcome | None, str]:
    edits = [index for index, event in enumerate(tool_events) if is_edit(event, rules)]
    tests = [index for index, event in enumerate(tool_events) if is_test(event, rules)]
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


def _find_praise(text: str, rules: OutcomeRules) -> str:
    if len(text) > _VERDICT_CHARS or text.rstrip().endswith("?"):
        return ""
    match = rules.completed.search(text)
    if match is None or _GOES_ON.match(text, match.end()) or _is_taken_back(text, match.start(), rules):
        return ""
    return _words(match)


def _find_dropping(text: str, rules: OutcomeRules) -> str:
    """Words that let the matter go: "forget that", not "don't forget that" nor "drop this column"."""
    for match in rules.abandoned.finditer(text):
        if _LET_GO.match(text, match.end()) and not _is_taken_back(text, match.start(), rules):
            return _words(match)
    return ""


def _is_taken_back(text: str, at: int, rules: OutcomeRules) -> bool:
    """Whether the clause before `at` says that what follows does not hold: "not", "almost", "if"."""
    before = _CLAUSE_END.split(text[max(0, at - _LOOK_BACK_CHARS) : at])[-1]
    return rules.taken_back.search(before) is not None


def _words(match: re.Match[str]) -> str:
    return " ".join(match[0].lower().split())


def is_edit(event: ToolOutcome, rules: OutcomeRules | None = None) -> bool:
    """Whether the tool changed a file. `rules` None: the shipped ones."""
    return not has_failed(event) and event.tool.lower() in (rules or OutcomeRules.shipped()).edit_tools


def is_test(event: ToolOutcome, rules: OutcomeRules | None = None) -> bool:
    """Whether the tool ran checks, passed or failed. `rules` None: the shipped ones."""
    return bool(event.command) and (rules or OutcomeRules.shipped()).test_command.search(event.command) is not None


def has_failed(event: ToolOutcome) -> bool:
    return event.is_error or event.exit_status not in (None, 0)
