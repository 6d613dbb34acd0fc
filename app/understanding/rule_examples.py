"""Where a learned rule was used, or seen: one message of the queue in the person's own words.

A rule keeps none of them, so that the example is looked for when somebody asks, among what the queue still holds: first in the
conversations that taught the rule. Source: S1 Tier 2; UX 2 "Every memory shows where it came from".
"""

from collections.abc import Callable

from sqlalchemy import Connection

from app.deciders.conversation.authorship import own_words
from app.deciders.learning.conversation_rules import generalise
from app.errors import NotFoundError
from app.store.rows.rule import kept_conversations, load_rule
from app.understanding.message_rows import load_messages, title_of
from app.values import Message, ReferenceState, Speaker
from app.values.rules import LearnedRule, RuleExample, RuleKind
from app.values.understanding import Reference, ReferenceKind

_QUOTE_CHARS = 240
_KNOWN = {ReferenceState.RESOLVED, ReferenceState.CORRECTED}


def find_example(connection: Connection, rule_id: int) -> RuleExample | None:
    """One message in which the rule was used, else one that shows it; None where the queue holds none. Raises NotFoundError."""
    rule = load_rule(connection, rule_id)
    if rule is None:
        raise NotFoundError("There is no such rule any more.", hint="Look at the list again.")
    shows = _TESTS.get(rule.kind)
    if shows is None:
        return None
    seen: RuleExample | None = None
    for row in sorted(kept_conversations(connection), key=lambda one: one.id not in rule.conversation_ids):
        for one in load_messages(connection, conversation_id=row.id):
            if one.speaker is not Speaker.USER:
                continue
            is_used = _was_used(rule, one)
            if not is_used and (seen is not None or not shows(rule, one)):
                continue
            meant = _pointing(rule, one)
            words = " ".join(own_words(one.text).split())
            quote = words if len(words) <= _QUOTE_CHARS else f"{words[: _QUOTE_CHARS - 1]}…"
            meaning = (meant.antecedent or "") if meant is not None else ""
            found = RuleExample(int(row.id), title_of(row), one.id, quote, one.at, meaning, is_used)
            if is_used:
                return found
            seen = found
    return seen


def _was_used(rule: LearnedRule, message: Message) -> bool:
    """Whether the message says that it was understood so because of the rule."""
    if rule.kind is RuleKind.PHRASE:
        return any(score.reason.startswith(f"learned: “{rule.pattern}”") for score in message.intents)
    return rule.kind is RuleKind.MARKER and f'says "{rule.pattern}", which began' in message.boundary.reason


def _is_said(rule: LearnedRule, message: Message) -> bool:
    return generalise(own_words(message.text), message.entities) == rule.pattern


def _begins(rule: LearnedRule, message: Message) -> bool:
    words = " ".join(own_words(message.text).lower().replace("’", "'").split())
    return message.boundary.is_start and words.startswith(rule.pattern)


def _points(rule: LearnedRule, message: Message) -> bool:
    return _pointing(rule, message) is not None


def _pointing(rule: LearnedRule, message: Message) -> Reference | None:
    """The reference of a message that a rule on a pointing word is about."""
    for _, one in message.references:
        is_definite = one.kind is ReferenceKind.DEFINITE or len(one.mention.split()) > 1
        fits = (
            is_definite
            if rule.kind is RuleKind.DEMONSTRATIVE
            else rule.kind is RuleKind.PRONOUN and not is_definite and one.mention.lower() == rule.pattern
        )
        if fits and one.state in _KNOWN and one.antecedent_message_id not in {None, message.id}:
            return one
    return None


_TESTS: dict[RuleKind, Callable[[LearnedRule, Message], bool]] = {
    RuleKind.PHRASE: _is_said,
    RuleKind.MARKER: _begins,
    RuleKind.PRONOUN: _points,
    RuleKind.DEMONSTRATIVE: _points,
}
