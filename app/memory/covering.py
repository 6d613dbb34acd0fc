"""What a reader left out of a sentence and belongs to what it read: "our users are pilots, so nothing below 16 px".

Owns which clauses beside the one that was read are kept with it. Knows clauses and learned weights, nothing of messages.
Source: S4 (meaning kept), S3 (a decision and its reason).
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from app.memory.faults import tells_of_fault
from app.memory.matching import Match, doubts_clause, doubts_sentence, is_task_after
from app.memory.rules import MemoryRules
from app.memory.saying_features import is_task
from app.memory.sayings import likely_type
from app.values import FactType

_WORD = re.compile(r"[\w'./@#+-]*\w")
_GOES_ON = re.compile(
    r"(?:not|never|no|instead of|rather than|because|except|unless|until|including|but not)\b", re.IGNORECASE
)
_LEAST_PARTS, _MAX_WORDS = 2, 34
_LEAST = 0.6  # beside what was read: surer than alone
_SHARED_RATIO = 0.6


def cover(match: Match, core: str, parts: Sequence[str], rules: MemoryRules) -> Match:
    """The match with the clauses of `core` beside it that state something too; as it is when there are none.

    >>> from app.memory.rules import load_memory_rules
    >>> rules, said = load_memory_rules(), "our users are pilots, so nothing below 16 px"
    >>> from app.memory.matching import BARE
    >>> cover(Match(BARE, "our users are pilots", {}, None), said, said.split(", so "), rules).text == said
    True
    """
    if len(parts) < _LEAST_PARTS or len(core.split()) > _MAX_WORDS or is_task_after(core, rules):
        return match
    kept = [_is_read(part, match.text) for part in parts]
    is_kept = [is_read or is_harmless(part, rules) for part, is_read in zip(parts, kept, strict=True)]
    said: list[FactType] = []
    for place, part in enumerate(parts):
        type_ = None if kept[place] or not is_kept[place] else likely_type(part, rules, _LEAST)
        goes_on = place > 0 and kept[place - 1] and _GOES_ON.match(part) is not None
        said.extend([type_] if type_ is not None else [])
        kept[place] = kept[place] or type_ is not None or goes_on
    if True not in kept:
        return match
    first, last = kept.index(True), len(kept) - 1 - kept[::-1].index(True)
    begin, end = core.find(parts[first]), core.rfind(parts[last]) + len(parts[last])
    is_more = sum(kept) > sum(_is_read(part, match.text) for part in parts)
    if not is_more or begin < 0 or end <= begin or not all(is_kept[first : last + 1]):
        return match
    firm = next((one for one in said if one is not FactType.FACT), None)
    pattern = match.pattern
    if pattern.type is FactType.FACT and firm is not None:
        pattern = replace(pattern, type=firm)
    return replace(match, pattern=pattern, text=core[begin:end], is_whole=True)


def _is_read(part: str, text: str) -> bool:
    """Whether most words of the clause stand in what was read, or those of what was read in the clause."""
    words = {word.lower() for word in _WORD.findall(part)}
    said = {word.lower() for word in _WORD.findall(text)}
    return len(words & said) >= _SHARED_RATIO * min(len(words), len(said))


def is_harmless(part: str, rules: MemoryRules) -> bool:
    """Whether the clause is in no doubt, tells of no fault and orders nothing to be done once."""
    if part.lower().startswith("because "):
        return True  # the reason may well be a fault
    is_doubtful = doubts_sentence(part, rules) or doubts_clause(part, rules) or tells_of_fault(part, rules)
    return not is_doubtful and not is_task(part, rules)
