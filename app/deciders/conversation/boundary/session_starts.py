"""The first message of a new session: new, unless it points back; then it asks, and never guesses.

A new session is the assistant's own word that something starts. Only words that take the old thing up again, or a
reference that resolves there, speak against it. Knows only values. Source: DESIGN section 2 (a reference that resolves
only in another conversation: ask), S1 session state.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.deciders.conversation.boundary.markers import read_phrase, speech_head
from app.resources import misfit
from app.values import BoundaryDecision, BoundaryInput, ReferenceKind, ReferenceState

_CONFIDENT, _ASKING = 0.9, 0.6
_LEAST_WORDS, _LOOKED_BACK = 6, 5
_READ_CHARS = 2_000
_WORD = re.compile(r"\w+")
_POINTING = frozenset({ReferenceKind.PRONOUN, ReferenceKind.DEMONSTRATIVE, ReferenceKind.SAME, ReferenceKind.ORDINAL})


@dataclass(frozen=True, slots=True)
class SessionRules:
    """`rules/conversation/sessions.yaml`."""

    resume_phrases: tuple[str, ...]
    content_phrases: tuple[str, ...] = ()  # with which one answers what was just done

    @classmethod
    def parse(cls, rules: Mapping[str, Any]) -> "SessionRules":
        """The mapping of `sessions.yaml`. Raises InvalidError when it does not fit."""
        try:
            return cls(
                tuple(read_phrase(phrase) for phrase in rules["resume_phrases"]),
                tuple(read_phrase(phrase) for phrase in rules["content_phrases"]),
            )
        except (KeyError, TypeError) as error:
            raise misfit("sessions", error) from error


def hold_session(given: BoundaryInput, decision: BoundaryDecision, rules: SessionRules) -> BoundaryDecision:
    """`decision` as it stands in the light of a new session; unchanged inside one.

    >>> rules = SessionRules(("continue",))
    >>> weak = BoundaryDecision(is_new=False, confidence=0.6, reason="continues: 1 minute later")
    >>> hold_session(BoundaryInput("Add a map", None, is_first_of_session=True), weak, rules).is_new
    True
    >>> hold_session(BoundaryInput("Continue please", None, is_first_of_session=True), weak, rules).is_new is None
    True
    """
    if not given.is_first_of_session or any(factor.name == "marker" for factor in decision.factors):
        return decision
    head = speech_head(given.text).casefold()
    answered = next((one for one in rules.content_phrases if _opens_with(head, one)), "")
    if answered or _is_said_again(given):
        what = f"it says “{answered}”" if answered else "the same was asked for before"
        reason = f"continues: a new session, but {what}"
        return replace(decision, is_new=False, leaning=False, confidence=_CONFIDENT, reason=reason)
    if given.is_alive_elsewhere:
        reason = "new: a new session beside another one"
        return replace(decision, is_new=True, leaning=True, confidence=_CONFIDENT, reason=reason)
    phrase = next((one for one in rules.resume_phrases if _opens_with(head, one)), "")
    pointing = _pointing_back(given)
    if phrase and _shares_entity(given):
        reason = f"continues: a new session, but it says “{phrase}” and names the same"
        return replace(decision, is_new=False, leaning=False, confidence=_CONFIDENT, reason=reason)
    if phrase or pointing:
        what = f"it says “{phrase}”" if pointing is None else f"“{pointing[0]}” may mean {pointing[1]}"
        reason = f"a new session, but {what}"
        return replace(decision, is_new=None, leaning=False, confidence=_ASKING, reason=reason)
    reason = "new: a new session, and nothing in it points back"
    return replace(decision, is_new=True, leaning=True, confidence=_CONFIDENT, reason=reason)


def _opens_with(head: str, phrase: str) -> bool:
    """Whether the words of `phrase` come first: "resume" opens "resume, please", not "resumes are too long"."""
    return head.startswith(phrase) and not head[len(phrase) : len(phrase) + 1].isalnum()


def _is_said_again(given: BoundaryInput) -> bool:
    """Whether the message was sent before, in the same words or with some added: who asks again has not begun anything."""
    mine = _words(given.text)
    before = [_words(message.text) for message in given.history[-_LOOKED_BACK:]]
    return any(min(len(mine), len(other)) >= _LEAST_WORDS and (mine <= other or other <= mine) for other in before)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text[:_READ_CHARS].casefold()))


def _pointing_back(given: BoundaryInput) -> tuple[str, str] | None:
    earlier: Sequence[int] = [message.id for message in given.history]
    for reference in given.references:
        is_answered = reference.state in {ReferenceState.RESOLVED, ReferenceState.AMBIGUOUS}
        if is_answered and reference.kind in _POINTING and reference.antecedent_message_id in earlier:
            return reference.mention, reference.antecedent or "something there"
    return None


def _shares_entity(given: BoundaryInput) -> bool:
    known = {entity.canonical for message in given.history for entity in message.entities}
    return any(entity.canonical in known for entity in given.entities)
