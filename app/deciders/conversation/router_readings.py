"""What a router says of a message that it logs: its intents and what it refers to, in place of what would be found.

Whoever logs has read the message already; what it does not say is found as always. Pure. Source: S2 "Log New Message".
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from app.values import Intent, IntentScore, Reference, ReferenceKind, ReferenceState

LOGGED = INTENTS, CONTEXT_REF = "logged_intents", "logged_ref"  # in the payload of an event
REASON = "as logged"
_STANDS_IN = frozenset({ReferenceKind.PRONOUN, ReferenceKind.DEMONSTRATIVE})


def logged_payload(intents: Iterable[Intent], context_ref: str) -> dict[str, str]:
    """How the payload of an event carries it.

    >>> logged_payload([Intent.PLAN, Intent.TEST], "")
    {'logged_intents': 'PLAN TEST'}
    """
    payload = {INTENTS: " ".join(dict.fromkeys(one.value for one in intents)), CONTEXT_REF: context_ref}
    return {name: value for name, value in payload.items() if value}


def logged_intents(payload: Mapping[str, object]) -> tuple[IntentScore, ...]:
    """The intents that were logged, as sure as can be; none where none was."""
    words = str(payload.get(INTENTS, "")).split()
    return tuple(IntentScore(Intent(word), 1.0, REASON) for word in words if word in set(Intent))


def logged_references(text: str, found: Sequence[Reference], payload: Mapping[str, object]) -> tuple[Reference, ...]:
    """The references with what was logged in the place of the first mention; left out at the end where there is none.

    >>> it = Reference("it", 5, 7, ReferenceKind.PRONOUN, ReferenceState.UNRESOLVED, None, 0.2, "")
    >>> [(one.mention, one.antecedent) for one in logged_references("Make it purple", [it], {"logged_ref": "FAB button"})]
    [('it', 'FAB button')]
    """
    antecedent = " ".join(str(payload.get(CONTEXT_REF, "")).split())
    if not antecedent:
        return tuple(found)
    meant = next((at for at, one in enumerate(found) if one.kind in _STANDS_IN), None)
    fields = {"state": ReferenceState.RESOLVED, "antecedent": antecedent, "confidence": 1.0, "reason": REASON}
    if meant is not None:
        same = found[meant].antecedent == antecedent  # then it is known where that was said
        where = {} if same else {"antecedent_message_id": None, "antecedent_conversation_id": None}
        return (*found[:meant], replace(found[meant], **fields, **where), *found[meant + 1 :])  # type: ignore[arg-type]
    end = len(text.rstrip(" \n.!?"))
    return (*found, Reference("", end, end, ReferenceKind.IMPLICIT, **fields))  # type: ignore[arg-type]
