"""Whether a proposal can be read by somebody who did not read the talk: no pointing, no question, no doubt.

What waits in the review is read alone, weeks later: what points at something said elsewhere, supposes, asks or is cut off is no proposal.
The words stand in `statements.yaml`, `alone`. Knows one statement and its message. Source: issue 16, "made by rules it is the shortest
stretch that stands alone".
"""

import re
from dataclasses import replace

from app.deciders.memory.rules import MemoryRules, compiled
from app.deciders.memory.statements.phrasing import points_outside
from app.deciders.memory.statements.standalone_rules import is_standalone_rule
from app.language.sentences import split_sentences
from app.values import FactCandidate

_POINTED = re.compile(r"\b(?:this|these|those|that same|the same|such) ([a-z-]{3,})", re.IGNORECASE)
_INSIDE = re.compile(
    r"(?:project|repo|repository|codebase|team|app|application|branch|machine|company|product|library|service|package|game|site|"
    r"week|month|year|sprint|time|way|is|are|was|has|as|for|in|on|format|name|names|thing)$"
)
_NAME = re.compile(
    r"`[^`\n]{2,60}`(?: [A-Z][\w-]+)?|@?[\w.-]*/[\w./-]+\.\w{1,5}\b|\b[\w-]+\.(?:py|js|ts|tsx|jsx|md|go|rs|json|vue|css|scss|html|ex|rb|java|cs|sh|ya?ml|toml|sql)\b"
    r"|\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w+\b|\w\(\)"
)
_HEADING = re.compile(
    r"^(?:#{1,6} .{3,80}|(?:in|for|on|inside|we are (?:improving|changing|fixing|building)) [^\n]{3,80}):?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_OPENING_CHARS = 400


def stand_alone(one: FactCandidate, message: str, rules: MemoryRules) -> FactCandidate | None:
    """The candidate as a proposal that stands alone; None where it cannot.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> from app.deciders.memory.statements.statements import guess_statement
    >>> for said in ("Keep the exports in CSV.", "Do it for those tests.", "How do I squash, so that only one stays."):
    ...     kept = stand_alone(guess_statement(said), said, load_memory_rules())
    ...     print(kept and kept.text)
    Keep the exports in CSV.
    None
    None
    """
    own, text, low = rules.self_contained, one.text, one.text.lower()
    if compiled(own.questioned).match(message, one.end):
        return None
    leaning = [own.doubts, own.dangling]
    is_standalone = is_standalone_rule(message[one.start : one.end], message, rules)
    if not is_standalone:  # else it leans on the assistant itself
        leaning += [own.about_conversation, own.cut_off]
    if any(compiled(expression).search(low) for expression in leaning):
        return None
    is_of_project = compiled(own.itself).search(low) is not None
    if not is_of_project and (compiled(own.opens).search(low) or points_outside(text, rules)):
        return None
    if _points(text) or (not is_of_project and not is_standalone and _names_unsaid(low, own.unnamed_context)):
        return None
    place = _place_of(message, one.start, rules) if _NAME.search(text) is None else ""
    return replace(one, text=f"{text.rstrip('.')} ({place}).") if place else one


def _place_of(message: str, start: int, rules: MemoryRules) -> str:
    """The one name in code marks, or file, of the work that the message opens with, or of the heading above; "" when none does."""
    head = _HEADING.findall(message, 0, start)
    opening = (
        head[-1]
        if head
        else next((one.text for one in split_sentences(message[:_OPENING_CHARS]) if one.end <= start), "")
    )
    if not head and not compiled(rules.self_contained.opens_work).match(opening):
        return ""
    names = dict.fromkeys(found[0] for found in _NAME.finditer(opening))
    return next(iter(names)) if len(names) == 1 else ""


def _points(text: str) -> bool:
    """Whether "this task", "those tests" stands for something that the text does not name before."""
    for found in _POINTED.finditer(text):
        noun = found[1].lower()
        if not _INSIDE.match(noun) and noun.rstrip("s") not in text[: found.start()].lower():
            return True
    return False


def _names_unsaid(text: str, unsaid: str) -> bool:
    """Whether "the button" is one that the text does not name before: the message is not there to whoever reads it."""
    return any(found[1] not in text[: found.start()] for found in compiled(unsaid).finditer(text))
