"""Slots of statements that name no attribute: where something lives, its address, its name.

The sentence's own subject is what the slot is about; where it has none there is no slot, since a wrong one would make
memories contradict. Tried after the ontology's names. Source: S4 (key, value, scope).
"""

import re

from app.deciders.memory.slots.rules import SlotRules
from app.deciders.memory.slots.slots import FilledSlot, split_words
from app.values import Slot

_MAX_SUBJECT_WORDS = 4
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
_DROPPED = frozenset(["the", "a", "an", "our", "my", "all", "any", "every", "each", "this", "new", "no", "any", "only"])


def guess_slot(text: str, rules: SlotRules) -> FilledSlot:
    """The slot that the words of the sentence make by themselves; empty when they make none.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> guess_slot("the exports live in /srv/exports", load_memory_rules().slots)
    FilledSlot(slot=Slot(subject='exports', attribute='location', scope=''), value='/srv/exports', old_value='')
    """
    for attribute, expression in (("address", _ADDRESS), ("location", _PLACE), ("name", _NAME)):
        found = expression.match(text)
        subject = _subject(found["subject"], rules) if found is not None else ""
        if found is not None and subject:
            scope = rules.scopes.get(subject, "")
            value = found["value"].strip("`\"'“”,").rstrip(".,")  # "./logs" begins so
            return FilledSlot(Slot("" if scope else subject, attribute, scope), value)
    return FilledSlot(None, "")


def _subject(text: str, rules: SlotRules) -> str:
    """The noun phrase as slots keep it; empty when it is too long for one or points elsewhere."""
    words = [token.text.lower() for token in split_words(text)]
    kept = [word for word in words if word not in _DROPPED]
    subject = " ".join(kept)
    is_one = 0 < len(kept) <= _MAX_SUBJECT_WORDS and not rules.empty_subjects.intersection((subject, kept[0]))
    return subject if is_one else ""
