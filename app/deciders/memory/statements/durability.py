"""What a statement asks for by its own words: to be kept, to hold from now on, to be looked at, or nothing beyond the work of today.

Rules alone keep only what asks to last in so many words, or says that a choice was made. What is ordered, wished for or
described waits as proposed; what reports, doubts or orders one piece of work teaches nothing wherever it stands. The words
stand in `statements.yaml`. Knows words and sentences; nothing of the store. Source: issue 16, "Now is not from now on".
"""

import re
from enum import StrEnum

from app.deciders.memory.rules import MemoryRules, compiled, load_memory_rules
from app.deciders.memory.statements.phrasing import straighten, strip_edges
from app.deciders.memory.statements.standalone_rules import is_lasting_rule, is_standalone_rule
from app.language.sentences import SENTENCE_END
from app.values import FactCandidate, FactType

_LIST_LINES = 12
_ITEM = re.compile(r"[-*•]|\d+[.)]")
_PICKED = re.compile(  # out of what was offered: read alone, "the factory approach" is of nothing
    r"\bthe (?:[\w-]+ ){0,2}(?:alternative|approach|idea|method|option|plan|proposal|solution|strategy|suggestion|technique|variant|version|way)$"
)
_BAN = re.compile(r"\b(?:should|must) ?(?:not|n't) be \w+ed\b")


class Durability(StrEnum):
    """How long the words of a statement want it to hold."""

    FROM_NOW_ON = "from now on"
    MAYBE = "maybe"
    NOW = "now"


def judge_durability(one: FactCandidate, text: str, rules: MemoryRules | None = None) -> Durability:
    """How long the statement, found in the message `text`, wants to hold.

    >>> from app.deciders.memory.statements.statements import guess_statement
    >>> for sentence in ("From now on the pager is on Tuesdays.", "The pager is on Tuesdays.", "I noticed the pager is on.", "Let's use the shorter option."):
    ...     print(judge_durability(guess_statement(sentence), sentence))
    from now on
    maybe
    now
    maybe
    """
    rules = rules or load_memory_rules()
    own = rules.durability
    sentence = straighten(_sentence(text, one.start, one.end)).strip()
    low = sentence.lower().rstrip(".! ")
    core = strip_edges(sentence, rules).lower()
    if sentence.endswith("?"):
        return Durability.MAYBE
    asking_texts = (low, core, _head(text, one.start))
    is_work = _has(own.work, low) or _has(own.work, core)
    if any(asked and _has(own.asks, asked) for asked in asking_texts) or (one.replaces and not is_work):
        return Durability.FROM_NOW_ON
    if is_lasting_rule(sentence, text, rules):
        return Durability.FROM_NOW_ON
    if is_standalone_rule(sentence, text, rules):
        return Durability.MAYBE
    is_chosen = (_has(own.chosen, low) or _has(own.chosen, core)) and _PICKED.search(low) is None
    if is_chosen and not _has(own.momentary, low):
        return Durability.FROM_NOW_ON
    is_held = _has(own.general_signs, low)
    if (_has(own.momentary, low) and not _BAN.search(low)) or (not is_held and is_work):
        return Durability.NOW
    is_told = one.type is FactType.FACT and not is_held  # beside a report it says how things are now
    if _has(own.reports, low) or _has(own.trials, low) or _has(own.reports, core) or _has(own.trials, core):
        return Durability.NOW
    if _has(own.troubled, low) or (is_told and _has(own.troubled, text)):
        return Durability.NOW
    return Durability.MAYBE


def _has(expression: str, text: str) -> bool:
    return compiled(expression).search(text) is not None


def _head(text: str, start: int) -> str:
    """What opens the list in which the statement is an item: "a few rules:"; "" where it is none."""
    above = text[:start].rstrip("-*•0123456789.) \t")
    if not above.endswith("\n"):
        return ""
    for above_line in reversed(above.splitlines()[-_LIST_LINES:]):
        heading = above_line.strip().lower()
        if heading and _ITEM.match(heading) is None:
            return heading if heading.endswith(":") else ""
    return ""


def _sentence(text: str, start: int, end: int) -> str:
    """The statement with what stands around it up to the next full stop or line."""
    first = max((found.end() for found in SENTENCE_END.finditer(text, 0, start + 1) if found.end() <= start), default=0)
    last = SENTENCE_END.search(text, max(end - 1, start))
    return text[first : last.start() if last is not None else len(text)]


_ASKED_FOR = re.compile(r"\bremember\b|\bfrom now on\b|\bnever\b.{0,80}\bagain\b", re.IGNORECASE)


def is_asked_for(text: str) -> bool:
    """Not what merely sounds lasting: rules keep this, whatever others make of it.

    >>> is_asked_for("From now on, tabs."), is_asked_for("Always use tabs.")
    (True, False)
    """
    return _ASKED_FOR.search(text) is not None
