"""What is handed to whoever carries a message out, in one sentence: what the person is about. Pure. Source: S2 "Conversation Flow Examples"."""

from collections.abc import Sequence

from app.values import Intent, IntentScore

_DOES = {
    Intent.PLAN: "planning", Intent.EXECUTE: "refining", Intent.CORRECT: "correcting", Intent.TEST: "testing",
    Intent.DEBUG: "debugging", Intent.REVIEW: "reviewing", Intent.QUESTION: "asking about",
}  # fmt: skip


def tell_context(intents: Sequence[IntentScore], antecedents: Sequence[str], title: str, *, is_new: bool) -> str:
    """What the message is about, for who was not there.

    >>> made = [IntentScore(Intent.EXECUTE, 0.9, "")]
    >>> tell_context(made, ["FAB button"], "FAB button", is_new=False)
    'The user is refining the FAB button.'
    >>> tell_context(made, [], "Dark mode", is_new=False), tell_context(made, [], "Dark mode", is_new=True)
    ('The user goes on with “Dark mode”.', 'The user begins something new: “Dark mode”.')
    """
    does = next((_DOES[one.intent] for one in intents if one.intent in _DOES), "speaking of")
    named = list(dict.fromkeys(antecedents))
    if named:
        return f"The user is {does} {' and '.join(_with_article(name) for name in named)}."
    return f"The user begins something new: “{title}”." if is_new else f"The user goes on with “{title}”."


def _with_article(name: str) -> str:
    return name if name[:4].lower() == "the " or name[:1].isdigit() or "/" in name or "." in name else f"the {name}"
