"""A message with its references put in: "Make it purple" becomes "Make the FAB button purple".

Only resolved or corrected references are put in; text without them comes back as it is. Code in backticks or
fences is never touched. Knows nothing of how references were found. Source: S2, expanded messages.
"""

import re
from collections.abc import Sequence

from app.deciders.conversation.references.values import QUOTED_BEHIND
from app.language.lexicon import Lexicon
from app.values import Reference, ReferenceKind, ReferenceState

_PUT_IN = frozenset({ReferenceState.RESOLVED, ReferenceState.CORRECTED})
_AFTER_OBJECT = frozenset({
    "before", "after", "when", "if", "about", "for", "to", "on", "in", "at", "with", "and", "or", "first", "once", "because", "until", "by", "via",
    "as"
})  # fmt: skip
_POSSESSIVES = frozenset({"its", "their", "his", "her"})
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_NO_ARTICLE = re.compile(
    r"^(?:the|a|an|my|your|our|this|that|these|those|all|both)\b|[_()/\\.\d]|^[A-Z][a-z]+[A-Z]|^[a-z]+[A-Z]|^[@.-]"
)
_QUALITY = re.compile(
    r"(?:^|\b(?!in\b|on\b|at\b|to\b|for\b|from\b|with\b|of\b|by\b)\w+\s+)the [a-z]+(?: and [a-z]+)?$", re.IGNORECASE
)
_MASS = re.compile(
    r"(?:mode|login|auth|authentication|support|caching|logging|pagination|polling|testing|linting)$", re.IGNORECASE
)
_BARE_ORDER = re.compile(r"(?:^|[.,;!?:]|\b(?:and|then|please|now|ok|okay|just|so|again))\s*[A-Za-z]+$", re.IGNORECASE)
_APOSTROPHE_LEFT_OUT = re.compile(r"s\b")
_MAX_CODE_SCAN_CHARS = 200_000


def expand_text(text: str, references: Sequence[Reference]) -> str:
    """The text with every resolved reference replaced by its antecedent.

    >>> it = Reference("it", 5, 7, ReferenceKind.PRONOUN, ReferenceState.RESOLVED, "FAB button", 0.9, "")
    >>> expand_text("Make it purple", [it])
    'Make the FAB button purple'
    """
    chosen = sorted(
        (
            r
            for r in references
            if r.state in _PUT_IN
            and r.antecedent
            and r.kind is not ReferenceKind.CONVERSATION
            and r.reason != QUOTED_BEHIND
        ),
        key=lambda r: r.start,
    )
    if not chosen:
        return text
    code = [match.span() for match in _CODE.finditer(text[:_MAX_CODE_SCAN_CHARS])] if "`" in text else []
    parts: list[str] = []
    position = 0
    for reference in chosen:
        is_outside = 0 <= reference.start <= reference.end <= len(text) and reference.start >= position
        if not is_outside or any(a < reference.end and reference.start < b for a, b in code):
            continue
        parts.append(text[position : reference.start])
        parts.append(_replacement(text, reference))
        position = reference.end
    parts.append(text[position:])
    return "".join(parts)


def _replacement(text: str, reference: Reference) -> str:
    antecedent = (reference.antecedent or "").strip()
    if Lexicon.shipped().is_act(antecedent):  # an act cannot stand where a thing stood
        return f"{reference.mention} ({antecedent})" if reference.mention else ""
    if reference.kind is ReferenceKind.IMPLICIT:
        return _implicit(text, reference.start, antecedent)
    word = reference.mention.lower()
    name = antecedent if _NO_ARTICLE.search(antecedent) or _is_name(antecedent) else f"the {antecedent}"
    if word in ("one", "ones"):
        name = antecedent
    if word == "there":
        name = f"in {name}"
    if word in _POSSESSIVES and not (word == "her" and _is_object(text, reference.end)):
        name += "'" if name.endswith("s") else "'s"
    if _APOSTROPHE_LEFT_OUT.match(text, reference.end):
        name += " i"  # "thats wrong": the s that stays behind is an "is"
    is_start = not text[: reference.start].strip() or text[: reference.start].rstrip()[-1:] in (".", "!", "?")
    return name[:1].upper() + name[1:] if is_start and reference.mention[:1].isupper() else name


def _implicit(text: str, place: int, antecedent: str) -> str:
    has_article = not (_NO_ARTICLE.search(antecedent) or _is_name(antecedent) or _MASS.search(antecedent))
    name = f"the {antecedent}" if has_article else antecedent
    before = "" if not text[:place] or text[:place].endswith((" ", "\n")) else " "
    after = "" if not text[place:] or text[place] in " \n,.;:!?" else " "
    left = text[max(0, place - 40) : place]
    if _BARE_ORDER.search(left) and left.split()[-1].lower() in Lexicon.shipped().verbs:
        return f"{before}{name}{after}"
    word = "of" if _QUALITY.search(left) else "for"
    return f"{before}{word} {name}{after}"


def _is_name(antecedent: str) -> bool:
    words = antecedent.split()
    return bool(words) and all(word[0].isupper() for word in words if word[0].isalpha()) and not antecedent.isupper()


def _is_object(text: str, end: int) -> bool:
    after = text[end:].lstrip()
    return not after or after[0] in ".,;:!?" or after.split(maxsplit=1)[0].lower() in _AFTER_OBJECT
