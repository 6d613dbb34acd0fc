"""Slots of statements that name no attribute: by when, how much at most, where it lives, its name.

The sentence's own subject is what the slot is about; where it has none there is no slot, since a wrong one would make
memories contradict. Tried after the ontology's names. Source: S4 (key, value, scope).
"""

import re
from collections.abc import Mapping

from app.deciders.memory.slots.rules import SlotRules
from app.deciders.memory.slots.slots import Filling, split_words
from app.deciders.memory.slots.values import read_date, read_duration, read_size
from app.values import FactType, Slot

_MAX_SUBJECT_WORDS = 4
_LIMIT = re.compile(
    r"\b(?:max(?:imum)?|at most|(?<!go )(?<!goes )(?<!went )up to|(?:no|not) (?:more|longer|larger|bigger) than|under|below|within|not exceed|never exceed|"
    r"not (?:grow |go |be |get )?(?:over|above)|limited to|capped at|less than|fewer than)\b",
    re.IGNORECASE,
)
_AT_MOST = re.compile(
    r"^(?P<subject>[^,;]*?)(?:\b(?:can|may|must|should|has to|have to|is|are|be|stays?|to)\b|$)", re.IGNORECASE
)
_RATE = re.compile(r"(\d[\d.,]*k?) (?:[\w-]+ ){1,2}?(?:a|per|/) ?(?:second|minute|hour|day|s|min|h)\b", re.IGNORECASE)
_COUNT = re.compile(r"(?<![\w.-])(\d[\d,]*) (?P<thing>[a-z][\w-]{2,}s)\b", re.IGNORECASE)
_PLACE = re.compile(
    r"^(?P<subject>[^,;:]{2,50}?) (?:lives?|goe?s?|sits?|stays?|belongs?|resides?|is|are)(?: (?:kept|stored|saved|written|found|now))? "
    r"(?:in|into|under|at|to|inside) (?:the )?(?P<value>(?:[~.\w@<>:-]*/[\w./~@*<>{}$-]*|`[^`]+`))",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"^(?P<subject>[^,;:]{2,40}?)(?: (?:is|runs|lives|listens|answers)(?: at| on| under)?|:| =) (?P<value>(?:https?|wss?|tcp)://\S+|[\w.-]+:\d{2,5}\b)",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"^(?P<subject>[^,;:]{2,40}?) (?:is|are) (?:now )?(?:called|named) (?!(?:in|after|by|with|as|like|on|to|from|using|for)\b)(?P<value>[`\"'“]?[\w./@:-]+[`\"'”]?)",
    re.IGNORECASE,
)
_LAUNCH = re.compile(r"\b(?:going|go|goes) live\b|\blaunch|\breleas|\bship", re.IGNORECASE)
_DROPPED = frozenset(["the", "a", "an", "our", "my", "all", "any", "every", "each", "this", "new", "no", "any", "only"])
_NOTHING = Filling(None, "")


def guess_slot(text: str, type_: FactType, groups: Mapping[str, str], rules: SlotRules) -> Filling:
    """The slot that the words of the sentence make by themselves; empty when they make none.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> rules = load_memory_rules().slots
    >>> guess_slot("thumbnails max 300 KB", FactType.CONSTRAINT, {}, rules)
    Filling(slot=Slot(subject='thumbnails', attribute='size limit', scope=''), value='300 KB', old_value='')
    """
    if type_ is FactType.GOAL:
        return _deadline(text, groups, rules)
    return _limit(text, groups, rules) or _where(text, rules) or _NOTHING


def _deadline(text: str, groups: Mapping[str, str], rules: SlotRules) -> Filling:
    date = read_date(text)
    subject = _subject(groups.get("subject", ""), rules) or ("launch" if _LAUNCH.search(text) else "")
    return Filling(Slot(subject, "deadline"), date) if date and subject else _NOTHING


def _limit(text: str, groups: Mapping[str, str], rules: SlotRules) -> Filling | None:
    limit = _LIMIT.search(text)
    if limit is None:
        return None
    after = text[limit.start() :]
    said = groups.get("subject", "") or text[: limit.start()]
    cut = _AT_MOST.match(said)
    subject = _subject(cut["subject"] if cut is not None else said, rules)
    rate, size, duration = _RATE.search(after), read_size(after), read_duration(after)
    if rate is not None and subject:
        return Filling(Slot(subject, "rate limit"), rate[1].replace(",", ""))
    if size and subject:
        return Filling(Slot(subject, "size limit"), size)
    if duration and subject:
        return Filling(Slot(subject, "time limit"), duration)
    count = _COUNT.search(after)
    thing = _subject(count["thing"], rules) if count is not None and not size and not duration else ""
    return Filling(Slot(thing, "limit"), count[1].replace(",", "")) if count is not None and thing else None


def _where(text: str, rules: SlotRules) -> Filling | None:
    for attribute, expression in (("address", _ADDRESS), ("location", _PLACE), ("name", _NAME)):
        found = expression.match(text)
        subject = _subject(found["subject"], rules) if found is not None else ""
        if found is not None and subject:
            scope = rules.scopes.get(subject, "")
            value = found["value"].strip("`\"'“”,").rstrip(".,")  # "./logs" begins so
            return Filling(Slot("" if scope else subject, attribute, scope), value)
    return None


def _subject(said: str, rules: SlotRules) -> str:
    """The noun phrase as slots keep it; empty when it is too long for one or points elsewhere."""
    words = [token.text.lower() for token in split_words(said)]
    kept = [word for word in words if word not in _DROPPED]
    subject = " ".join(kept)
    is_one = 0 < len(kept) <= _MAX_SUBJECT_WORDS and not rules.empty_subjects.intersection((subject, kept[0]))
    return subject if is_one else ""
